"""The experiments of the performance study, each as calls of measure_time."""
from __future__ import annotations

from dataclasses import replace
from typing import Iterable, Sequence

from study.calls import Call
from study.executables import Listing, Row
from study.pace import BETWEEN_FROM, Pace

# In this order they run: the most important experiments first, in case time runs out.
EXPERIMENTS = ("scan", "compact", "sort", "models", "block_size", "host", "variants")

SMALLEST = 4  # exponents of two
GRAPH_MOST = 20
VARIANTS_AT = (16, 20, 24, 26)
ALLOCATES = "thrust_uncached"  # thrust and an allocation of memory, whose time no keys change
SHARES = (0.0, 0.01, 0.1, 0.25, 0.75, 0.99, 1.0)  # 0.5 is measured at every size


def powers(first: int, last: int, stride: int = 1) -> tuple[int, ...]:
    """2^first, ... and always 2^last, because the ends of a curve are the most interesting points."""
    exponents = set(range(first, last + 1, stride)) | {last}
    return tuple(1 << k for k in sorted(exponents) if k >= first)


def between(exponents: Iterable[int], last: int) -> tuple[int, ...]:
    """1.5 * 2^k and 2^k - 3, up to 2^last."""
    sizes = {n for k in exponents for n in ((1 << k) - 3, 3 << (k - 1))}
    return tuple(sorted(n for n in sizes if n <= 1 << last))


def plan(experiment: str, listing: Listing, pace: Pace) -> list[Call]:
    """The calls of an experiment, few and small sizes first, of rows that have such a mode."""
    calls = (replace(call, rows=tuple(row for row in call.rows if set(row.modes) & set(call.modes)))
             for call in PLANNERS[experiment](listing, pace))
    return [call for call in calls if call.rows and call.sizes]


def _against_n(operation: str, listing: Listing, pace: Pace) -> list[Call]:
    """Every row at every power of two; host rows only where they add information."""
    rows = tuple(row for row in listing.rows if row.operation == operation)
    device = tuple(row for row in rows if row.on_device)
    large_rows = rows if pace.host_everywhere else device
    small = powers(SMALLEST, GRAPH_MOST, pace.stride)
    large = powers(GRAPH_MOST + pace.stride, pace.largest, pace.stride)
    return [Call(operation, rows, small, ("cold", "hot", "graph")),
            Call(operation, rows, large, ("cold",)),
            Call(operation, large_rows, large, ("hot",))]


def _between(operation: str, listing: Listing, pace: Pace) -> list[Call]:
    rows = tuple(row for row in listing.rows
                 if row.operation == operation and (row.on_device or pace.host_everywhere))
    sizes = between(pace.between, pace.largest)
    without_graph = tuple(mode for mode in pace.between_modes if mode != "graph")
    return [Call(operation, rows, tuple(n for n in sizes if n <= 1 << GRAPH_MOST),
                 tuple(pace.between_modes)),
            Call(operation, rows, tuple(n for n in sizes if n > 1 << GRAPH_MOST), without_graph)]


def _scan(listing: Listing, pace: Pace) -> list[Call]:
    return _against_n("scan", listing, pace) + _between("scan", listing, pace)


def _compact(listing: Listing, pace: Pace) -> list[Call]:
    rows = tuple(row for row in listing.rows
                 if row.operation == "compact" and (row.on_device or pace.host_everywhere))
    sizes = tuple(1 << k for k in pace.kept_at if k <= pace.largest)
    clustered = tuple(name for name in listing.distributions if name == "clustered")
    return (_against_n("compact", listing, pace) + _between("compact", listing, pace)
            + [Call("compact", rows, sizes, ("cold",), kept=SHARES)]
            + ([Call("compact", rows, sizes, ("cold",), distributions=clustered, kept=(0.5,))]
               if clustered else []))


def _sort(listing: Listing, pace: Pace) -> list[Call]:
    rows = tuple(row for row in listing.rows
                 if row.operation == "sort" and (row.on_device or pace.host_everywhere))
    sizes = tuple(1 << k for k in pace.distributions_at if k <= pace.largest)
    # uniform is measured at every size, and clustered is meant for compaction.
    others = tuple(name for name in listing.distributions if name not in ("uniform", "clustered"))
    return (_against_n("sort", listing, pace)
            + [Call("sort", rows, sizes, ("cold",), distributions=others)])


def _models(listing: Listing, pace: Pace) -> list[Call]:
    """Sorts of keys from random models."""
    rows = tuple(row for row in listing.rows
                 if row.operation == "sort" and row.on_device and row.algorithm != ALLOCATES)
    return [Call("sort", rows, tuple(1 << k for k in pace.models_at if k <= pace.largest),
                 ("cold", "hot"),
                 distributions=tuple(f"model:{k}" for k in range(1, pace.models + 1)))]


def _block_size(listing: Listing, pace: Pace) -> list[Call]:
    return tuning_calls(listing, ("scan", "compact"), [1 << k for k in pace.block_sizes_at])


def tuning_calls(listing: Listing, operations: Sequence[str], sizes: Sequence[int]) -> list[Call]:
    """Every tuning of every row with a choice. Rows with the same choice share a call."""
    calls = []
    for operation in operations:
        groups: list[list[Row]] = []
        for row in listing.rows:
            if row.operation != operation or not has_choice(row):
                continue
            for group in groups:
                if all(agree(row, other) for other in group):
                    group.append(row)
                    break
            else:
                groups.append([row])
        for group in groups:
            calls.append(Call(operation, tuple(group), tuple(sorted(sizes)), ("cold",),
                              block_sizes=first_choice(row.block_sizes for row in group),
                              items_per_thread=first_choice(row.items_per_thread
                                                            for row in group)))
    return calls


def has_choice(row: Row) -> bool:
    return len(row.block_sizes) > 1 or len(row.items_per_thread) > 1


def agree(a: Row, b: Row) -> bool:
    """Whether one list of block sizes and one list of items describe both."""
    return all(not x or not y or x == y for x, y in
               ((a.block_sizes, b.block_sizes), (a.items_per_thread, b.items_per_thread)))


def first_choice(choices: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return next((choice for choice in choices if choice), ())


def _host(listing: Listing, pace: Pace) -> list[Call]:
    sizes = powers(BETWEEN_FROM, min(pace.host_largest, pace.largest), pace.host_stride)
    operations = dict.fromkeys(row.operation for row in listing.rows)
    return [Call(operation,
                 tuple(row for row in listing.rows
                       if row.operation == operation and "host" in row.modes),
                 sizes, ("host",))
            for operation in operations]


def _variants(listing: Listing, pace: Pace) -> list[Call]:
    """Variants: other types, operators and predicates than those of the operations on ints."""
    sizes = tuple(1 << k for k in VARIANTS_AT if k <= pace.largest)
    operations = dict.fromkeys(row.operation for row in listing.variants)
    return [Call(operation, tuple(row for row in listing.variants if row.operation == operation),
                 sizes, ("cold",), variants=("all",))
            for operation in operations]


PLANNERS = {"scan": _scan, "compact": _compact, "sort": _sort, "models": _models,
            "block_size": _block_size, "host": _host, "variants": _variants}
