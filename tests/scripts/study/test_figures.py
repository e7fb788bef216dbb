"""Figures in prose: those in braces, and those that are forbidden without braces."""
import unittest

import fabricated
from fabricated import LARGE, timed
from script_case import results

from study.command_line import ExitCode, ScriptError
from study.figures import UnknownFigure, figure, filled_in, strays


class Figures(unittest.TestCase):
    def setUp(self) -> None:
        self.results = fabricated.everything()

    def figure(self, words: str) -> str:
        return figure(words, self.results)

    def test_each_kind(self):
        for words, text in (("time scan ours 2^24", "80.0 µs"), ("cub scan ours 2^24", "1.25"),
                            ("cpu scan ours 2^20", "50.0"), ("roof scan ours 2^24", "80 %"),
                            ("cub compact ours 2^24", "0.500"), ("cub sort ours 2^24", "2.00"),
                            ("cub sort ours 2^24 zipf", "0.500"),
                            ("moved scan ours", "2.00"),
                            ("dram scan ours first", "61 %"), ("sm scan ours second", "26 %")):
            with self.subTest(words):
                self.assertEqual(self.figure(words), text)

    def test_models_are_named_like_other_keys(self):
        self.results["sort"]["rows"] += [fabricated.key("ours", 100, "model:7"),
                                         fabricated.key("cub", 400, "model:7")]
        self.assertEqual(self.figure("cub sort ours 2^24 model:7"), "4.00")
        self.assertEqual(self.figure("cub sort ours 2^24"), "2.00")

    def test_ranges_are_of_powers_of_two(self):
        self.results["scan"]["rows"].append(timed("ours", LARGE - 3, 9999))
        for words, text in (("cub scan ours 2^10..2^24", "1.00 to 2.00"),
                            ("cub scan ours 2^11..2^24", "1.00 to 1.25"),
                            ("cub scan ours 2^10..2^23", "1.00 to 2.00"),
                            ("cub scan ours 2^10..2^10", "2.00"),
                            ("time scan ours 2^10..2^20", "5.00 µs to 20.0 µs")):
            with self.subTest(words):
                self.assertEqual(self.figure(words), text)

    def test_sizes_beside_powers_of_two(self):
        n = 1 << 24
        self.results["scan"]["rows"] += [
            timed("ours", n - 3, 100), timed("ours", 3 * n // 2, 60), timed("ours", n + 3, 1),
            timed("cub", n - 3, 50)]
        for words, text in (("time scan ours 2^24-3", "100 µs"), ("cub scan ours 2^24-3", "0.500"),
                            ("time scan ours 1.5*2^24", "60.0 µs"),
                            ("relative scan ours 2^24-3", "1.25"),
                            ("relative scan ours 1.5*2^24", "0.500"),
                            ("relative scan ours 2^24", "1.00")):
            with self.subTest(words):
                self.assertEqual(self.figure(words), text)

    def test_other_modes_and_wrong_results_do_not_count(self):
        self.results["scan"]["rows"] += [timed("ours", 8, 1, mode="hot"),
                                         timed("ours", 8, 1, verified=False)]
        with self.assertRaisesRegex(UnknownFigure, "^not measured$"):
            self.figure("time scan ours 2^3")

    def test_what_is_no_figure(self):
        for words, text in (("weather scan ours 2^20", "expected one of time, cub, cpu, roof, relative"),
                            ("time scan ours", "'time' takes 3 to 4 words"),
                            ("time scan ours 2^24 zipf cold", "'time' takes 3 to 4 words"),
                            *((f"{kind} scan ours 2^24 zipf cold", f"'{kind}' takes 3 to 4 words")
                              for kind in ("cub", "cpu", "roof", "relative")),
                            *((f"{kind} scan ours first x", f"'{kind}' takes 3 to 3 words")
                              for kind in ("dram", "sm")),
                            ("moved scan", "'moved' takes 2 to 2 words"),
                            ("time scan nobody 2^20", "not measured"),
                            ("time merge ours 2^20", "not measured"),
                            ("moved scan cub", "not measured"),
                            ("dram scan ours fourth", "not measured"),
                            ("sm scan ours third", "not measured"),
                            ("time scan ours 1024", "'1024' is not a size"),
                            ("time scan ours 2^10..24", "'24' is not a size"),
                            ("roof sort ours 2^24", "nothing to compare with at 16777216")):
            with self.subTest(words), self.assertRaisesRegex(UnknownFigure, text.replace("^", ".")):
                self.figure(words)

    def test_relative_needs_its_power_of_two(self):
        self.results["scan"] = results([timed("ours", LARGE - 3, 1), timed("their", 8, 0),
                                        timed("their", 12, 3)])
        for words in ("relative scan ours 2^24-3", "relative scan their 1.5*2^3"):
            with self.assertRaisesRegex(UnknownFigure, "nothing to compare with"):
                self.figure(words)

    def test_a_text_is_filled_in(self):
        text = "It is {cub scan ours\n2^24} times\nas fast ({time scan ours 2^24})."
        self.assertEqual(filled_in(text, self.results, "a.md"),
                         "It is 1.25 times\nas fast (80.0 µs).")

    def test_errors_name_the_line(self):
        for text, said in (("a\n\n{time scan ours 2^9}", "a.md:3: {time scan ours 2^9}: not meas"),
                           ("\n{time scan ours 2^9}", "a.md:2: {time scan ours 2^9}: not meas"),
                           ("a\nb {} c", "a.md:2: {}: expected one of time"),
                           ("a\n{time scan ours 2^24} and 81 µs", "a.md: line 2: no script can "
                            "check '81 µs'")):
            with self.subTest(said), self.assertRaises(ScriptError) as raised:
                filled_in(text, self.results, "a.md")
            self.assertTrue(str(raised.exception).startswith(said), raised.exception)
            self.assertEqual(raised.exception.code, ExitCode.USAGE)


class Strays(unittest.TestCase):
    def test_measured_figures(self):
        for text in ("28 %", "0.3 s", "81.5 µs", "12 ms", "1,5 us", "3 ns", "1.6× as fast",
                     "2 times", "500 GB/s", "3 Mkeys/s", "1 MiB/s", "7%"):
            with self.subTest(text):
                self.assertEqual(strays(f"a\nIt takes {text}.\n"),
                                 [f"line 2: no script can check '{text.split(' as')[0]}'"])

    def test_what_is_no_measurement(self):
        for text in ("2^31 elements", "32 bits", "8 n bytes", "`--kept 5 %`", "72 KB",
                     "```\ntakes 5 s\n```",
                     "<!-- generated: x -->\n5 %\n<!-- end generated -->", "4 sizes", "2 sums"):
            with self.subTest(text):
                self.assertEqual(strays(text), [])

    def test_lines_are_counted_behind_code(self):
        self.assertEqual(strays("```\n5 s\n```\n<!-- generated: x -->\n6 s\n<!-- end generated -->"
                                "\n7 s, 8 s"),
                         ["line 7: no script can check '7 s'", "line 7: no script can check '8 s'"])


if __name__ == "__main__":
    unittest.main()
