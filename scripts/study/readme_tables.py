"""Tables and sentences made from results files: a function for each block, by its name."""
from __future__ import annotations

import statistics
from typing import Callable, Iterable, Optional, Sequence

from study.markdown import (NOTHING, code, digits, marks_legend, power, ratio_text, row_time, table,
                            time_text)
from study.results_files import DISTRIBUTED
from study.rows import (PEER, PLAIN_THRUST, REFERENCE, ROOF_FROM, STREAMED, THRUST, TITLES, USUAL,
                        Results, Row, against_powers_of_two, algorithms_of, is_device_row,
                        is_faster, is_model, is_named, lookup, lower_quartile,
                        measured_over_must, moved, must_move, on_several_gpus, per_second,
                        percent_of_roof, profiled, ratios_to_peer, rows_of, select, speed_against,
                        speedup_over_one, usual)
from study.tuning_choices import choices, describe_tuning, tuning_of

SIZES = tuple(1 << k for k in (10, 16, 20, 24, 28))


# How the figures of a table were measured.
MEDIANS = "Medians of `measure_time`"
COLD_TIMES = f"{MEDIANS} in mode cold"
BY_NSIGHT = "launches and bytes of one call by Nsight Compute"
PROFILED = "One call under Nsight Compute"


class MissingResults(Exception):
    """The data of the block have not been measured; the message names the experiment."""


def need(rows: Sequence, experiment: str) -> Sequence:
    if not rows:
        raise MissingResults(experiment)
    return rows


def sizes_in(rows: Sequence[Row], wanted: Sequence[int] = SIZES) -> list[int]:
    available = {row["n"] for row in rows}
    return [n for n in wanted if n in available]


def rate_text(row: Optional[Row]) -> str:
    """10^9 elements per second."""
    return NOTHING if row is None else digits(per_second(row, row["median_us"]))


def roof_text(row: Optional[Row]) -> str:
    value = None if row is None else percent_of_roof(row)
    return NOTHING if value is None else f"{value:.1f}"


def machine(results: Results) -> str:
    """The machines, and a line for each file."""
    about = [data["machine"] for data in need(list(results.values()), "anything")]
    gpus, hosts = (" and ".join(dict.fromkeys(str(one.get(name)) for one in about))
                   for name in ("gpu", "host_cpu"))
    lines = []
    for name, data in results.items():
        one, protocol = data["machine"], data.get("protocol")
        fewest = with_fewest_samples(data["rows"])
        lines.append([f"[{name}]({name}.json)", code(one["commit"][:12]),
                      *(str(one.get(key, NOTHING)) for key in ("date", "driver", "cuda", "cub")),
                      sampling(protocol) if protocol else NOTHING,
                      NOTHING if fewest is None else str(fewest["samples"])])
    shared = [f"{name}: {shared_text(data['shared_host'])}" for name, data in results.items()
              if "shared_host" in data]
    loaded = [f"{name}: {data['gpu_use_by_others']} %" for name, data in results.items()
              if "gpu_use_by_others" in data]
    return "\n\n".join(filter(None, [f"{gpus}; the host has {hosts}.", table(
        ["file", "commit", "date", "driver", "CUDA", "CUB", "each row is sampled", "fewest samples of a row"],
        lines, words=7), about_samples(results),
        f"Algorithms on the host ran on a shared machine ({'; '.join(shared)})." if shared else "",
        f"Other programs used the GPU ({'; '.join(loaded)} of the time)." if loaded else ""]))


def with_fewest_samples(rows: Iterable[Row]) -> Optional[Row]:
    """The first such row whose result is right; None if no row has samples, as in a profile."""
    return min((row for row in select(rows) if "samples" in row), key=lambda row: row["samples"],
               default=None)


