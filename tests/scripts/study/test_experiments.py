"""The calls of the experiments, and their estimated duration."""
import contextlib
import io
import unittest
from dataclasses import replace
from unittest import mock

from script_case import ScriptCase, results, row

from study.calls import Call, exponent
from study.command_line import ExitCode, ScriptError
from study.executables import Listing, Row
from study.expected_time import Cost, choose_pace, expected_minutes, expected_seconds
from study.experiments import agree, between, first_choice, has_choice, plan, powers
from study.pace import PACES, PROTOCOL, QUICK, Pace, can_stand_for
from study.session import Session

MODES = ("cold", "hot", "graph", "host")


def made(operation: str, name: str, on_device: bool = True, **fields) -> Row:
    modes = MODES if on_device else ("cold", "hot", "host")
    return replace(Row(operation, name, on_device, modes, (), (), None, None), **fields)


ROWS = (made("scan", "cpu", False), made("scan", "a", block_sizes=(64, 128), items_per_thread=(1, 2, 4)),
        made("scan", "b"), made("compact", "cpu", False), made("compact", "c"),
        made("sort", "cpu", False), made("sort", "d", block_sizes=(64,)))
LISTING = Listing(ROWS, (made("scan", "a", variant="int64"), made("scan", "b", variant="float")),
                  ("uniform", "uniform50", "clustered", "sorted", "zipf"), None)
PACE = Pace("test", 0.1, 2, stride=3, largest=26, between=(12, 22), kept_at=(20, 27),
            distributions_at=(16, 28), block_sizes_at=(20, 22), host_stride=4, host_largest=18)


def shown(call: Call) -> tuple:
    return (call.operation, [row.algorithm for row in call.rows], call.sizes, call.modes)


class Sizes(unittest.TestCase):
    def test_powers_have_both_ends(self):
        self.assertEqual(powers(4, 6), (16, 32, 64))
        self.assertEqual(powers(4, 9, 3), (16, 128, 512))
        self.assertEqual(powers(9, 8), ())
        self.assertEqual(powers(8, 8), (256,))

    def test_between(self):
        self.assertEqual(between((4, 3), 4), (5, 12, 13))
        self.assertEqual(between((4,), 5), (13, 24))

    def test_words(self):
        for n, text in ((1, "2^0"), (1024, "2^10"), (1021, "2^10-3"), (1022, "1022"),
                        (1536, "1536"), (5, "2^3-3")):
            self.assertEqual(exponent(n), text)


class Calls(unittest.TestCase):
    maxDiff = None

    def test_arguments(self):
        call = Call("compact", (ROWS[3], ROWS[4], ROWS[4]), (8, 16), ("cold", "hot"))
        words = ["--operation", "compact", "--algorithm", "cpu,c", "--size", "8,16", "--mode",
                 "cold,hot"]
        self.assertEqual(call.arguments(), words)
        call = replace(call, distributions=("zipf", "sorted"), kept=(0.0, 0.25),
                       block_sizes=(64, 128), items_per_thread=(1,), variants=("all",))
        self.assertEqual(call.arguments(), words + [
            "--distribution", "zipf,sorted", "--kept", "0,0.25", "--block-size", "64,128",
            "--items-per-thread", "1", "--variant", "all"])

    def test_describe(self):
        call = Call("scan", ROWS[:2], (8,), ("cold",))
        self.assertEqual(call.describe(), "scan, n = 2^3, cold, 2 algorithms")
        call = replace(call, sizes=(8, 13), modes=("cold", "hot"), kept=(0, 1), block_sizes=(64,),
                       distributions=("a", "b", "c"), items_per_thread=(1, 2))
        self.assertEqual(call.describe(), "scan, n = 2^3..2^4-3 (2 sizes), cold hot, 2 algorithms, "
                         "3 distributions, 2 kept shares, 2 items per thread")

    def test_measurements(self):
        call = Call("scan", ROWS[:3], (8, 16), ("cold", "graph"))
        self.assertEqual(call.measurements(), 2 * (1 + 2 + 2))
        call = replace(call, distributions=("a", "b", "c"), kept=(0, 1), block_sizes=(64, 128),
                       items_per_thread=(1, 2, 4))
        self.assertEqual([call.contenders(one) for one in ROWS[:3]], [1, 6, 1])
        self.assertEqual(call.measurements(), 2 * 3 * 2 * (1 + 2 * 6 + 2))

    def test_choices(self):
        plain, blocks, both = ROWS[2], made("scan", "x", block_sizes=(64, 128)), ROWS[1]
        one = made("scan", "y", block_sizes=(64,), items_per_thread=(1,))
        self.assertEqual([has_choice(one) for one in (plain, blocks, both, one)],
                         [False, True, True, False])
        self.assertTrue(has_choice(made("scan", "z", items_per_thread=(1, 2))))
        self.assertEqual((agree(blocks, both), agree(one, both), agree(plain, one)),
                         (True, False, True))
        self.assertFalse(agree(replace(blocks, items_per_thread=(1,)), both))
        self.assertEqual((first_choice([(), (1,), (2,)]), first_choice([()])), ((1,), ()))


