#!/usr/bin/env python3
"""Profiles each kernel of each GPU row with Nsight Compute, and writes the profile experiment."""
from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # not there with PYTHONSAFEPATH
import study.ctrl_c  # before the imports that take time

from pathlib import Path
from typing import Optional, Sequence

from study.command_line import ExitCode, Parser, ScriptError, chosen, commit_name, number, run
from study.executables import MeasureTime, add_build_option, current_commit
from study.profiler import EXPONENT, find_ncu, profile
from study.results_files import RESULTS, folder_for
from study.session import Session


def print_table(data: dict) -> None:
    def percent(value: Optional[float]) -> str:
        return "-" if value is None else f"{value:.0f}"

    print(f"{'operation':9} {'algorithm':16} {'kernel':32} {'launches':>8} {'us':>9} "
          f"{'MB':>8} {'DRAM%':>6} {'SM%':>5} {'occ%':>5} {'regs':>5}")
    for row in data["rows"]:
        moved = row["dram_bytes"]
        print(f"{row['operation']:9} {row['algorithm']:16} {row['kernel'][:32]:32} "
              f"{row['launches']:8} {row['time_us']:9.1f} "
              f"{'-' if moved is None else format(moved / 1e6, '.1f'):>8} "
              f"{percent(row['dram_throughput_pct']):>6} {percent(row['sm_throughput_pct']):>5} "
              f"{percent(row['occupancy_pct']):>5} {percent(row['registers']):>5}")


def main(arguments: Sequence[str]) -> int:
    parser = Parser(__doc__)
    parser.add_argument("--output", metavar="DIR",
                        help="the folder for profile.json [results/<the GPU's name>]")
    parser.add_argument("--operation", metavar="NAME,...", help="only these operations")
    parser.add_argument("--algorithm", metavar="NAME,...", help="only these algorithms")
    parser.add_argument("--exponent", metavar="K", type=number(int, 4, 32), default=EXPONENT,
                        help=f"profile calls on 2^K elements, K from 4 to 32 [{EXPONENT}]")
    parser.add_argument("--ncu", metavar="PROGRAM", help="Nsight Compute's ncu [found]")
    parser.add_argument("--commit", metavar="HASH", type=commit_name, help="the profiled commit [from git]")
    add_build_option(parser)
    options = parser.parse_args(arguments)

    tool = MeasureTime(options.build)
    listing = tool.listing()
    rows = [row for row in listing.rows if row.on_device]
    for name in ("operation", "algorithm"):
        given = getattr(options, name)
        if given:
            names = chosen(f"--{name}", given, list(dict.fromkeys(getattr(row, name) for row in rows)))
            rows = [row for row in rows if getattr(row, name) in names]
    listing.require_gpu()
    find_ncu(options.ncu)
    machine = tool.machine(options.commit or current_commit())
    folder = Path(options.output or RESULTS / folder_for(machine["gpu"]))
    session = Session(tool, listing, machine, folder)
    print_table(profile(session, options.build, options.ncu, options.exponent, rows))
    return ExitCode.RIGHT


if __name__ == "__main__":
    run(main)
