#!/usr/bin/env python3
"""Draws the diagrams of docs/tutorial.md: img/tutorial/*.svg."""
from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # not there with PYTHONSAFEPATH
import study.ctrl_c  # before the imports that take time

from pathlib import Path
from typing import Sequence

from study.command_line import ExitCode, Parser, counted, run
from study.diagrams import DIAGRAMS
from study.pictures.arrows import svg
from study.results_files import REPOSITORY, write_text


def main(arguments: Sequence[str]) -> int:
    parser = Parser(__doc__)
    parser.add_argument("--output", metavar="DIR", default=REPOSITORY / "img/tutorial",
                        help="the folder for the diagrams [img/tutorial]")
    parser.add_argument("--check", action="store_true",
                        help="draw nothing; exit code 1 if a diagram is not up to date")
    options = parser.parse_args(arguments)

    folder = Path(options.output)
    diagrams = [make() for make in DIAGRAMS]
    drawn = {folder / f"{diagram.name}.svg": svg(diagram) for diagram in diagrams}
    if options.check:
        wrong = [f"{path} is not up to date" for path, text in drawn.items()
                 if not path.is_file() or path.read_bytes() != text.encode()]
        wrong += [f"{path} is not a diagram of the tutorial"
                  for path in sorted(folder.glob("*.svg")) if path not in drawn]
        print("\n".join(wrong) if wrong else f"{counted(len(drawn), 'diagram')} up to date")
        if wrong:
            print("draw them with scripts/draw_diagrams.py")
        return ExitCode.WRONG if wrong else ExitCode.RIGHT
    for path, text in drawn.items():
        write_text(path, text)
    print(f"{counted(len(drawn), 'diagram')} in {folder}")
    return ExitCode.RIGHT


if __name__ == "__main__":
    run(main)
