"""Texts that pictures share."""
from __future__ import annotations

from study.rows import Results, is_power_of_two


COLD = "cold L2, median and quartiles"
COLD_MEDIANS = "cold L2, medians"
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
TIME = "time of one call"
WORDS = {"scan": "scan", "compact": "compaction", "sort": "sort"}  # an operation, in a sentence


def note(results: Results, words: str, *experiments: str) -> str:
    """The machine and software of a picture's experiments, with every version of CUB."""
    machines = [results[experiment]["machine"] for experiment in experiments]
    cubs = " and ".join(dict.fromkeys(machine["cub"] for machine in machines
                                      if machine.get("cub")))
    parts = [machines[0]["gpu"], words, "32-bit integers", f"commit {machines[0]['commit'][:10]}",
             f"CUB {cubs}" if cubs else ""]
    return " · ".join(part for part in parts if part)


def caption(results: Results, experiment: str, x: str, y: str, *sentences: str) -> str:
    """The axes, the GPU, and what to see."""
    return " ".join([f"X axis: {x}. Y axis: {y}. GPU: {results[experiment]['machine']['gpu']}.",
                     *filter(None, sentences)])


def power(n: int) -> str:
    """2²⁶, or the number."""
    if is_power_of_two(n):
        return "2" + str(n.bit_length() - 1).translate(SUPERSCRIPTS)
    return f"{n:,}"


def listed(words: list[str]) -> str:
    """a, b and c"""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
