"""A picture as plain data.

So it can be compared with the one that was drawn last: whether a picture is up to date does not
depend on the version of a plotting library.
"""
from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Series:
    label: str
    x: tuple
    y: tuple[Optional[float], ...]  # None: a cell that is not known
    low: tuple[float, ...] = ()  # a band around y
    high: tuple[float, ...] = ()
    style: int = 0  # the same for an algorithm in all pictures; -1: a ceiling, drawn in grey
    host: bool = False
    hollow: bool = False  # markers alone


@dataclass(frozen=True)
class Panel:
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    # or stack, bars, heat (a line of cells for each series): then x are words
    kind: str = "lines"
    x_scale: str = "log2"  # or words, percent
    y_scale: str = "log"  # or linear, seconds (a log scale with units)
    line_at: Optional[float] = None  # where a ratio is 1
    line_label: str = ""
    y_limits: Optional[tuple[float, float]] = None


@dataclass(frozen=True)
class Picture:
    name: str
    title: str
    note: str  # what was measured, and how
    caption: str  # for the document: axes, GPU, and what to see
    panels: tuple[Panel, ...]
    columns: int = 1
    wide_first: bool = False  # the first panel has a line of its own

    def digest(self) -> str:
        """Changes with all that can be seen."""
        text = json.dumps(dataclasses.asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()
