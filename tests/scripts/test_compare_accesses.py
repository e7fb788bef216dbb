"""compare_accesses.py: compares counts with ncu's values for the same launches."""
import csv
import io
import json
import unittest

from fabricated_counts import counts, row
from script_case import TESTS, ScriptCase

from study.access_counts import EXACT, MOST_PCT, QUANTITIES, Compared, compare
from study.ncu_report import KERNEL

TREE = [counts(128, 8, (6400, 32), (3200, 16)), counts(128, 4, (6400, 16), (3200, 8))]
MEASURED = {"launch__thread_count": 128, QUANTITIES["load requests"]: 200,
            QUANTITIES["load sectors"]: 190, QUANTITIES["store requests"]: 100,
            QUANTITIES["store sectors"]: 100, QUANTITIES["bank conflicts"]: 4}


def report(launches: list) -> str:
    """In the format of ncu, from (kernel, value of each quantity)."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(["ID", KERNEL, *QUANTITIES.values()])
    writer.writerow(["", "", *("" for _ in QUANTITIES)])
    for i, (kernel, values) in enumerate(launches):
        writer.writerow([i, f"void a::{kernel}<8>(int *)",
                         *(f"{values[metric]:,}" for metric in QUANTITIES.values())])
    return text.getvalue()


class Compare(unittest.TestCase):
    def test_kernel_by_kernel(self):
        launches = [{KERNEL: "up", **MEASURED}, {KERNEL: "up", **MEASURED}, {KERNEL: "down", **MEASURED}]
        compared = compare(row("efficient", TREE, n=64), launches)
        self.assertEqual([one.place for one in compared[:1] + compared[-1:]],
                         [("scan", "efficient", 64, "up"), ("scan", "efficient", 64, "down")])
        self.assertEqual({one.quantity: (one.counted, one.measured) for one in compared[:7]}, {
            "launches": (2, 2), "threads": (256, 256), "load requests": (400, 400),
            "load sectors": (400, 380), "store requests": (200, 200), "store sectors": (200, 200),
            "bank conflicts": (8, 8)})
        self.assertEqual([one.counted for one in compared[7:]], [0] * 7)
        self.assertEqual(compared[7].measured, 1)

    def test_what_agrees(self):
        def agrees(quantity, counted, measured):
            return Compared((), quantity, counted, measured).agrees
        self.assertTrue(agrees("load sectors", 105, 100) and agrees("load sectors", 95, 100))
        self.assertFalse(agrees("load sectors", 106, 100) or agrees("load sectors", 94, 100))
        self.assertFalse(agrees("threads", 101, 100) or agrees("launches", 99, 100))
        self.assertTrue(agrees("bank conflicts", 0, 0))
        self.assertFalse(agrees("bank conflicts", 1, 0))
        self.assertEqual((set(EXACT) - {"launches"}) - set(QUANTITIES), set())
        self.assertEqual(Compared((), "load sectors", 105, 100).difference, MOST_PCT)

    def test_what_no_counter_says_is_nothing(self):
        one = compare(row("naive", []), [{KERNEL: "add", "launch__thread_count": None}])[1]
        self.assertEqual((one.counted, one.measured), (0, 0))


class Program(ScriptCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_measure_time()
        self.add_program("stream_compaction_test", TESTS / "fake_ncu.py")  # is never started
        self.ncu = self.add_program("ncu", TESTS / "fake_ncu.py", "tools")
        self.table = self.folder / "accesses.csv"

    def arguments(self, data: dict, *more: object) -> list:
        return ["compare_accesses.py", "--build", self.build, "--ncu", self.ncu, "--output", self.table,
                "--counts", self.write_results("counts.json", data), *more]

    def compare(self, launches: list, code: int) -> str:
        data = {"seed": 1, "rows": [row("naive", TREE, n=64)]}
        made = self.write("report.csv", report(launches))
        return self.script(*self.arguments(data), code=code, FAKE_NCU_REPORT=str(made)).stdout

    def test_all_agrees(self):
        said = self.compare([("up", {**MEASURED, QUANTITIES["load sectors"]: 200})] * 2, code=0)
        self.assertEqual(said, f"7 of 7 agree: {self.table}\n")
        lines = self.table.read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0],
                         "operation,algorithm,n,kernel,quantity,counted,measured,difference_pct")
        self.assertIn("scan,naive,64,up,load sectors,400,400,0.0", lines)

    def test_what_differs_is_said(self):
        said = self.compare([("up", {**MEASURED, QUANTITIES["store sectors"]: 50})] * 2, code=1)
        self.assertEqual(said.splitlines(), [
            "scan naive 64 up: load sectors: counted 400, measured 380",
            "scan naive 64 up: store sectors: counted 200, measured 100",
            f"5 of 7 agree: {self.table}"])

    def test_the_counts_are_not_overwritten(self):
        counts = self.folder / "counts.json"
        self.table.symlink_to(counts)
        said = self.error(*self.arguments({"seed": 1, "rows": [row("naive", TREE, n=64)]}), code=2)
        self.assertIn("--output: given ", said)

    def test_refuses_what_cannot_be_compared(self):
        for rows, what in (([], "not of one power of two"),
                           ([row("naive", TREE, n=63)], "not of one power of two"),
                           ([row("naive", [], n=0)], "not of one power of two"),
                           ([row("naive", TREE, n=64), row("cub", TREE, n=32)], "not of one power"),
                           ([row("nobody", TREE, n=64)], "no row of a GPU is scan nobody")):
            with self.subTest(what):
                self.assertIn(what, self.error(*self.arguments({"seed": 1, "rows": rows}), code=4))
        for data in ({"seed": 1, "rows": [{}]}, {"rows": []}, {"seed": "--list", "rows": []}):
            with self.subTest(data):
                self.assertIn("is not a file of count_accesses",
                              self.error(*self.arguments(data), code=4))
        self.assertFalse(self.table.exists())

    def called(self, **fields) -> str:
        """The arguments of stream_compaction_test for a row that was counted with these options."""
        counted = {**row("naive", TREE, n=64, operation="compact"), **fields}
        self.ncu.write_text(f'#!/bin/sh\necho "$@" > {self.folder}/called\n'
                            f'{self.ncu.read_text().splitlines()[-1]}\n')
        self.script(*self.arguments({"seed": 7, "rows": [counted]}), code=1)
        return (self.folder / "called").read_text().strip()

    def test_calls_are_those_that_were_counted(self):
        for fields, options in (({}, "--seed 7 --distribution uniform50 --block-size 256"),
                                ({"distribution": "model:3", "block_size": None},
                                 "--seed 7 --distribution model:3"),
                                ({"items_per_thread": 8, "block_size": 64}, "--seed 7 --distribution "
                                 "uniform50 --block-size 64 --items-per-thread 8"),
                                ({"padding": 0}, "--seed 7 --distribution uniform50 --block-size 256 "
                                 "--padding 0"),
                                ({"distribution": "file:keys", "kept": None, "block_size": None},
                                 f"--seed 7 --distribution file:{self.folder.resolve()}/keys")):
            with self.subTest(options):
                self.assertTrue(self.called(**fields).endswith(f"--size 2^6 {options}"))

    def test_refuses_what_cannot_be_called(self):
        for fields, why in (({"kept": 0.25}, "no option for kept 0.25"), ({"kept": 0.5}, "kept 0.5")):
            with self.subTest(why):
                counted = {**row("naive", TREE, n=64), **fields}
                said = self.error(*self.arguments({"seed": 1, "rows": [counted]}), code=4)
                self.assertIn("scan naive cannot be called as it was counted", said)
                self.assertIn(why, said)
        older = row("naive", TREE, n=64)
        del older["distribution"]
        self.assertIn("rows/0: 'distribution' is a required property",
                      self.error(*self.arguments({"seed": 1, "rows": [older]}), code=4))
        self.assertFalse(self.table.exists())


if __name__ == "__main__":
    unittest.main()
