"""What the performance study consists of: each experiment as calls of measure_time.

The content is shared by all GPUs; how long it takes is a matter of pace. The protocol's own pace
(at least 10 samples and 0.3 s, or 15 s) takes the better part of an hour, mostly for rows that give
the same answer in a tenth of that, so a budget chooses among faster ones.
"""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Iterable, Optional, Sequence

from study.command_line import ExitCode, ScriptError
from study.executables import Listing, Row

# The order in which they run: what matters most comes first, should time run out.
EXPERIMENTS = ("scan", "compact", "sort", "block_size", "host", "variants")

SMALLEST = 4  # exponents of two
GRAPH_MOST = 20
LARGEST = 30
BETWEEN_FROM = 10
VARIANTS_AT = (16, 20, 24, 26)
SHARES = (0.0, 0.01, 0.1, 0.25, 0.75, 0.99, 1.0)  # 0.5 is measured at every size


@dataclass(frozen=True)
class Pace:
    """How thoroughly everything is measured."""
    name: str
    min_seconds: float
    max_seconds: float
    stride: int = 1  # between the exponents of the sizes
    largest: int = LARGEST
    between: Sequence[int] = ()  # exponents k whose 1.5 * 2^k and 2^k - 3 are measured
    between_modes: Sequence[str] = ("cold",)
    host_everywhere: bool = False  # host rows where they only repeat what is known
    kept_at: Sequence[int] = (20, 24, 28)
    distributions_at: Sequence[int] = (16, 20, 24, 28)
    block_sizes_at: Sequence[int] = (20, 22, 26)
    host_stride: int = 2
    host_largest: int = 28

    def arguments(self) -> list[str]:
        return ["--min-seconds", f"{self.min_seconds:g}", "--max-seconds", f"{self.max_seconds:g}"]

    def as_json(self) -> dict:
        return {"pace": self.name, "min_seconds": self.min_seconds,
                "max_seconds": self.max_seconds, "min_samples": 10}


ALL_BETWEEN = tuple(range(BETWEEN_FROM, LARGEST + 1))

PROTOCOL = Pace("protocol", 0.3, 15, between=ALL_BETWEEN, between_modes=("cold", "hot", "graph"),
                host_everywhere=True, host_stride=1)
PACES = (
    PROTOCOL,
    Pace("steady", 0.3, 5, between=ALL_BETWEEN, between_modes=("cold", "hot", "graph"),
         host_stride=1),
    Pace("brisk", 0.15, 5, between=ALL_BETWEEN, between_modes=("cold", "hot", "graph"),
         host_stride=1),
    Pace("short", 0.08, 2, between=ALL_BETWEEN),
    Pace("shorter", 0.04, 1, between=ALL_BETWEEN),
    Pace("shortest", 0.02, 0.5, between=tuple(range(BETWEEN_FROM, LARGEST + 1, 2))),
)
QUICK = Pace("quick", 0.02, 0.3, stride=2, largest=28, between=(12, 16, 20, 24, 28),
             kept_at=(24,), distributions_at=(20, 24), block_sizes_at=(22,), host_stride=4,
             host_largest=26)


@dataclass(frozen=True)
class Call:
    """A call of measure_time: every combination of what it names."""
    operation: str
    rows: tuple[Row, ...]
    sizes: tuple[int, ...]
    modes: tuple[str, ...]
    distributions: tuple[str, ...] = ()
    kept: tuple[float, ...] = ()
    block_sizes: tuple[int, ...] = ()
    items_per_thread: tuple[int, ...] = ()
    variants: tuple[str, ...] = ()

    def arguments(self) -> list[str]:
        words = ["--operation", self.operation,
                 "--algorithm", ",".join(dict.fromkeys(row.algorithm for row in self.rows)),
                 "--size", ",".join(map(str, self.sizes)),
                 "--mode", ",".join(self.modes)]
        for option, values in (("--distribution", self.distributions),
                               ("--kept", tuple(f"{share:g}" for share in self.kept)),
                               ("--block-size", self.block_sizes),
                               ("--items-per-thread", self.items_per_thread),
                               ("--variant", self.variants)):
            if values:
                words += [option, ",".join(map(str, values))]
        return words

    def describe(self) -> str:
        sizes = exponent(self.sizes[0])
        if len(self.sizes) > 1:
            sizes += f"..{exponent(self.sizes[-1])} ({len(self.sizes)} sizes)"
        extra = "".join(f", {len(values)} {what}" for what, values in
                        (("distributions", self.distributions), ("kept shares", self.kept),
                         ("block sizes", self.block_sizes),
                         ("items per thread", self.items_per_thread)) if len(values) > 1)
        return (f"{self.operation}, n = {sizes}, {' '.join(self.modes)}, "
                f"{len(self.rows)} algorithms{extra}")

    def contenders(self, row: Row) -> int:
        """Tunings of one row."""
        blocks = len(self.block_sizes) if row.block_sizes and self.block_sizes else 1
        items = len(self.items_per_thread) if row.items_per_thread and self.items_per_thread else 1
        return blocks * items

    def measurements(self) -> int:
        return (len(self.sizes) * max(1, len(self.distributions)) * max(1, len(self.kept))
                * sum(self.contenders(row) * sum(mode in row.modes for mode in self.modes)
                      for row in self.rows))


def exponent(n: int) -> str:
    power = n.bit_length() - 1
    if n == 1 << power:
        return f"2^{power}"
    if n + 3 == 1 << (power + 1):
        return f"2^{power + 1}-3"
    return str(n)


def powers(first: int, last: int, stride: int = 1) -> tuple[int, ...]:
    """2^first, ... and 2^last in any case, for the ends of a curve are what is asked for."""
    exponents = set(range(first, last + 1, stride)) | {last}
    return tuple(1 << k for k in sorted(exponents) if k >= first)


