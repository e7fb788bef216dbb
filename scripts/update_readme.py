#!/usr/bin/env python3
"""Writes what results say: the marked blocks of README and other documents, and the page
results/<gpu>/README.md.

A block stands between <!-- generated: NAME --> and <!-- end generated -->; the page is written as a
whole. If something has not been measured yet, they say so in words. README and the tutorial have no
measured figure outside their blocks.
"""
from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # not there with PYTHONSAFEPATH
import study.ctrl_c  # before the imports that take time

import re
from pathlib import Path
from typing import Sequence

from study.command_line import ExitCode, Parser, ScriptError, chosen, run
from study.comparisons import COMPARISONS, comparison
from study.figures import strays
from study.readme_tables import BLOCKS
from study.results_files import (REPOSITORY, default_folder, folders, is_same_file, load_folder,
                                 read_text, write_text)
from study.results_page import ANALYSIS, OUTPUT, PAGE, block, excerpt, page

BLOCK = re.compile(r"(<!-- generated: *(?P<name>[^>]*?) *-->\n)(?P<body>.*?)"
                   r"(?P<end><!-- end generated -->)", re.DOTALL)
BEGIN = "<!-- generated:"
END = "<!-- end generated -->"
HARNESS = "output"
# The blocks of each document, in this order.
README_BLOCKS = ("headline", "overview", "weak-spots", HARNESS, "lessons")
TUTORIAL_BLOCKS = ("figures-serial", "figures-naive", "figures-efficient", "figures-shared-memory",
                   "figures-roofline", "figures-look-back", "figures-single-pass",
                   "figures-compaction", "figures-sort")
DESIGN_BLOCKS = {"single_pass": ("figures-single-pass",), "hybrid_radix": ("speeds-hybrid-radix",),
                 "onesweep": ("speeds-onesweep",)}


def load_all(folder: Path) -> list[dict]:
    """The results of the folder, then those of the other GPUs if the folder is the project's own."""
    # A project without results has documents that say so.
    others = [one for one in folders() if one != folder] if folder in folders() else []
    return [load_folder(one) if one.is_dir() else {} for one in (folder, *others)]


def content(name: str, folder: Path, every: list[dict]) -> str:
    if name == HARNESS:
        return excerpt(folder) or "*Not measured yet.*"
    return comparison(name, every) if name in COMPARISONS else block(name, every[0])


def require_blocks(path: Path, text: str, expected: Sequence[str]) -> None:
    found = list(BLOCK.finditer(text))
    # A lost end would let one block swallow all up to the next one's.
    if any(BEGIN in match["body"] for match in found) or text.count(BEGIN) != len(found):
        raise ScriptError(f"{path} has a block without '{END}'", ExitCode.USAGE)
    if text.count(END) != len(found):
        raise ScriptError(f"{path} has '{END}' without a block", ExitCode.USAGE)
    names = tuple(match["name"] for match in found)
    if names != tuple(expected):
        has = f"the blocks {', '.join(names)}" if names else "no generated blocks"
        raise ScriptError(f"{path} has {has}; expected are {', '.join(expected)}", ExitCode.USAGE)


def changed_blocks(old: str, new: str) -> list[str]:
    return [before["name"] for before, after in zip(BLOCK.finditer(old), BLOCK.finditer(new))
            if before["body"] != after["body"]]


def refresh_document(path: Path, names: Sequence[str], folder: Path, writes: bool) -> list[str]:
    """Returns what is wrong, or was wrong and has been written."""
    old = read_text(path)
    require_blocks(path, old, names)
    every = load_all(folder)
    new = BLOCK.sub(lambda match: f"{match[1]}{content(match['name'], folder, every)}\n{END}", old)
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
                        help="a file with README's blocks [README.md and docs/tutorial.md, unless --results "
                             "is given]")
    parser.add_argument("--results", metavar="DIR",
                        help="a folder of results [every folder has its page; README and the tutorial "
                             "begin with results/h200, or the only one]")
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

    documents: dict[Path, Sequence[str]] = {}
    if options.readme:
        documents[Path(options.readme)] = README_BLOCKS
    elif not options.results:
        documents = {REPOSITORY / "README.md": README_BLOCKS,
                     REPOSITORY / "docs/tutorial.md": TUTORIAL_BLOCKS,
                     **{REPOSITORY / f"stream_compaction/{name}/design.md": blocks
                        for name, blocks in DESIGN_BLOCKS.items()}}
    pages = [folder] if options.results else folders()
    if any(is_same_file(path, one / name) for path in documents for one in pages
           for name in (PAGE, ANALYSIS, OUTPUT)):
        parser.error(f"--readme: given '{options.readme}', expected another file than the page of "
                     f"the results, {ANALYSIS} and {OUTPUT}")
    writes = not options.check
    changed = [text for path, names in documents.items()
               for text in refresh_document(path, names, folder, writes)]
    changed += [text for one in pages for text in refresh_page(one, writes)]
    # A design also has figures of versions that exist no more.
    unchecked = [f"{path}: {text}" for path in documents if path.name != "design.md"
                 for text in strays(read_text(path))]
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
