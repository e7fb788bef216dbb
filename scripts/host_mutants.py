"""Breaks the programs' own code, src/, in one place after the other, and runs the tests of the programs on
each: what scripts/mutate does for kernels. A comparison, an equality, an operator of arithmetic and of
logic, a condition, a truth value or a constant is another one; a statement is left out."""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build-mutate"
SOURCE = WORK / "host_source"
BUILD = WORK / "host"
SURVIVORS = ROOT / "tests/survivors.txt"
# Quick ones first. Each with its arguments: what is left out has nothing to do with src/.
TESTS = (("sampler_test",), ("measuring_test",), ("harness_test",), ("input_test",),
         ("measure_time_test",), ("program_test",), ("bench_test_emulated",),
         ("broken_programs_test_emulated",))
MOST_BYTES = 16 << 30
SECONDS = 300  # for a test without a fault

SKIPPED = re.compile(r"^\s*(#|static_assert|template|using|case |concept|requires)|\bconstexpr\b(?! \w+(::\w+)? k[A-Z])")
COMPARISON = re.compile(r"(?<= )(?:[<>]=?)(?=\s)")
EQUALITY = re.compile(r"(?<= )(?:==|!=)(?=\s)")
ARITHMETIC = re.compile(r"(?<=[\w)\]\"}] )[-+*/%](?=\s)")
LOGIC = re.compile(r"(?<= )(?:&&|\|\|)(?=\s)")
NOT = re.compile(r"(?<![\w)])!(?=[\w(:])")
TRUTH = re.compile(r"\b(?:true|false)\b(?!\s*>)")
CONDITION = re.compile(r"\b(?:if|while) \(")
CONSTANT = re.compile(r"(?<=^)\s*constexpr (?=(?:int|double|unsigned|std::size_t) k)")
NUMBER = re.compile(r"(?<![\w.'\"])\d[\d.']*(?:e-?\d+)?(?![\w.'\"])")
FACTOR = re.compile(r"(?<![\w.'\"])\d[\d.']*(?:e-?\d+)?(?= [*/] )|(?<= [*/] )\d[\d.']*(?:e-?\d+)?(?![\w.'\"])")
STATEMENT = re.compile(r"^\s+(?!return\b|if\b|for\b|while\b|switch\b|else\b|do\b|using\b|delete\b)"
                       r"(?:\(void\)|throw |\+\+|--|\*|::)?[a-z_][\w:]*"
                       r"(?:\.|->|\(|\[| [-+*/|&]?= |\+\+;| << |\{)")
OPPOSITE = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<")}
FUNCTION = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal",
            "+": "plus", "-": "minus", "*": "multiplies", "/": "divides", "%": "modulus"}
SWAPPED = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/"}


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


def masked(text):
    """The same text with blanks for what is in comments, strings and characters."""
    pattern = re.compile(r"//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'(?!\w)")
    return pattern.sub(lambda found: '"' * len(found.group()) if found.group()[0] != "/"
                       else " " * len(found.group()), text)


