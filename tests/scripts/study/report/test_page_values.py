"""The page of results in a browser: a value under the pointer or by keyboard, and the table."""
import csv
import io

from browser_case import ActionChains, BrowserCase, By, Keys, main
from fabricated import MIDDLE, timed
from script_case import results


class Values(BrowserCase):
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

    def test_the_table_says_which_rows_may_not_be_trusted(self) -> None:
        rows = [timed("ours", MIDDLE, 20, min_us=9.0, q1_us=10.0, q3_us=20.1, samples=4, throttled=True),
                timed("ours", MIDDLE * 2, 40, min_us=9.0, q1_us=30.0, q3_us=50.0, samples=5, unsteady_clock=True)]
        self.open("#rows=ours", self.path("doubtful", {"scan": results(rows, "scan")}))
        notes = [line[-1] for line in csv.reader(io.StringIO(self.copied(), newline=""))]
        self.assertEqual(notes, ["note", "throttled, unstable, few samples", "unsteady clock"])

    def test_a_browser_that_does_not_copy(self) -> None:
        self.open("#rows=ours")
        self.js("navigator.clipboard.writeText = () => Promise.reject()")
        self.find("#copy").click()
        self.wait(lambda: self.find("#csv").is_displayed())
        self.assertTrue(self.js("return getSelection().toString()").startswith("gpu,commit,cub,"))


if __name__ == "__main__":
    main()
