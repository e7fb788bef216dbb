"""Finds the fastest of the measured block sizes and elements per thread."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence

from study.rows import algorithms_of, is_faster, select


@dataclass(frozen=True)
class Choice:
    """The tunings of one row at one size, the fastest first."""
    operation: str
    algorithm: str
    n: int
    ranking: tuple[dict, ...]
    default: Optional[dict]  # None if the default was not measured

    @property
    def best(self) -> dict:
        return self.ranking[0]

    @property
    def runner_up(self) -> Optional[dict]:
        return self.ranking[1] if len(self.ranking) > 1 else None

    @property
    def disagrees(self) -> bool:
        return self.default is not None and is_faster(self.best, self.default)

    @property
    def slowness(self) -> Optional[float]:
        """The time of the default divided by that of the best tuning."""
        return None if self.default is None else self.default["median_us"] / self.best["median_us"]


def choices(rows: Sequence[dict], defaults: dict[tuple[str, str], tuple]) -> list[Choice]:
    """defaults: (operation, algorithm) -> (block size, items per thread)."""
    found = []
    for operation in dict.fromkeys(row["operation"] for row in rows):
        of_operation = list(select(rows, operation=operation))
        for algorithm in algorithms_of(of_operation):
            of_row = list(select(of_operation, algorithm=algorithm))
            for n in sorted({row["n"] for row in of_row}):
                ranking = sorted(select(of_row, n=n), key=lambda row: row["median_us"])
                tuned = defaults.get((operation, algorithm))
                default = next((row for row in ranking if tuning_of(row) == tuned), None)
                found.append(Choice(operation, algorithm, n, tuple(ranking), default))
    return found


def tuning_of(row: dict) -> tuple:
    return row.get("block_size"), row.get("items_per_thread")


def describe_tuning(row: Optional[dict]) -> str:
    if row is None:
        return "-"
    block_size, items = tuning_of(row)
    return f"{block_size} x {items}" if items is not None else f"{block_size}"
