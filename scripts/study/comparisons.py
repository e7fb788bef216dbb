"""Tables that compare GPUs: a function of every GPU's results for each block, by its name."""
from __future__ import annotations

import statistics
from typing import Callable, Optional, Sequence

from study.access_counts import load_counts
from study.markdown import (NOTHING, code, digits, marks_legend, power, ratio_text, row_time, table,
                            time_text)
from study.readme_tables import BY_NSIGHT, COLD_TIMES, MissingResults, need
from study.results_files import RESULTS
from study.rows import (PEER, REFERENCE, ROOF_FROM, Results, Row, is_faster, is_model, lookup,
                        lower_quartile, moved, percent_of_roof, profiled, rows_of, select, speed_against, usual)

SIZES = tuple(1 << k for k in (20, 24, 28))
SORT_SIZES = tuple(1 << k for k in (12, 16, 20, 24, 26, 28, 30))
UNIFORM = "uniform"
OVERVIEW_SIZES = tuple(1 << k for k in (12, 16, 20, 24, 28))
OURS = {"scan": ("single_pass",), "compact": ("single_pass",), "sort": ("hybrid_radix", "onesweep")}
WEAK_SPOTS_OF = ("single_pass", "hybrid_radix", "onesweep", "counting")
NOUNS = {"scan": "Scan", "compact": "Compaction", "sort": "Sort"}
VERBS = {"scan": "scanned", "compact": "compacted", "sort": "sorted"}
# What each version of scan teaches.
LESSONS = {"naive": "log n passes over memory, each over all elements",
           "efficient": "fewer additions help less than expected: most of each sector is wasted, and there are more launches",
           "efficient_plus": "blocks scan tiles of 1024 elements in shared memory: far fewer launches",
           "single_pass": "one launch, one read, one write: as fast as a copy"}
# The scans in the order in which they approach the roof.
ROOFLINE = ("naive", "efficient", "efficient_plus", PEER, "single_pass_plain", "single_pass")
Comparison = Callable[[Sequence[Results]], str]


def gpu_of(results: Results) -> str:
    return next(iter(results.values()))["machine"]["gpu"].removeprefix("NVIDIA ").split(" ")[0]


def launches_of(results: Results, operation: str, algorithm: str) -> str:
    kernels = profiled(results, operation, algorithm)
    return str(sum(row["launches"] for row in kernels)) if kernels else NOTHING


def percent(row: Optional[Row]) -> str:
    value = percent_of_roof(row) if row and row["n"] >= ROOF_FROM else None
    return NOTHING if value is None else f"{value:.0f} %"


def counted_bytes() -> dict[tuple[str, str], tuple[int, list[str]]]:
    """Returns n, and what count_accesses counts for each element, by operation and algorithm: the
    bytes that the kernels request, and those moved in sectors."""
    path = RESULTS / "accesses.json"
    return {(row["operation"], row["algorithm"]): (row["n"], [
        digits(sum(row["total"][kind][what] for kind in ("global_loads", "global_stores")) / row["n"])
        for what in ("bytes_asked", "bytes_moved")])
        for row in (load_counts(path)["rows"] if path.is_file() else [])}


def at(what: str, sizes: set[int]) -> str:
    """A column's header, with n if it is the same for all rows."""
    return f"{what}, {power(*sizes)}" if len(sizes) == 1 else what


def times_of(results: Results, operation: str, algorithm: str, sizes: Sequence[int]
             ) -> list[Optional[Row]]:
    found = lookup(usual(results, operation), algorithm)
    return [found.get(n) for n in sizes]


