"""Breaks the programs' own code, src/, in one place after the other, and runs the programs' tests on each:
what scripts/mutate does for kernels. An operator, a condition, a truth value or a constant is another one,
or a statement is left out. All breaks are compiled at once; what no test notices, and why, is in
tests/host_survivors.txt."""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutation.sources import ROOT, WORK, Mutant, at_places, build, copy, tracked
from mutation.survivors import unknown

SOURCE = WORK / "host_source"
BUILD = WORK / "host"
SURVIVORS = ROOT / "tests/host_survivors.txt"
# Which files each test is for, quick tests first.
TESTS = {
    "sampler_test": r"sampler|host_clock|energy",
    "measuring_test": r"(?!sampler)",
    "harness_test": r"(?!sampler)",
    "counts_test": r"counts|recorder|receivers|request",
    "count_program_test": r"count_|counted_|counts_|source_lines",
    "input_test": r"input|parallel_for|key_|distribution|mix|shell_word",
    "measure_time_test": r"measure_|command_line|usage_error|program|registry_json|results_file|study|size",
    "program_test": r"main|harness|program|backend_choice|contenders|registry_table|report|selection",
    "bench_test_emulated": r"bench|\w+_arena|turns|skip|measurement|cache_flush|\w+_check|\w+_output|parallel_for"
                           r"|gpu_state|study",
    "broken_programs_test_emulated":
        r"measure_program|bench|\w+_arena|turns|skip|program|harness|results_file|host_check|wrong_output|host_memory"
        r"|gpu_state",
}
MOST_BYTES = 16 << 30  # that a test may take
SECONDS = 300          # for a test without a fault

# Nothing of it is compiled, or computed when the program runs. A source's constants can be made variables.
SKIPPED = re.compile(r"^\s*(?:#|static_assert|template|using|case |concept|requires)"
                     r"|\bconstexpr\b(?! \w+(?:::\w+)? k[A-Z])")
COMPARISON = re.compile(r"(?<= )[<>]=?(?=\s)")
EQUALITY = re.compile(r"(?<= )[!=]=(?=\s)")
ARITHMETIC = re.compile(r"(?<=[\w)\]\"}] )[-+*/%](?=\s)")
LOGIC = re.compile(r"(?<= )(?:&&|\|\|)(?=\s)")
NOT = re.compile(r"(?<![\w)])!(?=[\w(:])")
TRUTH = re.compile(r"\b(?:true|false)\b(?!\s*>)")
CONDITION = re.compile(r"\b(?:if|while) \(")
CONSTANT = re.compile(r"\s*constexpr (?=(?:int|double|unsigned|std::size_t) k)")
NUMBER = re.compile(r"(?<![\w.'\"])\d[\d.']*(?:e-?\d+)?(?![\w.'\"])")
FACTOR = re.compile(rf"{NUMBER.pattern}(?= [*/] )|(?<= [*/] ){NUMBER.pattern}")
STATEMENT = re.compile(r"\s+(?!(?:return|if|for|while|switch|else|do|using|delete|case|default)\b)"
                       r"(?:\(void\)|throw |\+\+|--|\*|::)?[a-z_][\w:]*"
                       r"(?:\.|->|\(|\[| [-+*/|&]?= |\+\+;| << )")
BEFORE_STATEMENT = (";", "{", "}", ")", "else")
DECLARATION = re.compile(r"(?:const )?[\w:<>]+\*?(?: const)? (\w+) = ")
OPPOSITES = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<")}
SWAPPED = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/"}
FUNCTIONS = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "+": "plus",
             "-": "minus", "*": "multiplies", "/": "divides", "%": "modulus"}


def masked(text):
    """The same text without what is in comments, strings and characters."""
    pattern = re.compile(r"//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'(?!\w)")
    return pattern.sub(lambda found: (" " if found.group()[0] == "/" else '"') * len(found.group()), text)


