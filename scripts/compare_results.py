#!/usr/bin/env python3
"""Compares two results files row by row: faster, slower, or not distinguishable.

Two medians are told apart only where the ranges from first to third quartile do not touch.
"""
from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

from study.command_line import ExitCode, Parser, ScriptError, run
from study.results_files import key_of, load
from study.rows import select

FASTER, SLOWER, SAME = "faster", "slower", "not distinguishable"


@dataclass(frozen=True)
class Comparison:
    """A row of A and the same row of B."""
    a: dict
    b: dict

    @property
    def verdict(self) -> str:
        if self.b["q3_us"] < self.a["q1_us"]:
            return FASTER
        if self.b["q1_us"] > self.a["q3_us"]:
            return SLOWER
        return SAME

    @property
    def speedup(self) -> float:
        """How many times as fast B is."""
        if self.b["median_us"] == 0:
            return math.inf if self.a["median_us"] > 0 else 1.0
        return self.a["median_us"] / self.b["median_us"]


def compare(a: dict, b: dict) -> tuple[list[Comparison], list[dict], list[dict]]:
    """The rows that both have, in A's order; the rows of A alone, of B alone. A row with a wrong
    result has no time, and is not there."""
    of_a, of_b = ({key_of(row): row for row in select(data["rows"])} for data in (a, b))
    return ([Comparison(row, of_b[key]) for key, row in of_a.items() if key in of_b],
            [row for key, row in of_a.items() if key not in of_b],
            [row for key, row in of_b.items() if key not in of_a])


def wrong_rows(data: dict) -> int:
    return len(data["rows"]) - len(list(select(data["rows"])))


def describe(row: dict) -> str:
    words = [row["operation"], row["algorithm"]]
    if row.get("block_size") is not None:
        items = row.get("items_per_thread")
        words.append(f"{row['block_size']}" + (f"x{items}" if items is not None else ""))
    words += [row["mode"], f"n={row['n']}", row.get("distribution") or ""]
    if row.get("kept") is not None:
        words.append(f"kept {100 * row['kept']:g} %")
    return " ".join(word for word in words if word)


def format_row(comparison: Comparison, width: int) -> str:
    a, b = comparison.a, comparison.b
    spread = [f"{row['median_us']:.2f} ({row['q1_us']:.2f}..{row['q3_us']:.2f})" for row in (a, b)]
    return (f"{describe(a):{width}}  {spread[0]:>32}  {spread[1]:>32}  {comparison.speedup:6.3f}x  "
            f"{comparison.verdict}")


def geometric_mean(values: Sequence[float]) -> Optional[float]:
    known = [value for value in values if 0 < value < math.inf]
    return math.exp(sum(map(math.log, known)) / len(known)) if known else None


def summaries(both: Sequence[Comparison]) -> list[str]:
    """A line for each row of the registry, and one for all."""
    groups: dict[str, list[Comparison]] = {}
    for comparison in both:
        name = f"{comparison.a['operation']} {comparison.a['algorithm']}"
        groups.setdefault(name, []).append(comparison)
    lines = []
    for name, group in [*groups.items(), ("all", list(both))]:
        counts = Counter(comparison.verdict for comparison in group)
        mean = geometric_mean([comparison.speedup for comparison in group])
        lines.append(f"{name}: {counts[FASTER]} faster, {counts[SLOWER]} slower, "
                     f"{counts[SAME]} not distinguishable; B is "
                     f"{'-' if mean is None else format(mean, '.3f')} times as fast as A "
                     "(geometric mean)")
    return lines


def main(arguments: Sequence[str]) -> int:
    parser = Parser(description=__doc__.split("\n\n")[0], epilog=(
        "Exit codes: 0; 2 usage, or no right row that both have; 4 files that cannot be read. With "
        "--fail also 1 where a row of B is slower or its result wrong, and else 2 where B lacks a "
        "row of A."))
    parser.add_argument("a", metavar="A", help="a results file")
    parser.add_argument("b", metavar="B", help="another one, of the same experiment")
    parser.add_argument("--fail", action="store_true", help="exit code 1 where B is slower or wrong, 2 where it lacks rows of A")
    parser.add_argument("--tolerance", metavar="PERCENT", type=float, default=0.0,
                        help="medians that differ by less are not distinguishable either [0]")
    parser.add_argument("--all", action="store_true",
                        help="show also the rows that are not distinguishable")
    options = parser.parse_args(arguments)
    if not 0 <= options.tolerance < 100:
        parser.error(f"--tolerance: given {options.tolerance:g}, legal is 0 to 100 percent")

    a, b = load(Path(options.a)), load(Path(options.b))
    for data, name in ((a, options.a), (b, options.b)):
        if data["experiment"] == "profile":
            raise ScriptError(f"{name}: a profile has no times to compare", ExitCode.USAGE)
    both, only_a, only_b = compare(a, b)
    wrong = wrong_rows(b)
    if not both and not (options.fail and wrong):
        raise ScriptError(f"{options.a} and {options.b} have no row in common"
                          + (" whose result is right" if wrong_rows(a) + wrong else ""),
                          ExitCode.USAGE)
    for label, data in (("A", a), ("B", b)):
        machine = data["machine"]
        print(f"{label}: {machine['gpu']}, commit {machine['commit']}"
              + (f", CUB {machine['cub']}" if machine.get("cub") else ""))
    if a["machine"]["gpu"] != b["machine"]["gpu"]:
        print("note: the GPUs are different")

    limit = options.tolerance / 100
    distinct = [c for c in both if c.verdict != SAME
                and abs(c.b["median_us"] - c.a["median_us"]) > limit * c.a["median_us"]]
    shown = both if options.all else distinct
    width = max((len(describe(c.a)) for c in shown), default=0)
    for comparison in shown:
        print(format_row(comparison, width))
    print()
    print("\n".join(summaries(both)))
    for rows, label in ((only_a, "A"), (only_b, "B")):
        if rows:
            print(f"{len(rows)} rows are in {label} alone")
    if wrong:
        print(f"{wrong} rows of B have a wrong result")
    slower = sum(comparison.verdict == SLOWER for comparison in distinct)
    if slower:
        print(f"{slower} rows are slower")
    if not options.fail:
        return ExitCode.RIGHT
    if slower or wrong:
        return ExitCode.WRONG
    return ExitCode.USAGE if only_a else ExitCode.RIGHT


if __name__ == "__main__":
    run(main)
