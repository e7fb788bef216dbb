#!/usr/bin/env python3
"""Writes what results say: README's marked blocks, and the page results/<gpu>/README.md.

A block stands between <!-- generated: NAME --> and <!-- end generated -->; the page is written as a
whole. What has not been measured yet, both say in words. Outside of its blocks README has no figure
that was measured.
"""
from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # not there with PYTHONSAFEPATH
import study.ctrl_c  # before the imports that take time

import re
from pathlib import Path
from typing import Optional, Sequence

from study.command_line import ExitCode, Parser, ScriptError, chosen, run
from study.figures import strays
from study.readme_tables import BLOCKS
from study.results_files import (REPOSITORY, default_folder, folders, load_folder, read_text,
                                 write_text)
from study.results_page import PAGE, block, excerpt, page

BLOCK = re.compile(r"(<!-- generated: *(?P<name>[^>]*?) *-->\n)(?P<body>.*?)"
                   r"(?P<end><!-- end generated -->)", re.DOTALL)
BEGIN = "<!-- generated:"
END = "<!-- end generated -->"
OUTPUT = "output"
# All that README has, in this order.
README_BLOCKS = (OUTPUT, "overview-scan", "overview-compact", "overview-sort",
                 "overview-models")


def content(name: str, folder: Path, results: dict) -> str:
    if name == OUTPUT:
        return excerpt(folder) or "*Not measured yet.*"
    return block(name, results)


def require_blocks(readme: str) -> None:
    found = list(BLOCK.finditer(readme))
    # A lost end would let one block swallow all up to the next one's.
    if any(BEGIN in match["body"] for match in found) or readme.count(BEGIN) != len(found):
        raise ScriptError(f"README has a block without '{END}'", ExitCode.USAGE)
    if readme.count(END) != len(found):
        raise ScriptError(f"README has '{END}' without a block", ExitCode.USAGE)
    names = tuple(match["name"] for match in found)
    if names != README_BLOCKS:
        has = f"the blocks {', '.join(names)}" if names else "no generated blocks"
        raise ScriptError(f"README has {has}; expected are {', '.join(README_BLOCKS)}",
                          ExitCode.USAGE)


def changed_blocks(old: str, new: str) -> list[str]:
    return [before["name"] for before, after in zip(BLOCK.finditer(old), BLOCK.finditer(new))
            if before["body"] != after["body"]]


def refresh_readme(path: Path, folder: Path, writes: bool) -> list[str]:
    """What is wrong, or was and has been written."""
    old = read_text(path)
    require_blocks(old)
    # A project without results has a README that says so.
    results = load_folder(folder) if folder.is_dir() else {}
    new = BLOCK.sub(lambda match: f"{match[1]}{content(match['name'], folder, results)}\n{END}", old)
    changed = changed_blocks(old, new)
    if writes and changed:
        write_text(path, new)
    return [f"{path}: {name} is not what {folder} says" for name in changed]


def refresh_page(folder: Path, writes: bool) -> list[str]:
    path, new = folder / PAGE, page(folder)
    if path.exists() and read_text(path) == new:
        return []
    if writes:
        write_text(path, new)
    return [f"{path}: it is not what {folder} says"]


def main(arguments: Sequence[str]) -> int:
    parser = Parser(__doc__)
    parser.add_argument("--readme", metavar="FILE",
                        help="the file with the blocks [README.md, unless --results is given]")
    parser.add_argument("--results", metavar="DIR",
                        help="a folder of results [every folder has its page; README shows "
                             "results/h200, or the only one]")
    parser.add_argument("--check", action="store_true",
                        help="write nothing; exit code 1 if a file disagrees with the results")
    parser.add_argument("--print", metavar="NAME,...",
                        help="print these blocks, or 'all', and write nothing")
    options = parser.parse_args(arguments)
    parser.refuse_together(options, "--print", ("--check", "--readme"))
    folder = Path(options.results) if options.results else default_folder()
    if options.print:
        print_blocks(options.print, folder)
        return ExitCode.RIGHT

    readme: Optional[Path] = None if options.results else REPOSITORY / "README.md"
    if options.readme:
        readme = Path(options.readme)
    pages = [folder] if options.results else folders()
    writes = not options.check
    changed = refresh_readme(readme, folder, writes) if readme else []
    changed += [text for one in pages for text in refresh_page(one, writes)]
    unchecked = [f"{readme}: {text}" for text in strays(read_text(readme))] if readme else []
    print("\n".join(changed + unchecked) or "everything is up to date")
    if writes:
        print(f"{len(changed)} written")
    elif changed:
        print("run scripts/update_readme.py")
    return ExitCode.WRONG if unchecked or (changed and not writes) else ExitCode.RIGHT


def print_blocks(given: str, folder: Path) -> None:
    names = chosen("--print", given, ["all", *BLOCKS])
    results = load_folder(folder)
    for one in BLOCKS if "all" in names else names:
        print(f"{BEGIN} {one} -->\n{block(one, results)}\n{END}\n")


if __name__ == "__main__":
    run(main)
