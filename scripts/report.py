#!/usr/bin/env python3
"""Makes an HTML page of results that opens from disk and needs no network.

The page uses Vega-Lite from PyPI's vl-convert-python; it is 1 MB without the results.
"""
from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # not there with PYTHONSAFEPATH
import study.ctrl_c  # before the imports that take time

import subprocess
from pathlib import Path
from typing import Sequence

from study.command_line import ExitCode, Parser, ScriptError, run
from study.report.data import report_data
from study.report.page import page
from study.results_files import folders, write_text
from study.venv import go_on_with

REQUIREMENTS = ("jsonschema==4.26.0", "vl-convert-python==1.9.0.post1")


BUNDLE = ("import sys, vl_convert; "  # bytes: the encoding of texts depends on the locale
          "sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())")


def vega() -> str:
    """vega, vegaLite and vegaEmbed, as one script, whose other names are not visible outside.

    vl-convert runs in a process of its own, because it ends its process if it has no memory.
    """
    done = subprocess.run([sys.executable, "-c", BUNDLE], capture_output=True, check=False,
                          cwd=Path(__file__).parent)  # Python looks for modules there, too
    if done.returncode != 0:
        why = (f"signal {-done.returncode}" if done.returncode < 0 else
               (done.stderr.decode(errors="replace").strip().splitlines() or ["no output"])[-1])
        raise ScriptError(f"vl-convert failed (is memory limited, by ulimit -v?): {why}",
                          ExitCode.FILES)
    return f"(() => {{\n{done.stdout.decode()}\n}})();"


def main(arguments: Sequence[str]) -> int:
    parser = Parser(__doc__, epilog=(
        "Exit codes: 0; 2 usage; 4 if no folder has results that match results/schema.json, or the "
        "page cannot be written. Other folders are left out, with a line on stderr."))
    parser.add_argument("results", metavar="results/<gpu>", nargs="*",
                        help="folders of results; the page begins with the first [all in results/]")
    parser.add_argument("--output", metavar="FILE", default="report.html",
                        help="the page [report.html]")
    options = parser.parse_args(arguments)

    go_on_with(REQUIREMENTS)
    text = page(report_data(list(map(Path, options.results)) or folders()), vega())
    write_text(Path(options.output), text)
    print(f"{options.output}: {len(text.encode()) / 1e6:.1f} MB")
    return ExitCode.RIGHT


if __name__ == "__main__":
    run(main)