def closing(code, opening):
    """Where the bracket is closed that is opened there."""
    depth = 0
    for at in range(opening, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth == 0:
            return at
    raise ValueError("a bracket that is not closed")


def semicolon(code, start, last):
    """The first one that is in no bracket; None where there is none before the bracket around it closes."""
    at = start
    while at < last and code[at] not in ")]};":
        at = closing(code, at) + 1 if code[at] in "([{" else at + 1
    return at if at < last and code[at] == ";" else None


def types_of(*signs):
    return ", ".join(f"std::{FUNCTIONS[sign]}<>" for sign in signs)


class Switch:
    """One file with all its breaks in it."""

    def __init__(self, file, first):
        self.file, self.first, self.mutants = file, first, []
        self.text = (ROOT / file).read_text()
        self.code = masked(self.text)
        self.edits = []  # (first, last, what stands there instead)
        start, before = 0, ""
        for line in self.code.split("\n"):
            if line.strip():
                if not SKIPPED.search(line) and not (file.endswith(".h") and CONSTANT.match(line)):
                    self.break_operators(start, line)
                    self.break_constants(start, line)
                    self.break_conditions(start, line)
                    if STATEMENT.match(line) and before.endswith(BEFORE_STATEMENT):
                        self.leave_out_statement(start + len(line) - len(line.lstrip()))
                before = line.rstrip()
            start += len(line) + 1

    def switched(self):
        text = self.text
        for first, last, instead in sorted(self.edits, key=lambda edit: edit[:2], reverse=True):
            text = text[:first] + instead + text[last:]
        return '#include "tests/mutants.h"\n' + text

    def add(self, at, *descriptions):
        """New mutants of the line with this place; the first one's number."""
        line = self.text.count("\n", 0, at)
        content = " ".join(self.text.split("\n")[line].split())
        first = self.first + len(self.mutants)
        self.mutants += [Mutant(first + i, self.file, line + 1, f"{content} [{description}]")
                         for i, description in enumerate(descriptions)]
        return first

    def replace(self, kind, start, line, instead_of):
        """Every find of this kind, by what a function makes of it and the place."""
        for found in kind.finditer(line):
            at = start + found.start()
            self.edits.append((at, start + found.end(), instead_of(found.group(), at)))

    def break_operators(self, start, line):
        def comparison(sign, at):
            ways = OPPOSITES[sign]
            number = self.add(at, *(f"{sign} is {way}" for way in ways))
            return f"< mutants::Comparison<{types_of(sign, *ways)}>{{{number}}} >"

        def equality(sign, at):
            wanted = "true" if sign == "==" else "false"
            return f"== mutants::Equality{{{self.add(at, f'{sign} is the opposite')}, {wanted}}} =="

        def arithmetic(sign, at):
            number = self.add(at, f"{sign} is {SWAPPED[sign]}")
            return f"{sign} mutants::Arithmetic<{types_of(sign, SWAPPED[sign])}>{{{number}}} {sign}"

        def logic(sign, at):
            if sign == "&&":
                return f"&& !mutants::is({self.add(at, '&& is false')}) &&"
            return f"|| mutants::is({self.add(at, '|| is true')}) ||"

        self.replace(COMPARISON, start, line, comparison)
        self.replace(EQUALITY, start, line, equality)
        self.replace(ARITHMETIC, start, line, arithmetic)
        self.replace(LOGIC, start, line, logic)
        self.replace(NOT, start, line, lambda _, at: f"mutants::is({self.add(at, 'without !')}) != !")
        self.replace(TRUTH, start, line,
                     lambda truth, at: f"(mutants::is({self.add(at, f'not {truth}')}) != {truth})")

    def break_constants(self, start, line):
        found = CONSTANT.match(line)

        def double(literal, at):
            if float(literal.replace("'", "")) == 0:
                return literal
            function = "constant" if found else "number"
            return f"mutants::{function}({self.add(at, f'{literal} is doubled')}, {literal})"

        if found:
            self.edits.append((start + found.end() - len("constexpr "), start + found.end(), "const "))
            self.replace(NUMBER, start, line, double)
        else:
            self.replace(FACTOR, start, line, double)

    def break_conditions(self, start, line):
        """Those of an if or a loop in which nothing is broken yet."""
        for found in CONDITION.finditer(line):
            first = start + found.end()
            end = closing(self.code, first - 1)
            if (initialized := semicolon(self.code, first, end)) is not None:
                first = initialized + 2
            condition = self.code[first:end]
            declared = DECLARATION.match(condition)
            if any(kind.search(condition) for kind in (COMPARISON, EQUALITY, LOGIC, NOT)):
                continue
            if not declared:
                number = self.add(start + found.start(), "the opposite condition")
                self.edits += [(first, first, f"mutants::is({number}) != bool("), (end, end, ")")]
            elif found.group().startswith("if"):
                number = self.add(start + found.start(), "the opposite condition")
                self.edits.append((end, end, f"; mutants::is({number}) != bool({declared[1]})"))

    def leave_out_statement(self, first):
        end = semicolon(self.code, first, len(self.code))
        if end is not None and not re.search(r"= (?:delete|default)$", self.code[first:end]):
            number = self.add(first, "left out")
            self.edits += [(first, first, f"mutants::is({number}) || ("), (end, end, ", true)")]


def switch(files):
    """The texts of these files with all breaks in them, and the mutants that they are."""
    switches = [Switch(file, 10_000 * i) for i, file in enumerate(files)]  # no file moves another's
    return {one.file: one.switched() for one in switches}, [m for one in switches for m in one.mutants]


def set_up(texts):
    """Compiles the tests with these texts in place of the project's own. What then ends in the void, a
    function without its return or an index past the end, ends the program."""
    copy(SOURCE, texts)
    build(SOURCE, BUILD, TESTS, "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -D_GLIBCXX_ASSERTIONS "
          "-fsanitize=return,unreachable -fsanitize-undefined-trap-on-error")


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def end_session(process):
    """With what the test has started and not waited for."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


seconds_for = {}  # each test, from when it ran without a mutant


def noticed_by(tests, number=-1):
    """The first test that notices that something is wrong; None where none does."""
    folder = WORK / f"scratch/{number}"
    environment = {**os.environ, "MUTANT": str(number), "TEST_TMPDIR": f"{folder}/"}
    for test in tests:
        folder.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        process = subprocess.Popen([BUILD / "tests" / test, "--gtest_fail_fast", "--gtest_brief=1"],
                                   env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   text=True, errors="replace", cwd=folder, start_new_session=True,
                                   preexec_fn=limit_memory)
        try:
            output, _ = process.communicate(timeout=seconds_for.get(test, SECONDS))
        except subprocess.TimeoutExpired:
            return f"{test} that hangs"
        finally:
            end_session(process)
            shutil.rmtree(folder, ignore_errors=True)
        if process.returncode != 0:
            failed = re.search(r"\[  FAILED  \] (\S+)", output)
            return failed[1] if failed else f"{test}, which ends with {process.returncode}"
        seconds_for.setdefault(test, 15 + 8 * (time.monotonic() - start))
    return None


def tests_of(file):
    return [test for test, files in TESTS.items() if re.match(files, Path(file).stem)]


def run(parser, words):
    parser.add_argument("places", nargs="*", metavar="FILE[:LINE]", help="sources, or lines of them [src]")
    parser.add_argument("--list", action="store_true", help="show what would be broken")
    arguments = parser.parse_args(words)
    texts, mutants = switch(tracked("src/*.cpp", "src/*.h"))
    mutants = at_places(mutants, arguments.places, parser)
    if arguments.list:
        print(*mutants, f"{len(mutants)} mutants", sep="\n")
        return 0

    set_up(texts)
    if notice := noticed_by(TESTS):
        sys.exit(f"without any mutant: {notice}")
    survivors = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        notices = pool.map(lambda m: noticed_by(tests_of(m.file), m.number), mutants)
        for mutant, notice in zip(mutants, notices):
            if notice is None:
                survivors.append(mutant)
            print(f"{mutant}\n    {f'caught by {notice}' if notice else 'SURVIVED'}", flush=True)
    print(f"\n{len(mutants)} mutants, {len(mutants) - len(survivors)} caught, {len(survivors)} survived")
    unexplained = unknown(survivors, SURVIVORS)
    print(*(f"not in {SURVIVORS.relative_to(ROOT)}: {mutant}" for mutant in unexplained), sep="\n")
    return 1 if unexplained else 0
