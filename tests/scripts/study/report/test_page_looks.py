"""The page of results in a browser: how the picture and the page look."""
from browser_case import BrowserCase, main
from fabricated import LARGE, SMALL, timed
from script_case import results

PHONE = 380


class Looks(BrowserCase):
    def test_the_band_lies_between_the_quartiles(self) -> None:
        self.open(path=self.path("band", {"scan": results([
            timed("ours", n, 20, min_us=1, q1_us=10, q3_us=80) for n in (SMALL, LARGE)])}))
        band = self.find("#picture .mark-area > path").rect
        line = self.find("#picture .mark-line > path").rect  # at a third: 10 to 20, and to 80
        self.assertGreater(band["height"], 50)
        self.assertAlmostEqual(line["y"] - band["y"], band["height"] * 2 / 3, delta=3)

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

    def test_labels_are_plain_words(self) -> None:
        self.open("#y=ratio")
        self.find("#unfolded summary").click()
        labels = self.js("return [...document.querySelectorAll('form label')].filter("
                         "one => one.offsetParent).map(one => one.firstChild.textContent.trim())")
        for name in ("Picture", "Operation", "Mode", "Y axis", "Speed-up over", "X scale", "Y scale", "Quartiles",
                     "Theme"):
            self.assertIn(name, labels)
        for name in ("As fast as", "Against", "Upwards", "Axis upwards", "Axis of n", "Colours"):
            self.assertNotIn(name, labels)
        self.assertEqual([one.get_attribute("textContent") for one in self.all("select[name=colours] option")],
                         ["System theme", "Light theme", "Dark theme"])

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


if __name__ == "__main__":
    main()