def about_samples(results: Results) -> str:
    """The rows of the page with the fewest samples. Tables of other times state how they were measured."""
    every = [row for data in results.values() for row in data["rows"]]
    parts = []
    for where, rows in (("on the GPU", filter(is_device_row, every)),
                        ("on the host", (row for row in every if not is_device_row(row)))):
        row = with_fewest_samples(rows)
        if row is not None:
            parts.append(f"{row['samples']} {where} ({row['operation']} by {code(row['algorithm'])}, "
                         f"n = {power(row['n'])}, {row['mode']})")
    return f"Fewest samples of a row on this page: {', '.join(parts)}." if parts else ""


def shared_text(host: dict) -> str:
    """What measure_time found out about other users of the host."""
    text = f"other processes used {digits(host['used_by_others'])} of {host['cpus']} CPUs"
    return text + (f", and a quota allowed {digits(host['quota'])} CPUs" if "quota" in host else "")


def sampling(protocol: dict) -> str:
    return (f"until {protocol['min_samples']} samples and {protocol['min_seconds']:g} s, at most "
            f"{protocol['max_seconds']:g} s")


def provenance(results: Results, experiments: Sequence[str], how: str = COLD_TIMES) -> str:
    """The origin of a table's figures, and how they were measured; files with the same origin share a line."""
    origins: dict[str, list[str]] = {}
    for name in experiments:
        if name in results:
            one = results[name]["machine"]
            origin = (f"{one['gpu']}, CUDA {one.get('cuda', '?')}, CUB {one.get('cub', '?')}, "
                      f"commit {code(one['commit'][:12])}, {one.get('date', '?')}")
            origins.setdefault(origin, []).append(name)
    return "*" + "; ".join(f"{', '.join(names)}: {origin}"
                           for origin, names in origins.items()) + f". {how}.*"


def times(operation: str) -> Callable[[Results], str]:
    def block(results: Results) -> str:
        rows = need(usual(results, operation), operation)
        sizes = sizes_in(rows)
        lines = [[code(name), *(row_time(lookup(rows, name).get(n)) for n in sizes)]
                 for name in algorithms_of(rows)]
        copies = {row["n"]: row["copy_us"] for row in rows if is_device_row(row)}
        lines.append(["*copy*", *(time_text(copies.get(n)) for n in sizes)])
        return table([TITLES[operation], *map(power, sizes)], lines)
    return block


def ratios(operation: str) -> Callable[[Results], str]:
    """The largest sizes: compared with the roof, with CUB and with one core."""
    def block(results: Results) -> str:
        rows = need(usual(results, operation), operation)
        sizes = sizes_in(rows)[-3:]
        header, lines = [TITLES[operation]], []
        for n in sizes:
            header += [f"{power(n)}: 10⁹/s"] + (["% of roof"] if n >= ROOF_FROM else [])
            header += [f"× {PEER}", f"× {REFERENCE}"]
        for name in algorithms_of(rows):
            cells = [code(name)]
            for n in sizes:
                row = lookup(rows, name).get(n)
                cells.append(rate_text(row))
                if n >= ROOF_FROM:
                    cells.append(roof_text(row))
                cells += [digits(speed_against(rows, row, other) if row else None)
                          for other in (PEER, REFERENCE)]
            lines.append(cells)
        return table(header, lines)
    return block


def modes(results: Results) -> str:
    """Small inputs, with and without the launch overhead."""
    lines = []
    sizes = (1 << 10, 1 << 16, 1 << 20)
    shown = ("cold", "hot", "graph")
    for operation, title in TITLES.items():
        of_mode = {mode: usual(results, operation, mode) for mode in shown}
        for name in algorithms_of(row for row in of_mode["cold"] if is_device_row(row)):
            lines.append([title, code(name)] + [
                row_time(lookup(of_mode[mode], name).get(n))
                for n in sizes for mode in shown])
    need(lines, "scan, compact and sort")
    header = ["", "", *(f"{power(n)} {mode}" for n in sizes for mode in shown)]
    return table(header, lines, words=2)


