"""Small results, with numbers whose ratios are easy to see."""
from __future__ import annotations

from script_case import results, row

from study.rows import USUAL

CORES = dict(copy_us=None, roof_us=None)  # a row on the host has no ceiling
SMALL, MIDDLE, LARGE = 1 << 10, 1 << 20, 1 << 24


def timed(algorithm: str, n: int, median: float, **fields) -> dict:
    """With quartiles one percent below and above."""
    return row(algorithm=algorithm, n=n, median_us=median, **fields)


def scan() -> dict:
    """Speed-up of 'ours' over cub: 2, 1 and 1.25; at 2^24, 80 % of the copy's speed."""
    rows = [timed("cpu", SMALL, 1, **CORES), timed("cpu", MIDDLE, 1000, **CORES),
            timed("cpu", LARGE, 16000, **CORES)]
    for name, times in (("ours", (5, 20, 80)), ("cub", (10, 20, 100)), ("slow", (40, 10, 400))):
        for n, us, copy in zip((SMALL, MIDDLE, LARGE), times, (4, 10, 64)):
            rows.append(timed(name, n, us, copy_us=copy, roof_us=copy))
    return results(rows, "scan", commit="a" * 40)


def compaction(algorithm: str, n: int, median: float, kept: float = 0.5, **fields) -> dict:
    return timed(algorithm, n, median, operation="compact", kept=kept, copy_us=64.0,
                 roof_us=48.0, **fields)


def compact() -> dict:
    phases = {"map": 10.0, "scan": 60.0, "scatter": 30.0}
    rows = [compaction("ours", LARGE, 100, phases_us=phases),
            compaction("cub", LARGE, 50),
            compaction("ours", LARGE, 64, kept=0.0), compaction("ours", LARGE, 128, kept=1.0),
            compaction("cub", LARGE, 32, kept=1.0),
            compaction("ours", LARGE, 256, distribution="clustered")]
    return results(rows, "compact", commit="b" * 40)


def key(algorithm: str, median: float, distribution: str = "uniform", n: int = LARGE) -> dict:
    return timed(algorithm, n, median, operation="sort", distribution=distribution, copy_us=64.0,
                 roof_us=None)


def sort() -> dict:
    rows = [timed("cpu", LARGE, 1e6, operation="sort", distribution="uniform", **CORES),
            key("ours", 200), key("cub", 400), key("ours", 100, "zipf"), key("cub", 50, "zipf")]
    return results(rows, "sort", commit="a" * 40)


def models() -> dict:
    """At 2^20 'ours' is 0.5, 2 and 4 times as fast as cub, and hot 1; at 2^24 0.8 and 1.25."""
    rows = []
    for model, ratio in ((1, 2.0), (2, 0.5), (3, 4.0)):
        rows += [key("ours", 100 / ratio, f"model:{model}", MIDDLE),
                 key("cub", 100, f"model:{model}", MIDDLE)]
    rows += [dict(key(name, 50, "model:1", MIDDLE), mode="hot") for name in ("ours", "cub")]
    for model, ratio in ((1, 0.8), (2, 1.25)):
        rows += [key("ours", 1000 / ratio, f"model:{model}"), key("cub", 1000, f"model:{model}")]
    rows += [key("slow", 400, "model:1", MIDDLE)]
    return results(rows, "models", commit="d" * 40)


def profile() -> dict:
    def kernel(name: str, launches: int, us: float, megabytes, **fields) -> dict:
        return {"operation": "scan", "algorithm": "ours", "kernel": name, "n": LARGE,
                "launches": launches, "time_us": us, "registers": 32, "shared_bytes": 1024,
                "bank_conflicts": 1234567, "dram_throughput_pct": 61.4, "sm_throughput_pct": 25.6,
                "occupancy_pct": 90.0, "l2_hit_pct": 101.0,
                "dram_bytes": None if megabytes is None else megabytes * LARGE, **fields}
    return results([kernel("first", 3, 20, 12), kernel("second", 2, 60, 4),
                    kernel("third", 1, 1, None, sm_throughput_pct=None)], "profile")


def variants() -> dict:
    rows = [timed("ours", MIDDLE, 10, variant="int64"), timed("cub", MIDDLE, 30, variant="int64"),
            timed("ours", LARGE, 80, variant="int64", roof_us=40.0),
            timed("ours", LARGE, 100, variant="max_float", roof_us=None)]
    return results(rows, "variants", commit="c" * 40)


def block_size() -> dict:
    def tuned(block: int, items, us: float, n: int = LARGE) -> dict:
        return timed("ours", n, us, block_size=block, items_per_thread=items)
    return results([tuned(64, 4, 300), tuned(128, 4, 100), tuned(128, 8, 150), tuned(256, 8, 200),
                    tuned(64, 4, 7, MIDDLE), tuned(128, 8, 9, MIDDLE)], "block_size")


def plain_tunings() -> list[dict]:
    """Of an algorithm without a choice of elements per thread."""
    return [timed("plain", n, us, block_size=block, items_per_thread=None)
            for block, us, n in ((64, 7, MIDDLE), (64, 250, LARGE), (128, 100, LARGE))]


def host() -> dict:
    rows = [timed("cpu", n, us, mode="host", **CORES) for n, us in ((SMALL, 1), (1 << 26, 1e6))]
    rows += [timed("cub", n, us, mode="host", copy_us=us / 2) for n, us in
             ((SMALL, 100), (1 << 26, 2000))]
    return results(rows, "host")


def on_gpus(operation: str, gpus: int, n: int, median: float, one, distribution=None, **fields) -> dict:
    """A row of distributed_test."""
    made = {"operation": operation, "gpus": gpus, "n": n,
            "distribution": distribution or USUAL[operation]["distribution"],
            "exchange": "stores" if gpus > 1 else "none", "calls": 5, "median_us": median,
            "one_gpu_us": one, "count_us": None, "exchange_us": None, "sort_us": None,
            "sent_bytes": None, "verified": True}
    made.update(fields)
    return made


def sorted_on(gpus: int, n: int, median: float, one, distribution=None) -> dict:
    """A tenth of the time counts, three tenths move keys, at 100 GB/s."""
    return on_gpus("sort", gpus, n, median, one, distribution, count_us=0.1 * median,
                   exchange_us=0.3 * median, sort_us=0.6 * median, sent_bytes=int(30000 * median))


def distributed() -> dict:
    """The sort is 0.5, 1.25 and 1.6 times as fast on two GPUs, and 2 times on four."""
    rows = [on_gpus("scan", 1, 1 << 28, 900, None), on_gpus("scan", 2, 1 << 28, 800, 1000),
            on_gpus("scan", 4, 1 << 28, 400, 1000), on_gpus("compact", 2, 1 << 28, 500, 900),
            sorted_on(2, MIDDLE, 200, 100), sorted_on(2, 1 << 28, 800, 1000),
            sorted_on(2, 1 << 30, 2500, 4000), sorted_on(4, 1 << 28, 500, 1000),
            sorted_on(4, 1 << 31, 4000, None), sorted_on(4, 1 << 28, 250, 500, "zipf")]
    return {"experiment": "distributed", "machine": results([], commit="e" * 40)["machine"],
            "rows": rows}


def everything() -> dict:
    return {"block_size": block_size(), "compact": compact(), "distributed": distributed(), "host": host(),
            "models": models(), "profile": profile(), "scan": scan(), "sort": sort(), "variants": variants()}
