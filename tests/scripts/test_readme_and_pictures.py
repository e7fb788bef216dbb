"""README, the pages of results and their pictures: written, and detected when out of date."""
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from unittest import mock

import fabricated
from derived_case import OUTPUT, README, Derived
from script_case import SCRIPTS

from study.command_line import ExitCode, ScriptError
from study.pictures.drawing import Drawing
from study.pictures.gallery import pictures
from study.pictures.seal import sealed
from study.readme_tables import BLOCKS
from study.results_files import default_folder, images_of
from study.results_page import SECTIONS, page
from update_readme import README_BLOCKS

try:
    import matplotlib
except ImportError:
    matplotlib = None

REPOSITORY = SCRIPTS.parent

class Readme(Derived):
    """README names our algorithms, so the fabricated 'ours' has their names here."""

    def setUp(self) -> None:
        super().setUp()
        for path in self.results.glob("*.json"):
            sorts = path.stem in ("sort", "models")
            path.write_text(path.read_text().replace(
                '"ours"', '"hybrid_radix"' if sorts else '"single_pass"'))

    def printed(self, names: str) -> str:
        return self.script("update_readme.py", "--results", self.results, "--print", names).stdout

    def update(self, *more: object, code: int = 0) -> str:
        return self.script("update_readme.py", "--readme", self.folder / "README.md", "--results",
                           self.results, *more, code=code).stdout

    def written(self) -> Path:
        path = self.write("README.md", README)
        self.write("results/output.txt", OUTPUT)
        self.update()
        return path

    def test_blocks_are_filled_and_the_rest_is_left(self):
        path = self.write("README.md", README)
        said = self.update("--check", code=1)
        for name in README_BLOCKS:
            self.assertIn(f"README.md: {name} is not what", said)
        self.assertIn("results/README.md: it is not what", said)
        self.assertIn("run scripts/update_readme.py", said)
        self.assertEqual(path.read_text(), README)
        self.assertFalse((self.results / "README.md").exists())
        self.assertIn(f"{len(README_BLOCKS) + 1} written", self.update())
        text = path.read_text()
        self.assertIn("| Scan: `single_pass` | H200 | – | – | 20.0 µs, 1.00× | 80.0 µs, 1.25× | – |",
                      text)
        self.assertEqual(re.sub(r"(<!-- gen.*?-->).*?(<!-- end)", r"\1\nold\n\2", text,
                                flags=re.DOTALL), README)
        self.assertEqual(self.update("--check"), "everything is up to date\n")
        self.assertIn("0 written", self.update())

    def test_check_finds_every_change_of_a_number(self):
        path = self.written()
        text = path.read_text()
        numbers = [match for block in re.finditer(r"<!-- generated.*?<!-- end", text, re.DOTALL)
                   for match in re.finditer(r"\d+", block[0])]
        self.assertGreater(len(numbers), 30)
        for block in re.finditer(r"<!-- generated.*?<!-- end", text, re.DOTALL):
            matches = list(re.finditer(r"\d+", block[0]))
            if not matches:  # not measured
                continue
            match = matches[-1]
            at = block.start() + match.start()
            path.write_text(text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1:])
            self.assertIn("is not what", self.update("--check", code=1))

    def test_check_finds_blocks_that_are_gone(self):
        path = self.written()
        text = path.read_text()
        block = re.search(r"<!-- generated: overview.*?<!-- end generated -->\n", text,
                          re.DOTALL)[0]
        for broken in (text.replace(block, ""), text.replace(block, block + block),
                       text.replace("<!-- generated: overview -->\n", ""),
                       text.replace("<!-- generated: overview -->", "<!-- made: x -->"),
                       text.replace(block, block.replace("<!-- end generated -->", "")),
                       re.sub("<!-- .*? -->\n", "", text),
                       text.replace("overview", "overview-merge"),
                       text.replace("overview", "times-sort"),
                       text + "<!-- end generated -->\n"):
            path.write_text(broken)
            for more in ((), ("--check",)):
                said = self.error("update_readme.py", "--readme", path, "--results", self.results,
                                  *more, code=2)
                self.assertIn("README.md has", said)
            self.assertEqual(path.read_text(), broken)

    def test_check_finds_measured_figures_in_prose(self):
        path = self.written()
        path.write_text(path.read_text().replace("The end.", "It takes 12 µs."))
        for more in ((), ("--check",)):
            self.assertIn("README.md: line", self.update(*more, code=1))
        self.assertIn("no script can check '12 µs'", self.update("--check", code=1))

    def test_check_finds_changed_results(self):
        self.written()
        self.change("scan", median_us=50.0, min_us=50.0, q1_us=50.0, q3_us=50.0)
        said = self.update("--check", code=1)
        self.assertIn("overview is not", said)
        self.assertNotIn("output is not", said)
        self.assertIn("results/README.md: it is not", said)
        self.assertIn("3 written", self.update())
        self.update("--check")

    def test_the_harness_in_ten_lines(self):
        text = self.written().read_text()
        self.assertIn("""<!-- generated: output -->
```
$ scripts/run
A GPU, n = 8

==== cub scan, power-of-two ====
   elapsed time: 5ms
    passed
...
summary: 6 passed
```
<!-- end generated -->""", text)

    def test_what_is_not_measured_is_told(self):
        path = self.write("README.md", README)
        (self.results / "scan.json").unlink()
        self.update()
        self.assertIn("<!-- generated: output -->\n*Not measured yet.*\n", path.read_text())
        self.assertIn("<!-- generated: headline -->\n*Not measured yet: scan.*\n", path.read_text())
        self.assertIn("*Not measured yet: scan.*", (self.results / "README.md").read_text())

    def test_every_block_can_be_printed(self):
        said = self.printed("all")
        for name in BLOCKS:
            self.assertIn(f"<!-- generated: {name} -->", said)
        one = self.printed("times-sort")
        self.assertTrue(one.startswith("<!-- generated: times-sort -->\n| Sort |"))
        self.assertEqual(one.count("<!-- generated"), 1)
        self.assertFalse((self.results / "README.md").exists())

    def test_another_gpus_page_leaves_readme_alone(self):
        before = (REPOSITORY / "README.md").read_bytes()
        self.script("update_readme.py", "--results", self.results)
        self.assertTrue((self.results / "README.md").exists())
        self.assertEqual((REPOSITORY / "README.md").read_bytes(), before)

    def test_errors(self):
        script = ["update_readme.py", "--results", self.results]
        self.assertIn("cannot be read", self.error(*script, "--readme", self.folder / "none.md",
                                                   code=4))
        self.assertIn("allowed are all, machine", self.error(*script, "--print", "weather", code=2))
        (self.folder / "latin.md").write_bytes(b"\xff")
        page = self.results / "README.md"
        page.write_text(README, encoding="utf-8")
        (self.folder / "link.md").symlink_to(page)
        inputs = [self.write(f"results/{name}", README) for name in ("analysis.md", "output.txt")]
        for path in (page, self.folder / "link.md", *inputs):
            self.assertIn(f"--readme: given '{path}', expected another file than the page",
                          self.error(*script, "--readme", path, code=2))
            self.assertEqual(path.read_text(encoding="utf-8"), README)
        for path in inputs:
            path.unlink()
        self.assertIn("is not UTF-8", self.error(*script, "--readme", self.folder / "latin.md",
                                                code=4))
        self.write("results/scan.json", "[]")
        self.assertIn("[] is not of type", self.error(*script, code=4))
        for more in ((), ("--print", "all")):
            said = self.error("update_readme.py", "--results", self.folder / "none", *more, code=4)
            self.assertIn("not a folder of results", said)
        (self.folder / "empty").mkdir()
        self.assertIn("has no results", self.error("update_readme.py", "--results",
                                                   self.folder / "empty", code=4))

    def test_a_project_without_results(self):
        said = self.script("update_readme.py", "--readme", self.write("a.md", README),
                           "--results", self.folder / "none", code=4)
        self.assertIn("not a folder of results", said.stderr)
        self.assertEqual((self.folder / "a.md").read_text().count("*Not measured yet.*"),
                         len(README_BLOCKS))


