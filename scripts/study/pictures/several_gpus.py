"""Speed-ups of several GPUs over one, and the parts of a sort."""
from __future__ import annotations

from typing import Optional, Sequence

from study.pictures.curves import Curves, significant
from study.pictures.labels import WORDS, caption, listed, note, power
from study.pictures.picture import Panel, Picture, Series
from study.results_files import DISTRIBUTED
from study.rows import TITLES, USUAL, Results, Row, on_several_gpus, select, speedup_over_one

# The largest speed-up, per GPU: a scan of parts moves 12 bytes per element instead of 8.
BOUNDS = {"scan": 8 / 12, "compact": 1.0}
SHOWN_AT = tuple(1 << k for k in (20, 24, 28, 30))  # if there is a line for each size
PARTS = ("count", "exchange", "sort")


def distributed(results: Results, _: Curves) -> Optional[Picture]:
    """Against the number of GPUs, with a line for each size; if only one number was measured, against
    the size."""
    rows = [row for row in on_several_gpus(results)
            if row["distribution"] == USUAL[row["operation"]]["distribution"]]
    is_against_gpus = len({row["gpus"] for row in rows}) > 1
    timed = [row for row in rows if speedup_over_one(row) is not None]
    panels = [speedups(operation, of_operation, is_against_gpus) for operation in TITLES
              if (of_operation := list(select(timed, operation=operation)))]
    if not panels:
        return None
    shares = parts_of_sort(list(select(rows, operation="sort")), is_against_gpus)
    x = "number of GPUs" if is_against_gpus else f"number of elements, on {rows[0]['gpus']} GPUs"
    return Picture(DISTRIBUTED, "Several GPUs: speed-up over one", note(
        results, "medians of whole calls, with the host's round trips", DISTRIBUTED),
        caption(results, DISTRIBUTED, x, "one GPU's time for the whole array, divided by that of all GPUs",
                "At the grey line, both are equal. The dotted lines are bounds: a scan of parts moves 12 bytes per element instead "
                "of 8, a compaction moves no more than on one GPU.",
                "The last panel shows which percentage of the sort's time its parts need." if shares else "",
                largest(timed)),
        (*panels, *shares), columns=2)


def speedups(operation: str, rows: Sequence[Row], is_against_gpus: bool) -> Panel:
    x, line = ("gpus", "n") if is_against_gpus else ("n", "gpus")
    lines = sorted({row[line] for row in rows})
    if is_against_gpus:
        lines = [n for n in lines if n in SHOWN_AT] or lines
    series = []
    for style, value in enumerate(lines, 1):
        points = sorted(select(rows, **{line: value}), key=lambda row: row[x])
        series.append(Series(power(value) if is_against_gpus else f"{value} GPUs",
                             tuple(row[x] for row in points),
                             tuple(significant(speedup_over_one(row)) for row in points), style=style))
    if operation in BOUNDS:
        gpus_at = {row[x]: row["gpus"] for row in rows}
        series.append(Series("bound", tuple(sorted(gpus_at)), tuple(
            significant(BOUNDS[operation] * gpus_at[at]) for at in sorted(gpus_at)), style=-1))
    highest = max(y for one in series for y in one.y)
    return Panel(TITLES[operation], "GPUs" if is_against_gpus else "elements", "speed-up over one GPU",
                 tuple(series), y_scale="linear", line_at=1.0,
                 y_limits=(0, significant(1.08 * max(highest, 1.0))))


def parts_of_sort(rows: Sequence[Row], is_against_gpus: bool) -> tuple[Panel, ...]:
    """A bar for each number of GPUs, at the largest size that most of them sorted; or for each size."""
    known = [row for row in rows if sum(row[f"{part}_us"] or 0 for part in PARTS) > 0]
    if not known:
        return ()
    title = "Sort: where the time goes"
    if is_against_gpus:
        n = max((row["n"] for row in known), key=lambda n: (len(list(select(known, n=n))), n))
        known = sorted(select(known, n=n), key=lambda row: row["gpus"])
        title += f", {power(n)} keys"
        words = tuple(f"{row['gpus']} GPUs" for row in known)
    else:
        known = sorted(known, key=lambda row: row["n"])
        words = tuple(power(row["n"]) for row in known)
    totals = [sum(row[f"{part}_us"] or 0 for part in PARTS) for row in known]
    return (Panel(title, "", "% of the time", tuple(
        Series(part, words, tuple(significant(100 * (row[f"{part}_us"] or 0) / total)
                                  for row, total in zip(known, totals)), style=i)
        for i, part in enumerate(PARTS)), kind="stack", x_scale="words", y_scale="linear",
        y_limits=(0, 100)),)


def largest(rows: Sequence[Row]) -> str:
    """What to see."""
    best = [max(of_operation, key=speedup_over_one) for operation in TITLES
            if (of_operation := list(select(rows, operation=operation)))]
    return "The largest speed-ups are " + listed(
        [f"{speedup_over_one(row):.2f} ({WORDS[row['operation']]} of {power(row['n'])}, {row['gpus']} GPUs)"
         for row in best]) + "."
