"""Sorts by the distribution of their keys: named ones, random models, and a heat map of both."""
from __future__ import annotations

import statistics
from typing import Optional

from study.pictures.curves import Curves, significant
from study.pictures.labels import COLD_MEDIANS, note, power
from study.pictures.picture import Panel, Picture, Series
from study.rows import (PEER, Results, algorithms_of, is_device_row, is_model, is_named, per_second,
                        ratios_to_peer, rows_of, select)


def distributions(results: Results, curves: Curves) -> Optional[Picture]:
    rows = [row for row in select(rows_of(results, "sort"), operation="sort", mode="cold")
            if is_device_row(row) and is_named(row)]
    names = list(dict.fromkeys(row["distribution"] for row in rows))
    complete = [n for n in sorted({row["n"] for row in rows})
                if len({row["distribution"] for row in select(rows, n=n)}) == len(names)]
    if len(names) < 2 or not complete:
        return None
    panels = []
    for n in dict.fromkeys((complete[0], complete[-1])):
        series = []
        for algorithm in algorithms_of(rows):
            by_name = {row["distribution"]: row for row in select(rows, n=n, algorithm=algorithm)}
            shown = [name for name in names if name in by_name]
            series.append(Series(
                algorithm, tuple(names.index(name) for name in shown),
                tuple(significant(per_second(by_name[name], by_name[name]["median_us"]))
                      for name in shown), style=curves.styles[algorithm]))
        words = Series("", tuple(names), ())
        panels.append(Panel(power(n), "", "10⁹ keys per second",
                            tuple(series) + (words,), x_scale="words", y_scale="log"))
    return Picture("distributions", "Sort: what the keys look like",
                   note(results, COLD_MEDIANS, "sort"),
                   "Keys per second by the distribution of the keys, GPU rows.", tuple(panels),
                   columns=len(panels))


def models(results: Results, curves: Curves) -> Optional[Picture]:
    """Sorts of random key models, compared with CUB's."""
    rows = [row for row in rows_of(results, "models") if is_model(row)]
    panels = []
    for mode in dict.fromkeys(row["mode"] for row in rows):
        of_mode = list(select(rows, mode=mode))
        series = []
        for algorithm in algorithms_of(row for row in of_mode if row["algorithm"] != PEER):
            found = {n: list(ratios_to_peer(select(of_mode, n=n), algorithm).values())
                     for n in sorted({row["n"] for row in of_mode})}
            known = {n: ratios for n, ratios in found.items() if ratios}
            if known:
                series.append(Series(
                    algorithm, tuple(known),
                    *(tuple(significant(of(ratios)) for ratios in known.values())
                      for of in (statistics.median, min, max)), style=curves.styles[algorithm]))
        if series:
            panels.append(Panel(mode, "keys", f"times as fast as {PEER}", tuple(series),
                                y_scale="log", line_at=1.0))
    if not panels:
        return None
    count = len({row["distribution"] for row in rows})
    return Picture("models", "Sort: random key models",
                   note(results, f"median, worst and best of {count} random key models", "models"),
                   "How many times as fast as CUB over random key models: the median, and from the "
                   "worst to the best.", tuple(panels), columns=len(panels))


MOST_MODELS = 24  # in one picture


def keys(results: Results, _: Curves) -> Optional[Picture]:
    """A heat map of the fastest row on random models, by size and distribution; of many models the worst."""
    models_of = [row for row in rows_of(results, "models") if is_model(row)]
    cold = list(select(models_of, mode="cold"))
    sizes = sorted({row["n"] for row in cold})

    def median(algorithm: str) -> float:
        return statistics.median([ratio for n in sizes for ratio in
                                  ratios_to_peer(select(cold, n=n), algorithm).values()] or [0])

    ahead = max((name for name in algorithms_of(cold) if name != PEER), key=median, default=None)
    if ahead is None or median(ahead) == 0:
        return None
    named = [row for row in select(rows_of(results, "sort"), operation="sort", mode="cold")
             if is_named(row)]
    at = {n: ratios_to_peer([*select(named, n=n), *select(cold, n=n)], ahead) for n in sizes}
    worst = {kind: min(at[n][kind] for n in sizes if kind in at[n])
             for kind in dict.fromkeys(row["distribution"] for row in cold)
             if any(kind in at[n] for n in sizes)}
    kinds = [*dict.fromkeys(row["distribution"] for row in named),
             *(kind for kind in worst if kind in sorted(worst, key=worst.get)[:MOST_MODELS])]
    cells = tuple(
        Series(kind, tuple(map(power, sizes)),
               tuple(significant(at[n][kind]) if kind in at[n] else None for n in sizes))
        for kind in kinds if any(kind in at[n] for n in sizes))
    shown = ("sort", "models") if named else ("models",)
    return Picture("keys", f"{ahead} against {PEER}, by size and kind of keys",
                   note(results, COLD_MEDIANS, *shown),
                   f"How many times as fast as {PEER}: blue where {ahead} is faster, red where it is "
                   "slower" + (f"; of {len(worst)} models the {MOST_MODELS} worst."
                               if len(worst) > MOST_MODELS else "."), (Panel("", "keys", "", cells, kind="heat", x_scale="words"),))
