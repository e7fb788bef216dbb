"""Reading Nsight Compute's CSV, and profile_kernels.py on top of it.

ncu_raw.csv is made by hand after the layout that ncu 2025.3 writes: no GPU wrote it.
"""
import contextlib
import io
import json
import os
import unittest
from unittest import mock

from script_case import TESTS, ScriptCase

from study import ncu_report
from study.executables import Listing, Row
from study.ncu_report import KERNEL, TIME, ReportError, read_launches, short_name, summarize

from profile_kernels import print_table
from study.profiler import expected_minutes, find_ncu

RECORDED = (TESTS / "ncu_raw.csv").read_text(encoding="utf-8")


class Report(unittest.TestCase):
    def test_launches_in_their_order_with_base_units(self):
        launches = read_launches(RECORDED)
        self.assertEqual([launch[KERNEL] for launch in launches],
                         ["add_at_offset", "add_at_offset", "shift_right"])
        self.assertEqual(launches[0][TIME], 200)
        self.assertEqual(launches[0]["dram__bytes_read.sum"], 536870912)
        self.assertEqual(launches[0]["launch__shared_mem_per_block"], 1024)
        self.assertIsNone(
            launches[2]["dram__throughput.avg.pct_of_peak_sustained_elapsed"])

    def test_other_units_are_scaled(self):
        scaled = RECORDED.replace('"byte","byte","%","ns"', '"Mbyte","Kbyte","%","ms"')
        launch = read_launches(scaled)[2]
        self.assertEqual((launch["dram__bytes_read.sum"], launch["dram__bytes_write.sum"],
                          launch[TIME]), (1e9, 2e6, 5e7))

    def test_sums_and_means_by_kernel(self):
        first, second = summarize(read_launches(RECORDED), {"add_at_offset": 2, "shift_right": 1})
        self.assertEqual((first["kernel"], first["launches"], first["time_us"]),
                         ("add_at_offset", 2, 300))
        self.assertEqual(first["dram_bytes"], 3 * (1 << 28) + 2 * (1 << 28))
        self.assertAlmostEqual(first["dram_throughput_pct"], (2 * 80.5 + 70.5) / 3, places=3)
        self.assertAlmostEqual(first["occupancy_pct"], 80)
        self.assertEqual((first["registers"], first["shared_bytes"]), (16, 1024))
        self.assertEqual((second["bank_conflicts"], second["dram_throughput_pct"]), (12, None))

    def test_what_was_only_counted_is_scaled(self):
        first, _ = summarize(read_launches(RECORDED), {"add_at_offset": 10, "shift_right": 1})
        self.assertEqual((first["launches"], first["profiled"], first["time_us"]), (10, 2, 1500))

    def test_names(self):
        table = [("add", "add"), ("void a::b::scan(const int *)", "scan"),
                 ("void a::(anonymous namespace)::scan<4, true>(int *)", "scan"),
                 ("void <unnamed>::scan<4>(const int *, unsigned long)", "scan"),
                 ("unnamed>::scan(const int *, unsigned long)", "scan"),
                 ("void cub::detail::scan::DeviceScanKernel<cub::policy<int>, f(int)>(T1)",
                  "DeviceScanKernel")]
        for kernel, name in table:
            with self.subTest(kernel):
                self.assertEqual(short_name(kernel), name)

    def test_what_is_no_report(self):
        for text, what in (("", "no table"), ("==ERROR== It broke.\n", "It broke."),
                           ('"ID","Name"\n', "no column"),
                           ('"ID","Kernel Name"\n', "no line of units"),
                           ('"ID","Kernel Name"\n"",""\n"0"\n', "1 fields")):
            with self.subTest(what), self.assertRaisesRegex(ReportError, what):
                read_launches(text)


    def test_units(self):
        prefixes = {"": 0, "K": 3, "M": 6, "G": 9, "T": 12}
        sizes = {f"{prefix}byte": 10.0 ** power for prefix, power in prefixes.items()}
        sizes.update({f"{prefix}byte/block": 10.0 ** prefixes[prefix] for prefix in ("", "K", "M")})
        times = {f"{prefix}{unit}": 10.0 ** power for unit in ("s", "second")
                 for prefix, power in (("n", -3), ("u", 0), ("m", 3), ("", 6))}
        self.assertEqual(ncu_report.UNITS, {**sizes, **times})

    def test_a_table_without_launches(self):
        self.assertEqual(read_launches('"ID","Kernel Name"\n"",""\n'), [])

    def test_unknown_names_are_kept(self):
        self.assertEqual((short_name("a(int)"), short_name("a<1>(int)")), ("a", "a"))
        self.assertEqual((short_name("?"), short_name("a(int)>")), ("?", "a(int)>"))

    def test_means_are_weighted_by_time(self):
        self.assertEqual(ncu_report.mean([1, 4], [1, 2]), 3)
        self.assertEqual(ncu_report.mean([1, None, 4], [1, 9, 2]), 3)
        self.assertEqual(ncu_report.mean([1, 4], [0, 0]), 2.5)
        self.assertIsNone(ncu_report.mean([None], [1]))

    def test_what_no_counter_says(self):
        launch = {KERNEL: "a", TIME: None, "dram__bytes_read.sum": 3.0}
        made, = summarize([launch, dict(launch)], {"a": 1})
        self.assertEqual((made["launches"], made["profiled"], made["time_us"]), (2, 2, 0))
        self.assertEqual((made["dram_read_bytes"], made["dram_write_bytes"], made["dram_bytes"],
                          made["registers"]), (6, None, None, None))
        launch["dram__bytes_write.sum"] = 1.0004
        made, = summarize([launch], {"a": 3})
        self.assertEqual((made["dram_write_bytes"], made["dram_bytes"]), (3.001, 12.001))

    def test_lines_around_the_table(self):
        self.assertEqual(len(read_launches(RECORDED + "==PROF== over\n")), 3)
        with self.assertRaisesRegex(ReportError, "^3 is$"):
            read_launches("a\n==WARNING==   3 is  \n==ERROR== 4\n")


