"""The list of all pictures: numbers, names and captions, from results files.

This module and its imports draw nothing.
"""
from __future__ import annotations

from typing import Optional

from study.comparisons import OURS
from study.pictures.against_n import host, modes, of_operation, power_of_two, speedup
from study.pictures.compaction import kept, phases
from study.pictures.curves import Curves
from study.pictures.keys import keys
from study.pictures.memory import bytes_moved
from study.pictures.picture import Picture
from study.pictures.several_gpus import distributed
from study.pictures.tunings import block_size, items_per_thread
from study.rows import PEER, TITLES, Results


def pictures(results: Results) -> list[Picture]:
    """All pictures for which the results are sufficient; no two of the same rows."""
    curves = Curves(results)
    made: list[Optional[Picture]] = [of_operation(results, curves, operation) for operation in TITLES]
    made += [
        modes(results, curves), block_size(results, curves), items_per_thread(results, curves),
        phases(results, curves), host(results, curves), power_of_two(results, curves),
        keys(results, curves), kept(results, curves), bytes_moved(results, curves),
        distributed(results, curves)]
    return [picture for picture in made if picture is not None]


def readme_pictures(results: Results) -> list[Picture]:
    """The pictures that README alone shows."""
    return list(filter(None, [speedup(results, OURS, PEER)]))
