"""The page of scripts/report.py in a browser without a window: Debian's chromium, chromium-driver and
python3-selenium. Skipped where these, or the packages that report.py installs, are missing."""
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import fabricated
from fabricated import LARGE, MIDDLE, SMALL, timed
from script_case import SCRIPTS, ScriptCase, results, row

from report import REQUIREMENTS
from study.report.data import report_data
from study.report.page import page
from study.results_files import write_text
from study.rows import is_power_of_two
from study.venv import is_in_venv

try:
    import jsonschema
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select, WebDriverWait
except ImportError:
    jsonschema = webdriver = None

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
MISSING = [what for what, is_here in (
    ("python3-jsonschema and python3-selenium", webdriver), ("chromium", CHROMIUM), ("chromium-driver", DRIVER),
    ("what scripts/report.py installs at its first call", is_in_venv(REQUIREMENTS))) if not is_here]
SECONDS = 20  # after which the page will not change any more
WIDTH, PHONE = 1200, 380
ATTACK = "</script><script>window.attacked=1</script><img src=x onerror='window.attacked=1'>"


def start_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--disable-dev-shm-usage", f"--window-size={WIDTH},1500"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # which root cannot have
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=webdriver.ChromeService(DRIVER) if hasattr(
        webdriver, "ChromeService") else webdriver.chrome.service.Service(DRIVER), options=options)


