"""A fake measure_time: the same command line and files, but times from formulas.

The environment steers it: FAKE_NO_GPU=1 has no GPU, FAKE_LOG=FILE gets a line for every
measurement, FAKE_FAIL_AFTER=N is interrupted at the N-th one, FAKE_WRONG=NAME has a wrong row,
FAKE_SLOWDOWN=FACTOR multiplies all times.
"""
from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Optional

BLOCK_SIZES = [8, 16, 32, 64, 128, 256, 512, 1024]
ITEMS = [1, 2, 4, 8, 16]
MODES = ["cold", "hot", "graph", "host"]
DISTRIBUTIONS = ["uniform", "uniform50", "clustered", "sorted", "reverse", "all_equal", "range16",
                 "and2", "and4", "zipf", "negative", "outliers", "gaps", "year", "bursts",
                 "nearly_sorted", "organ_pipe", "fixed_nibble", "serials", "letters", "degrees",
                 "dates", "morton", "prices", "bell_curve", "normal_floats", "ipv4"]
LAUNCH_US = {"cold": 2.0, "hot": 3.6, "graph": 0.5, "host": 400.0}
COPY_NS = 1 / 530

# operation, algorithm, on device?, block sizes, items, (block, items), fixed us, ns an element
ROWS = [
    ("scan", "cpu", False, [], [], (None, None), 0.05, 0.9),
    ("scan", "cpu_parallel", False, [], [], (None, None), 20, 0.12),
    ("scan", "naive", True, BLOCK_SIZES, [], (256, None), 25, 0.085),
    ("scan", "efficient", True, BLOCK_SIZES, [], (128, None), 40, 0.012),
    ("scan", "efficient_plus", True, BLOCK_SIZES, ITEMS, (128, 8), 7, 0.0041),
    ("scan", "thrust", True, [], [], (None, None), 6, 0.0026),
    ("scan", "cub", True, [], [], (None, None), 5, 0.00255),
    ("compact", "cpu", False, [], [], (None, None), 0.05, 2.8),
    ("compact", "cpu_scan", False, [], [], (None, None), 0.05, 4.1),
    ("compact", "naive", True, BLOCK_SIZES, [], (256, None), 30, 0.09),
    ("compact", "efficient_plus", True, BLOCK_SIZES, ITEMS, (128, 8), 12, 0.008),
    ("compact", "cub", True, [], [], (None, None), 5, 0.0022),
    ("sort", "cpu", False, [], [], (None, None), 0.1, 75),
    ("sort", "radix", True, BLOCK_SIZES, ITEMS, (128, 8), 500, 0.35),
    ("sort", "thrust", True, [], [], (None, None), 45, 0.0205),
    ("sort", "cub", True, [], [], (None, None), 40, 0.0202),
]
# The same, beginning with a variant; all are on the device, and have nothing to tune.
VARIANTS = [
    ("int64", ("scan", "single_pass", True, [], [], (None, None), 2, 0.0041)),
    ("int64", ("scan", "cub", True, [], [], (None, None), 5, 0.0052)),
    ("pairs", ("sort", "hybrid_radix", True, [], [], (None, None), 20, 0.03)),
]
HAS_PHASES = {("compact", "cpu_scan"), ("compact", "naive"), ("compact", "efficient_plus")}


def fail(code: int, text: str) -> None:
    print(f"measure_time: {text}", file=sys.stderr)
    sys.exit(code)


def listing() -> dict:
    rows = []
    for operation, name, on_device, blocks, items, tuned, _, _ in ROWS:
        rows.append({
            "operation": operation, "algorithm": name, "description": name,
            "runs_on": "device" if on_device else "host",
            "modes": MODES if on_device else ["cold", "hot", "host"],
            "asynchronous": on_device, "in_place": True,
            "has_phases": (operation, name) in HAS_PHASES, "sort_passes": None,
            "unavailable": None,
            "tuned": {"block_size": tuned[0], "items_per_thread": tuned[1]},
            "legal": {"block_size": blocks, "items_per_thread": items},
            "workspace": {"n": 1 << 20, "bytes": None}})
    variants = [dict(rows[-1], operation=row[0], algorithm=row[1], variant=variant,
                     modes=MODES[:3]) for variant, row in VARIANTS]
    rows.append(dict(rows[-1], algorithm="missing", unavailable="not built"))
    return {"backend": "cuda",
            "unavailable": "no CUDA-capable device is detected" if os.environ.get("FAKE_NO_GPU")
            else None,
            "distributions": DISTRIBUTIONS, "modes": MODES, "rows": rows, "variants": variants}


def options_of(arguments: list) -> dict:
    options = {}
    words = iter(arguments)
    for word in words:
        if word in ("--list", "--dry-run", "--help"):
            options[word] = True
        elif word in ("--operation", "--algorithm", "--size", "--mode", "--block-size",
                      "--items-per-thread", "--variant", "--distribution", "--kept", "--samples", "--output", "--samples-file",
                      "--min-seconds", "--max-seconds", "--experiment", "--commit", "--format"):
            options[word] = next(words)
        else:
            fail(2, f"unknown argument '{word}'")
    return options


def microseconds(row: tuple, mode: str, n: int, block: int, item: int, distribution: str,
                 kept: float) -> float:
    _, _, on_device, _, _, tuned, fixed, per_element = row
    us = fixed + n * per_element * 1e-3
    if on_device:
        us += LAUNCH_US[mode] + (n * 1.0e-3 if mode == "host" else 0)
        if n & (n - 1):
            us *= 1.04
    if block is not None and tuned[0]:
        steps = abs(block.bit_length() - tuned[0].bit_length())
        us *= 1 + 0.15 * steps ** 1.5 + (0.6 if block < 32 else 0)
    if item is not None and tuned[1]:
        us *= 1 + 0.12 * abs(item.bit_length() - tuned[1].bit_length())
    if distribution in ("all_equal", "zipf") and row[0] == "sort":
        us *= 0.8
    us *= float(os.environ.get("FAKE_SLOWDOWN", "1"))
    if row[0] == "compact":
        us *= 0.85 + 0.3 * kept
    return us