class Plans(unittest.TestCase):
    maxDiff = None

    def test_scan(self):
        everyone, device = ["cpu", "a", "b"], ["a", "b"]
        small = tuple(1 << k for k in (4, 7, 10, 13, 16, 19, 20))
        large = (1 << 23, 1 << 26)
        calls = [("scan", everyone, small, ("cold", "hot", "graph")),
                 ("scan", everyone, large, ("cold",)), ("scan", device, large, ("hot",)),
                 ("scan", device, (4093, 6144), ("cold",)),
                 ("scan", device, ((1 << 22) - 3, 3 << 21), ("cold",))]
        self.assertEqual([shown(call) for call in plan("scan", LISTING, PACE)], calls)

    def test_rows_on_the_host_everywhere(self):
        pace = replace(PACE, host_everywhere=True, between_modes=("cold", "graph"))
        calls = plan("scan", LISTING, pace)
        self.assertEqual({len(call.rows) for call in calls}, {3})
        self.assertEqual([call.modes for call in calls[3:]], [("cold", "graph"), ("cold",)])

    def test_compact_by_shares_and_clusters(self):
        calls = plan("compact", LISTING, PACE)[-2:]
        self.assertEqual([shown(call) for call in calls],
                         2 * [("compact", ["c"], (1 << 20,), ("cold",))])
        self.assertEqual([(call.kept, call.distributions) for call in calls],
                         [((0.0, 0.01, 0.1, 0.25, 0.75, 0.99, 1.0), ()), ((0.5,), ("clustered",))])
        listing = replace(LISTING, distributions=("uniform",))
        self.assertEqual(len(plan("compact", listing, PACE)), len(plan("compact", LISTING, PACE)) - 1)
        self.assertEqual([row.algorithm for row in plan(
            "compact", LISTING, replace(PACE, host_everywhere=True))[-1].rows], ["cpu", "c"])

    def test_sort_by_distributions(self):
        call = plan("sort", LISTING, PACE)[-1]
        self.assertEqual(shown(call), ("sort", ["d"], (1 << 16,), ("cold",)))
        self.assertEqual(call.distributions, ("uniform50", "sorted", "zipf"))
        self.assertEqual(len(plan("sort", LISTING, PACE)), 4)
        self.assertEqual([row.algorithm for row in plan(
            "sort", LISTING, replace(PACE, host_everywhere=True))[-1].rows], ["cpu", "d"])

    def test_random_models(self):
        listing = replace(LISTING, rows=(*ROWS, made("sort", "thrust_uncached")))
        call, = plan("models", listing, replace(PACE, models=3, models_at=(12, 20, 27)))
        self.assertEqual(shown(call), ("sort", ["d"], (1 << 12, 1 << 20), ("cold", "hot")))
        self.assertEqual(call.distributions, ("model:1", "model:2", "model:3"))
        self.assertEqual((PROTOCOL.models, QUICK.models), (200, 5))

    def test_block_size(self):
        call, = plan("block_size", LISTING, PACE)
        self.assertEqual(shown(call), ("scan", ["a"], (1 << 20, 1 << 22), ("cold",)))
        self.assertEqual((call.block_sizes, call.items_per_thread), ((64, 128), (1, 2, 4)))

    def test_host(self):
        calls = plan("host", LISTING, PACE)
        self.assertEqual([call.operation for call in calls], ["scan", "compact", "sort"])
        self.assertEqual(shown(calls[0]), ("scan", ["cpu", "a", "b"],
                                           (1 << 10, 1 << 14, 1 << 18), ("host",)))
        self.assertEqual(plan("host", LISTING, replace(PACE, largest=14))[0].sizes,
                         (1 << 10, 1 << 14))

    def test_rows_without_the_mode(self):
        with_streamed = replace(LISTING, rows=ROWS + (made("scan", "streamed", modes=("host",)),))
        for experiment in ("scan", "block_size", "models"):
            self.assertEqual(plan(experiment, with_streamed, PACE), plan(experiment, LISTING, PACE))
        self.assertEqual([row.algorithm for row in plan("host", with_streamed, PACE)[0].rows],
                         ["cpu", "a", "b", "streamed"])

    def test_variants(self):
        call, = plan("variants", LISTING, PACE)
        self.assertEqual(shown(call), ("scan", ["a", "b"],
                                       (1 << 16, 1 << 20, 1 << 24, 1 << 26), ("cold",)))
        self.assertEqual(call.variants, ("all",))

    def test_the_protocol_is_the_papers(self):
        self.assertEqual(PROTOCOL.as_json(), {"pace": "protocol", "min_seconds": 0.3,
                                              "max_seconds": 15, "min_samples": 10})
        self.assertEqual(PROTOCOL.arguments(), ["--min-seconds", "0.3", "--max-seconds", "15"])
        self.assertEqual((PROTOCOL.kept_at, PROTOCOL.distributions_at, PROTOCOL.block_sizes_at),
                         ((20, 24, 28), (16, 20, 24, 28), (20, 22, 26)))
        calls = plan("host", LISTING, PROTOCOL)
        self.assertEqual(calls[0].sizes, tuple(1 << k for k in range(10, 29)))

    def test_faster_paces_sample_less(self):
        for slow, fast in zip(PACES, PACES[1:]):
            self.assertLessEqual(fast.min_seconds, slow.min_seconds)
            self.assertLess(fast.max_seconds + fast.min_seconds,
                            slow.max_seconds + slow.min_seconds)
            self.assertLessEqual(set(fast.between), set(slow.between))
        self.assertEqual(PACES[0], PROTOCOL)


