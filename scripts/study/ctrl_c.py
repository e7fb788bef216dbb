"""Ends a script with one line if Ctrl-C is pressed before or after study.command_line.run().

Scripts import this module first, because the other imports take a fifth of a second.
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
    os._exit(130)  # Python itself would end with a signal


sys.excepthook = hook
