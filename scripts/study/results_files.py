"""Results files: results/<gpu>/<experiment>.json, as results/schema.json describes them."""
from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import Optional

from study.command_line import ExitCode, ScriptError

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = REPOSITORY / "results"

# What tells a row from all others of its file.
KEY = ("operation", "algorithm", "mode", "n", "distribution", "kept", "block_size",
       "items_per_thread", "variant")
TIMES = ("median_us", "min_us", "q1_us", "q3_us")
PHASES = ("map", "scan", "scatter")
INTEGERS = ("n", "block_size", "items_per_thread")
OPTIONAL_NUMBERS = ("kept", "block_size", "items_per_thread", "copy_us", "roof_us", "time_us",
                    "energy_mj", "dram_bytes")


def key_of(row: dict) -> tuple:
    return tuple(row.get(name) for name in KEY)


def load(path: Path) -> dict:
    """A results file, or a ScriptError that says what is wrong with it."""
    try:
        data = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise ScriptError(f"{path} is no JSON: {error}", ExitCode.FILES) from error
    wrong = what_is_wrong(data)
    if wrong:
        raise ScriptError(f"{path} is no results file: {wrong}", ExitCode.FILES)
    return data


def what_is_wrong(data: object) -> Optional[str]:
    """Only what the scripts rely on; the rest is for the schema."""
    if not isinstance(data, dict):
        return "it is no object"
    if not isinstance(data.get("experiment"), str):
        return "'experiment' is no text"
    machine = data.get("machine")
    if not isinstance(machine, dict):
        return "'machine' is no object"
    for name in ("gpu", "commit"):
        if not isinstance(machine.get(name), str):
            return f"'machine' has no '{name}'"
    rows = data.get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return "'rows' is no list of objects"
    is_profile = data["experiment"] == "profile"
    seen: dict[tuple, int] = {}
    for i, row in enumerate(rows):
        wrong = what_is_wrong_in_row(row, is_profile)
        if wrong:
            return f"row {i}{wrong}"
        first = seen.setdefault(key_of(row) + (row.get("kernel"),), i)
        if first != i:
            return f"row {i} is row {first} once more"
    return None


def what_is_wrong_in_row(row: dict, is_profile: bool) -> Optional[str]:
    texts = ("operation", "algorithm") + (("kernel",) if is_profile else ("mode",))
    for name in texts:
        if not isinstance(row.get(name), str):
            return f" has no '{name}'"
    for name in ("distribution", "variant"):
        if not isinstance(row.get(name), (str, type(None))):
            return f"'s '{name}' is no text"
    numbers = ("n",) + (("launches",) if is_profile else TIMES)
    for name in numbers:
        if not is_amount(row.get(name)):
            return f" has no number '{name}'"
    for name in OPTIONAL_NUMBERS:
        if row.get(name) is not None and not is_amount(row[name]):
            return f"'s '{name}' is no number"
    for name in INTEGERS:
        if not isinstance(row.get(name), (int, type(None))):
            return f"'s '{name}' is no whole number"
    phases = row.get("phases_us")
    if phases is not None and not (isinstance(phases, dict) and set(phases) == set(PHASES)
                                   and all(map(is_amount, phases.values()))):
        return "'s 'phases_us' are not the times of map, scan and scatter"
    if not isinstance(row.get("verified", True), bool):
        return "'s 'verified' is neither true nor false"
    if not is_profile and not row["min_us"] <= row["q1_us"] <= row["median_us"] <= row["q3_us"]:
        return "'s minimum, quartiles and median are not in order"
    return None


def is_amount(value: object) -> bool:
    """A number that can be a time, a size or a count. JSON as Python reads it also has NaN."""
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and 0 <= value <= sys.float_info.max)


def dump(data: dict) -> str:
    """JSON with a line for each row: made to be read by people and compared by git."""
    parts = []
    for name, value in data.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            lines = ",\n".join("    " + json.dumps(item) for item in value)
            parts.append(f"  {json.dumps(name)}: [\n{lines}\n  ]")
        else:
            parts.append(f"  {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def permissions_for(path: Path) -> int:
    """Those of a file that is there, else what the user's umask leaves of a new one's."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def write_bytes(path: Path, content: bytes) -> None:
    """Writes beside and renames, so that nobody ever reads half a file. A link keeps leading to its
    file; a device or a pipe is written to, and stays."""
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            with open(target, "wb") as file:
                file.write(content)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        permissions = permissions_for(target)
        handle, beside = tempfile.mkstemp(prefix=target.name + ".", suffix=".part",
                                          dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(beside, permissions)  # mkstemp's files are for their owner alone
            os.replace(beside, target)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError as error:
        raise ScriptError(f"{path} cannot be written: {error.strerror}", ExitCode.FILES) from error


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode("utf-8"))


def read_text(path: Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ScriptError(f"{path} cannot be read: {error.strerror}", ExitCode.FILES) from error
    except UnicodeDecodeError as error:
        raise ScriptError(f"{path} is no UTF-8: {error}", ExitCode.FILES) from error


def save(path: Path, data: dict) -> None:
    write_text(path, dump(data))


def load_folder(folder: Path) -> dict[str, dict]:
    """Every results file of a GPU, by its experiment."""
    folder = Path(folder)
    if not folder.is_dir():
        raise ScriptError(f"{folder} is no folder of results; measure first with "
                          "scripts/measure_performance.py", ExitCode.FILES)
    files = [load(path) for path in sorted(folder.glob("*.json"))]
    return {data["experiment"]: data for data in files}


def folder_for(gpu: str) -> str:
    """'NVIDIA H200' -> 'h200', 'NVIDIA GeForce RTX 4090' -> 'geforce-rtx-4090'."""
    words = "".join(c if c.isalnum() else " " for c in gpu.lower()).split()
    return "-".join(word for word in words if word != "nvidia") or "gpu"


def folders() -> list[Path]:
    """One for each GPU that was measured."""
    return sorted(path for path in RESULTS.glob("*") if path.is_dir())


def default_folder() -> Path:
    """results/h200, or the only folder there is: what README shows."""
    found = folders()
    return found[0] if len(found) == 1 else RESULTS / "h200"


def images_of(folder: Path) -> Path:
    """Where the pictures of a folder of results are."""
    if folder.resolve() == default_folder().resolve():
        return REPOSITORY / "img"
    return folder / "img"


def merge(experiment: str, parts: list[dict]) -> dict:
    """One file from what several calls measured, one after the other on one machine."""
    machines = [dict(part["machine"], date=None) for part in parts]
    if any(machine != machines[0] for machine in machines):
        raise ScriptError(f"{experiment}: its parts come from different machines or commits",
                          ExitCode.FILES)
    merged = {"experiment": experiment, "machine": parts[-1]["machine"], "empty_launch_us": {},
              "rows": [], "skipped": []}
    seen = set()
    for part in parts:
        for mode, us in part.get("empty_launch_us", {}).items():
            merged["empty_launch_us"].setdefault(mode, us)
        merged["skipped"] += part.get("skipped", [])
        for row in part["rows"]:
            if key_of(row) not in seen:
                seen.add(key_of(row))
                merged["rows"].append(row)
    return merged
