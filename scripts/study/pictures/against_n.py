"""Times, and ratios of times, of whole calls, against their number of elements."""
from __future__ import annotations

import dataclasses
from typing import Optional

from study.markdown import code, ratio_text
from study.pictures.curves import Curves, about_outlines, seconds, significant
from study.pictures.labels import (COLD, COLD_MEDIANS, TIME, WORDS, caption, listed, note, power)
from study.pictures.picture import Panel, Picture, Series
from study.rows import (PEER, ROOF_FROM, STREAMED, TITLES, USUAL, Results, Row, against_powers_of_two, algorithms_of,
                        is_device_row, is_power_of_two, lookup, percent_of_roof, rows_of, select, usual)


def fastest(rows: list[Row]) -> Row:
    """The fastest at the largest number of elements."""
    largest = max(row["n"] for row in rows)
    return min(select(rows, n=largest), key=lambda row: row["median_us"])


def of_operation(results: Results, curves: Curves, operation: str) -> Optional[Picture]:
    """All that is shown of an operation's usual input: time, speed-up over CUB, percent of the roof."""
    rows = usual(results, operation)
    if not rows:
        return None
    on_gpu = [row for row in rows if is_device_row(row)]
    what = "keys" if operation == "sort" else "elements"
    base = lookup(rows, PEER)

    def speed_up(row: Row, us: float) -> Optional[float]:
        return base[row["n"]]["median_us"] / us if row["n"] in base else None

    roof = curves.roof(on_gpu, seconds)
    panels = [Panel(TIME, what, "", curves.against_n(rows, seconds) + roof, y_scale="seconds")]
    marks = ["dashed: on the CPU"] * (len(on_gpu) < len(rows))
    marks += [f"dotted: the {roof[0].label}, from {power(ROOF_FROM)}"] if roof else []
    shown = [TIME + (f" ({'; '.join(marks)})" if marks else "")]
    ratios = curves.against_n((row for row in on_gpu if row["algorithm"] != PEER), speed_up)
    if ratios:
        panels.append(Panel("speed-up over CUB", what, "", ratios, y_scale="log", line_at=1.0,
                            line_label=PEER))
        shown.append("speed-up over CUB (CUB's time divided by the algorithm's)")
    used = curves.against_n((row for row in on_gpu if row["n"] >= ROOF_FROM and row.get("roof_us")),
                            lambda row, us: 100 * row["roof_us"] / us)
    if used:
        panels.append(Panel("percent of the roof", what, "", used, y_scale="linear", line_at=100.0, line_label="roof",
                            y_limits=(0, max(108, 1.05 * max(y for one in used for y in one.high or one.y)))))
        shown.append("percent of the roof (the time of a copy of the bytes that the operation must move, divided by the algorithm's)")
    return Picture(operation, f"{TITLES[operation]}: time, speed-up and roof" if used else
                   f"{TITLES[operation]}: time and speed-up", note(results, COLD, operation),
                   caption(results, operation, f"number of {what}", listed(shown),
                           "Above the grey line at 1, an algorithm is faster than CUB." if ratios else "",
                           about_outlines(panels), leader(on_gpu or rows, base)), tuple(panels),
                   columns=min(2, len(panels)), wide_first=len(panels) == 3)


def leader(rows: list[Row], base: dict[int, Row]) -> str:
    """What to see in the picture of an operation."""
    best = fastest(rows)
    peer, percent = base.get(best["n"]), best.get("roof_us") and percent_of_roof(best)
    facts = []
    if peer and best["algorithm"] != PEER:
        facts.append(f"{ratio_text(peer['median_us'] / best['median_us'])} as fast as CUB")
    if percent and best["n"] >= ROOF_FROM:
        facts.append(f"at {percent:.0f} % of the roof")
    return (f"The fastest at {power(best['n'])} is {code(best['algorithm'])}"
            + (f": {listed(facts)}." if facts else "."))


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
                   caption(results, shown[0], "number of elements", "CUB's time divided by ours",
                           "Above the grey line at 1, ours is faster."), (panel,))


