#!/usr/bin/env python3
"""Compares two results files row by row: each row of B is FAST, SLOW, SAME or AMBIGUOUS against A.

Files of measure_time --samples-file are compared by all their samples, others by their quartiles.
"""
from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # not there with PYTHONSAFEPATH
import study.ctrl_c  # before the imports that take time

from pathlib import Path
from typing import Sequence

from study.command_line import ExitCode, Parser, ScriptError, run
from study.results_files import load
from study.verdicts import add_verdict_options, report


def main(arguments: Sequence[str]) -> int:
    parser = Parser(__doc__, epilog=(
        "Exit codes: 0; 2 usage, different experiments, or no correct row in common; 4 files that "
        "cannot be read. With "
        "--fail also 1 if a row of B is SLOW or its result wrong, and otherwise 2 if B lacks a row "
        "of A."))
    parser.add_argument("a", metavar="A", help="a results file")
    parser.add_argument("b", metavar="B", help="another results file of the same experiment")
    add_verdict_options(parser)
    options = parser.parse_args(arguments)

    a, b = load(Path(options.a)), load(Path(options.b))
    for data, name in ((a, options.a), (b, options.b)):
        if data["experiment"] == "profile":
            raise ScriptError(f"{name}: a profile has no times to compare", ExitCode.USAGE)
    if a["experiment"] != b["experiment"]:
        raise ScriptError(f"the experiments are different: {a['experiment']} in {options.a}, "
                          f"{b['experiment']} in {options.b}", ExitCode.USAGE)
    return report(a, b, (options.a, options.b), options)


if __name__ == "__main__":
    run(main)
