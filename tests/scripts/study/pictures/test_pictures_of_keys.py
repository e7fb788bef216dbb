"""The heat map of sorts by the distribution of their keys, computed by hand."""
import unittest

import fabricated
from fabricated import MIDDLE
from picture_case import PictureCase


class PicturesOfKeys(PictureCase):
    def labels(self) -> list:
        return [one.label for one in self.picture("keys").panels[0].series]

    def test_sizes_and_kinds_of_keys(self):
        picture = self.picture("keys")
        self.assertEqual(picture.title, "Sorts against cub, by size and kind of keys")
        panel, = picture.panels
        self.assertEqual((panel.kind, panel.title), ("heat", "ours"))
        self.assertEqual([(one.label, one.x, one.y) for one in panel.series], [
            (name, ("2²⁰", "2²⁴"), ratios) for name, ratios in (
                ("uniform", (None, 2)), ("zipf", (None, 0.5)), ("model:1", (2, 0.8)),
                ("model:2", (0.5, 1.25)), ("model:3", (4, None)))])
        self.assertTrue(picture.note.endswith("CUB 3.0.1"))
        self.assertIn("; hatched: not measured.", picture.caption)
        del self.results["sort"]
        self.assertEqual(self.labels(), ["model:1", "model:2", "model:3"])
        rows = self.results["models"]["rows"]
        rows[:] = [row for row in rows if row["algorithm"] == "cub"]
        self.assertNotIn("keys", self.names())

    def test_without_unmeasured_cells_nothing_is_said_of_them(self):
        del self.results["sort"]
        self.results["models"]["rows"] = [row for row in self.results["models"]["rows"]
                                          if row["distribution"] != "model:3"]
        self.assertNotIn("hatched", self.picture("keys").caption)

    def test_files_are_no_kinds_of_keys(self):
        before = self.labels()
        self.results["sort"]["rows"] += [fabricated.key(name, 1, "file:my keys.npy")
                                         for name in ("ours", "cub")]
        self.assertEqual(self.labels(), before)
        for row in self.results["models"]["rows"]:
            row["distribution"] = "file:my keys.npy"
        self.assertNotIn("keys", self.names())

    def test_of_many_models_the_worst_are_shown(self):
        rows = self.results["models"]["rows"]
        self.assertNotIn("worst are shown", self.picture("keys").caption)
        rows += [fabricated.key(name, us, f"model:{model}", MIDDLE) for model in range(4, 34)
                 for name, us in (("ours", 10 + model), ("cub", 100))]
        self.assertEqual(self.labels(), ["uniform", "zipf", "model:1", "model:2", "model:3",
                                         *(f"model:{model}" for model in range(13, 34))])
        self.assertIn(" Of 33 random key models, the 24 worst are shown. ", self.picture("keys").caption)

    def test_the_rows_that_are_ahead_are_shown(self):
        rows = self.results["models"]["rows"]
        rows += [fabricated.key("slow", 5, f"model:{model}", MIDDLE) for model in (2, 3)]
        picture = self.picture("keys")
        self.assertEqual([panel.title for panel in picture.panels], ["slow", "ours"])
        # Each has a line for the same kinds.
        self.assertEqual(*([one.label for one in panel.series] for panel in picture.panels))
        self.assertEqual([one.y[0] for one in picture.panels[0].series][-3:], [0.25, 20, 20])
        self.assertEqual(picture.columns, 2)
        rows += [fabricated.key(name, 50, f"model:{model}", MIDDLE) for name in "ab" for model in (1, 2, 3)]
        self.assertEqual(len(self.picture("keys").panels), 2)


if __name__ == "__main__":
    unittest.main()
