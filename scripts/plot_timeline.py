#!/usr/bin/env python3
"""Draws a call's timeline, from a file of measure_time --timeline."""
from __future__ import annotations

from pathlib import Path
from typing import Sequence

from study.command_line import ExitCode, Parser, ScriptError, run
from study.pictures.drawing import Drawing
from study.pictures.seal import what_is_wrong
from study.pictures.timeline import picture
from study.timelines import load_timeline


def main(arguments: Sequence[str]) -> int:
    parser = Parser(__doc__)
    parser.add_argument("timeline", metavar="FILE", help="what measure_time --timeline has written")
    parser.add_argument("--output", metavar="SVG", help="the picture [FILE, ending in .svg]")
    parser.add_argument("--check", action="store_true",
                        help="draw nothing; exit code 1 where the picture is not up to date")
    options = parser.parse_args(arguments)

    source = Path(options.timeline)
    path = Path(options.output) if options.output else source.with_suffix(".svg")
    if path.suffix != ".svg":
        parser.error(f"--output: given '{path}', legal is a name that ends in .svg")
    data = load_timeline(source)
    if not data["spans"]:
        raise ScriptError(f"{source} has no spans: nothing was brought to the device",
                          ExitCode.FILES)
    made = picture(data)
    if options.check:
        wrong = what_is_wrong(path, made)
        print(f"{path} {wrong}\ndraw it with scripts/plot_timeline.py" if wrong
              else f"{path} is up to date")
        return ExitCode.WRONG if wrong else ExitCode.RIGHT
    Drawing().draw(made, path)
    print(path)
    return ExitCode.RIGHT


if __name__ == "__main__":
    run(main)
