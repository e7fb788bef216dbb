"""The page of results in a browser: its initial state, the choices, and the link that contains them."""
from browser_case import BrowserCase, By, Keys, main
import fabricated
from fabricated import LARGE, MIDDLE, SMALL

from study.rows import is_power_of_two


class Choices(BrowserCase):
    # The initial state.

    def test_opens_with_the_times_of_the_first_operation(self) -> None:
        self.open()
        self.assertEqual(self.text("title"), "Exclusive scan: time of one call, against n")
        self.assertEqual(self.text("subtitle"),
                         "cold: the L2 cache is overwritten before each call · int32 · "
                         "keys: uniform50 · NVIDIA H200 · aaaaaaaaaa · CUB 3.0.1")
        self.assertEqual((self.lines(), len(self.points())), (4, 12))
        self.assertEqual(len(self.all("#picture .mark-area > path")), 4)

    def test_says_what_each_file_was_measured_on(self) -> None:
        self.open_two("#folders=two0&folders=two1")
        lines = [line.text for line in self.all("#machines tbody tr")]
        self.assertEqual(len(lines), 2)
        for line, parts in zip(lines, (("NVIDIA H200", "a" * 40, "3.0.1", "2026-11-20"),
                                       ("NVIDIA A100", "e" * 40, "2.9.0", "2026-11-20"))):
            for part in parts:
                self.assertIn(part, line)

    # Choosing.

    def test_an_operation(self) -> None:
        self.open()
        self.choose("operation", "sort")
        self.assertEqual(self.text("title"), "Sort: time of one call, against n")
        self.assertEqual(self.values("time_us"), {("cpu", LARGE): 1e6, ("ours", LARGE): 200,
                                                  ("ours", SMALL): 10, ("cub", LARGE): 400})
        self.choose("keys", "zipf")
        self.assertEqual(self.values("time_us"), {
            ("ours", LARGE): 100, ("cub", LARGE): 50, ("ours", MIDDLE): 30, ("cub", MIDDLE): 60})

    def test_a_mode(self) -> None:
        self.open()
        self.choose("mode", "host")
        self.assertEqual(self.values("time_us"), {("cpu", SMALL): 1, ("cpu", 1 << 26): 1e6,
                                                  ("cub", SMALL): 100, ("cub", 1 << 26): 2000})

    def test_a_type(self) -> None:
        self.open("#type=int64")
        self.assertEqual(self.values("time_us"), {("ours", MIDDLE): 10, ("cub", MIDDLE): 30,
                                                  ("ours", LARGE): 80})

    def test_the_best_block_size_stands_for_a_row(self) -> None:
        self.open("#experiment=block_size")
        self.assertEqual([(line["n"], line["block_size"], line["items_per_thread"], line["time_us"])
                          for line in self.table()],
                         [(str(MIDDLE), "64", "4", "7"), (str(LARGE), "128", "4", "100")])

    def test_a_ratio_to_any_row(self) -> None:
        self.open()
        self.choose("y", "ratio")
        self.assertEqual(self.values("times_as_fast_as_cub", algorithm="ours"), {
            ("ours", SMALL): 2, ("ours", MIDDLE): 1, ("ours", LARGE): 1.25})
        self.choose("to", "slow")
        self.assertEqual(self.text("title"), "Exclusive scan: times as fast as slow, against n")
        self.assertEqual(self.values("times_as_fast_as_slow", algorithm="ours"), {
            ("ours", SMALL): 8, ("ours", MIDDLE): 0.5, ("ours", LARGE): 5})
        self.assertEqual(len(self.all("#picture .mark-rule.role-mark > *")), 1)  # where it is 1

    def test_throughput_is_elements_over_time(self) -> None:
        self.open("#y=throughput&rows=ours")
        self.assertEqual(self.values("1e9_elements_per_s"), {
            ("ours", SMALL): SMALL / 5e3, ("ours", MIDDLE): MIDDLE / 20e3,
            ("ours", LARGE): LARGE / 80e3})

    def test_the_roof_is_there_for_large_sizes_alone(self) -> None:
        self.open("#y=roof")
        self.assertEqual(self.values("percent_of_roof"), {
            ("ours", LARGE): 80, ("cub", LARGE): 64, ("slow", LARGE): 16})

    def test_energy_where_it_was_counted(self) -> None:
        self.open("#mode=cold")
        self.assertNotIn("energy", self.options("y"))
        hot = fabricated.scan()
        hot["rows"] = [dict(one, mode="hot", energy_mj=0.3 * one["median_us"] if one["algorithm"] != "cpu"
                            else None) for one in hot["rows"]]
        self.open("#y=energy&rows=ours&rows=cpu", self.path("energy", {"scan": hot}))
        self.assertEqual(self.text("title"), "Exclusive scan: energy of one call, against n")
        self.assertEqual({place: round(mj, 9) for place, mj in self.values("energy_mj").items()},
                         {("ours", SMALL): 1.5, ("ours", MIDDLE): 6, ("ours", LARGE): 24})
        self.find("#picture").send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(self.text("value"), "ours, n = 2¹⁰: 1.50 mJ")

    def test_the_share_that_is_kept(self) -> None:
        self.open("#operation=compact")
        self.assertFalse(self.is_shown("n"))
        self.assertEqual({line["kept"] for line in self.table()}, {"0.5"})
        self.choose("x", "kept")
        self.assertEqual(self.options("n"), [str(LARGE)])
        self.assertEqual([(line["algorithm"], line["kept"], line["time_us"])
                          for line in self.table()],
                         [("ours", "0", "64"), ("ours", "0.5", "100"), ("ours", "1", "128"),
                          ("cub", "0.5", "50"), ("cub", "1", "32")])
        self.assertEqual((self.lines(), len(self.points())), (2, 5))

    def test_sizes_that_are_no_powers_of_two(self) -> None:
        self.open("#rows=ours")
        self.assertTrue(all(is_power_of_two(n) for _, n in self.values("time_us")))
        self.choose("sizes", "all")
        self.assertIn(("ours", MIDDLE - 3), self.values("time_us"))

    def test_rows(self) -> None:
        self.open()
        self.toggle("rows", "cpu")
        self.assertEqual({line["algorithm"] for line in self.table()}, {"ours", "cub", "slow"})
        self.assertEqual(self.lines(), 3)
        self.find("#lists button:nth-of-type(2)").click()  # none
        self.wait()
        self.assertIn("Nothing was measured", self.find("#picture").text)
        self.assertEqual(self.table(), [])
        self.toggle("rows", "slow")
        self.assertEqual({line["algorithm"] for line in self.table()}, {"slow"})

    def test_axes_and_quartiles(self) -> None:
        self.open("#rows=ours")
        def heights() -> list[float]:
            return [point.rect["y"] for point in self.points()]
        first = heights()  # 5, 20, 80 us: as far from each other
        self.assertAlmostEqual(first[0] - first[1], first[1] - first[2], delta=1)
        self.choose("yscale", "linear")
        second = heights()
        self.assertAlmostEqual((second[1] - second[2]) / (second[0] - second[1]), 4, delta=0.3)
        self.choose("y", "ratio")  # which has a scale of its own
        self.assertEqual(self.find("select[name=yscale]").get_attribute("value"), "log")
        self.choose("quartiles", "none")
        self.assertEqual(self.all("#picture .mark-area > path"), [])
        across = [point.rect["x"] for point in self.points()]  # 2^10, 2^20, 2^24
        self.assertAlmostEqual((across[1] - across[0]) / (across[2] - across[1]), 2.5, delta=0.1)
        self.choose("xscale", "linear")
        across = [point.rect["x"] for point in self.points()]
        self.assertAlmostEqual((across[2] - across[0]) / (across[1] - across[0]), 16, delta=1)

    def test_two_gpus_over_each_other(self) -> None:
        self.open_two("#rows=ours&rows=cub")
        self.assertEqual(self.lines(), 2)
        self.toggle("folders", "two1")
        self.assertEqual(self.lines(), 4)
        self.assertEqual(len(self.all("#picture .mark-area > path")), 4)
        dashes = {line.get_attribute("stroke-dasharray")
                  for line in self.all("#picture .mark-line > path")}
        self.assertEqual(len(dashes), 2)
        # Ratios are computed within a file.
        self.choose("y", "ratio")
        self.assertEqual([(line["gpu"], float(line["times_as_fast_as_cub"]))
                          for line in self.table()
                          if line["algorithm"] == "ours" and line["n"] == str(SMALL)],
                         [("NVIDIA H200", 2), ("NVIDIA A100", 1)])
        self.assertEqual({(line["cub"], line["commit"]) for line in self.table()},
                         {("3.0.1", "a" * 40), ("2.9.0", "e" * 40)})

    def test_a_heat_map(self) -> None:
        self.open("#operation=sort&picture=heat-map")
        self.assertEqual(self.text("title"),
                         "Sort: ours, times as fast as cub, against size and distribution of keys")
        # uniform at 2^24, zipf at 2^20 and 2^24; at 2^20 there is only one distribution.
        self.assertEqual([(line["distribution"], int(line["n"]), float(line["times_as_fast_as_cub"]))
                          for line in self.table()], [("uniform", LARGE, 2), ("zipf", LARGE, 0.5)])
        cells = self.all("#picture .mark-rect")[0].find_elements(By.TAG_NAME, "path")
        colours = [cell.value_of_css_property("fill") for cell in cells]
        self.assertEqual(len(set(colours)), 2)
        self.assertEqual([one.text for one in self.all("#picture .mark-text.role-mark text")],
                         ["2.00×", "0.500×"])
        self.choose("row", "cpu")
        self.assertEqual(len(self.table()), 1)

    # The link.

    def test_the_fragment_has_what_was_chosen(self) -> None:
        self.open()
        self.choose("operation", "compact")
        self.choose("y", "ratio")
        self.toggle("rows", "cub")
        self.choose("yscale", "linear")
        chosen, table = self.browser.current_url.partition("#")[2], self.copied()
        self.assertEqual(chosen, "operation=compact&y=ratio&rows=ours&yscale=linear")
        self.open(f"#{chosen}")
        self.assertEqual(self.copied(), table)
        for name, value in (("operation", "compact"), ("y", "ratio"), ("yscale", "linear")):
            self.assertEqual(self.find(f"select[name={name}]").get_attribute("value"), value)
        self.assertEqual([box.is_selected() for box in self.all("input[name=rows]")], [True, False])

    def test_a_link_on_the_page_itself(self) -> None:
        self.open()
        self.js("location.hash = '#operation=sort'")
        self.wait(lambda: self.text("title").startswith("Sort"))

    def test_a_link_to_what_is_not_there(self) -> None:
        self.open("#operation=merge&mode=warm&rows=nobody&y=&folders=&x=kept&picture=%E0%A4%A")
        self.assertEqual(self.text("title"), "Exclusive scan: time of one call, against n")
        self.assertEqual(self.lines(), 4)


if __name__ == "__main__":
    main()