class Times(unittest.TestCase):
    COST = Cost(start_s=1, row_s=0.5, check_ns={True: 2, False: 4}, call_us=100,
                call_ns={("scan", True): 10, ("scan", False): 1000}, transfer_ns=90,
                cold_us={True: 900, False: 9000}, fewest_calls=4, calls=10)
    PACE = Pace("test", 0.001, 0.005)

    def seconds(self, *rows: Row, sizes=(1000,), modes=("cold",), **fields) -> float:
        return expected_seconds(Call("scan", rows, sizes, modes, **fields), self.PACE, self.COST)

    def test_a_row_on_the_host(self):
        # 1.1 ms per call, 9 ms for the cache, ten samples, but at most four or 5 ms.
        self.assertAlmostEqual(self.seconds(ROWS[0]), 1 + 0.5 + 4 * 0.0101 + 4e-6)
        self.assertAlmostEqual(self.seconds(ROWS[0], modes=("hot",)), 1 + 0.5 + 0.005 + 4e-6)

    def test_a_row_on_the_device_brings_the_copy(self):
        # 0.11 ms per call, 0.9 ms for the cache; the copy is assumed to be as slow.
        one = 0.5 + 0.005 + 2e-6
        self.assertAlmostEqual(self.seconds(ROWS[2]), 1 + 2 * one)
        self.assertAlmostEqual(self.seconds(ROWS[2], modes=("cold", "graph")),
                               1 + 2 * (one + 0.5 + 0.0011 + 2e-6))
        # On host arrays, with transfers: 0.2 ms per call.
        self.assertAlmostEqual(self.seconds(ROWS[2], modes=("host",)),
                               1 + 2 * (0.5 + 0.002 + 4e-6))

    def test_tunings_and_inputs_multiply(self):
        one = 0.5 + 0.005 + 2e-6
        self.assertAlmostEqual(self.seconds(ROWS[1], block_sizes=(64, 128),
                                            items_per_thread=(1, 2, 4)), 1 + 7 * one)
        self.assertAlmostEqual(self.seconds(ROWS[2], kept=(0, 1), distributions=("a", "b", "c")),
                               1 + 12 * one)

    def test_modes_that_a_row_has_not_and_calls_beyond_a_second(self):
        self.assertAlmostEqual(self.seconds(ROWS[0], modes=("graph",)), 1)
        slow = self.seconds(ROWS[0], sizes=(2 * 10**6,), modes=("hot",))
        self.assertAlmostEqual(slow, 1 + 0.5 + 4 * 2.0001 + 0.008)
        self.assertEqual(self.seconds(ROWS[0], sizes=(2 * 10**6, 4 * 10**6), modes=("hot",)), slow)

    def test_a_pace_for_a_budget(self):
        minutes = [expected_minutes(["scan"], LISTING, pace) for pace in PACES]
        self.assertIs(choose_pace(["scan"], LISTING, minutes[0]), PACES[0])
        self.assertIs(choose_pace(["scan"], LISTING, 0.99 * minutes[0]), PACES[1])
        self.assertIs(choose_pace(["scan"], LISTING, 2 * minutes[1], 2), PACES[1])
        self.assertIs(choose_pace(["scan"], LISTING, 1.99 * minutes[1], 2), PACES[2])
        seconds = sum(expected_seconds(call, PROTOCOL) for call in plan("scan", LISTING, PROTOCOL))
        self.assertAlmostEqual(minutes[0], seconds / 60)
        self.assertAlmostEqual(expected_minutes(["scan", "host"], LISTING, PROTOCOL),
                               minutes[0] + expected_minutes(["host"], LISTING, PROTOCOL))


