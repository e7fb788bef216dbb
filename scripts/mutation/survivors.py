"""What no test notices, and why: files with '<key> # <why nothing notices it>' a line."""


def known(path):
    """The keys in such a file."""
    return {line.rsplit(" # ", 1)[0] for line in path.read_text().split("\n") if " # " in line}


def unknown(survivors, path):
    """Those of these mutants that such a file does not explain."""
    keys = known(path)
    return [mutant for mutant in survivors if mutant.key() not in keys]
