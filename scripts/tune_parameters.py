#!/usr/bin/env python3
"""Finds the best block size and elements per thread of every module, and writes the block_size
experiment.

A default in the source disagrees if the best tuning is faster and the interquartile ranges do not
overlap: its third quartile is below the default's first quartile.
"""
from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # not there with PYTHONSAFEPATH
import study.ctrl_c  # before the imports that take time

from pathlib import Path
from typing import Optional, Sequence

from study.calls import exponent
from study.command_line import ExitCode, Parser, ScriptError, chosen, commit_name, number, run
from study.executables import Listing, MeasureTime, add_build_option, current_commit
from study.experiments import has_choice, tuning_calls
from study.pace import PACES, PROTOCOL, QUICK
from study.results_files import RESULTS, folder_for, load
from study.rows import rows_of
from study.session import Session
from study.tuning_choices import Choice, choices, describe_tuning

EXPERIMENT = "block_size"
OPERATIONS = ("scan", "compact")  # of the experiment; the scan of a sort is tuned with the scans


def describe_time(row: Optional[dict]) -> str:
    if row is None:
        return "-"
    return f"{row['median_us']:.1f} ({row['q1_us']:.1f}..{row['q3_us']:.1f})"


def defaults_of(listing: Listing) -> dict[tuple[str, str], tuple]:
    return {(row.operation, row.algorithm): (row.tuned_block_size, row.tuned_items_per_thread)
            for row in listing.rows}


def known_defaults(options) -> Optional[dict[tuple[str, str], tuple]]:
    """Those of the build; a file can be judged without one."""
    try:
        return defaults_of(MeasureTime(options.build).listing())
    except ScriptError as error:
        if options.build or not options.results:
            raise
        print(f"the defaults are left out: {error}", file=sys.stderr)
        return None


def print_choices(found: Sequence[Choice]) -> None:
    header = ("operation", "algorithm", "n", "best", "us (quartiles)", "runner-up",
              "us (quartiles)", "default", "us (quartiles)", "")
    lines = [header]
    for choice in found:
        verdict = ""
        if choice.disagrees:
            verdict = f"the default is {choice.slowness:.2f} times as slow"
        lines.append((choice.operation, choice.algorithm, exponent(choice.n),
                      describe_tuning(choice.best), describe_time(choice.best),
                      describe_tuning(choice.runner_up), describe_time(choice.runner_up),
                      describe_tuning(choice.default), describe_time(choice.default), verdict))
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    for line in lines:
        print("  ".join(field.ljust(width) for field, width in zip(line, widths)).rstrip())


def print_verdict(found: Sequence[Choice]) -> None:
    slower = [choice for choice in found if choice.disagrees]
    if not slower:
        print("\nno default is slower than the best beyond the quartiles")
        return
    print("\ndefaults that disagree with these measurements:")
    for choice in slower:
        print(f"    {choice.operation} {choice.algorithm} at {exponent(choice.n)}: "
              f"{describe_tuning(choice.default)} in the source, "
              f"{describe_tuning(choice.best)} is best")


def exponents(given: str) -> list[int]:
    return sorted({number(int, 0, 32)(word) for word in given.split(",")})


def parse(arguments: Sequence[str]):
    parser = Parser(__doc__)
    parser.add_argument("--output", metavar="DIR",
                        help="the folder for block_size.json [results/<the GPU's name>]")
    parser.add_argument("--operation", metavar="NAME,...",
                        help=f"only these [{','.join(OPERATIONS)}]")
    parser.add_argument("--exponents", metavar="K,...", type=exponents,
                        help="tune for 2^K elements, K from 0 to 32 [20,22,26]")
    parser.add_argument("--pace", choices=[pace.name for pace in (*PACES, QUICK)],
                        help="how long each tuning is sampled [protocol: until 10 samples and 0.3 s, "
                             "at most 15 s]")
    parser.add_argument("--results", metavar="FILE",
                        help="use an existing block_size.json, and measure nothing; without a build, the "
                             "defaults are left out")
    parser.add_argument("--commit", metavar="HASH", type=commit_name, help="the measured commit [from git]")
    add_build_option(parser)
    options = parser.parse_args(arguments)
    parser.refuse_together(options, "--results",
                           ("--output", "--operation", "--exponents", "--pace", "--commit"))
    return options


def measure(options, tool: MeasureTime) -> dict:
    listing = tool.listing()
    tunable = sorted({row.operation for row in listing.rows if has_choice(row)})
    operations = chosen("--operation", options.operation or ",".join(OPERATIONS), tunable)
    listing.require_gpu()
    machine = tool.machine(options.commit or current_commit())
    folder = Path(options.output or RESULTS / folder_for(machine["gpu"]))
    session = Session(tool, listing, machine, folder)
    pace = next(pace for pace in (*PACES, QUICK) if pace.name == (options.pace or PROTOCOL.name))
    calls = tuning_calls(listing, operations, [1 << k for k in options.exponents or (20, 22, 26)])
    return session.measure(EXPERIMENT, pace, calls)


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    data = (load(Path(options.results)) if options.results
            else measure(options, MeasureTime(options.build)))
    rows = [row for row in rows_of({data["experiment"]: data}, EXPERIMENT) if row["block_size"]]
    if not rows:
        raise ScriptError(f"{options.results or 'the measurement'} has no right row of the "
                          f"experiment {EXPERIMENT} with a block size", ExitCode.FILES)
    defaults = known_defaults(options)
    found = choices(rows, defaults or {})
    print_choices(found)
    if defaults is not None:
        print_verdict(found)
    return ExitCode.RIGHT


if __name__ == "__main__":
    run(main)