def measured(row: tuple, setting: dict, tuning: tuple, variant: Optional[str]) -> dict:
    operation, name, on_device = row[:3]
    mode, n = setting["mode"], setting["n"]
    kept = setting["kept"] if operation == "compact" else None
    block, item = tuning
    us = microseconds(row, mode, n, block, item, setting["distribution"], kept or 0)
    copy = 1.6 + LAUNCH_US[mode] + n * COPY_NS * 1e-3
    if mode == "host":
        copy += n * 1.0e-3
    moved = 8 * n if kept is None else 4 * n * (1 + kept)
    phases = None
    if (operation, name) in HAS_PHASES and mode == "cold":
        phases = {"map": us * 0.2, "scan": us * 0.55, "scatter": us * 0.25}
    has_roof = on_device and mode != "host" and operation != "sort"
    return {"operation": operation, "algorithm": name, "mode": mode, "n": n,
            "distribution": setting["distribution"], "kept": kept, "variant": variant,
            "block_size": block,
            "items_per_thread": item, "median_us": round(us, 3), "min_us": round(us * 0.98, 3),
            "q1_us": round(us * 0.99, 3), "q3_us": round(us * 1.02, 3), "samples": 10,
            "copy_us": round(copy, 3) if on_device else None,
            "roof_us": round(copy * moved / (8 * n), 3) if has_roof else None,
            "phases_us": phases, "verified": name != os.environ.get("FAKE_WRONG")}


def numbers(text: str, kind: type = int) -> list:
    return [kind(word) for word in text.split(",")]


def rows_of(options: dict) -> list:
    return VARIANTS if "--variant" in options else [(None, row) for row in ROWS]


def measure(options: dict) -> dict:
    operation = options["--operation"]
    names = options["--algorithm"].split(",")
    distributions = options.get("--distribution",
                                "uniform" if operation == "sort" else "uniform50").split(",")
    rows, skipped = [], []
    slow = set()
    for n in sorted(numbers(options["--size"])):
        for distribution in distributions:
            for kept in numbers(options.get("--kept", "0.5"), float):
                for mode in options.get("--mode", "cold").split(","):
                    setting = {"mode": mode, "n": n, "distribution": distribution, "kept": kept}
                    for variant, row in rows_of(options):
                        if row[0] != operation or row[1] not in names:
                            continue
                        reason = None
                        if mode == "graph" and not row[2]:
                            reason = "skipped: runs on the host, which has no graphs"
                        if (row[1], mode) in slow:
                            reason = "skipped: one call took longer than 1 s"
                        if reason:
                            skipped.append({"operation": operation, "algorithm": row[1],
                                            "mode": mode, "n": n, "reason": reason})
                            continue
                        blocks = numbers(options.get("--block-size", "0")) if row[3] else [None]
                        items = (numbers(options.get("--items-per-thread", "0")) if row[4]
                                 else [None])
                        for block in blocks:
                            for item in items:
                                rows.append(measured(row, setting, (block or row[5][0],
                                                                    item or row[5][1]), variant))
                        if rows[-1]["median_us"] > 1e6:
                            slow.add((row[1], mode))
    return {"experiment": options.get("--experiment", operation),
            "machine": {"gpu": "NVIDIA H200", "driver": "580.00", "cuda": "13.0",
                        "cub": os.environ.get("FAKE_CUB", "3.0.1"),
                        "host_cpu": "a fake", "commit": options.get("--commit", "unknown"),
                        "date": "2026-11-20"},
            "empty_launch_us": {"cold": 2.0}, "rows": rows, "skipped": skipped}


def with_samples(results: dict, number: int) -> dict:
    """Samples that differ a little from one measurement to the next."""
    for row in results["rows"]:
        row["samples_us"] = [round(row["median_us"] * (0.99 + 0.002 * i + 0.0005 * (number % 3)), 3)
                             for i in range(row["samples"])]
    return results


def main() -> None:
    options = options_of(sys.argv[1:])
    if "--help" in options:
        print("--samples-file FILE")
        return
    if "--list" in options:
        print(json.dumps(listing()))
        return
    if os.environ.get("FAKE_NO_GPU"):
        fail(3, "measuring needs a GPU: no CUDA-capable device is detected")
    log, done = os.environ.get("FAKE_LOG"), 0
    if log and ("--output" in options or "--samples-file" in options):
        with open(log, "a", encoding="utf-8") as file:
            file.write(" ".join(sys.argv[1:]) + "\n")
        done = len(Path(log).read_text(encoding="utf-8").splitlines())
        if done >= int(os.environ.get("FAKE_FAIL_AFTER", "1000000")):
            fail(130, "interrupted")
    if "--dry-run" in options:
        return
    results = measure(options)
    if "--samples-file" in options:
        samples = with_samples(results, done)
        Path(options["--samples-file"]).write_text(json.dumps(samples), encoding="utf-8")
    elif "--output" in options:
        Path(options["--output"]).write_text(json.dumps(results), encoding="utf-8")
    else:
        print(json.dumps(results))
    sys.exit(0 if all(row["verified"] for row in results["rows"]) else 1)


if __name__ == "__main__":
    main()
