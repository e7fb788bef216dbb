"""Timelines: files of measure_time --timeline, as results/timeline_schema.json describes them."""
from __future__ import annotations

import json
import math
from pathlib import Path

from study.command_line import ExitCode, ScriptError
from study.results_files import is_amount, read_text

STEPS = ("copy_in", "up", "kernel", "down", "copy_out")


def load_timeline(path: Path) -> dict:
    """A timeline, or a ScriptError that says what is wrong with it."""
    try:
        data = json.loads(read_text(path))
        machine, call = data["machine"], data["call"]
        _ = machine["gpu"] + machine["host_cpu"] + machine["commit"]
        _ = call["operation"] + call["algorithm"] + call["distribution"]
        for name, value in (("n", call["n"]), ("call_us", call["call_us"]),
                            ("bound_us", call["bound_us"]), ("up", call["bus_gb_s"]["up"]),
                            ("down", call["bus_gb_s"]["down"])):
            require(is_amount(value), name)
        require(isinstance(call["n"], int), "n")
        require(call["kept"] is None or is_amount(call["kept"]), "kept")
        for span in data["spans"]:
            require(span["step"] in STEPS, "step")
            require(isinstance(span["thread"], int) and span["thread"] >= 0, "thread")
            times = span["begin_us"], span["end_us"]
            require(all(isinstance(time, (int, float)) and math.isfinite(time) for time in times)
                    and times[0] <= times[1], "times")
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ScriptError(f"{path} is no timeline: {type(error).__name__}: {error}",
                          ExitCode.FILES) from error
    return data


def require(is_right: bool, what: str) -> None:
    if not is_right:
        raise ValueError(what)