def between(exponents: Iterable[int], last: int) -> tuple[int, ...]:
    """1.5 * 2^k and 2^k - 3, nothing beyond 2^last."""
    sizes = {n for k in exponents for n in ((1 << k) - 3, 3 << (k - 1))}
    return tuple(sorted(n for n in sizes if n <= 1 << last))


def plan(experiment: str, listing: Listing, pace: Pace) -> list[Call]:
    """The calls of an experiment, those with few and small sizes first."""
    return [call for call in PLANNERS[experiment](listing, pace) if call.rows and call.sizes]


def _against_n(operation: str, listing: Listing, pace: Pace) -> list[Call]:
    """Every row at every power of two; host rows where they can say something new."""
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
    # uniform is measured at every size, and clustered is made for compaction.
    others = tuple(name for name in listing.distributions if name not in ("uniform", "clustered"))
    return (_against_n("sort", listing, pace)
            + [Call("sort", rows, sizes, ("cold",), distributions=others)])


def _block_size(listing: Listing, pace: Pace) -> list[Call]:
    return tuning_calls(listing, ("scan", "compact"), [1 << k for k in pace.block_sizes_at])


def tuning_calls(listing: Listing, operations: Sequence[str], sizes: Sequence[int]) -> list[Call]:
    """Every tuning of every row that has a choice. Rows with the same choice share a call."""
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
    """Whether one list of block sizes and one of items serves both."""
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
    """Other types, operators and predicates than the ints of all others."""
    sizes = tuple(1 << k for k in VARIANTS_AT if k <= pace.largest)
    operations = dict.fromkeys(row.operation for row in listing.variants)
    return [Call(operation, tuple(row for row in listing.variants if row.operation == operation),
                 sizes, ("cold",), variants=("all",))
            for operation in operations]


PLANNERS = {"scan": _scan, "compact": _compact, "sort": _sort, "block_size": _block_size,
            "host": _host, "variants": _variants}


# ---- How long it takes -------------------------------------------------------------------------

@dataclass(frozen=True)
class Cost:
    """A rough model of a machine; what it gets wrong, the running study corrects."""
    start_s: float = 2.0  # of a process: the driver, the first kernels
    row_s: float = 0.02  # making a plan, warming up, checking
    check_ns: dict = field(default_factory=lambda: {True: 0.03, False: 1.0})  # an element; device?
    call_us: float = 12.0
    call_ns: dict = field(default_factory=lambda: {  # an element, the mean of an operation's rows
        ("scan", True): 0.012, ("compact", True): 0.018, ("sort", True): 0.06,
        ("scan", False): 0.6, ("compact", False): 2.0, ("sort", False): 40.0})
    transfer_ns: float = 1.0  # an element there and back, for calls on host arrays
    cold_us: dict = field(default_factory=lambda: {True: 60.0, False: 8000.0})
    fewest_calls: int = 4  # however slow: to warm up, two that are checked, one between
    calls: int = 12


def expected_seconds(call: Call, pace: Pace, cost: Optional[Cost] = None) -> float:
    cost = cost or Cost()
    seconds = cost.start_s
    inputs = max(1, len(call.distributions)) * max(1, len(call.kept))
    # The copy, their ceiling, is one contender more.
    copy = [replace(row, block_sizes=(), items_per_thread=())
            for row in call.rows if row.on_device][:1]
    for row in [*call.rows, *copy]:
        tunings = call.contenders(row)
        for mode in call.modes:
            if mode not in row.modes:
                continue
            last = 0.0
            for n in call.sizes:
                if last > 1:  # measure_time stops a row whose call has passed a second
                    break
                per_element = cost.call_ns.get((row.operation, row.on_device), 1.0)
                if mode == "host" and row.on_device:
                    per_element += cost.transfer_ns
                last = cost.call_us * 1e-6 + n * per_element * 1e-9
                sample = last + (cost.cold_us[row.on_device] * 1e-6 if mode == "cold" else 0)
                sampling = min(max(pace.min_seconds, cost.calls * sample),
                               max(pace.max_seconds, cost.fewest_calls * sample))
                check = n * cost.check_ns[row.on_device and mode != "host"] * 1e-9
                seconds += inputs * tunings * (cost.row_s + sampling + check)
    return seconds


def expected_minutes(experiments: Iterable[str], listing: Listing, pace: Pace) -> float:
    return sum(expected_seconds(call, pace) for experiment in experiments
               for call in plan(experiment, listing, pace)) / 60


def choose_pace(experiments: Sequence[str], listing: Listing, minutes: Optional[float],
                slowness: float = 1.0) -> Pace:
    """The most thorough pace that fits, or the fastest one.

    slowness: how many times as long as expected things have taken so far.
    """
    if minutes is None:
        return PROTOCOL
    for pace in PACES:
        if slowness * expected_minutes(experiments, listing, pace) <= minutes:
            return pace
    return PACES[-1]


def parse_experiments(text: str, known: Sequence[str]) -> list[str]:
    """'scan,compact' in the study's order."""
    asked = [name for name in text.split(",") if name]
    for name in asked:
        if name not in known:
            raise ScriptError(f"--only: given '{name}', legal is {', '.join(known)}",
                              ExitCode.USAGE)
    if not asked:
        raise ScriptError(f"--only: nothing given, legal is {', '.join(known)}", ExitCode.USAGE)
    return [name for name in known if name in asked]


def can_stand_for(protocol: Optional[dict], pace: Pace) -> bool:
    """Whether what was measured is enough: a quick study is no full one."""
    return protocol is not None and (pace is QUICK or protocol.get("pace") != QUICK.name)
