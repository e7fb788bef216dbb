"""Finds the programs, and asks measure_time for the list of algorithms: the scripts have none."""
from __future__ import annotations

import contextlib
import json
import os
import reprlib
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, Optional, Sequence, Union

from study.command_line import ExitCode, Parser, ScriptError
from study.results_files import REPOSITORY, parse

VARIABLE = "STREAM_COMPACTION_BUILD"
SECONDS_TO_STOP = 600  # on a busy machine, to finish a call and to write


def add_build_option(parser: Parser) -> None:
    parser.add_argument("--build", metavar="DIR",
                        help=f"the build folder, with bin/measure_time [${VARIABLE}, else build/, "
                             "else the newest build*/]")


def find_program(name: str, build: Optional[str]) -> Path:
    """<build>/bin/<name>. If a build was named, no other build is searched."""
    named = build or os.environ.get(VARIABLE)
    if named:
        candidates = [Path(named)]
    else:
        others = [path for path in REPOSITORY.glob("build*") if path.name != "build"]
        others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        candidates = [REPOSITORY / "build"] + others
    for candidate in candidates:
        program = candidate / "bin" / name
        if os.access(program, os.X_OK) and program.is_file():
            return program.absolute()
    where = str(candidates[0] / "bin") if named else "any build*/bin"
    raise ScriptError(f"--build: there is no {name} in {where}; build it with "
                      f"'scripts/setup release {name}', or name a build", ExitCode.USAGE)


@dataclass(frozen=True)
class Row:
    """An algorithm, as measure_time --list describes it."""
    operation: str
    algorithm: str
    on_device: bool
    modes: tuple[str, ...]
    block_sizes: tuple[int, ...]
    items_per_thread: tuple[int, ...]
    tuned_block_size: Optional[int]
    tuned_items_per_thread: Optional[int]
    variant: Optional[str] = None  # the type, operator or predicate, if it is not int


@dataclass(frozen=True)
class Listing:
    rows: tuple[Row, ...]  # the rows of this build
    variants: tuple[Row, ...]
    distributions: tuple[str, ...]
    unavailable: Optional[str]  # why nothing can be measured here

    def require_gpu(self) -> None:
        if self.unavailable:
            raise ScriptError(f"nothing can be measured without a GPU: {self.unavailable}",
                              ExitCode.CUDA)


