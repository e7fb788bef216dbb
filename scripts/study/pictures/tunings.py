"""Times against the block size and the elements per thread.

An algorithm is in one of both pictures: in the second if its elements per thread can be chosen.
"""
from __future__ import annotations

from typing import Iterable, Optional

from study.markdown import code, ratio_text
from study.pictures.curves import Curves, about_outlines, seconds, significant
from study.pictures.labels import COLD, TIME, WORDS, caption, listed, note, power
from study.pictures.picture import Panel, Picture, Series
from study.rows import TITLES, Results, Row, algorithms_of, rows_of, select


def against_block_size(rows: Iterable[Row]) -> list[Row]:
    """Rows whose n is replaced by the block size, because curves are drawn against n."""
    return [dict(row, n=row["block_size"]) for row in rows if row.get("block_size")]


def block_size(results: Results, curves: Curves) -> Optional[Picture]:
    every = rows_of(results, "block_size")
    chosen_items = set(algorithms_of(row for row in every if row.get("items_per_thread")))
    rows = [row for row in every if row.get("block_size") and row["algorithm"] not in chosen_items]
    sizes = sorted({row["n"] for row in rows})
    panels, spans = [], []
    for operation in dict.fromkeys(row["operation"] for row in rows):
        for n in sizes:
            chosen = list(select(rows, operation=operation, n=n))
            series = curves.against_n(against_block_size(chosen), seconds)
            panels.append(Panel(f"{TITLES[operation]}, {power(n)}", "threads per block", TIME, series,
                                y_scale="seconds"))
            spans += [(max(one.y) / min(one.y), one.label, operation, n) for one in series]
    if not panels:
        return None
    span, name, operation, n = max(spans)
    return Picture("block_size", "Threads per block", note(results, COLD, "block_size"),
                   caption(results, "block_size", "threads per block", TIME,
                           "With fewer than 32 threads, lanes of a warp are idle.", about_outlines(panels),
                           f"The largest difference between a worst and a best block size: {ratio_text(span)} "
                           f"({code(name)}, {WORDS[operation]} of {power(n)})."),
                   tuple(panels), columns=len(sizes))


def items_per_thread(results: Results, _: Curves) -> Optional[Picture]:
    rows = [row for row in rows_of(results, "block_size") if row.get("items_per_thread")]
    if not rows:
        return None
    largest = max(row["n"] for row in rows)
    rows = list(select(rows, n=largest))
    panels, firsts = [], []
    for operation in dict.fromkeys(row["operation"] for row in rows):
        for algorithm in algorithms_of(select(rows, operation=operation)):
            chosen = list(select(rows, operation=operation, algorithm=algorithm))
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
                                TIME, tuple(series), y_scale="seconds"))
            best = min(chosen, key=lambda row: row["median_us"])
            firsts.append(f"{best['block_size']} threads with {best['items_per_thread']} elements each "
                          f"({code(algorithm)}, {WORDS[operation]})")
    return Picture("items_per_thread", f"Elements per thread, {power(largest)}",
                   note(results, COLD, "block_size"),
                   caption(results, "block_size", "threads per block", f"{TIME} at {power(largest)}",
                           "A line for each number of elements per thread.",
                           f"The fastest: {listed(firsts)}."),
                   tuple(panels), columns=min(len(panels), 3))