def library() -> str:
    """The one that scripts/report.py takes, from a page of its own: it needs seconds for that."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        subprocess.run([sys.executable, "-B", str(SCRIPTS / "report.py"), "--output", str(path)],
                       check=True, stdout=subprocess.DEVNULL)
        return path.read_text(encoding="utf-8").split("<script>")[1].split("</script>")[0]


def other_gpu() -> dict:
    """Everything takes twice as long, but cub."""
    data = fabricated.scan()
    data["machine"].update(gpu="NVIDIA A100", commit="e" * 40, cub="2.9.0")
    data["rows"] = [timed(one["algorithm"], one["n"], one["median_us"] * (
        1 if one["algorithm"] == "cub" else 2), copy_us=one["copy_us"], roof_us=one["roof_us"])
        for one in data["rows"]]
    return data


@unittest.skipIf(MISSING, f"needs {', '.join(MISSING)}")
class Page(ScriptCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.work = Path(temporary.name)
        cls.browser = start_browser()
        cls.addClassCleanup(cls.browser.quit)
        cls.files = fabricated.everything()
        cls.files["sort"]["rows"] += [fabricated.key("ours", 30, "zipf", MIDDLE),
                                      fabricated.key("cub", 60, "zipf", MIDDLE),
                                      fabricated.key("ours", 10, n=SMALL)]
        cls.files["scan"]["rows"] += [timed("ours", MIDDLE - 3, 19), timed("cub", MIDDLE - 3, 20)]
        cls.library = library()

    def path(self, name: str, *folders: dict) -> Path:
        """Made once for all tests. A folder is a dictionary of files."""
        path = self.work / f"{name}.html"
        if not path.exists():
            paths = [self.folder / f"{name}{i}" for i, _ in enumerate(folders)]
            for folder, files in zip(paths, folders):
                for experiment, data in files.items():
                    self.write_results(f"{folder.name}/{experiment}.json", data)
            write_text(path, page(report_data(paths), self.library))
        return path

    def open(self, fragment: str = "", path: Path = None) -> None:
        """Anew, without what a page before had."""
        self.browser.get("about:blank")
        self.browser.get(f"{(path or self.path('one', self.files)).as_uri()}{fragment}")
        self.wait()

    def open_two(self, fragment: str = "") -> None:
        self.open(fragment, self.path("two", self.files, {"scan": other_gpu()}))

    def tearDown(self) -> None:
        if self._testMethodName != "test_the_policy_holds":
            self.assertEqual(self.browser.get_log("browser"), [])
        super().tearDown()

    def wait(self, condition=lambda: True) -> None:
        """For the picture to be drawn, and the condition."""
        WebDriverWait(self.browser, SECONDS, 0.02).until(lambda _: self.js(
            "return document.getElementById('picture').ariaBusy === 'false'") and condition())

    def js(self, script: str, *arguments: object) -> object:
        return self.browser.execute_script(script, *arguments)

    def find(self, selector: str):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def text(self, name: str) -> str:
        return self.js("return document.getElementById(arguments[0]).textContent", name)

    def choose(self, name: str, value: str) -> None:
        Select(self.find(f"select[name={name}]")).select_by_value(value)
        self.wait()

    def toggle(self, name: str, value: str) -> None:
        self.find(f"input[name={name}][value={value}]").click()
        self.wait()

    def options(self, name: str) -> list[str]:
        return [one.get_attribute("value") for one in self.all(f"select[name={name}] option")]

    def is_shown(self, name: str) -> bool:
        return self.find(f"select[name={name}]").is_displayed()

    def lines(self) -> int:
        return len(self.all("#picture .mark-line > path"))

    def points(self) -> list[str]:
        """The first layer's symbols; the second one has the ring around what is looked at."""
        symbols = self.all("#picture .mark-symbol")
        return symbols[0].find_elements(By.TAG_NAME, "path") if symbols else []

    def copied(self) -> str:
        """What the button gives to the clipboard."""
        self.js("navigator.clipboard.writeText = text => { window.copied = text; }")
        self.find("#copy").click()
        self.wait(lambda: "copied" in self.text("copied"))
        return self.js("return window.copied")

    def table(self) -> list[dict]:
        return list(csv.DictReader(io.StringIO(self.copied(), newline="")))

    def values(self, column: str, **wanted: str) -> dict:
        """A column of the table by algorithm and n."""
        return {(line["algorithm"], int(line["n"])): float(line[column]) for line in self.table()
                if all(line[name] == value for name, value in wanted.items())}

    # What is there at first.

    def test_opens_with_the_times_of_the_first_operation(self) -> None:
        self.open()
        self.assertEqual(self.text("title"), "Exclusive scan: time of one call, against n")
        self.assertEqual(self.text("subtitle"),
                         "cold: the L2 cache is overwritten before each call · int32 · "
                         "keys: uniform50 · NVIDIA H200 · aaaaaaaaaa · CUB 3.0.1")
        self.assertEqual((self.lines(), len(self.points())), (4, 12))
        self.assertEqual(len(self.all("#picture .mark-area > path")), 4)

    def test_the_band_lies_between_the_quartiles(self) -> None:
        self.open(path=self.path("band", {"scan": results([
            timed("ours", n, 20, min_us=1, q1_us=10, q3_us=80) for n in (SMALL, LARGE)])}))
        band = self.find("#picture .mark-area > path").rect
        line = self.find("#picture .mark-line > path").rect  # at a third: 10 to 20, and to 80
        self.assertGreater(band["height"], 50)
        self.assertAlmostEqual(line["y"] - band["y"], band["height"] * 2 / 3, delta=3)

    def test_asks_nobody_for_anything(self) -> None:
        self.open()
        self.assertEqual(self.js("return performance.getEntriesByType('resource').length"), 0)

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
        # A ratio is taken inside a file.
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
                         "Sort: ours, times as fast as cub, against size and kind of keys")
        # uniform at 2^24, zipf at 2^20 and 2^24; at 2^20 there is one kind alone.
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

    # The value.

    def test_the_value_under_the_pointer(self) -> None:
        self.open("#rows=ours")
        ActionChains(self.browser).move_to_element_with_offset(self.points()[1], 3, 2).perform()
        self.wait(lambda: self.text("value"))
        self.assertEqual(self.text("value"),
                         "ours, n = 2²⁰: 20.0 µs (quartiles 19.8 µs to 20.2 µs)")
        self.wait(lambda: self.find("#vg-tooltip-element").is_displayed())
        self.assertIn("20.0 µs", self.find("#vg-tooltip-element").text)

    def test_by_keyboard(self) -> None:
        self.open()
        keys = ActionChains(self.browser)

        def press(key: str) -> str:
            keys.send_keys(key).perform()
            return self.text("value").split(" (")[0]
        focused, seen = "", []
        while focused != "picture" and len(seen) < 40:
            press(Keys.TAB)
            focused = self.js("const {id, name} = document.activeElement; return id || `choice of ${name}`")
            seen.append(focused)
        for name in ("operation", "mode", "y", "yscale"):
            self.assertIn(f"choice of {name}", seen)
        self.assertEqual(press(Keys.ARROW_RIGHT), "cpu, n = 2¹⁰: 1.00 µs")
        self.assertEqual(press(Keys.ARROW_RIGHT), "cpu, n = 2²⁰: 1.00 ms")
        self.assertEqual(press(Keys.ARROW_DOWN), "ours, n = 2²⁰: 20.0 µs")
        self.assertEqual(press(Keys.END), "ours, n = 2²⁴: 80.0 µs")
        self.assertEqual(press(Keys.ARROW_RIGHT), "ours, n = 2²⁴: 80.0 µs")
        self.assertEqual(press(Keys.HOME), "ours, n = 2¹⁰: 5.00 µs")
        self.assertEqual(press(Keys.ARROW_UP), "cpu, n = 2¹⁰: 1.00 µs")
        self.assertEqual(press(Keys.ARROW_UP), "cpu, n = 2¹⁰: 1.00 µs")
        ring = self.all("#picture .mark-symbol")[1].find_elements(By.TAG_NAME, "path")
        self.assertEqual([one.value_of_css_property("opacity") for one in ring].count("1"), 1)
        # A box, and a select, whose focus outlives the change.
        press(Keys.TAB)
        press(Keys.SPACE)
        self.wait()
        self.assertEqual(self.lines(), 3)
        self.js("document.querySelector('select[name=operation]').focus()")
        press(Keys.ARROW_DOWN)
        self.wait(lambda: self.text("title").startswith("Stream compaction"))
        self.assertEqual(self.js("return document.activeElement.name"), "operation")

    # The table.

    def test_the_table_is_what_is_copied(self) -> None:
        self.open("#rows=ours")
        self.find("#details summary").click()
        self.wait(lambda: self.all("#table td"))
        table = [[cell.text for cell in line.find_elements(By.CSS_SELECTOR, "th, td")]
                 for line in self.all("#table tr")]
        self.assertEqual(list(csv.reader(io.StringIO(self.copied(), newline=""))), table)
        self.assertEqual(dict(zip(table[0], table[2])), {
            "gpu": "NVIDIA H200", "commit": "a" * 40, "cub": "3.0.1", "operation": "scan",
            "algorithm": "ours", "mode": "cold", "n": str(MIDDLE), "distribution": "uniform50",
            "kept": "", "variant": "", "block_size": "", "items_per_thread": "",
            "median_us": "20", "q1_us": "19.8", "q3_us": "20.2", "samples": "10", "time_us": "20",
            "note": ""})

    def test_a_browser_that_does_not_copy(self) -> None:
        self.open("#rows=ours")
        self.js("navigator.clipboard.writeText = () => Promise.reject()")
        self.find("#copy").click()
        self.wait(lambda: self.find("#csv").is_displayed())
        self.assertTrue(self.js("return getSelection().toString()").startswith("gpu,commit,cub,"))

    # What it looks like.

    def test_light_and_dark(self) -> None:
        def paper() -> str:
            return self.find("body").value_of_css_property("background-color")
        dark, light = "rgba(22, 24, 27, 1)", "rgba(255, 255, 255, 1)"
        for system, chosen, expected in (("light", "system", light), ("dark", "system", dark),
                                         ("dark", "light", light), ("light", "dark", dark)):
            with self.subTest(f"{system}, {chosen}"):
                self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                    "features": [{"name": "prefers-color-scheme", "value": system}]})
                self.open(f"#rows=cpu&colours={chosen}")
                self.assertEqual(paper(), expected)
                line = self.find("#picture .mark-line > path").value_of_css_property("stroke")
                self.assertEqual(line, "rgb(232, 232, 232)" if expected == dark
                                 else "rgb(34, 34, 34)")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def test_on_a_phone_nothing_is_beyond_the_edge(self) -> None:
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": PHONE, "height": 800, "deviceScaleFactor": 2, "mobile": True})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})
        for fragment in ("", "#operation=sort&picture=heat-map", "#operation=compact&x=kept"):
            self.open(fragment)
            self.assertEqual(self.js("return document.documentElement.scrollWidth"), PHONE)
            picture = self.find("#picture svg").rect
            self.assertLessEqual(picture["x"] + picture["width"], PHONE)
            self.assertGreater(picture["width"], 0.9 * PHONE)

    # Somebody else's results.

    def test_what_files_say_is_text(self) -> None:
        names = [ATTACK, "__proto__", "constructor", "=HYPERLINK(\"x\")", 'a "quoted", one']
        rows = [row(algorithm=name, n=n, distribution=f"file:{ATTACK}", variant=ATTACK,
                    model=ATTACK) for name in names for n in (SMALL, LARGE)]
        data = results(rows, gpu=ATTACK, commit=f"-{ATTACK}", cub=ATTACK, driver=ATTACK,
                       host_cpu=ATTACK)
        bad = self.path("bad", {"scan": data}, {"scan": data})
        for fragment in ("", "#picture=heat-map", "#folders=bad0&folders=bad1&y=ratio",
                         f"#rows={ATTACK}"):
            self.open(fragment, bad)
            self.find("#details summary").click()
            self.find("#picture").send_keys(Keys.ARROW_RIGHT)
            ActionChains(self.browser).move_to_element(
                self.find("#picture .mark-symbol path, #picture .mark-rect path")).perform()
            self.wait(lambda: self.find("#vg-tooltip-element").is_displayed())
            self.assertIn(ATTACK, self.text("subtitle"))
            self.assertIn(ATTACK, self.find("#table").text)
            self.assertIn(ATTACK, self.find("#machines").text)
            self.assertIsNone(self.js("return window.attacked"))
            self.assertEqual(self.all("img, iframe, object, a[href]"), [])
        self.open("", bad)
        self.assertEqual([box.get_attribute("value") for box in self.all("input[name=rows]")], names)
        self.assertEqual(self.lines(), len(names))
        # A spreadsheet computes nothing.
        table = self.table()
        self.assertEqual([line["algorithm"] for line in table[::2]],
                         [*names[:3], "'" + names[3], names[4]])
        self.assertEqual(table[0]["commit"], f"'-{ATTACK}")

    def test_the_policy_holds(self) -> None:
        """Even what got into the page would not run, nor be fetched."""
        self.open()
        self.js("""const script = document.createElement('script');
                   script.textContent = 'window.attacked = 1';
                   document.body.append(script);
                   document.body.insertAdjacentHTML('beforeend', arguments[0]);""", ATTACK)
        WebDriverWait(self.browser, SECONDS).until(lambda _: self.find("img"))
        said = json.dumps(self.browser.get_log("browser"))
        self.assertIn("Content Security Policy", said)
        self.assertIsNone(self.js("return window.attacked"))


if __name__ == "__main__":
    if MISSING:
        print(f"skipped: needs {', '.join(MISSING)}")
        sys.exit(77)
    unittest.main()
