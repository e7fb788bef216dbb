"""The data and the HTML of scripts/report.py; study/report/ looks at the page in a browser."""
import contextlib
import io
import json
import os
import re
import unittest
from pathlib import Path
from unittest import mock

import fabricated
from script_case import ScriptCase, results, row

import report
from study import results_files, venv
from study.command_line import ExitCode, ScriptError
from study.report.data import ROW, report_data
from study.report.page import PARTS, SCRIPTS, digest, inside_element, inside_script, page
from study.results_files import SCHEMA

try:
    import jsonschema
except ImportError:
    jsonschema = None


@unittest.skipUnless(jsonschema, "needs python3-jsonschema")
class Data(ScriptCase):
    def add(self, folder: str, *files: dict) -> Path:
        for data in files:
            self.write_results(f"{folder}/{data['experiment']}.json", data)
        return self.folder / folder

    def data(self, *folders: Path) -> tuple[dict, str]:
        """The page's data, and the text on stderr."""
        with contextlib.redirect_stderr(io.StringIO()) as said:
            made = report_data(folders)
        return made, said.getvalue()

    def test_rows_are_those_of_the_files(self) -> None:
        files = fabricated.everything()
        made, said = self.data(self.add("h200", *files.values()))
        self.assertEqual(said, "")
        self.assertEqual([file["experiment"] for file in made["files"]],
                         ["block_size", "compact", "host", "models", "scan", "sort", "variants"])
        self.assertEqual(made["fields"], ["file", *ROW])
        rows = [dict(zip(made["fields"], values)) for values in made["rows"]]
        for i, file in enumerate(made["files"]):
            expected = [{name: old.get(name) for name in ROW}
                        for old in files[file["experiment"]]["rows"]]
            self.assertEqual([{name: one[name] for name in ROW} for one in rows
                              if one["file"] == i], expected)

    def test_a_file_says_what_it_was_measured_on(self) -> None:
        paced = dict(results([row()], gpu="NVIDIA A100", cub="3.2.0"), protocol={
            "pace": "brisk", "min_samples": 10, "min_seconds": 0.1, "max_seconds": 5})
        made, _ = self.data(self.add("a100", paced))
        self.assertEqual(made["files"], [{
            "folder": "a100", "experiment": "scan", "gpu": "NVIDIA A100", "driver": "580.00",
            "cuda": "13.0", "cub": "3.2.0", "host_cpu": "a CPU", "commit": "0123456789abcdef",
            "date": "2026-11-20", "pace": "brisk", "wrong": 0}])

    def test_wrong_results_are_counted_and_left_out(self) -> None:
        made, _ = self.data(self.add("a", results([row(), row(n=8, verified=False)])))
        self.assertEqual((len(made["rows"]), made["files"][0]["wrong"]), (1, 1))

    def test_rows_have_the_order_of_the_pictures(self) -> None:
        made, _ = self.data(
            self.add("a", results([row(algorithm="late"), row(algorithm="cub")], "block_size"),
                     results([row(), row(algorithm="naive")], "scan")),
            self.add("b", results([row(algorithm="new")], "mine")))
        self.assertEqual(made["algorithms"], ["cub", "naive", "late", "new"])

    def test_folders_of_one_name_are_told_apart(self) -> None:
        made, _ = self.data(*(self.add(f"{one}/h200", results([row()])) for one in "abc"))
        self.assertEqual([file["folder"] for file in made["files"]],
                         ["h200", "h200-2", "h200-3"])

    def assert_left_out(self, folder: Path, reason: str) -> None:
        made, said = self.data(self.add("good", results([row()])), folder)
        self.assertEqual([file["folder"] for file in made["files"]], ["good"])
        self.assertEqual(said.count("\n"), 1, said)
        self.assertTrue(said.startswith("left out: "), said)
        self.assertIn(reason, said)

    def test_what_does_not_fit_is_left_out_with_one_line(self) -> None:
        table = [
            (results([row(mode="warm")]), "rows/0/mode: 'warm' is not one of"),
            (results([row(distribution="<img src=x>")]), "rows/0/distribution"),
            (results([row(energy_j=1)]), "'energy_j' was unexpected"),
            (results([row(samples=0)]), "rows/0/samples"),
            (results([dict(row(), median_us="1")]), "rows/0/median_us: '1' is not of type 'number'"),
            (results([row()], date="<script>"), "machine/date"),
            (results([row()], cub=None), "machine/cub"),
        ]
        for i, (data, reason) in enumerate(table):
            with self.subTest(reason):
                self.assert_left_out(self.add(f"bad{i}", data), reason)
        self.write("broken/scan.json", "{")
        self.assert_left_out(self.folder / "broken", "is not valid JSON")
        self.assert_left_out(self.folder / "nowhere", "not a folder of results")

    def test_one_bad_file_leaves_out_its_folder(self) -> None:
        self.assert_left_out(self.add("half", results([row()], "scan"),
                                      results([row(mode="warm")], "sort")), "sort.json is not a results file")

    def test_what_has_no_times_is_left_out(self) -> None:
        self.assert_left_out(self.add("empty", results([])), "no measured times")
        self.assert_left_out(self.add("wrong", results([row(verified=False)])), "no measured times")
        self.assert_left_out(self.add("profiled", fabricated.profile()), "no measured times")

    def test_a_line_stays_one(self) -> None:
        self.assert_left_out(self.add("long", results([row(**{"a\n\x1b[31m" * 400: 1})])), "rows/0")
        self.write_results("named/a\nleft out: \x1b]0;.json", {})
        self.assert_left_out(self.folder / "named", "a\\nleft out: \\x1b]0;.json is not a results file")

    def test_without_any_results_there_is_no_page(self) -> None:
        with self.assertRaises(ScriptError) as raised:
            self.data(self.folder / "nowhere")
        self.assertEqual(raised.exception.code, ExitCode.FILES)


class Page(unittest.TestCase):
    DATA = {"files": [{"gpu": "</script><script>alert(1)</script><!--"}], "rows": [["$style"]]}

    def parts(self, html: str, kind: str) -> list[str]:
        return re.findall(rf"<script{kind}>(.*?)</script>", html, flags=re.DOTALL)

    def test_data_come_back_as_they_were_and_end_nothing(self) -> None:
        html = page(self.DATA, "library()")
        found, = self.parts(html, ' type="application/json" id="data"')
        self.assertEqual(json.loads(found), self.DATA)
        self.assertNotIn("<", found)
        self.assertNotIn("<script>alert", html)

    def test_the_policy_allows_the_pages_scripts_alone(self) -> None:
        html = page(self.DATA, "library('</SCRIPT>')")
        scripts = self.parts(html, "")
        self.assertEqual(len(scripts), 1 + len(SCRIPTS))
        self.assertEqual(scripts[0], "library('<\\/SCRIPT>')")
        policy = re.search(r'Content-Security-Policy"\s+content="([^"]*)"', html)[1]
        self.assertIn(f"default-src 'none'; script-src {' '.join(map(digest, scripts))};", policy)
        self.assertNotIn("unsafe", policy.split("script-src")[1].split(";")[0])

    def test_a_digest_is_what_a_browser_computes(self) -> None:
        # The example in the W3C's recommendation.
        self.assertEqual(digest("alert('Hello, world.');"),
                         "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='")

    def test_nothing_is_taken_from_elsewhere(self) -> None:
        html = page({}, "")
        for attribute in ("src=", "href=", "@import", "url("):
            self.assertNotIn(attribute, html)

    def test_what_would_end_an_element(self) -> None:
        self.assertEqual(inside_script("</script </Script> </b>"), "<\\/script <\\/Script> </b>")
        self.assertEqual(json.loads(inside_element('"</script>"')), "</script>")


class Venv(ScriptCase):
    def setUp(self) -> None:
        super().setUp()
        self.says("")
        for target, name, stand_in in (
                (venv, "VENV", self.folder / ".venv"), (venv.sys, "path", [str(self.folder / "here")]),
                (venv.sys, "argv", ["report.py", "--output", "a b"]),
                (venv.sys, "executable", str(self.folder / "python")),
                (venv.os, "execv", mock.Mock())):
            patch = mock.patch.object(target, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)

    def says(self, text: str, redirection: str = "", code: int = 0) -> None:
        """A replacement of Python, also in the venv."""
        self.write("python", f"""#!/bin/sh
cd '{self.folder}'
echo "$0 $*" >> calls
mkdir -p .venv/bin && cp python .venv/bin/
printf '%s' '{text}' {redirection}
exit {code}
""").chmod(0o755)

    def calls(self) -> list[str]:
        path = self.folder / "calls"
        return path.read_text().replace(str(self.folder), "").splitlines() if path.exists() else []

    def add_package(self, where: str, version: str) -> None:
        self.write(f"{where}/thing-{version}.dist-info/METADATA",
                   f"Metadata-Version: 2.1\nName: thing\nVersion: {version}\n")

    def go_on(self) -> str:
        with contextlib.redirect_stderr(io.StringIO()) as said:
            venv.go_on_with(["thing==1.2"])
        return said.getvalue()

    def assert_begins_anew(self) -> None:
        python = str(self.folder / ".venv/bin/python")
        venv.os.execv.assert_called_once_with(python, [python, "report.py", "--output", "a b"])

    def test_goes_on_where_all_is_there(self) -> None:
        self.add_package("here", "1.2")
        self.assertEqual(self.go_on(), "")
        self.assertEqual(self.calls(), [])
        venv.os.execv.assert_not_called()

    def test_begins_anew_where_it_is_in_the_venv(self) -> None:
        self.add_package("here", "1.1")
        self.add_package(".venv/lib/python3.99/site-packages", "1.2")
        self.assertEqual(self.go_on(), "")
        self.assertEqual(self.calls(), [])
        self.assert_begins_anew()

    def test_installs_what_is_missing(self) -> None:
        self.add_package(".venv/lib/python3.99/site-packages", "1.1")
        self.assertEqual(self.go_on(), "installing from PyPI, into .venv, thing==1.2\n")
        self.assertEqual(self.calls(), [
            "/python -m venv /.venv",
            "/.venv/bin/python -m pip install --quiet --disable-pip-version-check thing==1.2"])
        self.assert_begins_anew()

    def test_a_venv_of_two_pythons_is_not_entered_for_ever(self) -> None:
        self.add_package(".venv/lib/python3.99/site-packages", "1.2")
        with mock.patch.object(venv.sys, "prefix", str(self.folder / ".venv")):
            self.assertIn("installing", self.go_on())

    def test_what_cannot_be_installed_is_told_in_one_line(self) -> None:
        failed = "^'python -m venv' failed: "
        self.says("much\nmore\nmost\nNo matching distribution\n", ">&2", code=1)
        with self.assertRaisesRegex(ScriptError, f"{failed}No matching distribution$"):
            self.go_on()
        self.says("", code=3)
        with self.assertRaisesRegex(ScriptError, f"{failed}nothing$"):
            self.go_on()
        self.says("ensurepip is not available.\n\nFailing command: python3\n", code=1)
        with self.assertRaisesRegex(ScriptError, f"{failed}Failing command: python3; install "
                                    "python3-venv$") as raised:
            self.go_on()
        self.assertEqual(raised.exception.code, ExitCode.FILES)
        venv.os.execv.assert_not_called()

    def test_a_venv_that_cannot_be_started_is_told_in_one_line(self) -> None:
        self.add_package(".venv/lib/python3.99/site-packages", "1.2")
        venv.os.execv.side_effect = PermissionError(13, "Permission denied")
        with self.assertRaisesRegex(ScriptError, "bin/python cannot be started: Permission denied"):
            self.go_on()


