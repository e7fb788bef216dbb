"""The tables of small results, computed by hand."""
import unittest

import fabricated
from fabricated import LARGE, MIDDLE, SMALL, timed
from script_case import results

from study.markdown import digits, power, ratio_text, table, time_text
from study.readme_tables import BLOCKS, MissingResults, provenance
from study.rows import must_move, percent_of_roof


def cells(text: str) -> list:
    """The cells of a table, without the rule and without the text below the table."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")]
            for line in lines if not line.startswith("| :--")]


class Numbers(unittest.TestCase):
    def test_three_digits(self):
        for value, text in ((0.123456, "0.123"), (1.23456, "1.23"), (12.3456, "12.3"),
                            (123.456, "123"), (1234.56, "1235"), (0, "0"), (None, "–"),
                            (0.01, "0.0100"), (10, "10.0"), (100, "100"), (-2.5, "-2.50")):
            self.assertEqual(digits(value), text)

    def test_units(self):
        for us, text in ((0.5, "500 ns"), (0.9, "900 ns"), (4.314, "4.31 µs"), (1500, "1.50 ms"), (2e6, "2.00 s"),
                         (None, "–"), (1.0, "1.00 µs"), (1000, "1.00 ms"), (1e6, "1.00 s"),
                         (999.9, "1000 µs"), (0, "0 ns")):
            self.assertEqual(time_text(us), text)

    def test_ratios_and_powers(self):
        self.assertEqual((ratio_text(1.25), ratio_text(None)), ("1.25×", "–"))
        self.assertEqual((power(1024), power(1), power(1500), power(0)),
                         ("2<sup>10</sup>", "2<sup>0</sup>", "1,500", "0"))


    def test_percent_of_roof(self):
        for roof, median, percent in ((1.0, 1, 100), (0.5, 1, 50), (None, 1, None), (0, 1, 0)):
            self.assertEqual(percent_of_roof({"roof_us": roof, "median_us": median}),
                             percent)


class Markdown(unittest.TestCase):
    def test_a_name_does_not_end_its_cell(self):
        self.assertEqual(table(["a|b", "n"], [["`|`", "1"]]), "| a\\|b | n |\n| :-- | --: |\n| `\\|` | 1 |")


class Tables(unittest.TestCase):
    maxDiff = None

    def setUp(self) -> None:
        self.results = fabricated.everything()

    def table(self, name: str) -> list:
        return cells(BLOCKS[name](self.results))

    def test_markdown(self):
        self.assertEqual(BLOCKS["times-sort"](self.results), """\
| Sort | 2<sup>24</sup> |
| :-- | --: |
| `cpu` | 1.00 s |
| `ours` | 200 µs |
| `cub` | 400 µs |
| *copy* | 64.0 µs |

