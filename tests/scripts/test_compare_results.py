"""The verdicts of compare_results.py, and its exit codes."""
import math
import shlex
import subprocess
import sys
import unittest
from collections import Counter
from typing import Sequence

try:
    import numpy as np
except ImportError:
    np = None

from script_case import SCRIPTS, ScriptCase, results, row

from study.bootstrap import resampled_medians
from study.verdicts import (AMBIGUOUS, FAST, SAME, SLOW, Comparison, compare, describe,
                            geometric_mean)


def times(q1: float, median: float, q3: float) -> dict:
    return row(q1_us=q1, median_us=median, q3_us=q3)


class Verdicts(unittest.TestCase):
    def test_only_ranges_that_do_not_touch_are_told_apart(self):
        a = times(9, 10, 11)
        table = [
            ("the same", times(9, 10, 11), AMBIGUOUS),
            ("clearly faster", times(4, 5, 6), FAST),
            ("clearly slower", times(19, 20, 21), SLOW),
            ("a faster median within the quartiles", times(7, 8, 9.5), AMBIGUOUS),
            ("a slower median within the quartiles", times(10.5, 12, 13), AMBIGUOUS),
            ("touching from below", times(7, 8, 9), AMBIGUOUS),
            ("touching from above", times(11, 12, 13), AMBIGUOUS),
            ("just below", times(7, 8, 8.999), FAST),
            ("just above", times(11.001, 12, 13), SLOW),
            ("a wide range around", times(1, 10, 100), AMBIGUOUS),
        ]
        for what, b, verdict in table:
            with self.subTest(what):
                self.assertEqual(Comparison(a, b).verdict, verdict)

    def test_quartiles_within_the_tolerance_are_the_same(self):
        a = times(99.9, 100, 100.1)
        for b, tolerance, verdict in ((times(100.9, 101, 101.1), 0.015, SAME),
                                      (times(98.9, 99, 99.1), 0.015, SAME),
                                      (times(101.2, 101.3, 101.6), 0.015, AMBIGUOUS),
                                      (times(103.8, 104, 104.2), 0.05, SAME),
                                      (times(103.8, 104, 104.2), 0.04, AMBIGUOUS),
                                      (times(103.8, 104, 104.2), 0.03, SLOW),
                                      (times(95.8, 96, 96.2), 0.03, FAST)):
            with self.subTest(b=b["median_us"], tolerance=tolerance):
                self.assertEqual(Comparison(a, b, tolerance).verdict, verdict)

    def test_few_samples_have_no_quartiles(self):
        for a, b, verdict in ((1, 1, AMBIGUOUS), (1, 10, AMBIGUOUS), (10, 3, AMBIGUOUS), (4, 4, SLOW)):
            self.assertEqual(Comparison(row(samples=a), row(samples=b, median_us=200)).verdict,
                             verdict)

    def test_speedup_is_a_over_b(self):
        self.assertEqual(Comparison(times(9, 10, 11), times(4, 5, 6)).speedup, 2)

    def test_rows_meet_by_all_that_names_them(self):
        a = results([row(), row(n=8), row(mode="hot"), row(block_size=64), row(kept=0.5), row(padding=0)])
        b = results([row(kept=0.5), row(block_size=128), row(mode="hot"), row()])
        both, only_a, only_b = compare(a, b)
        self.assertEqual([c.a for c in both], [a["rows"][0], a["rows"][2], a["rows"][4]])
        self.assertEqual(only_a, [a["rows"][1], a["rows"][3], a["rows"][5]])
        self.assertEqual(only_b, [b["rows"][1]])

    def test_geometric_mean(self):
        self.assertAlmostEqual(geometric_mean([2, 8]), 4)
        self.assertIsNone(geometric_mean([]))


    def test_a_row_in_words(self):
        self.assertEqual(describe(row(algorithm="naive", block_size=64)),
                         "scan naive 64 cold n=1048576 uniform50")
        self.assertEqual(describe(row(algorithm="plus", block_size=64, items_per_thread=2, padding=0)),
                         "scan plus 64x2 unpadded cold n=1048576 uniform50")
        self.assertEqual(describe(row(variant="int64")),
                         "scan cub int64 cold n=1048576 uniform50")
        self.assertEqual(describe(row(distribution="model:7", model="3 values")),
                         "scan cub cold n=1048576 model:7")
        self.assertEqual(describe(row(operation="compact", n=7, block_size=64, items_per_thread=2,
                                      kept=0.25, mode="hot")),
                         "compact cub 64x2 hot n=7 uniform50 kept 25 %")

    def test_a_time_of_nothing(self):
        zero, one = times(0, 0, 0), times(1, 1, 1)
        self.assertEqual((Comparison(one, zero).speedup, Comparison(zero, zero).speedup),
                         (math.inf, 1))
        self.assertAlmostEqual(geometric_mean([math.inf, 3, 0]), 3)
        self.assertAlmostEqual(geometric_mean([0.5, 0.125]), 0.25)


