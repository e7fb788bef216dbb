"""Phases of a compaction, and how its speed depends on the share that is kept."""
from __future__ import annotations

from typing import Optional

from study.pictures.curves import Curves, significant
from study.pictures.labels import COLD_MEDIANS, note, power
from study.pictures.picture import Panel, Picture, Series
from study.rows import Results, algorithms_of, is_device_row, per_second, rows_of, select, usual


def phases(results: Results, _: Curves) -> Optional[Picture]:
    rows = [row for row in usual(results, "compact") if row.get("phases_us")]
    available = sorted({row["n"] for row in rows})
    sizes = [n for n in (1 << 12, 1 << 20, 1 << 28) if n in available] or available[-1:]
    panels = []
    for n in sizes:
        chosen = list(select(rows, n=n))
        names = tuple(row["algorithm"] for row in chosen)
        shares = []
        for i, phase in enumerate(("map", "scan", "scatter")):
            shares.append(Series(phase, names, tuple(
                significant(100 * row["phases_us"][phase] / max(sum(row["phases_us"].values()),
                                                                1e-9))
                for row in chosen), style=i))
        panels.append(Panel(power(n), "", "% of the time", tuple(shares), kind="stack",
                            x_scale="words", y_scale="linear", y_limits=(0, 100)))
    if not panels:
        return None
    return Picture("phases", "Compaction: map, scan, scatter",
                   note(results, COLD_MEDIANS, "compact"),
                   "How a compaction's time is shared among map, scan and scatter.",
                   tuple(panels), columns=len(panels))


def kept(results: Results, curves: Curves) -> Optional[Picture]:
    rows = [row for row in select(rows_of(results, "compact"), operation="compact", mode="cold")
            if is_device_row(row)]
    shares = {n: {row["kept"] for row in select(rows, n=n, distribution="uniform50")}
              for n in {row["n"] for row in rows}}
    panels = []
    for n in sorted(n for n, values in shares.items() if len(values) > 2):
        series = []
        for hollow, distribution in ((False, "uniform50"), (True, "clustered")):
            for algorithm in algorithms_of(rows):
                line = sorted(select(rows, n=n, algorithm=algorithm, distribution=distribution),
                              key=lambda row: row["kept"])
                if line:
                    series.append(Series(
                        algorithm, tuple(100 * row["kept"] for row in line),
                        tuple(significant(per_second(row, row["median_us"])) for row in line),
                        style=curves.styles[algorithm], hollow=hollow))
        panels.append(Panel(power(n), "% of the elements kept",
                            "10⁹ elements per second", tuple(series),
                            x_scale="percent", y_scale="linear"))
    if not panels:
        return None
    return Picture("kept", "Compaction: how much is kept",
                   note(results, COLD_MEDIANS, "compact"),
                   "Elements per second by the share that is kept, GPU rows; hollow markers: kept "
                   "elements in runs of 1024.", tuple(panels), columns=len(panels))
