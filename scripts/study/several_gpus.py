"""Measures scan, compaction and sort on several GPUs: calls of distributed_test, into one results file."""
from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

from study.calls import exponent
from study.command_line import ExitCode, Progress, ScriptError
from study.executables import find_program, known_code, output_of, run_to_the_end
from study.results_files import (DISTRIBUTED, REPOSITORY, distributed_key_of, parse_distributed, read_text, save)
from study.rows import TITLES, USUAL

MIDDLE, LARGE, LARGEST = 1 << 28, 1 << 30, 1 << 31
SMALLER = tuple(1 << k for k in (20, 22, 24, 26))
QUICK_SMALLER = tuple(1 << k for k in (20, 24))
OTHER_KEYS = ("sorted", "zipf", "uniform50", "all_equal", "model:5")

# How long calls take: a rough model.
START_S = 2.5  # of a process with several GPUs
ELEMENT_NS = 10  # inputs and checks on the host, for n and n - 3 elements


@dataclass(frozen=True)
class Call:
    """A call of distributed_test."""
    operations: tuple[str, ...]
    gpus: int
    n: int
    distribution: str

    def arguments(self) -> list[str]:
        return ["--backend", "cuda", "--gpus", str(self.gpus), "--operation", ",".join(self.operations),
                "--size", str(self.n), "--distribution", self.distribution]

    def keys(self) -> set[tuple]:
        """Of the rows that it measures, unless they need too much memory."""
        return {(operation, self.gpus, self.n, self.distribution) for operation in self.operations}

    def describe(self) -> str:
        gpus = "1 GPU" if self.gpus == 1 else f"{self.gpus} GPUs"
        return f"{' and '.join(self.operations)}, n = {exponent(self.n)}, {self.distribution}, {gpus}"

    def expected_s(self) -> float:
        return START_S + ELEMENT_NS * 1e-9 * self.n * len(self.operations)


def sort_call(gpus: int, n: int, distribution: str = USUAL["sort"]["distribution"]) -> Call:
    return Call(("sort",), gpus, n, distribution)


def other_call(gpus: int, n: int) -> Call:
    return Call(("scan", "compact"), gpus, n, USUAL["scan"]["distribution"])


def plan(gpus: int, is_quick: bool) -> list[Call]:
    """The most informative calls first, in case time runs out."""
    several = sorted({2, 4, 8, gpus} & set(range(2, gpus + 1)), reverse=True)
    large = (MIDDLE,) if is_quick else (MIDDLE, LARGE)
    calls = [make(count, n) for make in (sort_call, other_call) for n in large for count in several]
    calls += [sort_call(gpus, MIDDLE, keys) for keys in OTHER_KEYS]
    calls += [make(count, n) for n in (QUICK_SMALLER if is_quick else SMALLER)
              for count in several for make in (sort_call, other_call)]
    if not is_quick:
        calls += [make(1, n) for n in (MIDDLE, *SMALLER) for make in (sort_call, other_call)]
        calls += [make(count, LARGEST) for make in (sort_call, other_call) for count in several]
    return calls


def expected_seconds(calls: Sequence[Call]) -> float:
    return sum(call.expected_s() for call in calls)


class DistributedTest:
    """The program, as a function."""

    def __init__(self, build: Optional[str]):
        self.program = find_program("distributed_test", build)

    def probe(self, commit: str) -> tuple[dict, int]:
        """The description of this machine in a results file, and how many GPUs it has."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.json"
            output_of(self.program, "--backend", "cuda", "--operation", "scan", "--size", "1000",
                      "--json", str(path))
            data = self._read(path) if path.exists() else None
        if not data or not data["rows"]:
            raise ScriptError(f"{self.program} could measure nothing", ExitCode.CUDA)
        return dict(data["machine"], commit=commit), data["rows"][0]["gpus"]

    def measure(self, call: Call) -> tuple[ExitCode, Optional[dict]]:
        """The results of a call, without rows of n - 3, and whether all are correct; None if all rows
        were skipped."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.json"
            command = [self.program, *call.arguments(), "--json", str(path)]
            code = known_code(run_to_the_end(command, stdout=subprocess.DEVNULL, cwd=REPOSITORY))
            if code not in (ExitCode.RIGHT, ExitCode.WRONG):
                raise ScriptError(f"{call.describe()}: distributed_test ended with exit code {int(code)}",
                                  code)
            if not path.exists():
                return code, None
            data = self._read(path)
        return code, dict(data, rows=[row for row in data["rows"] if row["n"] == call.n])

    def _read(self, path: Path) -> dict:
        return parse_distributed(read_text(path), f"the output of {self.program}")


def in_order(row: dict) -> tuple:
    """Where a row stands in the file."""
    operation, keys = row["operation"], row["distribution"]
    return (list(TITLES).index(operation), keys != USUAL[operation]["distribution"], keys, row["gpus"],
            row["n"])


class SeveralGpus:
    """The results file. It is written after each call, so an interruption loses at most one."""

    def __init__(self, tool: DistributedTest, machine: dict, path: Path):
        self.tool = tool
        self.machine = machine
        self.path = path
        self.rows = {distributed_key_of(row): row for row in self._rows_before()}
        self.code = ExitCode.RIGHT

    def _rows_before(self) -> list[dict]:
        """Those that were measured on this machine at this commit."""
        if not self.path.exists():
            return []
        data = parse_distributed(read_text(self.path), str(self.path))
        return data["rows"] if self._is_here(data["machine"]) else []

    def _is_here(self, machine: dict) -> bool:
        return dict(machine, date=None) == dict(self.machine, date=None)

    def is_measured(self, call: Call) -> bool:
        return call.keys() <= set(self.rows)

    def measure(self, calls: Sequence[Call]) -> None:
        progress = Progress(expected_seconds(calls))
        for i, call in enumerate(calls, 1):
            progress.step(f"{call.describe()} ({i} of {len(calls)})")
            code, data = self.tool.measure(call)
            self.code = max(self.code, code)
            measured = self._keep(data) if data else set()
            for operation, *_ in sorted(call.keys() - measured):
                progress.step(f"{operation}: skipped, because a GPU has too little memory")

    def _keep(self, data: dict) -> set[tuple]:
        """Writes the file with new rows; returns their keys."""
        machine = dict(data["machine"], commit=self.machine["commit"])
        if not self._is_here(machine):
            raise ScriptError(f"{DISTRIBUTED}: its parts come from different machines", ExitCode.FILES)
        measured = {distributed_key_of(row): row for row in data["rows"]}
        self.rows.update(measured)
        save(self.path, {"experiment": DISTRIBUTED, "machine": machine,
                         "rows": sorted(self.rows.values(), key=in_order)})
        return set(measured)
