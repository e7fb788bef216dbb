"""A confidence interval of a ratio of medians, by a bootstrap over all samples."""
from __future__ import annotations

from typing import Sequence

from study.command_line import ExitCode, ScriptError

CONFIDENCE = 0.95
RESAMPLES = 2000
SEED = 1


def ratio_interval(a: Sequence[Sequence[float]], b: Sequence[Sequence[float]]
                   ) -> tuple[float, float, float]:
    """The median over all rounds of median(a) / median(b), and the ends of its confidence interval.

    Both arguments have the same number of rounds, each with at least one sample. Times of two rounds
    differ by more than the samples of one round, because clock rates and addresses change from one
    process to the next. Therefore each resample selects rounds first, the same rounds of a and b, and
    then samples inside them. With a single round, only its samples can be resampled.
    """
    np = numpy()
    random = np.random.default_rng(SEED)
    rounds = len(a)
    shape = (rounds, RESAMPLES)
    ratios = np.stack([ratio(resampled_medians(of_a, shape, random),
                             resampled_medians(of_b, shape, random)) for of_a, of_b in zip(a, b)])
    selected = random.integers(rounds, size=(1, *shape))
    resampled = np.sort(np.median(np.take_along_axis(ratios, selected, axis=0)[0], axis=0))
    outside = round((1 - CONFIDENCE) / 2 * RESAMPLES)
    medians = [np.array([np.median(of_one) for of_one in side]) for side in (a, b)]
    return (float(np.median(ratio(*medians))), float(resampled[outside]),
            float(resampled[-1 - outside]))


def resampled_medians(samples: Sequence[float], shape: tuple[int, ...], random):
    """Medians of resamples, each of as many samples, with replacement.

    Sorting n uniform numbers and selecting the k-th of them is the same as one number of a beta
    distribution, so a resample costs one or two random numbers instead of n.
    """
    np = numpy()
    ordered = np.sort(np.asarray(samples, dtype=float))
    n = len(ordered)
    k = (n + 1) // 2  # the lower of the two in the middle
    lower = random.beta(k, n - k + 1, shape)
    medians = ordered[np.minimum((n * lower).astype(int), n - 1)]
    if n % 2:
        return medians
    upper = lower + (1 - lower) * random.beta(1, n - k, shape)  # the least of the n - k above it
    return (medians + ordered[np.minimum((n * upper).astype(int), n - 1)]) / 2


def ratio(a, b):
    """a / b of two arrays of times; 1 if both are less than the clock can measure."""
    np = numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(a == b, 1.0, a / b)


def numpy():
    try:
        import numpy as np
    except ImportError as error:
        raise ScriptError(f"comparing samples needs numpy: install python3-numpy ({error})",
                          ExitCode.USAGE) from error
    return np