class Page(Derived):
    def page(self, analysis: str = "") -> str:
        if analysis:
            self.write("results/analysis.md", analysis)
        return page(self.results)

    def test_every_section_with_its_tables(self):
        text = self.page()
        headings = [section.heading for section in SECTIONS]
        self.assertEqual(re.findall("^## (.*)$", text, re.MULTILINE), headings[1:])
        self.assertEqual(re.findall("^## (.*)$", self.page("## Findings\n\nOne.\n"), re.MULTILINE),
                         headings)
        self.assertTrue(text.startswith("<!-- Written by scripts/update_readme.py"))
        self.assertIn("\n# Measured on an NVIDIA H200\n", text)
        self.assertIn("\n![Exclusive scan: time, speed-up and roof](img/scan.svg)\n\n*X axis: number of "
                      "elements. Y axis: time of one call (dashed: on the CPU; dotted: the roof, from 2²⁴), ", text)
        self.assertIn(" at 80 % of the roof.*\n", text)
        self.assertIn("| `ours` | 5.00 µs | 20.0 µs | 80.0 µs |", text)
        self.assertNotIn("power_of_two.svg", text)  # there is nothing to draw
        self.assertNotIn("The harness", text)

    def test_all_blocks_and_pictures_have_a_section(self):
        blocks = {name for section in SECTIONS for name in section.blocks}
        self.assertEqual(set(BLOCKS), blocks)
        shown = {name for section in SECTIONS for name in section.pictures}
        self.assertLessEqual({path.stem for path in (REPOSITORY / "img").glob("*.svg")},
                             shown | {"speedup"})
        results = fabricated.everything()
        results["scan"]["rows"] += [fabricated.timed("ours", (1 << 24) - 3, 120),
                                    fabricated.timed("ours", 1 << 10, 2, mode="graph")]
        results["block_size"]["rows"] += fabricated.plain_tunings()
        self.assertEqual({picture.name for picture in pictures(results)}, shown)

    def test_without_its_file_there_is_no_section_of_several_gpus(self):
        (self.results / "distributed.json").unlink()
        self.assertNotIn("Several GPUs", self.page())
        text = self.page("## Several GPUs\n\nOne has one.\n")
        self.assertTrue(text.endswith("## Several GPUs\n\n*Not measured yet: distributed.*\n\nOne has one.\n"))

    def test_a_long_table_is_folded(self):
        text = self.page("## Every kernel\n\nSaid.\n")
        start = text.index("## Every kernel\n\n<details><summary>The table</summary>\n\n|")
        end = text.index("\n\n</details>\n\nSaid.\n\n## ")
        self.assertLess(start, end)
        self.assertEqual(text.count("<details>"), 1)
        self.assertEqual(text.count("</details>"), 1)

    def test_the_analysis_stands_in_its_sections(self):
        text = self.page("## Sort\n\nIt is {cub sort ours 2^24} times as fast.\n\n"
                         "## Scan\nOne.\n")
        scan, sort = text.index("\n\nOne.\n\n## "), text.index("\n\nIt is 2.00 times as fast.\n\n")
        self.assertLess(text.index("## Scan"), scan)
        self.assertLess(scan, text.index("## Stream compaction"))
        self.assertLess(text.index("## Sort\n"), sort)
        self.assertLess(sort, text.index("## Kinds of keys"))

    def test_the_harness_output_is_linked_and_not_printed_again(self):
        self.write("results/output.txt", OUTPUT)
        text = self.page()
        self.assertTrue(text.endswith(
            "\n\n## The harness\n\n[output.txt](output.txt) is all that this command printed:\n\n"
            "```\n$ scripts/run\n```\n"))

    def test_an_analysis_that_is_wrong(self):
        for text, said in (("Words.\n## Scan\nOne.\n", "a text before the first heading"),
                           ("## Weather\nOne.\n", "given '## Weather', allowed are Findings, Measurements,"),
                           ("## Scan\nOne.\n## Scan\nTwo.\n", "a heading is there twice"),
                           ("## Scan\nIt takes 5 µs.\n", "line 2: no script can check '5 µs'"),
                           ("## Scan\n{time scan ours 2^3}\n", "analysis.md:2: {time scan ours")):
            with self.subTest(said), self.assertRaises(ScriptError) as raised:
                self.page(text)
            self.assertIn(said, str(raised.exception))
            self.assertEqual(raised.exception.code, ExitCode.USAGE)

    def test_pictures_lie_beside_the_results_but_for_readmes(self):
        self.assertEqual(images_of(self.results), self.results / "img")
        self.assertEqual(images_of(default_folder()), REPOSITORY / "img")
        self.assertEqual(default_folder(), REPOSITORY / "results/h200")


