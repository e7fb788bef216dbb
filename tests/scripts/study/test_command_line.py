"""Every script with a bad command line, with Ctrl-C, and with output that cannot be written."""
import contextlib
import io
import os
import re
import subprocess
import sys
import unittest

from script_case import SCRIPTS, ScriptCase, results, row

from study.command_line import Parser, ScriptError, chosen, number, one_line

PYTHON = [path for path in sorted(SCRIPTS.iterdir())
          if path.suffix == ".py" and "\n    run(main)\n" in path.read_text(encoding="utf-8")]


class Output(ScriptCase):
    def ends_with(self, script, redirection: str, *arguments: str) -> str:
        """The script's error message; its exit code must be that of files."""
        words = ["bash", "-c", f'"$@" {redirection}; exit "${{PIPESTATUS[0]}}"', "bash",
                 sys.executable, "-B", str(script), *arguments]
        done = subprocess.run(words, capture_output=True, text=True, cwd=self.folder, check=False)
        self.assertEqual(done.returncode, 4, f"{script.name}: {done.stderr}")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith(f"{script.name}: "), done.stderr)
        return done.stderr

    def test_scripts_are_found(self) -> None:
        self.assertIn("measure_performance.py", [script.name for script in PYTHON])

    def test_a_closed_stdout_is_told(self) -> None:
        for script in PYTHON:
            self.assertIn("stdout is closed", self.ends_with(script, ">&-", "--help"))
            self.assertIn("stdout is closed", self.ends_with(script, ">&-", "--no-such-option"))

    def test_a_full_disk_and_a_pipe_that_nobody_reads_are_told(self) -> None:
        # A pipe whose reader has ended before the script writes.
        read, write = os.pipe()
        os.close(read)
        self.addCleanup(os.close, write)
        for script in PYTHON:
            self.assertIn("No space left", self.ends_with(script, ">/dev/full", "--help"))
            done = subprocess.run([sys.executable, "-B", str(script), "--help"], stdout=write,
                                  stderr=subprocess.PIPE, text=True, cwd=self.folder, check=False)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertEqual(done.stderr, f"{script.name}: the output cannot be written: Broken pipe\n")

    def test_an_output_in_ascii_has_escapes(self) -> None:
        file = self.write_results("a.json", results([row()], gpu="\u00b5"))
        said = self.script("compare_results.py", file, file, PYTHONIOENCODING="ascii").stdout
        self.assertTrue(said.startswith("A: \\xb5, commit"), said)

    def helps(self, script, *options: str) -> None:
        done = subprocess.run([sys.executable, "-B", *options, str(script), "--help"],
                              capture_output=True, text=True, cwd=self.folder, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), script.name)
        self.assertTrue(done.stdout.startswith(f"usage: {script.name} "), done.stdout)

    def test_help_needs_no_documentation_of_the_script(self) -> None:
        for script in PYTHON:
            self.helps(script, "-OO")

    def test_scripts_find_their_modules_themselves(self) -> None:
        """Python does not look in the script's folder with -I, as with PYTHONSAFEPATH=1."""
        for script in PYTHON:
            self.helps(script, "-I")
            link = self.folder / script.name
            link.symlink_to(script)
            self.helps(link, "-I")


class CtrlC(ScriptCase):
    def begin(self, script, statements: str, *before: str) -> tuple[int, str]:
        """What becomes of a script with these statements in the first module that it imports."""
        self.write("argparse.py", statements)
        done = subprocess.run([*before, sys.executable, "-B", str(script)], capture_output=True,
                              text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(self.folder)})
        return done.returncode, done.stderr

    def test_before_the_script_has_begun(self) -> None:
        for script in PYTHON:
            for number in ("SIGINT", "SIGTERM", "SIGHUP"):
                self.assertEqual(
                    self.begin(script, f"import os, signal\nos.kill(os.getpid(), signal.{number})\n"),
                    (130, f"{script.name}: interrupted\n"))

    def test_nohup_has_a_script_go_on(self) -> None:
        hang_up = "import os, signal\nos.kill(os.getpid(), signal.SIGHUP)\nraise SystemExit(5)\n"
        self.assertEqual(self.begin(SCRIPTS / "report.py", hang_up, "nohup")[0], 5)

    def test_no_memory_and_no_file_for_the_imports_are_told(self) -> None:
        self.assertEqual(self.begin(SCRIPTS / "report.py", "raise MemoryError\n"),
                         (2, "report.py: out of memory\n"))
        self.assertEqual(self.begin(SCRIPTS / "report.py", "import errno\nraise OSError(errno.EMFILE, '')\n"),
                         (4, "report.py: too many open files (limits: ulimit -n)\n"))
        self.assertIn("Traceback", self.begin(SCRIPTS / "report.py", "raise KeyError\n")[1])


