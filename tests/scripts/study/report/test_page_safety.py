"""The page of results in a browser: the content of files is shown as text, and nothing is fetched."""
import json

from browser_case import ActionChains, BrowserCase, Keys, main
from fabricated import LARGE, SMALL
from script_case import results, row

ATTACK = "</script><script>window.attacked=1</script><img src=x onerror='window.attacked=1'>"
MACHINE = "&lt;b&gt; onclick='window.attacked=1' \" x"  # the schema refuses < and > here


class Safety(BrowserCase):
    def test_asks_nobody_for_anything(self) -> None:
        self.open()
        self.assertEqual(self.js("return performance.getEntriesByType('resource').length"), 0)

    def test_what_files_say_is_text(self) -> None:
        names = [ATTACK, "__proto__", "constructor", "=HYPERLINK(\"x\")", 'a "quoted", one']
        rows = [row(algorithm=name, n=n, distribution=f"file:{ATTACK}", variant=ATTACK,
                    model=ATTACK) for name in names for n in (SMALL, LARGE)]
        data = results(rows, gpu=MACHINE, commit=f"-{MACHINE}", cub=MACHINE, driver=MACHINE,
                       host_cpu=MACHINE)
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
            self.assertIn(MACHINE, self.find("#machines").text)
            self.assertIsNone(self.js("return window.attacked"))
            self.assertEqual(self.all("img, iframe, object, a[href]"), [])
        self.open("", bad)
        self.assertEqual([box.get_attribute("value") for box in self.all("input[name=rows]")], names)
        self.assertEqual(self.lines(), len(names))
        # A spreadsheet must not evaluate it.
        table = self.table()
        self.assertEqual([line["algorithm"] for line in table[::2]],
                         [*names[:3], "'" + names[3], names[4]])
        self.assertEqual(table[0]["commit"], f"'-{MACHINE}")

    def test_the_policy_holds(self) -> None:
        """Even content that got into the page could not run or fetch anything."""
        self.expects_complaints = True
        self.open()
        self.js("""const script = document.createElement('script');
                   script.textContent = 'window.attacked = 1';
                   document.body.append(script);
                   document.body.insertAdjacentHTML('beforeend', arguments[0]);""", ATTACK)
        self.wait(lambda: self.all("img"))
        said = json.dumps(self.browser.get_log("browser"))
        self.assertIn("Content Security Policy", said)
        self.assertIsNone(self.js("return window.attacked"))


if __name__ == "__main__":
    main()
