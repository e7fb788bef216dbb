"""compare_commits.py in a repository whose commits build a fake measure_time."""
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from script_case import SCRIPTS, TESTS, ScriptCase

try:
    import jsonschema
    import numpy
except ImportError:
    numpy = None

SETUP = """#!/bin/sh
echo "$@" >> "$FAKE_SETUP_LOG"
cd "$(dirname "$0")/.."
{before}
mkdir -p build/bin
cat > build/bin/measure_time <<'END'
#!/bin/sh
{variables} exec {program} "$@"
END
chmod +x build/bin/measure_time
"""
MEASURE = ("--operation", "scan", "--algorithm", "cub,efficient_plus", "--size", "1000000")


@unittest.skipUnless(numpy, "needs python3-jsonschema and python3-numpy")
class Commits(ScriptCase):
    def setUp(self) -> None:
        super().setUp()
        self.repository = self.folder / "a repository"
        shutil.copytree(SCRIPTS, self.repository / "scripts",
                        ignore=shutil.ignore_patterns("__pycache__"))
        self.write("a repository/results/schema.json",
                   (SCRIPTS.parent / "results/schema.json").read_text(encoding="utf-8"))
        self.write("a repository/.gitignore", "/build*/\n__pycache__/\n")
        self.git("init", "--quiet")
        self.program("nvidia-smi", "echo 'GPU 0: a fake'")
        (self.folder / "temporary").mkdir()
        self.environment = {
            **{name: value for name, value in os.environ.items()
               if not name.startswith("FAKE_") and name != "STREAM_COMPACTION_BUILD"},
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "TMPDIR": str(self.folder / "temporary"), "FAKE_LOG": str(self.folder / "log"),
            "FAKE_SETUP_LOG": str(self.folder / "setup log")}

    def program(self, name: str, script: str) -> None:
        self.write(f"bin/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)

    def git(self, *arguments: str) -> str:
        name = ("-c", "user.name=a", "-c", "user.email=a@b")
        return subprocess.run(["git", *name, *arguments], cwd=self.repository, check=True,
                              capture_output=True, text=True).stdout.strip()

    def commit(self, variables: str = "", before: str = "",
               program: Path = TESTS / "fake_measure_time.py") -> str:
        """A commit whose measure_time runs with these variables."""
        words = shlex.join([sys.executable, "-B", str(program)])
        self.write("a repository/scripts/setup",
                   SETUP.format(before=before, variables=variables, program=words)).chmod(0o755)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "a")
        return self.git("rev-parse", "HEAD")

    def start(self, *arguments: str) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-B", str(self.repository / "scripts/compare_commits.py"), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment,
            cwd=self.folder, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def compare(self, *arguments: str, code: int = 0) -> str:
        process = self.start(*arguments)
        out, err = process.communicate()
        self.assertEqual(process.returncode, code, out + err)
        self.assertNotIn("Traceback", err)
        self.assert_nothing_left()
        return out

    def error(self, *arguments: str, code: int) -> str:
        """The message, without the lines of the progress."""
        process = self.start(*arguments)
        out, err = process.communicate()
        self.assertEqual((process.returncode, out), (code, ""), err)
        self.assert_nothing_left()
        said = [line for line in err.splitlines() if not line.startswith("[")]
        self.assertEqual(len(said), 1, err)
        return said[0].removeprefix("compare_commits.py: ")

    def assert_nothing_left(self) -> None:
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])
        self.assertEqual(self.git("status", "--porcelain"), "")
        folder = self.repository / "build/commits"
        names = [path.name for path in folder.glob("*")]
        self.assertTrue(all(len(name) == 40 for name in names), names)

    def measured_commits(self) -> list[str]:
        lines = (self.folder / "log").read_text(encoding="utf-8").splitlines()
        return [line.partition("--commit ")[2].partition(" ")[0] for line in lines
                if "--samples-file" in line]

    def test_a_slower_commit_is_slow(self):
        a = self.commit()
        b = self.commit("FAKE_SLOWDOWN=1.03")
        said = self.compare("--rounds", "4", "HEAD^", "HEAD", *MEASURE)
        lines = said.splitlines()
        self.assertEqual(lines[:2], [f"A: NVIDIA H200, commit {a}, CUB 3.0.1",
                                     f"B: NVIDIA H200, commit {b}, CUB 3.0.1"])
        self.assertIn("scan cub: 0 FAST, 1 SLOW, 0 SAME, 0 AMBIGUOUS; B is 0.97", said)
        self.assertIn("scan efficient_plus: 0 FAST, 1 SLOW", said)
        self.assertEqual(self.measured_commits(), [a, b, b, a, a, b, b, a])
        self.assertEqual((self.folder / "setup log").read_text().splitlines(),
                         2 * ["release measure_time"])

        self.compare("--rounds", "2", "--fail", a, b, *MEASURE, code=1)
        self.compare("--rounds", "2", "--fail", b, a, *MEASURE)
        self.compare("--rounds", "2", "--fail", "--tolerance", "10", a, b, *MEASURE)

    def test_a_commit_is_the_same_as_itself(self):
        self.commit()
        said = self.compare("--fail", "HEAD", "HEAD", *MEASURE)
        self.assertIn("all: 0 FAST, 0 SLOW, 2 SAME, 0 AMBIGUOUS", said)
        self.assertEqual(len(self.measured_commits()), 16)

    def test_the_samples_can_be_kept(self):
        self.commit()
        self.commit("FAKE_SLOWDOWN=1.05")
        said = self.compare("--rounds", "3", "--output", "kept", "HEAD^", "HEAD", *MEASURE)
        kept = self.folder / "kept"
        row = json.loads((kept / "a.json").read_text())["rows"][0]
        self.assertEqual((row["rounds"], row["samples"], len(row["samples_us"])), ([10] * 3, 30, 30))
        again = self.script("compare_results.py", kept / "a.json", kept / "b.json").stdout
        self.assertEqual(again, said)

    def test_wrong_rows_and_rows_of_one_commit(self):
        self.commit()
        self.commit("FAKE_WRONG=cub")
        said = self.compare("--rounds", "2", "HEAD^", "HEAD", *MEASURE, code=1)
        self.assertIn("\n1 row with a wrong result in B\n", said)
        self.assertIn("all: 0 FAST, 0 SLOW, 1 SAME, 0 AMBIGUOUS", said)

    def test_what_cannot_be_compared(self):
        self.commit()
        self.commit(before="echo 'scripts/setup: no compiler' >&2; exit 125")
        self.commit("FAKE_NO_GPU=1")
        self.commit(program=self.write(
            "older.py", f"import os, sys\nif '--help' in sys.argv: sys.exit()\n"
            f"os.execv(sys.executable, [sys.executable, '{TESTS / 'fake_measure_time.py'}', *sys.argv[1:]])"))
        for arguments, code, text in (
                (("HEAD~3", "nothing", *MEASURE), 2,
                 "given 'nothing', which is not a commit of this repository"),
                (("HEAD~3", "HEAD~2", *MEASURE), 4, " cannot be built: scripts/setup: no compiler; repeat: "),
                (("HEAD~3", "HEAD~1", *MEASURE), 3, "HEAD~1: nothing can be measured without a GPU"),
                (("HEAD~3", "HEAD", *MEASURE), 2, "HEAD: its measure_time has no --samples-file yet"),
                (("HEAD~3", "HEAD~3", "--bogus"), 2, "HEAD~3: unknown argument '--bogus'"),
                (("HEAD~3", "HEAD~3", "--output=x"), 2, "--output=x: cannot stand after the commits"),
                (("--output", "older.py", "HEAD~3", "HEAD~3", *MEASURE), 4, "older.py is not a folder"),
                (("--rounds", "0", "HEAD", "HEAD"), 2, "--rounds: given '0'"),
                (("HEAD",), 2, "the following arguments are required: B")):
            with self.subTest(text):
                self.assertIn(text, self.error(*arguments, code=code))

    def test_without_a_gpu_nothing_is_built(self):
        self.commit()
        for script in ("exit 9", "true"):
            self.program("nvidia-smi", script)
            self.assertEqual(self.error("HEAD", "HEAD", *MEASURE, code=3),
                             "nothing can be measured without a GPU: nvidia-smi lists none")
            self.assertIn("given 'nothing'", self.error("HEAD", "nothing", code=2))
        words = shlex.join([sys.executable, "-B", str(TESTS / "fake_measure_time.py")])
        self.write("a repository/build/bin/measure_time", f'#!/bin/sh\nexec {words} "$@"\n').chmod(0o755)
        self.assertEqual(self.error("HEAD", "HEAD", *MEASURE, "--bogus", code=2),
                         "unknown argument '--bogus'")
        self.assertEqual(self.error("HEAD", "HEAD", *MEASURE, code=3),
                         "nothing can be measured without a GPU: nvidia-smi lists none")
        self.assertFalse((self.folder / "setup log").exists())

    def test_an_interruption_leaves_nothing(self):
        self.commit()
        begun = self.folder / "begun"
        wait = f"trap 'exit 130' INT; touch {shlex.quote(str(begun))}; while :; do sleep 0.01; done"
        self.commit(before=wait)
        slow = self.write("slow.sh", f'case "$*" in *--samples-file*) {wait};; esac\n'
                          f"exec {sys.executable} {TESTS / 'fake_measure_time.py'} \"$@\"\n")
        self.commit(variables=f"exec sh {shlex.quote(str(slow))} \"$@\";")
        for b, builds in (("HEAD^", 1), ("HEAD", 2)):  # while it is built, and while it measures
            process = self.start("HEAD~2", b, *MEASURE)
            while not begun.exists():
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate()
            self.assertEqual((process.returncode, out, err.splitlines()[-1]),
                             (130, "", "compare_commits.py: interrupted"))
            self.assert_nothing_left()
            self.assertEqual(len(list((self.repository / "build/commits").iterdir())), builds)
            begun.unlink()


if __name__ == "__main__":
    unittest.main()
