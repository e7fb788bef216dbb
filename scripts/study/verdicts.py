"""Judges each row of two results files: FAST, SLOW, SAME or AMBIGUOUS, the second file against the first.

If both rows have their samples, an interval of the speed-up decides (see bootstrap.py): SAME if all of it
is within the tolerance, FAST or SLOW if all of it is beyond the tolerance, AMBIGUOUS otherwise. Rows
without samples are judged by their quartiles: FAST or SLOW if these do not overlap and the medians
differ by more than the tolerance; SAME if all ratios of a quartile of one row to a quartile of the other
are within it. A row with fewer than 4 samples is AMBIGUOUS.
"""
from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from dataclasses import dataclass
from typing import Optional, Sequence

from study.bootstrap import ratio_interval
from study.command_line import ExitCode, Parser, ScriptError, counted, number
from study.results_files import key_of
from study.rows import FEWEST_SAMPLES, has_few_samples, is_faster, select

FAST, SLOW, SAME, AMBIGUOUS = "FAST", "SLOW", "SAME", "AMBIGUOUS"
VERDICTS = (FAST, SLOW, SAME, AMBIGUOUS)
TOLERANCE = 0.015  # half of the slowdown that shall be found, 3 %: it is as far from 0 as from 3 %


@dataclass(frozen=True)
class Comparison:
    """A row of A and the same row of B."""
    a: dict
    b: dict
    tolerance: float = TOLERANCE

    @functools.cached_property
    def interval(self) -> Optional[tuple[float, float, float]]:
        """B's speed-up over A and the ends of its confidence interval; None without samples."""
        rounds = [rounds_of(row) for row in (self.a, self.b)]
        if not all(rounds) or len(rounds[0]) != len(rounds[1]):
            return None
        return ratio_interval(*rounds)

    @property
    def verdict(self) -> str:
        if has_few_samples(self.a, self.b):
            return AMBIGUOUS
        least, most = 1 / (1 + self.tolerance), 1 + self.tolerance
        if self.interval:
            _, low, high = self.interval
            if low > most or high < least:
                return FAST if low > most else SLOW
        else:
            low, high = quartiles_of_speedup(self.a, self.b)
            if abs(self.b["median_us"] - self.a["median_us"]) > self.tolerance * self.a["median_us"]:
                if is_faster(self.b, self.a):
                    return FAST
                if is_faster(self.a, self.b):
                    return SLOW
        return SAME if least <= low and high <= most else AMBIGUOUS

    @property
    def speedup(self) -> float:
        """B's speed-up over A."""
        if self.interval:
            return self.interval[0]
        return quotient(self.a["median_us"], self.b["median_us"])


def rounds_of(row: dict) -> Optional[list[list[float]]]:
    """The samples of each round; None if the row has no samples."""
    samples = row.get("samples_us")
    if samples is None:
        return None
    ends = list(itertools.accumulate(row.get("rounds", [len(samples)])))
    return [samples[begin:end] for begin, end in zip([0, *ends], ends)]


def quartiles_of_speedup(a: dict, b: dict) -> tuple[float, float]:
    """From the first quartile of A and the third of B to the third of A and the first of B."""
    return quotient(a["q1_us"], b["q3_us"]), quotient(a["q3_us"], b["q1_us"])


def quotient(a: float, b: float) -> float:
    """a / b of two times; 1 if both are less than the clock can measure."""
    if b == 0:
        return math.inf if a > 0 else 1.0
    return a / b


def compare(a: dict, b: dict, tolerance: float = TOLERANCE) -> tuple[list[Comparison], list[dict], list[dict]]:
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


def describe(row: dict) -> str:
    words = [name_of(row)]
    if row["block_size"] is not None:
        items = row["items_per_thread"]
        words.append(f"{row['block_size']}" + (f"x{items}" if items is not None else ""))
    if "padding" in row:
        words.append("unpadded")
    words += [row["mode"], f"n={row['n']}", row["distribution"]]
    if row["kept"] is not None:
        words.append(f"kept {100 * row['kept']:g} %")
    return " ".join(words)


def format_row(comparison: Comparison, width: int) -> str:
    a, b = comparison.a, comparison.b
    spread = [f"{row['median_us']:.2f} ({row['q1_us']:.2f}..{row['q3_us']:.2f})" for row in (a, b)]
    interval = ""
    if comparison.interval:
        _, low, high = comparison.interval
        interval = f" [{low:.3f}, {high:.3f}]"
    return (f"{describe(a):{width}}  {spread[0]:>32}  {spread[1]:>32}  {comparison.speedup:6.3f}x"
            f"{interval}  {comparison.verdict}")


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
        lines.append(f"{name}: {', '.join(f'{counts[verdict]} {verdict}' for verdict in VERDICTS)}; B is "
                     f"{'-' if mean is None else format(mean, '.3f')} times as fast as A "
                     "(geometric mean)")
    return lines


def add_verdict_options(parser: Parser) -> None:
    parser.add_argument("--fail", action="store_true",
                        help="exit code 1 if a row of B is SLOW or wrong, 2 if B lacks rows of A")
    parser.add_argument("--tolerance", metavar="PERCENT", type=number(float, 0, 1000),
                        default=100 * TOLERANCE,
                        help="smaller differences do not matter, 0 to 1000 [1.5]")
    parser.add_argument("--all", action="store_true",
                        help="also show the rows that are SAME or AMBIGUOUS")


def report(a: dict, b: dict, names: tuple[str, str], options) -> ExitCode:
    """Prints the comparison of two results, and returns the exit code. The names are for messages; the
    options are those of add_verdict_options()."""
    both, only_a, only_b = compare(a, b, options.tolerance / 100)
    wrong = wrong_rows(b)
    if not both and not (options.fail and wrong):
        raise ScriptError(f"{names[0]} and {names[1]} have no row in common"
                          + (" whose result is right" if wrong_rows(a) + wrong else ""),
                          ExitCode.USAGE)
    for label, data in (("A", a), ("B", b)):
        machine = data["machine"]
        print(f"{label}: {machine['gpu']}, commit {machine['commit']}"
              + (f", CUB {machine['cub']}" if machine.get("cub") else ""))
    if a["machine"]["gpu"] != b["machine"]["gpu"]:
        print("note: the GPUs are different")

    shown = [one for one in both if options.all or one.verdict in (FAST, SLOW)]
    width = max((len(describe(c.a)) for c in shown), default=0)
    for comparison in shown:
        print(format_row(comparison, width))
    print()
    print("\n".join(summaries(both)))
    few = sum(has_few_samples(comparison.a, comparison.b) for comparison in both)
    slow = sum(comparison.verdict == SLOW for comparison in both)
    for count, what in ((few, f"with fewer than {FEWEST_SAMPLES} samples: {AMBIGUOUS}"),
                        (len(only_a), f"only in A{names_of(only_a)}"),
                        (len(only_b), f"only in B{names_of(only_b)}"),
                        (wrong_rows(a), "with a wrong result in A"),
                        (wrong, "with a wrong result in B"), (slow, f"{SLOW} in B")):
        if count:
            print(f"{counted(count, 'row')} {what}")
    if not options.fail:
        return ExitCode.RIGHT
    if slow or wrong:
        return ExitCode.WRONG
    return ExitCode.USAGE if only_a else ExitCode.RIGHT
