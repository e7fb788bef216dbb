"""The base of script tests: a folder, a build with a fake measure_time, the scripts."""
from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parent
SCRIPTS = TESTS.parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))


def row(**fields) -> dict:
    """A row of a results file; by default a scan by cub."""
    median = fields.get("median_us", 100.0)
    made = {"operation": "scan", "algorithm": "cub", "mode": "cold", "n": 1 << 20,
            "distribution": "uniform50", "kept": None, "block_size": None,
            "items_per_thread": None, "median_us": median, "min_us": 0.98 * median,
            "q1_us": 0.99 * median, "q3_us": 1.01 * median, "samples": 10, "copy_us": 10.0,
            "roof_us": 10.0, "phases_us": None, "verified": True}
    made.update(fields)
    return made


def results(rows: list, experiment: str = "scan", **machine) -> dict:
    about = {"gpu": "NVIDIA H200", "driver": "580.00", "cuda": "13.0", "cub": "3.0.1",
             "host_cpu": "a CPU", "commit": "0123456789abcdef", "date": "2026-11-20"}
    about.update(machine)
    return {"experiment": experiment, "machine": about, "empty_launch_us": {}, "rows": rows,
            "skipped": []}


def nvcc() -> str | None:
    return shutil.which("nvcc", path=os.environ["PATH"] + ":/usr/local/cuda/bin")


class ScriptCase(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.build = self.folder / "a build"

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def write_results(self, name: str, data: dict) -> Path:
        return self.write(name, json.dumps(data))

    def add_program(self, name: str, source: Path, folder: str = "a build/bin") -> Path:
        """A program of the build, in Python."""
        words = shlex.join([sys.executable, str(source)])
        path = self.write(f"{folder}/{name}", f'#!/bin/sh\nexec {words} "$@"\n')
        path.chmod(0o755)
        return path

    def add_measure_time(self) -> None:
        self.add_program("measure_time", TESTS / "fake_measure_time.py")

    def script(self, name: str, *arguments: object, code: int = 0, **environment: str
               ) -> subprocess.CompletedProcess:
        """Runs a script; its errors are one line."""
        variables = {key: value for key, value in os.environ.items()
                     if not key.startswith(("FAKE_", "STREAM_COMPACTION_"))}
        done = subprocess.run(
            [sys.executable, str(SCRIPTS / name), *map(str, arguments)], capture_output=True,
            text=True, env={**variables, **environment}, cwd=self.folder, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def error(self, name: str, *arguments: object, code: int, **environment: str) -> str:
        """The error message of a script that must fail at once."""
        said = self.script(name, *arguments, code=code, **environment).stderr
        self.assertEqual(len(said.splitlines()), 1, said)
        self.assertTrue(said.startswith(f"{name}: "), said)
        return said
