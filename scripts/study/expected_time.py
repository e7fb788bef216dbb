"""Estimates how long calls of measure_time take, and chooses the pace that fits in a time."""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Iterable, Optional, Sequence

from study.calls import Call
from study.executables import Listing
from study.experiments import plan
from study.pace import PACES, PROTOCOL, Pace


COPIES = 3  # of device memory


@dataclass(frozen=True)
class Cost:
    """A rough model of a machine; the running study corrects its errors."""
    start_s: float = 2.0  # of a process: the driver, the first kernels
    row_s: float = 0.02  # making and checking a plan, warm-up
    check_ns: dict = field(default_factory=lambda: {True: 0.03, False: 1.0})  # per element; on the device?
    call_us: float = 12.0
    call_ns: dict = field(default_factory=lambda: {  # per element, mean of an operation's rows
        ("scan", True): 0.012, ("compact", True): 0.018, ("sort", True): 0.06,
        ("scan", False): 0.6, ("compact", False): 2.0, ("sort", False): 40.0})
    transfer_ns: float = 1.0  # per element, both ways, for calls on host arrays
    cold_us: dict = field(default_factory=lambda: {True: 60.0, False: 8000.0})
    fewest_calls: int = 4  # minimum: warm-up, two checked calls, one between
    calls: int = 12


def expected_seconds(call: Call, pace: Pace, cost: Optional[Cost] = None) -> float:
    cost = cost or Cost()
    seconds = cost.start_s
    inputs = max(1, len(call.distributions)) * max(1, len(call.kept))
    # Copies are further contenders: with the first input several, later the fastest of them.
    copy = [replace(row, block_sizes=(), items_per_thread=())
            for row in call.rows if row.on_device][:1]
    for row in [*call.rows, *copy]:
        more = COPIES - 1 if copy and row is copy[0] else 0
        tunings = call.contenders(row)
        for mode in call.modes:
            if mode not in row.modes:
                continue
            last = 0.0
            for n in call.sizes:
                if last > 1:  # measure_time stops a row whose call took more than a second
                    break
                per_element = cost.call_ns.get((row.operation, row.on_device), 1.0)
                if mode == "host" and row.on_device:
                    per_element += cost.transfer_ns
                last = cost.call_us * 1e-6 + n * per_element * 1e-9
                sample = last + (cost.cold_us[row.on_device] * 1e-6 if mode == "cold" else 0)
                sampling = min(max(pace.min_seconds, cost.calls * sample),
                               max(pace.max_seconds, cost.fewest_calls * sample))
                check = n * cost.check_ns[row.on_device and mode != "host"] * 1e-9
                seconds += (inputs + (more if mode != "host" else 0)) * tunings * (cost.row_s + sampling + check)
    return seconds


def expected_minutes(experiments: Iterable[str], listing: Listing, pace: Pace) -> float:
    return sum(expected_seconds(call, pace) for experiment in experiments
               for call in plan(experiment, listing, pace)) / 60


def choose_pace(experiments: Sequence[str], listing: Listing, minutes: Optional[float],
                slowness: float = 1.0) -> Pace:
    """The most thorough pace that fits, or the fastest one.

    slowness: the ratio of actual to expected duration so far.
    """
    if minutes is None:
        return PROTOCOL
    for pace in PACES:
        if slowness * expected_minutes(experiments, listing, pace) <= minutes:
            return pace
    return PACES[-1]