class Table(unittest.TestCase):
    def test_columns(self):
        rows = [{"operation": "scan", "algorithm": "naive", "kernel": "k" * 40, "launches": 27,
                 "time_us": 1234.56, "dram_bytes": 5.25e6, "dram_throughput_pct": 61.6,
                 "sm_throughput_pct": 25.4, "occupancy_pct": None, "registers": 32}]
        rows.append(dict(rows[0], kernel="l", dram_bytes=None))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            print_table({"rows": rows})
        head, *lines = [line.split() for line in out.getvalue().splitlines()]
        self.assertEqual(head, "operation algorithm kernel launches us MB DRAM% SM% occ% "
                         "regs".split())
        self.assertEqual(lines, [
            ["scan", "naive", "k" * 32, "27", "1234.6", "5.2", "62", "25", "-", "32"],
            ["scan", "naive", "l", "27", "1234.6", "-", "62", "25", "-", "32"]])
        self.assertEqual(len({len(line) for line in out.getvalue().splitlines()}), 1)

    def test_nine_seconds_a_row(self):
        listing = Listing(tuple(Row("scan", name, name != "cpu", (), (), (), None, None)
                                for name in ("cpu", "a", "b")), (), (), None)
        self.assertAlmostEqual(expected_minutes(listing), 2 * 9 / 60)


