"""What every script does where its output cannot be written."""
import os
import subprocess
import sys
import unittest

from script_case import SCRIPTS, ScriptCase

PYTHON = [path for path in sorted(SCRIPTS.iterdir())
          if path.suffix == ".py" and "\n    run(main)\n" in path.read_text(encoding="utf-8")]


class Output(ScriptCase):
    def ends_with(self, script, redirection: str, *arguments: str) -> str:
        """What the script says on stderr; its code is that of files."""
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
        # A pipe whose reader has gone before the script writes.
        read, write = os.pipe()
        os.close(read)
        self.addCleanup(os.close, write)
        for script in PYTHON:
            self.assertIn("No space left", self.ends_with(script, ">/dev/full", "--help"))
            done = subprocess.run([sys.executable, "-B", str(script), "--help"], stdout=write,
                                  stderr=subprocess.PIPE, text=True, cwd=self.folder, check=False)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertEqual(done.stderr, f"{script.name}: [Errno 32] Broken pipe\n")


if __name__ == "__main__":
    unittest.main()
