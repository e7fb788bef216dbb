"""Joins the samples files of several rounds, in each of which a program was started once."""
from __future__ import annotations

from typing import Sequence

from study.bootstrap import numpy
from study.results_files import key_of, use_by_others


def merge_rounds(rounds: Sequence[dict]) -> dict:
    """A samples file with the samples of all rounds. A row that is missing in one of them is left out,
    so the n-th rounds of two commits belong together."""
    by_key = [{key_of(row): row for row in data["rows"]} for data in rounds]
    rows = [merge_rows([one[key] for one in by_key]) for key in by_key[0]
            if all(key in one for one in by_key)]
    return {**rounds[0], **use_by_others(rounds), "rows": rows}


def merge_rows(rows: Sequence[dict]) -> dict:
    """One row in several rounds, with the statistics of all its samples."""
    samples = [us for row in rows for us in row["samples_us"]]
    q1, median, q3 = (round(float(us), 3) for us in numpy().percentile(samples, (25, 50, 75)))
    merged = {**rows[0], "median_us": median, "min_us": min(samples), "q1_us": q1, "q3_us": q3,
              "samples": len(samples), "verified": all(row["verified"] for row in rows),
              "samples_us": samples, "rounds": [row["samples"] for row in rows]}
    for mark in ("throttled", "unsteady_clock"):
        if any(mark in row for row in rows):
            merged[mark] = True
    discarded = sum(row.get("discarded", 0) for row in rows)
    return merged | ({"discarded": discarded} if discarded else {})
