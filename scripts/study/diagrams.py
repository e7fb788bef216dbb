"""The tutorial's diagrams: rows of eight cells, and arrows between them.

Each is made by carrying out the algorithm, so a diagram cannot show a value that the algorithm does
not compute. Nothing here draws.
"""
from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Callable, Optional, Sequence

IN = (2, 5, 1, 4, 3, 6, 1, 2)
SPARSE = (2, 0, 1, 4, 0, 6, 0, 2)  # a compaction's input
KEYS = (5, 2, 7, 0, 4, 1, 6, 3)    # three bits each
TILES = 4                          # with two elements each


@dataclass(frozen=True)
class Cell:
    text: str
    style: str = "plain"  # plain, new, result, wrong


@dataclass(frozen=True)
class Line:
    """A row of the diagram; None leaves a column empty."""
    label: str
    cells: tuple[Optional[Cell], ...]


@dataclass(frozen=True)
class Arrow:
    """From the bottom of one cell to the top of another, as (line, column); within a line, from side to
    side."""
    start: tuple[int, float]
    end: tuple[int, float]
    style: str = "keep"  # keep, add, wrong


@dataclass
class Diagram:
    name: str
    title: str
    lines: list[Line] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)

    def add(self, label: str, values: Sequence, new: Sequence[int] = (), style: str = "new") -> int:
        """Appends a row; the columns in `new` have the style. Returns the row's number."""
        cells = tuple(None if value is None else
                      Cell(str(value), style if column in new else "plain")
                      for column, value in enumerate(values))
        self.lines.append(Line(label, cells))
        return len(self.lines) - 1

    def connect(self, start: tuple[int, float], end: tuple[int, float], style: str = "keep") -> None:
        self.arrows.append(Arrow(start, end, style))


def exclusive(values: Sequence[int]) -> list[int]:
    return list(itertools.accumulate(values, initial=0))[:-1]


ALL = range(8)


def scan() -> Diagram:
    made = Diagram("scan", "Exclusive scan: each output is the sum of all inputs before it")
    top = made.add("in", IN)
    sums = made.add("out", exclusive(IN), ALL, "result")
    for i in range(7):
        made.connect((top, i), (sums, i + 1), "add")
        made.connect((sums, i), (sums, i + 1))
    return made


def naive() -> Diagram:
    made = Diagram("naive", "Naive: three levels for n = 8, then a shift by one place")
    values, line = list(IN), made.add("in", IN)
    for distance in (1, 2, 4):
        sums = [value + (values[i - distance] if i >= distance else 0)
                for i, value in enumerate(values)]
        below = made.add(f"distance {distance}", sums, range(distance, 8))
        for i in ALL:
            made.connect((line, i), (below, i))
            if i >= distance:
                made.connect((line, i - distance), (below, i), "add")
        values, line = sums, below
    below = made.add("out: shifted", [0, *values[:-1]], ALL, "result")
    for i in range(7):
        made.connect((line, i), (below, i + 1))
    return made


def efficient() -> Diagram:
    made = Diagram("efficient", "Efficient: up the tree (sums), then down the tree (prefixes)")
    values, line = list(IN), made.add("in", IN)
    for width in (1, 2, 4):
        rights = range(2 * width - 1, 8, 2 * width)
        for right in rights:
            values[right] += values[right - width]
        below = made.add(f"up, width {width}", values, rights)
        for right in rights:
            made.connect((line, right), (below, right))
            made.connect((line, right - width), (below, right), "add")
        line = below
    values[7] = 0  # the first launch on the way down treats the root as 0
    for width in (4, 2, 1):
        rights = range(2 * width - 1, 8, 2 * width)
        for right in rights:
            left = right - width
            values[left], values[right] = values[right], values[right] + values[left]
        touched = {place for right in rights for place in (right, right - width)}
        below = made.add("out" if width == 1 else f"down, width {width}", values, touched,
                         "result" if width == 1 else "new")
        for right in rights:
            if width < 4:
                made.connect((line, right), (below, right))
                made.connect((line, right), (below, right - width))
            made.connect((line, right - width), (below, right), "add")
        line = below
    return made