def closing(text, opening):
    """Where the bracket is closed that is opened there."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return at
    raise ValueError("a bracket that is not closed")


def end_of_statement(code, start):
    """Where its semicolon is; None where it is something with a body."""
    at = start
    while code[at] != ";":
        if code[at] in "([{":
            at = closing(code, at)
        elif code[at] in ")]}":
            return None
        at += 1
        if at >= len(code):
            return None
    return at


class Switch:
    """One file with all its breaks in it."""

    def __init__(self, file, first):
        self.file, self.first, self.mutants = file, first, []
        self.text = (ROOT / file).read_text()
        self.code = masked(self.text)
        self.edits = []  # (first, last, what stands there instead)
        self.find()

    def switched(self):
        text = self.text
        for first, last, instead in sorted(self.edits, key=lambda edit: edit[:2], reverse=True):
            text = text[:first] + instead + text[last:]
        return '#include "tests/mutants.h"\n' + text

    def add(self, at, *descriptions):
        """New mutants of the line with this place; the first one's number."""
        line = self.text.count("\n", 0, at)
        whole = " ".join(self.text.split("\n")[line].split())
        first = self.first + len(self.mutants)
        for i, description in enumerate(descriptions):
            self.mutants.append(Mutant(first + i, self.file, line + 1, f"{whole} [{description}]"))
        return first

    def find(self):
        start, before = 0, ";"
        for line in self.code.split("\n"):
            if line.strip() and not SKIPPED.search(line):
                self.find_in(start, line, before)
            if line.strip() and not line.lstrip().startswith("#"):
                before = line.rstrip()
            start += len(line) + 1

    def find_in(self, start, line, before):
        for found in COMPARISON.finditer(line):
            ways = OPPOSITE[found.group()]
            number = self.add(start + found.start(), *(f"{found.group()} is {way}" for way in ways))
            types = ", ".join(f"std::{FUNCTION[way]}<>" for way in (found.group(), *ways))
            self.replace(start, found, f"< mutants::Comparison<{types}>{{{number}}} >")
        for found in EQUALITY.finditer(line):
            number = self.add(start + found.start(), f"{found.group()} is the opposite")
            self.replace(start, found, f"== mutants::Equality{{{number}, {'true' if found.group() == '==' else 'false'}}} ==")
        for found in ARITHMETIC.finditer(line):
            sign = found.group()
            number = self.add(start + found.start(), f"{sign} is {SWAPPED[sign]}")
            types = f"std::{FUNCTION[sign]}<>, std::{FUNCTION[SWAPPED[sign]]}<>"
            self.replace(start, found, f"{sign} mutants::Arithmetic<{types}>{{{number}}} {sign}")
        for found in LOGIC.finditer(line):
            if found.group() == "&&":
                number = self.add(start + found.start(), "&& is false")
                self.replace(start, found, f"&& !mutants::is({number}) &&")
            else:
                number = self.add(start + found.start(), "|| is true")
                self.replace(start, found, f"|| mutants::is({number}) ||")
        for found in NOT.finditer(line):
            number = self.add(start + found.start(), "without !")
            self.replace(start, found, f"mutants::is({number}) != !")
        for found in TRUTH.finditer(line):
            number = self.add(start + found.start(), f"{found.group()} is not")
            self.replace(start, found, f"(mutants::is({number}) != {found.group()})")
        if found := CONSTANT.search(line):
            for literal in NUMBER.finditer(line, found.end()):
                self.double(start, literal)
            self.edits.append((start + found.end() - len("constexpr "), start + found.end(), "const "))
        else:
            for literal in FACTOR.finditer(line):
                self.double(start, literal)
        for found in CONDITION.finditer(line):
            self.find_condition(start + found.end() - 1)
        if STATEMENT.match(line) and before.endswith((";", "{", "}", ")", "else", ":")) and not before.endswith("default:"):
            self.find_statement(start + len(line) - len(line.lstrip()), line)

    def replace(self, start, found, instead):
        self.edits.append((start + found.start(), start + found.end(), instead))

    def double(self, start, literal):
        if float(literal.group().replace("'", "")) == 0:
            return
        number = self.add(start + literal.start(), f"{literal.group()} is doubled")
        self.replace(start, literal, f"mutants::number({number}, {literal.group()})")

    def find_condition(self, opening):
        """Of an if or a loop, where nothing in it is broken already."""
        end = closing(self.code, opening)
        condition = self.code[opening + 1:end]
        first = opening + 1
        initialized = end_of_statement(self.code[:end] + ";", first)
        if initialized is not None and initialized < end:
            first = initialized + 2
            condition = self.code[first:end]
        if any(kind.search(condition) for kind in (COMPARISON, EQUALITY, LOGIC, NOT)):
            return
        declared = re.match(r"(?:const )?[\w:<>]+\*?(?: const)? (\w+) = ", condition)
        if declared and self.code[:opening].endswith("while "):
            return  # there is no such loop
        number = self.add(opening, "the opposite condition")
        if declared:
            self.edits.append((end, end, f"; mutants::is({number}) != bool({declared[1]})"))
        else:
            self.edits.append((first, first, f"mutants::is({number}) != bool("))
            self.edits.append((end, end, ")"))

    def find_statement(self, first, line):
        end = end_of_statement(self.code, first)
        statement = self.code[first:end]
        if end is None or re.search(r"= (delete|default)$|^\w+\{", statement):
            return
        if ": " in line and re.match(r"\s*\w+: ", line):
            return
        number = self.add(first, "left out")
        self.edits.append((first, first, f"mutants::is({number}) || ("))
        self.edits.append((end, end, ", true)"))


