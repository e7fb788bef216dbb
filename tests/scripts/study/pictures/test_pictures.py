"""The content of the pictures of small results, computed by hand."""
import dataclasses
import unittest

import fabricated
from fabricated import LARGE, MIDDLE, SMALL, timed
from picture_case import PictureCase
from script_case import results

from study.pictures.drawing import look
from study.pictures.gallery import pictures
from study.pictures.labels import power
from study.pictures.picture import Series
from study.rows import is_power_of_two


class Pictures(PictureCase):
    def test_the_digest_changes_with_all_that_is_shown(self):
        picture = self.picture("scan_all")
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
        self.assertEqual(self.picture("scan_all").digest(), picture.digest())

    def test_powers_of_two(self):
        self.assertEqual([n for n in range(-4, 20) if is_power_of_two(n)], [1, 2, 4, 8, 16])
        self.assertEqual([power(n) for n in (1, 2, 1 << 26, 1500)], ["2⁰", "2¹", "2²⁶", "1,500"])

    def test_time_of_every_row(self):
        self.assertEqual(self.points("scan_all"), {
            "cpu": {SMALL: 1e-6, MIDDLE: 1e-3, LARGE: 0.016},
            "ours": {SMALL: 5e-6, MIDDLE: 2e-5, LARGE: 8e-5},
            "cub": {SMALL: 1e-5, MIDDLE: 2e-5, LARGE: 1e-4},
            "slow": {SMALL: 4e-5, MIDDLE: 1e-5, LARGE: 4e-4},
            "copy": {SMALL: 4e-6, MIDDLE: 1e-5, LARGE: 6.4e-5}})
        series = self.series("scan_all")
        self.assertEqual((series["ours"].low, series["ours"].high),
                         ((4.95e-6, 1.98e-5, 7.92e-5), (5.05e-6, 2.02e-5, 8.08e-5)))
        self.assertEqual([one.style for one in series.values()], [0, 1, 2, 3, -1])
        self.assertEqual([one.host for one in series.values()], [True] + 4 * [False])

    def test_the_note_says_what_was_measured(self):
        self.assertEqual(self.picture("scan_all").note,
                         "NVIDIA H200 · cold L2, median and quartiles · 32-bit integers · "
                         "commit aaaaaaaaaa · CUB 3.0.1")
        del self.results["scan"]["machine"]["cub"]
        self.assertTrue(self.picture("scan_all").note.endswith("commit aaaaaaaaaa"))

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
            **dict.fromkeys(("scan_all", "scan_gpu", "modes", "power_of_two"), "of scan"),
            **dict.fromkeys(("compact_gpu", "phases", "kept"), "of compact"),
            **dict.fromkeys(("sort_gpu", "distributions"), "of sort"),
            **dict.fromkeys(("block_size", "items_per_thread"), "of block_size"),
            "models": "of models", "keys": "of sort and of models",
            "host": "of host", "bytes_moved": "of profile",
            "ratio_to_cub": "of scan and of compact and of sort",
            "roof": "of scan and of compact"})

    def test_how_panels_stand(self):
        n = 1 << 24
        self.results["scan"]["rows"] += [timed("ours", n - 3, 120),
                                         timed("ours", SMALL, 2, mode="graph")]
        columns = {picture.name: picture.columns for picture in pictures(self.results)}
        self.assertEqual(columns, {
            **dict.fromkeys(("scan_all", "items_per_thread", "phases", "host", "distributions", "keys", "kept", "bytes_moved"), 1),
            **dict.fromkeys(("scan_gpu", "compact_gpu", "sort_gpu", "power_of_two", "roof", "block_size", "models"), 2), "modes": 3, "ratio_to_cub": 3})
        lines = {picture.name: {panel.line_at for panel in picture.panels}
                 for picture in pictures(self.results)}
        self.assertEqual({name: at for name, at in lines.items() if at != {None}}, {
            "ratio_to_cub": {1}, "models": {1}, "roof": {100}, "power_of_two": {1},
            "bytes_moved": {8}})

    def test_only_the_usual_input_at_powers_of_two(self):
        self.results["scan"]["rows"] += [
            timed("ours", 8, 1, mode="hot"), timed("ours", 16, 1, distribution="zipf"),
            timed("ours", 24, 1), timed("ours", 32, 1, verified=False), timed("ours", 0, 1)]
        self.assertEqual(set(self.points("scan_all")["ours"]), {SMALL, MIDDLE, LARGE})

    def test_throughput_of_the_gpus_rows(self):
        time, rate = self.points("scan_gpu"), self.points("scan_gpu", 1)
        self.assertEqual(set(time), {"ours", "cub", "slow", "copy"})
        self.assertEqual(time["cub"][LARGE], 1e-4)
        self.assertEqual(rate["cub"], {SMALL: 0.1024, MIDDLE: 52.4288, LARGE: 167.772})
        self.assertEqual(rate["copy"][LARGE], 262.144)
        self.assertEqual(set(self.points("sort_gpu", 1)), {"ours", "cub"})
        self.assertEqual([panel.title for panel in self.picture("sort_gpu").panels],
                         ["time of one call", "10⁹ keys per second"])

    def test_a_time_of_nothing_is_not_shown(self):
        self.results["scan"]["rows"] += [timed("ours", 8, 0), timed("cub", 8, 1),
                                         timed("slow", 8, 0.5)]
        self.assertNotIn(8, self.points("ratio_to_cub")["ours"])
        self.assertEqual(self.points("ratio_to_cub")["slow"][8], 2)
        self.assertNotIn(8, self.points("scan_gpu")["ours"])

    def test_ratios(self):
        self.assertEqual(self.points("ratio_to_cub"), {
            "ours": {SMALL: 2, MIDDLE: 1, LARGE: 1.25}, "slow": {SMALL: 0.25, MIDDLE: 2,
                                                                 LARGE: 0.25}})
        series = self.series("ratio_to_cub")["ours"]
        self.assertEqual((series.low[0], series.high[0]), (1.9802, 2.0202))
        self.assertEqual([panel.title for panel in self.picture("ratio_to_cub").panels],
                         ["Exclusive scan", "Stream compaction", "Sort"])
        self.assertEqual(self.points("ratio_to_cub", 1), {"ours": {LARGE: 0.5}})
        self.assertTrue(all(panel.line_at == 1 and panel.y_scale == "log"
                            for panel in self.picture("ratio_to_cub").panels))

    def test_roof_from_2_to_the_24(self):
        self.results["compact"]["rows"].append(fabricated.compaction("ours", 1 << 23, 100))
        self.assertEqual(self.points("roof"), {"ours": {LARGE: 80}, "cub": {LARGE: 64},
                                               "slow": {LARGE: 16}})
        self.assertEqual(self.points("roof", 1), {"ours": {LARGE: 48}, "cub": {LARGE: 96}})
        panel = self.picture("roof").panels[0]
        self.assertEqual((panel.line_at, panel.y_limits, len(self.picture("roof").panels)),
                         (100, (0, 108), 2))

    def test_block_sizes_each_at_its_best(self):
        titles = [panel.title for panel in self.picture("block_size").panels]
        self.assertEqual(titles, ["Exclusive scan, 2²⁰", "Exclusive scan, 2²⁴"])
        self.assertEqual(self.points("block_size"), {"ours": {64: 7e-6, 128: 9e-6}})
        self.assertEqual(self.points("block_size", 1), {"ours": {64: 3e-4, 128: 1e-4, 256: 2e-4}})
        self.assertEqual(self.picture("block_size").columns, 2)

    def test_of_tunings_that_tie_and_rows_without(self):
        self.results["block_size"]["rows"].append(timed("plain", LARGE, 5))
        self.assertNotIn("plain", self.points("block_size", 1))
        self.results["block_size"]["rows"] += [
            timed("ours", LARGE, 1, block_size=512, items_per_thread=None),
            timed("ours", LARGE, 0.5, block_size=128, verified=False)]
        self.assertEqual(self.points("block_size", 1)["ours"][512], 1e-6)
        self.assertEqual(self.points("block_size", 1)["ours"][128], 1e-4)
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

    def test_phases_are_shares(self):
        self.assertEqual(self.points("phases"), {
            "map": {"ours": 10}, "scan": {"ours": 60}, "scatter": {"ours": 30}})
        self.assertEqual(self.picture("phases").panels[0].kind, "stack")
        phases = {"map": 1, "scan": 1, "scatter": 2}
        self.results["compact"]["rows"] += [
            fabricated.compaction("ours", n, 4, phases_us=phases) for n in (1 << 11, 1 << 13)]
        self.assertEqual([panel.title for panel in self.picture("phases").panels], ["2²⁴"])
        self.results["compact"]["rows"] += [
            fabricated.compaction("ours", n, 4, phases_us=phases)
            for n in (1 << 12, 1 << 20, 1 << 21, 1 << 28, 1 << 29)]
        self.assertEqual([panel.title for panel in self.picture("phases").panels],
                         ["2¹²", "2²⁰", "2²⁸"])
        self.assertEqual(self.picture("phases").columns, 3)
        self.assertEqual(self.points("phases")["scatter"], {"ours": 50})

    def test_host(self):
        self.assertEqual(self.points("host"), {
            "cpu": {SMALL: 1e-6, 1 << 26: 1}, "cub": {SMALL: 1e-4, 1 << 26: 2e-3},
            "copy": {SMALL: 5e-5, 1 << 26: 1e-3}})

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
        self.assertFalse(any(one.hollow for one in self.series("scan_all").values()))

    def test_the_hosts_rows_are_no_keys_per_second(self):
        self.results["sort"]["rows"].append(dict(fabricated.key("cpu", 5, "zipf"),
                                                 **fabricated.CORES))
        self.assertNotIn("cpu", self.points("distributions"))
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
                         [f"Exclusive scan, {mode}" for mode in ("cold", "hot", "graph")])
        self.assertEqual([set(self.points("modes", i)["ours"].items()) for i in range(3)],
                         [{(SMALL, 5e-6)}, {(SMALL, 3e-6)}, {(SMALL, 2e-6)}])
        self.assertEqual(picture.panels[0].series[-1].label, "copy")
        # From the copy of 1 us to the slow row's 40 us.
        self.assertEqual({panel.y_limits for panel in picture.panels}, {(7.69231e-7, 5.2e-5)})
        self.assertEqual(picture.columns, 3)

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
            "scan_all", "scan_gpu", "compact_gpu", "sort_gpu", "ratio_to_cub", "roof", "modes", "block_size", "items_per_thread",
            "phases", "host", "power_of_two", "distributions", "models", "keys", "kept",
            "bytes_moved"])

    def test_no_two_rows_look_alike(self):
        looks = {look(Series("", (), (), style=style)) for style in range(100)}
        self.assertEqual(len(looks), 100)

    def test_an_algorithm_looks_the_same_in_all_pictures(self):
        styles: dict = {}
        for picture in pictures(self.results):
            for panel in picture.panels:
                for one in panel.series:
                    if panel.kind == "lines" and "per thread" not in one.label and one.label:
                        styles.setdefault(one.label, set()).add(one.style)
        self.assertEqual(styles, {"cpu": {0}, "ours": {1}, "cub": {2}, "slow": {3}, "copy": {-1}})


if __name__ == "__main__":
    unittest.main()