def sampled(*rounds: Sequence[float], **fields) -> dict:
    """A row with the samples of these rounds."""
    samples = [us for one in rounds for us in one]
    made = row(median_us=float(np.median(samples)), min_us=min(samples),
               q1_us=float(np.quantile(samples, 0.25)), q3_us=float(np.quantile(samples, 0.75)),
               samples=len(samples), samples_us=samples, **fields)
    return made | {"rounds": [len(one) for one in rounds]} if len(rounds) > 1 else made


class Machine:
    """Simulates measurements: each process has its own clock rate, and each sample its own noise."""

    def __init__(self, seed: int, between_processes: float):
        self.random = np.random.default_rng(seed)
        self.between_processes = between_processes

    def process(self, time_us: float, drift: float, samples: int = 30) -> list[float]:
        clock = 1 + drift + self.between_processes * self.random.normal()
        noise = np.abs(self.random.normal(size=samples))
        return list(time_us * clock * (1 + 0.01 * noise))

    def verdict(self, slowdown: float, rounds: int, drift: float = 0.0, **samples: int) -> str:
        """Of a row that is slower in B, while all rounds drift together."""
        a, b = [], []
        for _ in range(rounds):
            here = drift * self.random.uniform(-1, 1)
            a.append(self.process(100, here, **samples))
            b.append(self.process(100 * slowdown, here, **samples))
        return Comparison(sampled(*a), sampled(*b)).verdict


