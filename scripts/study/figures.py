"""Figures in prose: {cub scan single_pass 2^20} becomes 1.35, from the results files.

Numbers in prose about results are written in braces, so that they are always current:

    {time OPERATION ALGORITHM SIZE}      the median of one cold call: 8.51 µs
        {cub OPERATION ALGORITHM SIZE}       speed-up over cub: 1.35; cpu likewise
    {roof OPERATION ALGORITHM SIZE}      percent of roof: 98 %
        {relative OPERATION ALGORITHM SIZE}  time per element, relative to that at the next power of two
        {moved OPERATION ALGORITHM}          measured bytes divided by the necessary bytes: 10.3
    {dram|sm OPERATION ALGORITHM KERNEL} percent of the peak, under Nsight Compute: 61 %

SIZE is 2^20, 2^20-3, 1.5*2^20, or 2^10..2^12: then the smallest and the largest value at the powers of
two in that range are given. A distribution of keys may follow: {cub sort hybrid_radix 2^28 and2}.
"""
from __future__ import annotations

import re
from typing import Callable, Optional

from study.command_line import ExitCode, ScriptError
from study.markdown import digits, time_text
from study.rows import (PEER, REFERENCE, USUAL, Results, Row, is_power_of_two, lookup,
                        measured_over_must, percent_of_roof, rows_of, select, speed_against)

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
# A number with a unit of measurement, outside of code.
MEASURED = re.compile(r"\d[\d.,]*[ \u00a0]?(?:%|×|[µmnu]?s\b|[kMG]i?B/s|[GM]?keys/s|times\b)")
CODE = re.compile(r"```.*?```|`[^`\n]*`|<!-- generated:.*?<!-- end generated -->", re.DOTALL)
COUNTERS = {"dram": "dram_throughput_pct", "sm": "sm_throughput_pct"}


class UnknownFigure(ValueError):
    """The words in braces do not name a measured figure."""


def filled_in(text: str, results: Results, name: str) -> str:
    """The text with its figures inserted. Any other figure is an error."""
    def value(match: re.Match) -> str:
        try:
            return figure(match[1], results)
        except UnknownFigure as error:
            line = text.count("\n", 0, match.start()) + 1
            raise ScriptError(f"{name}:{line}: {match[0]}: {error}", ExitCode.USAGE) from error
    stray = strays(PLACEHOLDER.sub("", text))
    if stray:
        raise ScriptError(f"{name}: {stray[0]}", ExitCode.USAGE)
    return PLACEHOLDER.sub(value, text)


def strays(text: str) -> list[str]:
    """Figures that no script can check: those outside of code and of generated blocks."""
    prose = CODE.sub(lambda match: "\n" * match[0].count("\n"), text)
    return [f"line {i}: no script can check '{match[0]}'"
            for i, line in enumerate(prose.splitlines(), 1) for match in MEASURED.finditer(line)]


def figure(words: str, results: Results) -> str:
    kind, *names = words.split() or [""]
    if kind not in KINDS:
        raise UnknownFigure(f"expected one of {', '.join(KINDS)}")
    value, least, most = KINDS[kind]
    if not least <= len(names) <= most:
        raise UnknownFigure(f"'{kind}' takes {least} to {most} words")
    return value(results, *names)


def of_sizes(value: Callable[[list[Row], Row], Optional[float]], text: Callable[[float], str]
             ) -> Callable[..., str]:
    """A figure of one row, or the range over several rows."""
    def made(results: Results, operation: str, algorithm: str, size: str, *inputs: str) -> str:
        wanted = dict(USUAL.get(operation, {}))
        if inputs:
            wanted["distribution"], = inputs
        rows = list(select(rows_of(results, operation), mode="cold", **wanted))
        values = []
        for row in select(rows, algorithm=algorithm):
            if matches(row["n"], size):
                found = value(rows, row)
                if found is None:
                    raise UnknownFigure(f"nothing to compare with at {row['n']}")
                values.append(found)
        if not values:
            raise UnknownFigure("not measured")
        low, high = text(min(values)), text(max(values))
        return low if low == high else f"{low} to {high}"
    return made


def matches(n: int, size: str) -> bool:
    first, dots, last = size.partition("..")
    if dots:
        return is_power_of_two(n) and number(first) <= n <= number(last)
    return n == number(size)


def number(size: str) -> int:
    match = re.fullmatch(r"(1\.5\*)?2\^(\d{1,2})(-3)?", size)
    if not match:
        raise UnknownFigure(f"'{size}' is not a size such as 2^20, 2^20-3, 1.5*2^20, 2^10..2^12")
    power = 1 << int(match[2])
    return (3 * power // 2 if match[1] else power) - (3 if match[3] else 0)


def relative(rows: list[Row], row: Row) -> Optional[float]:
    n = row["n"]
    power = n + 3 if is_power_of_two(n + 3) else 1 << (n.bit_length() - 1)
    base = lookup(rows, row["algorithm"]).get(power)
    if base is None or base["median_us"] == 0:
        return None
    return (row["median_us"] / n) / (base["median_us"] / power)


def moved(results: Results, operation: str, algorithm: str) -> str:
    value = measured_over_must(results, operation, algorithm)
    if value is None:
        raise UnknownFigure("not measured")
    return digits(value)


def counter(name: str) -> Callable[..., str]:
    def made(results: Results, operation: str, algorithm: str, kernel: str) -> str:
        row = next(select(rows_of(results, "profile"), operation=operation, algorithm=algorithm,
                          kernel=kernel), None)
        if row is None or row.get(name) is None:
            raise UnknownFigure("not measured")
        return percent(row[name])
    return made


def percent(value: float) -> str:
    return f"{value:.0f} %"


# Each with the minimum and maximum number of words after it.
KINDS: dict[str, tuple[Callable[..., str], int, int]] = {
    "time": (of_sizes(lambda _, row: row["median_us"], time_text), 3, 4),
    **{name: (of_sizes(lambda rows, row, name=name: speed_against(rows, row, name), digits), 3, 4)
       for name in (PEER, REFERENCE)},
    "roof": (of_sizes(lambda _, row: percent_of_roof(row), percent), 3, 4),
    "relative": (of_sizes(relative, digits), 3, 4),
    "moved": (moved, 2, 2),
    **{kind: (counter(name), 3, 3) for kind, name in COUNTERS.items()}}
