"""What the C++ mutants are made in: a copy of the sources with all breaks in it, and its build."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build-mutate"


@dataclass
class Mutant:
    number: int
    file: str
    line: int
    what: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.what}"

    def key(self):
        """Lines move, so their content counts."""
        return f"{Path(self.file).name}: {self.what}"


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name]


def write(path, text):
    """Leaves a file alone that has this content already: it need not be compiled again."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def at_places(mutants, places, parser):
    """The mutants in sources, or in lines of them, that a command line names; all without any."""
    for place in places:
        if not any(str(mutant).startswith(f"{place}:") for mutant in mutants):
            parser.error(f"FILE[:LINE]: given '{place}', where nothing is changed; --list shows all places")
    return [mutant for mutant in mutants
            if not places or str(mutant).startswith(tuple(f"{place}:" for place in places))]


def copy(folder, texts):
    """All that a build needs, with these texts in place of the project's own."""
    for name in tracked("CMakeLists.txt", "cmake", "simt", "src", "stream_compaction", "tests"):
        write(folder / name, texts.get(name) or (ROOT / name).read_text())


def build(source, folder, targets, *options):
    """Without a GPU's backend. Warnings are off: a broken line may well deserve one."""
    subprocess.run(["cmake", "-S", source, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                    "-DCMAKE_CXX_FLAGS=-w", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache",
                    "-DSTREAM_COMPACTION_CUDA=OFF", *options],
                   check=True, stdout=subprocess.DEVNULL)
    built = subprocess.run(["cmake", "--build", folder, "--target", *targets],
                           capture_output=True, text=True)
    if built.returncode != 0:
        sys.exit(built.stdout[-3000:])
