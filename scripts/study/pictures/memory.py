"""How many bytes are moved through memory, and how fast."""
from __future__ import annotations

from typing import Optional

from study.pictures.curves import Curves, significant
from study.pictures.labels import note, power
from study.pictures.picture import Panel, Picture, Series
from study.rows import ROOF_FROM, TITLES, Results, algorithms_of, rows_of, select, usual


def roof(results: Results, curves: Curves) -> Optional[Picture]:
    panels, shown = [], []
    for operation in TITLES:
        rows = [row for row in usual(results, operation)
                if row["n"] >= ROOF_FROM and row.get("roof_us")]
        series = curves.against_n(rows, lambda row, us: 100 * row["roof_us"] / us)
        if series:
            shown.append(operation)
            panels.append(Panel(TITLES[operation], "elements", "% of the copy's bandwidth", series,
                                y_scale="linear", line_at=100.0, y_limits=(0, 108)))
    if not panels:
        return None
    return Picture("roof", "How much of the memory bandwidth is used", note(
        results, "bytes that must move ÷ time, against a device-to-device copy, cold L2",
        *shown),
        "Percent of roof from 2^24 up: the bytes that the operation must move, at the speed of a "
        "device-to-device copy of the same run, against the time it took.",
        tuple(panels), columns=len(panels))


def bytes_moved(results: Results, curves: Curves) -> Optional[Picture]:
    rows = rows_of(results, "profile")
    panels = []
    for operation in dict.fromkeys(row["operation"] for row in rows):
        per_element = []
        for algorithm in algorithms_of(select(rows, operation=operation)):
            kernels = list(select(rows, operation=operation, algorithm=algorithm))
            known = [row["dram_bytes"] for row in kernels if row.get("dram_bytes") is not None]
            if known:
                per_element.append((algorithm, significant(sum(known) / kernels[0]["n"])))
        if per_element:
            panels.append(Panel(TITLES[operation], "", "bytes an element", (Series(
                "DRAM bytes", tuple(name for name, _ in per_element),
                tuple(value for _, value in per_element)),), kind="bars", x_scale="words",
                y_scale="linear", line_at={"scan": 8.0, "compact": 6.0}.get(operation)))
    if not panels:
        return None
    return Picture("bytes_moved", "What really goes through memory",
                   note(results, f"DRAM reads and writes by Nsight Compute, {power(rows[0]['n'])}",
                        "profile"),
                   "Measured DRAM bytes for each element; the line is what a scan (8) and a "
                   "compaction that keeps half (6) cannot do without.",
                   tuple(panels), columns=len(panels))
