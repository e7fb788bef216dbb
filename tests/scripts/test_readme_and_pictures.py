"""README's tables and pictures: made from small results, and found out of date when they are."""
import json
import unittest
import xml.etree.ElementTree as ElementTree

from script_case import TESTS, ScriptCase

from readme_tables import BLOCKS, digits, time_text
from results_files import load_folder

try:
    import matplotlib
except ImportError:
    matplotlib = None

README = """# A title

<!-- generated: machine -->
<!-- end generated -->
Words.
<!-- generated: times-scan -->
old
<!-- end generated -->
<!-- generated: launches -->
<!-- end generated -->
"""


class Numbers(unittest.TestCase):
    def test_three_digits(self):
        for value, text in ((0.123456, "0.123"), (1.23456, "1.23"), (12.3456, "12.3"),
                            (123.456, "123"), (1234.56, "1235"), (0, "0"), (None, "–")):
            self.assertEqual(digits(value), text)

    def test_units(self):
        for us, text in ((0.5, "500 ns"), (4.314, "4.31 µs"), (1500, "1.50 ms"), (2e6, "2.00 s")):
            self.assertEqual(time_text(us), text)


class Derived(ScriptCase):
    measured: dict = {}  # a quick study's files, measured once for all tests

    def setUp(self) -> None:
        super().setUp()
        self.add_measure_time()
        self.results = self.folder / "results"
        self.images = self.folder / "img"
        if not Derived.measured:
            self.script("measure_performance.py", "--build", self.build, "--output", self.results,
                        "--quick", "--commit", "abc")
            Derived.measured = {path.name: path.read_text() for path in self.results.iterdir()}
        for name, text in Derived.measured.items():
            self.write(f"results/{name}", text)

    def add_profile(self) -> None:
        self.add_program("stream_compaction_test", TESTS / "fake_ncu.py")
        self.script("profile_kernels.py", "--build", self.build, "--output", self.results,
                    "--commit", "abc", "--ncu", self.add_program("ncu", TESTS / "fake_ncu.py"))

    def change(self, experiment: str, **fields) -> None:
        """Changes the row that README shows of a scan by cub."""
        path = self.results / f"{experiment}.json"
        data = json.loads(path.read_text())
        for row in data["rows"]:
            if row["algorithm"] == "cub" and row["n"] == 1 << 20 and row["mode"] == "cold":
                row.update(fields)
        path.write_text(json.dumps(data))


class Readme(Derived):
    def update(self, *more: object, code: int = 0) -> str:
        return self.script("update_readme.py", "--readme", self.folder / "README.md", "--results",
                           self.results, *more, code=code).stdout

    def test_check_finds_every_change(self):
        path = self.write("README.md", README)
        self.assertIn("times-scan", self.update("--check", code=1))
        self.assertEqual(path.read_text(), README)
        self.update()
        self.assertIn("| `cub` |", path.read_text())
        self.assertIn("Not measured yet: profile", path.read_text())
        self.assertTrue(path.read_text().startswith("# A title\n"))
        self.update("--check")
        self.change("scan", median_us=123456.0)
        said = self.update("--check", code=1)
        self.assertIn("times-scan", said)
        self.assertNotIn("launches", said)
        self.update()
        self.assertIn("123 ms", path.read_text())
        path.write_text(path.read_text().replace("123 ms", "122 ms"))
        self.update("--check", code=1)

    def test_every_block_can_be_made(self):
        self.add_profile()
        said = self.update("--print", "all")
        self.assertNotIn("Not measured yet", said)
        for name in BLOCKS:
            self.assertIn(f"<!-- generated: {name} -->", said)

    def test_tables_are_rectangles(self):
        self.add_profile()
        for name, block in BLOCKS.items():
            lines = block(load_folder(self.results)).splitlines()
            if name != "machine":
                self.assertGreater(len(lines), 2, name)
                self.assertEqual(len({line.count("|") for line in lines}), 1, name)

    def test_errors(self):
        script = ["update_readme.py", "--results", self.results, "--readme"]
        self.assertIn("cannot be read", self.error(*script, self.folder / "none.md", code=4))
        unknown = self.write("a.md", "<!-- generated: weather -->\n<!-- end generated -->\n")
        self.assertIn("legal is machine", self.error(*script, unknown, code=2))
        endless = self.write("b.md", README.replace("<!-- end generated -->\nWords", "Words"))
        self.assertIn("without", self.error(*script, endless, code=2))
        self.write("results/scan.json", "[]")
        self.assertIn("no object", self.error(*script, self.write("c.md", README), code=4))

    def test_no_results_at_all(self):
        said = self.error("update_readme.py", "--results", self.folder / "none", code=4)
        self.assertIn("no folder of results", said)


@unittest.skipUnless(matplotlib, "needs matplotlib")
class Pictures(Derived):
    def plot(self, *more: object, code: int = 0) -> str:
        return self.script("plot_performance.py", "--results", self.results, "--output",
                           self.images, *more, code=code).stdout

    def test_valid_svg_that_is_the_same_every_time(self):
        self.plot("--only", "scan_all,phases,kept,ratio_to_cub")
        first = {path.name: path.read_bytes() for path in self.images.iterdir()}
        self.assertEqual(len(first), 4)
        for text in first.values():
            self.assertEqual(ElementTree.fromstring(text).tag, "{http://www.w3.org/2000/svg}svg")
        self.plot("--only", "scan_all,phases,kept,ratio_to_cub")
        self.assertEqual({path.name: path.read_bytes() for path in self.images.iterdir()}, first)

    def test_check_finds_what_is_missing_and_what_is_old(self):
        self.assertIn("scan_all.svg is missing", self.plot("--check", "--only", "scan_all",
                                                           code=1))
        self.plot("--only", "scan_all,host")
        self.plot("--check", "--only", "scan_all")
        self.change("scan", median_us=99.0)
        said = self.plot("--check", code=1)
        self.assertIn("scan_all.svg does not show what the results say", said)
        self.assertNotIn("host.svg", said)

    def test_every_picture_can_be_drawn(self):
        self.add_profile()
        names = [line.split(".svg")[0] for line in self.plot("--list").splitlines()]
        self.assertIn("bytes_moved", names)
        self.plot()
        self.plot("--check")
        self.assertEqual({path.stem for path in self.images.iterdir()}, set(names))

    def test_errors(self):
        script = ["plot_performance.py", "--results", self.results]
        self.assertIn("legal is scan_all", self.error(*script, "--only", "weather", code=2))
        self.assertIn("no folder", self.error("plot_performance.py", "--results",
                                              self.folder / "none", code=4))
        (self.folder / "empty").mkdir()
        self.assertIn("nothing that can be drawn", self.error(
            "plot_performance.py", "--results", self.folder / "empty", code=4))
        file = self.write("a file", "")
        said = self.script(*script, "--only", "phases", "--output", file / "img", code=4).stderr
        self.assertIn("cannot be written", said.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