def host(results: Results, curves: Curves) -> Optional[Picture]:
    """Without a roof: a copy from pageable memory is slower than a whole call that uses pinned memory."""
    rows = list(select(rows_of(results, "host"), mode="host"))
    plan = (f" ({STREAMED}: without making its plan)"
            if any(row["algorithm"] == STREAMED for row in rows) else "")
    panels, firsts = [], []
    for operation in dict.fromkeys(row["operation"] for row in rows):
        chosen = list(select(rows, operation=operation))
        panels.append(Panel(TITLES[operation], "elements", TIME,
                            curves.against_n(chosen, seconds), y_scale="seconds"))
        best = fastest(chosen)
        firsts.append(f"{code(best['algorithm'])} ({WORDS[operation]} of {power(best['n'])})")
    if not panels:
        return None
    return Picture("host", "Whole calls on host arrays", note(
        results, f"allocation and both transfers included{plan}", "host"),
        caption(results, "host", "number of elements", "time of one call on host arrays, with "
                f"allocation and both transfers{plan} (dashed: on the CPU)",
                about_outlines(panels), f"The fastest with the most elements: {listed(firsts)}."),
        tuple(panels), columns=min(2, len(panels)))


def power_of_two(results: Results, curves: Curves) -> Optional[Picture]:
    """Time per element, relative to that at the neighbouring powers of two."""
    panels, shown, large = [], [], []
    for operation in ("scan", "compact", "sort"):
        rows = [row for row in select(rows_of(results, operation), operation=operation,
                                      mode="cold", **USUAL[operation]) if is_device_row(row)]
        less, more = [], []
        for name in algorithms_of(rows):
            at = lookup(rows, name)
            for n, row in at.items():
                if (relative := against_powers_of_two(at, n)) is None:
                    continue
                if is_power_of_two(n + 3):
                    less.append(dict(row, relative=relative / row["median_us"], n=n + 3))
                else:
                    more.append(dict(row, relative=relative / row["median_us"]))
        for chosen, what in ((less, "2ᵏ − 3 against 2ᵏ"),
                             (more, "1.5 · 2ᵏ against its neighbours")):
            series = tuple(dataclasses.replace(one, low=(), high=()) for one in
                           curves.against_n(chosen, lambda row, us: us * row["relative"]))
            if series:
                shown.append(operation)
                values = [y for one in series for y in one.y]
                large += [y for one in series for n, y in zip(one.x, one.y) if n >= ROOF_FROM]
                panels.append(Panel(f"{TITLES[operation]}: {what}", "elements",
                                    "time per element, relative", series, y_scale="linear",
                                    line_at=1.0, y_limits=(min(0.9, 0.98 * min(values)),
                                                           max(1.1, 1.02 * max(values)))))
    if not panels:
        return None
    return Picture("power_of_two", "Sizes that are no powers of two",
                   note(results, COLD_MEDIANS, *shown),
                   caption(results, shown[0], "number of elements",
                           "time per element, divided by that at the neighbouring powers of two",
                           "At the grey line, both are equal.", about_outlines(panels),
                           f"From {power(ROOF_FROM)}, all values are between {min(large):.2f} and "
                           f"{max(large):.2f}." if large else ""),
                   tuple(panels), columns=2)


MODES = {"hot": "back to back", "graph": "in a CUDA graph"}


def modes(results: Results, curves: Curves) -> Optional[Picture]:
    """The modes that the picture of an operation does not show, up to the largest size of a graph."""
    panels, shown, gains = [], [], []
    for operation in TITLES:
        graph_sizes = {row["n"] for row in usual(results, operation, "graph")}
        rows = {mode: [row for row in usual(results, operation, mode)
                       if is_device_row(row) and row["n"] <= max(graph_sizes, default=0)] for mode in MODES}
        # One scale for both, so that they can be compared.
        values = [row["median_us"] * 1e-6 for chosen in rows.values() for row in chosen]
        if not values:
            continue
        shown.append(operation)
        limits = (significant(min(values) / 1.3), significant(max(values) * 1.3))
        for mode, chosen in rows.items():
            panels.append(Panel(f"{TITLES[operation]}, {MODES[mode]}", "elements", TIME,
                                curves.against_n(chosen, seconds), y_scale="seconds",
                                y_limits=limits))
        hot = {(row["algorithm"], row["n"]): row["median_us"] for row in rows["hot"]}
        gains += [(hot[key] / row["median_us"], operation, row["n"], row["algorithm"])
                  for row in rows["graph"] if (key := (row["algorithm"], row["n"])) in hot]
    if not panels:
        return None
    most = max(gains, default=None)
    return Picture("modes", "Small inputs: what launching costs",
                   note(results, "hot: back to back; graph: inside a CUDA graph", *shown),
                   caption(results, shown[0], "number of elements", "time of one call, on the left "
                           "back to back (hot), on the right in a CUDA graph, with one scale for both",
                           "In a graph, the GPU needs no launch by the host.", about_outlines(panels),
                           f"This helps {code(most[3])} most: it is {ratio_text(most[0])} as fast in a graph "
                           f"({WORDS[most[1]]} of {power(most[2])})." if most else ""),
                   tuple(panels), columns=2)
