"""What a test of the page of results starts from: the page of scripts/report.py in a browser without a window,
Debian's chromium, chromium-driver and python3-selenium. Skipped where these, or the packages that report.py
installs, are missing."""
import csv
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import fabricated
from fabricated import MIDDLE, SMALL, timed
from script_case import SCRIPTS, ScriptCase

from report import REQUIREMENTS
from study.report.data import report_data
from study.report.page import page
from study.results_files import write_text
from study.venv import is_in_venv

try:
    import jsonschema
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select, WebDriverWait
except ImportError:
    jsonschema = webdriver = ActionChains = By = Keys = None

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
MISSING = [what for what, is_here in (
    ("python3-jsonschema and python3-selenium", webdriver), ("chromium", CHROMIUM), ("chromium-driver", DRIVER),
    ("what scripts/report.py installs at its first call", is_in_venv(REQUIREMENTS))) if not is_here]
SECONDS = 20  # after which the page will not change any more
WIDTH = 1200


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
    """The wheel that scripts/report.py uses. A page of its own checks it, because that takes seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        subprocess.run([sys.executable, "-B", str(SCRIPTS / "report.py"), "--output", str(path)],
                       check=True, stdout=subprocess.DEVNULL)
        return path.read_text(encoding="utf-8").split("<script>")[1].split("</script>")[0]


def other_gpu() -> dict:
    """Everything takes twice as long, except cub."""
    data = fabricated.scan()
    data["machine"].update(gpu="NVIDIA A100", commit="e" * 40, cub="2.9.0")
    data["rows"] = [timed(one["algorithm"], one["n"], one["median_us"] * (
        1 if one["algorithm"] == "cub" else 2), copy_us=one["copy_us"], roof_us=one["roof_us"])
        for one in data["rows"]]
    return data


@unittest.skipIf(MISSING, f"needs {', '.join(MISSING)}")
class BrowserCase(ScriptCase):
    expects_complaints = False  # in the browser's log

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
        """Opens the page again, without the state of an earlier page."""
        self.browser.get("about:blank")
        self.browser.get(f"{(path or self.path('one', self.files)).as_uri()}{fragment}")
        self.wait()

    def open_two(self, fragment: str = "") -> None:
        self.open(fragment, self.path("two", self.files, {"scan": other_gpu()}))

    def tearDown(self) -> None:
        if not self.expects_complaints:
            self.assertEqual(self.browser.get_log("browser"), [])
        super().tearDown()

    def wait(self, condition=lambda: True) -> None:
        """Waits until the picture is drawn and the condition holds."""
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
        """The first layer's symbols; the second layer has the ring around the current point."""
        symbols = self.all("#picture .mark-symbol")
        return symbols[0].find_elements(By.TAG_NAME, "path") if symbols else []

    def copied(self) -> str:
        """The text that the button copies to the clipboard."""
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


def main() -> None:
    if MISSING:
        print(f"skipped: needs {', '.join(MISSING)}")
        sys.exit(77)
    unittest.main()
