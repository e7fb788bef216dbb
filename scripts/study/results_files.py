"""Results files: results/<gpu>/<experiment>.json, as results/schema.json describes them."""
from __future__ import annotations

import datetime
import functools
import json
import os
import reprlib
import stat
import sys
import tempfile
from pathlib import Path
from typing import Callable, Optional, Sequence, Union

from study.command_line import ExitCode, ScriptError

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = REPOSITORY / "results"
SCHEMA = REPOSITORY / "results/schema.json"
DISTRIBUTED = "distributed"  # the experiment on several GPUs, by another program
DISTRIBUTED_SCHEMA = RESULTS / "distributed_schema.json"

# The fields that identify a row in its file.
KEY = ("operation", "algorithm", "mode", "n", "distribution", "kept", "block_size",
       "items_per_thread", "variant", "padding")
DISTRIBUTED_KEY = ("operation", "gpus", "n", "distribution")

_inputs: list[Path] = []  # files that were read

# Fields that a row may omit instead of null. Readers need not know which are missing.
OPTIONAL = ("model", "variant", "energy_mj", "block_size", "items_per_thread", "phases_us")


def key_of(row: dict) -> tuple:
    return tuple(row.get(name) for name in KEY)


def distributed_key_of(row: dict) -> tuple:
    return tuple(row[name] for name in DISTRIBUTED_KEY)


def load(path: Path) -> dict:
    """A results file of measure_time, or a ScriptError that explains what is wrong with it."""
    return parse(read_input(path), str(path))


def parse(text: Union[str, bytes], name: str) -> dict:
    """The results of measure_time in a text, or a ScriptError that explains what is wrong with it."""
    return with_optional_fields(parse_json(text, name, "a results file", what_is_wrong))


def with_optional_fields(data: dict) -> dict:
    for row in data["rows"]:
        for name in OPTIONAL:
            row.setdefault(name, None)
    return data


def parse_distributed(text: Union[str, bytes], name: str) -> dict:
    """The results of distributed_test in a text, or a ScriptError that explains what is wrong with it."""
    return parse_json(text, name, "a results file of several GPUs", what_is_wrong_if_distributed)


def parse_any(text: Union[str, bytes], name: str) -> dict:
    """The results of either program."""
    data = parse_json(text, name, "a results file", lambda data: (
        what_is_wrong_if_distributed if isinstance(data, dict) and data.get("experiment") == DISTRIBUTED
        else what_is_wrong)(data))
    return data if data["experiment"] == DISTRIBUTED else with_optional_fields(data)


def parse_json(text: Union[str, bytes], name: str, kind: str,
               find_fault: Callable[[object], Optional[str]]) -> dict:
    """The JSON in a text, or a ScriptError that explains what is wrong with it."""
    try:
        data = json.loads(text, parse_constant=refuse_constant,
                          object_pairs_hook=without_repetition)
        wrong = find_fault(data)
    except ValueError as error:
        raise ScriptError(f"{name} is not valid JSON: {error}", ExitCode.FILES) from error
    except RecursionError as error:
        raise ScriptError(f"{name} is not {kind}: it is nested too deeply",
                          ExitCode.FILES) from error
    if wrong:
        raise ScriptError(f"{name} is not {kind}: {wrong}", ExitCode.FILES)
    return data


def refuse_constant(name: str) -> None:
    """Python parses NaN and Infinity, which JSON does not have."""
    raise ValueError(f"{name} is not a number")


def without_repetition(fields: list[tuple[str, object]]) -> dict:
    """Of a name that an object has twice, Python's parser keeps the last value."""
    made = dict(fields)
    if len(made) < len(fields):
        names = [name for name, _ in fields]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has the name {reprlib.repr(repeated)} twice")
    return made


@functools.cache
def validator(path: Path):
    """Returns a validator of a schema. Unlike in JSON Schema, 8.0 is not an integer, because it cannot
    be shifted."""
    try:
        import jsonschema
    except ImportError as error:
        raise ScriptError(f"reading results needs jsonschema: install python3-jsonschema ({error})",
                          ExitCode.USAGE) from error
    draft = jsonschema.Draft7Validator
    checker = draft.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    schema = json.loads(read_input(path))
    return jsonschema.validators.extend(draft, type_checker=checker)(
        without_references(schema, schema["definitions"]))


