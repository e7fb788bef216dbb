"""The page results/<gpu>/README.md: pictures and tables of results, with a person's comments.

The comments are in analysis.md next to the results: a text for any of the sections, under its heading,
with its figures in braces (figures.py). Without this file, the page has only pictures and tables.
"""
from __future__ import annotations

import itertools
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from study.command_line import ExitCode, ScriptError
from study.figures import filled_in
from study.pictures.gallery import pictures
from study.readme_tables import BLOCKS, MissingResults
from study.results_files import DISTRIBUTED, images_of, load_folder, read_input
from study.rows import Results

ANALYSIS = "analysis.md"
PAGE = "README.md"
OUTPUT = "output.txt"
NOTE = ("<!-- Written by scripts/update_readme.py from the results and " + ANALYSIS
        + ": change those. -->")


@dataclass(frozen=True)
class Section:
    heading: str
    pictures: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    folded: bool = False  # a long table
    needs: str = ""  # an experiment, or "a text": without it and without a text, there is no section


SECTIONS = (
    Section("Findings", needs="a text"),
    Section("Measurements", blocks=("machine",)),
    Section("Scan", ("scan",), ("times-scan", "ratios-scan")),
    Section("Stream compaction", ("compact",), ("times-compact", "ratios-compact")),
    Section("Map, scan, scatter", ("phases",), ("phases",)),
    Section("The share that is kept", ("kept",), ("kept",)),
    Section("Sort", ("sort",), ("times-sort", "ratios-sort")),
    Section("Kinds of keys", ("keys",), ("distributions", "models")),
    Section("Launches and bytes", ("bytes_moved",), ("launches",)),
    Section("Every kernel", blocks=("kernels",), folded=True),
    Section("Other types, operators and predicates", blocks=("variants",)),
    Section("Small inputs", ("modes",), ("modes",)),
    Section("A plain call of Thrust", blocks=("plain-thrust",)),
    Section("Block size and elements per thread", ("block_size", "items_per_thread"),
            ("tunings",)),
    Section("Arrays on the host", ("host",), ("host",)),
    Section("Powers of two, and not", ("power_of_two",), ("non-power-of-two",)),
    Section("Several GPUs", ("distributed",), ("several-gpus",), needs=DISTRIBUTED),
)


def page(folder: Path) -> str:
    results = load_folder(folder)
    if not results:
        raise ScriptError(f"{folder} has no results", ExitCode.FILES)
    said = analysis(folder / ANALYSIS, results)
    made = {picture.name: picture for picture in pictures(results)}
    images = os.path.relpath(images_of(folder), folder)
    gpu = next(iter(results.values()))["machine"]["gpu"]
    parts = [NOTE, f"# Measured on an {gpu}"]
    for section in SECTIONS:
        if section.needs and section.needs not in results and section.heading not in said:
            continue
        parts.append(f"## {section.heading}")
        if section.folded:
            parts.append("<details><summary>The table</summary>")
        for picture in (made[name] for name in section.pictures if name in made):
            parts.append(f"![{picture.title}]({images}/{picture.name}.svg)\n\n*{picture.caption}*")
        parts += [block(name, results) for name in section.blocks]
        if section.folded:
            parts.append("</details>")
        if section.heading in said:
            parts.append(said[section.heading])
    if (folder / OUTPUT).exists():
        parts += ["## The harness", f"[{OUTPUT}]({OUTPUT}) is all that this command printed:",
                  f"```\n{read_input(folder / OUTPUT).strip().partition(chr(10))[0]}\n```"]
    return "\n\n".join(parts) + "\n"


def analysis(path: Path, results: Results) -> dict[str, str]:
    """The texts by heading."""
    if not path.exists():
        return {}
    before, *texts = re.split(r"^## (.+)\n", filled_in(read_input(path), results, str(path)),
                              flags=re.MULTILINE)
    if before.strip():
        raise ScriptError(f"{path}: a text before the first heading", ExitCode.USAGE)
    found = {heading.strip(): text.strip() for heading, text in zip(texts[::2], texts[1::2])}
    known = [section.heading for section in SECTIONS]
    for heading in found:
        if heading not in known:
            raise ScriptError(f"{path}: given '## {heading}', allowed are {', '.join(known)}",
                              ExitCode.USAGE)
    if len(found) < len(texts) // 2:
        raise ScriptError(f"{path}: a heading is there twice", ExitCode.USAGE)
    return found


def block(name: str, results: Results) -> str:
    if not results:
        return "*Not measured yet.*"
    try:
        return BLOCKS[name](results)
    except MissingResults as missing:
        return f"*Not measured yet: {missing}.*"


def excerpt(folder: Path) -> Optional[str]:
    """An excerpt of the harness's output: its first lines, a scan of each kind, its last line."""
    if not (folder / OUTPUT).exists():
        return None
    lines = read_input(folder / OUTPUT).splitlines()
    titles = [i for i, line in enumerate(lines) if line.startswith("==== ")]
    shown = [i for i in titles if lines[i].endswith(" scan, power-of-two ====")
             and lines[i].split()[1] in EXCERPT]
    kept = [*itertools.takewhile(bool, lines), ""]
    for i in shown:
        end = next((j for j in titles if j > i), len(lines))
        kept += [line for line in lines[i:end] if not line.lstrip().startswith("[")]
    return "```\n" + "\n".join([*kept, "...", lines[-1]]) + "\n```"


EXCERPT = ("single_pass", "cub")
