"""The checkout's .venv, for packages from PyPI that a script needs; scripts/setup uses it as well."""
from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path
from typing import Iterable

from study.command_line import ExitCode, ScriptError
from study.results_files import REPOSITORY

VENV = REPOSITORY / ".venv"


def go_on_with(requirements: Iterable[str]) -> None:
    """Returns the folder with the requirements, each as "name==version", for this Python. Otherwise
    the script restarts in .venv, after missing requirements have been installed there."""
    wanted = set(requirements)
    if wanted <= installed(sys.path):
        return
    is_inside = Path(sys.prefix).resolve() == VENV.resolve()
    if is_inside or not is_in_venv(wanted):
        install(sorted(wanted))
    python = str(VENV / "bin/python")
    try:
        os.execv(python, [python, *sys.argv])
    except OSError as error:
        raise ScriptError(f"{python} cannot be started: {error.strerror}", ExitCode.FILES) from error


def is_in_venv(requirements: Iterable[str]) -> bool:
    return set(requirements) <= installed(VENV.glob("lib/python3*/site-packages"))


def installed(folders: Iterable[object]) -> set[str]:
    return {f"{found.name}=={found.version}" for found in distributions(path=list(map(str, folders)))}


def install(requirements: list[str]) -> None:
    print(f"installing from PyPI, into .venv, {' '.join(requirements)}", file=sys.stderr, flush=True)
    commands = ([sys.executable, "-m", "venv", str(VENV)],
                [str(VENV / "bin/python"), "-m", "pip", "install", "--quiet",
                 "--disable-pip-version-check", *requirements])
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              check=False)
        if done.returncode:
            said = (done.stdout + done.stderr).strip()
            last = (said or "nothing").splitlines()[-1]
            hint = "; install python3-venv" if "ensurepip" in said else ""
            raise ScriptError(f"'python -m {command[2]}' failed: {last}{hint}", ExitCode.FILES)
