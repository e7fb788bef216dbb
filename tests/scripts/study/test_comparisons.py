"""Tables of several GPUs: who is compared with whom, and what is said of it."""
import unittest

import fabricated
from fabricated import LARGE, MIDDLE, SMALL, key, timed
import script_case  # so that study is found

from study.comparisons import COMPARISONS, OURS, comparison
from study.pictures.against_n import speedup

class Comparisons(unittest.TestCase):
    """Tables of several GPUs."""

    def everything(self, gpu: str, **machine) -> dict:
        made = fabricated.everything()
        for data in made.values():
            data["machine"].update(gpu=gpu, **machine)
        return made

    def test_every_gpu_has_a_line_and_its_study_is_named(self):
        every = [self.everything("NVIDIA H200"), self.everything("NVIDIA H100 80GB", cub="9.9")]
        said = COMPARISONS["figures-look-back"](every)
        self.assertIn("\n| `cub` | H200 |", said)
        self.assertIn("\n| `cub` | H100 |", said)
        self.assertIn("; NVIDIA H100 80GB: CUDA 13.0, CUB 9.9, commit", said)
        same = COMPARISONS["figures-look-back"]([every[0], self.everything("NVIDIA H100")])
        self.assertIn("*NVIDIA H200 and NVIDIA H100: CUDA", same)

    def test_speed_up_over_the_peer(self):
        picture = speedup(fabricated.everything(), {"scan": ("ours", "none"), "sort": ()}, "cub")
        one, = picture.panels[0].series
        self.assertEqual((one.label, one.x, one.y), ("scan: ours", (1 << 10, 1 << 20, 1 << 24),
                                                     (2.0, 1.0, 1.25)))
        self.assertIsNone(speedup({}, {"scan": ("ours",)}, "cub"))

    def test_what_is_not_measured_is_told(self):
        for name in COMPARISONS:
            self.assertEqual(comparison(name, [{}]), "*Not measured yet.*")
            empty = {"host": {"machine": {"gpu": "NVIDIA H200"}, "rows": []}}
            self.assertRegex(comparison(name, [empty]), r"^\*Not measured yet: \w+\.\*$")

    def ours(self, *rows: dict, operation: str = "scan") -> list:
        """Results of one GPU: our algorithm and the peer."""
        data = fabricated.everything()
        data[operation]["rows"] = list(rows)
        return [data]

    def test_overview_has_times_and_speed_ups(self):
        every = self.ours(timed("single_pass", MIDDLE, 20), timed("cub", MIDDLE, 30),
                          timed("single_pass", LARGE, 80), timed("cub", LARGE, 100))
        said = comparison("overview", every)
        self.assertIn("| Scan: `single_pass` | H200 | – | – | 20.0 µs, 1.50× | 80.0 µs, 1.25× | – |",
                      said)
        self.assertIn("do not overlap: `single_pass` (scan, 1.25× to 1.50×).", said)

    def test_quartiles_that_touch_are_not_faster(self):
        for q3, is_said in ((99, False), (98.9, True)):
            every = self.ours(timed("single_pass", LARGE, 98, q3_us=q3),
                              timed("cub", LARGE, 100, q1_us=99))
            self.assertEqual("Faster than CUB" in comparison("overview", every), is_said)

    def test_one_slower_size_on_one_gpu_is_not_faster(self):
        every = [*self.ours(timed("single_pass", LARGE, 50), timed("cub", LARGE, 100)),
                 *self.ours(timed("single_pass", LARGE, 100), timed("cub", LARGE, 90))]
        self.assertNotIn("Faster than CUB", comparison("overview", every))

    def test_headline_names_the_largest_size(self):
        every = self.ours(timed("single_pass", MIDDLE, 20), timed("cub", MIDDLE, 30),
                          timed("single_pass", LARGE, 80), timed("cub", LARGE, 100))
        every[0]["sort"]["rows"] = [key("hybrid_radix", 200), key("cub", 400)]
        self.assertEqual(comparison("headline", every),
                         "On an NVIDIA H200, it scanned 2<sup>24</sup> integers in 80.0 µs (1.25× as fast "
                         "as CUB 3.0.1) and sorted them in 200 µs (2.00×), at commit `aaaaaaaaaaaa` "
                         "(medians, cold L2).")

    def test_weak_spots_are_the_inputs_with_which_the_peer_is_faster(self):
        rows = [key("hybrid_radix", 50, "zipf"), key("cub", 40, "zipf"), key("hybrid_radix", 50, "and2"),
                key("cub", 60, "and2"), key("hybrid_radix", 50, "zipf", SMALL), key("cub", 30, "zipf", SMALL)]
        every = [*self.ours(*rows, operation="sort"),
                 *self.ours(*(dict(row, median_us=50) for row in rows), operation="sort")]
        said = comparison("weak-spots", every)
        self.assertEqual(said.splitlines()[2:],
                         ["| `hybrid_radix` | `zipf` | 0.600× at 2<sup>10</sup> | 1.00× at 2<sup>10</sup> |"])
        none = self.ours(key("hybrid_radix", 50, "zipf"), key("cub", 60, "zipf"), operation="sort")
        none[0]["models"]["rows"] = []
        self.assertEqual(comparison("weak-spots", none), "None of the measured inputs and types.")

    def test_speeds_of_a_sort_by_its_keys(self):
        every = self.ours(key("hybrid_radix", 50), key("cub", 100), key("hybrid_radix", 50, "zipf"),
                          key("cub", 40, "zipf"), key("hybrid_radix", 50, "and2"), key("cub", 60, "and2"),
                          dict(key("hybrid_radix", 1), mode="hot"), dict(key("cub", 100), mode="hot"),
                          operation="sort")
        every[0]["models"]["rows"] = [row for model, us in ((1, 100), (2, 200), (3, 900), (4, 600)) for row in (
            key("hybrid_radix", 100, f"model:{model}", MIDDLE), key("cub", us, f"model:{model}", MIDDLE))]
        every[0]["variants"]["rows"] = [dict(key(name, us), variant="float")
                                        for name, us in (("hybrid_radix", 40), ("cub", 50), ("onesweep", 1))]
        blank = "– | – | –"
        self.assertEqual(comparison("speeds-hybrid-radix", every).splitlines()[2:-2], [
            f"| `uniform` | – | – | – | 2.00× | {blank} |",
            f"| least of 2 other distributions | – | – | – | 0.800×, `zipf` | {blank} |",
            f"| 4 random key models: least | – | – | 1.00× | – | {blank} |",
            f"| their lower quartile | – | – | 1.75× | – | {blank} |",
            f"| their median | – | – | 4.00× | – | {blank} |",
            f"| variant `float` | – | – | – | 1.25× | {blank} |"])

    def test_ours_are_measured(self):
        self.assertEqual(set(OURS), {"scan", "compact", "sort"})


if __name__ == "__main__":
    unittest.main()
