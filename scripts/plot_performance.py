#!/usr/bin/env python3
"""Draws the pictures of results/<gpu>/."""
from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # not there with PYTHONSAFEPATH
import study.ctrl_c  # before the imports that take time

from pathlib import Path
from typing import Sequence

from study.command_line import (ExitCode, Parser, Progress, ScriptError, chosen, counted, run)
from study.pictures.drawing import Drawing
from study.pictures.gallery import pictures, readme_pictures
from study.pictures.seal import what_is_wrong_in
from study.results_files import default_folder, images_of, load_folder


def main(arguments: Sequence[str]) -> int:
    parser = Parser(__doc__)
    parser.add_argument("--results", metavar="DIR",
                        help="the folder of results [results/h200, or the only one]")
    parser.add_argument("--output", metavar="DIR",
                        help="the folder for the pictures [img; for results that README does "
                             "not show: img in their folder]")
    parser.add_argument("--only", metavar="NAME,...", help="only these pictures")
    parser.add_argument("--format", choices=("svg", "png"),
                        help="svg for README, png for viewing [svg]")
    parser.add_argument("--check", action="store_true",
                        help="draw nothing; exit code 1 if a picture is not up to date")
    parser.add_argument("--list", action="store_true", help="print names and captions")
    options = parser.parse_args(arguments)
    parser.refuse_together(options, "--list", ("--check", "--format", "--output"))
    parser.refuse_together(options, "--check", ["--format"])

    folder = Path(options.results) if options.results else default_folder()
    results = load_folder(folder)
    made = pictures(results)
    if folder.resolve() == default_folder().resolve():
        made += readme_pictures(results)
    if not made:
        raise ScriptError(f"{folder} has no results to draw", ExitCode.FILES)
    if options.only:
        names = chosen("--only", options.only, [picture.name for picture in made])
        made = [picture for picture in made if picture.name in names]
    images = Path(options.output) if options.output else images_of(folder)
    if options.list:
        for picture in made:
            print(f"{picture.name}.svg: {picture.caption}")
        return ExitCode.RIGHT
    if options.check:
        wrong = what_is_wrong_in(images, made, are_all=not options.only)
        print("\n".join(wrong) if wrong else f"{counted(len(made), 'picture')} up to date")
        if wrong:
            print("draw them with scripts/plot_performance.py")
        return ExitCode.WRONG if wrong else ExitCode.RIGHT

    drawing = Drawing()
    progress = Progress(0)
    for picture in made:
        progress.step(picture.name)
        drawing.draw(picture, images / f"{picture.name}.{options.format or 'svg'}",
                     dpi=110 if options.format == "png" else None)
    print(f"{counted(len(made), 'picture')} in {images}")
    return ExitCode.RIGHT


if __name__ == "__main__":
    run(main)