@unittest.skipIf(np is None, "numpy is not installed")
class Samples(ScriptCase):
    def judge(self, *arguments, **named) -> Counter:
        """Of 20 comparisons."""
        return Counter(Machine(seed, 0.003).verdict(*arguments, **named) for seed in range(20))

    def test_builds_of_one_commit_are_the_same_in_20_of_20_runs(self):
        self.assertEqual(self.judge(1.0, 8, drift=0.02), {SAME: 20})

    def test_three_percent_are_slow_in_20_of_20_runs(self):
        self.assertEqual(self.judge(1.03, 8, drift=0.02), {SLOW: 20})
        self.assertEqual(self.judge(1 / 1.03, 8, drift=0.02), {FAST: 20})

    def test_a_difference_of_the_tolerance_is_ambiguous(self):
        self.assertGreaterEqual(self.judge(1.015, 8)[AMBIGUOUS], 15)

    def test_rounds_are_resampled_as_a_whole(self):
        """Half of B's processes are 4 % slower: samples alone would be sure of a wrong verdict."""
        machine = Machine(1, 0.0)
        a = [machine.process(100, 0) for _ in range(8)]
        b = [machine.process(104 if i < 5 else 100, 0) for i in range(8)]
        self.assertEqual(Comparison(sampled(*a), sampled(*b)).verdict, AMBIGUOUS)
        as_one = [[us for one in side for us in one] for side in (a, b)]
        self.assertEqual(Comparison(sampled(as_one[0]), sampled(as_one[1])).verdict, SLOW)

    def test_one_outlying_round_changes_nothing(self):
        machine = Machine(1, 0.001)
        a = [machine.process(100, 0) for _ in range(8)]
        b = [machine.process(130 if i == 3 else 100, 0) for i in range(8)]
        self.assertEqual(Comparison(sampled(*a), sampled(*b)).verdict, SAME)

    def test_without_rounds_the_samples_are_resampled(self):
        machine = Machine(1, 0.0)
        a, same, slow = (machine.process(us, 0, samples=100) for us in (100, 100, 103))
        self.assertEqual(Comparison(sampled(a), sampled(same)).verdict, SAME)
        self.assertEqual(Comparison(sampled(a), sampled(slow)).verdict, SLOW)
        self.assertEqual(Comparison(sampled(slow), sampled(a)).verdict, FAST)
        noisy = [us * (1 + 0.1 * (i % 3)) for i, us in enumerate(a[:10])]
        self.assertEqual(Comparison(sampled(a), sampled(noisy)).verdict, AMBIGUOUS)

    def test_different_rounds_and_missing_samples_leave_the_quartiles(self):
        a = sampled(*([99.0, 100.0, 101.0],) * 3)
        for b in (sampled([200.0] * 9), row(median_us=200.0)):
            self.assertIsNone(Comparison(a, b).interval)
            self.assertEqual(Comparison(a, b).verdict, SLOW)

    def test_the_interval_does_not_depend_on_other_rows(self):
        a, b = sampled([99.0, 100.0, 101.0, 103.0]), sampled([100.0, 102.0, 104.0, 104.0])
        self.assertEqual(Comparison(a, b).interval, Comparison(a, b).interval)

    def test_times_of_nothing(self):
        zero, some = sampled([0.0] * 9), sampled([1.0] * 9)
        self.assertEqual([Comparison(*pair).verdict for pair in ((zero, zero), (zero, some), (some, zero))],
                         [SAME, SLOW, FAST])

    def test_medians_of_resamples_are_those_of_a_usual_bootstrap(self):
        random = np.random.default_rng(1)
        for n in (1, 2, 5, 10, 101):
            samples = random.lognormal(size=n)
            usual = np.median(samples[random.integers(n, size=(20000, n))], axis=1)
            ours = resampled_medians(samples, (20000,), random)
            scale = max(np.std(samples), 1e-9)
            for share in (0.1, 0.5, 0.9):
                self.assertLess(abs(np.mean(ours <= np.quantile(usual, share))
                                    - np.mean(usual <= np.quantile(usual, share))), 0.02, (n, share))
            self.assertLess(abs(np.mean(ours) - np.mean(usual)) / scale, 0.03, n)

    def test_the_table_shows_the_interval(self):
        machine = Machine(1, 0.001)
        a, b = (self.write_results(name, results([sampled(*(machine.process(us, 0) for _ in range(8)))]))
                for name, us in (("a.json", 100), ("b.json", 105)))
        line = self.script("compare_results.py", a, b).stdout.splitlines()[2]
        self.assertRegex(line, r" 0\.95\dx \[0\.9[45]\d, 0\.95\d\]  SLOW$")
        self.script("compare_results.py", a, b, "--fail", code=1)
        self.script("compare_results.py", b, a, "--fail")

    def test_samples_that_contradict_their_row(self):
        good = self.write_results("good.json", results([sampled([1.0, 2.0], [1.0, 2.0])]))
        for change, text in (({"samples": 3}, "rows/0: samples is 3, but samples_us has 4"),
                             ({"rounds": [2, 1]}, "rows/0: rounds do not add up"),
                             ({"samples_us": None}, "None is not of type 'array'")):
            bad = self.write_results("bad.json", results([sampled([1.0, 2.0], [1.0, 2.0]) | change]))
            self.assertIn(text, self.error("compare_results.py", good, bad, code=4))


