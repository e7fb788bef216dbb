"""Reading Nsight Compute's CSV, and profile_kernels.py on top of it.

ncu_raw.csv is made by hand after the layout that ncu 2025.3 writes: no GPU wrote it.
"""
import json
import unittest

from script_case import TESTS, ScriptCase

from ncu_report import KERNEL, TIME, ReportError, read_launches, short_name, summarize

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

    def test_errors(self):
        for environment, text in (({"FAKE_NCU": "denied"}, "may not read the GPU's counters"),
                                  ({"FAKE_NCU": "nothing"}, "No kernels were profiled"),
                                  ({"FAKE_NO_GPU": "1"}, "without a GPU")):
            with self.subTest(text):
                said = self.script(*self.arguments(), code=3, **environment).stderr
                self.assertIn(text, said.splitlines()[-1])
        self.assertIn("no program", self.error(*self.arguments("--ncu", "/no/ncu"), code=2))
        self.assertIn("no row", self.error(*self.arguments("--algorithm", "cpu"), code=2))
        self.assertFalse((self.folder / "out/profile.json").exists())


if __name__ == "__main__":
    unittest.main()
