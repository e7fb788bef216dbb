"""Reads the output of Nsight Compute with --csv --page raw: a line per launch, a column per metric."""
from __future__ import annotations

import csv
import re
from typing import Iterable, Optional, Sequence

# To bytes, microseconds and percent. --print-units base gives the first of each.
UNITS = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12,
         "byte/block": 1, "Kbyte/block": 1e3, "Mbyte/block": 1e6,
         "ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3,
         "s": 1e6, "second": 1e6}

# The field of a profile row <- the metric. Averages over launches are weighted by their time.
SUMS = {"dram_read_bytes": "dram__bytes_read.sum",
        "dram_write_bytes": "dram__bytes_write.sum",
        "bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}
MEANS = {"dram_throughput_pct": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
         "sm_throughput_pct": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
         "occupancy_pct": "sm__warps_active.avg.pct_of_peak_sustained_active",
         "l2_hit_pct": "lts__t_sector_hit_rate.pct"}
LARGEST = {"registers": "launch__registers_per_thread",
           "shared_bytes": "launch__shared_mem_per_block"}
TIME = "gpu__time_duration.sum"
METRICS = (TIME, *SUMS.values(), *MEANS.values(), *LARGEST.values())
KERNEL = "Kernel Name"


class ReportError(ValueError):
    """The text is not such a report."""


def read_launches(text: str, metrics: Sequence[str] = METRICS) -> list[dict]:
    """Each launch as {"Kernel Name": ..., metric: number or None}, in order.

    Lines before the table, with ncu's progress, are ignored.
    """
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise ReportError(complaint_in(lines) or "it has no table")
    table = list(csv.reader(line for line in lines[start:] if line.startswith('"')))
    names = table[0]
    if KERNEL not in names:
        raise ReportError(f"it has no column '{KERNEL}'")
    if len(table) < 2:
        raise ReportError("it has no line of units")
    scales = [UNITS.get(unit, 1) for unit in table[1]]
    launches = []
    for fields in table[2:]:
        if len(fields) != len(names):
            raise ReportError(f"a line has {len(fields)} fields where the table has {len(names)}")
        launch: dict = {KERNEL: short_name(fields[names.index(KERNEL)])}
        for name, field, scale in zip(names, fields, scales):
            if name in metrics:
                launch[name] = number(field, scale)
        launches.append(launch)
    return launches


def complaint_in(lines: Iterable[str]) -> Optional[str]:
    """The error message of ncu."""
    for line in lines:
        match = re.match(r"==(?:ERROR|WARNING)== *(.*\S)", line)
        if match:
            return match.group(1)
    return None


def number(field: str, scale: float) -> Optional[float]:
    """"1,234.5" or "n/a"."""
    try:
        return float(field.replace(",", "")) * scale
    except ValueError:
        return None


def short_name(kernel: str) -> str:
    """'void a::b<int>::scan<4>(const int *)' -> 'scan'.

    Parsed from the end, because the part before the name may have any form.
    """
    name = without_last(without_last(kernel.strip(), "(", ")"), "<", ">")
    match = re.search(r"\w+$", name)
    return match.group() if match else kernel


def without_last(text: str, opening: str, closing: str) -> str:
    """The text without its last pair of brackets, if it ends with one."""
    if not text.endswith(closing):
        return text
    depth = 0
    for i in range(len(text) - 1, -1, -1):
        depth += (text[i] == closing) - (text[i] == opening)
        if depth == 0:
            return text[:i].rstrip()
    return text


def summarize(launches: list[dict], counts: dict[str, int]) -> list[dict]:
    """A row for each kernel, in the order of their first launches.

    counts: the total number of launches of each kernel. If only some of the launches were profiled,
    sums are scaled up, and `profiled` is the number of profiled launches.
    """
    rows = []
    for kernel in dict.fromkeys(launch[KERNEL] for launch in launches):
        profiled = [launch for launch in launches if launch[KERNEL] == kernel]
        all_launches = max(counts.get(kernel, 0), len(profiled))
        scale = all_launches / len(profiled)
        times = [launch.get(TIME) or 0.0 for launch in profiled]
        row = {"kernel": kernel, "launches": all_launches, "profiled": len(profiled),
               "time_us": rounded(sum(times) * scale)}
        for name, metric in SUMS.items():
            row[name] = rounded(add(launch.get(metric) for launch in profiled), scale)
        read, write = row["dram_read_bytes"], row["dram_write_bytes"]
        row["dram_bytes"] = None if read is None or write is None else read + write
        for name, metric in MEANS.items():
            row[name] = rounded(mean([launch.get(metric) for launch in profiled], times))
        for name, metric in LARGEST.items():
            values = [launch[metric] for launch in profiled if launch.get(metric) is not None]
            row[name] = int(max(values)) if values else None
        rows.append(row)
    return rows


def add(values: Iterable[Optional[float]]) -> Optional[float]:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def mean(values: list[Optional[float]], weights: list[float]) -> Optional[float]:
    known = [(v, w) for v, w in zip(values, weights) if v is not None]
    if not known:
        return None
    total = sum(w for _, w in known)
    if total == 0:
        return sum(v for v, _ in known) / len(known)
    return sum(v * w for v, w in known) / total


def rounded(value: Optional[float], scale: float = 1) -> Optional[float]:
    return None if value is None else round(value * scale, 3)
