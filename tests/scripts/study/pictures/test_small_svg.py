"""SVG that is written again in fewer bytes: paths, markers, text."""
import re
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

from picture_case import PictureCase

try:
    import matplotlib
except ImportError:
    matplotlib = None

from study.pictures.drawing import HATCHES, Drawing
from study.pictures.small_svg import Text, grouped, height_of, number, of_path, parsed, written

SVG = "{http://www.w3.org/2000/svg}"


class Paths(unittest.TestCase):
    def test_points_are_relative_and_have_one_decimal(self):
        for path, expected in (("M 1 2 L 1.26 3 L 0.26 3.54 z", "M1 2l.3 1-1 .5z"),
                               ("M 0 0 L 5 0 L 5 -7 L 6 -8 L 7 -7", "M0 0h5v-7l1-1 1 1"),
                               ("M 1 1 L 1.01 1.02 L 2 1", "M1 1h1"),
                               ("M 1 1 L 2 1 M 5 5 L 5 6", "M1 1h1M5 5v1"),
                               ("M 0 1 C 1 1 1 0 0 0 L 3 3", "M0 1c1 0 1-1 0-1l3 3")):
            self.assertEqual(written(parsed(path)), expected)

    def test_errors_do_not_add_up(self):
        path = "M 0 0 " + " ".join(f"L {0.26 * i} {1 + i % 2}" for i in range(1, 101))
        numbers = re.findall(r"-?\d*\.?\d+", written(parsed(path))[4:].replace("l", " "))
        self.assertAlmostEqual(sum(float(x) for x in numbers[::2]), 26.0, places=6)

    def test_numbers(self):
        self.assertEqual([number(x, 1) for x in (0, -0.01, 0.5, -0.5, 10, 10.04, 100.25)],
                         ["0", "0", ".5", "-.5", "10", "10", "100.2"])

    def test_texts_in_a_row_share_their_style(self):
        self.assertEqual(list(grouped(["<path/>", Text(' class="a"', ">1</text>"), Text(' class="a"', ">2</text>"),
                                       Text(' class="b"', ">3</text>"), Text("", ">4</text>")])),
                         ["<path/>", '<g class="a"><text>1</text>\n<text>2</text></g>',
                          '<text class="b">3</text>', "<text>4</text>"])

    def test_a_path_has_no_fill_unless_it_says_so(self):
        given = ("fill:none;stroke:#ddd", "stroke:#d55e00;fill-opacity:0", "fill:#fff;fill-opacity:0.18",
                 "stroke:#111", "")
        self.assertEqual([of_path(style) for style in given], [
            "stroke:#ddd", "stroke:#d55e00", "fill:#fff;fill-opacity:0.18", "stroke:#111;fill:#000", "fill:#000"])

    def test_the_height_of_a_band(self):
        self.assertEqual(height_of(parsed("M 0 1 L 0 2 L 1 5 L 1 3 L 0 1 z")), 2)


@unittest.skipUnless(matplotlib, "needs matplotlib")
class Drawn(PictureCase):
    def drawn(self, name: str) -> ElementTree.Element:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.svg"
            Drawing().draw(self.picture(name), path)
            svg = path.read_bytes()
        self.assertLess(len(svg), 20_000)
        return ElementTree.fromstring(svg)

    def test_a_dollar_in_a_name_is_no_formula(self):
        self.results["scan"]["machine"]["gpu"] = "GPU $x_{$"
        texts = [text.text or "" for text in self.drawn("scan").iter(f"{SVG}text")]
        self.assertTrue(any("GPU $x_{$" in text for text in texts), texts)

    def test_values_outside_of_a_panel(self):
        for row in self.results["profile"]["rows"]:
            row.update(n=1 << 20, dram_bytes=1024.0, dram_read_bytes=1024.0, dram_write_bytes=0.0)
        self.assertTrue(list(self.drawn("bytes_moved").iter(f"{SVG}text")))

    def test_every_point_of_a_curve_has_a_marker(self):
        root = self.drawn("scan")
        self.assertEqual(root.find(f"{SVG}title").text, self.picture("scan").title)
        style = root.find(f"{SVG}style").text
        marked = dict(re.findall(r"\.(c\d+)\{[^}]*stroke:(#\w+)[^}]*marker:url\(#m\d+\)\}", style))
        curves = [path for path in root.iter(f"{SVG}path") if path.get("class") in marked]
        lines = [path for path in curves if re.search("[lhv]", path.get("d"))]
        self.assertEqual(len(lines), 4 + 2)  # all rows; those against cub. A third panel has points alone
        self.assertEqual(list(root.iter(f"{SVG}use")), [])

    def test_each_panel_names_its_lines_and_no_legend_does(self):
        texts = [text.text for text in self.drawn("scan").iter(f"{SVG}text")]
        self.assertEqual({name: texts.count(name) for name in ("cpu", "ours", "cub", "slow", "roof")},
                         {"cpu": 1, "ours": 3, "cub": 3, "slow": 3, "roof": 2})

    def test_unmeasured_cells_are_hatched(self):
        root = self.drawn("keys")
        name, = re.findall(r"\.(c\d+)\{stroke:#8a8a8a;stroke-width:0.6\}", root.find(f"{SVG}style").text)
        hatched, = (path.get("d") for path in root.iter(f"{SVG}path") if path.get("class") == name)
        unmeasured = sum(series.y.count(None) for series in self.picture("keys").panels[0].series)
        self.assertEqual((hatched.count("M"), unmeasured), (HATCHES * unmeasured, 3))

    def test_text_stays_text_and_nothing_else_is_left(self):
        root = self.drawn("phases")
        texts = [text.text for text in root.iter(f"{SVG}text")]
        for words in (self.picture("phases").title, self.picture("phases").note, "ours", "scatter"):
            self.assertIn(words, texts)
        self.assertEqual({element.tag for element in root.iter()} - {
            SVG + name for name in ("svg", "title", "desc", "style", "marker", "path", "text", "g",
                                    "clipPath", "rect")}, set())


if __name__ == "__main__":
    unittest.main()
