"""What scripts/mutate and scripts/mutate_python would break, and how they know what no test notices."""
import subprocess
import unittest
from types import SimpleNamespace

from script_case import SCRIPTS, ScriptCase

from mutation import kernels
from mutation.sources import write
from mutation.survivors import known, unknown

ROOT = SCRIPTS.parent
IS_CHECKOUT = subprocess.run(["git", "rev-parse"], cwd=ROOT, capture_output=True,
                             check=False).returncode == 0


class Survivors(ScriptCase):
    TEXT = "a.h: x < y # both are the same\nb.py: operator: x = '#' # a # b\nno reason\n\n"

    def test_are_known_by_what_is_before_the_reason(self) -> None:
        self.assertEqual(known(self.write("known.txt", self.TEXT)),
                         {"a.h: x < y", "b.py: operator: x = '#' # a"})

    def test_others_are_told(self) -> None:
        mutants = [SimpleNamespace(key=lambda key=key: key) for key in ("a.h: x < y", "a.h: x")]
        self.assertEqual(unknown(mutants, self.write("known.txt", self.TEXT)), mutants[1:])

    def test_every_file_gives_a_reason_in_each_line(self) -> None:
        for name in ("host_survivors.txt", "kernel_survivors.txt", "scripts/survivors.txt"):
            for line in (ROOT / "tests" / name).read_text(encoding="utf-8").splitlines():
                self.assertRegex(line, r"^[\w.]+: .+ # .+$")


class Copy(ScriptCase):
    def test_leaves_alone_what_is_as_it_should_be(self) -> None:
        path = self.folder / "new/file"
        write(path, "text")
        written = path.stat().st_mtime_ns
        write(path, "text")
        self.assertEqual(path.stat().st_mtime_ns, written)
        write(path, "another")
        self.assertEqual(path.read_text(), "another")


class Switch(ScriptCase):
    def test_takes_a_barrier_with_whatever_owns_it(self) -> None:
        for barrier in ("__syncthreads()", "shared.full[stage].wait(phase)",
                        "work.progress->barrier.arrive_and_wait()"):
            mutants: list[kernels.Break] = []
            line = kernels.switch_line([f"    {barrier};", "}"], 0, "a.h", mutants)
            self.assertEqual(line, f"    mutants::broken == 0 || ({barrier}, true);")
            self.assertEqual([str(mutant) for mutant in mutants],
                             [f"a.h:1: without {barrier}; before }}"])


@unittest.skipUnless(IS_CHECKOUT, "needs a git checkout")
class List(ScriptCase):
    def listed(self, *words: str) -> list[str]:
        lines = self.script(*words, "--list").stdout.splitlines()
        self.assertEqual(lines.pop(), f"{len(lines)} mutants")
        return lines

    def test_of_kernels(self) -> None:
        lines = self.listed("mutate")
        self.assertTrue(all(line.startswith("stream_compaction/") for line in lines), lines)
        self.assertIn("without __syncthreads()", "".join(lines))

    def test_of_programs(self) -> None:
        lines = self.listed("mutate", "host")
        self.assertTrue(all(line.startswith("src/") for line in lines), lines)
        place = lines[0].split(": ")[0]
        self.assertTrue(all(line.startswith(f"{place}: ")
                            for line in self.listed("mutate", "host", place)))

    def test_of_scripts(self) -> None:
        files = {line.split(":")[0] for line in self.listed("mutate_python")}
        for name in ("compare_results.py", "results_files.py"):  # a command, and what is imported
            self.assertIn(name, files)

    def test_of_a_place_without_any(self) -> None:
        for script, good in (("mutate", "stream_compaction/naive.cu"),
                             ("mutate host", "src/bench/statistics.cpp"),
                             ("mutate_python", "markdown.py")):
            name, *words = script.split()
            self.assertIn("given 'none.h', where nothing is changed; --list shows all places",
                          self.error(name, *words, good, "none.h", code=2))


if __name__ == "__main__":
    unittest.main()
