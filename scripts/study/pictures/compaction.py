"""Phases of a compaction, and how its speed depends on the share that is kept."""
from __future__ import annotations

from typing import Optional

from study.markdown import code
from study.pictures.curves import Curves, significant
from study.pictures.labels import COLD_MEDIANS, caption, listed, note, power
from study.pictures.picture import Panel, Picture, Series
from study.rows import Results, algorithms_of, is_device_row, per_second, rows_of, select, usual


def phases(results: Results, _: Curves) -> Optional[Picture]:
    rows = [row for row in usual(results, "compact") if row.get("phases_us")]
    available = sorted({row["n"] for row in rows})
    sizes = [n for n in (1 << 12, 1 << 20, 1 << 28) if n in available] or available[-1:]
    panels, of_scan = [], []
    for n in sizes:
        chosen = list(select(rows, n=n))
        names = tuple(row["algorithm"] for row in chosen)
        shares = []
        for i, phase in enumerate(("map", "scan", "scatter")):
            shares.append(Series(phase, names, tuple(
                significant(100 * row["phases_us"][phase] / max(sum(row["phases_us"].values()),
                                                                1e-9))
                for row in chosen), style=i))
        of_scan = sorted(zip(shares[1].y, names))
        panels.append(Panel(f"{power(n)} elements", "", "% of the time", tuple(shares), kind="stack",
                            x_scale="words", y_scale="linear", y_limits=(0, 100)))
    if not panels:
        return None
    return Picture("phases", "Compaction: map, scan, scatter",
                   note(results, COLD_MEDIANS, "compact"),
                   caption(results, "compact", "algorithm", "percent of the time of a compaction that "
                           "map, scan and scatter need",
                           f"At {power(sizes[-1])}, the scan needs " + listed(
                               [f"{share:.0f} % ({code(name)})" for share, name in of_scan]) + "."),
                   tuple(panels), columns=len(panels))


def kept(results: Results, curves: Curves) -> Optional[Picture]:
    rows = [row for row in select(rows_of(results, "compact"), operation="compact", mode="cold")
            if is_device_row(row)]
    shares = {n: {row["kept"] for row in select(rows, n=n, distribution="uniform50")}
              for n in {row["n"] for row in rows}}
    panels, ends = [], []
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
        lines = [one for one in series if not one.hollow]
        least = min(one.x[0] for one in lines)
        best = max((one for one in lines if one.x[0] == least), key=lambda one: one.y[0])
        ends = [f"from {best.y[0]:.3g} to {best.y[-1]:.3g} ({code(best.label)}, {power(n)})"]
        panels.append(Panel(f"{power(n)} elements", "% of the elements kept",
                            "10⁹ elements per second", tuple(series),
                            x_scale="percent", y_scale="linear"))
    if not panels:
        return None
    return Picture("kept", "Compaction: how much is kept",
                   note(results, COLD_MEDIANS + " · hollow markers: in runs of 1024", "compact"),
                   caption(results, "compact", "percent of the elements that are kept",
                           "10⁹ elements per second",
                           "With hollow markers, kept elements are in runs of 1024.",
                           f"The more is kept, the more must be written, and the slower is the fastest "
                           f"algorithm: {ends[0]}."),
                   tuple(panels), columns=min(2, len(panels)))
