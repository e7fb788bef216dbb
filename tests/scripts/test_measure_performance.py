"""measure_performance.py from end to end, with a fake measure_time."""
import contextlib
import io
import json
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from script_case import ScriptCase

import measure_performance
from study.executables import read_listing
from study.expected_time import choose_pace, expected_minutes
from study.experiments import EXPERIMENTS, plan
from study.pace import PACES, PROTOCOL, QUICK

import fake_measure_time

LISTING = read_listing(fake_measure_time.listing())


class Plans(unittest.TestCase):
    def sizes(self, experiment: str, **wanted) -> set:
        return {n for call in plan(experiment, LISTING, PROTOCOL) for n in call.sizes
                if all(value in getattr(call, name) for name, value in wanted.items())}

    def test_the_protocol_has_all_sizes(self):
        powers = {1 << k for k in range(4, 31)}
        between = {n for k in range(10, 31) for n in ((1 << k) - 3, 3 << (k - 1)) if n <= 1 << 30}
        for experiment in ("scan", "compact"):
            for mode in ("cold", "hot"):
                self.assertEqual(self.sizes(experiment, modes=mode), powers | between)
            self.assertEqual(self.sizes(experiment, modes="graph"),
                             {n for n in powers | between if n <= 1 << 20})
        self.assertLessEqual(powers, self.sizes("sort", modes="cold"))

    def test_every_pace_measures_every_row_at_every_power_of_two(self):
        for pace in PACES:
            for operation in ("scan", "compact", "sort"):
                rows = {row.algorithm for row in LISTING.rows if row.operation == operation}
                sizes = set()
                for call in plan(operation, LISTING, pace):
                    if "cold" in call.modes and {row.algorithm for row in call.rows} == rows:
                        sizes |= set(call.sizes)
                self.assertLessEqual({1 << k for k in range(4, 31)}, sizes)

    def test_all_variants_are_measured(self):
        calls = plan("variants", LISTING, PROTOCOL)
        self.assertEqual([call.operation for call in calls], ["scan", "sort"])
        self.assertEqual({(row.variant, row.algorithm) for row in calls[0].rows},
                         {("int64", "single_pass"), ("int64", "cub")})
        arguments = calls[0].arguments()
        self.assertEqual(arguments[arguments.index("--variant") + 1], "all")
        self.assertEqual(arguments[arguments.index("--algorithm") + 1], "single_pass,cub")

    def test_rows_that_are_not_built_are_left_out(self):
        self.assertNotIn("missing", {row.algorithm for row in LISTING.rows})

    def test_a_smaller_budget_never_chooses_a_slower_pace(self):
        minutes = [expected_minutes(EXPERIMENTS, LISTING, choose_pace(EXPERIMENTS, LISTING, budget))
                   for budget in (1, 4, 8, 16, 32, 64, 1000)]
        self.assertEqual(minutes, sorted(minutes))
        self.assertIs(choose_pace(EXPERIMENTS, LISTING, 1000), PROTOCOL)
        self.assertIs(choose_pace(EXPERIMENTS, LISTING, 0), PACES[-1])
        self.assertIs(choose_pace(EXPERIMENTS, LISTING, None), PROTOCOL)

    def test_quick_is_quick(self):
        self.assertLess(expected_minutes(EXPERIMENTS, LISTING, QUICK), 4)


