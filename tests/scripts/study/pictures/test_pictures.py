"""The content of the pictures of small results, computed by hand."""
import dataclasses
import unittest

import fabricated
from fabricated import LARGE, MIDDLE, SMALL, timed
from picture_case import PictureCase
from script_case import results

from study.pictures.drawing import apart, hatch, labelled, look
from study.pictures.gallery import pictures, readme_pictures
from study.pictures.labels import power
from study.pictures.picture import Series
from study.rows import is_power_of_two


class Pictures(PictureCase):
    def test_the_digest_changes_with_all_that_is_shown(self):
        picture = self.picture("scan")
        panel = picture.panels[0]
        last = panel.series[-1]
        other = [
            dataclasses.replace(picture, title="x"), dataclasses.replace(picture, note="x"),
            dataclasses.replace(picture, caption="x"), dataclasses.replace(picture, columns=3)]
        for changed in (dataclasses.replace(panel, y_label="x"),
                        dataclasses.replace(panel, line_at=1.0),
                        dataclasses.replace(panel, series=panel.series[:-1]),
                        dataclasses.replace(panel, series=panel.series[:-1] + (
                            dataclasses.replace(last, y=last.y[:-1] + (last.y[-1] + 1e-9,)),))):
            other.append(dataclasses.replace(picture, panels=(changed,)))
        digests = {one.digest() for one in (picture, *other)}
        self.assertEqual(len(digests), 1 + len(other))
        self.assertRegex(picture.digest(), "^[0-9a-f]{64}$")
        self.assertEqual(self.picture("scan").digest(), picture.digest())

    def test_powers_of_two(self):
        self.assertEqual([n for n in range(-4, 20) if is_power_of_two(n)], [1, 2, 4, 8, 16])
        self.assertEqual([power(n) for n in (1, 2, 1 << 26, 1500)], ["2⁰", "2¹", "2²⁶", "1,500"])

    def test_time_of_every_row(self):
        self.assertEqual(self.points("scan"), {
            "cpu": {SMALL: 1e-6, MIDDLE: 1e-3, LARGE: 0.016},
            "ours": {SMALL: 5e-6, MIDDLE: 2e-5, LARGE: 8e-5},
            "cub": {SMALL: 1e-5, MIDDLE: 2e-5, LARGE: 1e-4},
            "slow": {SMALL: 4e-5, MIDDLE: 1e-5, LARGE: 4e-4},
            "roof": {LARGE: 6.4e-5}})
        series = self.series("scan")
        self.assertEqual((series["ours"].low, series["ours"].high),
                         ((4.95e-6, 1.98e-5, 7.92e-5), (5.05e-6, 2.02e-5, 8.08e-5)))
        self.assertEqual([one.style for one in series.values()], [0, 1, 2, 3, -1])
        self.assertEqual([one.host for one in series.values()], [True] + 4 * [False])

    def test_unstable_points_are_outlined(self):
        self.assertNotIn("Outlined", self.picture("scan").caption)
        row = next(row for row in self.results["scan"]["rows"]
                   if row["algorithm"] == "ours" and row["n"] == MIDDLE)
        row.update(q1_us=12.0, q3_us=22.1)
        picture = self.picture("scan")
        outlined = [one for one in picture.panels[0].series if one.hollow]
        self.assertEqual([(one.label, one.x, one.y, one.style) for one in outlined],
                         [("ours", (MIDDLE,), (2e-5,), 1)])
        self.assertIn(" Outlined points: the interquartile range exceeds half of the median. ", picture.caption)
        row.update(q3_us=22.0)
        self.assertNotIn("Outlined", self.picture("scan").caption)

    def test_the_note_says_what_was_measured(self):
        self.assertEqual(self.picture("scan").note,
                         "NVIDIA H200 · cold L2, median and quartiles · 32-bit integers · "
                         "commit aaaaaaaaaa · CUB 3.0.1")
        del self.results["scan"]["machine"]["cub"]
        self.assertTrue(self.picture("scan").note.endswith("commit aaaaaaaaaa"))

    def test_every_picture_names_the_cub_of_all_that_it_shows(self):
        self.results["scan"]["rows"] += [timed("ours", (1 << 24) - 3, 120),
                                         timed("ours", SMALL, 2, mode="graph")]
        for picture in pictures(self.results):
            self.assertTrue(picture.note.endswith(" · CUB 3.0.1"), picture.name)
        for name in self.results:
            self.results[name]["machine"]["cub"] = f"of {name}"
        ends = {picture.name: picture.note.rpartition(" · CUB ")[2]
                for picture in pictures(self.results)}
        self.assertEqual(ends, {
            **dict.fromkeys(("scan", "modes", "power_of_two"), "of scan"),
            **dict.fromkeys(("compact", "phases", "kept"), "of compact"),
            **dict.fromkeys(("block_size", "items_per_thread"), "of block_size"),
            "sort": "of sort", "keys": "of sort and of models",
            "host": "of host", "bytes_moved": "of profile", "distributed": "of distributed"})

    def test_every_caption_names_axes_and_gpu_and_what_to_see(self):
        self.results["scan"]["rows"] += [timed("ours", (1 << 24) - 3, 120),
                                         timed("ours", SMALL, 2, mode="graph")]
        made = pictures(self.results) + readme_pictures(self.results)
        self.assertEqual(len({picture.caption for picture in made}), len(made))
        for picture in made:
            self.assertRegex(picture.caption, r"^X axis: .+\. Y axis: .+\. GPU: NVIDIA H200\. \S.+\.$", picture.name)

    def test_captions_say_what_the_results_say(self):
        said = {picture.name: picture.caption.partition(" GPU: NVIDIA H200. ")[2]
                for picture in pictures(self.results)}
        self.assertEqual(said["scan"], "Above the grey line at 1, an algorithm is faster than CUB. The fastest "
                         "at 2²⁴ is `ours`: 1.25× as fast as CUB and at 80 % of the roof.")
        self.assertTrue(said["compact"].endswith("The fastest at 2²⁴ is `cub`: at 96 % of the roof."))
        self.assertTrue(said["sort"].endswith("The fastest at 2²⁴ is `ours`: 2.00× as fast as CUB."))
        self.assertTrue(said["block_size"].endswith("block size: 2.50× (`plain`, scan of 2²⁴)."))
        self.assertTrue(said["items_per_thread"].endswith(
            "The fastest: 128 threads with 4 elements each (`ours`, scan)."))
        self.assertEqual(said["phases"], "At 2²⁴, the scan needs 60 % (`ours`).")
        self.assertEqual(said["host"], "The fastest with the most elements: `cub` (scan of 2²⁶).")
        self.assertTrue(said["kept"].endswith("from 262 to 131 (`ours`, 2²⁴)."))
        self.assertTrue(said["keys"].endswith("The smallest speed-up is 0.500× for `ours` (`model:2`, 2²⁰)."))

    def test_how_panels_stand(self):
        n = 1 << 24
        self.results["scan"]["rows"] += [timed("ours", n - 3, 120),
                                         timed("ours", SMALL, 2, mode="graph")]
        columns = {picture.name: picture.columns for picture in pictures(self.results)}
        self.assertEqual(columns, {
            **dict.fromkeys(("items_per_thread", "phases", "host", "keys", "kept", "bytes_moved"), 1),
            **dict.fromkeys(("scan", "compact", "sort", "power_of_two", "block_size", "modes",
                             "distributed"), 2)})
        self.assertEqual({picture.name for picture in pictures(self.results) if picture.wide_first},
                         {"scan", "compact"})  # three panels
        lines = {picture.name: [panel.line_at for panel in picture.panels]
                 for picture in pictures(self.results)}
        self.assertEqual({name: at for name, at in lines.items() if any(at)}, {
            "scan": [None, 1, 100], "compact": [None, 1, 100], "sort": [None, 1],
            "power_of_two": [1], "bytes_moved": [8], "distributed": [1, 1, 1, None]})

    def test_only_the_usual_input_at_powers_of_two(self):
        self.results["scan"]["rows"] += [
            timed("ours", 8, 1, mode="hot"), timed("ours", 16, 1, distribution="zipf"),
            timed("ours", 24, 1), timed("ours", 32, 1, verified=False), timed("ours", 0, 1)]
        self.assertEqual(set(self.points("scan")["ours"]), {SMALL, MIDDLE, LARGE})

    def test_the_roof_is_of_the_operation_and_not_a_copy_of_its_elements(self):
        """A compaction that is faster than a copy of n elements is not faster than its roof."""
        self.results["compact"]["rows"].append(fabricated.compaction("ours", 1 << 25, 60))
        self.results["compact"]["rows"].append(fabricated.compaction("ours", 1 << 23, 60))
        self.assertEqual(self.points("compact")["roof"], {LARGE: 4.8e-5, 1 << 25: 4.8e-5})
        for picture in pictures(self.results):
            for panel in picture.panels:
                self.assertNotIn("copy", [one.label for one in panel.series])

    def test_of_roofs_that_differ_cubs_is_drawn(self):
        self.assertEqual(set(self.points("sort")), {"cpu", "ours", "cub"})  # no row has a roof
        for row in self.results["sort"]["rows"]:
            if row["copy_us"]:
                row["roof_us"] = {"cub": 256, "ours": 512}[row["algorithm"]]
        self.assertEqual(self.points("sort")["roof of cub"], {LARGE: 2.56e-4})
        self.assertIn("dotted: the roof of cub, from 2²⁴", self.picture("sort").caption)
        for row in self.results["sort"]["rows"]:
            row["roof_us"] = row["copy_us"] and 257 - (row["algorithm"] == "cub")
        self.assertEqual(self.points("sort")["roof"], {LARGE: 2.57e-4})

    def test_no_two_pictures_show_the_same_rows(self):
        """What differs between two pictures' rows: the operation, the input, the mode or the tuning."""
        self.results["scan"]["rows"] += [timed("ours", SMALL, 2, mode="graph"),
                                         timed("ours", SMALL, 3, mode="hot")]
        before = {picture.name: picture.panels for picture in pictures(self.results)}
        for name, mode in (("scan", "cold"), ("modes", "hot"), ("modes", "graph")):
            row = next(row for row in self.results["scan"]["rows"]
                       if row["algorithm"] == "ours" and row["mode"] == mode)
            old, row["median_us"] = row["median_us"], row["median_us"] * 1.001
            self.assertEqual([picture.name for picture in pictures(self.results)
                              if picture.panels != before[picture.name]], [name])
            row["median_us"] = old
        for row in self.results["block_size"]["rows"]:
            old, row["median_us"] = row["median_us"], row["median_us"] * 1.001
            self.assertLessEqual(len([picture for picture in pictures(self.results)
                                      if picture.panels != before[picture.name]]), 1)
            row["median_us"] = old

    def test_a_time_of_nothing_is_not_shown(self):
        self.results["scan"]["rows"] += [timed("ours", 8, 0), timed("cub", 8, 1),
                                         timed("slow", 8, 0.5)]
        self.assertNotIn(8, self.points("scan", 1)["ours"])
        self.assertEqual(self.points("scan", 1)["slow"][8], 2)
        self.assertNotIn(8, self.points("scan")["ours"])

    def test_ratios(self):
        self.assertEqual(self.points("scan", 1), {
            "ours": {SMALL: 2, MIDDLE: 1, LARGE: 1.25}, "slow": {SMALL: 0.25, MIDDLE: 2,
                                                                 LARGE: 0.25}})
        series = self.series("scan", 1)["ours"]
        self.assertEqual((series.low[0], series.high[0]), (1.9802, 2.0202))
        self.assertEqual([panel.title for panel in self.picture("scan").panels],
                         ["time of one call", "speed-up over CUB", "percent of the roof"])
        self.assertEqual(self.points("compact", 1), {"ours": {LARGE: 0.5}})
        panel = self.picture("scan").panels[1]
        self.assertEqual((panel.line_at, panel.line_label, panel.y_scale), (1, "cub", "log"))

    def test_roof_from_2_to_the_24(self):
        self.results["compact"]["rows"].append(fabricated.compaction("ours", 1 << 23, 100))
        self.assertEqual(self.points("scan", 2), {"ours": {LARGE: 80}, "cub": {LARGE: 64},
                                                  "slow": {LARGE: 16}})
        self.assertEqual(self.points("compact", 2), {"ours": {LARGE: 48}, "cub": {LARGE: 96}})
        panel = self.picture("scan").panels[2]
        self.assertEqual((panel.line_at, panel.line_label, panel.y_limits), (100, "roof", (0, 108)))
        self.results["scan"]["rows"][-1].update(median_us=32.0, q1_us=31.0, q3_us=33.0)
        self.assertGreater(self.picture("scan").panels[2].y_limits[1], 200)
        self.assertEqual(len(self.picture("sort").panels), 2)

    def test_block_sizes_of_algorithms_without_a_choice_of_elements(self):
        titles = [panel.title for panel in self.picture("block_size").panels]
        self.assertEqual(titles, ["Exclusive scan, 2²⁰", "Exclusive scan, 2²⁴"])
        self.assertEqual(self.points("block_size"), {"plain": {64: 7e-6}})
        self.assertEqual(self.points("block_size", 1), {"plain": {64: 2.5e-4, 128: 1e-4}})
        self.assertEqual(self.picture("block_size").columns, 2)

    def test_of_rows_without_tuning(self):
        self.results["block_size"]["rows"] += [
            timed("none", LARGE, 5), timed("plain", LARGE, 0.5, block_size=128, verified=False),
            timed("ours", LARGE, 1, block_size=512, items_per_thread=None)]
        self.assertEqual(self.points("block_size", 1), {"plain": {64: 2.5e-4, 128: 1e-4}})
        self.assertEqual(set(self.series("items_per_thread")), {"4 per thread", "8 per thread"})

    def test_items_per_thread_at_the_largest_size(self):
        self.assertEqual(self.points("items_per_thread"),
                         {"4 per thread": {64: 3e-4, 128: 1e-4},
                          "8 per thread": {128: 1.5e-4, 256: 2e-4}})
        series = self.series("items_per_thread")["4 per thread"]
        self.assertEqual((series.low, series.high), ((2.97e-4, 9.9e-5), (3.03e-4, 1.01e-4)))
        picture = self.picture("items_per_thread")
        self.assertEqual((picture.title, picture.columns), ("Elements per thread, 2²⁴", 1))
        self.assertEqual(picture.panels[0].title, "Exclusive scan: ours")

    def test_an_algorithm_without_the_largest_size_has_no_panel_of_elements(self):
        self.results["block_size"]["rows"] += [
            timed("small", MIDDLE, 5, block_size=128, items_per_thread=4)]
        titles = [panel.title for panel in self.picture("items_per_thread").panels]
        self.assertEqual(titles, ["Exclusive scan: ours"])

    def test_phases_are_shares(self):
        self.assertEqual(self.points("phases"), {
            "map": {"ours": 10}, "scan": {"ours": 60}, "scatter": {"ours": 30}})
        self.assertEqual(self.picture("phases").panels[0].kind, "stack")
        phases = {"map": 1, "scan": 1, "scatter": 2}
        self.results["compact"]["rows"] += [
            fabricated.compaction("ours", n, 4, phases_us=phases) for n in (1 << 11, 1 << 13)]
        self.assertEqual([panel.title for panel in self.picture("phases").panels], ["2²⁴ elements"])
        self.results["compact"]["rows"] += [
            fabricated.compaction("ours", n, 4, phases_us=phases)
            for n in (1 << 12, 1 << 20, 1 << 21, 1 << 28, 1 << 29)]
        self.assertEqual([panel.title for panel in self.picture("phases").panels],
                         ["2¹² elements", "2²⁰ elements", "2²⁸ elements"])
        self.assertEqual(self.picture("phases").columns, 3)
        self.assertEqual(self.points("phases")["scatter"], {"ours": 50})

    def test_host(self):
        """Without the copy there and back, which is from pageable memory: streamed is faster."""
        self.assertEqual(self.points("host"), {
            "cpu": {SMALL: 1e-6, 1 << 26: 1}, "cub": {SMALL: 1e-4, 1 << 26: 2e-3}})

    def test_sizes_that_are_no_powers_of_two(self):
        self.assertNotIn("power_of_two", self.names())
        n = 1 << 24
        self.results["scan"]["rows"] += [
            timed("ours", n - 3, 120), timed("ours", 2 * n, 320), timed("ours", 3 * n // 2, 240),
            timed("ours", 3 * n, 1), timed("ours", 5 * n // 4, 1), timed("cub", 12, 1),
            timed("cpu", n - 3, 1, **fabricated.CORES)]
        less, more = self.picture("power_of_two").panels
        self.assertEqual(less.title, "Exclusive scan: 2ᵏ − 3 against 2ᵏ")
        # 120 us for three elements fewer than 80 us; 240 / 1.5 against the mean of 80 and 160.
        self.assertEqual([(one.label, one.x, one.y, one.low) for one in less.series],
                         [("ours", (n,), (1.5,), ())])
        self.assertEqual([(one.label, one.x, one.y) for one in more.series],
                         [("ours", (3 * n // 2,), (1.41421,))])
        self.assertEqual(less.y_limits, (0.9, 1.53))
        self.results["scan"]["rows"][-7]["median_us"] = 40
        self.assertEqual(self.picture("power_of_two").panels[0].y_limits, (0.49, 1.1))

    def test_what_is_half_way_between_powers_of_two(self):
        self.results["scan"] = results([timed("ours", n, n) for n in (0, 1, 2, 4, 5, 8, 13, 16)])
        less, = self.picture("power_of_two").panels
        self.assertEqual([one.x for one in less.series], [(4, 8, 16)])
        self.assertEqual([one.y for one in less.series], [(1, 1, 1)])
        self.results["scan"]["rows"] += [timed("ours", 3, 30), timed("ours", 12, 1),
                                         timed("ours", 24, 1)]
        self.results["scan"]["rows"] = [row for row in self.results["scan"]["rows"]
                                        if row["n"] != 5]
        more = self.picture("power_of_two").panels[1]
        self.assertEqual([(one.x, one.y) for one in more.series], [((3, 12), (10, 0.0833333))])

    def test_shares_of_times_below_a_microsecond(self):
        self.results["compact"]["rows"][0]["phases_us"] = {"map": 0.1, "scan": 0.2, "scatter": 0.1}
        self.assertEqual(self.points("phases")["scan"], {"ours": 50})
        self.assertEqual(self.picture("phases").panels[0].y_limits, (0, 100))

    def test_more_than_three_panels_are_in_lines_of_three(self):
        self.results["block_size"]["rows"] += [
            timed(name, LARGE, 5, block_size=64, items_per_thread=4) for name in "abcd"]
        self.assertEqual(self.picture("items_per_thread").columns, 3)

    def test_a_single_kernel(self):
        del self.results["profile"]["rows"][1:]
        self.assertEqual(self.points("bytes_moved"), {"DRAM bytes": {"ours": 12}})
        self.assertIn("Nsight Compute, 2²⁴", self.picture("bytes_moved").note)
        self.assertEqual(self.series("bytes_moved")["DRAM bytes"].style, 0)
        self.assertFalse(any(one.hollow for one in self.series("scan").values()))

    def test_the_hosts_compactions_are_not_among_the_shares(self):
        self.results["compact"]["rows"].append(dict(
            fabricated.compaction("cpu", LARGE, 5), **fabricated.CORES))
        self.assertEqual([one.label for one in self.picture("kept").panels[0].series],
                         ["ours", "cub", "ours"])

    def test_shares_that_are_kept(self):
        panel = self.picture("kept").panels[0]
        self.assertEqual([(one.label, one.x, one.y, one.hollow) for one in panel.series], [
            ("ours", (0, 50, 100), (262.144, 167.772, 131.072), False),
            ("cub", (50, 100), (335.544, 524.288), False), ("ours", (50,), (65.536,), True)])
        self.results["compact"]["rows"].pop(2)  # two shares are no curve
        self.assertNotIn("kept", self.names())

    def test_modes_share_a_scale(self):
        self.assertNotIn("modes", self.names())
        self.results["scan"]["rows"] += [
            timed("ours", SMALL, 2, mode="graph", copy_us=1), timed("ours", SMALL, 3, mode="hot")]
        picture = self.picture("modes")
        self.assertEqual([panel.title for panel in picture.panels],
                         ["Exclusive scan, back to back", "Exclusive scan, in a CUDA graph"])
        self.assertEqual([set(self.points("modes", i)["ours"].items()) for i in range(2)],
                         [{(SMALL, 3e-6)}, {(SMALL, 2e-6)}])
        self.assertEqual({panel.y_limits for panel in picture.panels}, {(1.53846e-6, 3.9e-6)})
        self.assertTrue(picture.caption.endswith("most: it is 1.50× as fast in a graph (scan of 2¹⁰)."))
        self.assertEqual(picture.columns, 2)

    def test_bytes_moved(self):
        self.assertEqual(self.points("bytes_moved"), {"DRAM bytes": {"ours": 16}})
        panel = self.picture("bytes_moved").panels[0]
        self.assertEqual((panel.line_at, panel.kind), (8, "bars"))
        for row in self.results["profile"]["rows"]:
            row["operation"] = "compact"
        self.assertEqual(self.picture("bytes_moved").panels[0].line_at, 6)
        for row in self.results["profile"]["rows"]:
            row["dram_bytes"] = None
        self.assertNotIn("bytes_moved", self.names())

    def test_nothing_is_made_of_nothing(self):
        self.assertEqual(pictures({}), [])

    def test_all_pictures(self):
        n = 1 << 24
        self.results["scan"]["rows"] += [timed("ours", n - 3, 120),
                                         timed("ours", SMALL, 2, mode="graph")]
        self.assertEqual(self.names(), [
            "scan", "compact", "sort", "modes", "block_size", "items_per_thread", "phases", "host",
            "power_of_two", "keys", "kept", "bytes_moved", "distributed"])

    def test_labels_are_moved_apart_and_no_further(self):
        self.assertEqual(apart([50, 10, 30], 10, 100), [50, 10, 30])
        self.assertEqual(sorted(apart([50, 50], 10, 100)), [45, 55])
        self.assertEqual(apart([20, 52, 48], 10, 100), [20, 55, 45])
        self.assertEqual(apart([0, 1], 10, 100), [0, 10])
        self.assertEqual(apart([100, 99], 10, 100), [100, 90])
        self.assertEqual(apart([], 10, 100), [])

    def test_each_panel_has_the_labels_of_its_lines(self):
        self.assertEqual([[one.label for one in labelled(panel)] for panel in self.picture("scan").panels],
                         [["cpu", "ours", "cub", "slow", "roof"], ["ours", "slow", "cub"],
                          ["ours", "cub", "slow", "roof"]])
        line = labelled(self.picture("scan").panels[1])[-1]
        self.assertEqual((line.x, line.y), ((LARGE,), (1,)))
        self.assertEqual([one.label for one in labelled(self.picture("phases").panels[0])],
                         ["map", "scan", "scatter"])
        self.assertEqual([one.label for one in labelled(self.picture("kept").panels[0])], ["ours", "cub"])
        self.assertEqual(labelled(self.picture("keys").panels[0]), [])

    def test_hatched_cells(self):
        xs, ys = hatch([(2, 5)])
        self.assertEqual({y for y in ys if y == y}, {4.5, 5.5})
        self.assertEqual((min(xs), max(x for x in xs if x == x)), (1.5, 2.5))
        self.assertEqual(len(hatch([(0, 0), (1, 0)])[0]), 2 * len(xs))
        self.assertEqual(hatch([]), ([], []))

    def test_no_two_rows_look_alike(self):
        looks = {look(Series("", (), (), style=style)) for style in range(100)}
        self.assertEqual(len(looks), 100)

    def test_an_algorithm_looks_the_same_in_all_pictures(self):
        styles: dict = {}
        for picture in pictures(self.results):
            for panel in picture.panels if picture.name != "distributed" else ():
                for one in panel.series:
                    if panel.kind == "lines" and "per thread" not in one.label and one.label:
                        styles.setdefault(one.label, set()).add(one.style)
        self.assertEqual(styles, {"cpu": {0}, "ours": {1}, "cub": {2}, "slow": {3}, "plain": {4},
                                  "roof": {-1}})


if __name__ == "__main__":
    unittest.main()
