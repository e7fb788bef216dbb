"""Joining the samples files of several rounds."""
import unittest

from script_case import results, row

from study.results_files import what_is_wrong
from study.rounds import merge_rounds

try:
    import jsonschema
    import numpy
except ImportError:
    numpy = None


def sampled(*samples: float, **fields) -> dict:
    return row(samples=len(samples), samples_us=list(samples), **fields)


@unittest.skipUnless(numpy, "needs python3-jsonschema and python3-numpy")
class Rounds(unittest.TestCase):
    def test_the_samples_of_a_row(self):
        merged = merge_rounds([results([sampled(1, 2, 3)]), results([sampled(4, 9)])])
        made, = merged["rows"]
        self.assertEqual((made["samples_us"], made["rounds"], made["samples"]), ([1, 2, 3, 4, 9], [3, 2], 5))
        self.assertEqual((made["min_us"], made["q1_us"], made["median_us"], made["q3_us"]), (1, 2, 3, 4))
        self.assertIsNone(what_is_wrong(merged))
        self.assertFalse({"throttled", "discarded", "unsteady_clock"} & set(made))
        self.assertNotIn("shared_host", merged)

    def test_a_row_that_a_round_lacks_is_left_out(self):
        merged = merge_rounds([results([sampled(1), sampled(1, n=7)]), results([sampled(2, n=7)])])
        self.assertEqual([made["n"] for made in merged["rows"]], [7])

    def test_a_mark_of_one_round_marks_the_row(self):
        rounds = [results([sampled(1, throttled=True)]), results([sampled(2, discarded=3)]),
                  results([sampled(3, discarded=2, unsteady_clock=True, verified=False)])]
        for data, used in zip(rounds[1:], (2.5, 1)):
            data["shared_host"] = {"cpus": 4, "used_by_others": used}
        merged = merge_rounds(rounds)
        made, = merged["rows"]
        self.assertEqual([made[name] for name in ("throttled", "discarded", "unsteady_clock", "verified")],
                         [True, 5, True, False])
        self.assertEqual(merged["shared_host"], {"cpus": 4, "used_by_others": 2.5})
        self.assertIsNone(what_is_wrong(merged))


if __name__ == "__main__":
    unittest.main()
