"""Converts rows to the curves of a picture."""
from __future__ import annotations

from typing import Callable, Iterable, Optional

from study.pictures.picture import Series
from study.rows import Results, Row, algorithms_of, is_device_row, rows_of, select

COPY = "copy"


def styles(results: Results) -> dict[str, int]:
    """A style number for each algorithm, by first appearance, the same in all pictures."""
    names = algorithms_of(row for experiment in ("scan", "compact", "sort", "models", "block_size", "host")
                          for row in rows_of(results, experiment))
    return {name: i for i, name in enumerate(names)}


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
        """A line for each algorithm. value(row, microseconds) returns y; None omits the point."""
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
        return tuple(made)

    def copy(self, rows: Iterable[Row], value: Callable[[Row, float], Optional[float]]
             ) -> tuple[Series, ...]:
        points = {row["n"]: y for row in rows
                  if is_device_row(row) and (y := value(row, row["copy_us"])) is not None}
        if not points:
            return ()
        ns = sorted(points)
        return (Series(COPY, tuple(ns), tuple(significant(points[n]) for n in ns), style=-1),)