def without_references(schema: object, definitions: dict) -> object:
    """Replaces each "$ref" by its definition, because following it takes longer than the check itself."""
    if isinstance(schema, list):
        return [without_references(part, definitions) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    return {name: without_references(part, definitions) for name, part in schema.items()}


def what_is_wrong_by(schema: Path, data: object) -> Optional[str]:
    """Returns the first fault by a schema."""
    error = next(validator(schema).iter_errors(data), None)
    if error is None:
        return None
    expected = error.schema.get("title")
    text = (f"{reprlib.repr(error.instance)} is not {expected}"
            if error.validator in ("not", "pattern") and expected
            else error.message)
    return ": ".join(filter(None, ["/".join(map(str, error.absolute_path)), text]))[:200]


def what_is_wrong(data: object) -> Optional[str]:
    """Returns the first fault: of the schema, or of rules that a schema cannot express."""
    wrong = what_is_wrong_in_all(SCHEMA, data, lambda row: key_of(row) + (row.get("kernel"),))
    if wrong:
        return wrong
    for i, row in enumerate(data["rows"]):
        if "median_us" in row and not (row["min_us"] <= row["q1_us"] <= row["median_us"]
                                       <= row["q3_us"]):
            return f"rows/{i}: minimum, first quartile, median and third quartile are not in order"
        if "samples_us" in row and len(row["samples_us"]) != row["samples"]:
            return f"rows/{i}: samples is {row['samples']}, but samples_us has {len(row['samples_us'])}"
        if "rounds" in row and sum(row["rounds"]) != len(row.get("samples_us", [])):
            return f"rows/{i}: rounds do not add up to the number of samples_us"
    return None


def what_is_wrong_if_distributed(data: object) -> Optional[str]:
    """The same for results of several GPUs."""
    return what_is_wrong_in_all(DISTRIBUTED_SCHEMA, data, distributed_key_of)


def what_is_wrong_in_all(schema: Path, data: object, key: Callable[[dict], tuple]) -> Optional[str]:
    """Returns the first fault: of the schema, of the date, or a row with the key of an earlier one."""
    wrong = what_is_wrong_by(schema, data)
    if wrong:
        return wrong
    date = data["machine"]["date"]
    try:
        datetime.date.fromisoformat(date)
    except ValueError:
        return f"machine/date: '{date}' is not a day of the calendar"
    seen: dict[tuple, int] = {}
    for i, row in enumerate(data["rows"]):
        first = seen.setdefault(key(row), i)
        if first != i:
            return f"rows/{i} repeats rows/{first}"
    return None


def is_amount(value: object) -> bool:
    """Whether a number can be a time, a size or a count. Python's JSON parser also accepts NaN."""
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and 0 <= value <= sys.float_info.max)


def dump_row(row: dict) -> str:
    """Returns a line without spaces, and without the fields that mean the same if they are missing."""
    told = {name: value for name, value in row.items() if value is not None or name not in OPTIONAL}
    return json.dumps(told, separators=(",", ":"))


