"""Times, throughputs and ratios of whole calls, against their number of elements."""
from __future__ import annotations

import dataclasses
import math
from typing import Optional

from study.pictures.curves import Curves, seconds, significant
from study.pictures.labels import COLD, COLD_MEDIANS, note
from study.pictures.picture import Panel, Picture, Series
from study.rows import (PEER, TITLES, USUAL, Results, Row, algorithms_of, is_device_row, is_power_of_two,
                        lookup, per_second, rows_of, select, usual)


def scan_all(results: Results, curves: Curves) -> Optional[Picture]:
    rows = usual(results, "scan")
    if not rows:
        return None
    panel = Panel("", "elements", "time of one call", curves.against_n(rows, seconds)
                  + curves.copy(rows, seconds), y_scale="seconds")
    return Picture("scan_all", f"{TITLES['scan']}: time against n", note(results, COLD, "scan"),
                   f"{TITLES['scan']}: time of one call against n, every row, cold L2.", (panel,))


def time_gpu(results: Results, curves: Curves, operation: str) -> Optional[Picture]:
    rows = [row for row in usual(results, operation) if is_device_row(row)]
    if not rows:
        return None
    what = "keys" if operation == "sort" else "elements"
    panels = (
        Panel("time of one call", what, "", curves.against_n(rows, seconds)
              + curves.copy(rows, seconds), y_scale="seconds"),
        Panel(f"10⁹ {what} per second", what, "", curves.against_n(rows, per_second)
              + (() if operation == "sort" else curves.copy(rows, per_second)), y_scale="linear"))
    return Picture(f"{operation}_gpu", f"{TITLES[operation]} on the GPU",
                   note(results, COLD, operation),
                   f"{TITLES[operation]}, GPU rows only: time and throughput against n.",
                   panels, columns=2)


def ratio_to_cub(results: Results, curves: Curves) -> Optional[Picture]:
    panels, shown = [], []
    for operation in TITLES:
        rows = usual(results, operation)
        base = lookup(rows, PEER)

        def ratio(row: Row, us: float, base: dict = base) -> Optional[float]:
            return base[row["n"]]["median_us"] / us if row["n"] in base else None

        series = curves.against_n((row for row in rows if row["algorithm"] != PEER
                                   and is_device_row(row)), ratio)
        if series:
            shown.append(operation)
            panels.append(Panel(TITLES[operation], "elements", f"times as fast as {PEER}", series,
                                y_scale="log", line_at=1.0))
    if not panels:
        return None
    return Picture("ratio_to_cub", "Against CUB", note(results, COLD, *shown),
                   "How many times as fast as CUB, against n, GPU rows.", tuple(panels),
                   columns=len(panels))


def speedup(results: Results, ours: dict[str, tuple[str, ...]], peer: str) -> Optional[Picture]:
    """README's picture: the speed-up of our fastest algorithms over the peer, all in one panel."""
    series, shown = [], []
    for operation, names in ours.items():
        rows = usual(results, operation)
        base = lookup(rows, peer)
        for name in names:
            found = {n: row for n, row in sorted(lookup(rows, name).items()) if n in base}
            if not found:
                continue
            shown.append(operation)
            ys = tuple(significant(base[n]["median_us"] / row["median_us"])
                       for n, row in found.items())
            series.append(Series(f"{operation}: {name}", tuple(found), ys, style=len(series) + 1))
    if not series:
        return None
    panel = Panel("", "elements", "speed-up over CUB", tuple(series), y_scale="linear", line_at=1.0)
    return Picture("speedup", "Speed-up over CUB",
                   note(results, COLD_MEDIANS, *dict.fromkeys(shown)),
                   "X axis: number of elements. Y axis: CUB's time divided by ours; above the grey line, "
                   "ours is faster.", (panel,))