def plain_thrust(results: Results) -> str:
    """What a plain call of Thrust spends its time on: differences of rows of one file."""
    lines, sizes = [], []
    for operation, title in TITLES.items():
        rows = usual(results, operation)
        peer, kept, plain = (lookup(rows, name) for name in (PEER, THRUST, PLAIN_THRUST))
        measured = [n for n in SIZES if n in peer and n in kept and n in plain]
        sizes = sizes or measured
        if not measured:
            continue
        for what, cell in (
                (f"{code(PEER)}: the work", lambda n: share_text(peer[n]["median_us"], plain[n])),
                (f"{code(THRUST)} − {code(PEER)}", lambda n: difference_text(kept[n], peer[n], plain[n])),
                (f"{code(PLAIN_THRUST)} − {code(THRUST)}",
                 lambda n: difference_text(plain[n], kept[n], plain[n])),
                (code(PLAIN_THRUST), lambda n: row_time(plain[n]))):
            lines.append([title, what, *(cell(n) if n in measured else NOTHING for n in sizes)])
    need(lines, f"{PLAIN_THRUST}, {THRUST} and {PEER} at one size")
    return table(["", "", *map(power, sizes)], lines, words=2)


def share_text(us: float, whole: Row) -> str:
    """'6.75 µs, 53 %': of the median time of a row."""
    sign = "−" if us < 0 else ""
    return f"{sign}{time_text(abs(us))}, {sign}{abs(100 * us / whole['median_us']):.0f} %"


def difference_text(row: Row, other: Row, whole: Row) -> str:
    """Nothing if neither of the two rows is faster."""
    if not (is_faster(row, other) or is_faster(other, row)):
        return NOTHING
    return share_text(row["median_us"] - other["median_us"], whole)


def about_plain_thrust(results: Results) -> str:
    if not any(row["algorithm"] == PLAIN_THRUST for name in TITLES for row in usual(results, name)):
        return ""
    return (f"Thrust calls CUB, so {code(PEER)} is the time of the work. {code(THRUST)} − {code(PEER)} is what "
            "Thrust adds if it need not allocate: the wait for the count of a compaction, and the copy of "
            f"the input of a sort, which works in place. {code(PLAIN_THRUST)} − {code(THRUST)} is what a plain "
            "call adds: `cudaMalloc` and `cudaFree`, and in a scan or a sort the wait for the GPU, because "
            f"{code(THRUST)} returns from these at once. Percentages are shares of the plain call. {NOTHING}: "
            "the quartiles overlap.")


def launches(results: Results) -> str:
    rows = need(rows_of(results, "profile"), "profile")
    lines = []
    for operation in dict.fromkeys(row["operation"] for row in rows):
        for name in algorithms_of(select(rows, operation=operation)):
            of_row = profiled(results, operation, name)
            lines.append([TITLES[operation], code(name),
                          str(sum(row["launches"] for row in of_row)),
                          digits(must_move(results, operation, name, of_row[0]["n"])),
                          digits(moved(results, operation, name)),
                          ratio_text(measured_over_must(results, operation, name)),
                          time_text(sum(row["time_us"] for row in of_row))])
    return table(["", f"n = {power(rows[0]['n'])}", "launches", "bytes an element must move",
                  "measured in DRAM", "measured / must", "time of the kernels"], lines, words=2)


def kernels(results: Results) -> str:
    rows = need(rows_of(results, "profile"), "profile")
    lines = []
    for row in rows:
        numbers = [row.get(name) for name in ("dram_throughput_pct", "sm_throughput_pct",
                                              "occupancy_pct", "l2_hit_pct")]
        # Hits and accesses are counted in separate replays, which differ slightly for tiny kernels.
        numbers = [None if value is not None and value > 100 else value for value in numbers]
        lines.append([TITLES.get(row["operation"], row["operation"]), code(row["algorithm"]),
                      code(row["kernel"]), str(row["launches"]), time_text(row["time_us"]),
                      *(NOTHING if value is None else f"{value:.0f}" for value in numbers),
                      *(NOTHING if row.get(name) is None else f"{row[name]:,.0f}"
                        for name in ("registers", "shared_bytes", "bank_conflicts"))])
    return table(["", "", f"kernel, n = {power(rows[0]['n'])}", "launches", "time", "DRAM %",
                  "SM %", "occupancy %", "L2 hits %", "registers", "shared bytes",
                  "bank conflicts"], lines, words=3)


