"""The profile experiment: each kernel of each GPU row, profiled with Nsight Compute.

Every row is called once, by stream_compaction_test --once, so all launches that ncu sees belong to one
call. For rows with many launches only the first ones are profiled, and the others are counted.
"""
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Optional, Sequence

from study.command_line import ExitCode, Progress, ScriptError
from study.executables import Listing, Row, find_program
from study.ncu_report import KERNEL, METRICS, ReportError, read_launches, summarize
from study.results_files import REPOSITORY, save
from study.session import Session

EXPONENT = 26
LAUNCHES = 64  # profiled per row; other launches are only counted
COUNTING = "launch__registers_per_thread"  # known without running a kernel twice
ROW_SECONDS = 9.0
PERMISSION = ("ncu may not read the GPU's counters: run as root, or let the driver's module have "
              "NVreg_RestrictProfilingToAdminUsers=0 "
              "(https://developer.nvidia.com/ERR_NVGPUCTRPERM)")


def expected_minutes(listing: Listing) -> float:
    return sum(ROW_SECONDS for row in listing.rows if row.on_device) / 60


def find_ncu(given: Optional[str]) -> str:
    """On the PATH, or in the folder of CUDA's installer."""
    if given:
        found = shutil.which(given)
        if found is None:
            raise ScriptError(f"--ncu: there is no program {given}", ExitCode.USAGE)
        return found
    folders = [os.environ.get("PATH", ""), "/usr/local/cuda/bin"]
    folders += sorted(map(str, Path("/opt/nvidia/nsight-compute").glob("*")), reverse=True)
    found = shutil.which("ncu", path=os.pathsep.join(folders))
    if found is None:
        raise ScriptError("there is no Nsight Compute: install it, or name its program with --ncu",
                          ExitCode.CUDA)
    return found


class Profiler:
    """ncu, as a function from a row to its launches."""

    def __init__(self, ncu: str, program: Path, exponent: int):
        self.ncu = ncu
        self.program = program
        self.exponent = exponent

    def launches(self, row: Row, metrics: Sequence[str], most: Optional[int],
                 options: Sequence[str] = ()) -> list[dict]:
        """The first launches, up to a limit. The options are those of stream_compaction_test."""
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "ncu.csv"
            command = [self.ncu, "--clock-control", "none", "--csv", "--page", "raw",
                       "--print-units", "base", "--metrics", ",".join(metrics),
                       "--log-file", str(log)]
            if most is not None:
                command += ["--launch-count", str(most)]
            command += [str(self.program), "--backend", "cuda", "--once",
                        "--operation", row.operation, "--algorithm", row.algorithm,
                        "--size", f"2^{self.exponent}", *options]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                  cwd=REPOSITORY, check=False)
            text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        if "ERR_NVGPUCTRPERM" in text + done.stdout + done.stderr:
            raise ScriptError(PERMISSION, ExitCode.CUDA)
        try:
            return read_launches(text, metrics)
        except ReportError as error:
            said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
            raise ScriptError(f"ncu's report of {row.operation} {row.algorithm} cannot be read: "
                              f"{error}{'; ' + said[-1] if said else ''}",
                              ExitCode.CUDA) from error

    def rows(self, row: Row) -> list[dict]:
        """The profile rows of one row of the registry."""
        launches = self.launches(row, METRICS, LAUNCHES)
        counted = launches
        if len(launches) == LAUNCHES:
            counted = self.launches(row, [COUNTING], None)
        counts = Counter(launch[KERNEL] for launch in counted)
        return [{"operation": row.operation, "algorithm": row.algorithm, "n": 1 << self.exponent,
                 **summary} for summary in summarize(launches, counts)]


def profile(session: Session, build: Optional[str], ncu: Optional[str] = None,
            exponent: int = EXPONENT, rows: Optional[Sequence[Row]] = None) -> dict:
    """Writes the profile experiment, and returns its content."""
    profiler = Profiler(find_ncu(ncu), find_program("stream_compaction_test", build), exponent)
    rows = [row for row in session.listing.rows if row.on_device] if rows is None else rows
    progress = Progress(ROW_SECONDS * len(rows))
    data = {"experiment": "profile", "machine": session.machine, "rows": []}
    for i, row in enumerate(rows, 1):
        progress.step(f"profile: {row.operation} {row.algorithm} ({i} of {len(rows)})")
        data["rows"] += profiler.rows(row)
    save(session.path("profile"), data)
    progress.step(f"profile: {len(data['rows'])} kernels in {session.path('profile')}")
    return data
