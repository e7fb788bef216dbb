#!/usr/bin/env python3
"""Compares two results files row by row: faster, slower, or not distinguishable.

Two medians count as different if the ranges from first to third quartile do not overlap, both rows
have at least 4 samples, and the medians differ by more than the tolerance.
"""
from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # not there with PYTHONSAFEPATH
import study.ctrl_c  # before the imports that take time

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

from study.command_line import ExitCode, Parser, ScriptError, counted, number, run
from study.results_files import key_of, load
from study.rows import FEWEST_SAMPLES, has_few_samples, is_faster, select

FASTER, SLOWER, SAME = "faster", "slower", "not distinguishable"


@dataclass(frozen=True)
class Comparison:
    """A row of A and the same row of B."""
    a: dict
    b: dict
    tolerance: float = 0.0  # of A's median

    @property
    def verdict(self) -> str:
        a, b = self.a["median_us"], self.b["median_us"]
        if abs(b - a) <= self.tolerance * a:
            return SAME
        return FASTER if is_faster(self.b, self.a) else SLOWER if is_faster(self.a, self.b) else SAME

    @property
    def speedup(self) -> float:
        """B's speed-up over A."""
        if self.b["median_us"] == 0:
            return math.inf if self.a["median_us"] > 0 else 1.0
        return self.a["median_us"] / self.b["median_us"]


def compare(a: dict, b: dict, tolerance: float = 0.0) -> tuple[list[Comparison], list[dict], list[dict]]:
    """The rows that both files have, in A's order; the rows of A alone; those of B alone. Rows with a
    wrong result have no time, and are left out, with the same rows of the other file."""
    of_a, of_b = ({key_of(row): row for row in select(data["rows"])} for data in (a, b))
    in_a, in_b = ({key_of(row) for row in data["rows"]} for data in (a, b))
    return ([Comparison(row, of_b[key], tolerance) for key, row in of_a.items() if key in of_b],
            [row for key, row in of_a.items() if key not in in_b],
            [row for key, row in of_b.items() if key not in in_a])


def wrong_rows(data: dict) -> int:
    return len(data["rows"]) - len(list(select(data["rows"])))


def name_of(row: dict) -> str:
    return " ".join(filter(None, (row["operation"], row["algorithm"], row.get("variant"))))


def names_of(rows: Sequence[dict]) -> str:
    """': scan cub, scan naive', or nothing."""
    names = dict.fromkeys(map(name_of, rows))
    return ": " + ", ".join(names) if names else ""


def difference_of_experiments(a: dict, b: dict) -> str:
    """Empty if both files have the same experiment."""
    if a["experiment"] == b["experiment"]:
        return ""
    return f"the experiments are different: {a['experiment']} in A, {b['experiment']} in B"


def describe(row: dict) -> str:
    words = [name_of(row)]
    if row["block_size"] is not None:
        items = row["items_per_thread"]
        words.append(f"{row['block_size']}" + (f"x{items}" if items is not None else ""))
    words += [row["mode"], f"n={row['n']}", row["distribution"]]
    if row["kept"] is not None:
        words.append(f"kept {100 * row['kept']:g} %")
    return " ".join(words)


def format_row(comparison: Comparison, width: int) -> str:
    a, b = comparison.a, comparison.b
    spread = [f"{row['median_us']:.2f} ({row['q1_us']:.2f}..{row['q3_us']:.2f})" for row in (a, b)]
    return (f"{describe(a):{width}}  {spread[0]:>32}  {spread[1]:>32}  {comparison.speedup:6.3f}x  "
            f"{comparison.verdict}")


def geometric_mean(values: Sequence[float]) -> Optional[float]:
    known = [value for value in values if 0 < value < math.inf]
    return math.exp(sum(map(math.log, known)) / len(known)) if known else None


def summaries(both: Sequence[Comparison]) -> list[str]:
    """A line for each row of the registry, and one for all rows together."""
    groups: dict[str, list[Comparison]] = {}
    for comparison in both:
        groups.setdefault(name_of(comparison.a), []).append(comparison)
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
    parser = Parser(__doc__, epilog=(
        "Exit codes: 0; 2 usage, or no correct row in common; 4 files that cannot be read. With "
        "--fail also 1 if a row of B is slower or its result wrong, and otherwise 2 if B lacks a row "
        "of A."))
    parser.add_argument("a", metavar="A", help="a results file")
    parser.add_argument("b", metavar="B", help="another results file of the same experiment")
    parser.add_argument("--fail", action="store_true",
                        help="exit code 1 if B is slower or wrong, 2 if it lacks rows of A")
    parser.add_argument("--tolerance", metavar="PERCENT", type=number(float, 0, 1000), default=0.0,
                        help="medians within this tolerance are not distinguishable, 0 to "
                             "1000 [0]")
    parser.add_argument("--all", action="store_true",
                        help="also show the rows that are not distinguishable")
    options = parser.parse_args(arguments)

    a, b = load(Path(options.a)), load(Path(options.b))
    for data, name in ((a, options.a), (b, options.b)):
        if data["experiment"] == "profile":
            raise ScriptError(f"{name}: a profile has no times to compare", ExitCode.USAGE)
    both, only_a, only_b = compare(a, b, options.tolerance / 100)
    wrong = wrong_rows(b)
    different = difference_of_experiments(a, b)
    if not both and not (options.fail and wrong):
        raise ScriptError(f"{options.a} and {options.b} have no row in common"
                          + (" whose result is right" if wrong_rows(a) + wrong else "")
                          + (f": {different}" if different else ""), ExitCode.USAGE)
    for label, data in (("A", a), ("B", b)):
        machine = data["machine"]
        print(f"{label}: {machine['gpu']}, commit {machine['commit']}"
              + (f", CUB {machine['cub']}" if machine.get("cub") else ""))
    if a["machine"]["gpu"] != b["machine"]["gpu"]:
        print("note: the GPUs are different")
    if different:
        print(f"note: {different}")

    shown = [one for one in both if options.all or one.verdict != SAME]
    width = max((len(describe(c.a)) for c in shown), default=0)
    for comparison in shown:
        print(format_row(comparison, width))
    print()
    print("\n".join(summaries(both)))
    few = sum(has_few_samples(comparison.a, comparison.b) for comparison in both)
    slower = sum(comparison.verdict == SLOWER for comparison in both)
    for count, what in ((few, f"with fewer than {FEWEST_SAMPLES} samples: not distinguishable"),
                        (len(only_a), f"only in A{names_of(only_a)}"),
                        (len(only_b), f"only in B{names_of(only_b)}"),
                        (wrong_rows(a), "with a wrong result in A"),
                        (wrong, "with a wrong result in B"), (slower, "slower in B")):
        if count:
            print(f"{counted(count, 'row')} {what}")
    if not options.fail:
        return ExitCode.RIGHT
    if slower or wrong:
        return ExitCode.WRONG
    return ExitCode.USAGE if only_a else ExitCode.RIGHT


if __name__ == "__main__":
    run(main)
