"""A small file of count_accesses, made up."""
from __future__ import annotations


def traffic(moved: int, asked: int) -> dict:
    return {"requests": moved // 32, "sectors": moved // 32, "bytes_moved": moved, "bytes_asked": asked}


def counts(threads: int, active: int, loads: tuple, stores: tuple, kernel: str = "up<8>") -> dict:
    return {"kernel": kernel, "threads": threads, "active_threads": active,
            "global_loads": traffic(*loads), "global_stores": traffic(*stores),
            "shared": {"requests": 1, "conflicts": threads // 32}}


def row(algorithm: str, launches: list, n: int = 16, operation: str = "scan") -> dict:
    total = counts(sum(launch["threads"] for launch in launches), 0,
                   tuple(sum(launch["global_loads"][name] for launch in launches)
                         for name in ("bytes_moved", "bytes_asked")), (0, 0))
    return {"operation": operation, "algorithm": algorithm, "n": n, "distribution": "uniform50",
            "model": None, "kept": 0.5 if operation == "compact" else None, "block_size": 256,
            "items_per_thread": None, "launches": launches, "total": total}


def small() -> dict:
    tree = [counts(128, 8, (64, 32), (32, 16)), counts(128, 4, (64, 16), (32, 8))]
    return {"shape": "h200", "seed": 1, "rows": [
        row("naive", [counts(32, 16, (160, 128), (64, 64), "add")]), row("efficient", tree),
        row("thrust", []), row("radix", tree, operation="sort")]}