@contextlib.contextmanager
def interruptions_deferred() -> Iterator[Callable[[], None]]:
    """Until the function that it gives is called, a signal interrupts nothing; then it does.

    A process that is being started would otherwise go on alone.
    """
    came: list[int] = []
    former = {number: signal.getsignal(number)
              for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    former = {number: handler for number, handler in former.items() if callable(handler)}

    def restore() -> None:
        for number, handler in former.items():
            signal.signal(number, handler)

    def allow() -> None:
        restore()
        if came:
            raise KeyboardInterrupt

    for number in former:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield allow
    finally:
        restore()


def run_to_the_end(command: Sequence[object], **options) -> int:
    """Runs a program, and returns its exit code. An interruption ends the program first.

    In a session of its own, it gets one signal, from here, even if a terminal or `timeout` sends it to
    all processes: a second one would end it before it has written.
    """
    with interruptions_deferred() as allow_interruptions, \
            subprocess.Popen(command, start_new_session=True, **options) as process:
        try:
            allow_interruptions()
            returned = process.wait()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(timeout=SECONDS_TO_STOP)
            except (KeyboardInterrupt, subprocess.TimeoutExpired):
                process.send_signal(signal.SIGINT)
                process.wait()
            raise
    if returned == ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    return returned


def output_of(program: Path, *arguments: str) -> bytes:
    """Runs a program that is expected to succeed."""
    done = subprocess.run([program, *arguments], capture_output=True, cwd=REPOSITORY, check=False)
    if done.returncode != 0:
        raise ScriptError(last_line(done.stderr.decode(errors="replace"), program.name)
                          or f"{program} failed", known_code(done.returncode))
    return done.stdout


class MeasureTime:
    """The measuring tool, as a function."""

    def __init__(self, build: Optional[str]):
        self.program = find_program("measure_time", build)

    def listing(self) -> Listing:
        try:
            return read_listing(json.loads(output_of(self.program, "--list")))
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise ScriptError(f"the output of {self.program} --list could not be parsed: {error!r}",
                              ExitCode.FILES) from error

    def require_gpu(self) -> Listing:
        listing = self.listing()
        listing.require_gpu()
        return listing

    def measure(self, arguments: Sequence[str], output: Path) -> ExitCode:
        """Runs a measurement into `output`. Shows its progress, and discards its table."""
        command = [self.program, *arguments, "--format", "json", "--output", str(output)]
        return known_code(run_to_the_end(command, stdout=subprocess.DEVNULL, cwd=REPOSITORY))

    def measure_samples(self, arguments: Sequence[str], output: Path) -> ExitCode:
        """The same with all samples. Paths in the arguments are relative to the user's folder."""
        command = [self.program, *arguments, "--samples-file", str(output)]
        return known_code(run_to_the_end(command, stdout=subprocess.DEVNULL))

    def require_samples(self, arguments: Sequence[str]) -> None:
        """Fails if measure_samples() would refuse these arguments."""
        if b"--samples-file" not in output_of(self.program, "--help"):
            raise ScriptError("its measure_time has no --samples-file yet", ExitCode.USAGE)
        done = subprocess.run([self.program, *arguments, "--dry-run"], capture_output=True, check=False)
        if done.returncode != 0:
            raise ScriptError(last_line(done.stderr.decode(errors="replace"), self.program.name),
                              known_code(done.returncode))

    def machine(self, commit: str) -> dict:
        """The description of this machine in a results file, from a minimal measurement."""
        row = next((row for row in self.require_gpu().rows if row.on_device), None)
        if row is None:
            raise ScriptError("this build has no algorithm for a GPU", ExitCode.CUDA)
        output = output_of(self.program, "--operation", row.operation, "--algorithm", row.algorithm,
                           "--size", "1000", "--samples", "1", "--commit", commit, "--format", "json")
        return parse(output, f"the output of {self.program}")["machine"]


def read_listing(data: dict) -> Listing:
    rows, variants = (tuple(
        Row(*all_of(str, [row["operation"], row["algorithm"]]),
            on_device=row["runs_on"] == "device", modes=all_of(str, row["modes"]),
            block_sizes=all_of(int, row["legal"]["block_size"]),
            items_per_thread=all_of(int, row["legal"]["items_per_thread"]),
            tuned_block_size=row["tuned"]["block_size"],
            tuned_items_per_thread=row["tuned"]["items_per_thread"], variant=row.get("variant"))
        for row in data[kind] if row["unavailable"] is None) for kind in ("rows", "variants"))
    unavailable = data["unavailable"]
    if unavailable is None and data["backend"] != "cuda":
        unavailable = "this build has no GPU backend"
    return Listing(rows, variants, all_of(str, data["distributions"]), unavailable)


def all_of(kind: type, values: list) -> tuple:
    if not (isinstance(values, list) and all(type(value) is kind for value in values)):
        raise TypeError(f"{reprlib.repr(values)} is not a list of {kind.__name__}")
    return tuple(values)


def last_line(text: str, program: str) -> str:
    """The last line of a program's error output, without the program's name."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix(f"{program}: ") if lines else ""


def known_code(code: int) -> ExitCode:
    """Any undocumented exit code, such as that of a crash, counts as a CUDA error."""
    return ExitCode(code) if code in iter(ExitCode) else ExitCode.CUDA


def current_commit() -> str:
    """HEAD, with '-dirty' if the sources have changed since.

    Results and files generated from them do not count: a measurement must not change the commit of
    the next measurement.
    """
    def git(*arguments: str) -> Optional[str]:
        try:
            done = subprocess.run(["git", *arguments], capture_output=True, text=True,
                                  errors="replace", cwd=REPOSITORY, check=False)
        except OSError:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    head = git("rev-parse", "HEAD")
    if not head:
        return "unknown"
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!results",
                  ":!img", ":!README.md")
    return head if changed == "" else head + "-dirty"