def host(results: Results, curves: Curves) -> Optional[Picture]:
    rows = list(select(rows_of(results, "host"), mode="host"))
    panels = []
    for operation in dict.fromkeys(row["operation"] for row in rows):
        chosen = list(select(rows, operation=operation))
        panels.append(Panel(TITLES[operation], "elements", "time of one call",
                            curves.against_n(chosen, seconds) + curves.copy(chosen, seconds),
                            y_scale="seconds"))
    if not panels:
        return None
    return Picture("host", "Whole calls on host arrays", note(
        results, "allocation and both transfers included", "host"),
        "Whole host-array calls: allocation and transfers included. The dotted line is the "
        "transfer there and back alone.", tuple(panels), columns=len(panels))


def power_of_two(results: Results, curves: Curves) -> Optional[Picture]:
    """Time per element, relative to that at the neighbouring powers of two."""
    panels, shown = [], []
    for operation in ("scan", "compact", "sort"):
        rows = [row for row in select(rows_of(results, operation), operation=operation,
                                      mode="cold", **USUAL[operation]) if is_device_row(row)]
        less, more = [], []
        for name in algorithms_of(rows):
            at = lookup(rows, name)
            for n, row in at.items():
                if is_power_of_two(n + 3) and n + 3 in at:
                    less.append(dict(row, relative=(n + 3) / n / at[n + 3]["median_us"], n=n + 3))
                below = n // 3 * 2
                if is_power_of_two(below) and 2 * n == 3 * below and {below, 2 * below} <= set(at):
                    around = math.sqrt(at[below]["median_us"] / below
                                       * at[2 * below]["median_us"] / (2 * below))
                    more.append(dict(row, relative=1 / n / around))
        for chosen, what in ((less, "2ᵏ − 3 against 2ᵏ"),
                             (more, "1.5 · 2ᵏ against its neighbours")):
            series = tuple(dataclasses.replace(one, low=(), high=()) for one in
                           curves.against_n(chosen, lambda row, us: us * row["relative"]))
            if series:
                shown.append(operation)
                values = [y for one in series for y in one.y]
                panels.append(Panel(f"{TITLES[operation]}: {what}", "elements",
                                    "time per element, relative", series, y_scale="linear",
                                    line_at=1.0, y_limits=(min(0.9, 0.98 * min(values)),
                                                           max(1.1, 1.02 * max(values)))))
    if not panels:
        return None
    return Picture("power_of_two", "Sizes that are no powers of two",
                   note(results, COLD_MEDIANS, *shown),
                   "Time per element at 2^k - 3 and 1.5 x 2^k, relative to powers of two.",
                   tuple(panels), columns=2)


MODES = ("cold", "hot", "graph")


def modes(results: Results, curves: Curves) -> Optional[Picture]:
    panels, shown = [], []
    for operation in TITLES:
        graph_sizes = {row["n"] for row in usual(results, operation, "graph")}
        rows = {mode: [row for row in usual(results, operation, mode)
                       if is_device_row(row) and row["n"] <= max(graph_sizes, default=0)] for mode in MODES}
        # One scale for all three, so that they can be compared.
        values = [row[key] * 1e-6 for chosen in rows.values() for row in chosen
                  for key in ("median_us", "copy_us") if row[key] > 0]
        if not values:
            continue
        shown.append(operation)
        limits = (significant(min(values) / 1.3), significant(max(values) * 1.3))
        for mode, chosen in rows.items():
            panels.append(Panel(f"{TITLES[operation]}, {mode}", "elements",
                                "time of one call", curves.against_n(chosen, seconds)
                                + curves.copy(chosen, seconds), y_scale="seconds",
                                y_limits=limits))
    if not panels:
        return None
    return Picture("modes", "Small inputs: what launching costs",
                   note(results, "cold: one call, L2 overwritten; hot: back to back; graph: inside "
                                 "a CUDA graph", *shown),
                   "Small inputs in the three modes: cold, back to back, and inside a CUDA graph.",
                   tuple(panels), columns=3)