def figures(operation: str, *algorithms: str) -> Comparison:
    """Launches, bytes for each element, and times of these algorithms on every GPU."""
    def block(every: Sequence[Results]) -> str:
        counted = {algorithm: found for (of, algorithm), found in counted_bytes().items()
                   if of == operation and algorithm in algorithms}
        lines, profiled_at = [], set()
        for algorithm in algorithms:
            bytes_of = counted.get(algorithm, (0, [NOTHING] * 2))[1] if counted else []
            for results in need(every, operation):
                rows = times_of(results, operation, algorithm, SIZES)
                profiled_at |= {row["n"] for row in profiled(results, operation, algorithm)}
                if any(rows):
                    lines.append([code(algorithm), gpu_of(results),
                                  launches_of(results, operation, algorithm), *bytes_of,
                                  digits(moved(results, operation, algorithm)),
                                  *map(row_time, rows),
                                  percent(rows[-1])])
        counted_at = {n for n, _ in counted.values()}
        text = table(["", "GPU", at("launches", profiled_at),
                      *([at("requested", counted_at), at("in sectors", counted_at)] if counted else []),
                      at("from DRAM", profiled_at), *map(power, SIZES), f"roof, {power(SIZES[-1])}"],
                     need(lines, operation), words=2)
        return with_origin(text, every, (operation, "profile"))
    return block


def serial(every: Sequence[Results]) -> str:
    """Times of the scan on one core of each GPU's host."""
    lines = []
    for results in need(every, "scan"):
        rows = times_of(results, "scan", REFERENCE, SIZES)
        if any(rows):
            lines.append([code(REFERENCE), str(results["scan"]["machine"].get("host_cpu", NOTHING)),
                          gpu_of(results), *map(row_time, rows)])
    return with_origin(table(["", "one core of", "in the host of", *map(power, SIZES)],
                             need(lines, "scan"), words=3), every, ("scan",))


def roofline(every: Sequence[Results]) -> str:
    """How close each scan comes to a copy, at the largest size, on every GPU."""
    lines = []
    for algorithm in ROOFLINE:
        cells = [percent(times_of(results, "scan", algorithm, SIZES[-1:])[0])
                 for results in need(every, "scan")]
        if any(cell != NOTHING for cell in cells):
            lines.append([code(algorithm), *cells])
    return with_origin(table([f"of the roof at {power(SIZES[-1])}", *map(gpu_of, every)],
                             need(lines, "scan")), every, ("scan",))


def with_origin(text: str, every: Sequence[Results], experiments: Sequence[str]) -> str:
    return "\n\n".join(filter(None, [text, marks_legend(text), origin(every, experiments)]))


def origin(every: Sequence[Results], experiments: Sequence[str]) -> str:
    """Names the GPUs, and the versions, the commit and the date of their studies, and the protocol."""
    gpus: dict[str, list[str]] = {}
    for results in every:
        for name in filter(results.__contains__, experiments):
            one = results[name]["machine"]
            study = (f"CUDA {one.get('cuda', '?')}, CUB {one.get('cub', '?')}, commit "
                     f"{code(one['commit'][:12])}, {one.get('date', '?')}")
            if one["gpu"] not in gpus.setdefault(study, []):
                gpus[study].append(one["gpu"])
    how = COLD_TIMES + (f"; {BY_NSIGHT}" if "profile" in experiments else "")
    return ("*" + "; ".join(f"{' and '.join(names)}: {study}" for study, names in gpus.items())
            + f". {how}.*")


def speed_cell(rows: Sequence[Row], row: Optional[Row]) -> str:
    if row is None:
        return NOTHING
    against = speed_against(rows, row, PEER)
    return row_time(row) + (f", {ratio_text(against)}" if against else "")


def overview(every: Sequence[Results]) -> str:
    """The sentence that says which of our fastest algorithms are always faster, then their times."""
    lines, everywhere = [], []
    for operation, ours in OURS.items():
        for algorithm in ours:
            for results in need(every, operation):
                rows = usual(results, operation)
                found = times_of(results, operation, algorithm, OVERVIEW_SIZES)
                if any(found):
                    lines.append([f"{NOUNS[operation]}: {code(algorithm)}", gpu_of(results),
                                  *(speed_cell(rows, row) for row in found)])
        everywhere += [f"{code(name)} ({operation}, {low} to {high})" for name in ours
                       for low, high in [speeds(every, operation, name)] if low]
    faster = ("Faster than CUB with the default inputs (uniform keys for sorts), at all sizes and on all GPUs "
              "of this table, with interquartile ranges that do not overlap: "
              f"{', '.join(everywhere)}.\n\n" if everywhere else "")
    return with_origin(faster + table(["time, speed-up over CUB", "GPU", *map(power, OVERVIEW_SIZES)],
                                      need(lines, "scan"), words=2), every, tuple(OURS))


