"""A call of measure_time: what it measures, and its arguments."""
from __future__ import annotations

from dataclasses import dataclass

from study.executables import Row
from study.rows import is_power_of_two


@dataclass(frozen=True)
class Call:
    """A call of measure_time: all combinations of its values."""
    operation: str
    rows: tuple[Row, ...]
    sizes: tuple[int, ...]
    modes: tuple[str, ...]
    distributions: tuple[str, ...] = ()
    kept: tuple[float, ...] = ()
    block_sizes: tuple[int, ...] = ()
    items_per_thread: tuple[int, ...] = ()
    variants: tuple[str, ...] = ()

    def arguments(self) -> list[str]:
        words = ["--operation", self.operation,
                 "--algorithm", ",".join(dict.fromkeys(row.algorithm for row in self.rows)),
                 "--size", ",".join(map(str, self.sizes)),
                 "--mode", ",".join(self.modes)]
        for option, values in (("--distribution", self.distributions),
                               ("--kept", tuple(f"{share:g}" for share in self.kept)),
                               ("--block-size", self.block_sizes),
                               ("--items-per-thread", self.items_per_thread),
                               ("--variant", self.variants)):
            if values:
                words += [option, ",".join(map(str, values))]
        return words

    def describe(self) -> str:
        sizes = exponent(self.sizes[0])
        if len(self.sizes) > 1:
            sizes += f"..{exponent(self.sizes[-1])} ({len(self.sizes)} sizes)"
        extra = "".join(f", {len(values)} {what}" for what, values in
                        (("distributions", self.distributions), ("kept shares", self.kept),
                         ("block sizes", self.block_sizes),
                         ("items per thread", self.items_per_thread)) if len(values) > 1)
        return (f"{self.operation}, n = {sizes}, {' '.join(self.modes)}, "
                f"{len(self.rows)} algorithms{extra}")

    def contenders(self, row: Row) -> int:
        """Tunings of one row."""
        blocks = len(self.block_sizes) if row.block_sizes and self.block_sizes else 1
        items = len(self.items_per_thread) if row.items_per_thread and self.items_per_thread else 1
        return blocks * items

    def measurements(self) -> int:
        return (len(self.sizes) * max(1, len(self.distributions)) * max(1, len(self.kept))
                * sum(self.contenders(row) * sum(mode in row.modes for mode in self.modes)
                      for row in self.rows))


def exponent(n: int) -> str:
    if is_power_of_two(n):
        return f"2^{n.bit_length() - 1}"
    if n > 0 and is_power_of_two(n + 3):
        return f"2^{(n + 3).bit_length() - 1}-3"
    return str(n)
