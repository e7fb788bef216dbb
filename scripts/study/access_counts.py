"""Compares the counts of count_accesses with Nsight Compute's counters of the same launches."""
from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from study.command_line import ExitCode, ScriptError
from study.ncu_report import KERNEL
from study.results_files import RESULTS, parse_json, read_input, what_is_wrong_by

SCHEMA = RESULTS / "accesses_schema.json"

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
    return parse_json(read_input(path), str(path), "a file of count_accesses",
                      functools.partial(what_is_wrong_by, SCHEMA))


def options_of(row: dict, seed: int) -> list[str]:
    """The arguments with which stream_compaction_test --once repeats the counted call of a row."""
    kind, _, path = row["distribution"].partition(":")
    kept = 0.5 if row["operation"] == "compact" and kind != "file" else None
    if row["kept"] != kept:
        raise ScriptError(f"--counts: {row['operation']} {row['algorithm']} cannot be called as it was "
                          f"counted: --once has no option for kept {row['kept']}", ExitCode.FILES)
    # The program is started in another folder.
    distribution = f"file:{os.path.abspath(path)}" if kind == "file" else row["distribution"]
    options = ["--seed", str(seed), "--distribution", distribution]
    for parameter in ("block_size", "items_per_thread"):
        if row[parameter] is not None:
            options += [f"--{parameter.replace('_', '-')}", str(row[parameter])]
    if "padding" in row:
        options += ["--padding", str(row["padding"])]
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
