#!/usr/bin/env python3
"""Compares the speed of two commits on this machine's GPU: each row is FAST, SLOW, SAME or AMBIGUOUS.

Builds measure_time of both commits, and starts the two programs alternately: A B B A A B B A. The
options after the commits are measure_time's and choose what is measured.
"""
from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # not there with PYTHONSAFEPATH
import study.ctrl_c  # before the imports that take time

import argparse
import tempfile
from pathlib import Path
from typing import Sequence

from study.bootstrap import numpy
from study.command_line import ExitCode, Parser, Progress, ScriptError, number, run
from study.commit_builds import built, hash_of, require_gpu
from study.executables import MeasureTime
from study.results_files import load, save
from study.rounds import merge_rounds
from study.session import make_folder
from study.verdicts import add_verdict_options, report

ROUNDS = 8
OURS = ("--output", "--samples-file", "--format", "--commit", "--list", "--dry-run", "--help", "-h",
        "--version")


def parse(arguments: Sequence[str]):
    parser = Parser(__doc__, usage="%(prog)s [options] A B [options of measure_time]", epilog=(
        "Exit codes: 0; 1 a wrong result, or with --fail a SLOW row; 2 usage, or no correct row in "
        "common; 3 no GPU or a CUDA error; 4 a commit that cannot be built, or files; 130 "
        "interrupted."))
    parser.add_argument("a", metavar="A", help="the older commit, branch or tag")
    parser.add_argument("b", metavar="B", help="the newer one")
    parser.add_argument("measure", metavar="...", nargs=argparse.REMAINDER,
                        help="options of measure_time: --operation scan --size 2^24")
    parser.add_argument("--rounds", metavar="N", type=number(int, 1, 1000), default=ROUNDS,
                        help=f"how often each program is started, 1 to 1000 [{ROUNDS}]")
    parser.add_argument("--output", metavar="DIR",
                        help="also write the samples of all rounds to DIR/a.json and DIR/b.json, for "
                             "compare_results.py")
    add_verdict_options(parser)
    options = parser.parse_args(arguments)
    for word in options.measure:
        if word.partition("=")[0] in OURS:
            parser.error(f"{word}: cannot stand after the commits")
    return options


def measured(tool: MeasureTime, name: str, arguments: Sequence[str], path: Path
             ) -> tuple[dict, ExitCode]:
    """One round."""
    code = tool.measure_samples(arguments, path)
    # The file records which rows have failed; the others are correct.
    if code not in (ExitCode.RIGHT, ExitCode.WRONG, ExitCode.CUDA) or not path.exists():
        raise ScriptError(f"{name}: measure_time ended with exit code {int(code)}",
                          ExitCode.FILES if code == ExitCode.RIGHT else code)
    return load(path), code


def refuse_mistakes(arguments: Sequence[str]) -> None:
    """Fails if measure_time refuses the arguments, as far as the builds of this checkout know."""
    try:
        tool = MeasureTime(None)
    except ScriptError:  # there is no build
        return
    tool.require_samples(arguments)


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    hashes = {"A": hash_of(options.a), "B": hash_of(options.b)}
    names = {"A": options.a, "B": options.b}
    numpy()  # before minutes of building
    try:
        require_gpu()
    except ScriptError:
        refuse_mistakes(options.measure)  # a mistake is one on every machine
        raise
    if options.output:
        make_folder(Path(options.output))

    progress = Progress(0)
    tools = {}
    for side, commit in hashes.items():
        progress.step(f"building {side}: {names[side]}")
        tools[side] = built(commit)
        try:
            tools[side].require_gpu()
            tools[side].require_samples(options.measure)
        except ScriptError as error:
            raise ScriptError(f"{names[side]}: {error}", error.code) from error

    rounds: dict[str, list[dict]] = {"A": [], "B": []}
    codes = set()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.rounds):
            for side in "AB" if i % 2 == 0 else "BA":
                progress.step(f"round {i + 1} of {options.rounds}: {side}")
                data, code = measured(tools[side], names[side],
                                      [*options.measure, "--commit", hashes[side]],
                                      Path(folder) / f"{side}{i}.json")
                rounds[side].append(data)
                codes.add(code)
    a, b = merge_rounds(rounds["A"]), merge_rounds(rounds["B"])
    if options.output:
        save(Path(options.output) / "a.json", a)
        save(Path(options.output) / "b.json", b)
    verdict = report(a, b, (options.a, options.b), options)
    return ExitCode.WRONG if ExitCode.WRONG in codes else verdict


if __name__ == "__main__":
    run(main)
