"""A small timeline, made up: two pieces, copied by two threads."""
from __future__ import annotations

from script_case import results


def span(step: str, thread: int, begin_us: float, end_us: float, size: int = 400) -> dict:
    return {"step": step, "thread": thread, "piece": thread, "bytes": size, "begin_us": begin_us,
            "end_us": end_us}


def small() -> dict:
    return {"machine": results([])["machine"],
            "call": {"operation": "compact", "algorithm": "streamed", "n": 256,
                     "distribution": "uniform50", "kept": 0.5, "call_us": 31240.0,
                     "bound_us": 21000.0, "bus_gb_s": {"up": 51.26, "down": 50.0}},
            "spans": [span("copy_in", 1, 10, 900), span("copy_in", 0, 11, 1000),
                      span("up", 0, 901, 2000), span("up", 0, 2000, 2500),
                      span("kernel", 0, 2500, 2600, 0), span("down", 0, 2600, 4000),
                      span("kernel", 0, 2600, 2700, 0), span("down", 0, 4000, 4500),
                      span("copy_out", 0, 4000, 5000), span("copy_out", 1, 4500, 31000)]}
