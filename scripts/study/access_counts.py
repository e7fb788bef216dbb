"""Compares the counts of count_accesses with Nsight Compute's counters of the same launches."""
from __future__ import annotations

import json
import os
import reprlib
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from study.command_line import ExitCode, ScriptError
from study.ncu_report import KERNEL
from study.results_files import read_text

# The metric of ncu for each: the L1 cache counts a request per instruction of a warp, in 32-byte sectors.
QUANTITIES = {"threads": "launch__thread_count",
              "load requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
              "load sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
              "store requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
              "store sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
              "bank conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}
EXACT = ("launches", "threads")
MOST_PCT = 5.0


def load_counts(path: Path) -> dict:
    """A file of counts, or a ScriptError that explains what is wrong with it."""
    try:
        data = json.loads(read_text(path))
        require_counts(data["seed"])
        for row in data["rows"]:
            require_counts(row["n"], least=1)
            for counts in (row["total"], *row["launches"]):
                require_counts(*counted(counts).values(), counts["active_threads"])
                for kind in ("global_loads", "global_stores"):
                    require_counts(counts[kind]["bytes_asked"], counts[kind]["bytes_moved"])
            for name in (row["operation"], row["algorithm"],
                         *(launch["kernel"] for launch in row["launches"])):
                if not name.isprintable():
                    raise ValueError(f"{name!r} is not a name")
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ScriptError(f"{path} is not a file of count_accesses: {type(error).__name__}: {error}",
                          ExitCode.FILES) from error
    return data


def require_counts(*values: object, least: int = 0) -> None:
    for value in values:
        if type(value) is not int or not least <= value < 1 << 64:
            raise ValueError(f"{reprlib.repr(value)} is not a whole number from {least} to 2^64 - 1")


def options_of(row: dict, seed: int) -> list[str]:
    """The arguments with which stream_compaction_test --once repeats the counted call of a row."""
    try:
        distribution = row["distribution"]
        kind, _, path = distribution.partition(":")
        kept = 0.5 if row["operation"] == "compact" and kind != "file" else None
        if row["kept"] != kept:
            raise ValueError(f"--once has no option for kept {row['kept']}")
        if kind == "file":  # the program is started in another folder
            distribution = f"file:{os.path.abspath(path)}"
        options = ["--seed", str(seed), "--distribution", distribution]
        for parameter in ("block_size", "items_per_thread"):
            if row[parameter] is not None:
                options += [f"--{parameter.replace('_', '-')}", str(row[parameter])]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ScriptError(f"--counts: {row['operation']} {row['algorithm']} cannot be called as it was "
                          f"counted: {type(error).__name__}: {error}", ExitCode.FILES) from error
    return options


def counted(launch: dict) -> dict[str, float]:
    loads, stores = launch["global_loads"], launch["global_stores"]
    return {"threads": launch["threads"], "load requests": loads["requests"],
            "load sectors": loads["sectors"], "store requests": stores["requests"],
            "store sectors": stores["sectors"], "bank conflicts": launch["shared"]["conflicts"]}


@dataclass(frozen=True)
class Compared:
    """One quantity of all launches of a kernel in one call of a row."""
    place: tuple  # operation, algorithm, n, kernel
    quantity: str
    counted: float
    measured: float

    @property
    def difference(self) -> float:
        """In percent of the measured value."""
        if self.counted == self.measured:
            return 0.0
        return 100 * (self.counted - self.measured) / self.measured if self.measured else float("inf")

    @property
    def agrees(self) -> bool:
        return abs(self.difference) <= (0 if self.quantity in EXACT else MOST_PCT)


def compare(row: dict, measured: Sequence[dict]) -> list[Compared]:
    """Compares a row's counts with ncu's launches of it, kernel by kernel."""
    launches = [(launch["kernel"].split("<")[0], counted(launch)) for launch in row["launches"]]
    compared = []
    for kernel in dict.fromkeys([name for name, _ in launches]
                                + [launch[KERNEL] for launch in measured]):
        place = (row["operation"], row["algorithm"], row["n"], kernel)
        ours = [counts for name, counts in launches if name == kernel]
        theirs = [launch for launch in measured if launch[KERNEL] == kernel]
        compared.append(Compared(place, "launches", len(ours), len(theirs)))
        compared += [Compared(place, quantity, sum(counts[quantity] for counts in ours),
                              sum(launch.get(metric) or 0 for launch in theirs))
                     for quantity, metric in QUANTITIES.items()]
    return compared