class Documents(unittest.TestCase):
    """The published files of this checkout."""

    def documents(self) -> list:
        return [path for path in REPOSITORY.rglob("*.md") if not any(
            part.startswith((".", "build")) for part in path.relative_to(REPOSITORY).parts)]

    @staticmethod
    def anchors(text: str) -> set:
        return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
                for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}

    def test_links_lead_somewhere(self):
        self.assertGreater(len(self.documents()), 8)
        for path in self.documents():
            for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
                if link.startswith("https://"):
                    continue
                name, _, anchor = link.partition("#")
                target = path.parent / name if name else path
                with self.subTest(path=path.name, link=link):
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor, self.anchors(target.read_text(encoding="utf-8")))

    def test_readme_is_read_in_three_minutes(self):
        text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
        self.assertLessEqual(len(text.splitlines()), 200)


@unittest.skipUnless(matplotlib, "needs matplotlib")
class Pictures(Derived):
    def plot(self, *more: object, code: int = 0) -> str:
        return self.script("plot_performance.py", "--results", self.results, "--output",
                           self.images, *more, code=code).stdout

    def test_valid_svg_that_is_the_same_every_time(self):
        names = "scan,phases,kept,keys"
        self.plot("--only", names)
        first = {path.name: path.read_bytes() for path in self.images.iterdir()}
        self.assertEqual(set(first), {f"{name}.svg" for name in names.split(",")})
        for text in first.values():
            self.assertEqual(ElementTree.fromstring(text).tag, "{http://www.w3.org/2000/svg}svg")
        self.plot("--only", names)
        self.assertEqual({path.name: path.read_bytes() for path in self.images.iterdir()}, first)

    def test_check_finds_what_is_missing_and_what_is_old(self):
        said = self.plot("--check", "--only", "scan", code=1)
        self.assertIn("scan.svg is missing", said)
        self.assertIn("draw them with", said)
        self.plot("--only", "scan,host")
        self.assertEqual(self.plot("--check", "--only", "scan"), "1 picture up to date\n")
        self.change("scan", median_us=81.0, q3_us=82.0)
        said = self.plot("--check", code=1)
        self.assertIn("scan.svg does not show the current results", said)
        self.assertNotIn("host.svg", said)

    def test_check_finds_what_was_edited(self):
        self.plot("--only", "host")
        path = self.images / "host.svg"
        whole = path.read_bytes()
        other = whole.replace(b"d=\"M0", b"d=\"M1", 1)
        digest = whole.rindex(b" -->")
        for broken in (b"", whole[:-1], whole[:len(whole) // 2], whole[:300], whole + b"x", other,
                       whole[:digest - 64] + b"0" * 64 + whole[digest:],
                       whole.replace(b"<!-- digest", b"<!--  digest"),
                       b"\n".join(whole.splitlines()[:-1]) + b"\n", b"\xff"):
            self.assertNotEqual(broken, whole)
            path.write_bytes(broken)
            said = self.plot("--check", "--only", "host", code=1)
            self.assertIn("host.svg is not as it was drawn", said)
        path.write_bytes(whole)
        self.plot("--check", "--only", "host")

    def test_check_compares_the_whole_digest(self):
        self.plot("--only", "host")
        path = self.images / "host.svg"
        body = path.read_bytes().rpartition(b"<!-- digest")[0]
        shown = re.search(b"digest of what is shown: ([0-9a-f]{64})", body)
        for at in (shown.start(1), shown.end(1) - 1):
            other = body[:at] + (b"0" if body[at:at + 1] != b"0" else b"1") + body[at + 1:]
            path.write_bytes(sealed(other))
            said = self.plot("--check", "--only", "host", code=1)
            self.assertIn("host.svg does not show the current results", said)

    def test_check_finds_pictures_that_nobody_drew(self):
        for path in self.results.iterdir():
            if path.stem not in ("host", "sort"):
                path.unlink()
        self.plot()
        self.plot("--check")
        self.write("img/notes.txt", "")
        self.plot("--check")
        path = self.write("img/old.svg", "<svg/>")
        self.assertIn("old.svg is none of the results' pictures", self.plot("--check", code=1))
        self.plot("--check", "--only", "host")
        path.unlink()
        (self.results / "host.json").unlink()
        self.assertIn("host.svg is none", self.plot("--check", code=1))

    def test_every_picture_can_be_drawn(self):
        lines = self.script("plot_performance.py", "--results", self.results,
                            "--list").stdout.splitlines()
        names = [line.split(".svg")[0] for line in lines]
        self.assertIn("bytes_moved", names)
        self.assertTrue(any(line.startswith("host.svg: X axis: number of elements. Y axis: ") for line in lines))
        self.assertFalse(self.images.exists())
        self.assertIn(f"{len(names)} pictures in {self.images}", self.plot())
        self.assertEqual({path.stem for path in self.images.iterdir()}, set(names))

    def test_png_to_look_at(self):
        self.plot("--only", "host", "--format", "png")
        self.assertEqual([path.name for path in self.images.iterdir()], ["host.png"])
        self.assertTrue((self.images / "host.png").read_bytes().startswith(b"\x89PNG"))

    def test_they_are_drawn_beside_the_results(self):
        self.script("plot_performance.py", "--results", self.results, "--only", "host")
        self.assertEqual([path.name for path in (self.results / "img").iterdir()], ["host.svg"])
        self.script("plot_performance.py", "--results", self.results, "--only", "host", "--check")

    def test_errors(self):
        script = ["plot_performance.py", "--results", self.results]
        self.assertIn("allowed are scan,", self.error(*script, "--only", "weather", code=2))
        self.assertIn("not a folder", self.error("plot_performance.py", "--results",
                                              self.folder / "none", code=4))
        (self.folder / "empty").mkdir()
        self.assertIn("no results to draw", self.error(
            "plot_performance.py", "--results", self.folder / "empty", code=4))
        file = self.write("a file", "")
        said = self.script(*script, "--only", "phases", "--output", file / "img", code=4).stderr
        self.assertIn("cannot be written", said.splitlines()[-1])

    def test_without_matplotlib_it_says_so(self):
        with mock.patch.dict(sys.modules, {"matplotlib": None}):
            with self.assertRaisesRegex(ScriptError, "drawing needs matplotlib") as raised:
                Drawing()
        self.assertEqual(raised.exception.code, ExitCode.USAGE)


if __name__ == "__main__":
    unittest.main()
