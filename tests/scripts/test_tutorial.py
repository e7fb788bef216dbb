"""docs/tutorial.md: its kernels are those that are tested, its exercises print its answers, and its
diagrams show what the algorithms compute."""
import os
import re
import subprocess
import unittest
from pathlib import Path

from script_case import SCRIPTS, ScriptCase

from study import diagrams
from study.diagrams import DIAGRAMS, IN, KEYS, SPARSE, exclusive

REPOSITORY = SCRIPTS.parent
PAGE = REPOSITORY / "docs/tutorial.md"
BUILD = Path(os.environ.get("STREAM_COMPACTION_BUILD", REPOSITORY / "build"))
MOST_LINES = 15
# A command, and the first block of text after it.
EXERCISE = re.compile(r"<!-- test -->\n```bash\n(?P<command>.*?)```\n.*?```text\n(?P<answer>.*?)```",
                      re.DOTALL)


def blocks(language: str) -> list:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"),
                      re.DOTALL | re.MULTILINE)


def pattern(line: str) -> str:
    """Matches a printed line that begins with these words; '...' stands for any text."""
    return r"\s+".join(re.escape(word).replace(r"\.\.\.", ".*") for word in line.split())


class Exercises(unittest.TestCase):
    def test_every_exercise_has_a_command_and_an_answer(self):
        text = PAGE.read_text(encoding="utf-8")
        exercises = EXERCISE.findall(text)
        self.assertEqual(len(exercises), len(re.findall(r"^## \d", text, re.MULTILINE)))
        self.assertEqual(len(exercises), text.count("<!-- test -->"))
        self.assertEqual(len(exercises), text.count("**Exercise.**"))

    def test_answers_are_what_is_printed(self):
        for match in EXERCISE.finditer(PAGE.read_text(encoding="utf-8")):
            command = match["command"]
            with self.subTest(command):
                programs = re.findall(r"\bbuild/((?:bin|tests)/\w+)", command)
                self.assertTrue(programs)
                missing = [name for name in programs if not (BUILD / name).exists()]
                if missing:
                    self.skipTest(f"{missing[0]} is not built")
                command = command.replace("build/", f"{BUILD}/")
                done = subprocess.run(["bash", "-c", f"set -e\n{command}"], capture_output=True,
                                      text=True, cwd=REPOSITORY, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                printed = done.stdout.splitlines()
                for line in match["answer"].splitlines():
                    if line.strip() == "...":
                        continue
                    at = next((i for i, one in enumerate(printed)
                               if re.match(pattern(line), one.strip())), None)
                    self.assertIsNotNone(at, f"'{line}' is not in\n{done.stdout}")
                    printed = printed[at + 1:]  # in this order


class Kernels(unittest.TestCase):
    def test_the_page_shows_the_tested_kernels(self):
        tested = (REPOSITORY / "tests/tutorial/kernels.h").read_text(encoding="utf-8")
        shown = blocks("cuda")
        self.assertGreaterEqual(len(shown), 10)
        for kernel in shown:
            with self.subTest(kernel.splitlines()[0]):
                self.assertIn(kernel, tested)
                self.assertLessEqual(len(kernel.splitlines()), MOST_LINES)


class Diagrams(ScriptCase):
    def last_line(self, name: str, line: int = -1) -> list:
        cells = getattr(diagrams, name)().lines[line].cells
        return [cell.text for cell in cells if cell is not None]

    def test_scans_end_in_the_scan(self):
        expected = list(map(str, exclusive(IN)))
        self.assertEqual(expected[:3], ["0", str(IN[0]), str(IN[0] + IN[1])])
        for name in ("scan", "naive", "efficient", "single_pass"):
            self.assertEqual(self.last_line(name), expected)
        self.assertEqual(self.last_line("look_back"), expected[6:])

    def test_a_compaction_keeps_and_a_sort_sorts(self):
        self.assertEqual(self.last_line("compaction"), [str(value) for value in SPARSE if value])
        for line in (3, -1):
            self.assertEqual(self.last_line("sort", line), [f"{key:03b}" for key in sorted(KEYS)])

    def test_arrows_connect_cells(self):
        for make in DIAGRAMS:
            made = make()
            for arrow in made.arrows:
                for line, column in (arrow.start, arrow.end):
                    self.assertIsNotNone(made.lines[line].cells[column], (made.name, arrow))

    def test_check_finds_what_is_old_and_what_is_left_over(self):
        folder = self.folder / "img"
        script = ["draw_diagrams.py", "--output", folder]
        self.assertIn("scan.svg is not up to date", self.script(*script, "--check", code=1).stdout)
        self.assertEqual(self.script(*script).stdout, f"{len(DIAGRAMS)} diagrams in {folder}\n")
        self.assertEqual(self.script(*script, "--check").stdout,
                         f"{len(DIAGRAMS)} diagrams up to date\n")
        (folder / "scan.svg").write_text("<svg/>")
        (folder / "older.svg").write_text("<svg/>")
        said = self.script(*script, "--check", code=1).stdout
        self.assertIn("scan.svg is not up to date", said)
        self.assertIn("older.svg is not a diagram", said)

    def test_the_page_shows_every_diagram(self):
        text = PAGE.read_text(encoding="utf-8")
        for make in DIAGRAMS:
            self.assertEqual(text.count(f"img/tutorial/{make().name}.svg"), 1)
        self.script("draw_diagrams.py", "--check")


if __name__ == "__main__":
    unittest.main()
