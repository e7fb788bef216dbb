"""The list of all pictures: numbers, names and captions, from results files.

This module and its imports draw nothing.
"""
from __future__ import annotations

from typing import Optional

from study.comparisons import OURS
from study.pictures.against_n import (host, modes, power_of_two, ratios, sort_std, speedup, time_all,
                                      time_gpu)
from study.pictures.compaction import kept, phases
from study.pictures.curves import Curves
from study.pictures.keys import distributions, keys, models
from study.pictures.memory import bytes_moved, roof
from study.pictures.picture import Picture
from study.pictures.tunings import block_size, items_per_thread
from study.rows import PEER, REFERENCE, TITLES, Results, is_device_row


def pictures(results: Results) -> list[Picture]:
    """All pictures for which the results are sufficient."""
    curves = Curves(results)
    made: list[Optional[Picture]] = []
    for operation in TITLES:
        made += [time_all(results, curves, operation), time_gpu(results, curves, operation)]
    made += [
        ratios(results, curves, REFERENCE, "ratio_to_cpu", "Against one CPU core",
               "How many times as fast as one CPU core, against n.",
               lambda row: row["algorithm"] != REFERENCE),
        ratios(results, curves, PEER, "ratio_to_cub", "Against CUB",
               "How many times as fast as CUB, against n, GPU rows.",
               lambda row: row["algorithm"] != PEER and is_device_row(row)),
        roof(results, curves), modes(results, curves), block_size(results, curves),
        items_per_thread(results, curves), phases(results, curves), sort_std(results, curves),
        host(results, curves), power_of_two(results, curves), distributions(results, curves),
        models(results, curves), keys(results, curves), kept(results, curves), bytes_moved(results, curves)]
    return [picture for picture in made if picture is not None]


def readme_pictures(results: Results) -> list[Picture]:
    """The pictures that README alone shows."""
    return list(filter(None, [speedup(results, OURS, PEER)]))
