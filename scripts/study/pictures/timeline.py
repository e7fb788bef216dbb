"""What the picture of a timeline shows. Nothing here draws."""
from __future__ import annotations

from typing import Optional

from study.pictures.labels import power
from study.pictures.picture import Panel, Picture, Series

# In which line a step is, and what the legend calls it.
STEPS = {"copy_in": ("thread", "copied to pinned memory"), "up": ("up", "up the bus"),
         "kernel": ("kernels", "kernels"), "down": ("down", "down the bus"),
         "copy_out": ("thread", "copied from pinned memory")}
ORDER = ("thread", "up", "kernels", "down")
BESIDE_THE_BUS = ("copy_in", "copy_out")


def milliseconds(us: float) -> float:
    return round(us / 1e3, 6)


def line_of(span: dict) -> str:
    name = STEPS[span["step"]][0]
    return f"thread {span['thread']}" if name == "thread" else name


def lines(spans: list[dict]) -> tuple[str, ...]:
    """From the top: the threads, and what the device does."""
    seen = {(ORDER.index(STEPS[span["step"]][0]), span["thread"]): line_of(span) for span in spans}
    return tuple(seen[place] for place in sorted(seen))


def bars(step: str, style: int, spans: list[dict]) -> Optional[Series]:
    own = [span for span in spans if span["step"] == step]
    if not own:
        return None
    return Series(STEPS[step][1], tuple(map(line_of, own)),
                  tuple(milliseconds(span["begin_us"]) for span in own),
                  high=tuple(milliseconds(span["end_us"]) for span in own), style=style,
                  hollow=step in BESIDE_THE_BUS)


def picture(data: dict) -> Picture:
    machine, call, spans = data["machine"], data["call"], data["spans"]
    what = f"{call['algorithm']} {call['operation']}, n = {power(call['n'])}"
    took, bound = (f"{call[name] / 1e3:.3g} ms" for name in ("call_us", "bound_us"))
    kept = "" if call["kept"] is None else f"keeps {call['kept']:g}"
    bus = call["bus_gb_s"]
    note = " · ".join(part for part in (
        machine["gpu"], machine["host_cpu"], call["distribution"], kept,
        f"bus {bus['up']:.3g} GB/s up, {bus['down']:.3g} GB/s down",
        f"commit {machine['commit'][:10]}") if part)
    series = (Series("", lines(spans), ()),) + tuple(
        one for style, step in enumerate(STEPS) if (one := bars(step, style, spans)))
    return Picture("timeline", f"{what}: {took}; the bus alone takes {bound}", note,
                   "When each piece is copied, goes up, is worked on and comes down. The line is "
                   "where the bus alone would be done: all bytes, both ways at once.",
                   (Panel("dotted: where the bus alone would be done", "ms since the call began", "",
                          series, kind="spans",
                          x_scale="linear", line_at=milliseconds(call["bound_us"])),))
