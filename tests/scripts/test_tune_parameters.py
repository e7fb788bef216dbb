"""Which tuning tune_parameters.py considers the best, and when a default disagrees."""
import contextlib
import io
import json
import re
import unittest

from script_case import ScriptCase, results, row

from study.executables import Row
from study.experiments import tuning_calls
from tune_parameters import parse, print_choices, print_verdict
from study.tuning_choices import choices


def tuned(block_size: int, median: float, **fields) -> dict:
    return row(algorithm="naive", block_size=block_size, median_us=median, **fields)


DEFAULTS = {("scan", "naive"): (256, None)}


class Choices(unittest.TestCase):
    def test_best_and_runner_up_at_each_size(self):
        rows = [tuned(64, 30), tuned(128, 10), tuned(256, 20), tuned(64, 3, n=8),
                tuned(256, 5, n=8)]
        small, large = choices(rows, DEFAULTS)
        self.assertEqual((small.n, small.best["block_size"], small.runner_up["block_size"]),
                         (8, 64, 256))
        self.assertEqual((large.best["block_size"], large.runner_up["block_size"]), (128, 256))
        self.assertEqual(large.default["block_size"], 256)

    def test_a_default_disagrees_only_beyond_the_quartiles(self):
        table = [("it is the best", 10, 12, False), ("far slower", 10, 5, True),
                 ("slower within the quartiles", 10, 9.9, False)]
        for what, default, other, disagrees in table:
            with self.subTest(what):
                choice, = choices([tuned(256, default), tuned(64, other)], DEFAULTS)
                self.assertEqual(choice.disagrees, disagrees)

    def test_a_default_that_was_not_measured_cannot_disagree(self):
        choice, = choices([tuned(64, 5)], DEFAULTS)
        self.assertIsNone(choice.default)
        self.assertIsNone(choice.runner_up)
        self.assertFalse(choice.disagrees)

    def test_wrong_results_are_never_the_best(self):
        choice, = choices([tuned(64, 1, verified=False), tuned(256, 5)], DEFAULTS)
        self.assertEqual(choice.best["block_size"], 256)


    def test_how_much_slower_the_default_is(self):
        for default, best, slowness in ((20, 10, 2), (10, 10, 1)):
            choice, = choices([tuned(256, default), tuned(64, best)], DEFAULTS)
            self.assertEqual(choice.slowness, slowness)
        self.assertIsNone(choices([tuned(64, 5)], DEFAULTS)[0].slowness)

    def test_quartiles_that_touch_do_not_disagree(self):
        for q3, disagrees in ((19.8, False), (19.7, True)):
            choice, = choices([tuned(256, 20), tuned(64, 19, q3_us=q3)], DEFAULTS)
            self.assertEqual(choice.disagrees, disagrees)

    def test_operations_and_algorithms_are_apart(self):
        rows = [tuned(64, 9), tuned(64, 8, operation="compact"), tuned(64, 7, operation="compact",
                                                                       n=8),
                row(algorithm="other", block_size=64, items_per_thread=2, median_us=6)]
        found = choices(rows, {("scan", "other"): (64, 2)})
        self.assertEqual([(one.operation, one.algorithm, one.n, one.best["median_us"])
                          for one in found],
                         [("scan", "naive", 1 << 20, 9), ("scan", "other", 1 << 20, 6),
                          ("compact", "naive", 8, 7), ("compact", "naive", 1 << 20, 8)])
        self.assertEqual([one.default is None for one in found], [True, False, True, True])


class Printed(unittest.TestCase):
    maxDiff = None

    def printed(self, call, found) -> list:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            call(found)
        return out.getvalue().splitlines()

    def test_a_line_for_each_choice(self):
        found = choices([tuned(256, 20), tuned(64, 10), row(block_size=64, items_per_thread=8, n=8)],
                        DEFAULTS)
        lines = self.printed(print_choices, found)
        self.assertEqual([re.split("  +", line) for line in lines], [
            ["operation", "algorithm", "n", "best", "us (quartiles)", "runner-up",
             "us (quartiles)", "default", "us (quartiles)"],
            ["scan", "naive", "2^20", "64", "10.0 (9.9..10.1)", "256", "20.0 (19.8..20.2)", "256",
             "20.0 (19.8..20.2)", "the default is 2.00 times as slow"],
            ["scan", "cub", "2^3", "64 x 8", "100.0 (99.0..101.0)", "-", "-", "-", "-"]])
        self.assertEqual(lines[0].index("algorithm"), lines[2].index("cub"))

    def test_the_defaults_that_disagree(self):
        self.assertEqual(self.printed(print_verdict, choices([tuned(256, 20), tuned(64, 10)],
                                                             DEFAULTS)),
                         ["", "defaults that disagree with these measurements:",
                          "    scan naive at 2^20: 256 in the source, 64 is best"])
        self.assertEqual(self.printed(print_verdict, choices([tuned(256, 2)], DEFAULTS)),
                         ["", "no default is slower than the best beyond the quartiles"])


