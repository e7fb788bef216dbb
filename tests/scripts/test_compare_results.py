"""The verdicts of compare_results.py, and its exit codes."""
import unittest

from script_case import ScriptCase, results, row

from compare_results import FASTER, SAME, SLOWER, Comparison, compare, geometric_mean


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


class CommandLine(ScriptCase):
    def compare(self, *options: str, median: float, code: int = 0) -> str:
        a = self.write_results("a.json", results([row(), row(algorithm="naive")]))
        b = self.write_results("b.json", results([row(median_us=median), row(algorithm="naive")]))
        return self.script("compare_results.py", a, b, *options, code=code).stdout

    def test_summary(self):
        said = self.compare(median=50)
        self.assertIn("scan cub: 1 faster, 0 slower, 0 not distinguishable; B is 2.000", said)
        self.assertIn("scan naive: 0 faster, 0 slower, 1 not distinguishable", said)

    def test_a_slowdown_fails_only_when_asked(self):
        self.compare(median=200)
        self.compare("--fail", median=200, code=1)
        self.compare("--fail", median=50)

    def test_a_small_slowdown_is_tolerated(self):
        self.compare("--fail", median=105, code=1)
        self.compare("--fail", "--tolerance", "10", median=105)

    def test_bad_input(self):
        good = self.write_results("good.json", results([row()]))
        other = self.write_results("other.json", results([row(n=5)]))
        broken = self.write("broken.json", '{"experiment": ')
        strange = self.write("strange.json", '{"rows": []}')
        nonsense = self.write_results("nonsense.json", results([{"operation": "scan"}]))
        for arguments, code, text in (((good,), 2, "required"),
                                      ((good, other), 2, "no row in common"),
                                      ((good, self.folder / "none.json"), 4, "cannot be read"),
                                      ((good, broken), 4, "is no JSON"),
                                      ((good, strange), 4, "'experiment' is no text"),
                                      ((good, nonsense), 4, "row 0 has no 'algorithm'"),
                                      ((good, good, "--tolerance", "-1"), 2, "legal is")):
            with self.subTest(text):
                self.assertIn(text, self.error("compare_results.py", *arguments, code=code))


if __name__ == "__main__":
    unittest.main()
