"""The content of the pictures of counted accesses, from a file of count_accesses.

This module draws nothing.
"""
from __future__ import annotations

from typing import Callable, Optional

from study.pictures.curves import significant
from study.pictures.picture import Panel, Picture, Series
from study.pictures.labels import power

TREE = "efficient"  # the row whose launches are levels of a tree
GLOBAL = ("global_loads", "global_stores")


def moved(counts: dict) -> int:
    return sum(counts[kind]["bytes_moved"] for kind in GLOBAL)


def asked(counts: dict) -> int:
    return sum(counts[kind]["bytes_asked"] for kind in GLOBAL)


def note(row: dict) -> str:
    return f"counted by count_accesses · n = {power(row['n'])} · no cache · 32-bit integers"


def against_launch(row: dict, label: str, value: Callable[[dict], int], style: int) -> Series:
    launches = row["launches"]
    return Series(label, tuple(range(1, len(launches) + 1)),
                  tuple(float(value(launch)) for launch in launches), style=style)


def tree(rows: list[dict]) -> Optional[Picture]:
    """For each level: active threads, and the bytes that are moved."""
    row = next((row for row in rows if row["algorithm"] == TREE), None)
    if row is None:
        return None
    threads = Panel("threads", "launch: up-sweep, then down-sweep", "", (
        against_launch(row, "launched", lambda launch: launch["threads"], 2),
        against_launch(row, "active", lambda launch: launch["active_threads"], 1)), x_scale="linear")
    memory = Panel("bytes of global memory", "launch: up-sweep, then down-sweep", "", (
        against_launch(row, "moved", moved, 2),
        against_launch(row, "requested", asked, 1)), x_scale="linear")
    return Picture("tree", f"{TREE}: a launch for each level of the tree", note(row),
                   "X axes: launch. Y axes: threads, and bytes of global memory. The distance between "
                   "the lines shows threads without work, and bytes that no thread requested.",
                   (threads, memory), columns=2)


def bytes_of_rows(rows: list[dict]) -> Optional[Picture]:
    """How many bytes each row moves, and how many of them it requested."""
    if not rows:
        return None
    names = tuple(row["algorithm"] for row in rows)
    panels = tuple(
        Panel(title, "", "bytes per element", (Series(title, names, tuple(
            significant(value(row["total"]) / row["n"]) for row in rows)),), kind="bars")
        for title, value in (("requested", asked), ("moved, in sectors of 32 bytes", moved)))
    return Picture("bytes", "Exclusive scan: bytes of global memory per element", note(rows[0]),
                   "X axes: algorithm. Y axes: bytes per element that the kernels request, and that "
                   "are moved for these requests. A scan must move 8.", panels, columns=2)


def pictures(data: dict) -> list[Picture]:
    """The same for the scans of any elements."""
    rows = [row for row in data["rows"] if row["operation"] == "scan" and row["launches"] and row["n"]]
    return [picture for picture in (tree(rows), bytes_of_rows(rows)) if picture]
