#!/usr/bin/env python3
"""Draws pictures of the memory accesses of kernels, from a file of count_accesses."""
from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # not there with PYTHONSAFEPATH
import study.ctrl_c  # before the imports that take time

from pathlib import Path
from typing import Sequence

from study.access_counts import load_counts
from study.command_line import ExitCode, Parser, ScriptError, counted, run
from study.pictures.accesses import pictures
from study.pictures.drawing import Drawing
from study.pictures.seal import what_is_wrong_in
from study.results_files import REPOSITORY, RESULTS


def main(arguments: Sequence[str]) -> int:
    parser = Parser(__doc__)
    parser.add_argument("--counts", metavar="FILE", default=RESULTS / "accesses.json",
                        help="a file written by count_accesses --json [results/accesses.json]")
    parser.add_argument("--output", metavar="DIR", default=REPOSITORY / "img/accesses",
                        help="the folder for the pictures [img/accesses]")
    parser.add_argument("--check", action="store_true",
                        help="draw nothing; exit code 1 if a picture is not up to date")
    options = parser.parse_args(arguments)

    made = pictures(load_counts(Path(options.counts)))
    if not made:
        raise ScriptError(f"{options.counts} has no scan that launches kernels", ExitCode.FILES)
    images = Path(options.output)
    if options.check:
        wrong = what_is_wrong_in(images, made, are_all=True)
        print("\n".join(wrong) if wrong else f"{counted(len(made), 'picture')} up to date")
        if wrong:
            print("draw them with scripts/plot_accesses.py")
        return ExitCode.WRONG if wrong else ExitCode.RIGHT
    drawing = Drawing()
    for picture in made:
        drawing.draw(picture, images / f"{picture.name}.svg")
    print(f"{counted(len(made), 'picture')} in {images}")
    return ExitCode.RIGHT


if __name__ == "__main__":
    run(main)