class CommandLine(ScriptCase):
    def error_of(self, *arguments: str) -> str:
        parser = Parser(prog="a")
        parser.add_argument("--name")
        parser.add_argument("--other", action="store_true")
        parser.add_argument("--third")
        parser.add_argument("--n", type=number(int, 2, 8))
        parser.add_argument("--x", type=number(float, 0, 0.5))
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit) as end:
            parser.refuse_together(parser.parse_args(arguments), "--name", ["--other", "--third"])
        self.assertEqual(end.exception.code, 2)
        return said.getvalue()

    def test_a_mistyped_option_is_named_instead_of_what_is_missing(self) -> None:
        for arguments in (["--bogus"], ["a", "--bogus", "--fail"], ["-b", "--bogus=1"], ["--bogus", "--", "-c"]):
            said = self.error("compare_results.py", *arguments, code=2)
            self.assertRegex(said, "^compare_results.py: unrecognized arguments: (-b )?--bogus(=1)?\n$")
        self.assertEqual(self.error("compare_results.py", "a", code=2),
                         "compare_results.py: the following arguments are required: B\n")

    def test_errors_name_the_option_what_was_given_and_what_is_allowed(self) -> None:
        for arguments, said in (
                (["--name", ""], "--name: the value is empty"),
                (["--name="], "--name: the value is empty"),
                (["--n", "x\ny"], "--n: given 'x\\ny', allowed are whole numbers from 2 to 8"),
                (["--n", "9"], "--n: given '9', allowed are whole numbers from 2 to 8"),
                (["--n", "1" * 5000], f"--n: given '{'1' * 5000}', allowed are whole numbers from 2 to 8"),
                (["--n", ""], "--n: given '', allowed are whole numbers from 2 to 8"),
                (["--n", "\uff15"], "--n: given '\uff15', allowed are whole numbers from 2 to 8"),
                (["--x", "0.\u0663"], "--x: given '0.\u0663', allowed are numbers from 0 to 0.5"),
                (["--x", "0.0_1"], "--x: given '0.0_1', allowed are numbers from 0 to 0.5"),
                (["--x", "nan"], "--x: given 'nan', allowed are numbers from 0 to 0.5"),
                (["--x=-1e999"], "--x: given '-1e999', allowed are numbers from 0 to 0.5"),
                (["--n", "5", "--n=6"], "--n: given twice ('5', '6')"),
                (["--n=5", "--name", "n", "--n", "5", "--n", "7"], "--n: given 3 times ('5', '5', '7')"),
                (["--other", "--name", "b"], "--other: cannot be combined with --name"),
                (["--name", "b", "--third", "c"], "--third: cannot be combined with --name")):
            with self.subTest(arguments):
                self.assertEqual(self.error_of(*arguments), f"a: {said}\n")

    def test_flags_and_values_may_be_repeated(self) -> None:
        parser = Parser(prog="a")
        parser.add_argument("--name")
        parser.add_argument("--other", action="store_true")
        parser.add_argument("files", nargs="*")
        parsed = parser.parse_args(["--other", "--other", "--name", "x", "x", "x", "--", "--name", "--name"])
        self.assertEqual((parsed.other, parsed.name, parsed.files), (True, "x", ["x", "x", "--name", "--name"]))

    def test_names_in_a_list(self) -> None:
        self.assertEqual(chosen("--only", "c,a,c", ["a", "b", "c"]), ["a", "c"])
        for given, name in (("d", "d"), ("a,,b", ""), ("a,", ""), ("a, b", " b")):
            with self.assertRaisesRegex(ScriptError, f"--only: given '{name}', allowed are a, b, c"):
                chosen("--only", given, ["a", "b", "c"])

    def test_what_is_not_printed_becomes_an_escape(self) -> None:
        self.assertEqual(one_line("a\n\x1b\ud800 \u00b5"), "a\\n\\x1b\\ud800 \u00b5")

    def test_no_script_takes_an_empty_value(self) -> None:
        """Whatever the option: an option that does not use our own parser would accept it."""
        for script in PYTHON:
            for option in re.findall(r'"(--[a-z-]+)", metavar', script.read_text(encoding="utf-8")):
                said = self.error(script.name, f"{option}=", code=2)
                self.assertIn(f"{option}: ", said)
                self.assertRegex(said, "the value is empty|given '', allowed are")

    def test_a_commit_is_a_word(self) -> None:
        for script in ("measure_performance.py", "profile_kernels.py", "tune_parameters.py"):
            for given, shown in (("a\nb", "a\\nb"), ("<b>", "<b>")):
                self.assertEqual(self.error(script, "--commit", given, code=2), f"{script}: --commit: given "
                                 f"'{shown}', expected letters, digits and ._+-\n")

    def test_options_without_effect_are_refused(self) -> None:
        for script, one, others in (
                ("update_readme.py", ("--print", "machine"), (["--check"], ["--readme", "a"])),
                ("plot_performance.py", ("--list",), (["--check"], ["--format", "svg"],
                                                      ["--output", "a"])),
                ("plot_performance.py", ("--check",), (["--format", "png"],)),
                ("measure_performance.py", ("--quick",), (["--budget", "5"],)),
                ("measure_performance.py", ("--output", "a"), (["--gpu-name", "b"],)),
                ("tune_parameters.py", ("--results", "a"), (["--exponents", "20"],
                                                            ["--pace", "quick"]))):
            for other in others:
                self.assertEqual(self.error(script, *one, *other, code=2),
                                 f"{script}: {other[0]}: cannot be combined with {one[0]}\n")
        for option, words in (("--quick", ["--quick"]), ("--budget", ["--budget", "5"])):
            self.assertIn(f"{option}: has no effect on profile", self.error(
                "measure_performance.py", "--only", "profile", *words, code=2))


if __name__ == "__main__":
    unittest.main()
