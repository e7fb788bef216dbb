"""How thoroughly the study is measured.

The content is the same for all GPUs; its duration depends on the pace. The protocol's own pace (until
10 samples and 0.3 s, at most 15 s) takes almost an hour, mainly for rows whose result would be the
same in a tenth of the time. A budget therefore selects a faster pace.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence

LARGEST = 30
BETWEEN_FROM = 10


@dataclass(frozen=True)
class Pace:
    """How thoroughly everything is measured."""
    name: str
    min_seconds: float
    max_seconds: float
    stride: int = 1  # step between the exponents of the sizes
    largest: int = LARGEST
    between: Sequence[int] = ()  # exponents k for which 1.5 * 2^k and 2^k - 3 are measured
    between_modes: Sequence[str] = ("cold",)
    host_everywhere: bool = False  # measure host rows even if they add no information
    kept_at: Sequence[int] = (20, 24, 28)
    distributions_at: Sequence[int] = (16, 20, 24, 28)
    models: int = 20  # random key models, numbered from 1 on
    models_at: Sequence[int] = (12, 16, 20, 24, 28)
    block_sizes_at: Sequence[int] = (20, 22, 26)
    host_stride: int = 2
    host_largest: int = 28

    def arguments(self) -> list[str]:
        return ["--min-seconds", f"{self.min_seconds:g}", "--max-seconds", f"{self.max_seconds:g}"]

    def as_json(self) -> dict:
        return {"pace": self.name, "min_seconds": self.min_seconds,
                "max_seconds": self.max_seconds, "min_samples": 10}


ALL_BETWEEN = tuple(range(BETWEEN_FROM, LARGEST + 1))

PROTOCOL = Pace("protocol", 0.3, 15, between=ALL_BETWEEN, between_modes=("cold", "hot", "graph"),
                host_everywhere=True, host_stride=1, models=200)
PACES = (
    PROTOCOL,
    Pace("steady", 0.3, 5, between=ALL_BETWEEN, between_modes=("cold", "hot", "graph"),
         host_stride=1),
    Pace("brisk", 0.15, 5, between=ALL_BETWEEN, between_modes=("cold", "hot", "graph"),
         host_stride=1),
    Pace("short", 0.08, 2, between=ALL_BETWEEN),
    Pace("shorter", 0.04, 1, between=ALL_BETWEEN),
    Pace("shortest", 0.02, 0.5, between=tuple(range(BETWEEN_FROM, LARGEST + 1, 2))),
)
QUICK = Pace("quick", 0.02, 0.3, stride=2, largest=28, between=(12, 16, 20, 24, 28),
             kept_at=(24,), distributions_at=(20, 24), models=5, models_at=(20, 24),
             block_sizes_at=(22,), host_stride=4, host_largest=26)


def can_stand_for(protocol: Optional[dict], pace: Pace) -> bool:
    """Whether earlier results are thorough enough: a quick study does not replace a full one."""
    return protocol is not None and (pace is QUICK or protocol.get("pace") != QUICK.name)