class Choice(unittest.TestCase):
    """The arguments of experiments and of their pace."""

    def pace(self, *arguments: str, elapsed: float = 0, slowness: float = 1):
        options = measure_performance.parse(arguments)
        return measure_performance.pace_for(options, measure_performance.experiments_of(options),
                                            LISTING, elapsed, slowness)

    def test_experiments(self):
        for arguments, names in (((), (*EXPERIMENTS, "profile")), (("--quick",), EXPERIMENTS),
                                 (("--only", "sort,scan,scan"), ("scan", "sort"))):
            options = measure_performance.parse(arguments)
            self.assertEqual(tuple(measure_performance.experiments_of(options)), names)

    def test_a_budget_is_for_what_is_to_come(self):
        minutes = expected_minutes(["scan"], LISTING, PROTOCOL)
        only = ("--only", "scan", "--budget")
        self.assertIs(self.pace(*only, f"{minutes + 0.01}"), PROTOCOL)
        self.assertIs(self.pace(*only, f"{minutes - 0.01}"), PACES[1])
        self.assertIs(self.pace(*only, f"{minutes + 5.01}", elapsed=5), PROTOCOL)
        self.assertIs(self.pace(*only, f"{minutes + 4.99}", elapsed=5), PACES[1])
        self.assertIs(self.pace(*only, f"{2 * minutes - 0.01}", slowness=2), PACES[1])
        profile = 9 / 60 * sum(row.on_device for row in LISTING.rows)
        both = ("--only", "scan,profile", "--budget")
        self.assertIs(self.pace(*both, f"{minutes + profile + 0.01}"), PROTOCOL)
        self.assertIs(self.pace(*both, f"{minutes + profile - 0.01}"), PACES[1])
        self.assertIs(self.pace("--quick"), QUICK)
        self.assertIs(self.pace(), PROTOCOL)

    def test_legal_budgets(self):
        self.assertEqual(measure_performance.parse(["--budget", "0.5"]).budget, 0.5)
        options = measure_performance.parse(["--only", "scan", "--budget",
                                             f"{expected_minutes(['scan'], LISTING, PROTOCOL)}"])
        self.assertIs(measure_performance.pace_for(options, ["scan"], LISTING), PROTOCOL)

    def test_the_plan_in_words(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            measure_performance.print_plan(["host", "profile"], LISTING, QUICK)
        lines = out.getvalue().splitlines()
        calls = plan("host", LISTING, QUICK)
        minutes = expected_minutes(["host"], LISTING, QUICK)
        profile = 9 / 60 * sum(row.on_device for row in LISTING.rows)
        self.assertEqual(lines[:2], [
            "pace 'quick': until 10 samples and 0.02 s a row, at most 0.3 s",
            f"host: {sum(call.measurements() for call in calls)} measurements, {minutes:.1f} min"])
        self.assertEqual([line.split("s  ", 1)[1] for line in lines[2:-2]],
                         [call.describe() for call in calls])
        self.assertEqual(lines[-2:], [f"profile: {profile:.1f} min",
                                      f"together about {minutes + profile:.0f} min on an H200"])


class CommandLine(ScriptCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_measure_time()
        self.log = self.folder / "log"
        self.out = self.folder / "out"

    def arguments(self, *more: object, commit: str = "abc") -> list:
        return ["measure_performance.py", "--build", self.build, "--output", self.out, "--commit",
                commit, *more]

    def measure(self, *more: object, code: int = 0, commit: str = "abc", **environment: str) -> str:
        return self.script(*self.arguments(*more, commit=commit), code=code,
                           FAKE_LOG=str(self.log), **environment).stdout

    def calls(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0

    def load(self, experiment: str) -> dict:
        return json.loads((self.out / f"{experiment}.json").read_text())

    def test_quick_writes_a_file_for_each_experiment(self):
        self.measure("--quick")
        self.assertEqual({path.name for path in self.out.iterdir()},
                         {f"{name}.json" for name in EXPERIMENTS})
        for name in EXPERIMENTS:
            data = self.load(name)
            self.assertEqual(data["experiment"], name)
            self.assertEqual(data["machine"]["commit"], "abc")
            self.assertEqual(data["protocol"]["pace"], "quick")
            self.assertTrue(data["rows"])

    def test_what_is_measured_is_not_measured_again(self):
        self.measure("--quick", "--only", "host")
        calls = self.calls()
        self.assertIn("host: already measured", self.measure("--quick", "--only", "host"))
        self.assertEqual(self.calls(), calls)
        self.measure("--quick", "--only", "host", commit="def")
        self.assertEqual(self.calls(), 2 * calls)
        self.measure("--quick", "--only", "host", "--again", commit="def")
        self.assertEqual(self.calls(), 3 * calls)

    def test_another_cub_is_measured_anew(self):
        self.measure("--quick", "--only", "host")
        calls = self.calls()
        self.measure("--quick", "--only", "host", FAKE_CUB="3.6.0")
        self.assertEqual(self.calls(), 2 * calls)
        self.assertEqual(self.load("host")["machine"]["cub"], "3.6.0")

    def test_a_quick_study_is_no_full_one_but_a_full_one_is_quick(self):
        self.measure("--quick", "--only", "host")
        self.measure("--budget", "16", "--only", "host")
        self.assertNotEqual(self.load("host")["protocol"]["pace"], "quick")
        self.assertIn("already measured", self.measure("--quick", "--only", "host"))

    def test_goes_on_where_it_was_interrupted(self):
        self.measure("--quick", "--only", "scan", code=130, FAKE_FAIL_AFTER="3")
        self.assertFalse((self.out / "scan.json").exists())
        self.assertEqual(self.calls(), 3)
        self.measure("--quick", "--only", "scan")
        whole = len(plan("scan", LISTING, QUICK))
        self.assertEqual(self.calls(), 3 + whole - 2)
        keys = [(row["algorithm"], row["mode"], row["n"]) for row in self.load("scan")["rows"]]
        self.assertEqual(len(keys), len(set(keys)))

    def test_parts_of_another_commit_are_not_used(self):
        self.measure("--quick", "--only", "scan", code=130, FAKE_FAIL_AFTER="3")
        self.measure("--quick", "--only", "scan", commit="def")
        self.assertEqual(self.calls(), 3 + len(plan("scan", LISTING, QUICK)))
        self.assertEqual([path.name for path in self.out.iterdir()], ["scan.json"])

    def test_a_wrong_row_is_kept_and_told(self):
        self.measure("--quick", "--only", "sort", code=1, FAKE_WRONG="radix")
        self.assertIn(False, [row["verified"] for row in self.load("sort")["rows"]])

    def test_dry_run_needs_no_gpu(self):
        said = self.script(*self.arguments("--dry-run", "--budget", "16"), FAKE_NO_GPU="1").stdout
        self.assertRegex(said, r"scan: \d+ measurements, \d+\.\d min")
        self.assertRegex(said, r"together about \d+ min")
        self.assertFalse(self.out.exists())

    def test_dry_run_leaves_no_folder_behind(self):
        self.out = self.folder / "new/newer"
        self.script(*self.arguments("--dry-run"))
        self.assertFalse(self.out.parent.exists())

    def test_a_budget_that_cannot_be_met_is_told(self):
        for minutes, is_enough in (("0.1", False), ("1", False), ("500", True)):
            said = self.script(*self.arguments("--dry-run", "--budget", minutes)).stderr
            self.assertEqual(said == "", is_enough, minutes)
            if not is_enough:
                self.assertRegex(said, rf"^measure_performance.py: --budget: given {minutes} min, but the "
                                       r"fastest pace takes about \d+\.\d min\n$")

    def test_errors(self):
        self.assertIn("without a GPU", self.error(*self.arguments(), code=3, FAKE_NO_GPU="1"))
        self.assertIn("allowed are scan,", self.error(*self.arguments("--only", "merge"), code=2))
        self.assertIn("--budget", self.error(*self.arguments("--budget", "0"), code=2))
        self.assertIn("--budget: cannot be combined with --quick", self.error(
            *self.arguments("--budget", "5", "--quick"), code=2))
        self.assertIn("unrecognized", self.error(*self.arguments("--bugdet", "1"), code=2))
        self.assertIn("no measure_time", self.error(
            "measure_performance.py", "--build", self.folder, code=2))
        self.out = self.write("a file", "") / "out"
        for more in ((), ("--dry-run",)):
            said = self.script(*self.arguments("--quick", *more), code=4).stderr
            self.assertIn("cannot be written", said.splitlines()[-1])

    def test_a_broken_file_of_results_is_told(self):
        self.write("out/scan.json", "{")
        said = self.script(*self.arguments("--quick"), code=4).stderr
        self.assertIn("is not valid JSON", said)

    def test_the_profile_is_left_out_where_nobody_can_profile(self):
        said = self.script(*self.arguments("--only", "profile"), code=3, PATH="/usr/bin:/bin")
        self.assertIn("there is no Nsight Compute", said.stderr)

    def test_without_being_asked_for_a_profile_is_no_error(self):
        environment = {"PATH": "/usr/bin:/bin"}
        said = self.script(*self.arguments("--budget", "0.1"), **environment).stdout
        self.assertIn("profile: left out: ", said)
        self.assertRegex(said.splitlines()[-1], r"^done in 0\.\d min$")

    def main(self, *more: str) -> list:
        out = io.StringIO()
        with mock.patch.object(measure_performance, "RESULTS", self.folder / "results"), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            measure_performance.main(["--build", str(self.build), "--commit", "abc", *more])
        return out.getvalue().splitlines()

    def test_the_folder_is_named_for_the_gpu(self):
        for more, name in (((), "h200"), (("--gpu-name", "mine"), "mine")):
            folder = self.folder / "results" / name
            lines = self.main("--quick", "--only", "host", *more)
            self.assertEqual(lines[:-1], [f"NVIDIA H200, commit abc, into {folder}",
                                          f"host: in {folder / 'host.json'}, pace 'quick'"])
            self.assertTrue((folder / "host.json").exists())

    def test_minutes_are_counted(self):
        clock = SimpleNamespace(monotonic=mock.Mock(side_effect=[100, 160, 400]))
        with mock.patch.object(measure_performance, "time", clock), \
                mock.patch.object(measure_performance, "pace_for", return_value=QUICK) as pace_for:
            lines = self.main("--only", "host")
        self.assertEqual(pace_for.call_args[0][3], 1)
        self.assertEqual(lines[-1], "done in 5.0 min")

    def test_the_build_may_be_in_the_environment(self):
        arguments = [word for word in self.arguments("--dry-run")
                     if word not in ("--build", self.build)]
        self.script(*arguments, STREAM_COMPACTION_BUILD=str(self.build))

    def test_a_measure_time_that_says_nonsense(self):
        program = Path(self.build) / "bin/measure_time"
        program.write_text("#!/bin/sh\necho '{\"rows\": 3}'\n")
        self.assertIn("could not be parsed", self.error(*self.arguments(), code=4))


if __name__ == "__main__":
    unittest.main()
