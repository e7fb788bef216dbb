"""How the scripts find and call programs, which commit they record, and how they end."""
import errno
import io
import json
import os
import resource
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

from script_case import SCRIPTS, TESTS, ScriptCase, results

from study import command_line, executables
from study.command_line import ExitCode, Progress, ScriptError
from study.executables import (MeasureTime, current_commit, find_program, known_code, last_line,
                               read_listing)

import fake_measure_time


class Commit(ScriptCase):
    """In a separate repository."""

    def setUp(self) -> None:
        super().setUp()
        for name in ("code.py", "README.md", "results/a.json", "img/a.svg"):
            self.write(name, "1")
        self.git("init", "--quiet")
        patch = mock.patch.object(executables, "REPOSITORY", self.folder)
        patch.start()
        self.addCleanup(patch.stop)

    def git(self, *arguments: str) -> str:
        name = ("-c", "user.name=a", "-c", "user.email=a@b")
        return subprocess.run(["git", *name, *arguments], cwd=self.folder, check=True,
                              capture_output=True, text=True).stdout.strip()

    def commit(self) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a")
        return self.git("rev-parse", "HEAD")

    def test_changed_sources_are_dirty(self):
        head = self.commit()
        self.assertEqual(current_commit(), head)
        self.write("code.py", "2")
        self.assertEqual(current_commit(), head + "-dirty")

    def test_results_and_what_is_made_of_them_do_not_count(self):
        head = self.commit()
        for name in ("README.md", "results/a.json", "img/a.svg", "new.py"):
            self.write(name, "2")
        self.assertEqual(current_commit(), head)

    def test_without_a_commit_it_is_unknown(self):
        self.assertEqual(current_commit(), "unknown")
        with mock.patch.dict(os.environ, {"PATH": ""}):
            self.assertEqual(current_commit(), "unknown")


