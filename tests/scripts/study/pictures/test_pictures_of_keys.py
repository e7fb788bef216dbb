"""The content of the pictures that compare distributions of keys, computed by hand."""
import unittest

import fabricated
from fabricated import LARGE, MIDDLE
from picture_case import PictureCase


class PicturesOfKeys(PictureCase):
    def test_kinds_of_keys(self):
        self.assertEqual(self.points("distributions"), {
            "ours": {0: 83.8861, 1: 167.772}, "cub": {0: 41.943, 1: 335.544}, "": {}})
        self.assertEqual(self.series("distributions")[""].x, ("uniform", "zipf"))
        self.assertEqual([panel.title for panel in self.picture("distributions").panels], ["2²⁴"])
        rows = self.results["sort"]["rows"]
        rows += [fabricated.key("ours", 1, name, n) for n in (8, 16, 32)
                 for name in ("uniform", "zipf")] + [fabricated.key("ours", 1, n=4)]
        self.assertEqual([panel.title for panel in self.picture("distributions").panels],
                         ["2³", "2²⁴"])
        self.results["sort"]["rows"] = [row for row in rows if row["distribution"] == "zipf"]
        self.assertNotIn("distributions", self.names())

    def test_models_and_files_are_no_kinds_of_keys(self):
        before = self.points("distributions")
        self.results["sort"]["rows"] += [fabricated.key(name, 1, keys) for name in ("ours", "cub")
                                         for keys in ("model:7", "file:my keys.npy")]
        self.assertEqual(self.points("distributions"), before)

    def test_random_models(self):
        panels = self.picture("models").panels
        self.assertEqual([panel.title for panel in panels], ["cold", "hot"])
        ours, slow = panels[0].series
        self.assertEqual((ours.label, ours.x, ours.y, ours.low, ours.high),
                         ("ours", (MIDDLE, LARGE), (2, 1.025), (0.5, 0.8), (4, 1.25)))
        self.assertEqual((slow.x, slow.y, slow.low, slow.high), ((MIDDLE,), (0.25,), (0.25,), (0.25,)))
        self.assertEqual([(one.label, one.y) for one in panels[1].series], [("ours", (1,))])
        self.assertEqual({one.label: one.style for one in panels[0].series}, {"ours": 1, "slow": 3})
        self.assertIn("3 random key models", self.picture("models").note)
        for row in self.results["models"]["rows"]:
            row["distribution"] = "file:my keys.npy"
        self.assertTrue({"models", "keys"}.isdisjoint(self.names()))

    def test_sizes_and_kinds_of_keys(self):
        picture = self.picture("keys")
        self.assertEqual(picture.title, "ours against cub, by size and kind of keys")
        panel, = picture.panels
        self.assertEqual(panel.kind, "heat")
        self.assertEqual([(one.label, one.x, one.y) for one in panel.series], [
            (name, ("2²⁰", "2²⁴"), ratios) for name, ratios in (
                ("uniform", (None, 2)), ("zipf", (None, 0.5)), ("model:1", (2, 0.8)),
                ("model:2", (0.5, 1.25)), ("model:3", (4, None)))])
        self.assertTrue(self.picture("keys").note.endswith("CUB 3.0.1"))
        del self.results["sort"]
        self.assertEqual([one.label for one in self.picture("keys").panels[0].series],
                         ["model:1", "model:2", "model:3"])
        rows = self.results["models"]["rows"]
        rows[:] = [row for row in rows if row["algorithm"] == "cub"]
        self.assertNotIn("keys", self.names())

    def test_of_many_models_the_worst_are_shown(self):
        rows = self.results["models"]["rows"]
        self.assertNotIn("of 3 models", self.picture("keys").caption)
        rows += [fabricated.key(name, us, f"model:{model}", MIDDLE) for model in range(4, 34)
                 for name, us in (("ours", 10 + model), ("cub", 100))]
        labels = [one.label for one in self.picture("keys").panels[0].series]
        self.assertEqual(labels, ["uniform", "zipf", "model:1", "model:2", "model:3",
                                  *(f"model:{model}" for model in range(13, 34))])
        self.assertTrue(self.picture("keys").caption.endswith("; of 33 models the 24 worst."))

    def test_the_row_that_is_ahead_is_shown(self):
        rows = self.results["models"]["rows"]
        rows += [fabricated.key("slow", 5, f"model:{model}", MIDDLE) for model in (2, 3)]
        self.assertTrue(self.picture("keys").title.startswith("slow against"))


if __name__ == "__main__":
    unittest.main()
