"""Measures experiments into a folder of results files, and continues interrupted runs."""
from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Optional

from study.calls import Call
from study.command_line import ExitCode, Progress, ScriptError
from study.executables import Listing, MeasureTime
from study.expected_time import expected_seconds
from study.experiments import plan
from study.pace import Pace, can_stand_for
from study.results_files import load, merge, parse, read_text, save, why_not_written

PARTS = ".parts"  # subfolder: results of calls of experiments that are not complete


def make_folder(folder: Path) -> None:
    """Creates the folder, and fails before the measurement if it is not writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".writable").touch()
        (folder / ".writable").unlink()
    except OSError as error:
        raise ScriptError(f"--output: {folder} cannot be written: {why_not_written(error)}",
                          ExitCode.FILES) from error


def check_folder(folder: Path) -> None:
    """Fails as make_folder does, and leaves nothing behind."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        make_folder(folder)
    finally:
        for path in new:
            if path.is_dir():
                path.rmdir()


def only_skipped(results: dict) -> bool:
    """Whether the results have no rows because it was known of each that it cannot work here."""
    return bool(results["skipped"]) and all(row["reason"].startswith("skipped: ")
                                            for row in results["skipped"])


class Session:
    """One commit on one machine."""

    def __init__(self, tool: MeasureTime, listing: Listing, machine: dict, folder: Path):
        self.tool = tool
        self.listing = listing
        self.machine = machine
        self.folder = Path(folder)
        self.expected_s = 0.0  # of the measurements so far
        self.elapsed_s = 0.0
        self.code = ExitCode.RIGHT

    def slowness(self) -> float:
        """The ratio of actual to expected duration on this machine. A single call says little."""
        return self.elapsed_s / self.expected_s if self.expected_s > 20 else 1.0

    def path(self, experiment: str) -> Path:
        return self.folder / f"{experiment}.json"

    def is_measured(self, experiment: str, pace: Pace) -> bool:
        """Whether the file is of this commit, GPU and CUB. Files are only written when they are
        complete."""
        if not self.path(experiment).exists():
            return False
        data = parse(read_text(self.path(experiment)), str(self.path(experiment)))
        same = all(data["machine"].get(name) == self.machine[name]
                   for name in ("gpu", "commit", "cub"))
        return same and (experiment == "profile" or can_stand_for(data.get("protocol"), pace))

    def measure(self, experiment: str, pace: Pace, calls: Optional[list[Call]] = None) -> dict:
        """Writes the experiment's file, and returns its content."""
        calls = plan(experiment, self.listing, pace) if calls is None else calls
        if not calls:
            raise ScriptError(f"{experiment}: no algorithm of this build takes part in it",
                              ExitCode.USAGE)
        progress = Progress(sum(expected_seconds(call, pace) for call in calls) * self.slowness())
        parts = []
        for i, call in enumerate(calls, 1):
            progress.step(f"{experiment}: {call.describe()} ({i} of {len(calls)})")
            path = self._part(experiment, pace, call)
            parts.append(load(path) if path.exists()
                         else self._measure_part(experiment, pace, call, path))
        merged = merge(experiment, parts)
        merged = {"experiment": experiment, "machine": merged.pop("machine"),
                  "protocol": pace.as_json(), **merged}
        save(self.path(experiment), merged)
        self._remove_parts(experiment)
        progress.step(f"{experiment}: {len(merged['rows'])} rows in {self.path(experiment)}")
        return merged

    def _part(self, experiment: str, pace: Pace, call: Call) -> Path:
        """The name contains everything that the part depends on."""
        origin = [call.arguments(), pace.arguments(), dict(self.machine, date=None)]
        digest = hashlib.sha256(json.dumps(origin, sort_keys=True).encode()).hexdigest()[:16]
        return self.folder / PARTS / f"{experiment}-{digest}.json"

    def _measure_part(self, experiment: str, pace: Pace, call: Call, path: Path) -> dict:
        incomplete = path.with_suffix(".incomplete")
        make_folder(path.parent)
        arguments = [*call.arguments(), *pace.arguments(), "--experiment", experiment,
                     "--commit", self.machine["commit"]]
        progress = Progress(0)
        code = self.tool.measure(arguments, incomplete.absolute())
        # The file records which rows have failed; the others are correct.
        if code not in (ExitCode.RIGHT, ExitCode.WRONG, ExitCode.CUDA) or not incomplete.exists():
            raise ScriptError(f"{experiment}: measure_time ended with exit code {int(code)}", code)
        part = load(incomplete)
        if code == ExitCode.CUDA and not part["rows"]:
            if not only_skipped(part):
                raise ScriptError(f"{experiment}: measure_time could measure nothing", code)
            code = ExitCode.RIGHT  # the experiment's other calls may have rows
        self.code = max(self.code, code)
        incomplete.replace(path)
        self.expected_s += expected_seconds(call, pace)
        self.elapsed_s += progress.elapsed_s()
        return part

    def _remove_parts(self, experiment: str) -> None:
        """Also removes those of other commits, because the file is newer."""
        for path in (self.folder / PARTS).glob(f"{experiment}-*"):
            path.unlink()
        try:
            (self.folder / PARTS).rmdir()
        except OSError:
            pass  # other experiments have parts there