def tunings(results: Results) -> str:
    rows = need(rows_of(results, "block_size"), "block_size")
    defaults = {(row["operation"], row["algorithm"]): tuning_of(row)
                for operation in TITLES for row in usual(results, operation)}
    lines = []
    for choice in choices(rows, defaults):
        slower = choice.slowness
        lines.append([TITLES[choice.operation], code(choice.algorithm), power(choice.n),
                      describe_tuning(choice.best), spread(choice.best),
                      describe_tuning(choice.runner_up), spread(choice.runner_up),
                      describe_tuning(choice.default), ratio_text(slower)
                      + (" (slower)" if choice.disagrees else "")])
    return table(["", "", "n", "best: threads × elements", "µs (quartiles)", "runner-up",
                  "µs (quartiles)", "default", "its time / best"], lines, words=2)


def spread(row: Optional[Row]) -> str:
    if row is None:
        return NOTHING
    return f"{digits(row['median_us'])} ({digits(row['q1_us'])}–{digits(row['q3_us'])})"


def host(results: Results) -> str:
    rows = need(list(select(rows_of(results, "host"), mode="host")), "host")
    sizes = sizes_in(rows, tuple(1 << k for k in (10, 12, 16, 20, 24, 26, 28)))
    lines = []
    for operation in dict.fromkeys(row["operation"] for row in rows):
        of_operation = list(select(rows, operation=operation))
        for name in algorithms_of(of_operation):
            found = lookup(of_operation, name)
            lines.append([TITLES[operation], code(name),
                          *(row_time(found.get(n)) for n in sizes)])
        copies = {row["n"]: row["copy_us"] for row in of_operation if is_device_row(row)}
        lines.append([TITLES[operation], "*transfers alone*",
                      *(time_text(copies.get(n)) for n in sizes)])
    return table(["whole calls on host arrays", "", *map(power, sizes)], lines, words=2)


def distributions(results: Results) -> str:
    rows = [row for row in select(rows_of(results, "sort"), operation="sort", mode="cold")
            if is_device_row(row) and is_named(row)]
    by_size = {n: list(select(rows, n=n)) for n in sorted({row["n"] for row in rows})}
    named = {n: {row["distribution"] for row in chosen} for n, chosen in by_size.items()}
    most = max((len(names) for names in named.values()), default=0)
    if most < 2:
        raise MissingResults("sort")
    n = max(n for n, names in named.items() if len(names) == most)
    algorithms = algorithms_of(by_size[n])
    lines = []
    for distribution in dict.fromkeys(row["distribution"] for row in by_size[n]):
        chosen = {row["algorithm"]: row for row in select(by_size[n], distribution=distribution)}
        lines.append([code(distribution), *(
            rate_text(chosen.get(name)) for name in algorithms)])
    return table([f"10⁹ keys/s, n = {power(n)}", *map(code, algorithms)], lines)


def models(results: Results) -> str:
    """Speed-ups over CUB with random key models: the worst, the lower quartile and the median."""
    rows = need([row for row in rows_of(results, "models") if is_model(row)], "models")
    sizes = sizes_in(rows, sorted({row["n"] for row in rows}))
    lines = []
    for mode in dict.fromkeys(row["mode"] for row in rows):
        for name in algorithms_of(rows):
            if name == PEER:
                continue
            cells = []
            for n in sizes:
                ratios = sorted(ratios_to_peer(select(rows, mode=mode, n=n), name).values())
                cells.append(" / ".join(map(ratio_text, (
                    ratios[0], lower_quartile(ratios), statistics.median(ratios))))
                    if ratios else NOTHING)
            if any(cell != NOTHING for cell in cells):
                lines.append([mode, code(name), *cells])
    return table([f"worst / lower quartile / median, × {PEER}", "", *map(power, sizes)], lines,
                 words=2)


