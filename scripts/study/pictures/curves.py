"""Converts rows to the curves of a picture."""
from __future__ import annotations

from typing import Callable, Iterable, Optional

from study.pictures.picture import Panel, Series
from study.rows import (PEER, ROOF_FROM, Results, Row, algorithms_of, is_device_row, is_unstable, rows_of,
                        select)

ROOF = "roof"
SAME = 1.01  # roofs whose ratio is smaller are the same


def styles(results: Results) -> dict[str, int]:
    """A style number for each algorithm, by first appearance, the same in all pictures."""
    names = algorithms_of(row for experiment in ("scan", "compact", "sort", "models", "block_size", "host")
                          for row in rows_of(results, experiment))
    return {name: i for i, name in enumerate(names)}


def about_outlines(panels: Iterable[Panel]) -> str:
    """The legend of the outlined points of Curves.against_n; empty if there are none."""
    has_outlines = any(series.hollow for panel in panels for series in panel.series)
    return "Outlined points: the interquartile range exceeds half of the median." if has_outlines else ""


def seconds(_: Row, us: float) -> float:
    return us * 1e-6


def significant(value: float) -> float:
    """Six digits: more would be invisible, and would only make files differ."""
    return float(f"{value:.6g}")


class Curves:
    """Makes series from rows, in the style that each algorithm has everywhere."""

    def __init__(self, results: Results):
        self.styles = styles(results)

    def against_n(self, rows: Iterable[Row], value: Callable[[Row, float], Optional[float]]
                  ) -> tuple[Series, ...]:
        """A line for each algorithm, and outlines unstable points. value(row, microseconds) returns
        y; None omits the point."""
        rows = sorted(rows, key=lambda row: row["n"])
        made = []
        for name in self.styles:
            points = []
            for row in select(rows, algorithm=name):
                ys = [value(row, row[key]) for key in ("median_us", "q1_us", "q3_us")]
                if None not in ys:
                    points.append((row["n"], ys[0], min(ys), max(ys), row))
            if points:
                made.append(Series(
                    label=name,
                    x=tuple(p[0] for p in points),
                    y=tuple(significant(p[1]) for p in points),
                    low=tuple(significant(p[2]) for p in points),
                    high=tuple(significant(p[3]) for p in points),
                    style=self.styles[name], host=not is_device_row(points[0][4])))
            unstable = [p for p in points if is_unstable(p[4])]
            if unstable:
                made.append(Series(name, tuple(p[0] for p in unstable),
                                   tuple(significant(p[1]) for p in unstable),
                                   style=self.styles[name], hollow=True))
        return tuple(made)

    def roof(self, rows: Iterable[Row], value: Callable[[Row, float], float]) -> tuple[Series, ...]:
        """The time in which a copy would move the bytes that the operation must move; from 2^24, like
        all figures of the roof. If algorithms must move different bytes, as sorts, CUB's."""
        found: dict[int, list[Row]] = {}
        for row in rows:
            if row["n"] >= ROOF_FROM and row.get("roof_us"):
                found.setdefault(row["n"], []).append(row)
        times = {n: [row["roof_us"] for row in of_n] for n, of_n in found.items()}
        label = ROOF
        if any(max(of_n) > SAME * min(of_n) for of_n in times.values()):
            label = f"{ROOF} of {PEER}"
            found = {n: peers for n, of_n in found.items()
                     if (peers := list(select(of_n, algorithm=PEER)))}
        points = [(n, significant(value(found[n][0], found[n][0]["roof_us"]))) for n in sorted(found)]
        return (Series(label, *zip(*points), style=-1),) if points else ()