def dump(data: dict) -> str:
    """Returns JSON with a line for each row, so that git compares rows."""
    parts = []
    for name, value in data.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            lines = ",\n".join(map(dump_row, value))
            parts.append(f"  {json.dumps(name)}: [\n{lines}\n  ]")
        else:
            parts.append(f"  {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def permissions_for(path: Path) -> int:
    """The permissions of an existing file, otherwise those of a new file under the user's umask."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def is_same_file(a: Path, b: Path) -> bool:
    """Also through links."""
    try:
        return os.path.samefile(a, b)
    except OSError:  # one of them does not exist
        return os.path.realpath(a) == os.path.realpath(b)


def refuse_inputs(path: Path) -> None:
    """Called before an output is written: it must not be a file that was read as an input."""
    if any(is_same_file(path, one) for one in _inputs):
        raise ScriptError(f"--output: given '{path}', expected another file than the inputs",
                          ExitCode.USAGE)


def why_not_written(error: OSError) -> str:
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return f"{error.filename} is not a folder"
    return error.strerror


def write_bytes(path: Path, content: bytes) -> None:
    """Writes to a file in the same folder and renames it, so that no reader sees an incomplete file.
    Links are followed; a device or a pipe is written to directly. An input is not overwritten."""
    refuse_inputs(path)
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            with open(target, "wb") as file:
                file.write(content)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        permissions = permissions_for(target)
        handle, beside = tempfile.mkstemp(suffix=".part", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(beside, permissions)  # mkstemp creates files that only their owner can read
            os.replace(beside, target)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError as error:
        raise ScriptError(f"{path} cannot be written: {why_not_written(error)}",
                          ExitCode.FILES) from error


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode("utf-8"))


def read_text(path: Path) -> str:
    """The text of a file. Devices and pipes may be endless, and are refused."""
    path = Path(path)
    if path.exists() and not path.is_file():
        raise ScriptError(f"{path} is not a regular file", ExitCode.FILES)
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ScriptError(f"{path} cannot be read: {error.strerror}", ExitCode.FILES) from error
    except UnicodeDecodeError as error:
        raise ScriptError(f"{path} is not UTF-8: {error}", ExitCode.FILES) from error


def read_input(path: Path) -> str:
    """The text of a file that no output of this process may overwrite."""
    _inputs.append(Path(path))
    return read_text(path)


def save(path: Path, data: dict) -> None:
    write_text(path, dump(data))


def load_folder(folder: Path) -> dict[str, dict]:
    """Every results file of a folder, by experiment. All must be of the same GPU."""
    folder = Path(folder)
    if not folder.is_dir():
        raise ScriptError(f"{folder} is not a folder of results; measure first with "
                          "scripts/measure_performance.py", ExitCode.FILES)
    results: dict[str, dict] = {}
    files: dict[str, str] = {}
    for path in sorted(folder.glob("*.json")):
        data = parse_any(read_input(path), str(path))
        experiment = data["experiment"]
        if experiment in results:
            raise ScriptError(f"{folder}: {files[experiment]} and {path.name} both have the "
                              f"experiment '{experiment}'; remove one of them", ExitCode.FILES)
        results[experiment], files[experiment] = data, path.name
        first, gpu = next(iter(results)), data["machine"]["gpu"]
        if gpu != results[first]["machine"]["gpu"]:
            raise ScriptError(f"{folder}: {files[first]} is of '{results[first]['machine']['gpu']}', "
                              f"{path.name} of '{gpu}'; keep the files of one GPU", ExitCode.FILES)
    return results


def folder_for(gpu: str) -> str:
    """'NVIDIA H200' -> 'h200', 'NVIDIA GeForce RTX 4090' -> 'geforce-rtx-4090'."""
    words = "".join(c if c.isalnum() else " " for c in gpu.lower()).split()
    return "-".join(word for word in words if word != "nvidia") or "gpu"


def folders() -> list[Path]:
    """The folders of all measured GPUs."""
    return sorted(path for path in RESULTS.glob("*") if path.is_dir())


def default_folder() -> Path:
    """The folder that README shows: results/h200, or the only folder."""
    found = folders()
    return found[0] if len(found) == 1 else RESULTS / "h200"


def images_of(folder: Path) -> Path:
    """The folder of the pictures of a folder of results."""
    if folder.resolve() == default_folder().resolve():
        return REPOSITORY / "img"
    return folder / "img"


def merge(experiment: str, parts: list[dict]) -> dict:
    """Merges the results of several consecutive calls on one machine into one file."""
    machines = [dict(part["machine"], date=None) for part in parts]
    if any(machine != machines[0] for machine in machines):
        raise ScriptError(f"{experiment}: its parts come from different machines or commits",
                          ExitCode.FILES)
    merged = {"experiment": experiment, "machine": parts[-1]["machine"], "empty_launch_us": {},
              "rows": [], "skipped": []}
    copies: dict[str, dict[str, str]] = {}
    seen = set()
    for part in parts:
        for mode, names in part.get("fastest_copies", {}).items():
            copies[mode] = names | copies.get(mode, {})
        for mode, us in part.get("empty_launch_us", {}).items():
            merged["empty_launch_us"].setdefault(mode, us)
        merged["skipped"] += part.get("skipped", [])
        for row in part["rows"]:
            if key_of(row) not in seen:
                seen.add(key_of(row))
                merged["rows"].append(row)
    if copies:
        merged["fastest_copies"] = copies
    return merged | use_by_others(parts)


def use_by_others(parts: Sequence[dict]) -> dict:
    """The fields about other programs, each of the results during which they used the machine most."""
    use: dict = {}
    hosts = [part["shared_host"] for part in parts if "shared_host" in part]
    if hosts:
        use["shared_host"] = max(hosts, key=lambda host: host["used_by_others"])
    gpus = [part["gpu_use_by_others"] for part in parts if "gpu_use_by_others" in part]
    return use | ({"gpu_use_by_others": max(gpus)} if gpus else {})
