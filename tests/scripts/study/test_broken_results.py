"""Results files with random content: refused in one line, or accepted by everything that shows results."""
import contextlib
import copy
import io
import json
import os
import random
import unittest

import fabricated
from script_case import ScriptCase

import tune_parameters
from study.command_line import ExitCode, ScriptError
from study.pictures.gallery import pictures
from study.readme_tables import BLOCKS
from study.report.data import as_data
from study.results_files import DISTRIBUTED, distributed_key_of, parse_any
from study.results_page import block
from study.rows import rows_of
from study.tuning_choices import choices
from study.verdicts import compare, describe, format_row, summaries

try:
    import jsonschema
except ImportError:
    jsonschema = None

OTHER_ROWS = ("profile", DISTRIBUTED)
MUTATIONS = int(os.environ.get("MUTATIONS", "60"))  # of each file
ANYTHING = (None, True, 0, -1, 1, 2, 0.0, 0.001, 1e-320, 1e15, 1e308, 10 ** 400, 1 << 24, "", "x",
            "compact", "hot", "cub", "model:3", "\x1b[31m", "\ud800", float("nan"), [], {}, ["x"])


def places(node: object) -> list:
    """The places where something can be replaced: containers, each with a key."""
    if not isinstance(node, (dict, list)):
        return []
    keys = list(node if isinstance(node, dict) else range(len(node)))
    return [(node, key) for key in keys] + [place for key in keys for place in places(node[key])]


def broken(data: dict, draw: random.Random) -> dict:
    """Replaces or removes a value, or a field of all rows."""
    data = copy.deepcopy(data)
    node, key = draw.choice(places(data))
    rows = data["rows"] if isinstance(node, dict) and draw.random() < 0.5 else [node]
    value = draw.choice(ANYTHING)
    for one in rows:
        if draw.random() < 0.1 and isinstance(one, dict):
            one.pop(key, None)
        elif one is node or key in one:
            one[key] = value
    return data


def show(results: dict, before: dict) -> None:
    """Everything that scripts generate from results, except pixels."""
    for picture in pictures(results):
        picture.digest()
    for name in BLOCKS:
        block(name, results)
    for experiment, data in results.items():
        if experiment not in OTHER_ROWS:
            as_data({"folder": {experiment: data}})
            compared, _, _ = compare(before[experiment], data, 0.05)
            for comparison in compared:
                format_row(comparison, 0)
            summaries(compared)
            tuned = [row for row in rows_of(results, experiment) if row["block_size"]]
            tune_parameters.print_choices(choices(tuned, {}))


@unittest.skipUnless(jsonschema, "needs python3-jsonschema")
class Broken(ScriptCase):
    def setUp(self) -> None:
        super().setUp()
        self.files = fabricated.everything()
        silence = contextlib.redirect_stdout(io.StringIO())
        silence.__enter__()
        self.addCleanup(silence.__exit__, None, None, None)

    def show(self, experiment: str, data: dict) -> None:
        show({**self.files, experiment: parse_any(json.dumps(data), "a.json")}, self.files)

    def test_anything_anywhere(self) -> None:
        draw = random.Random(1)
        shown = 0
        for experiment, data in self.files.items():
            for i in range(MUTATIONS):
                changed = broken(data, draw)
                with self.subTest(experiment=experiment, i=i):
                    try:
                        self.show(experiment, {**changed, "experiment": experiment})
                        shown += 1
                    except ScriptError as error:
                        self.assertEqual(error.code, ExitCode.FILES)
                        self.assertTrue(str(error).isprintable(), str(error))
        self.assertGreater(shown, MUTATIONS)

    def test_fields_of_all_rows(self) -> None:
        none = dict(copy_us=None, roof_us=None)
        zero = dict(min_us=0, q1_us=0, median_us=0, q3_us=0)
        for fields in (none, zero, {"n": 0}, {"roof_us": 0}, {"copy_us": 0},
                       {"min_us": 0, "q1_us": 0}, {"variant": None}, {"block_size": None},
                       {"verified": False}, {"mode": "graph"}, {"distribution": "model:1"},
                       {"phases_us": {"map": 0, "scan": 0, "scatter": 0}}):
            for experiment, data in self.files.items():
                with self.subTest(experiment=experiment, fields=fields):
                    rows = {describe({**row, **fields}): {**row, **fields}
                            for row in data["rows"]} if experiment not in OTHER_ROWS else {}
                    self.show(experiment, {**data, "rows": list(rows.values())})

    def test_fields_of_all_rows_of_several_gpus(self) -> None:
        parts = ("count_us", "exchange_us", "sort_us", "sent_bytes")
        data = self.files[DISTRIBUTED]
        for fields in ({"n": 0}, {"median_us": 0}, {"one_gpu_us": 0}, {"one_gpu_us": None}, {"gpus": 1},
                       {"gpus": 2}, {"verified": False}, {"distribution": "zipf"},
                       dict.fromkeys(parts, 0), dict.fromkeys(parts), {"exchange_us": None},
                       {"sent_bytes": 0}):
            with self.subTest(fields=fields):
                rows = [{**row, **fields} for row in data["rows"]]
                for row in rows:
                    if row["operation"] != "sort" or row["gpus"] == 1:
                        row.update(dict.fromkeys(parts))
                self.show(DISTRIBUTED, {**data, "rows": list({
                    distributed_key_of(row): row for row in rows}.values())})

    def test_rows_without_a_variant(self) -> None:
        data = self.files["variants"]
        data["rows"] = data["rows"][:3:2]
        for row in data["rows"]:
            del row["variant"]
        self.show("variants", data)
        self.assertIn("| `int` | `ours` |", block("variants", {"variants": data}))


if __name__ == "__main__":
    unittest.main()