def switch(files):
    """The texts of these files with all breaks in them, and the mutants that they are."""
    switches = [Switch(file, 10_000 * i) for i, file in enumerate(files)]  # no file moves another's
    return {one.file: one.switched() for one in switches}, [m for one in switches for m in one.mutants]


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns],
                            cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name]


def write(path, text):
    """Leaves a file alone that has this content already: it need not be compiled again."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def set_up(texts):
    for name in tracked("CMakeLists.txt", "cmake", "simt", "src", "stream_compaction", "tests"):
        write(SOURCE / name, texts.get(name) or (ROOT / name).read_text())
    subprocess.run(["cmake", "-S", SOURCE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                    "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -D_GLIBCXX_ASSERTIONS", "-DCMAKE_CXX_FLAGS=-w",
                    "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", "-DSTREAM_COMPACTION_CUDA=OFF"],
                   check=True, stdout=subprocess.DEVNULL)
    built = subprocess.run(["cmake", "--build", BUILD, "--target", *(test[0] for test in TESTS), "--", "-k", "0"],
                           capture_output=True, text=True)
    if built.returncode != 0:
        errors = [line for line in built.stdout.split("\n") if "error:" in line]
        sys.exit("\n".join(dict.fromkeys(errors)) or built.stdout[-3000:])


seconds_for = {}  # each test, from when it ran without a mutant


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def end_session(process):
    """With what the test has started and not waited for."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def noticed_by(number=-1):
    """The first test that notices that something is wrong; None where none does."""
    for test in TESTS:
        command, start = (BUILD / "tests" / test[0], "--gtest_fail_fast", "--gtest_brief=1", *test[1:]), time.monotonic()
        folder = WORK / f"scratch/{number}"
        folder.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "MUTANT": str(number), "TEST_TMPDIR": f"{folder}/"}
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, cwd=folder, text=True,
                                   stderr=subprocess.DEVNULL, errors="replace", start_new_session=True,
                                   preexec_fn=limit_memory)
        try:
            output, _ = process.communicate(timeout=seconds_for.get(test, SECONDS))
        except subprocess.TimeoutExpired:
            return f"{test[0]} hangs"
        finally:
            end_session(process)
            shutil.rmtree(folder, ignore_errors=True)
        if process.returncode != 0:
            failed = re.search(r"\[  FAILED  \] (\S+)", output)
            return failed[1] if failed else f"{test[0]} ends with {process.returncode}"
        seconds_for.setdefault(test, 15 + 8 * (time.monotonic() - start))
    return None


def reasons():
    """Why each of the known survivors is one, by its key: '<key> # <reason>' a line."""
    lines = SURVIVORS.read_text().split("\n") if SURVIVORS.exists() else []
    return dict(line.rsplit(" # ", 1) for line in lines if " # " in line)


def run(parser):
    parser.add_argument("places", nargs="*", metavar="FILE[:LINE]", help="sources, or lines of them [all of src]")
    parser.add_argument("--list", action="store_true", help="show what would be broken")
    arguments = parser.parse_args(sys.argv[2:])
    texts, mutants = switch(tracked("src/*.cpp", "src/*.h"))
    if arguments.places:
        places = tuple(f"{place}:" for place in arguments.places)
        mutants = [mutant for mutant in mutants if str(mutant).startswith(places)]
    if not mutants:
        parser.error(f"nothing to break in {', '.join(arguments.places)}")
    if arguments.list:
        print(*mutants, f"{len(mutants)} mutants", sep="\n")
        return 0

    set_up(texts)
    if notice := noticed_by():
        sys.exit(f"without any mutant: {notice}")
    survivors = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for mutant, notice in zip(mutants, pool.map(lambda m: noticed_by(m.number), mutants)):
            if notice is None:
                survivors.append(mutant)
            print(f"{mutant}\n    {'caught by ' + notice if notice else 'SURVIVED'}", flush=True)
    known = reasons()
    unknown = [mutant for mutant in survivors if mutant.key() not in known]
    print(f"\n{len(mutants)} mutants, {len(mutants) - len(survivors)} caught, {len(survivors)} survived")
    print(*(f"not in {SURVIVORS.relative_to(ROOT)}: {mutant}" for mutant in unknown), sep="\n")
    return 1 if unknown else 0
