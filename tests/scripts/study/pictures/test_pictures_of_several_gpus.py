"""The picture of speed-ups of several GPUs, from small results."""
import unittest

import fabricated
from fabricated import MIDDLE
from picture_case import PictureCase

from study.pictures.several_gpus import distributed


class SeveralGpus(PictureCase):
    def points(self, panel: int) -> dict:
        return {label: dict(zip(one.x, one.y)) for label, one in self.series("distributed", panel).items()}

    def keep(self, gpus: int) -> None:
        """Only rows with this number of GPUs."""
        data = self.results["distributed"]
        data["rows"] = [row for row in data["rows"] if row["gpus"] in (1, gpus)]

    def test_against_the_number_of_gpus(self):
        panels = self.picture("distributed").panels
        self.assertEqual([panel.title for panel in panels], [
            "Exclusive scan", "Stream compaction", "Sort", "Sort: where the time goes, 2²⁸ keys"])
        self.assertEqual({panel.x_label for panel in panels[:3]}, {"GPUs"})
        self.assertEqual(self.points(0), {"2²⁸": {2: 1.25, 4: 2.5}, "bound": {2: 1.33333, 4: 2.66667}})
        self.assertEqual(self.points(1), {"2²⁸": {2: 1.8}, "bound": {2: 2.0}})
        self.assertEqual(self.points(2), {"2²⁰": {2: 0.5}, "2²⁸": {2: 1.25, 4: 2.0}, "2³⁰": {2: 1.6}})
        self.assertEqual(self.points(3), {part: {"2 GPUs": share, "4 GPUs": share} for part, share in (
            ("count", 10), ("exchange", 30), ("sort", 60))})

    def test_against_n_if_one_number_of_gpus_was_measured(self):
        self.keep(2)
        self.assertEqual(self.points(0), {"2 GPUs": {1 << 28: 1.25}, "bound": {1 << 28: 1.33333}})
        self.assertEqual(self.points(2), {"2 GPUs": {MIDDLE: 0.5, 1 << 28: 1.25, 1 << 30: 1.6}})
        self.assertEqual(list(self.points(3)["sort"]), ["2²⁰", "2²⁸", "2³⁰"])
        self.assertEqual({panel.x_label for panel in self.picture("distributed").panels[:3]}, {"elements"})
        self.assertTrue(self.picture("distributed").caption.startswith(
            "X axis: number of elements, on 2 GPUs. Y axis: one GPU's time for the whole array, divided by "))

    def test_what_to_see(self):
        self.assertTrue(self.picture("distributed").caption.endswith(
            "The largest speed-ups are 2.50 (scan of 2²⁸, 4 GPUs), 1.80 (compaction of 2²⁸, 2 GPUs) and "
            "2.00 (sort of 2²⁸, 4 GPUs)."))

    def test_limits_show_all_lines(self):
        for panel in self.picture("distributed").panels[:3]:
            low, high = panel.y_limits
            self.assertEqual(low, 0)
            self.assertGreater(high, max(1, *(y for one in panel.series for y in one.y)))

    def test_lines_for_some_sizes_if_there_are_many(self):
        self.results["distributed"]["rows"].append(fabricated.sorted_on(2, 1 << 26, 100, 120))
        self.assertNotIn("2²⁶", self.points(2))
        self.results["distributed"]["rows"] = [fabricated.sorted_on(gpus, 1 << 26, 100, 120)
                                               for gpus in (2, 4)]
        self.assertEqual(list(self.points(0)), ["2²⁶"])

    def test_a_sort_without_parts_has_no_bars(self):
        for row in self.results["distributed"]["rows"]:
            row.update(count_us=None, exchange_us=None, sort_us=None)
        self.assertEqual(len(self.picture("distributed").panels), 3)

    def test_without_times_of_one_gpu_there_is_no_picture(self):
        for row in self.results["distributed"]["rows"]:
            row["one_gpu_us"] = None
        self.assertNotIn("distributed", self.names())
        self.assertIsNone(distributed({}, None))


if __name__ == "__main__":
    unittest.main()