class CommandLine(ScriptCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_measure_time()
        self.add_program("stream_compaction_test", TESTS / "fake_ncu.py")  # is never started
        self.ncu = self.add_program("ncu", TESTS / "fake_ncu.py", "tools")

    def arguments(self, *more: object) -> list:
        return ["profile_kernels.py", "--build", self.build, "--ncu", self.ncu, "--output",
                self.folder / "out", *more]

    def profile(self, *more: object, **environment: str) -> list:
        self.script(*self.arguments(*more), **environment)
        return json.loads((self.folder / "out/profile.json").read_text())["rows"]

    def test_every_row_of_the_gpu_is_profiled(self):
        rows = self.profile()
        self.assertIn(("sort", "radix"), {(row["operation"], row["algorithm"]) for row in rows})
        self.assertNotIn("cpu", {row["algorithm"] for row in rows})
        self.assertEqual({row["n"] for row in rows}, {1 << 26})

    def test_of_many_launches_the_rest_is_counted(self):
        rows = self.profile("--operation", "scan", "--algorithm", "naive", FAKE_NCU="many")
        self.assertEqual([(row["launches"], row["profiled"]) for row in rows], [(70, 64)])
        self.assertEqual(rows[0]["time_us"], 70 * 200)

    def test_what_ncu_is_called_with(self):
        self.ncu.write_text(f'#!/bin/sh\necho "$@" >> {self.folder}/called\n'
                            f'{self.ncu.read_text().splitlines()[1]}\n')
        self.profile("--operation", "scan", "--algorithm", "naive", "--exponent", "12")
        called, = (self.folder / "called").read_text().splitlines()
        words = called.split()
        self.assertEqual(words[:6], ["--clock-control", "none", "--csv", "--page", "raw",
                                     "--print-units"])
        self.assertEqual(words[words.index("--launch-count") + 1], "64")
        self.assertTrue(called.endswith("--backend cuda --once --operation scan --algorithm naive "
                                        "--size 2^12"))

    def test_rows_by_name(self):
        rows = self.profile("--algorithm", "naive,cub")
        self.assertEqual({(row["operation"], row["algorithm"]) for row in rows},
                         {("scan", "naive"), ("scan", "cub"), ("compact", "naive"),
                          ("compact", "cub"), ("sort", "cub")})
        rows = self.profile("--operation", "sort")
        self.assertEqual({row["operation"] for row in rows}, {"sort"})

    def test_exponents(self):
        for exponent in (3, 33):
            self.assertIn("from 4 to 32", self.error(
                *self.arguments("--exponent", exponent), code=2))
        for exponent in (4, 32):
            self.assertEqual({row["n"] for row in self.profile(
                "--exponent", exponent, "--algorithm", "radix")}, {1 << exponent})

    def test_ncu_is_found_on_the_path(self):
        self.assertEqual(find_ncu(str(self.ncu)), str(self.ncu))
        with mock.patch.dict(os.environ, {"PATH": str(self.ncu.parent)}):
            self.assertEqual(find_ncu(None), str(self.ncu))

    def test_errors(self):
        for environment, text in (({"FAKE_NCU": "denied"}, "may not read the GPU's counters"),
                                  ({"FAKE_NCU": "nothing"}, "No kernels were profiled"),
                                  ({"FAKE_NO_GPU": "1"}, "without a GPU")):
            with self.subTest(text):
                said = self.script(*self.arguments(), code=3, **environment).stderr
                self.assertIn(text, said.splitlines()[-1])
        self.assertIn("no program", self.error("profile_kernels.py", "--build", self.build, "--ncu", "/no/ncu",
                                               code=2))
        for option, name, allowed in (("--algorithm", "cpu", "naive, efficient,"),
                                      ("--algorithm", "naive,,cub", "naive, efficient,"),
                                      ("--operation", "merge", "scan, compact, sort")):
            for environment in ({}, {"FAKE_NO_GPU": "1"}):  # names are checked first
                said = self.error(*self.arguments(option, name), code=2, **environment)
                self.assertIn(f"{option}: given '", said)
                self.assertIn(f"allowed are {allowed}", said)
        self.assertFalse((self.folder / "out/profile.json").exists())


if __name__ == "__main__":
    unittest.main()