class Programs(ScriptCase):
    def test_a_build_that_is_named_is_the_only_one(self):
        self.add_measure_time()
        program = self.build / "bin/measure_time"
        self.assertEqual(find_program("measure_time", str(self.build)), program)
        with mock.patch.dict(os.environ, {"STREAM_COMPACTION_BUILD": str(self.build)}):
            self.assertEqual(find_program("measure_time", None), program)
            with self.assertRaises(ScriptError):
                find_program("measure_time", str(self.folder))
        program.chmod(0o644)
        with self.assertRaises(ScriptError) as raised:
            find_program("measure_time", str(self.build))
        self.assertEqual(raised.exception.code, ExitCode.USAGE)
        self.assertIn(f"there is no measure_time in {self.build / 'bin'};", str(raised.exception))

    def test_else_build_and_then_the_newest(self):
        with mock.patch.object(executables, "REPOSITORY", self.folder), \
                mock.patch.dict(os.environ):
            os.environ.pop("STREAM_COMPACTION_BUILD", None)
            with self.assertRaisesRegex(ScriptError, "in any build"):
                find_program("tool", None)
            for i, name in enumerate(("build-a", "build-b", "build-c")):
                self.add_program("tool", TESTS / "fake_ncu.py", f"{name}/bin")
                os.utime(self.folder / name, (100 - 10 * (i % 2), 100 - 10 * (i % 2)))
            os.utime(self.folder / "build-c", (200, 200))
            self.assertEqual(find_program("tool", None), self.folder / "build-c/bin/tool")
            (self.folder / "build-c/bin/tool").unlink()
            self.assertEqual(find_program("tool", None), self.folder / "build-a/bin/tool")
            (self.folder / "build-a/bin/tool").unlink()
            (self.folder / "build-a/bin/tool").mkdir()  # executable, but not a program
            self.assertEqual(find_program("tool", None), self.folder / "build-b/bin/tool")
            self.add_program("tool", TESTS / "fake_ncu.py", "build/bin")
            self.assertEqual(find_program("tool", None), self.folder / "build/bin/tool")

    def test_codes(self):
        self.assertEqual([known_code(code) for code in (0, 1, 2, 3, 4, 130)], list(ExitCode))
        self.assertEqual([known_code(code) for code in (5, -11, 139)], 3 * [ExitCode.CUDA])

    def test_an_error_is_the_last_line(self):
        for text, line in (("", ""), ("\n \n", ""), ("a\nb\n\n", "b"),
                           ("measure_time: no GPU\n", "no GPU"), ("other: no GPU\n", "other: no GPU")):
            self.assertEqual(last_line(text, "measure_time"), line)

    def test_listing(self):
        data = fake_measure_time.listing()
        listing = read_listing(data)
        row = next(row for row in listing.rows if row.algorithm == "efficient_plus")
        self.assertEqual((row.operation, row.on_device, row.tuned_block_size,
                          row.tuned_items_per_thread, row.variant), ("scan", True, 128, 8, None))
        self.assertEqual(row.block_sizes, (8, 16, 32, 64, 128, 256, 512, 1024))
        self.assertEqual([row.on_device for row in listing.rows if row.algorithm == "cpu"],
                         [False] * 3)
        self.assertEqual([row.variant for row in listing.variants], ["int64", "int64", "pairs"])
        self.assertIsNone(listing.unavailable)
        self.assertEqual(read_listing({**data, "backend": "emulated"}).unavailable,
                         "this build has no GPU backend")
        self.assertEqual(read_listing({**data, "unavailable": "no driver"}).unavailable,
                         "no driver")

    def test_a_listing_of_other_types(self):
        for name, value in (("operation", 3), ("algorithm", ["a"]), ("modes", "cold"), ("modes", [["hot"]]),
                            ("legal", {"block_size": ["8"], "items_per_thread": []})):
            data = fake_measure_time.listing()
            data["rows"][0][name] = value
            with self.assertRaisesRegex(TypeError, "is not a list of"):
                read_listing(data)

    def tool(self, script: str) -> MeasureTime:
        program = self.write("tool/bin/measure_time", f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return MeasureTime(str(self.folder / "tool"))

    def raised(self, call) -> tuple:
        with self.assertRaises(ScriptError) as raised:
            call()
        return str(raised.exception), raised.exception.code

    def test_a_tool_that_fails(self):
        for script, text, code in (("echo 'measure_time: it broke' >&2; exit 2", "it broke", 2),
                                   ("exit 4", "measure_time failed", 4),
                                   ("kill -9 $$", "measure_time failed", 3),
                                   ("echo 5", "--list could not be parsed", 4),
                                   ("printf '\\377'", "--list could not be parsed", 4),
                                   ("printf '\\377' >&2; exit 2", "\ufffd", 2)):
            said, of = self.raised(self.tool(script).listing)
            self.assertIn(text, said)
            self.assertEqual(of, code)

    def test_the_machine_is_asked_by_the_shortest_measurement(self):
        self.add_measure_time()
        tool = MeasureTime(str(self.build))
        self.assertEqual(tool.machine("abc")["commit"], "abc")
        self.assertEqual(tool.machine("abc")["gpu"], "NVIDIA H200")
        listing = self.write("list.json", json.dumps(fake_measure_time.listing()))
        for script, text, code in (("exit 1", "measure_time failed", 1),
                                   ("echo 'measure_time: no' >&2; exit 3", "no", 3),
                                   ("echo '[]'", "measure_time is not a results file", 4),
                                   ("echo '{}'", "measure_time is not a results file", 4)):
            tool = self.tool(f'if [ "$1" = --list ]; then cat {listing}; exit; fi; {script}')
            said, of = self.raised(lambda: tool.machine("abc"))
            self.assertIn(text, said)
            self.assertEqual(of, code)

    def test_what_a_measurement_is_called_with(self):
        tool = self.tool('echo "$@" > called; exit 1')
        with mock.patch.object(executables, "REPOSITORY", self.folder):
            self.assertEqual(tool.measure(["--size", "8"], Path("out.json")), ExitCode.WRONG)
        self.assertEqual((self.folder / "called").read_text(),
                         "--size 8 --format json --output out.json\n")
        with self.assertRaises(KeyboardInterrupt):
            self.tool("exit 130").measure([], Path("out.json"))


    def test_the_machine_is_asked_through_a_row_of_the_gpu(self):
        listing = fake_measure_time.listing()
        path = self.write("list.json", json.dumps(listing))
        measured = self.write_results("measured.json", results([]))
        tool = self.tool(f'if [ "$1" = --list ]; then cat {path}; exit; fi\n'
                         f'echo "$@" > {self.folder}/called; cat {measured}')
        self.assertEqual(tool.machine("abc"), results([])["machine"])
        self.assertEqual((self.folder / "called").read_text(),
                         "--operation scan --algorithm naive --size 1000 --samples 1 --commit abc "
                         "--format json\n")
        listing["rows"] = [row for row in listing["rows"] if row["runs_on"] == "host"]
        path.write_text(json.dumps(listing))
        self.assertEqual(self.raised(lambda: tool.machine("abc")),
                         ("this build has no algorithm for a GPU", ExitCode.CUDA))

    def test_an_interrupted_tool_may_write_what_it_has(self):
        tool = self.tool("exit 0")
        late = subprocess.TimeoutExpired("measure_time", 20)
        for ends, signals in (([KeyboardInterrupt, 0], 1), ([KeyboardInterrupt, late, 0], 2),
                              ([KeyboardInterrupt, KeyboardInterrupt, 0], 2)):
            with mock.patch.object(executables.subprocess, "Popen") as start:
                process = start.return_value.__enter__.return_value
                start.return_value.__exit__.return_value = False
                process.wait.side_effect = ends
                with self.assertRaises(KeyboardInterrupt):
                    tool.measure([], Path("out.json"))
            self.assertEqual(process.wait.call_count, len(ends))
            self.assertEqual(process.send_signal.call_args_list,
                             signals * [mock.call(signal.SIGINT)])

    def test_a_signal_while_a_tool_is_started_comes_after_that(self):
        begun = []
        with self.assertRaises(KeyboardInterrupt):
            with executables.interruptions_deferred() as allow:
                os.kill(os.getpid(), signal.SIGINT)
                begun.append("the tool")
                allow()
                begun.append("too much")
        self.assertEqual(begun, ["the tool"])
        with self.assertRaises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)

    def test_a_tool_gets_one_signal_whoever_sends_it(self):
        self.tool(f"""trap 'echo signal >> {self.folder}/signals' INT TERM HUP
            echo > {self.folder}/begun
            while [ ! -e {self.folder}/signals ]; do sleep 0.01; done
            sleep 0.3
            exit 130""")
        measure = ("import study.ctrl_c\nfrom pathlib import Path\nfrom study import command_line\n"
                   "from study.executables import MeasureTime\n"
                   f"tool = MeasureTime('{self.folder}/tool')\n"
                   "command_line.run(lambda _: tool.measure([], Path('out.json')))")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for send in (os.kill, os.killpg):
                process = subprocess.Popen(
                    [sys.executable, "-c", measure], stderr=subprocess.PIPE, text=True,
                    start_new_session=True, env={**os.environ, "PYTHONPATH": str(SCRIPTS)},
                    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
                while not (self.folder / "begun").exists():
                    time.sleep(0.01)
                send(process.pid, number)
                self.assertEqual(process.communicate()[1], "-c: interrupted\n")
                self.assertEqual(process.returncode, 130)
                self.assertEqual((self.folder / "signals").read_text(), "signal\n")
                for name in ("begun", "signals"):
                    (self.folder / name).unlink()


class Ends(unittest.TestCase):
    def run_main(self, main) -> tuple:
        err = io.StringIO()
        with mock.patch.object(sys, "argv", ["/a/b.py", "x"]), \
                mock.patch.object(sys, "stderr", err), self.assertRaises(SystemExit) as raised:
            command_line.run(main)
        return raised.exception.code, err.getvalue()

    def test_the_code_is_mains(self):
        self.assertEqual(self.run_main(lambda arguments: 3 if arguments == ["x"] else 5), (3, ""))

    def test_errors_are_one_line(self):
        def fails(error):
            def main(_):
                raise error
            return main
        self.assertEqual(self.run_main(fails(ScriptError("it broke", ExitCode.FILES))),
                         (4, "b.py: it broke\n"))
        self.assertEqual(self.run_main(fails(KeyboardInterrupt())), (130, "b.py: interrupted\n"))
        self.assertEqual(self.run_main(fails(MemoryError())), (2, "b.py: out of memory\n"))
        self.assertEqual(self.run_main(fails(RuntimeError("can't start new thread"))),
                         (3, "b.py: a thread cannot be started (limits: ulimit -u, -v)\n"))
        with self.assertRaisesRegex(RuntimeError, "other"):
            command_line.run(fails(RuntimeError("other")))
        self.assertEqual(self.run_main(fails(OSError(errno.EAGAIN, "Try again"))),
                         (4, "b.py: a process cannot be started (limits: ulimit -n, -u, -v): Try "
                             "again\n"))

    def test_too_few_files_are_told(self):
        def fails(_):
            limits = resource.getrlimit(resource.RLIMIT_NOFILE)
            self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, limits)
            resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
            open(os.devnull, "rb")
        self.assertEqual(self.run_main(fails), (4, "b.py: /dev/null: Too many open files\n"))

    def test_an_output_that_cannot_be_written(self):
        with mock.patch.object(sys, "stdout", None):
            self.assertEqual(self.run_main(lambda _: 0),
                             (4, "b.py: stdout is closed\n"))
        full = mock.Mock()
        full.flush.side_effect = OSError("disk full")
        with mock.patch.object(sys, "stdout", full), \
                mock.patch.object(command_line.os, "dup2") as dup2:
            self.assertEqual(self.run_main(lambda _: 0), (4, "b.py: the output cannot be written: disk full\n"))
        # Otherwise Python would try again when it ends.
        self.assertEqual(dup2.call_args[0][1], full.fileno.return_value)

    def test_options_are_never_abbreviated(self):
        parser = command_line.Parser(prog="a")
        parser.add_argument("--output")
        err = io.StringIO()
        with mock.patch.object(sys, "stderr", err), self.assertRaises(SystemExit) as raised:
            parser.parse_args(["--out", "x"])
        self.assertEqual((raised.exception.code, err.getvalue()),
                         (2, "a: unrecognized arguments: --out x\n"))

    def test_progress(self):
        err = io.StringIO()
        with mock.patch.object(command_line.time, "monotonic", side_effect=[100, 165, 225]), \
                mock.patch.object(sys, "stderr", err):
            progress = Progress(90)
            progress.step("a")
            progress.step("b")
        self.assertEqual(err.getvalue(), "[1:05 of about 1.5 min] a\n[2:05 of about 1.5 min] b\n")
        err.truncate(0)
        err.seek(0)
        with mock.patch.object(command_line.time, "monotonic", side_effect=[0, 0]), \
                mock.patch.object(sys, "stderr", err):
            Progress(600).step("d")
        self.assertEqual(err.getvalue(), "[0:00 of about 10.0 min] d\n")
        err.truncate(0)
        err.seek(0)
        with mock.patch.object(command_line.time, "monotonic", side_effect=[5, 12]), \
                mock.patch.object(sys, "stderr", err):
            Progress(0).step("c")
        self.assertEqual(err.getvalue(), "[0:07] c\n")


if __name__ == "__main__":
    unittest.main()