*sort: NVIDIA H200, CUDA 13.0, CUB 3.0.1, commit `aaaaaaaaaaaa`, 2026-11-20. Medians of `measure_time` in mode cold.*""")

    def test_times(self):
        self.assertEqual(self.table("times-scan"), [
            ["Exclusive scan", "2<sup>10</sup>", "2<sup>20</sup>", "2<sup>24</sup>"],
            ["`cpu`", "1.00 µs", "1.00 ms", "16.0 ms"], ["`ours`", "5.00 µs", "20.0 µs", "80.0 µs"],
            ["`cub`", "10.0 µs", "20.0 µs", "100 µs"], ["`slow`", "40.0 µs", "10.0 µs", "400 µs"],
            ["*copy*", "4.00 µs", "10.0 µs", "64.0 µs"]])

    def test_times_that_do_not_count_are_left_out(self):
        rows = self.results["scan"]["rows"]
        rows += [timed("ours", LARGE, 1, mode="hot"), timed("ours", LARGE, 1, distribution="zipf"),
                 timed("hasty", LARGE, 1, verified=False), timed("odd", LARGE - 3, 1),
                 timed("rare", SMALL, 3)]
        lines = {line[0]: line[1:] for line in self.table("times-scan")}
        self.assertEqual(lines["`ours`"], ["5.00 µs", "20.0 µs", "80.0 µs"])
        self.assertNotIn("`hasty`", lines)
        self.assertNotIn("`odd`", lines)
        self.assertEqual(lines["`rare`"], ["3.00 µs", "–", "–"])

    def test_sizes_and_the_copys_time(self):
        rows = self.results["scan"]["rows"]
        rows += [timed("ours", 1 << k, 7) for k in (16, 17, 28, 29)]
        rows.append(timed("other_cpu", LARGE, 5, **fabricated.CORES))
        table = self.table("times-scan")
        self.assertEqual(table[0][1:], [f"2<sup>{k}</sup>" for k in (10, 16, 20, 24, 28)])
        self.assertEqual(table[-1], ["*copy*", "4.00 µs", "10.0 µs", "10.0 µs", "64.0 µs",
                                     "10.0 µs"])

    def test_several_gpus(self):
        lines = self.table("several-gpus")
        self.assertEqual(lines[0], ["", "distribution", "n", "GPUs", "time", "speed-up over one GPU",
                                    "GB/s sent while exchanging"])
        self.assertEqual([line[2:4] for line in lines if line[0] == "Exclusive scan"],
                         [["2<sup>28</sup>", "2"], ["2<sup>28</sup>", "4"]])
        self.assertIn(["Stream compaction", "`uniform50`", "2<sup>28</sup>", "2", "500 µs", "1.80×", "–"], lines)
        self.assertIn(["Sort", "`uniform`", "2<sup>30</sup>", "2", "2.50 ms", "1.60×", "100"], lines)
        self.assertIn(["Sort", "`uniform`", "2<sup>31</sup>", "4", "4.00 ms", "–", "100"], lines)
        self.assertIn(["Sort", "`zipf`", "2<sup>28</sup>", "4", "250 µs", "2.00×", "100"], lines)
        for row in self.results["distributed"]["rows"]:
            row["gpus"] = 1
        with self.assertRaises(MissingResults):
            self.table("several-gpus")

    def test_words_stand_left_and_numbers_right(self):
        self.results["scan"]["rows"].append(timed("ours", LARGE - 3, 90))
        self.add_thrust()
        words = {"machine": 7, "modes": 2, "plain-thrust": 2, "launches": 2, "kernels": 3, "tunings": 2, "host": 2,
                 "models": 2, "variants": 3, "non-power-of-two": 2, "several-gpus": 2}
        for name, block in BLOCKS.items():
            rule = next(line for line in block(self.results).splitlines() if ":--" in line)
            with self.subTest(name):
                self.assertEqual(rule.count(":--"), words.get(name, 1))
                self.assertEqual(rule.count(" --: "), rule.count("|") - 1 - words.get(name, 1))

    def test_ratios(self):
        # 2^24 elements in 80 us are 209.7 * 10^9 per second; 64 / 80 of the roof.
        self.assertEqual(self.table("ratios-scan"), [
            ["Exclusive scan", "2<sup>10</sup>: 10⁹/s", "× cub", "× cpu", "2<sup>20</sup>: 10⁹/s",
             "× cub", "× cpu", "2<sup>24</sup>: 10⁹/s", "% of roof", "× cub", "× cpu"],
            ["`cpu`", "1.02", "10.0", "1.00", "1.05", "0.0200", "1.00", "1.05", "–", "0.00625",
             "1.00"],
            ["`ours`", "0.205", "2.00", "0.200", "52.4", "1.00", "50.0", "210", "80.0", "1.25",
             "200"],
            ["`cub`", "0.102", "1.00", "0.100", "52.4", "1.00", "50.0", "168", "64.0", "1.00",
             "160"],
            ["`slow`", "0.0256", "0.250", "0.0250", "105", "2.00", "100", "41.9", "16.0", "0.250",
             "40.0"]])

    def test_ratios_of_what_is_missing(self):
        self.results["scan"] = results([timed("ours", LARGE, 80, roof_us=None),
                                        timed("ours", SMALL, 0), timed("cub", SMALL, 1)])
        self.assertEqual(self.table("ratios-scan")[1:], [
            ["`ours`", "–", "–", "–", "210", "–", "–", "–"],
            ["`cub`", "1.02", "1.00", "–", "–", "–", "–", "–"]])

    def test_ratios_are_of_the_three_largest_sizes(self):
        self.results["scan"]["rows"].append(timed("ours", 1 << 28, 1000))
        self.assertEqual([cell for cell in self.table("ratios-scan")[0] if "/s" in cell],
                         [f"2<sup>{k}</sup>: 10⁹/s" for k in (20, 24, 28)])

    def test_machine(self):
        self.results["scan"]["protocol"] = {"pace": "p", "min_samples": 7, "min_seconds": 0.25,
                                            "max_seconds": 4}
        del self.results["sort"]["machine"]["driver"]
        text = BLOCKS["machine"]({name: self.results[name] for name in ("scan", "sort")})
        self.assertTrue(text.startswith("NVIDIA H200; the host has a CPU.\n\n"))
        self.assertEqual(cells(text), [
            ["file", "commit", "date", "driver", "CUDA", "CUB", "each row is sampled",
             "fewest samples of a row"],
            ["[scan](scan.json)", "`aaaaaaaaaaaa`", "2026-11-20", "580.00", "13.0", "3.0.1",
             "until 7 samples and 0.25 s, at most 4 s", "10"],
            ["[sort](sort.json)", "`aaaaaaaaaaaa`", "2026-11-20", "–", "13.0", "3.0.1", "–", "10"]])
        self.results["sort"]["machine"]["gpu"] = "NVIDIA A100"
        self.assertTrue(BLOCKS["machine"](self.results).startswith("NVIDIA H200 and NVIDIA A100;"))
        with self.assertRaises(MissingResults):
            BLOCKS["machine"]({})

    def test_the_fewest_samples_of_a_page(self):
        def last_paragraph() -> str:
            return BLOCKS["machine"](self.results).rpartition("\n\n")[2]

        self.assertEqual(last_paragraph(), (
            "Fewest samples of a row on this page: 10 on the GPU (scan by `ours`, n = 2<sup>24</sup>, "
            "cold), 10 on the host (scan by `cpu`, n = 2<sup>10</sup>, host)."))
        self.results["sort"]["rows"] += [
            timed("wrong", LARGE, 1, operation="sort", samples=1, verified=False),
            timed("few", MIDDLE, 1, operation="sort", samples=3, mode="hot")]
        self.assertIn(": 3 on the GPU (sort by `few`, n = 2<sup>20</sup>, hot), 10 on the host (",
                      last_paragraph())
        self.assertEqual([line[-1] for line in self.table("machine")[1:]],
                         ["–" if name in ("profile", "distributed") else "3" if name == "sort" else "10"
                          for name in self.results])
        self.results = {"profile": self.results["profile"]}
        self.assertTrue(BLOCKS["machine"](self.results).endswith(" | – | – |"))

    def add_thrust(self) -> None:
        rows = self.results["scan"]["rows"]
        for n, kept, plain in ((SMALL, 10, 25), (LARGE, 110, 150)):  # cub: 10 and 100
            rows += [timed("thrust", n, kept), timed("thrust_uncached", n, plain)]

    def test_a_plain_call_of_thrust(self):
        with self.assertRaises(MissingResults):
            BLOCKS["plain-thrust"](self.results)
        self.add_thrust()
        self.assertEqual(self.table("plain-thrust"), [
            ["", "", "2<sup>10</sup>", "2<sup>24</sup>"],
            ["Exclusive scan", "`cub`: the work", "10.0 µs, 40 %", "100 µs, 67 %"],
            ["Exclusive scan", "`thrust` − `cub`", "–", "10.0 µs, 7 %"],
            ["Exclusive scan", "`thrust_uncached` − `thrust`", "15.0 µs, 60 %", "40.0 µs, 27 %"],
            ["Exclusive scan", "`thrust_uncached`", "25.0 µs", "150 µs"]])
        next(row for row in self.results["scan"]["rows"] if row["algorithm"] == "thrust"
             and row["n"] == LARGE).update(median_us=80, q1_us=79, q3_us=81)
        self.assertEqual(self.table("plain-thrust")[2][3], "−20.0 µs, −13 %")

    def test_provenance(self):
        self.assertEqual(provenance(self.results, ("scan", "compact", "sort", "weather")), (
            "*scan, sort: NVIDIA H200, CUDA 13.0, CUB 3.0.1, commit `aaaaaaaaaaaa`, 2026-11-20; "
            "compact: NVIDIA H200, CUDA 13.0, CUB 3.0.1, commit `bbbbbbbbbbbb`, 2026-11-20. "
            "Medians of `measure_time` in mode cold.*"))
        self.results["scan"]["machine"] = {"gpu": "a", "commit": "b"}
        self.assertEqual(provenance(self.results, ("scan",), how="Somehow"),
                         "*scan: a, CUDA ?, CUB ?, commit `b`, ?. Somehow.*")

    def test_rows_that_may_not_be_trusted_are_marked(self):
        rows = self.results["scan"]["rows"]
        next(row for row in rows if row["algorithm"] == "ours" and row["n"] == LARGE).update(
            q1_us=60.0, q3_us=100.1)
        next(row for row in rows if row["algorithm"] == "cpu" and row["n"] == LARGE).update(
            q1_us=10000.0, q3_us=19000.0, samples=4)
        next(row for row in rows if row["algorithm"] == "cub" and row["n"] == LARGE).update(
            q1_us=75.0, q3_us=125.0, samples=5)
        self.assertEqual([line[-1] for line in self.table("times-scan")[1:4]],
                         ["16.0 ms†‡", "80.0 µs†", "100 µs"])
        text = BLOCKS["times-scan"](self.results)
        self.assertIn("\n\n† unstable: the interquartile range exceeds half of the median. "
                      "‡ fewer than 5 samples.\n\n*scan: ", text)
        self.assertNotIn("‡", BLOCKS["times-sort"](self.results))

    def test_a_shared_host_is_named(self):
        self.assertNotIn("shared", BLOCKS["machine"](self.results))
        self.results["scan"]["shared_host"] = {"cpus": 16, "used_by_others": 3.25, "quota": 4}
        self.results["host"]["shared_host"] = {"cpus": 16, "used_by_others": 1}
        self.assertTrue(BLOCKS["machine"](self.results).endswith(
            "\n\nAlgorithms on the host ran on a shared machine (host: other processes used 1.00 of 16 "
            "CPUs; scan: other processes used 3.25 of 16 CPUs, and a quota allowed 4.00 CPUs)."))

    def test_a_shared_gpu_is_named(self):
        self.results["scan"]["gpu_use_by_others"] = 97
        self.results["sort"]["gpu_use_by_others"] = 5
        self.assertTrue(BLOCKS["machine"](self.results).endswith(
            "\n\nOther programs used the GPU (scan: 97 %; sort: 5 % of the time)."))

    def test_every_table_says_how_it_was_taken(self):
        said = {"modes": "in the modes cold, hot and graph", "kernels": "Nsight Compute",
                "host": "in mode host", "models": "in the modes cold and hot", "tunings": "in mode cold",
                "phases": "calls of their own"}
        for name, words in said.items():
            with self.subTest(name):
                lines = BLOCKS[name](self.results).splitlines()
                self.assertIn(words, next(line for line in lines if line.startswith("*")))

    def test_every_table_says_where_it_is_from(self):
        sources = {"modes": "scan", "launches": "profile", "kernels": "profile",
                   "tunings": "block_size", "host": "host", "distributions": "sort", "models": "models",
                   "kept": "compact", "phases": "compact", "variants": "variants",
                   "non-power-of-two": "scan", "times-compact": "compact"}
        self.results["scan"]["rows"].append(timed("ours", (1 << 24) - 3, 90))
        for name, source in sources.items():
            with self.subTest(name):
                lines = BLOCKS[name](self.results).splitlines()
                self.assertTrue(any(line.startswith(f"*{source}") for line in lines), lines[-1])

    def test_modes(self):
        rows = self.results["scan"]["rows"]
        rows += [timed("ours", SMALL, 3, mode="hot"), timed("ours", SMALL, 2, mode="graph"),
                 timed("ours", MIDDLE, 15, mode="hot"), timed("ours", 1 << 16, 6)]
        table = self.table("modes")
        self.assertEqual(table[0], ["", "", *(f"2<sup>{k}</sup> {mode}" for k in (10, 16, 20)
                                              for mode in ("cold", "hot", "graph"))])
        self.assertEqual(table[1], ["Exclusive scan", "`ours`", "5.00 µs", "3.00 µs", "2.00 µs",
                                    "6.00 µs", "–", "–", "20.0 µs", "15.0 µs", "–"])
        self.assertNotIn("`cpu`", [line[1] for line in table])

    def test_launches(self):
        # A scan must move 8 bytes per element; 12 and 4 were counted.
        self.assertEqual(self.table("launches"), [
            ["", "n = 2<sup>24</sup>", "launches", "bytes an element must move",
             "measured in DRAM", "measured / must", "time of the kernels"],
            ["Exclusive scan", "`ours`", "6", "8.00", "16.0", "2.00×", "81.0 µs"]])

    def test_bytes_that_must_move_follow_from_roof_and_copy(self):
        self.assertEqual(must_move(self.results, "compact", "ours", LARGE), 6)
        self.assertIsNone(must_move(self.results, "compact", "ours", SMALL))
        self.assertIsNone(must_move(self.results, "sort", "ours", LARGE))
        self.assertIsNone(must_move(self.results, "scan", "cpu", LARGE))
        self.assertIsNone(must_move(self.results, "scan", "nobody", LARGE))
        # Small arrays may keep another share; the share at the counters' n is used.
        few = dict(fabricated.compaction("ours", SMALL, 1), roof_us=1000.0)
        self.results["compact"]["rows"].insert(0, few)
        self.assertEqual(must_move(self.results, "compact", "ours", LARGE), 6)
        del self.results["scan"]
        self.assertEqual(self.table("launches")[1][3:6], ["–", "16.0", "–"])

    def test_a_single_kernel(self):
        del self.results["profile"]["rows"][1:]
        self.assertEqual(self.table("launches")[1][2:], ["3", "8.00", "12.0", "1.50×", "20.0 µs"])
        self.assertEqual(len(self.table("kernels")), 2)

    def test_launches_without_counters(self):
        for row in self.results["profile"]["rows"]:
            row["dram_bytes"] = None
        self.assertEqual(self.table("launches")[1][3:6], ["8.00", "–", "–"])

    def test_kernels(self):
        self.assertEqual(self.table("kernels"), [
            ["", "", "kernel, n = 2<sup>24</sup>", "launches", "time", "DRAM %", "SM %",
             "occupancy %", "L2 hits %", "registers", "shared bytes", "bank conflicts"],
            ["Exclusive scan", "`ours`", "`first`", "3", "20.0 µs", "61", "26", "90", "–", "32",
             "1,024", "1,234,567"],
            ["Exclusive scan", "`ours`", "`second`", "2", "60.0 µs", "61", "26", "90", "–", "32",
             "1,024", "1,234,567"],
            ["Exclusive scan", "`ours`", "`third`", "1", "1.00 µs", "61", "–", "90", "–", "32",
             "1,024", "1,234,567"]])
        for row in self.results["profile"]["rows"]:
            row.update(l2_hit_pct=100.0, registers=None)
        self.assertEqual(self.table("kernels")[1][8:10], ["100", "–"])

    def test_tunings(self):
        for row in self.results["scan"]["rows"]:
            if row["algorithm"] == "ours":
                row.update(block_size=128, items_per_thread=8)
        self.assertEqual(self.table("tunings"), [
            ["", "", "n", "best: threads × elements", "µs (quartiles)", "runner-up",
             "µs (quartiles)", "default", "its time / best"],
            ["Exclusive scan", "`ours`", "2<sup>20</sup>", "64 x 4", "7.00 (6.93–7.07)", "128 x 8",
             "9.00 (8.91–9.09)", "128 x 8", "1.29× (slower)"],
            ["Exclusive scan", "`ours`", "2<sup>24</sup>", "128 x 4", "100 (99.0–101)", "128 x 8",
             "150 (148–152)", "128 x 8", "1.50× (slower)"]])

    def test_tunings_without_a_default_or_a_choice(self):
        self.results["block_size"] = results([timed("ours", LARGE, 100, block_size=64)])
        self.assertEqual(self.table("tunings")[1],
                         ["Exclusive scan", "`ours`", "2<sup>24</sup>", "64", "100 (99.0–101)",
                          "-", "–", "-", "–"])

    def test_host(self):
        self.assertEqual(self.table("host"), [
            ["whole calls on host arrays", "", "2<sup>10</sup>", "2<sup>26</sup>"],
            ["Exclusive scan", "`cpu`", "1.00 µs", "1.00 s"],
            ["Exclusive scan", "`cub`", "100 µs", "2.00 ms"],
            ["Exclusive scan", "*transfers alone*", "50.0 µs", "1.00 ms"]])

    def test_what_times_of_host_arrays_include(self):
        note = "The time of `streamed` does not include making its plan. *Transfers alone* is"
        self.assertNotIn(note, BLOCKS["host"](self.results))
        self.results["host"]["rows"].append(timed("streamed", SMALL, 1, mode="host", copy_us=2))
        self.assertIn(note, BLOCKS["host"](self.results))

    def test_sizes_of_host_arrays(self):
        self.results["host"]["rows"] = [timed("cub", 1 << k, 1, mode="host") for k in range(31)]
        self.results["host"]["rows"].append(timed("cpu", SMALL, 1, mode="host", **fabricated.CORES))
        self.assertEqual(self.table("host")[0][2:],
                         [f"2<sup>{k}</sup>" for k in (10, 12, 16, 20, 24, 26, 28)])
        self.assertEqual(self.table("host")[-1][2], "10.0 µs")

    def test_distributions(self):
        # 2^24 keys in 200 us are 83.9 * 10^9 per second.
        self.results["sort"]["rows"] += [fabricated.key("ours", 1, n=1 << 26),
                                         fabricated.key("late", 100, "zipf")]
        self.assertEqual(self.table("distributions"), [
            ["10⁹ keys/s, n = 2<sup>24</sup>", "`ours`", "`cub`", "`late`"],
            ["`uniform`", "83.9", "41.9", "–"], ["`zipf`", "168", "336", "168"]])

    def test_models(self):
        self.assertEqual(self.table("models"), [
            ["worst / lower quartile / median, × cub", "", "2<sup>20</sup>", "2<sup>24</sup>"],
            ["cold", "`ours`", "0.500× / 1.25× / 2.00×", "0.800× / 0.913× / 1.02×"],
            ["cold", "`slow`", "0.250× / 0.250× / 0.250×", "–"],
            ["hot", "`ours`", "1.00× / 1.00× / 1.00×", "–"]])

    def test_distributions_need_two_and_are_shown_at_the_largest_size(self):
        rows = self.results["sort"]["rows"]
        rows += [fabricated.key("ours", us, name, n=1 << 26)
                 for us, name in ((800, "uniform"), (400, "zipf"))]
        self.assertEqual(self.table("distributions"), [
            ["10⁹ keys/s, n = 2<sup>26</sup>", "`ours`"], ["`uniform`", "83.9"],
            ["`zipf`", "168"]])
        self.results["sort"] = results([fabricated.key("ours", 1)], "sort")
        with self.assertRaises(MissingResults):
            self.table("distributions")

    def test_models_and_files_have_no_lines_of_their_own(self):
        before = [self.table(name) for name in ("distributions", "kept", "variants")]
        for keys in ("model:7", "file:keys.npy"):
            self.results["sort"]["rows"].append(fabricated.key("ours", 1, keys))
            self.results["compact"]["rows"].append(dict(
                fabricated.compaction("ours", LARGE, 1, distribution=keys), kept=None))
            self.results["variants"]["rows"] += [
                dict(row, distribution=keys, median_us=1.0)
                for row in list(self.results["variants"]["rows"])]
        self.assertEqual([self.table(name) for name in ("distributions", "kept", "variants")],
                         before)

    def test_variants(self):
        self.assertEqual(self.table("variants"), [
            ["", "", "", "2<sup>20</sup>", "2<sup>24</sup>", "% of roof"],
            ["Exclusive scan", "`int64`", "`ours`", "10.0 µs, 3.00× cub", "80.0 µs", "50.0"],
            ["Exclusive scan", "`max_float`", "`ours`", "–", "100 µs", "–"]])
        self.results["variants"]["rows"].append(timed("ours", 1 << 26, 80, variant="int64",
                                                      roof_us=60.0))
        self.assertEqual([line[-1] for line in self.table("variants")[1:]], ["75.0", "–"])
        self.results["variants"] = results([timed("ours", MIDDLE, 10, variant="int64")])
        self.assertEqual(self.table("variants")[1][-1], "–")

    def test_notes_on_variants(self):
        self.assertTrue(BLOCKS["variants"](self.results).endswith("in mode cold.*"))
        self.results["variants"]["rows"] += [
            timed(name, LARGE, 80, operation="sort", variant=variant)
            for name, variant in (("onesweep", "pairs"), ("hybrid_radix", "int64"))]
        self.assertTrue(BLOCKS["variants"](self.results).endswith(
            "\n\nA 64-bit integer key has the same 32-bit integer in both halves."))

    def test_kept(self):
        self.results["compact"]["rows"].append(dict(
            fabricated.compaction("cpu", LARGE, 9), **fabricated.CORES))
        # 2^24 elements in 64, 100, 128, 256 us.
        self.assertEqual(self.table("kept"), [
            ["kept; 10⁹ elements/s, n = 2<sup>24</sup>", "`ours`", "`cub`"],
            ["0 %", "262", "–"], ["50 %", "168", "336"], ["100 %", "131", "524"],
            ["50 %, clustered", "65.5", "–"]])

    def test_kept_is_shown_at_the_largest_size_with_several_shares(self):
        rows = self.results["compact"]["rows"]
        rows += [fabricated.compaction("ours", 1 << 26, us, kept)
                 for us, kept in ((400, 0.5), (800, 1.0))]
        self.assertEqual(self.table("kept")[0][0], "kept; 10⁹ elements/s, n = 2<sup>24</sup>")
        rows.append(fabricated.compaction("ours", 1 << 26, 200, 0.0))
        self.assertEqual(self.table("kept"), [
            ["kept; 10⁹ elements/s, n = 2<sup>26</sup>", "`ours`"], ["0 %", "336"],
            ["50 %", "168"], ["100 %", "83.9"]])

    def test_phases(self):
        self.assertEqual(self.table("phases"), [
            ["map / scan / scatter, % of the time", "2<sup>24</sup>"], ["`ours`", "10 / 60 / 30"]])
        rows = self.results["compact"]["rows"]
        rows.append(fabricated.compaction("none", LARGE, 5, phases_us={
            "map": 0, "scan": 0, "scatter": 0}))
        rows.append(fabricated.compaction("small", SMALL, 5, phases_us={
            "map": 1, "scan": 1, "scatter": 2}))
        self.assertEqual(self.table("phases")[1:], [
            ["`ours`", "–", "10 / 60 / 30"], ["`none`", "–", "–"], ["`small`", "25 / 25 / 50", "–"]])

    def test_other_sizes_than_powers_of_two(self):
        n = 1 << 24
        rows = self.results["scan"]["rows"]
        rows += [timed("ours", n - 3, 80 * (n - 3) / n * 1.1), timed("ours", 3 * n // 2, 60),
                 timed("ours", 2 * n, 40), timed("slow", n - 3, 5, distribution="zipf"),
                 timed("cpu", n - 3, 5, **fabricated.CORES)]
        table = self.table("non-power-of-two")
        self.assertEqual(table[0], ["time per element, divided by that at the neighbouring powers of two", "", *(
            text for k in (16, 20, 24, 28)
            for text in (f"2<sup>{k}</sup> − 3", f"1.5 · 2<sup>{k}</sup>"))])
        self.assertEqual(table[1:], [["Exclusive scan", "`ours`", "–", "–", "–", "–", "1.10",
                                      "1.00", "–", "–"]])  # the mean of 80 and 20 is 40, as 60 / 1.5

    def test_what_is_missing_is_named(self):
        for name, block in BLOCKS.items():
            with self.subTest(name), self.assertRaises(MissingResults):
                block({})
        with self.assertRaisesRegex(MissingResults, "^compact$"):
            BLOCKS["kept"]({"scan": self.results["scan"]})
        with self.assertRaisesRegex(MissingResults, "^scan, compact and sort$"):
            BLOCKS["modes"]({})


if __name__ == "__main__":
    unittest.main()