def speeds(every: Sequence[Results], operation: str, name: str) -> tuple[str, str]:
    """The smallest and the largest speed-up over the peer, if it is faster at all sizes; else ''."""
    ratios = []
    for results in every:
        rows = usual(results, operation)
        base = lookup(rows, PEER)
        for row in filter(None, times_of(results, operation, name, OVERVIEW_SIZES)):
            if row["n"] not in base:
                continue
            if not is_faster(row, base[row["n"]]):
                return "", ""
            ratios.append(base[row["n"]]["median_us"] / row["median_us"])
    return (ratio_text(min(ratios)), ratio_text(max(ratios))) if ratios else ("", "")


def headline(every: Sequence[Results]) -> str:
    """A sentence with the speed of our fastest algorithms at the largest size, on the first GPU."""
    results = need(every, "scan")[0]
    sizes = [row["n"] for row in need(usual(results, "scan"), "scan")]
    n = max(size for size in sizes if size <= OVERVIEW_SIZES[-1])
    machine = results["scan"]["machine"]
    parts: list[str] = []
    for operation, (name, *_) in OURS.items():
        rows = usual(results, operation)
        row = lookup(rows, name).get(n)
        against = row and speed_against(rows, row, PEER)
        if against:
            what = f"{power(n)} integers" if not parts else "them"
            peer = "" if parts else f" as fast as CUB {machine.get('cub', '?')}"
            parts.append(f"{VERBS[operation]} {what} in {time_text(row['median_us'])} "
                         f"({ratio_text(against)}{peer})")
    need(parts, "scan")
    return (f"On an {machine['gpu']}, it {' and '.join(filter(None, [', '.join(parts[:-1]), parts[-1]]))}, "
            f"at commit {code(machine['commit'][:12])} (medians, cold L2).")


def weak_spots(every: Sequence[Results]) -> str:
    """The inputs and types for which the peer is faster than one of ours, at any size in any cold run."""
    worst: dict[tuple[str, str], list[Optional[tuple[float, int]]]] = {}  # speed-up and n
    for i, results in enumerate(every):
        for experiment in (*OURS, "models", "variants"):
            rows = [row for row in rows_of(results, experiment) if row["mode"] == "cold"]
            peers = {input_of(row): row for row in rows if row["algorithm"] == PEER}
            for row in rows:
                peer = peers.get(input_of(row))
                if row["algorithm"] not in WEAK_SPOTS_OF or peer is None:
                    continue
                what = ("random key models" if is_model(row)
                        else code(row.get("variant") or row["distribution"]))
                found = worst.setdefault((row["algorithm"], what), [None] * len(every))
                here = peer["median_us"] / row["median_us"], row["n"]
                found[i] = min(found[i] or here, here)
    need(worst, "scan")
    lines = [[code(name), what, *(f"{ratio_text(one[0])} at {power(one[1])}" if one else NOTHING
                                  for one in found)]
             for name in WEAK_SPOTS_OF for (algorithm, what), found in worst.items()
             if algorithm == name and any(one and one[0] < 1 for one in found)]
    if not lines:
        return "None of the measured inputs and types."
    return table(["algorithm", "keys or type", *map(gpu_of, every)], lines, words=2)