def variants(results: Results) -> str:
    """Variants, each row with its speed-up over CUB."""
    rows = need(list(filter(is_named, rows_of(results, "variants"))), "variants")
    sizes = sizes_in(rows, sorted({row["n"] for row in rows}))
    lines = []
    for operation in dict.fromkeys(row["operation"] for row in rows):
        of_operation = list(select(rows, operation=operation))
        for variant in dict.fromkeys(row.get("variant") for row in of_operation):
            chosen = list(select(of_operation, variant=variant))
            for name in algorithms_of(chosen):
                if name == PEER:
                    continue
                found = lookup(chosen, name)
                cells = []
                for n in sizes:
                    against = speed_against(chosen, found[n], PEER) if n in found else None
                    cells.append(row_time(found.get(n))
                                 + (f", {ratio_text(against)} {PEER}" if against else ""))
                roof = roof_text(found.get(sizes[-1])) if sizes[-1] >= ROOF_FROM else NOTHING
                lines.append([TITLES[operation], code(variant or "int"), code(name), *cells, roof])
    return table(["", "", "", *map(power, sizes), "% of roof"], lines, words=3)


def kept(results: Results) -> str:
    rows = [row for row in select(rows_of(results, "compact"), operation="compact", mode="cold")
            if is_device_row(row) and is_named(row)]
    shares = {n: {row["kept"] for row in select(rows, n=n)} for n in {row["n"] for row in rows}}
    sizes = [n for n, values in shares.items() if len(values) > 2]
    n = max(need(sizes, "compact"))
    chosen = list(select(rows, n=n))
    algorithms = algorithms_of(chosen)
    inputs = sorted({(row["distribution"] != USUAL["compact"]["distribution"], row["kept"],
                      row["distribution"]) for row in chosen})
    lines = []
    for is_other, share, distribution in inputs:
        found = {row["algorithm"]: row
                 for row in select(chosen, kept=share, distribution=distribution)}
        lines.append([f"{100 * share:g} %" + (f", {distribution}" if is_other else ""), *(
            rate_text(found.get(name)) for name in algorithms)])
    return table([f"kept; 10⁹ elements/s, n = {power(n)}", *map(code, algorithms)], lines)


def phases(results: Results) -> str:
    rows = [row for row in usual(results, "compact") if row.get("phases_us")]
    sizes = sizes_in(need(rows, "compact"))
    lines = []
    for name in algorithms_of(rows):
        found = lookup(rows, name)
        cells = []
        for n in sizes:
            times_us = found[n]["phases_us"] if n in found else None
            total = sum(times_us.values()) if times_us else 0
            cells.append(" / ".join(f"{100 * times_us[phase] / total:.0f}"
                                    for phase in ("map", "scan", "scatter"))
                         if total else NOTHING)
        lines.append([code(name), *cells])
    return table(["map / scan / scatter, % of the time", *map(power, sizes)], lines)


