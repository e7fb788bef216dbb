"""Ends a script with one line and exit code 130 at Ctrl-C, SIGTERM or SIGHUP, whenever that comes.

All three raise KeyboardInterrupt, which study.command_line.run() catches. Before and after it, what
nobody catches is printed as one line, if the user can cause it. Scripts import this first: the other
imports take a fifth of a second.
"""
import errno
import os
import signal
import sys


def hook(kind, error, traceback) -> None:
    """Replaces the traceback of an interruption, and of an import that has no memory or no file."""
    if issubclass(kind, KeyboardInterrupt):
        text, code = "interrupted", 130  # Python itself would end by the signal
    elif issubclass(kind, MemoryError):
        text, code = "out of memory", 2
    elif issubclass(kind, OSError) and error.errno == errno.EMFILE:
        text, code = "too many open files (limits: ulimit -n)", 4
    else:
        sys.__excepthook__(kind, error, traceback)
        return
    sys.stderr.write(f"{os.path.basename(sys.argv[0])}: {text}\n")
    sys.stderr.flush()
    os._exit(code)


sys.excepthook = hook
for number in (signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(number) == signal.SIG_DFL:  # nohup ignores SIGHUP
        signal.signal(number, signal.default_int_handler)
