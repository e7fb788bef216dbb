"""What the pictures of results show: numbers, names and words, taken from results files.

Nothing here draws.
"""
from __future__ import annotations

import dataclasses
import math
import statistics
from typing import Callable, Iterable, Optional

from study.curves import Curves, significant
from study.picture import Panel, Picture, Series
from study.rows import (PEER, REFERENCE, ROOF_FROM, TITLES, USUAL, Results, Row, algorithms_of,
                        is_device_row, is_model, is_named, is_power_of_two, lookup, per_second,
                        ratios_to_peer, rows_of, select, usual)


def seconds(_: Row, us: float) -> float:
    return us * 1e-6


def note(results: Results, words: str, *experiments: str) -> str:
    """What a picture of these experiments was measured on: every CUB, for it is the peer."""
    machines = [results[experiment]["machine"] for experiment in experiments]
    cubs = " and ".join(dict.fromkeys(machine["cub"] for machine in machines
                                      if machine.get("cub")))
    parts = [machines[0]["gpu"], words, "32-bit integers", f"commit {machines[0]['commit'][:10]}",
             f"CUB {cubs}" if cubs else ""]
    return " · ".join(part for part in parts if part)


COLD = "cold L2, median and quartiles"
COLD_MEDIANS = "cold L2, medians"


def time_all(results: Results, curves: Curves, operation: str) -> Optional[Picture]:
    rows = usual(results, operation)
    if not rows:
        return None
    panel = Panel("", "elements", "time of one call", curves.against_n(rows, seconds)
                  + curves.copy(rows, seconds), y_scale="seconds")
    return Picture(f"{operation}_all", f"{TITLES[operation]}: time against n",
                   note(results, COLD, operation),
                   f"{TITLES[operation]}: time of one call against n, every row, cold L2.",
                   (panel,))


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


def ratios(results: Results, curves: Curves, other: str, name: str, title: str, caption: str,
           wanted: Callable[[Row], bool]) -> Optional[Picture]:
    """How many times as fast as another row everybody is."""
    panels, shown = [], []
    for operation in TITLES:
        rows = usual(results, operation)
        base = lookup(rows, other)

        def ratio(row: Row, us: float, base: dict = base) -> Optional[float]:
            return base[row["n"]]["median_us"] / us if row["n"] in base and us > 0 else None

        series = curves.against_n((row for row in rows if wanted(row)), ratio)
        if series:
            shown.append(operation)
            panels.append(Panel(TITLES[operation], "elements", f"times as fast as {other}", series,
                                y_scale="log", line_at=1.0))
    if not panels:
        return None
    return Picture(name, title, note(results, COLD, *shown), caption, tuple(panels),
                   columns=len(panels))


def roof(results: Results, curves: Curves) -> Optional[Picture]:
    panels, shown = [], []
    for operation in TITLES:
        rows = [row for row in usual(results, operation)
                if row["n"] >= ROOF_FROM and row.get("roof_us")]
        series = curves.against_n(rows, lambda row, us: 100 * row["roof_us"] / us)
        if series:
            shown.append(operation)
            panels.append(Panel(TITLES[operation], "elements", "% of the copy's bandwidth", series,
                                y_scale="linear", line_at=100.0, y_limits=(0, 108)))
    if not panels:
        return None
    return Picture("roof", "How much of the memory bandwidth is used", note(
        results, "bytes that must move ÷ time, against a device-to-device copy, cold L2",
        *shown),
        "Percent of roof from 2^24 up: the bytes that the operation must move, at the speed of a "
        "device-to-device copy of the same run, against the time it took.",
        tuple(panels), columns=len(panels))


def best_over_items(rows: Iterable[Row]) -> list[Row]:
    best: dict[tuple, Row] = {}
    for row in rows:
        key = (row["algorithm"], row["block_size"])
        if key not in best or row["median_us"] < best[key]["median_us"]:
            best[key] = row
    return list(best.values())


def against_block_size(rows: Iterable[Row]) -> list[Row]:
    """Rows whose x is the block size: curves are made against n."""
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


def phases(results: Results, _: Curves) -> Optional[Picture]:
    rows = [row for row in usual(results, "compact") if row.get("phases_us")]
    available = sorted({row["n"] for row in rows})
    sizes = [n for n in (1 << 12, 1 << 20, 1 << 28) if n in available] or available[-1:]
    panels = []
    for n in sizes:
        chosen = list(select(rows, n=n))
        names = tuple(row["algorithm"] for row in chosen)
        shares = []
        for i, phase in enumerate(("map", "scan", "scatter")):
            shares.append(Series(phase, names, tuple(
                significant(100 * row["phases_us"][phase] / max(sum(row["phases_us"].values()),
                                                                1e-9))
                for row in chosen), style=i))
        panels.append(Panel(power(n), "", "% of the time", tuple(shares), kind="stack",
                            x_scale="words", y_scale="linear", y_limits=(0, 100)))
    if not panels:
        return None
    return Picture("phases", "Compaction: map, scan, scatter",
                   note(results, COLD_MEDIANS, "compact"),
                   "How a compaction's time is shared among map, scan and scatter.",
                   tuple(panels), columns=len(panels))


