"""measure_performance.py --several from end to end, with a fake distributed_test."""
import contextlib
import io
import json
import unittest
from unittest import mock

import fabricated
from script_case import TESTS, ScriptCase

import measure_performance
from study.command_line import ScriptError
from study.results_files import load, load_folder, parse_distributed
from study.several_gpus import MIDDLE, OTHER_KEYS, Call, expected_seconds, plan

try:
    import jsonschema
except ImportError:
    jsonschema = None


class Plans(unittest.TestCase):
    def keys(self, gpus: int, is_quick: bool = False) -> set:
        return {key for call in plan(gpus, is_quick) for key in call.keys()}

    def test_sizes_and_keys_on_all_numbers_of_gpus(self):
        for gpus, counts in ((2, {1, 2}), (3, {1, 2, 3}), (4, {1, 2, 4}), (8, {1, 2, 4, 8})):
            keys = self.keys(gpus)
            self.assertEqual({key[1] for key in keys}, counts)
            for operation, usual in (("scan", "uniform50"), ("compact", "uniform50"), ("sort", "uniform")):
                for count in counts:
                    sizes = {n for one, at, n, distribution in keys
                             if (one, at, distribution) == (operation, count, usual) and n != MIDDLE}
                    large = set() if count == 1 else {1 << 30, 1 << 31}
                    self.assertEqual(sizes, {1 << k for k in (20, 22, 24, 26)} | large)
            self.assertEqual({key[1:] for key in keys if key[0] == "sort" and key[3] != "uniform"},
                             {(gpus, 1 << 28, distribution) for distribution in OTHER_KEYS})

    def test_no_row_is_measured_twice(self):
        for is_quick in (False, True):
            calls = plan(8, is_quick)
            self.assertEqual(sum(len(call.keys()) for call in calls), len(self.keys(8, is_quick)))

    def test_the_most_informative_first(self):
        first = plan(4, False)[:6]
        self.assertEqual([(call.operations[0], call.n.bit_length() - 1, call.gpus) for call in first], [
            ("sort", 28, 4), ("sort", 28, 2), ("sort", 30, 4), ("sort", 30, 2), ("scan", 28, 4),
            ("scan", 28, 2)])
        self.assertEqual({call.n for call in plan(4, False)[-4:]}, {1 << 31})

    def test_it_is_quick(self):
        self.assertLess(expected_seconds(plan(2, False)), 300)
        self.assertLess(expected_seconds(plan(8, True)), 120)
        self.assertLess(self.keys(2, is_quick=True), self.keys(2))

    def test_a_call_in_words(self):
        call = Call(("scan", "compact"), 2, 1 << 20, "uniform50")
        self.assertEqual(call.describe(), "scan and compact, n = 2^20, uniform50, 2 GPUs")
        self.assertIn("1 GPU", Call(("sort",), 1, 8, "zipf").describe().split(", "))
        self.assertEqual(call.arguments(), [
            "--backend", "cuda", "--gpus", "2", "--operation", "scan,compact", "--size", "1048576",
            "--distribution", "uniform50"])


