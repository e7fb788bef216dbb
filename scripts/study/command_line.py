"""The user interface of the scripts: exit codes, one-line errors, options, progress.

The codes are those of the C++ programs, so one table describes all of them.
"""
from __future__ import annotations

import argparse
import contextlib
import enum
import errno
import itertools
import math
import os
import re
import sys
import time
from typing import Callable, Iterable, NoReturn, Sequence


NO_PROCESS = (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM)


class ExitCode(enum.IntEnum):
    RIGHT = 0
    WRONG = 1  # a wrong result, a slowdown, a README that disagrees
    USAGE = 2
    CUDA = 3
    FILES = 4
    INTERRUPTED = 130


class ScriptError(Exception):
    """Ends the script with one line on stderr and the exit code."""

    def __init__(self, text: str, code: ExitCode):
        super().__init__(text)
        self.code = code


def one_line(text: str) -> str:
    """The text with escapes, such as \\\
     and \\\\x1b, instead of characters that are not printed."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def counted(count: int, noun: str) -> str:
    """'1 row', '2 rows'."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class Parser(argparse.ArgumentParser):
    """argparse, but an error is one line without the usage text, and values must not be empty or repeated.

    Its help begins with the first paragraph of the script's documentation, which python3 -OO removes.
    """

    def __init__(self, documentation: str | None = None, **options):
        options.setdefault("description", (documentation or "").split("\n\n", maxsplit=1)[0])
        super().__init__(allow_abbrev=False, **options)
        self.register("type", None, not_empty)

    def parse_args(self, args=None, namespace=None):
        self._given = list(sys.argv[1:] if args is None else args)
        parsed = super().parse_args(args, namespace)
        self._refuse_repetition()
        return parsed

    def print_help(self, file=None) -> None:  # argparse's own hides that it cannot write
        (file or sys.stdout).write(self.format_help())

    def error(self, message: str) -> NoReturn:
        if message.startswith("the following arguments are required"):  # a mistyped option explains it
            unknown = [word for word in self._before_dashes() if word.startswith("-") and
                       word.partition("=")[0] not in self._option_string_actions]
            if unknown:
                message = f"unrecognized arguments: {' '.join(unknown)}"
        self.exit(ExitCode.USAGE, f"{self.prog}: {one_line(message.removeprefix('argument '))}\n")

    def _before_dashes(self) -> Iterable[str]:
        """The words that may be options."""
        return itertools.takewhile(lambda word: word != "--", self._given)

    def _refuse_repetition(self) -> None:
        """Refuses an option with several values, as the C++ programs do: argparse keeps the last value."""
        values: dict[str, list[str]] = {}
        for word, following in zip(self._before_dashes(), self._given[1:] + [""]):
            option, has_value, value = word.partition("=")
            action = self._option_string_actions.get(option)
            if action and action.nargs != 0:  # 0 is a flag
                values.setdefault(option, []).append(value if has_value else following)
        for option, given in values.items():
            if len(given) > 1:
                times = "twice" if len(given) == 2 else f"{len(given)} times"
                self.error(f"{option}: given {times} ({', '.join(map(repr, given))})")

    def refuse_together(self, options: argparse.Namespace, one: str, others: Iterable[str]) -> None:
        """Refuses `one` together with any of the other options, which would have no effect."""
        def is_given(option: str) -> bool:
            return getattr(options, option[2:].replace("-", "_")) not in (None, False)
        for other in others:
            if is_given(one) and is_given(other):
                self.error(f"{other}: cannot be combined with {one}")


def not_empty(given: str) -> str:
    if not given:
        raise argparse.ArgumentTypeError("the value is empty")
    return given


def commit_name(given: str) -> str:
    """The type of an option that names a commit, which results/schema.json must accept."""
    if not re.fullmatch("[A-Za-z0-9._+-]+", not_empty(given)):
        raise argparse.ArgumentTypeError(f"given '{given}', expected letters, digits and ._+-")
    return given


def number(kind: Callable[[str], float], least: float, most: float) -> Callable[[str], float]:
    """The type of an option that is an int or a float."""
    what = "whole numbers" if kind is int else "numbers"

    def parse(given: str) -> float:
        try:  # Python's digits are those of all scripts, with '_' between them
            value = kind(given) if re.fullmatch("[0-9.eE+-]+", given) else math.nan
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(
                f"given '{given}', allowed are {what} from {least} to {most}")
        return value
    return parse


def chosen(option: str, given: str, known: Sequence[str]) -> list[str]:
    """The names in a comma-separated list, without duplicates, in the order of the known names."""
    names = given.split(",")
    for name in names:
        if name not in known:
            raise ScriptError(f"{option}: given '{name}', allowed are {', '.join(known)}",
                              ExitCode.USAGE)
    return [name for name in known if name in names]


class Progress:
    """A line on stderr: overwritten on a terminal, otherwise printed only at each step."""

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
    """Calls main with the arguments, and ends the process with its exit code or that of its error."""
    name = os.path.basename(sys.argv[0])
    if sys.stdout is None:  # before work whose result could not be shown
        print(f"{name}: stdout is closed", file=sys.stderr)
        sys.exit(ExitCode.FILES)
    sys.stdout.reconfigure(errors="backslashreplace")  # of an encoding such as ASCII
    try:
        code = _code_of(main, name)
        sys.stdout.flush()
    except OSError as error:
        # A process has no file name, nor has the output: a pipe whose reader has ended, a full disk.
        if error.filename:
            what = f"{error.filename}"
        elif error.errno in NO_PROCESS:
            what = "a process cannot be started (limits: ulimit -n, -u, -v)"
        else:
            what = "the output cannot be written"
        print(f"{name}: {one_line(what)}: {error.strerror or error}", file=sys.stderr)
        with contextlib.suppress(OSError):  # too many open files
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = ExitCode.FILES
    sys.exit(code)


def _code_of(main: Callable[[Sequence[str]], int], name: str) -> int:
    try:
        return int(main(sys.argv[1:]))
    except SystemExit as end:  # argparse's, after --help too
        return end.code or ExitCode.RIGHT
    except ScriptError as error:
        print(f"{name}: {one_line(str(error))}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except MemoryError:
        print(f"{name}: out of memory", file=sys.stderr)
        return ExitCode.USAGE
    except RuntimeError as error:
        if str(error) != "can't start new thread":
            raise
        print(f"{name}: a thread cannot be started (limits: ulimit -u, -v)", file=sys.stderr)
        return ExitCode.CUDA  # as the programs have it
