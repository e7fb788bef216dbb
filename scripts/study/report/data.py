"""The data of the results page: rows of results files, and the machine of each file.

The sender of a folder of results may have written anything into it, so only files that match
results/schema.json are used.
"""
from __future__ import annotations

import sys
from pathlib import Path
from typing import Sequence

from study.command_line import ExitCode, ScriptError, one_line
from study.pictures.curves import styles
from study.pictures.drawing import COLOURS
from study.results_files import DISTRIBUTED, load_folder
from study.rows import PEER, ROOF_FROM, TITLES, USUAL, Results, algorithms_of, select

MACHINE = ("gpu", "driver", "cuda", "cub", "host_cpu", "commit", "date")
ROW = ("operation", "algorithm", "mode", "n", "distribution", "model", "kept", "variant",
       "block_size", "items_per_thread", "median_us", "q1_us", "q3_us", "samples", "roof_us",
       "energy_mj", "throttled", "unsteady_clock")


def report_data(folders: Sequence[Path]) -> dict:
    """All folders that match the schema; prints a line on stderr for each other folder."""
    found: dict[str, Results] = {}
    for folder in folders:
        try:
            results = checked_folder(folder)
        except ScriptError as error:
            print(one_line(f"left out: {error}"), file=sys.stderr)
        else:
            found[unlike(folder.resolve().name, found)] = results
    if not found:
        raise ScriptError("no results to show", ExitCode.FILES)
    return as_data(found)


def checked_folder(folder: Path) -> Results:
    """The measured times of a folder; a ScriptError if there are none."""
    timed = {name: data for name, data in load_folder(folder).items()
             if name not in ("profile", DISTRIBUTED)}
    if not any(list(select(data["rows"])) for data in timed.values()):
        raise ScriptError(f"{folder} has no measured times", ExitCode.FILES)
    return timed


def unlike(name: str, others: dict) -> str:
    """The name, or name-2 and so on if it is already used."""
    made, i = name, 1
    while made in others:
        i += 1
        made = f"{name}-{i}"
    return made


def as_data(folders: dict[str, Results]) -> dict:
    files, rows = [], []
    # Same order as in the pictures of this folder alone.
    algorithms = [name for results in folders.values() for name in styles(results)]
    for folder, results in folders.items():
        for experiment, data in results.items():
            right = list(select(data["rows"]))
            rows += [[len(files), *(row.get(name) for name in ROW)] for row in right]
            algorithms += algorithms_of(right)
            files.append({"folder": folder, "experiment": experiment,
                          **{name: data["machine"][name] for name in MACHINE},
                          "pace": data.get("protocol", {}).get("pace"),
                          "wrong": len(data["rows"]) - len(right)})
    return {"files": files, "fields": ["file", *ROW], "rows": rows, "algorithms": list(dict.fromkeys(algorithms)),
            "colours": COLOURS, "titles": TITLES, "usual": USUAL, "peer": PEER,
            "roof_from": ROOF_FROM}