class Calls(unittest.TestCase):
    @staticmethod
    def row(name: str, blocks: tuple, items: tuple = ()) -> Row:
        return Row("scan", name, True, ("cold",), blocks, items, None, None)

    def test_rows_with_the_same_choice_share_a_call(self):
        class Listing:
            rows = (self.row("a", (64, 128)), self.row("b", (64, 128), (1, 2)),
                    self.row("c", (512, 1024)), self.row("d", ()), self.row("e", (256,)))
        calls = tuning_calls(Listing, ["scan"], [8])
        self.assertEqual([[row.algorithm for row in call.rows] for call in calls],
                         [["a", "b"], ["c"]])
        self.assertEqual((calls[0].block_sizes, calls[0].items_per_thread), ((64, 128), (1, 2)))
        self.assertEqual(calls[0].measurements(), 2 + 4)


class CommandLine(ScriptCase):
    def test_measures_and_writes_the_experiment(self):
        self.add_measure_time()
        said = self.script("tune_parameters.py", "--build", self.build, "--output",
                           self.folder / "out", "--exponents", "12").stdout
        self.assertIn("no default is slower", said)
        data = json.loads((self.folder / "out/block_size.json").read_text())
        self.assertEqual(data["experiment"], "block_size")
        self.assertEqual({row["n"] for row in data["rows"]}, {1 << 12})
        plus = [row for row in data["rows"] if row["algorithm"] == "efficient_plus"
                and row["operation"] == "scan"]
        self.assertEqual(len(plus), 8 * 5)

    def test_judges_a_recorded_file(self):
        self.add_measure_time()
        recorded = self.write_results("block_size.json", results(
            [tuned(256, 20), tuned(64, 10)], "block_size"))
        said = self.script("tune_parameters.py", "--build", self.build, "--results", recorded,
                           FAKE_NO_GPU="1").stdout
        self.assertIn("scan naive at 2^20: 256 in the source, 64 is best", said)

    def test_judges_a_recorded_file_without_a_build(self):
        recorded = self.write_results("block_size.json", results(
            [tuned(256, 20), tuned(64, 10)], "block_size"))
        arguments = ("tune_parameters.py", "--results", recorded)
        done = self.script(*arguments, STREAM_COMPACTION_BUILD=str(self.build))
        self.assertRegex(done.stdout, r"scan +naive +2\^20 +64 +10\.0 .* 256 +20\.0 .* - +-\n")
        self.assertNotIn("default is", done.stdout)
        self.assertIn("the defaults are left out: --build: there is no measure_time", done.stderr)
        self.error(*arguments, "--build", self.build, code=2)

    def test_what_has_no_tunings(self):
        self.add_measure_time()
        for name, rows in (("block_size", [row()]), ("block_size", [tuned(64, 5, n=0)]),
                           ("block_size", []), ("scan", [tuned(64, 5)])):
            recorded = self.write_results("file.json", results(rows, name))
            self.assertIn(f"{recorded} has no right row of the experiment block_size with a block",
                          self.error("tune_parameters.py", "--build", self.build, "--results",
                                     recorded, code=4))

    def test_exponents(self):
        self.assertEqual(parse(["--exponents", "32,0,32"]).exponents, [0, 32])
        for text in ("33", "-1", "1,,2", "x"):
            self.assertIn("allowed are whole numbers from 0 to 32", self.error(
                "tune_parameters.py", f"--exponents={text}", code=2))

    def test_errors(self):
        self.assertIn("no measure_time", self.error("tune_parameters.py", "--build", self.build,
                                                    code=2))
        self.add_measure_time()
        self.assertIn("without a GPU", self.error("tune_parameters.py", "--build", self.build,
                                                  code=3, FAKE_NO_GPU="1"))
        for environment in ({}, {"FAKE_NO_GPU": "1"}):  # names are checked first
            self.assertIn("allowed are compact, scan, sort", self.error(
                "tune_parameters.py", "--build", self.build, "--operation", "merge", code=2,
                **environment))
        self.assertIn("--exponents", self.error("tune_parameters.py", "--exponents", "99",
                                                code=2))


if __name__ == "__main__":
    unittest.main()