class CommandLine(ScriptCase):
    def compare(self, *options: str, median: float, code: int = 0) -> str:
        a = self.write_results("a.json", results([row(), row(algorithm="naive")]))
        b = self.write_results("b.json", results([row(median_us=median), row(algorithm="naive")]))
        return self.script("compare_results.py", a, b, *options, code=code).stdout

    def test_summary(self):
        said = self.compare(median=50)
        self.assertIn("scan cub: 1 FAST, 0 SLOW, 0 SAME, 0 AMBIGUOUS; B is 2.000", said)
        self.assertIn("scan naive: 0 FAST, 0 SLOW, 0 SAME, 1 AMBIGUOUS", said)

    def test_variants_have_lines_of_their_own(self):
        a = self.write_results("a.json", results([row(variant="int64"), row(variant="float")]))
        b = self.write_results("b.json", results([row(variant="int64", median_us=50),
                                                  row(variant="float", samples=1)]))
        said = self.script("compare_results.py", a, b).stdout
        self.assertIn("scan cub int64: 1 FAST, 0 SLOW", said)
        self.assertIn("scan cub float: 0 FAST, 0 SLOW, 0 SAME, 1 AMBIGUOUS", said)
        self.assertIn("\n1 row with fewer than 4 samples: AMBIGUOUS\n", said)

    def test_a_slowdown_fails_only_when_asked(self):
        self.compare(median=200)
        self.compare("--fail", median=200, code=1)
        self.compare("--fail", median=50)

    def judge(self, rows_of_b: list, code: int, *options: str) -> str:
        a = self.write_results("a.json", results([row(), row(n=8), row(n=9)]))
        b = self.write_results("b.json", results(rows_of_b))
        return self.script("compare_results.py", a, b, "--fail", *options, code=code).stdout

    def test_wrong_results_fail_and_are_not_compared(self):
        said = self.judge([row(), row(n=8), row(n=9, median_us=50, verified=False)], 1)
        self.assertIn("1 row with a wrong result in B", said)
        self.assertNotIn("only in", said)
        self.assertIn("all: 0 FAST, 0 SLOW, 0 SAME, 2 AMBIGUOUS", said)
        said = self.judge([row(n=n, verified=False) for n in (8, 9, 1 << 20)], 1)
        self.assertIn("3 rows with a wrong result in B", said)

    def test_what_was_wrong_in_a_may_be_right_in_b(self):
        a = self.write_results("a.json", results([row(), row(n=8, verified=False)]))
        b = self.write_results("b.json", results([row(), row(n=8, median_us=900)]))
        said = self.script("compare_results.py", a, b, "--fail").stdout
        self.assertIn("\n1 row with a wrong result in A\n", said)
        self.assertNotIn("only in", said)

    def test_missing_rows_cannot_be_judged(self):
        self.assertIn("2 rows only in A", self.judge([row()], 2))
        self.judge([row(median_us=200)], 1)
        self.judge([row(), row(n=8), row(n=9), row(n=10)], 0)

    def test_nothing_right_is_nothing_in_common(self):
        a = self.write_results("a.json", results([row()]))
        b = self.write_results("b.json", results([row(verified=False)]))
        self.assertIn("no row in common whose result is right",
                      self.error("compare_results.py", a, b, code=2))
        self.assertIn("no row in common whose result is right",
                      self.error("compare_results.py", b, a, code=2))
        self.assertIn("no row in common whose result is right",
                      self.error("compare_results.py", b, b, code=2))

    def test_a_closed_output_is_told(self):
        a = self.write_results("a.json", results([row()]))
        script = shlex.join([sys.executable, str(SCRIPTS / "compare_results.py"), str(a), str(a)])
        done = subprocess.run(f"{script} >&-", shell=True, capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (4, "compare_results.py: stdout is closed\n"))

    def test_the_rows_that_differ_are_shown_and_all_on_demand(self):
        b = [row(median_us=50, min_us=47, q1_us=48, q3_us=51), row(n=8), row(n=9)]
        lines = self.judge(b, 0).splitlines()
        self.assertEqual(lines[0], "A: NVIDIA H200, commit 0123456789abcdef, CUB 3.0.1")
        self.assertEqual(lines[2].split(), [
            "scan", "cub", "cold", "n=1048576", "uniform50", "100.00", "(99.00..101.00)", "50.00",
            "(48.00..51.00)", "2.000x", "FAST"])
        self.assertEqual(lines[3], "")
        other = self.write_results("other.json", results(b, cub=""))
        self.assertEqual(self.script("compare_results.py", other, other).stdout.splitlines()[0],
                         "A: NVIDIA H200, commit 0123456789abcdef")
        shown = self.judge(b, 0, "--all").splitlines()[2:5]
        self.assertEqual([line.split()[3] for line in shown], ["n=1048576", "n=8", "n=9"])

    def test_a_small_slowdown_is_tolerated(self):
        self.compare("--fail", median=105, code=1)
        said = self.compare("--fail", "--tolerance", "10", "--all", median=105)
        self.assertEqual(said.splitlines()[2].split("x  ")[1], "SAME")
        self.assertNotIn("1 SLOW", said)
        self.compare("--fail", "--tolerance", "4.9", median=105, code=1)
        self.compare("--fail", "--tolerance", "5", median=105)
        self.compare("--fail", "--tolerance", "99.9", median=199)
        self.assertIn("1 row SLOW in B", self.compare(median=102.5))

    def test_other_gpus_are_noted(self):
        a = self.write_results("a.json", results([row()]))
        b = self.write_results("b.json", results([row()], gpu="NVIDIA A100"))
        self.assertIn("note: the GPUs are different", self.script("compare_results.py", a, b).stdout)
        self.assertNotIn("note", self.script("compare_results.py", a, a).stdout)

    def test_rows_of_one_file_are_named(self):
        a = self.write_results("a.json", results([row(), row(n=8)]))
        b = self.write_results("b.json", results([row(), row(algorithm="naive"),
                                                  row(operation="sort", algorithm="cpu")]))
        said = self.script("compare_results.py", a, b).stdout
        self.assertIn("\n1 row only in A: scan cub\n", said)
        self.assertIn("\n2 rows only in B: scan naive, sort cpu\n", said)

    def test_other_experiments_are_refused(self):
        a = self.write_results("a.json", results([row()], "scan"))
        b = self.write_results("b.json", results([row()], "sizes"))
        self.assertEqual(self.error("compare_results.py", a, b, code=2),
                         "compare_results.py: the experiments are different: "
                         f"scan in {a}, sizes in {b}\n")

    def test_bad_input(self):
        kernel = {"operation": "scan", "algorithm": "cub", "kernel": "k", "n": 8, "launches": 2,
                  "time_us": 1}
        profile = self.write_results("profile.json", results([kernel], "profile"))
        good = self.write_results("good.json", results([row()]))
        other = self.write_results("other.json", results([row(n=5)]))
        broken = self.write("broken.json", '{"experiment": ')
        strange = self.write("strange.json", '{"rows": []}')
        nonsense = self.write_results("nonsense.json", results([{"operation": "scan"}]))
        for arguments, code, text in (((good,), 2, "required"),
                                      ((good, other), 2, "no row in common"),
                                      ((good, self.folder / "none.json"), 4, "cannot be read"),
                                      ((good, broken), 4, "is not valid JSON"),
                                      ((good, strange), 4, "'experiment' is a required"),
                                      ((good, nonsense), 4, "rows/0: 'algorithm' is a required"),
                                      ((good, profile), 2, "a profile has no times"),
                                      ((profile, good), 2, "a profile has no times"),
                                      ((good, good, "--tolerance", "nan"), 2, "given 'nan', allowed"),
                                      ((good, good, "--tolerance", "-1"), 2, "from 0 to 1000")):
            with self.subTest(text):
                self.assertIn(text, self.error("compare_results.py", *arguments, code=code))


if __name__ == "__main__":
    unittest.main()
