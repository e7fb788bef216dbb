"""Formats tables and numbers for Markdown."""
from __future__ import annotations

import math
from typing import Optional, Sequence

from study.rows import MARKED_BELOW, is_marked_few, is_power_of_two, is_unstable

NOTHING = "–"
UNSTABLE, FEW = "†", "‡"


def table(header: Sequence[str], lines: Sequence[Sequence[str]], words: int = 1) -> str:
    """Markdown. The first columns hold words, the others numbers. A name may contain a |."""
    rule = [":--" if i < words else "--:" for i in range(len(header))]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
                     for line in (header, rule, *lines))


def code(name: str) -> str:
    return f"`{name}`"


def time_text(us: Optional[float]) -> str:
    """Three digits and a unit: '4.31 µs', '12.6 ms'."""
    if us is None:
        return NOTHING
    for unit, size in (("s", 1e6), ("ms", 1e3), ("µs", 1.0)):
        if us >= size:
            return f"{digits(us / size)} {unit}"
    return f"{digits(us * 1e3)} ns"


def row_time(row: Optional[dict]) -> str:
    """The median time of a row, with marks that marks_legend() explains."""
    if row is None:
        return NOTHING
    return (time_text(row["median_us"]) + UNSTABLE * is_unstable(row) + FEW * is_marked_few(row))


def marks_legend(text: str) -> str:
    """The sentences for the marks that a text contains."""
    return " ".join(sentence for mark, sentence in (
        (UNSTABLE, f"{UNSTABLE} unstable: the interquartile range exceeds half of the median."),
        (FEW, f"{FEW} fewer than {MARKED_BELOW} samples.")) if mark in text)


def digits(value: Optional[float]) -> str:
    """Three significant digits, or all digits before the decimal point."""
    if value is None:
        return NOTHING
    if value == 0:
        return "0"
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}"


def ratio_text(value: Optional[float]) -> str:
    return NOTHING if value is None else f"{digits(value)}×"


def power(n: int) -> str:
    return f"2<sup>{n.bit_length() - 1}</sup>" if is_power_of_two(n) else f"{n:,}"
