"""The verdicts of compare_results.py, and its exit codes."""
import math
import shlex
import subprocess
import sys
import unittest

from script_case import SCRIPTS, ScriptCase, results, row

from compare_results import FASTER, SAME, SLOWER, Comparison, compare, describe, geometric_mean


def times(q1: float, median: float, q3: float) -> dict:
    return row(q1_us=q1, median_us=median, q3_us=q3)


class Verdicts(unittest.TestCase):
    def test_only_ranges_that_do_not_touch_are_told_apart(self):
        a = times(9, 10, 11)
        table = [
            ("the same", times(9, 10, 11), SAME),
            ("clearly faster", times(4, 5, 6), FASTER),
            ("clearly slower", times(19, 20, 21), SLOWER),
            ("a faster median within the quartiles", times(7, 8, 9.5), SAME),
            ("a slower median within the quartiles", times(10.5, 12, 13), SAME),
            ("touching from below", times(7, 8, 9), SAME),
            ("touching from above", times(11, 12, 13), SAME),
            ("just below", times(7, 8, 8.999), FASTER),
            ("just above", times(11.001, 12, 13), SLOWER),
            ("a wide range around", times(1, 10, 100), SAME),
        ]
        for what, b, verdict in table:
            with self.subTest(what):
                self.assertEqual(Comparison(a, b).verdict, verdict)

    def test_within_the_tolerance_nothing_is_told_apart(self):
        slower, faster = row(median_us=104), row(median_us=96)
        for b, tolerance, verdict in ((slower, 0.05, SAME), (faster, 0.05, SAME), (slower, 0.04, SAME),
                                      (slower, 0.03, SLOWER), (faster, 0.03, FASTER)):
            self.assertEqual(Comparison(row(), b, tolerance).verdict, verdict)

    def test_few_samples_have_no_quartiles(self):
        for a, b, verdict in ((1, 1, SAME), (1, 10, SAME), (10, 3, SAME), (4, 4, SLOWER)):
            self.assertEqual(Comparison(row(samples=a), row(samples=b, median_us=200)).verdict,
                             verdict)

    def test_speedup_is_a_over_b(self):
        self.assertEqual(Comparison(times(9, 10, 11), times(4, 5, 6)).speedup, 2)

    def test_rows_meet_by_all_that_names_them(self):
        a = results([row(), row(n=8), row(mode="hot"), row(block_size=64), row(kept=0.5)])
        b = results([row(kept=0.5), row(block_size=128), row(mode="hot"), row()])
        both, only_a, only_b = compare(a, b)
        self.assertEqual([c.a for c in both], [a["rows"][0], a["rows"][2], a["rows"][4]])
        self.assertEqual(only_a, [a["rows"][1], a["rows"][3]])
        self.assertEqual(only_b, [b["rows"][1]])

    def test_geometric_mean(self):
        self.assertAlmostEqual(geometric_mean([2, 8]), 4)
        self.assertIsNone(geometric_mean([]))


    def test_a_row_in_words(self):
        self.assertEqual(describe(row(algorithm="naive", block_size=64)),
                         "scan naive 64 cold n=1048576 uniform50")
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


class CommandLine(ScriptCase):
    def compare(self, *options: str, median: float, code: int = 0) -> str:
        a = self.write_results("a.json", results([row(), row(algorithm="naive")]))
        b = self.write_results("b.json", results([row(median_us=median), row(algorithm="naive")]))
        return self.script("compare_results.py", a, b, *options, code=code).stdout

    def test_summary(self):
        said = self.compare(median=50)
        self.assertIn("scan cub: 1 faster, 0 slower, 0 not distinguishable; B is 2.000", said)
        self.assertIn("scan naive: 0 faster, 0 slower, 1 not distinguishable", said)

    def test_variants_have_lines_of_their_own(self):
        a = self.write_results("a.json", results([row(variant="int64"), row(variant="float")]))
        b = self.write_results("b.json", results([row(variant="int64", median_us=50),
                                                  row(variant="float", samples=1)]))
        said = self.script("compare_results.py", a, b).stdout
        self.assertIn("scan cub int64: 1 faster, 0 slower", said)
        self.assertIn("scan cub float: 0 faster, 0 slower, 1 not", said)
        self.assertIn("\n1 row with fewer than 4 samples: not distinguishable\n", said)

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
        self.assertIn("all: 0 faster, 0 slower, 2 not distinguishable", said)
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
            "(48.00..51.00)", "2.000x", "faster"])
        self.assertEqual(lines[3], "")
        other = self.write_results("other.json", results(b, cub=""))
        self.assertEqual(self.script("compare_results.py", other, other).stdout.splitlines()[0],
                         "A: NVIDIA H200, commit 0123456789abcdef")
        shown = self.judge(b, 0, "--all").splitlines()[2:5]
        self.assertEqual([line.split()[3] for line in shown], ["n=1048576", "n=8", "n=9"])

    def test_a_small_slowdown_is_tolerated(self):
        self.compare("--fail", median=105, code=1)
        said = self.compare("--fail", "--tolerance", "10", "--all", median=105)
        self.assertEqual(said.splitlines()[2].split("x  ")[1], "not distinguishable")
        self.assertNotIn("1 slower", said)
        self.compare("--fail", "--tolerance", "4.9", median=105, code=1)
        self.compare("--fail", "--tolerance", "5", median=105)
        self.compare("--fail", "--tolerance", "99.9", median=199)
        self.assertIn("1 row slower in B", self.compare(median=102.5))

    def test_other_gpus_are_noted(self):
        a = self.write_results("a.json", results([row()]))
        b = self.write_results("b.json", results([row()], gpu="NVIDIA A100"))
        self.assertIn("note: the GPUs are different", self.script("compare_results.py", a, b).stdout)
        self.assertNotIn("note", self.script("compare_results.py", a, a).stdout)

    def test_other_experiments_are_noted(self):
        a = self.write_results("a.json", results([row(), row(n=8)], "scan"))
        b = self.write_results("b.json", results([row(), row(algorithm="naive"),
                                                  row(operation="sort", algorithm="cpu")], "sizes"))
        different = "the experiments are different: scan in A, sizes in B"
        said = self.script("compare_results.py", a, b).stdout
        self.assertIn(f"\nnote: {different}\n", said)
        self.assertIn("\n1 row only in A: scan cub\n", said)
        self.assertIn("\n2 rows only in B: scan naive, sort cpu\n", said)
        c = self.write_results("c.json", results([row(n=7)], "sizes"))
        self.assertIn(f"no row in common: {different}\n",
                      self.error("compare_results.py", a, c, code=2))
        self.assertNotIn("experiments", self.error("compare_results.py", b, c, code=2))

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
