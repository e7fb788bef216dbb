"""How the scripts speak to who calls them: exit codes, one-line errors, progress.

The codes are those of the C++ programs, so that a caller needs one table for all.
"""
from __future__ import annotations

import argparse
import enum
import os
import sys
import time
from typing import Callable, NoReturn, Sequence


class ExitCode(enum.IntEnum):
    RIGHT = 0
    WRONG = 1  # a wrong result, a slowdown, a README that disagrees
    USAGE = 2
    CUDA = 3
    FILES = 4
    INTERRUPTED = 130


class ScriptError(Exception):
    """Ends the script: the text in one line on stderr, and the code."""

    def __init__(self, text: str, code: ExitCode):
        super().__init__(text)
        self.code = code


class Parser(argparse.ArgumentParser):
    """argparse, but an error is one line, without the usage before it."""

    def __init__(self, **options):
        super().__init__(allow_abbrev=False, **options)

    def print_help(self, file=None) -> None:  # argparse's own hides that it cannot write
        (file or sys.stdout).write(self.format_help())

    def error(self, message: str) -> NoReturn:
        self.exit(ExitCode.USAGE, f"{self.prog}: {message}\n")


class Progress:
    """A line on stderr that is written over on a terminal, and else added only at each step."""

    def __init__(self, expected_s: float):
        self._expected_s = expected_s
        self._start = time.monotonic()

    def elapsed_s(self) -> float:
        return time.monotonic() - self._start

    def step(self, what: str) -> None:
        minutes, seconds = divmod(int(self.elapsed_s()), 60)
        expected = f" of about {self._expected_s / 60:.1f} min" if self._expected_s else ""
        print(f"[{minutes}:{seconds:02d}{expected}] {what}", file=sys.stderr, flush=True)


def run(main: Callable[[Sequence[str]], int]) -> NoReturn:
    """Calls main with the arguments, and ends the process with its code or its error's."""
    name = os.path.basename(sys.argv[0])
    if sys.stdout is None:  # before any work is done for nobody to see
        print(f"{name}: stdout is closed", file=sys.stderr)
        sys.exit(ExitCode.FILES)
    try:
        code = _code_of(main, name)
        sys.stdout.flush()
    except OSError as error:  # such as a pipe that nobody reads, or a full disk
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"{name}: {error}", file=sys.stderr)
        code = ExitCode.FILES
    sys.exit(code)


def _code_of(main: Callable[[Sequence[str]], int], name: str) -> int:
    try:
        return int(main(sys.argv[1:]))
    except SystemExit as end:  # argparse's, after --help too
        return end.code or ExitCode.RIGHT
    except ScriptError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED
