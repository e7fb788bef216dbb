"""Reading, writing and merging results files; results/schema.json on what the scripts write."""
import json
import unittest

from script_case import SCRIPTS, ScriptCase, results, row

from command_line import ExitCode, ScriptError
from results_files import dump, folder_for, load, merge, save, select, write_text

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMA = SCRIPTS.parent / "results" / "schema.json"


class Files(ScriptCase):
    def test_what_is_saved_can_be_loaded(self):
        data = results([row(), row(n=7)])
        save(self.folder / "new/scan.json", data)
        self.assertEqual(load(self.folder / "new/scan.json"), data)
        self.assertEqual([path.name for path in (self.folder / "new").iterdir()], ["scan.json"])

    def test_a_row_is_a_line(self):
        text = dump(results([row(), row(n=7)]))
        self.assertEqual(sum('"algorithm"' in line for line in text.splitlines()), 2)
        self.assertEqual(json.loads(text), results([row(), row(n=7)]))

    def test_what_cannot_be_written_leaves_nothing_behind(self):
        self.write("file", "")
        with self.assertRaises(ScriptError) as raised:
            write_text(self.folder / "file/scan.json", "text")
        self.assertEqual(raised.exception.code, ExitCode.FILES)
        (self.folder / "folder.json").mkdir()
        with self.assertRaises(ScriptError):
            write_text(self.folder / "folder.json", "text")
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"file", "folder.json"})


class Merging(unittest.TestCase):
    def test_rows_of_all_parts_each_once(self):
        merged = merge("scan", [results([row(), row(n=7)]), results([row(n=7), row(n=9)])])
        self.assertEqual([row["n"] for row in merged["rows"]], [1 << 20, 7, 9])

    def test_a_day_may_end_but_the_machine_stays(self):
        merge("scan", [results([row()]), results([row()], date="2026-11-21")])
        with self.assertRaises(ScriptError):
            merge("scan", [results([row()]), results([row()], gpu="NVIDIA A100")])


class Rows(unittest.TestCase):
    def test_wrong_rows_are_never_selected(self):
        self.assertEqual(list(select([row(verified=False)], algorithm="cub")), [])

    def test_folders(self):
        self.assertEqual(folder_for("NVIDIA H200"), "h200")
        self.assertEqual(folder_for("NVIDIA GeForce RTX 4090"), "geforce-rtx-4090")
        self.assertEqual(folder_for("NVIDIA A100-SXM4-80GB"), "a100-sxm4-80gb")
        self.assertEqual(folder_for("../.."), "gpu")


@unittest.skipUnless(jsonschema and SCHEMA.exists(), "needs jsonschema and results/schema.json")
class Schema(ScriptCase):
    def test_what_the_scripts_write(self):
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        self.add_measure_time()
        self.script("measure_performance.py", "--build", self.build, "--output",
                    self.folder / "out", "--quick")
        for path in (self.folder / "out").glob("*.json"):
            with self.subTest(path.name):
                jsonschema.validate(json.loads(path.read_text()), schema)


if __name__ == "__main__":
    unittest.main()
