"""Times against the block size and the elements per thread."""
from __future__ import annotations

from typing import Iterable, Optional

from study.pictures.curves import Curves, seconds, significant
from study.pictures.labels import COLD, note, power
from study.pictures.picture import Panel, Picture, Series
from study.rows import TITLES, Results, Row, algorithms_of, rows_of, select


def best_over_items(rows: Iterable[Row]) -> list[Row]:
    best: dict[tuple, Row] = {}
    for row in rows:
        key = (row["algorithm"], row["block_size"])
        if key not in best or row["median_us"] < best[key]["median_us"]:
            best[key] = row
    return list(best.values())


def against_block_size(rows: Iterable[Row]) -> list[Row]:
    """Rows whose n is replaced by the block size, because curves are drawn against n."""
    return [dict(row, n=row["block_size"]) for row in rows if row.get("block_size")]


def block_size(results: Results, curves: Curves) -> Optional[Picture]:
    rows = rows_of(results, "block_size")
    sizes = sorted({row["n"] for row in rows})
    panels = []
    for operation in dict.fromkeys(row["operation"] for row in rows):
        for n in sizes:
            chosen = best_over_items(select(rows, operation=operation, n=n))
            panels.append(Panel(f"{TITLES[operation]}, {power(n)}", "threads per block",
                                "time of one call",
                                curves.against_n(against_block_size(chosen), seconds),
                                y_scale="seconds"))
    if not panels:
        return None
    return Picture("block_size", "Threads per block", note(results, COLD, "block_size"),
                   "Time against the block size, each at its best number of elements per thread.",
                   tuple(panels), columns=len(sizes))


def items_per_thread(results: Results, _: Curves) -> Optional[Picture]:
    rows = [row for row in rows_of(results, "block_size") if row.get("items_per_thread")]
    if not rows:
        return None
    largest = max(row["n"] for row in rows)
    panels = []
    for operation in dict.fromkeys(row["operation"] for row in rows):
        for algorithm in algorithms_of(select(rows, operation=operation)):
            chosen = list(select(rows, operation=operation, algorithm=algorithm, n=largest))
            series = []
            for i, items in enumerate(sorted({row["items_per_thread"] for row in chosen})):
                line = sorted(against_block_size(select(chosen, items_per_thread=items)),
                              key=lambda row: row["n"])
                series.append(Series(
                    f"{items} per thread", tuple(row["n"] for row in line),
                    tuple(significant(row["median_us"] * 1e-6) for row in line),
                    tuple(significant(row["q1_us"] * 1e-6) for row in line),
                    tuple(significant(row["q3_us"] * 1e-6) for row in line), style=i))
            panels.append(Panel(f"{TITLES[operation]}: {algorithm}", "threads per block",
                                "time of one call", tuple(series), y_scale="seconds"))
    return Picture("items_per_thread", f"Elements per thread, {power(largest)}",
                   note(results, COLD, "block_size"),
                   f"Time against block size and elements per thread at {power(largest)}.",
                   tuple(panels), columns=min(len(panels), 3))