@unittest.skipUnless(jsonschema, "needs python3-jsonschema")
class CommandLine(ScriptCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_program("distributed_test", TESTS / "fake_distributed_test.py")
        self.log = self.folder / "log"
        self.out = self.folder / "out"

    def arguments(self, *more: object, commit: str = "abc") -> list:
        return ["measure_performance.py", "--several", "--build", self.build, "--output", self.out, "--commit",
                commit, *more]

    def measure(self, *more: object, code: int = 0, commit: str = "abc", **environment: str):
        return self.script(*self.arguments(*more, commit=commit), code=code, FAKE_LOG=str(self.log),
                           **environment)

    def calls(self) -> list:
        return self.log.read_text().splitlines() if self.log.exists() else []

    def load(self) -> dict:
        return json.loads((self.out / "distributed.json").read_text())

    def keys(self) -> list:
        return [(row["operation"], row["gpus"], row["n"], row["distribution"]) for row in self.load()["rows"]]

    def test_a_file_with_all_rows(self):
        scan = self.write_results("out/scan.json", fabricated.scan())
        before = scan.read_bytes()
        said = self.measure().stdout
        self.assertIn(f"2 x NVIDIA H200, commit abc, into {self.out / 'distributed.json'}\n", said)
        self.assertEqual({path.name for path in self.out.iterdir()}, {"scan.json", "distributed.json"})
        self.assertEqual(scan.read_bytes(), before)
        self.assertEqual(len(self.keys()), len(set(self.keys())))
        self.assertEqual(set(self.keys()), {key for call in plan(2, False) for key in call.keys()})
        self.assertEqual(self.load()["machine"]["commit"], "abc")
        self.assertEqual(list(load_folder(self.out)), ["distributed", "scan"])

    def test_as_many_gpus_as_there_are(self):
        self.measure("--quick", FAKE_GPUS="4")
        self.assertEqual({key[1] for key in self.keys()}, {2, 4})

    def test_rows_stand_in_one_order(self):
        self.measure("--quick")
        self.assertEqual([key[0] for key in self.keys()],
                         3 * ["scan"] + 3 * ["compact"] + (3 + len(OTHER_KEYS)) * ["sort"])
        self.assertEqual([key[2] for key in self.keys()[:3]], [1 << k for k in (20, 24, 28)])

    def test_goes_on_where_it_was_interrupted(self):
        self.measure("--quick", code=130, FAKE_FAIL_AFTER="3")
        self.assertEqual(set(self.keys()), {key for call in plan(2, True)[:2] for key in call.keys()})
        self.measure("--quick")
        whole = len(plan(2, True))
        self.assertEqual(len(self.calls()), 3 + whole - 2)
        self.assertEqual(len(self.keys()), len({key for call in plan(2, True) for key in call.keys()}))
        self.measure("--quick")
        self.assertEqual(len(self.calls()), 3 + whole - 2)
        self.measure("--quick", "--again")
        self.assertEqual(len(self.calls()), 3 + 2 * whole - 2)

    def test_rows_of_another_commit_or_gpu_are_not_kept(self):
        self.measure("--quick")
        for commit, gpu in (("def", "NVIDIA H200"), ("def", "NVIDIA H100")):
            self.measure("--quick", code=130, commit=commit, FAKE_GPU=gpu,
                         FAKE_FAIL_AFTER=str(len(self.calls()) + 2))
            self.assertEqual(len(self.keys()), 1)
            machine = self.load()["machine"]
            self.assertEqual((machine["commit"], machine["gpu"]), (commit, gpu))

    def test_a_wrong_row_is_kept_and_told(self):
        self.measure("--quick", code=1, FAKE_WRONG="compact")
        self.assertEqual({row["operation"] for row in self.load()["rows"] if not row["verified"]}, {"compact"})
        self.assertEqual(len(self.keys()), 3 + 3 + 3 + len(OTHER_KEYS))

    def test_what_does_not_fit_is_left_out_and_told(self):
        said = self.measure("--quick", FAKE_MOST=str(1 << 24)).stderr
        self.assertEqual({key[2] for key in self.keys()}, {1 << 20, 1 << 24})
        self.assertRegex(said, r"\] scan: skipped, because a GPU has too little memory\n")

    def test_nothing_fits(self):
        self.assertIn("could measure nothing", self.error(*self.arguments(), code=3, FAKE_MOST="0"))

    def test_a_program_that_fails_ends_it(self):
        self.add_program("distributed_test", self.write("fails.py", (
            TESTS / "fake_distributed_test.py").read_text().replace("if gpus > here:", 'if "--gpus" in options:')))
        said = self.measure("--quick", code=2).stderr
        self.assertIn("sort, n = 2^28, uniform, 2 GPUs: distributed_test ended with exit code 2", said)
        self.assertFalse((self.out / "distributed.json").exists())

    def test_dry_run_measures_nothing(self):
        said = self.measure("--dry-run").stdout
        self.assertRegex(said, r"^ +\d+ s  sort, n = 2\^28, uniform, 2 GPUs\n")
        self.assertRegex(said, r"together about \d\.\d min\n$")
        self.assertEqual(len(said.splitlines()), 1 + len(plan(2, False)))
        self.assertEqual(self.calls(), [])
        self.assertFalse(self.out.exists())

    def test_errors(self):
        for option in ("--only=scan", "--budget=5"):
            self.assertIn("cannot be combined with --several", self.error(*self.arguments(option), code=2))
        for gpus, said in (("0", "no CUDA-capable device"), ("1", "given one GPU, expected at least 2")):
            self.assertIn(said, self.error(*self.arguments(), code=3, FAKE_GPUS=gpus))
        self.assertIn("no distributed_test", self.error(
            "measure_performance.py", "--several", "--build", self.folder, code=2))
        self.write("out/distributed.json", "{")
        self.assertIn("is not valid JSON", self.error(*self.arguments(), code=4))
        self.out = self.write("a file", "") / "out"
        self.assertIn("cannot be written", self.error(*self.arguments("--dry-run"), code=4))
        self.assertIn("cannot be written", self.error(*self.arguments(), code=4))

    def test_the_folder_is_named_for_the_gpu(self):
        for more, name in (((), "h200"), (("--gpu-name", "mine"), "mine")):
            with mock.patch.object(measure_performance, "RESULTS", self.folder / "results"), \
                    contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                measure_performance.main(["--several", "--quick", "--build", str(self.build), "--commit", "abc",
                                          *more])
            self.assertTrue((self.folder / "results" / name / "distributed.json").exists())


@unittest.skipUnless(jsonschema, "needs python3-jsonschema")
class Schema(ScriptCase):
    def fault(self, *rows: dict, **fields) -> str:
        data = {**fabricated.distributed(), **fields}
        if rows:
            data["rows"] = list(rows)
        with self.assertRaises(ScriptError) as raised:
            parse_distributed(json.dumps(data), "a.json")
        return str(raised.exception)

    def test_what_is_refused(self):
        parse_distributed(json.dumps(fabricated.distributed()), "a.json")
        sort = fabricated.sorted_on(2, 8, 10, 20)
        scan = fabricated.on_gpus("scan", 2, 8, 10, 20)
        for row in (dict(sort, operation="merge"), dict(sort, gpus=0), dict(sort, gpus=2.0), dict(sort, n=-1),
                    dict(sort, distribution="no name"), dict(sort, exchange="post"), dict(sort, calls=0),
                    dict(sort, median_us=None), dict(sort, median_us=1e-9), dict(sort, one_gpu_us=-1),
                    dict(sort, sent_bytes=0.5), dict(sort, verified=1), dict(sort, more=1),
                    dict(sort, gpus=1), *(dict(scan, **{name: 1}) for name in (
                        "count_us", "exchange_us", "sort_us", "sent_bytes")),
                    *({name: value for name, value in sort.items() if name != missing} for missing in sort)):
            with self.subTest(row=row):
                self.assertIn("is not a results file of several GPUs: rows/0", self.fault(row))
        self.assertIn("rows/1 repeats rows/0", self.fault(sort, dict(sort, median_us=11)))
        self.assertIn("not a day", self.fault(machine={**fabricated.distributed()["machine"],
                                                       "date": "2026-02-30"}))
        self.assertIn("experiment", self.fault(experiment="scan"))

    def test_neither_kind_of_file_is_taken_for_the_other(self):
        path = self.write_results("distributed.json", fabricated.distributed())
        with self.assertRaisesRegex(ScriptError, "'distributed' is not an experiment of measure_time"):
            load(path)
        self.assertIn("'distributed' is not an experiment of measure_time", self.error(
            "compare_results.py", path, path, code=4))
        self.write_results("f/distributed.json", {**fabricated.scan(), "experiment": "distributed"})
        with self.assertRaisesRegex(ScriptError, "is not a results file"):
            load_folder(self.folder / "f")


if __name__ == "__main__":
    unittest.main()