def non_power_of_two(results: Results) -> str:
    """Time per element, relative to that at 2^k."""
    lines = []
    sizes = (1 << 16, 1 << 20, 1 << 24, 1 << 28)
    for operation in ("scan", "compact"):
        rows = [row for row in select(rows_of(results, operation), operation=operation,
                                      mode="cold", **USUAL[operation]) if is_device_row(row)]
        for name in algorithms_of(rows):
            at = lookup(rows, name)
            cells = []
            for n in sizes:
                for other in (n - 3, 3 * n // 2):
                    relative = against_powers_of_two(at, other)
                    cells.append(NOTHING if relative is None else digits(relative))
            if any(cell != NOTHING for cell in cells):
                lines.append([TITLES[operation], code(name), *cells])
    need(lines, "scan and compact")
    header = ["time per element, divided by that at the neighbouring powers of two", "", *(
        text for n in sizes for text in (f"{power(n)} − 3", f"1.5 · {power(n)}"))]
    return table(header, lines, words=2)


SEVERAL_AT = tuple(1 << k for k in (20, 24, 28, 30, 31))


def several_gpus(results: Results) -> str:
    """Speed-ups over one GPU, and the rate at which the GPU that sends most sends to others."""
    rows = [row for row in on_several_gpus(results) if row["n"] in SEVERAL_AT]
    lines = []
    for row in need(rows, DISTRIBUTED):
        sends = row["sent_bytes"] and row["exchange_us"]
        lines.append([TITLES[row["operation"]], code(row["distribution"]), power(row["n"]), str(row["gpus"]),
                      time_text(row["median_us"]), ratio_text(speedup_over_one(row)),
                      digits(row["sent_bytes"] / row["exchange_us"] * 1e-3) if sends else NOTHING])
    return table(["", "distribution", "n", "GPUs", "time", "speed-up over one GPU",
                  "GB/s sent while exchanging"], lines, words=2)


def about_variants(results: Results) -> str:
    """What the table of variants does not say about its rows."""
    sorts = [row for row in rows_of(results, "variants") if row["operation"] == "sort"]
    if any(row.get("variant") == "int64" for row in sorts):
        return "A 64-bit integer key has the same 32-bit integer in both halves."
    return ""


def about_host(results: Results) -> str:
    """What the times of whole calls include."""
    rows = list(select(rows_of(results, "host"), mode="host"))
    sentences = []
    if any(row["algorithm"] == STREAMED for row in rows):
        sentences.append(f"The time of {code(STREAMED)} does not include making its plan.")
    if any(map(is_device_row, rows)):
        sentences.append("*Transfers alone* is the time to allocate a device array, copy the input to it "
                         "and copy it back, with one CUDA call for each copy. The algorithms copy large "
                         "arrays with several threads through pinned buffers, so they can be faster.")
    return " ".join(sentences)


def with_note(block: Callable[[Results], str], note: Callable[[Results], str]) -> Callable[[Results], str]:
    return lambda results: "\n\n".join(filter(None, [block(results), note(results)]))


def with_origin(block: Callable[[Results], str], *experiments: str, how: str = COLD_TIMES
                ) -> Callable[[Results], str]:
    def whole(results: Results) -> str:
        text = block(results)
        return "\n\n".join(filter(None, [text, marks_legend(text), provenance(results, experiments, how)]))
    return whole


BLOCKS: dict[str, Callable[[Results], str]] = {
    "machine": machine,
    **{f"{name}-{operation}": with_origin(make(operation), operation)
       for name, make in (("times", times), ("ratios", ratios))
       for operation in TITLES},
    "modes": with_origin(modes, *TITLES, how=f"{MEDIANS} in the modes cold, hot and graph"),
    "plain-thrust": with_note(with_origin(plain_thrust, *TITLES), about_plain_thrust),
    "launches": with_origin(launches, "profile", how=PROFILED),
    "kernels": with_origin(kernels, "profile", how=PROFILED),
    "tunings": with_origin(tunings, "block_size"),
    "host": with_note(with_origin(host, "host", how=f"{MEDIANS} in mode host"), about_host),
    "distributions": with_origin(distributions, "sort"),
    "models": with_origin(models, "models", how=f"{MEDIANS} in the modes cold and hot"),
    "kept": with_origin(kept, "compact"),
    "phases": with_origin(phases, "compact", how=f"{COLD_TIMES}, from at most 11 calls of their own"),
    "variants": with_note(with_origin(variants, "variants"), about_variants),
    "several-gpus": with_origin(several_gpus, DISTRIBUTED,
                                how="Medians of `distributed_test`, with the host's round trips"),
    "non-power-of-two": with_origin(non_power_of_two, "scan", "compact")}