@unittest.skipUnless(jsonschema, "needs python3-jsonschema")
class Main(ScriptCase):
    def run_main(self, *arguments: object) -> str:
        with mock.patch.object(report, "go_on_with") as goes_on, \
                mock.patch.object(report, "vega", return_value="library()"), \
                contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(report.main(list(map(str, arguments))), ExitCode.RIGHT)
        goes_on.assert_called_once_with(report.REQUIREMENTS)
        return said.getvalue()

    def test_writes_the_page(self) -> None:
        self.write_results("a/scan.json", results([row()]))
        path = self.folder / "new/page.html"
        self.assertEqual(self.run_main(self.folder / "a", "--output", path), f"{path}: 0.0 MB\n")
        self.assertIn("library()", path.read_text(encoding="utf-8"))

    def test_inputs_are_not_overwritten(self) -> None:
        """Neither the results nor the project's files that the page is made from."""
        of_results = self.write_results("a/scan.json", results([row()]))
        for path in (of_results, SCHEMA, *PARTS.glob("*.css"), *PARTS.glob("*.html"), *PARTS.glob("*.js")):
            older = path.read_bytes()
            with mock.patch.object(report, "go_on_with"), \
                    mock.patch.object(report, "vega", return_value=""), \
                    mock.patch.object(results_files.os, "replace", side_effect=OSError(1, "replaced")), \
                    self.assertRaisesRegex(ScriptError, "--output: given .* than the inputs") as raised:
                report.main([str(of_results.parent), "--output", str(path)])
            self.assertEqual(raised.exception.code, ExitCode.USAGE)
            self.assertEqual(path.read_bytes(), older)

    def test_takes_all_results_where_none_are_named(self) -> None:
        self.write_results("a/scan.json", results([row()], gpu="the GPU of a"))
        self.write_results("b/scan.json", results([row()], gpu="the GPU of b"))
        with mock.patch.object(report, "folders", lambda: [self.folder / "a", self.folder / "b"]):
            self.run_main("--output", self.folder / "page.html")
        html = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertIn("the GPU of a", html)
        self.assertIn("the GPU of b", html)

    def test_what_ends_the_library_is_told(self) -> None:
        python = self.write("python", "")
        python.chmod(0o755)
        for statement, why in (("kill -TRAP $$", "signal 5"), ("echo a >&2; echo b >&2; exit 1", "b"),
                               ("exit 1", "no output")):
            python.write_text(f"#!/bin/sh\n{statement}\n", encoding="utf-8")
            with mock.patch.object(report.sys, "executable", str(python)), self.assertRaisesRegex(
                    ScriptError, f"vl-convert failed .*: {why}$") as raised:
                report.vega()
            self.assertEqual(raised.exception.code, ExitCode.FILES)
        python.write_text("#!/bin/sh\necho 'library()'\n", encoding="utf-8")
        with mock.patch.object(report.sys, "executable", str(python)):
            self.assertEqual(report.vega(), "(() => {\nlibrary()\n\n})();")

    def test_the_locale_does_not_matter(self) -> None:
        self.write("vl_convert.py", "def javascript_bundle(): return '\\u2026 \\xb5'")
        for encoding in ("latin-1", "utf-16"):
            environment = {"PYTHONPATH": str(self.folder), "PYTHONIOENCODING": encoding}
            with mock.patch.dict(os.environ, environment):
                self.assertEqual(report.vega(), "(() => {\n\u2026 \xb5\n})();")

    def test_requirements_are_exact(self) -> None:
        for requirement in report.REQUIREMENTS:
            self.assertRegex(requirement, r"^[a-z-]+==[0-9a-z.]+$")


if __name__ == "__main__":
    unittest.main()
