"""Ends a script with one line if Ctrl-C comes before study.command_line.run() or after it.

Scripts import this first: the other imports take a fifth of a second.
"""
import os
import sys


def hook(kind, error, traceback) -> None:
    """Replaces the traceback of a KeyboardInterrupt."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, traceback)
        return
    sys.stderr.write(f"{os.path.basename(sys.argv[0])}: interrupted\n")
    sys.stderr.flush()
    os._exit(130)  # Python itself would end by the signal


sys.excepthook = hook