def sort_std(results: Results, curves: Curves) -> Optional[Picture]:
    rows = usual(results, "sort")
    series = curves.against_n(rows, per_second)
    if not series:
        return None
    panel = Panel("", "keys", "10⁹ keys per second", series, y_scale="log")
    return Picture("sort_std", "Sort against std::sort", note(results, COLD, "sort"),
                   "Keys per second of every sort; cpu is std::sort on one core.", (panel,))


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
    """Time per element, against that of the powers of two around."""
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
    """Sorts of random key models, against the peer's."""
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
    return Picture("models", "Sort: keys that nobody has chosen",
                   note(results, f"median, worst and best of {count} random key models", "models"),
                   "How many times as fast as CUB over random key models: the median, and from the "
                   "worst to the best.", tuple(panels), columns=len(panels))


MOST_MODELS = 24  # in one picture


def keys(results: Results, _: Curves) -> Optional[Picture]:
    """The row that is ahead on random models, over sizes and kinds of keys; of many models the worst."""
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
                   f"How many times as fast as {PEER}: blue where {ahead} is ahead, red where it is "
                   "behind" + (f"; of {len(worst)} models the {MOST_MODELS} worst."
                               if len(worst) > MOST_MODELS else "."), (Panel("", "keys", "", cells, kind="heat", x_scale="words"),))


def kept(results: Results, curves: Curves) -> Optional[Picture]:
    rows = [row for row in select(rows_of(results, "compact"), operation="compact", mode="cold")
            if is_device_row(row)]
    shares = {n: {row["kept"] for row in select(rows, n=n, distribution="uniform50")}
              for n in {row["n"] for row in rows}}
    panels = []
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
        panels.append(Panel(power(n), "% of the elements kept",
                            "10⁹ elements per second", tuple(series),
                            x_scale="percent", y_scale="linear"))
    if not panels:
        return None
    return Picture("kept", "Compaction: how much is kept",
                   note(results, COLD_MEDIANS, "compact"),
                   "Elements per second by the share that is kept, GPU rows; hollow markers: kept "
                   "elements in runs of 1024.", tuple(panels), columns=len(panels))


MODES = ("cold", "hot", "graph")


def modes(results: Results, curves: Curves) -> Optional[Picture]:
    panels, shown = [], []
    for operation in TITLES:
        graph_sizes = {row["n"] for row in usual(results, operation, "graph")}
        if not graph_sizes:
            continue
        shown.append(operation)
        rows = {mode: [row for row in usual(results, operation, mode)
                       if is_device_row(row) and row["n"] <= max(graph_sizes)] for mode in MODES}
        # One scale for the three, or they could not be compared.
        values = [row[key] * 1e-6 for chosen in rows.values() for row in chosen
                  for key in ("median_us", "copy_us") if row[key] > 0]
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


def bytes_moved(results: Results, curves: Curves) -> Optional[Picture]:
    rows = rows_of(results, "profile")
    panels = []
    for operation in dict.fromkeys(row["operation"] for row in rows):
        per_element = []
        for algorithm in algorithms_of(select(rows, operation=operation)):
            kernels = list(select(rows, operation=operation, algorithm=algorithm))
            known = [row["dram_bytes"] for row in kernels if row.get("dram_bytes") is not None]
            if known:
                per_element.append((algorithm, significant(sum(known) / kernels[0]["n"])))
        if per_element:
            panels.append(Panel(TITLES[operation], "", "bytes an element", (Series(
                "DRAM bytes", tuple(name for name, _ in per_element),
                tuple(value for _, value in per_element)),), kind="bars", x_scale="words",
                y_scale="linear", line_at={"scan": 8.0, "compact": 6.0}.get(operation)))
    if not panels:
        return None
    return Picture("bytes_moved", "What really goes through memory",
                   note(results, f"DRAM reads and writes by Nsight Compute, {power(rows[0]['n'])}",
                        "profile"),
                   "Measured DRAM bytes for each element; the line is what a scan (8) and a "
                   "compaction that keeps half (6) cannot do without.",
                   tuple(panels), columns=len(panels))


SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(n: int) -> str:
    """2²⁶, or the number."""
    if is_power_of_two(n):
        return "2" + str(n.bit_length() - 1).translate(SUPERSCRIPTS)
    return f"{n:,}"


def pictures(results: Results) -> list[Picture]:
    """All that the results are enough for."""
    curves = Curves(results)
    made: list[Optional[Picture]] = []
    for operation in TITLES:
        made += [time_all(results, curves, operation), time_gpu(results, curves, operation)]
    made += [
        ratios(results, curves, REFERENCE, "ratio_to_cpu", "Against one CPU core",
               "How many times as fast as one CPU core, against n.",
               lambda row: row["algorithm"] != REFERENCE),
        ratios(results, curves, PEER, "ratio_to_cub", "Against CUB",
               "How many times as fast as CUB, against n, GPU rows.",
               lambda row: row["algorithm"] != PEER and is_device_row(row)),
        roof(results, curves), modes(results, curves), block_size(results, curves),
        items_per_thread(results, curves), phases(results, curves), sort_std(results, curves),
        host(results, curves), power_of_two(results, curves), distributions(results, curves),
        models(results, curves), keys(results, curves), kept(results, curves), bytes_moved(results, curves)]
    return [picture for picture in made if picture is not None]
