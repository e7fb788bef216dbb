"""A fake distributed_test: the same command line and files, but times from formulas.

The environment steers it: FAKE_GPUS=N is the number of GPUs [2], 0 has none; FAKE_LOG=FILE gets a line
for every measurement, FAKE_FAIL_AFTER=N is interrupted at the N-th one; FAKE_WRONG=NAME has wrong rows
of this operation; FAKE_MOST=N skips rows with more elements; FAKE_GPU=NAME is the GPU.
"""
from __future__ import annotations

import json
import os
import sys
from pathlib import Path

VALUES = ("--backend", "--gpus", "--operation", "--size", "--distribution", "--json")
LESS = 3


def fail(code: int, text: str) -> None:
    print(f"distributed_test: {text}", file=sys.stderr)
    sys.exit(code)


def row(operation: str, gpus: int, n: int, distribution: str) -> dict:
    one_us = 10 + n / 1e5
    is_sort = operation == "sort" and gpus > 1
    us = 100 + one_us / gpus + (n / 1e6 if is_sort else 0)
    return {"operation": operation, "gpus": gpus, "n": n, "distribution": distribution,
            "exchange": "stores" if gpus > 1 else "none", "calls": 5, "median_us": round(us, 3),
            "one_gpu_us": round(one_us, 3) if gpus > 1 else None,
            "count_us": 100.0 if is_sort else None, "exchange_us": round(n / 1e6, 3) if is_sort else None,
            "sort_us": round(one_us / gpus, 3) if is_sort else None,
            "sent_bytes": 4 * n * (gpus - 1) // gpus ** 2 if is_sort else None,
            "verified": operation != os.environ.get("FAKE_WRONG")}


def main() -> None:
    words = sys.argv[1:]
    options = dict(zip(words[::2], words[1::2]))
    if not set(options) <= set(VALUES):
        fail(2, f"unknown arguments {words}")
    here = int(os.environ.get("FAKE_GPUS", "2"))
    gpus = int(options.get("--gpus", here))
    if here == 0:
        fail(3, "no CUDA-capable device is detected")
    if gpus > here:
        fail(2, f"--gpus: given {gpus}, allowed is at most {here}")
    log = os.environ.get("FAKE_LOG")
    if log and "--gpus" in options:
        with open(log, "a", encoding="utf-8") as file:
            file.write(" ".join(word for word in words if word != options["--json"]) + "\n")
        done = len(Path(log).read_text(encoding="utf-8").splitlines())
        if done >= int(os.environ.get("FAKE_FAIL_AFTER", "1000000")):
            fail(130, "interrupted")
    n = int(options["--size"])
    rows = [row(operation, gpus, size, options.get("--distribution", "uniform50"))
            for operation in options["--operation"].split(",") for size in (n, n - LESS)
            if size <= int(os.environ.get("FAKE_MOST", "1000000000000"))]
    if rows:
        write(options["--json"], rows)
    print("==== distributed scan ====\n    passed")
    sys.exit(0 if all(one["verified"] for one in rows) else 1)


def write(path: str, rows: list) -> None:
    Path(path).write_text(json.dumps({
        "experiment": "distributed",
        "machine": {"gpu": os.environ.get("FAKE_GPU", "NVIDIA H200"), "driver": "580.00", "cuda": "13.0",
                    "cub": "3.0.1", "host_cpu": "a fake", "commit": "unknown", "date": "2026-11-20"},
        "rows": rows}), encoding="utf-8")


if __name__ == "__main__":
    main()
