"""How many bytes are moved through memory."""
from __future__ import annotations

from typing import Optional

from study.pictures.curves import Curves, significant
from study.pictures.labels import caption, note, power
from study.pictures.picture import Panel, Picture, Series
from study.rows import TITLES, Results, algorithms_of, rows_of, select


LEAST = {"scan": 8.0, "compact": 6.0}  # bytes per element of a scan, and of a compaction that keeps half


def bytes_moved(results: Results, _: Curves) -> Optional[Picture]:
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
            least = LEAST.get(operation)
            panels.append(Panel(TITLES[operation], "", "DRAM bytes per element", (Series(
                "DRAM bytes", tuple(name for name, _ in per_element),
                tuple(value for _, value in per_element)),), kind="bars", x_scale="words",
                y_scale="linear", line_at=least, line_label=f"must move {least:g}" if least else ""))
    if not panels:
        return None
    return Picture("bytes_moved", "Bytes that go through DRAM",
                   note(results, f"DRAM reads and writes by Nsight Compute, {power(rows[0]['n'])}",
                        "profile"),
                   caption(results, "profile", "algorithm",
                           f"bytes that a call reads from DRAM and writes to it, per element, at {power(rows[0]['n'])}",
                           "The orange line shows the bytes that a scan, or a compaction that keeps half, "
                           "must move. Bars below it: the last results are still in the L2 cache, or copies "
                           "between host and device, which are not counted, move the rest."),
                   tuple(panels), columns=len(panels))
