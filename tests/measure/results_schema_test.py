"""Files against results/schema.json: what the program writes, and what is in results/.

    results_schema_test.py <print_results program>

Returns 77, which CTest takes as skipped, where the package jsonschema is missing.
"""
import copy
import csv
import io
import json
import subprocess
import sys
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("skipped: the Python package jsonschema is not installed")
    sys.exit(77)

RESULTS = Path(__file__).resolve().parents[2] / "results"


def broken_versions(good):
    """Pairs of a fault and a file, which the schema must refuse."""
    def version(what, change):
        file = copy.deepcopy(good)
        change(file)
        return what, file

    row = good["rows"][0]
    optional = {"variant", "model", "energy_mj", "block_size", "items_per_thread", "phases_us"}
    for name in row.keys() - optional:
        yield version(f"a row without {name}", lambda file, name=name: file["rows"][0].pop(name))
    for name, value in (("operation", "merge"), ("mode", "warm"), ("n", -1), ("n", 1.5),
                        ("kept", 1.5), ("block_size", 0), ("median_us", "fast"),
                        ("median_us", -1), ("median_us", None), ("samples", 0),
                        ("distribution", "Flat?"),
                        ("distribution", "model:x"), ("model", ""), ("verified", None), ("throttled", False),
                        ("discarded", 0), ("unsteady_clock", False),
                        ("phases_us", {"map": 1}), ("energy_mj", -1), ("energy_mj", "2 mJ"),
                        ("samples_us", []), ("samples_us", [1, "2"]), ("samples_us", [-1]),
                        ("rounds", []), ("rounds", [0]), ("padding", 1)):
        yield version(f"{name} is {value!r}",
                      lambda file, name=name, value=value: file["rows"][0].update({name: value}))
    yield version("a row with an unknown field", lambda file: file["rows"][0].update(note="x"))
    yield version("no rows", lambda file: file.pop("rows"))
    yield version("a machine without a commit", lambda file: file["machine"].pop("commit"))
    yield version("a date of another kind", lambda file: file["machine"].update(date="20.11.2026"))
    yield version("a launch in no mode", lambda file: file["empty_launch_us"].update(warm=1))
    yield version("a copy without a name", lambda file: file["fastest_copies"]["hot"].update({"64": ""}))
    yield version("a copy of no bytes", lambda file: file["fastest_copies"]["hot"].update(all="bulk"))
    yield version("a GPU that others hardly use", lambda file: file.update(gpu_use_by_others=4))
    yield version("a shared host without its load", lambda file: file["shared_host"].pop("used_by_others"))
    yield version("a skipped row without a reason", lambda file: file["skipped"][0].pop("reason"))


def main():
    schema = json.loads((RESULTS / "schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    failures = []

    written = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout
    good = json.loads(written)
    written = subprocess.run([sys.argv[1], "samples"], capture_output=True, text=True, check=True).stdout
    files = {"what print_results writes": good, "the same with samples": json.loads(written)}
    for path in sorted(RESULTS.glob("*/*.json")):
        files[str(path)] = json.loads(path.read_text(encoding="utf-8"))
    several_gpus = jsonschema.Draft7Validator(
        json.loads((RESULTS / "distributed_schema.json").read_text(encoding="utf-8")))
    for name, file in files.items():
        by = several_gpus if file["experiment"] == "distributed" else validator
        failures += [f"{name}: {error.json_path}: {error.message}" for error in by.iter_errors(file)]
    for what, file in broken_versions(good):
        if validator.is_valid(file):
            failures.append(f"not refused: {what}")

    table = subprocess.run([sys.argv[1], "csv"], capture_output=True, text=True, check=True).stdout
    lines = list(csv.DictReader(io.StringIO(table)))
    for row, line in zip(good["rows"], lines, strict=True):
        for name in set(row) & set(line):
            value = row[name]
            expected = "" if value is None else value if isinstance(value, str) else json.dumps(value)
            if line[name] != expected:
                failures.append(f"CSV: {name} is {line[name]!r} instead of {expected!r}")

    print("\n".join(failures) or f"{len(files)} files are as the schema says")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