class Experiments(unittest.TestCase):
    def test_a_quick_study_is_no_full_one(self):
        quick, full = QUICK.as_json(), PROTOCOL.as_json()
        self.assertEqual([can_stand_for(*pair) for pair in (
            (None, QUICK), (quick, QUICK), (full, QUICK), (quick, PROTOCOL), (full, PROTOCOL))],
            [False, True, True, False, True])


class Sessions(ScriptCase):
    """A session whose tool is a function."""

    def setUp(self) -> None:
        super().setUp()
        self.out = self.folder / "out"
        self.machine = results([], commit="abc")["machine"]
        self.codes: list = []
        self.skipped: list = []  # of calls that end with CUDA's code
        self.calls: list = []
        self.session = Session(self, LISTING, self.machine, self.out)
        silence = contextlib.redirect_stderr(io.StringIO())
        silence.__enter__()
        self.addCleanup(silence.__exit__, None, None, None)

    def measure(self, arguments: list, output) -> ExitCode:
        self.calls.append(arguments)
        code = self.codes.pop(0) if self.codes else ExitCode.RIGHT
        rows = [row(n=len(self.calls))] if code != ExitCode.CUDA else []
        self.write_results(output.relative_to(self.folder), dict(
            results(rows), machine=self.machine, skipped=[] if rows else self.skipped))
        return code

    def error(self, experiment: str, code: int) -> str:
        with self.assertRaises(ScriptError) as raised:
            self.session.measure(experiment, PACE)
        self.assertEqual(raised.exception.code, code)
        return str(raised.exception)

    def test_a_file_from_all_calls(self):
        data = self.session.measure("scan", PACE)
        self.assertEqual([one["n"] for one in data["rows"]], [1, 2, 3, 4, 5])
        self.assertEqual(data["protocol"], PACE.as_json())
        self.assertEqual([path.name for path in self.out.iterdir()], ["scan.json"])
        self.assertEqual(self.calls[0][-8:], ["--min-seconds", "0.1", "--max-seconds", "2",
                                              "--experiment", "scan", "--commit", "abc"])
        self.assertEqual(self.session.code, ExitCode.RIGHT)

    def test_is_measured(self):
        self.assertFalse(self.session.is_measured("scan", PACE))
        self.session.measure("scan", PACE)
        self.assertTrue(self.session.is_measured("scan", PACE))
        for name in ("gpu", "commit"):
            other = Session(self, LISTING, dict(self.machine, **{name: "x"}), self.out)
            self.assertFalse(other.is_measured("scan", PACE))
        tomorrow = Session(self, LISTING, dict(self.machine, date="2026-12-31"), self.out)
        self.assertTrue(tomorrow.is_measured("scan", PACE))
        self.write_results("out/profile.json", dict(results([], "profile"), machine=self.machine))
        self.assertTrue(self.session.is_measured("profile", PACE))
        self.write_results("out/scan.json", dict(results([]), machine=self.machine))
        self.assertFalse(self.session.is_measured("scan", PACE))

    def test_the_worst_code_is_kept(self):
        self.codes = [0, 1, 0]
        self.session.measure("scan", PACE)
        self.assertEqual(self.session.code, ExitCode.WRONG)

    def test_errors_end_it(self):
        self.codes = [ExitCode.USAGE]
        self.assertIn("ended with exit code 2", self.error("scan", 2))
        self.codes = [ExitCode.CUDA]
        self.assertIn("measure_time could measure nothing", self.error("scan", 3))
        self.assertFalse((self.out / "scan.json").exists())
        self.session.listing = Listing((), (), (), None)
        self.assertIn("no algorithm of this build", self.error("scan", 2))

    def test_a_call_whose_rows_were_all_skipped_ends_nothing(self):
        skipped = {"operation": "scan", "algorithm": "cub", "mode": "hot", "n": 8}
        self.skipped = [dict(skipped, reason="skipped: needs 8 GiB, 4 GiB free")]
        self.codes = [0, ExitCode.CUDA]
        self.assertEqual([one["n"] for one in self.session.measure("scan", PACE)["rows"]], [1, 3, 4, 5])
        self.assertEqual(self.session.code, ExitCode.RIGHT)
        self.skipped.append(dict(skipped, reason="failed: a kernel"))
        self.codes = [ExitCode.CUDA]
        self.assertIn("measure_time could measure nothing", self.error("sort", 3))

    def test_parts_are_used_again_and_other_experiments_keep_theirs(self):
        self.codes = [0, 0, ExitCode.FILES]
        self.error("scan", 4)
        self.write("out/.parts/sort-1.json", "{}")
        self.write("out/.parts/scan-of-another-commit.json", "{}")
        data = self.session.measure("scan", PACE)
        self.assertEqual([one["n"] for one in data["rows"]], [1, 2, 4, 5, 6])
        self.assertEqual([path.name for path in (self.out / ".parts").iterdir()], ["sort-1.json"])

    def test_a_part_that_cannot_be_read_is_not_kept(self):
        def measure(_: list, output) -> ExitCode:
            output.write_bytes(b"\xff")
            return ExitCode.RIGHT
        with mock.patch.object(self, "measure", measure):
            self.assertIn("is not UTF-8", self.error("scan", 4))
        self.assertEqual(list((self.out / ".parts").glob("*.json")), [])

    def test_slowness_is_known_after_a_while(self):
        self.session.elapsed_s, self.session.expected_s = 30.0, 20.0
        self.assertEqual(self.session.slowness(), 1)
        self.session.expected_s = 21.0
        self.assertEqual(self.session.slowness(), 30 / 21)

    def test_what_was_expected_is_summed(self):
        self.session.measure("scan", PACE)
        calls = plan("scan", LISTING, PACE)
        self.assertAlmostEqual(self.session.expected_s,
                               sum(expected_seconds(call, PACE) for call in calls))
        self.assertGreater(self.session.elapsed_s, 0)
        self.assertLess(self.session.elapsed_s, 5 * len(calls))


if __name__ == "__main__":
    unittest.main()
