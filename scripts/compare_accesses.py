#!/usr/bin/env python3
"""Compares the counts of count_accesses with the measurements of Nsight Compute, kernel by kernel.

Exit code 1 if launches or threads differ, or anything else by more than 5 %."""
from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # not there with PYTHONSAFEPATH
import study.ctrl_c  # before the imports that take time

import csv
import io
from pathlib import Path
from typing import Sequence

from study.access_counts import QUANTITIES, Compared, compare, load_counts, options_of
from study.command_line import ExitCode, Parser, Progress, ScriptError, run
from study.executables import MeasureTime, add_build_option, find_program
from study.profiler import Profiler, find_ncu
from study.results_files import RESULTS, folder_for, refuse_inputs, write_text

HEADER = ("operation", "algorithm", "n", "kernel", "quantity", "counted", "measured", "difference_pct")


def exponent_of(counts: dict) -> int:
    sizes = {row["n"] for row in counts["rows"]}
    n = next(iter(sizes), 0)
    if len(sizes) != 1 or n & (n - 1) or n < 2:
        raise ScriptError("--counts: the rows are not of one power of two", ExitCode.FILES)
    return n.bit_length() - 1


def as_csv(compared: Sequence[Compared]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows((*one.place, one.quantity, f"{one.counted:g}", f"{one.measured:g}",
                      f"{one.difference:.1f}") for one in compared)
    return text.getvalue()


def main(arguments: Sequence[str]) -> int:
    parser = Parser(__doc__)
    parser.add_argument("--counts", metavar="FILE", default=RESULTS / "accesses.json",
                        help="a file written by count_accesses --json [results/accesses.json]")
    parser.add_argument("--output", metavar="FILE",
                        help="the output table [results/<the GPU's name>/accesses.csv]")
    parser.add_argument("--ncu", metavar="PROGRAM", help="Nsight Compute's ncu [found]")
    add_build_option(parser)
    options = parser.parse_args(arguments)

    counts = load_counts(Path(options.counts))
    exponent = exponent_of(counts)
    tool = MeasureTime(options.build)
    listing = tool.require_gpu()
    profiler = Profiler(find_ncu(options.ncu), find_program("stream_compaction_test", options.build),
                        exponent)
    on_gpu = {(row.operation, row.algorithm): row for row in listing.rows if row.on_device}
    calls = []
    for counted in counts["rows"]:
        row = on_gpu.get((counted["operation"], counted["algorithm"]))
        if row is None:
            raise ScriptError(f"--counts: no row of a GPU is {counted['operation']} "
                              f"{counted['algorithm']}; known are {', '.join(map(' '.join, on_gpu))}",
                              ExitCode.FILES)
        calls.append((counted, row, options_of(counted, counts["seed"])))
    path = Path(options.output or RESULTS / folder_for(tool.machine("")["gpu"]) / "accesses.csv")
    refuse_inputs(path)  # before the measurement
    progress = Progress(0)
    compared: list[Compared] = []
    for counted, row, its_options in calls:
        progress.step(f"{row.operation} {row.algorithm}")
        compared += compare(counted, profiler.launches(row, list(QUANTITIES.values()), None,
                                                       its_options))
    write_text(path, as_csv(compared))
    wrong = [one for one in compared if not one.agrees]
    for one in wrong:
        print(f"{' '.join(map(str, one.place))}: {one.quantity}: counted {one.counted:g}, "
              f"measured {one.measured:g}")
    print(f"{len(compared) - len(wrong)} of {len(compared)} agree: {path}")
    return ExitCode.WRONG if wrong else ExitCode.RIGHT


if __name__ == "__main__":
    run(main)
