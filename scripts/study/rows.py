"""Selects rows of results, and derives figures from them, such as the percentage of the roof."""
from __future__ import annotations

import math
import statistics
from typing import Iterable, Iterator, Optional, Sequence

from study.results_files import DISTRIBUTED

Results = dict  # experiment -> what its file holds
Row = dict

# The input of an operation in pictures that do not compare inputs.
USUAL = {"scan": {"distribution": "uniform50"},
         "compact": {"distribution": "uniform50", "kept": 0.5},
         "sort": {"distribution": "uniform"}}
TITLES = {"scan": "Exclusive scan", "compact": "Stream compaction", "sort": "Sort"}
REFERENCE = "cpu"
PEER = "cub"
THRUST = "thrust"  # calls the peer, and keeps its memory from call to call
PLAIN_THRUST = "thrust_uncached"  # a plain call, which allocates and frees memory
STREAMED = "streamed"  # in mode host, its plan is made before the call is timed
ROOF_FROM = 1 << 24  # below, the L2 and launch overhead dominate
MARKED_BELOW = 5  # samples
FEWEST_SAMPLES = 4  # that allow quartiles: one sample below the first, one above the third


def is_device_row(row: dict) -> bool:
    """Whether the row runs on the device: only device rows have a copy as their ceiling."""
    return row.get("copy_us") is not None


def is_named(row: dict) -> bool:
    """Whether its keys are of a distribution that --list prints: neither of a random key model
    ("model:7"), of which there are hundreds, nor of a file."""
    return ":" not in (row.get("distribution") or "")


def is_model(row: dict) -> bool:
    return (row.get("distribution") or "").startswith("model:")


def select(rows: Iterable[dict], **wanted: object) -> Iterator[dict]:
    """The rows whose fields have these values, without rows that have a wrong result."""
    for row in rows:
        if row.get("verified", True) and all(row.get(k) == v for k, v in wanted.items()):
            yield row


def algorithms_of(rows: Iterable[dict]) -> list[str]:
    """All names without duplicates, in the registry's order, which files also use."""
    return list(dict.fromkeys(row["algorithm"] for row in rows))


def is_power_of_two(n: int) -> bool:
    return n > 0 and n & (n - 1) == 0


def rows_of(results: Results, experiment: str) -> list[Row]:
    """The rows that have a speed: not those without elements or faster than the clock."""
    return [row for row in select(results.get(experiment, {}).get("rows", []))
            if row["n"] > 0 and row.get("q1_us", 1) > 0]


def on_several_gpus(results: Results) -> list[Row]:
    return [row for row in rows_of(results, DISTRIBUTED) if row["gpus"] > 1 and row["median_us"] > 0]


def speedup_over_one(row: Row) -> Optional[float]:
    """One GPU's time for the whole array, divided by that of several."""
    return None if row["one_gpu_us"] is None else row["one_gpu_us"] / row["median_us"]


def is_faster(row: Row, other: Row) -> bool:
    """Whether the difference exceeds the quartiles, if both have enough samples."""
    return row["q3_us"] < other["q1_us"] and not has_few_samples(row, other)


def has_few_samples(*rows: Row) -> bool:
    return any(row["samples"] < FEWEST_SAMPLES for row in rows)


def is_unstable(row: Row) -> bool:
    """Whether the interquartile range exceeds half of the median, as measure_time marks rows."""
    return row["q3_us"] - row["q1_us"] > row["median_us"] / 2


def is_marked_few(row: Row) -> bool:
    """Whether measure_time marks the row with "few samples"."""
    return row["samples"] < MARKED_BELOW


def usual(results: Results, operation: str, mode: str = "cold") -> list[Row]:
    """An operation's rows at powers of two on its usual input."""
    return [row for row in select(rows_of(results, operation), operation=operation, mode=mode,
                                  **USUAL[operation]) if is_power_of_two(row["n"])]


def per_second(row: Row, us: float) -> Optional[float]:
    """10^9 elements per second."""
    return row["n"] / us * 1e-3 if us else None


def lookup(rows: Iterable[Row], algorithm: str) -> dict[int, Row]:
    return {row["n"]: row for row in select(rows, algorithm=algorithm)}


def against_powers_of_two(at: dict[int, Row], n: int) -> Optional[float]:
    """Time per element of n = 2^k - 3, relative to that of 2^k, or of n = 1.5 * 2^k, relative to the
    geometric mean of those of 2^k and 2^(k + 1); None for other n, or without these rows or times."""
    if is_power_of_two(n + 3):
        neighbours = [n + 3]
    elif is_power_of_two(below := n // 3 * 2) and 2 * n == 3 * below:
        neighbours = [below, 2 * below]
    else:
        return None
    if not {n, *neighbours} <= set(at):
        return None
    around = math.prod(at[size]["median_us"] / size for size in neighbours) ** (1 / len(neighbours))
    return at[n]["median_us"] / n / around if around > 0 else None


def speed_against(rows: Sequence[Row], row: Row, other: str) -> Optional[float]:
    base = lookup(rows, other).get(row["n"])
    return None if base is None else base["median_us"] / row["median_us"]


def ratios_to_peer(rows: Iterable[Row], algorithm: str) -> dict[str, float]:
    """Speed-up over CUB for each distribution; for rows of one size and mode."""
    rows = list(rows)
    peers = {row["distribution"]: row["median_us"] for row in select(rows, algorithm=PEER)}
    return {row["distribution"]: peers[row["distribution"]] / row["median_us"]
            for row in select(rows, algorithm=algorithm)
            if row["distribution"] in peers}


def lower_quartile(values: Sequence[float]) -> float:
    """Quantile as in measure_time: interpolated linearly. The quantile of one value is the value."""
    return statistics.quantiles(values, n=4, method="inclusive")[0] if len(values) > 1 else values[0]


def percent_of_roof(row: Row) -> Optional[float]:
    return None if row["roof_us"] is None else 100 * row["roof_us"] / row["median_us"]


def must_move(results: Results, operation: str, algorithm: str, n: int) -> Optional[float]:
    """Necessary bytes per element, from measure_time: the roof is these bytes at the copy's speed."""
    row = lookup(usual(results, operation), algorithm).get(n)
    if row is None or not row["roof_us"] or not row["copy_us"]:
        return None
    return 8 * row["roof_us"] / row["copy_us"]


def profiled(results: Results, operation: str, algorithm: str) -> list[Row]:
    """The kernels of one call, all with the same n."""
    return list(select(rows_of(results, "profile"), operation=operation, algorithm=algorithm))


def moved(results: Results, operation: str, algorithm: str) -> Optional[float]:
    """Bytes per element that were moved to and from DRAM."""
    kernels = profiled(results, operation, algorithm)
    known = [row["dram_bytes"] for row in kernels if row.get("dram_bytes") is not None]
    return sum(known) / kernels[0]["n"] if known else None


def measured_over_must(results: Results, operation: str, algorithm: str) -> Optional[float]:
    measured = moved(results, operation, algorithm)
    if not measured:
        return None
    least = must_move(results, operation, algorithm,
                      profiled(results, operation, algorithm)[0]["n"])
    return measured / least if least else None