def sort_speeds(algorithm: str) -> Comparison:
    """A sort's speed-ups over the peer on the first GPU, in a cold run: with uniform keys, with those
    of all others that gain least, with random key models, and of variants."""
    def table_of(every: Sequence[Results]) -> str:
        results = need(every, "sort")[0]
        ratios: dict[str, dict[int, list[tuple[float, str]]]] = {}  # by row of the table and by n
        for experiment in ("sort", "models", "variants"):
            rows = list(select(rows_of(results, experiment), operation="sort", mode="cold"))
            peers = {input_of(row): row for row in rows if row["algorithm"] == PEER}
            for row in select(rows, algorithm=algorithm):
                if row["n"] not in SORT_SIZES or input_of(row) not in peers:
                    continue
                what = ("models" if is_model(row) else row.get("variant")
                        or (UNIFORM if row["distribution"] == UNIFORM else "others"))
                ratios.setdefault(what, {}).setdefault(row["n"], []).append(
                    (peers[input_of(row)]["median_us"] / row["median_us"], row["distribution"]))

        def line(head: str, what: str, of: Callable[[list[tuple[float, str]]], str]) -> list[str]:
            found = ratios.get(what, {})
            return [head, *(of(found[n]) if n in found else NOTHING for n in SORT_SIZES)]

        def least(found: list[tuple[float, str]]) -> str:
            ratio, distribution = min(found)
            return f"{ratio_text(ratio)}, {code(distribution)}"

        def of_ratios(figure: Callable[[list[float]], float]) -> Callable[[list[tuple[float, str]]], str]:
            return lambda found: ratio_text(figure([ratio for ratio, _ in found]))

        others = {name for found in ratios.get("others", {}).values() for _, name in found}
        models = {name for found in ratios.get("models", {}).values() for _, name in found}
        lines = [line(code(UNIFORM), UNIFORM, of_ratios(min)),
                 line(f"least of {len(others)} other distributions", "others", least),
                 line(f"{len(models)} random key models: least", "models", of_ratios(min)),
                 line("their lower quartile", "models", of_ratios(lower_quartile)),
                 line("their median", "models", of_ratios(statistics.median))]
        lines += [line(f"variant {code(what)}", what, of_ratios(min)) for what in ratios
                  if what not in (UNIFORM, "others", "models")]
        shown = [one for one in lines if any(cell != NOTHING for cell in one[1:])]
        return with_origin(table(["keys", *map(power, SORT_SIZES)], need(shown, "sort")), [results],
                           ("sort", "models", "variants"))
    return table_of


def input_of(row: Row) -> tuple:
    return tuple(row.get(name) for name in ("operation", "n", "distribution", "kept", "variant"))


def lessons(every: Sequence[Results]) -> str:
    """The versions of scan on the first GPU, each with what it teaches."""
    results = need(every, "scan")[0]
    counted_at = [f" at {power(row['n'])}" for row in rows_of(results, "profile")[:1]]
    lines = []
    for algorithm, lesson in LESSONS.items():
        row, = times_of(results, "scan", algorithm, SIZES[-1:])
        if row is None:
            continue
        lines.append([code(algorithm), lesson, launches_of(results, "scan", algorithm),
                      digits(moved(results, "scan", algorithm)), row_time(row),
                      percent(row)])
    return with_origin(table(["scan", "lesson", *("".join([what, *counted_at])
                                                  for what in ("launches", "DRAM bytes per element")),
                              f"time at {power(SIZES[-1])}", "of the roof"], need(lines, "scan"), words=2),
                       every[:1], ("scan", "profile"))


COMPARISONS: dict[str, Comparison] = {
    "headline": headline, "overview": overview, "weak-spots": weak_spots, "lessons": lessons,
    "figures-serial": serial, "figures-naive": figures("scan", "naive"),
    "figures-efficient": figures("scan", "efficient"),
    "figures-shared-memory": figures("scan", "efficient_plus"),
    "figures-look-back": figures("scan", PEER),
    "figures-single-pass": figures("scan", "single_pass", "single_pass_plain"),
    "figures-compaction": figures("compact", "efficient_plus", "single_pass", PEER),
    "figures-sort": figures("sort", "radix", "onesweep", "hybrid_radix", PEER),
    "figures-roofline": roofline,
    "speeds-hybrid-radix": sort_speeds("hybrid_radix"), "speeds-onesweep": sort_speeds("onesweep")}


def comparison(name: str, every: Sequence[Results]) -> str:
    every = [results for results in every if results]
    if not every:
        return "*Not measured yet.*"
    try:
        return COMPARISONS[name](every)
    except MissingResults as missing:
        return f"*Not measured yet: {missing}.*"
