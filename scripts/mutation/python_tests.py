"""Runs the tests of the scripts, each time in a process of its own, in whose memory a script can be broken."""

import ast
import importlib
import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import unittest
from pathlib import Path

from mutation.python import sites
from mutation.sources import ROOT

SCRIPTS = ROOT / "scripts"
TESTS = ROOT / "tests/scripts"
FOLDERS = sorted({str(path.parent) for path in TESTS.rglob("test_*.py")})
HANGS = 30  # seconds, and ten times what the tests take


class Loader:
    """Finds the scripts' modules, one of them broken."""

    def __init__(self, mutant):
        self.mutant = mutant

    def find_spec(self, name, path=None, target=None):
        file = SCRIPTS / f"{name.replace('.', '/')}.py"
        if file.exists():
            return importlib.util.spec_from_file_location(name, file, loader=self)
        return None  # of the package itself, too, in which nothing can be broken

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(self.code(Path(module.__spec__.origin)), module.__dict__)

    def code(self, path: Path):
        tree = ast.parse(path.read_text())
        if self.mutant is not None and path.name == self.mutant.file:
            sites(tree, path.name)[self.mutant.index].swap()
        return compile(ast.fix_missing_locations(tree), str(path), "exec")


class Lines:
    """The lines of scripts that this process and those that it calls come to."""

    def __init__(self, path: Path):
        self.path = path
        self.seen = set()

    def trace(self, frame, event, _):
        if not frame.f_code.co_filename.startswith(str(SCRIPTS)):
            return None
        self.seen.add((Path(frame.f_code.co_filename).name, frame.f_lineno))
        return self.trace

    def save(self) -> None:
        with open(self.path, "a", encoding="utf-8") as file:
            file.writelines(f"{name} {line}\n" for name, line in self.seen)


def call_script(loader: Loader, lines, run):
    """Stands in for subprocess.run of a script: its process is forked, and broken as this one is."""
    def called(command, **options):
        if len(command) < 2 or Path(command[1]).parent != SCRIPTS:
            return run(command, **options)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = os.fork()
            if process == 0:
                os._exit(script(loader, lines, command, options, out, err))
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode(errors="replace"))
        return subprocess.CompletedProcess(command, code, *texts)
    return called


def script(loader, lines, command, options, out, err) -> int:
    os.chdir(options["cwd"])
    os.environ.clear()
    os.environ.update(options["env"])
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    sys.stdout, sys.stderr = (io.TextIOWrapper(os.fdopen(fd, "wb", closefd=False),
                                               encoding="utf-8") for fd in (1, 2))
    sys.argv = command[1:]
    code = 0
    try:
        if lines:
            lines.seen.clear()
            sys.settrace(lines.trace)
        exec(loader.code(Path(command[1])), {"__name__": "__main__", "__file__": command[1]})
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.settrace(None)
    if lines:
        lines.save()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    return code


def run_tests(names, mutant=None, lines=None):
    """The first test that fails, with a broken script; nothing where all pass."""
    loader = Loader(mutant)
    sys.meta_path.insert(0, loader)
    sys.path[:0] = FOLDERS
    import script_case
    script_case.subprocess = type("subprocess", (), {
        "run": staticmethod(call_script(loader, lines, subprocess.run)),
        "CompletedProcess": subprocess.CompletedProcess})
    if lines:
        sys.settrace(lines.trace)
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    result = unittest.TestResult()
    result.failfast = True
    start = time.monotonic()
    suite.run(result)
    sys.settrace(None)
    if lines:
        lines.save()
        lines.path.with_suffix(".seconds").write_text(str(time.monotonic() - start))
    failed = [*result.errors, *result.failures]
    return failed[0][0].id() if failed else None


def forked(work, seconds: int, report: Path) -> int:
    """Starts a process that writes what work() answers into the report."""
    sys.stdout.flush()
    process = os.fork()
    if process:
        return process
    signal.alarm(seconds)
    os.setpgid(0, 0)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    try:
        answer = work()
    except BaseException as error:  # a module that cannot be imported
        answer = repr(error)
    report.write_text(json.dumps(answer))
    os._exit(0)


def test_names() -> list:
    """Asked of a process of its own: here, no script may be imported."""
    code = ("import sys, unittest; sys.path[:0] = sys.argv[1:]\n"
            "def names(suite):\n"
            "    for test in suite:\n"
            "        yield from names(test) if hasattr(test, '__iter__') else [test.id()]\n"
            "for folder in sys.argv[1:]:\n"
            "    suite = unittest.defaultTestLoader.discover(folder, top_level_dir=folder)\n"
            "    print(*names(suite), sep='\\n')")
    listed = subprocess.run([sys.executable, "-B", "-c", code, *FOLDERS], capture_output=True,
                            text=True, check=True)
    return listed.stdout.split()


class Pool:
    """As many processes as there are cores."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.running = {}

    def run(self, jobs, done) -> None:
        """jobs: key, work, seconds; done(key, answer) for each as it ends."""
        for key, work, seconds in jobs:
            while len(self.running) >= (os.cpu_count() or 1):
                self.wait(done)
            report = self.folder / f"{len(os.listdir(self.folder))}.json"
            report.touch()
            self.running[forked(work, seconds, report)] = key, report
        while self.running:
            self.wait(done)

    def wait(self, done) -> None:
        process, _ = os.waitpid(-1, 0)
        key, report = self.running.pop(process)
        try:
            os.killpg(process, signal.SIGKILL)  # what a test that hangs has left
        except ProcessLookupError:
            pass
        text = report.read_text()
        done(key, json.loads(text) if text else "a test that hangs")


def preload() -> None:
    """What takes long to import, and is no script."""
    for name in ("csv", "argparse", "hashlib", "xml.etree.ElementTree", "jsonschema", "numpy",
                 "matplotlib.pyplot", "matplotlib.backends.backend_svg",
                 "matplotlib.backends.backend_agg"):
        try:
            importlib.import_module(name)
        except ImportError:
            pass


def survey(pool: Pool, names) -> tuple:
    """How long each test takes, and which tests come to a line."""
    seconds, users = {}, {}

    def jobs():
        for i, name in enumerate(names):
            lines = Lines(pool.folder / f"lines{i}")
            yield (name, lines), lambda n=name, l=lines: run_tests([n], lines=l), 10 * HANGS

    def done(key, failed):
        name, lines = key
        if failed:
            sys.exit(f"without any mutant, {name} fails")
        seconds[name] = float(lines.path.with_suffix(".seconds").read_text())
        for line in set(lines.path.read_text().splitlines()):
            file, number = line.split()
            users.setdefault((file, int(number)), set()).add(name)
    pool.run(jobs(), done)
    return seconds, users
