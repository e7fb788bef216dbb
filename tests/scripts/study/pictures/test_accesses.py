"""The pictures of counted accesses: their content for a small file, and the script itself."""
import importlib.util
import json
import unittest

from fabricated_counts import small
from script_case import ScriptCase

from study.pictures.accesses import pictures

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


class AccessPictures(ScriptCase):
    def draw(self, *arguments: object, code: int = 0):
        return self.script("plot_accesses.py", "--counts", self.counts, "--output",
                           self.folder / "img", *arguments, code=code)

    def setUp(self) -> None:
        super().setUp()
        self.counts = self.write_results("accesses.json", small())

    def test_the_tree_by_launch(self):
        threads, memory = pictures(small())[0].panels
        self.assertEqual([(one.x, one.y) for one in threads.series],
                         [((1, 2), (128.0, 128.0)), ((1, 2), (8.0, 4.0))])
        self.assertEqual([one.y for one in memory.series], [(96.0, 96.0), (48.0, 24.0)])
        # Each panel has its own labels.
        self.assertEqual([[one.label for one in panel.series] for panel in (threads, memory)],
                         [["launched", "active"], ["moved", "requested"]])

    def test_bytes_an_element_of_each_scan_that_launches(self):
        asked, moved = (panel.series[0] for panel in pictures(small())[1].panels)
        self.assertEqual((asked.x, asked.y), (("naive", "efficient"), (8.0, 3.0)))
        self.assertEqual((moved.x, moved.y), (("naive", "efficient"), (10.0, 8.0)))

    def test_without_the_tree_the_other_picture_is_drawn(self):
        data = small()
        del data["rows"][1]
        self.assertEqual([picture.name for picture in pictures(data)], ["bytes"])

    def test_counts_of_no_elements_are_not_drawn(self):
        data = small()
        for one in data["rows"]:
            one["n"] = 0
        self.counts.write_text(json.dumps(data), encoding="utf-8")
        self.assertIn("has no scan that launches kernels", self.draw(code=4).stderr)
        data["rows"][1]["n"] = 16
        self.assertEqual([one.x for one in pictures(data)[1].panels[0].series], [("efficient",)])

    @unittest.skipUnless(HAS_MATPLOTLIB, "needs matplotlib")
    def test_draws_and_checks(self):
        self.draw()
        self.assertEqual({path.name for path in (self.folder / "img").iterdir()},
                         {"tree.svg", "bytes.svg"})
        self.assertIn("2 pictures up to date", self.draw("--check").stdout)
        changed = small()
        changed["rows"][0]["total"]["global_loads"]["bytes_moved"] += 16
        self.counts.write_text(json.dumps(changed), encoding="utf-8")
        said = self.draw("--check", code=1).stdout
        self.assertIn("bytes.svg does not show the current results", said)
        self.assertNotIn("tree.svg", said)

    @unittest.skipUnless(HAS_MATPLOTLIB, "needs matplotlib")
    def test_the_counts_are_not_overwritten(self):
        (self.folder / "img").mkdir()
        (self.folder / "img/bytes.svg").hardlink_to(self.counts)
        said = self.draw(code=2).stderr
        self.assertIn("bytes.svg', expected another file than the inputs", said)
        self.assertEqual(json.loads(self.counts.read_text(encoding="utf-8")), small())

    def test_says_what_is_missing(self):
        said = self.draw("--check", code=1).stdout
        self.assertIn("tree.svg is missing", said)
        self.assertIn("bytes.svg is missing", said)

    def test_refuses_other_files_in_one_line(self):
        for text in ("", "[]", "{}", '{"rows": []}', '{"seed": 1, "rows": [{}]}',
                     '{"seed": 1, "rows": [{"n": -1}]}', '{"seed": 1, "rows": 3}',
                     json.dumps({"seed": 1, "rows": [{**small()["rows"][0], "total": {}}]}),
                     json.dumps({"seed": 1, "rows": [{**small()["rows"][0], "n": 10 ** 400}]}),
                     json.dumps({"seed": 1, "rows": [{**small()["rows"][0], "algorithm": "\x1b"}]}),
                     json.dumps(small()).replace('"threads": 32', '"threads": Infinity')):
            self.counts.write_text(text, encoding="utf-8")
            said = self.draw("--check", code=4).stderr
            self.assertRegex(said, "is not (valid JSON|a file of count_accesses): ")
            self.assertNotIn("Error", said)
            self.assertEqual(said.count("\n"), 1)
        self.counts.write_text(json.dumps(small()).replace('"active_threads": 4, ', ""), encoding="utf-8")
        self.assertIn("rows/1/launches/1: 'active_threads' is a required property",
                      self.draw(code=4).stderr)
        self.counts.write_text('{"seed": 1, "rows": []}', encoding="utf-8")
        self.assertIn("has no scan that launches kernels", self.draw(code=4).stderr)
        self.counts.unlink()
        self.draw(code=4)


if __name__ == "__main__":
    unittest.main()
