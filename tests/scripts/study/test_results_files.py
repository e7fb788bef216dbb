"""Reading, writing and merging results files, and files that results/schema.json refuses."""
import json
import math
import os
import unittest
from pathlib import Path
from unittest import mock

from script_case import SCRIPTS, ScriptCase, results, row

from study import results_files
from study.command_line import ExitCode, ScriptError
from study.results_files import (OPTIONAL, default_folder, dump, folder_for, folders, load, load_folder,
                                 merge, save, validator, write_text)
from study.rows import algorithms_of, is_device_row, select

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMA = SCRIPTS.parent / "results" / "schema.json"


class Files(ScriptCase):
    def test_what_is_saved_can_be_loaded(self):
        data = results([row(), row(n=7)])
        save(self.folder / "new/scan.json", data)
        loaded = load(self.folder / "new/scan.json")
        self.assertEqual(loaded, dict(data, rows=[{**dict.fromkeys(OPTIONAL), **one}
                                                  for one in data["rows"]]))
        self.assertEqual(dump(loaded), dump(data))
        self.assertEqual([path.name for path in (self.folder / "new").iterdir()], ["scan.json"])

    def test_a_row_is_a_line(self):
        text = dump(results([row(), row(n=7)]))
        self.assertEqual(sum('"algorithm"' in line for line in text.splitlines()), 2)
        told = results([row(), row(n=7)])
        for one in told["rows"]:
            for name in OPTIONAL:
                if one.get(name, 0) is None:
                    del one[name]
        self.assertEqual(json.loads(text), told)

    def test_what_cannot_be_written_leaves_nothing_behind(self):
        self.write("file", "")
        with self.assertRaises(ScriptError) as raised:
            write_text(self.folder / "file/scan.json", "text")
        self.assertEqual(raised.exception.code, ExitCode.FILES)
        (self.folder / "folder.json").mkdir()
        with self.assertRaises(ScriptError):
            write_text(self.folder / "folder.json", "text")
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"file", "folder.json"})


    def test_names_are_as_long_as_the_system_has_them(self):
        for length in (1, 255):
            path = self.folder / (length * "a")
            write_text(path, "text")
            self.assertEqual(path.read_text(), "text")
        for name in (256 * "a", f"{256 * 'a'}/b"):
            with self.assertRaisesRegex(ScriptError, "a cannot be written: File name too long"
                                        if "/" not in name else "b cannot be written: File name"):
                write_text(self.folder / name, "text")

    def test_a_write_that_fails_leaves_the_old_file(self):
        path = self.write("a.json", "old")
        for name in ("replace", "chmod"):
            with mock.patch.object(results_files.os, name, side_effect=OSError(28, "No space")), \
                    self.assertRaisesRegex(ScriptError, "a.json cannot be written: No space"):
                write_text(path, "new")
            self.assertEqual([path.name for path in self.folder.iterdir()], ["a.json"])
            self.assertEqual(path.read_text(), "old")
        with mock.patch.object(results_files.os, "replace", side_effect=KeyboardInterrupt), \
                self.assertRaises(KeyboardInterrupt):
            write_text(path, "new")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.json"])

    def test_what_is_written_is_for_whom_its_user_says(self):
        for umask, permissions in ((0o022, 0o644), (0o077, 0o600)):
            path = self.folder / str(umask)
            former = os.umask(umask)
            try:
                write_text(path, "µ")
            finally:
                os.umask(former)
            self.assertEqual(path.stat().st_mode & 0o777, permissions)
            self.assertEqual(path.read_bytes(), b"\xc2\xb5")
        path.chmod(0o640)
        write_text(path, "new")
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)

    def test_links_and_pipes_stay_what_they_are(self):
        file = self.write("file", "old")
        (self.folder / "link").symlink_to(file)
        write_text(self.folder / "link", "new")
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertEqual(file.read_text(), "new")
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            write_text(pipe, "text")
            self.assertEqual(os.read(reader, 10), b"text")
        finally:
            os.close(reader)
        self.assertTrue(pipe.is_fifo())

    def test_inputs_are_not_overwritten(self):
        source = self.write_results("scan.json", results([row()]))
        older = source.read_text()
        load(source)
        (self.folder / "hard").hardlink_to(source)
        (self.folder / "soft").symlink_to("scan.json")
        (self.folder / "folder").symlink_to(".")
        for name in ("scan.json", "hard", "soft", "folder/scan.json"):
            path = self.folder / name
            with self.assertRaisesRegex(ScriptError, "^--output: given '.*', expected another file "
                                        "than the inputs$") as raised:
                write_text(path, "new")
            self.assertEqual(raised.exception.code, ExitCode.USAGE)
        self.assertEqual(source.read_text(), older)
        write_text(self.folder / "other", "new")

    def test_a_file_is_not_a_folder(self):
        file = self.write("file", "")
        for path in (file / "below", file / "far/below", Path("/dev/null/x")):
            with self.assertRaisesRegex(ScriptError, f"{path} cannot be written: "
                                        "(/dev/null|.*/file|.*/far) is not a folder$") as raised:
                write_text(path, "text")
            self.assertEqual(raised.exception.code, ExitCode.FILES)

    def test_what_may_have_no_end_is_not_read(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for path in (pipe, self.folder, "/dev/zero"):
            with self.assertRaisesRegex(ScriptError, "not a regular file") as raised:
                load(path)
            self.assertEqual(raised.exception.code, ExitCode.FILES)

    def test_json_is_short(self):
        self.assertEqual(dump({"a": {"b": 1}, "rows": [
            {"n": 1, "model": None, "kept": None, "energy_mj": None}, {"n": 2, "model": "x"}],
            "c": [], "d": [3]}),
                         """\
{
  "a": {"b": 1},
  "rows": [
{"n":1,"kept":null},
{"n":2,"model":"x"}
  ],
  "c": [],
  "d": [3]
}
""")

    def test_a_folder_by_experiments(self):
        self.write_results("f/x.json", results([row()], "scan"))
        self.write_results("f/y.json", results([], "sort"))
        self.write("f/z.txt", "")
        self.assertEqual({name: len(data["rows"]) for name, data in
                          load_folder(self.folder / "f").items()}, {"scan": 1, "sort": 0})

    def test_readmes_folder(self):
        with mock.patch.object(results_files, "RESULTS", self.folder):
            self.assertEqual(default_folder(), self.folder / "h200")
            self.write("a100/x.json", "")
            self.write("file.json", "")
            self.assertEqual(default_folder(), self.folder / "a100")
            self.write("b200/x.json", "")
            self.assertEqual(default_folder(), self.folder / "h200")
            self.assertEqual(folders(), [self.folder / "a100", self.folder / "b200"])


@unittest.skipUnless(jsonschema, "needs python3-jsonschema")
class WhatIsWrong(ScriptCase):
    """A file with unexpected content is refused in one line, before it is used."""

    def wrong(self, *rows: dict, experiment: str = "scan") -> str:
        path = self.write_results("a.json", results(list(rows), experiment))
        with self.assertRaises(ScriptError) as raised:
            load(path)
        self.assertEqual(raised.exception.code, ExitCode.FILES)
        return str(raised.exception).split(".json is not ")[1]

    def test_times_are_numbers(self):
        for value in (-1, "5", None, True, [], 10 ** 400, 1e-320, 1e300):
            with self.subTest(value):
                self.assertIn("a results file: rows/1/median_us: ",
                              self.wrong(row(), dict(row(n=8), median_us=value)))
        for value in (math.nan, -math.inf):
            self.assertIn("valid JSON: ", self.wrong(row(median_us=value)))
        self.assertIn("inf is greater than", self.wrong_text('"median_us": 1e999'))

    def wrong_text(self, median: str) -> str:
        text = json.dumps(results([row()])).replace('"median_us": 100.0', median)
        with self.assertRaises(ScriptError) as raised:
            load(self.write("a.json", text))
        return str(raised.exception)

    def test_what_else_a_row_has(self):
        for fields in ({"kept": [1]}, {"kept": "0.5"}, {"kept": 0.5}, {"copy_us": {}},
                       {"energy_mj": "2"}, {"block_size": 1.5},
                       {"items_per_thread": True}, {"n": 8.0}, {"n": -1}, {"n": 2 ** 49},
                       {"samples": 0}, {"distribution": 3}, {"distribution": "model:"},
                       {"variant": []}, {"mode": None}, {"operation": "merge"}, {"algorithm": 3},
                       {"algorithm": "a\x1b[31m"}, {"algorithm": "a\n"}, {"algorithm": "\ud800"},
                       {"verified": "yes"}, {"phases_us": {"map": 1}}):
            name, = fields
            with self.subTest(fields):
                said = self.wrong(row(**fields))
                self.assertIn(f"rows/0/{name}: ", said)
                self.assertTrue(said.isprintable(), said)
        self.assertIn("rows/0/kept: None is not", self.wrong(row(operation="compact")))
        for fields in ({"q1_us": 101}, {"min_us": 99.5}, {"q3_us": 99.5}):
            self.assertIn("rows/0: minimum, first quartile, median and third quartile are not in "
                          "order", self.wrong(row(**fields)))

    def test_messages_say_what_was_given_and_what_is_allowed(self):
        for fields, text in (({"mode": "warm"}, "rows/0/mode: 'warm' is not one of ['cold', 'hot', "),
                             ({"algorithm": "a\x7f"},
                              "rows/0/algorithm: 'a\\x7f' is not text without control characters"),
                             ({"distribution": "a b"}, "rows/0/distribution: 'a b' is not the "
                              "name of a distribution, model:NUMBER or file:PATH"),
                             ({"q1_us": 1e-9}, "rows/0/q1_us: 1e-09 is not rounded to the")):
            self.assertIn(text, self.wrong(row(**fields)))

    def test_a_row_is_there_once(self):
        self.assertIn("rows/2 repeats rows/0", self.wrong(row(), row(n=8), row(median_us=5)))

    def test_a_profile_has_kernels_instead_of_times(self):
        kernel = {"operation": "scan", "algorithm": "cub", "kernel": "k", "n": 8, "launches": 2,
                  "time_us": 1.5}
        load(self.write_results("a.json", results([kernel, dict(kernel, kernel="l")], "profile")))
        for name in kernel:
            self.assertIn(f"rows/0/{name}: None ", self.wrong(dict(kernel, **{name: None}),
                                                              experiment="profile"))
        self.assertIn("rows/1 repeats rows/0", self.wrong(kernel, kernel, experiment="profile"))
        self.assertIn("rows/0/registers: '32' is not", self.wrong(dict(kernel, registers="32"),
                                                                  experiment="profile"))

    def test_what_is_around_the_rows(self):
        good = results([])
        for data, text in (([], "a results file: \\[\\] is not of type 'object'"),
                           ({**good, "experiment": 3}, "experiment: 3"),
                           ({**good, "machine": []}, "machine: "),
                           (results([], gpu="<b>"), "machine/gpu: '<b>' is not text without < and >"),
                           (results([], date="2026-02-31"), "machine/date: '2026-02-31' is not a day"),
                           ({**good, "machine": {"gpu": "a"}}, "machine: 'driver' is a required"),
                           ({**good, "protocol": {"pace": "a"}}, "protocol: 'min_samples' is a"),
                           ({**good, "rows": {}}, "rows: "), ({**good, "rows": [3]}, "rows/0: 3")):
            with self.subTest(text), self.assertRaisesRegex(ScriptError, text):
                load(self.write_results("a.json", data))

    def test_what_is_no_json(self):
        for text in ("", "{", '{"experiment": 1} x'):
            with self.assertRaisesRegex(ScriptError, "is not valid JSON"):
                load(self.write("a.json", text))
        with self.assertRaisesRegex(ScriptError, "a.json is not valid JSON: an object has the name 'n' twice"):
            load(self.write("a.json", '{"rows": [{"m": 1, "n": 1, "n": 2}]}'))
        with self.assertRaisesRegex(ScriptError, "a.json is not a results file: it is nested too"):
            load(self.write("a.json", "[" * 100000))

    def test_without_jsonschema_it_says_so(self):
        path = self.write_results("a.json", results([]))
        validator.cache_clear()
        with mock.patch.dict("sys.modules", {"jsonschema": None}):
            with self.assertRaisesRegex(ScriptError, "needs jsonschema: install") as raised:
                load(path)
        self.assertEqual(raised.exception.code, ExitCode.USAGE)

    def test_an_experiment_is_there_once(self):
        for name in ("scan", "copy"):
            self.write_results(f"f/{name}.json", results([row()]))
        with self.assertRaisesRegex(ScriptError, "f: copy.json and scan.json both have the "
                                    "experiment 'scan'") as raised:
            load_folder(self.folder / "f")
        self.assertEqual(raised.exception.code, ExitCode.FILES)

    def test_a_folder_is_of_one_gpu(self):
        for experiment, gpu in (("scan", "a"), ("sort", "b")):
            self.write_results(f"f/{experiment}.json", results([row()], experiment, gpu=gpu))
        with self.assertRaisesRegex(ScriptError, "f: scan.json is of 'a', sort.json of 'b'; keep the "
                                    "files of one GPU$") as raised:
            load_folder(self.folder / "f")
        self.assertEqual(raised.exception.code, ExitCode.FILES)


class Merging(unittest.TestCase):
    def test_rows_of_all_parts_each_once(self):
        merged = merge("scan", [results([row(), row(n=7)]), results([row(n=7), row(n=9)])])
        self.assertEqual([row["n"] for row in merged["rows"]], [1 << 20, 7, 9])

    def test_what_else_the_parts_say(self):
        one, two = results([]), results([], date="2026-11-21")
        one.update(empty_launch_us={"cold": 1}, skipped=[1])
        two.update(empty_launch_us={"cold": 2, "hot": 3}, skipped=[2])
        merged = merge("sort", [one, two])
        self.assertEqual((merged["experiment"], merged["machine"]["date"],
                          merged["empty_launch_us"], merged["skipped"]),
                         ("sort", "2026-11-21", {"cold": 1, "hot": 3}, [1, 2]))
        self.assertFalse({"fastest_copies", "shared_host", "gpu_use_by_others"} & set(merged))

    def test_the_busiest_gpu(self):
        parts = [results([]) for _ in range(3)]
        parts[0]["gpu_use_by_others"], parts[2]["gpu_use_by_others"] = 6, 40
        self.assertEqual(merge("scan", parts)["gpu_use_by_others"], 40)

    def test_the_copies_of_all_parts_and_the_busiest_host(self):
        parts = [results([]) for _ in range(3)]
        parts[0]["fastest_copies"] = {"cold": {"64": "bulk", "128": "memcpy"}}
        parts[2]["fastest_copies"] = {"cold": {"64": "vectors", "256": "bulk"}, "hot": {"64": "bulk"}}
        for part, used in zip(parts, (1, 3, 2)):
            part["shared_host"] = {"cpus": 4, "used_by_others": used}
        merged = merge("scan", parts)
        self.assertEqual(merged["fastest_copies"], {
            "cold": {"64": "bulk", "128": "memcpy", "256": "bulk"}, "hot": {"64": "bulk"}})
        self.assertEqual(merged["shared_host"], {"cpus": 4, "used_by_others": 3})

    def test_a_day_may_end_but_the_machine_stays(self):
        merge("scan", [results([row()]), results([row()], date="2026-11-21")])
        with self.assertRaises(ScriptError):
            merge("scan", [results([row()]), results([row()], gpu="NVIDIA A100")])


class Rows(unittest.TestCase):
    def test_wrong_rows_are_never_selected(self):
        self.assertEqual(list(select([row(verified=False)], algorithm="cub")), [])

    def test_selection(self):
        rows = [row(n=8), row(n=9), row(n=8, mode="hot"), {"n": 8}]
        self.assertEqual(list(select(rows, n=8, mode="cold")), rows[:1])
        self.assertEqual(list(select(rows, n=8)), [rows[0], rows[2], rows[3]])
        self.assertEqual([is_device_row(one) for one in (row(), row(copy_us=None), {},
                                                         row(copy_us=0.0))],
                         [True, False, False, True])
        self.assertEqual(algorithms_of([row(), row(algorithm="a"), row()]), ["cub", "a"])

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