def shared_memory() -> Diagram:
    """Eight words of a tree, in four banks instead of 32, without padding and with it."""
    made = Diagram("shared_memory", "Bank conflicts: four banks, and the words 1, 3, 5, 7 at once")
    plain = made.add("word", ALL, (1, 3, 5, 7))
    banks = made.add("word mod 4", [f"bank {i}" if i < 4 else None for i in ALL])
    for word in (1, 3, 5, 7):
        made.connect((plain, word), (banks, word % 4), "wrong" if word >= 4 else "add")
    padded = made.add("word", ALL, (1, 3, 5, 7))
    banks = made.add("with padding", [f"bank {i}" if i < 4 else None for i in ALL])
    for word in (1, 3, 5, 7):
        made.connect((padded, word), (banks, (word + word // 4) % 4), "add")
    return made


def roofline() -> Diagram:
    made = Diagram("roofline", "Each arrow is a launch that reads an array and writes an array")
    for name, launches in (("copy", 1), ("single_pass", 1), ("efficient_plus", 2),
                           ("naive, n = 8", 4), ("efficient, n = 8", 6)):
        line = made.add(name, [*(["in"] + ["array"] * (launches - 1) + ["out"]),
                               *[None] * (7 - launches)], (launches,), "result")
        for launch in range(launches):
            made.connect((line, launch), (line, launch + 1), "add")
    return made


def tiles_in(values: Sequence[int]) -> list[int]:
    return [values[2 * tile] + values[2 * tile + 1] for tile in range(TILES)]


def spread(values: Sequence) -> list:
    """One value for each tile, below the tile's second element."""
    return [value for one in values for value in (None, one)]


def look_back() -> Diagram:
    made = Diagram("look_back", "Decoupled look-back: tile 3 stops at the first prefix, P")
    top = made.add("in: 4 tiles", IN)
    sums = tiles_in(IN)
    words = made.add("word", spread([f"P {sums[0]}", f"P {sums[0] + sums[1]}", f"A {sums[2]}",
                                     f"A {sums[3]}"]), (1, 3, 5, 7))
    for tile in range(TILES):
        made.connect((top, 2 * tile), (words, 2 * tile + 1), "add")
        made.connect((top, 2 * tile + 1), (words, 2 * tile + 1), "add")
    made.connect((words, 1), (words, 3), "add")  # the prefix of tile 1 contains that of tile 0
    before = made.add("before tile 3", [*[None] * 7, exclusive(sums)[3]], (7,))
    made.connect((words, 5), (before, 7), "add")
    made.connect((words, 3), (before, 7), "add")
    out = made.add("out of tile 3", [*[None] * 6, *exclusive(IN)[6:]], (6, 7), "result")
    made.connect((before, 7), (out, 6))
    made.connect((before, 7), (out, 7))
    return made


def single_pass() -> Diagram:
    made = Diagram("single_pass", "single_pass: each tile adds the aggregates of all earlier tiles")
    top = made.add("in: 4 tiles", IN)
    sums = tiles_in(IN)
    words = made.add("aggregate", spread(sums), (1, 3, 5, 7))
    for tile in range(TILES):
        made.connect((top, 2 * tile), (words, 2 * tile + 1), "add")
        made.connect((top, 2 * tile + 1), (words, 2 * tile + 1), "add")
    before = made.add("sum before", spread(exclusive(sums)), (1, 3, 5, 7))
    for tile in range(TILES):
        for earlier in range(tile):
            made.connect((words, 2 * earlier + 1), (before, 2 * tile + 1), "add")
    out = made.add("out", exclusive(IN), ALL, "result")
    for tile in range(TILES):
        made.connect((before, 2 * tile + 1), (out, 2 * tile))
        made.connect((before, 2 * tile + 1), (out, 2 * tile + 1))
    return made


def compaction() -> Diagram:
    made = Diagram("compaction", "Compaction: map to flags, scan the flags, scatter")
    top = made.add("in", SPARSE)
    flags = [int(value != 0) for value in SPARSE]
    mapped = made.add("flag", flags, [i for i in ALL if flags[i]])
    positions = exclusive(flags)
    scanned = made.add("position", positions)
    kept = [value for value in SPARSE if value]
    out = made.add("out", [*kept, *[None] * (8 - len(kept))], range(len(kept)), "result")
    for i in ALL:
        made.connect((top, i), (mapped, i))
        if flags[i]:
            made.connect((scanned, i), (out, positions[i]), "add")
    for i in range(7):
        made.connect((mapped, i), (scanned, i + 1))
    return made


def pass_of(keys: Sequence[int], digit: Callable[[int], int]) -> tuple[list[int], list[int]]:
    """The keys, stably sorted by a digit, and where each of them went."""
    order = sorted(ALL, key=lambda i: digit(keys[i]))
    places = [order.index(i) for i in ALL]
    return [keys[i] for i in order], places


def sort() -> Diagram:
    made = Diagram("sort", "Three split passes of one bit, or a pass of two bits and one of one bit")
    bits = [f"{key:03b}" for key in KEYS]
    keys, line = list(KEYS), made.add("keys", bits)
    for bit in range(3):
        keys, places = pass_of(keys, lambda key, bit=bit: key >> bit & 1)
        below = made.add(f"by bit {bit}", [f"{key:03b}" for key in keys], ALL,
                         "result" if bit == 2 else "new")
        for i, place in enumerate(places):
            made.connect((line, i), (below, place), "add" if place < 4 else "keep")
        line = below
    keys, line = list(KEYS), made.add("keys again", bits)
    for name, digit in (("by bits 0, 1", lambda key: key & 3), ("by bit 2", lambda key: key >> 2)):
        keys, places = pass_of(keys, digit)
        below = made.add(name, [f"{key:03b}" for key in keys], ALL,
                         "result" if name == "by bit 2" else "new")
        for i, place in enumerate(places):
            made.connect((line, i), (below, place), "add" if place < 4 else "keep")
        line = below
    return made


def planted_bug() -> Diagram:
    """Thread 7 runs first."""
    made = Diagram("planted_bug", "Without a barrier, thread 7 reads a word that thread 6 has not written")
    top = made.add("in", IN)
    tile = made.add("shared tile", [*["?"] * 7, IN[7]], range(7), "wrong")
    out = made.add("out", [*[None] * 7, "?"], (7,), "wrong")
    made.connect((top, 7), (tile, 7), "add")
    made.connect((tile, 6), (out, 7), "wrong")
    return made


DIAGRAMS: tuple[Callable[[], Diagram], ...] = (
    scan, naive, efficient, shared_memory, roofline, look_back, single_pass, compaction, sort,
    planted_bug)
