#!/usr/bin/env python3
"""Fills README's marked blocks with tables made from results/<gpu>/.

A block stands between <!-- generated: NAME --> and <!-- end generated -->. What has not been
measured yet, the block says in words.
"""
from __future__ import annotations

import re
from pathlib import Path
from typing import Sequence

from command_line import ExitCode, Parser, ScriptError, run
from readme_tables import BLOCKS, MissingResults
from results_files import REPOSITORY, default_folder, load_folder, write_text

BLOCK = re.compile(r"(<!-- generated: *(?P<name>[^>]*?) *-->\n)(?P<body>.*?)"
                   r"(?P<end><!-- end generated -->)", re.DOTALL)
BEGIN = "<!-- generated:"
END = "<!-- end generated -->"


def block(name: str, results: dict) -> str:
    if name not in BLOCKS:
        raise ScriptError(f"README has a block '{name}', legal is {', '.join(BLOCKS)}",
                          ExitCode.USAGE)
    if not results:
        return "*Not measured yet.*"
    try:
        return BLOCKS[name](results)
    except MissingResults as missing:
        return f"*Not measured yet: {missing}.*"


def filled(readme: str, results: dict) -> str:
    """README with its blocks as the results have them."""
    found = list(BLOCK.finditer(readme))
    # A lost end would let one block swallow all up to the next one's.
    if any(BEGIN in match["body"] for match in found) or readme.count(BEGIN) != len(found):
        raise ScriptError(f"README has a block without '{END}'", ExitCode.USAGE)
    return BLOCK.sub(lambda match: f"{match[1]}{block(match['name'], results)}\n{END}", readme)


def changed_blocks(old: str, new: str) -> list[str]:
    return [before["name"] for before, after in zip(BLOCK.finditer(old), BLOCK.finditer(new))
            if before["body"] != after["body"]]


def main(arguments: Sequence[str]) -> int:
    parser = Parser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--readme", metavar="FILE", default=str(REPOSITORY / "README.md"),
                        help="the file with the blocks [README.md]")
    parser.add_argument("--results", metavar="DIR",
                        help="the folder of results [results/h200, or the only one]")
    parser.add_argument("--check", action="store_true",
                        help="write nothing; exit code 1 where README and results disagree")
    parser.add_argument("--print", metavar="NAME", dest="shown",
                        help="print one block, or 'all', and write nothing")
    options = parser.parse_args(arguments)

    folder = Path(options.results) if options.results else default_folder()
    # A project without results has a README that says so.
    results = load_folder(folder) if folder.is_dir() or options.results else {}
    if options.shown:
        for name in BLOCKS if options.shown == "all" else [options.shown]:
            print(f"{BEGIN} {name} -->\n{block(name, results)}\n{END}\n")
        return ExitCode.RIGHT

    path = Path(options.readme)
    try:
        old = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ScriptError(f"{path} cannot be read: {error.strerror}", ExitCode.FILES) from error
    new = filled(old, results)
    changed = changed_blocks(old, new)
    if options.check:
        if changed:
            print(f"{path} and {folder} disagree in: {', '.join(changed)}; "
                  "run scripts/update_readme.py")
            return ExitCode.WRONG
        print(f"{path} says what {folder} says")
        return ExitCode.RIGHT
    if changed:
        write_text(path, new)
    print(f"{len(changed)} blocks changed" + (f": {', '.join(changed)}" if changed else ""))
    return ExitCode.RIGHT


if __name__ == "__main__":
    run(main)
