"""A heat map of sorts by the distribution of their keys: named ones and random models."""
from __future__ import annotations

import statistics
from typing import Optional

from study.markdown import code, ratio_text
from study.pictures.curves import Curves, significant
from study.pictures.labels import COLD_MEDIANS, caption, listed, note, power
from study.pictures.picture import Panel, Picture, Series
from study.rows import (PEER, Results, algorithms_of, is_device_row, is_model, is_named,
                        ratios_to_peer, rows_of, select)

MOST_MODELS = 24  # in one picture
MOST_ALGORITHMS = 2


def keys(results: Results, _: Curves) -> Optional[Picture]:
    """A panel for each of the sorts that are faster than CUB, by size and distribution; of many models
    the worst of the first sort."""
    cold = [row for row in select(rows_of(results, "models"), mode="cold") if is_model(row)]
    named = [row for row in select(rows_of(results, "sort"), operation="sort", mode="cold")
             if is_named(row) and is_device_row(row)]
    sizes = sorted({row["n"] for row in cold})

    def ratios(algorithm: str) -> dict[int, dict[str, float]]:
        return {n: ratios_to_peer([*select(named, n=n), *select(cold, n=n)], algorithm) for n in sizes}

    def median(algorithm: str) -> float:
        return statistics.median([ratio for n in sizes for ratio in
                                  ratios_to_peer(select(cold, n=n), algorithm).values()] or [0])

    ahead = sorted((name for name in algorithms_of(cold) if name != PEER and median(name) > 0),
                   key=median, reverse=True)
    ahead = ahead[:1] + [name for name in ahead[1:MOST_ALGORITHMS] if median(name) > 1]
    if not ahead:
        return None
    at = ratios(ahead[0])
    worst = {kind: min(at[n][kind] for n in sizes if kind in at[n])
             for kind in dict.fromkeys(row["distribution"] for row in cold)
             if any(kind in at[n] for n in sizes)}
    kinds = [*dict.fromkeys(row["distribution"] for row in named),
             *(kind for kind in worst if kind in sorted(worst, key=worst.get)[:MOST_MODELS])]
    kinds = [kind for kind in kinds if any(kind in at[n] for n in sizes)]
    panels, least = [], []
    for algorithm in ahead:
        at = ratios(algorithm)
        panels.append(Panel(algorithm, "keys", "", tuple(
            Series(kind, tuple(map(power, sizes)), tuple(
                significant(at[n][kind]) if kind in at[n] else None for n in sizes))
            for kind in kinds), kind="heat", x_scale="words"))
        lowest, kind, n = min((at[n][kind], kind, n) for n in sizes for kind in kinds if kind in at[n])
        least.append(f"{ratio_text(lowest)} for {code(algorithm)} ({code(kind)}, {power(n)})")
    is_hatched = any(None in one.y for panel in panels for one in panel.series)
    shown = ("sort", "models") if named else ("models",)
    return Picture("keys", f"Sorts against {PEER}, by size and kind of keys",
                   note(results, COLD_MEDIANS, *shown),
                   caption(results, "models", "number of keys", "distribution of the keys; in the cells, "
                           "CUB's time divided by the algorithm's",
                           "Blue: faster than CUB; red: slower" + ("; hatched: not measured." if is_hatched else "."),
                           f"Of {len(worst)} random key models, the {MOST_MODELS} worst are shown."
                           if len(worst) > MOST_MODELS else "",
                           f"The smallest speed-up is {listed(least)}."),
                   tuple(panels), columns=len(panels))
