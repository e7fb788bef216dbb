"""Breaks the kernels in one place after the other (a barrier is removed, a comparison is off by one, or the
other way round) and runs the emulated tests on each, under AddressSanitizer and then ThreadSanitizer. All
breaks are compiled at once: a number in the environment says which of them is there (tests/mutants.h)."""

import math
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mutation.sources import ROOT, WORK, Mutant, at_places, build, copy, tracked
from mutation.survivors import unknown
from study.command_line import number

SOURCE = WORK / "source"
SURVIVORS = ROOT / "tests/kernel_survivors.txt"
OWN_TESTS = ("single_pass_test", "distributed_test")  # of modules, that are not in modules_test
# Of processor time, since other programs may run as well: for a test without a fault. A mutant gets
# five times what that took, and 20 s.
SECONDS = 600
PATIENCE = 3600  # seconds, for what waits and does nothing

BARRIER = re.compile(r"(?:__syncthreads|__syncwarp|(?:simt::)?named_barrier|(?:[\w.\[\]]|->)+\.(?:arrive_and_)?wait)"
                     r"\((?:[^;{]*|\[&\] {.*})\);")
# Compiled in, or a loop with a constant number of rounds: no check of anything that varies.
CONSTANT = re.compile(r"static_assert|constexpr|__launch_bounds__|"
                      r"for \(.*; \w+ [<>]=? (?:(?:Shape::)?k[A-Z]\w*(?:<\w+>)?|Items); ")
COMPARISON = re.compile(r"(?<= )[<>]=?(?= )")
KINDS = ("off by one", "the other way round", "without a barrier")
BREAKS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<")}
FUNCTIONS = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}


@dataclass
class Break(Mutant):
    kind: str


def kernel_lines(lines):
    """The numbers of the lines that are a kernel's, or a function's that kernels call."""
    end = None  # how the line starts that closes the function
    for number, line in enumerate(lines):
        code = line.split("//")[0].rstrip()
        if end is None and re.search("__(global|device)__", code):
            yield number
            if not code.endswith(("}", ";")):
                end = " " * (len(line) - len(line.lstrip())) + "}"
        elif end is not None:
            yield number
            if line.startswith(end) or code.endswith("{}"):  # a constructor's list may end so
                end = None


def switch_line(lines, number, file, mutants):
    """The line with all its breaks in it; adds what they are to mutants."""
    line = lines[number]
    code = line.split("//")[0]
    comparisons = () if CONSTANT.search(code) else COMPARISON.finditer(code)
    switched, done = "", 0
    for found in sorted((*BARRIER.finditer(code), *comparisons), key=re.Match.start):
        first, text = len(mutants), found.group()
        switched += line[done:found.start()]
        done = found.end()
        if text in BREAKS:
            ways = ", ".join(f"std::{FUNCTIONS[way]}<>" for way in (text, *BREAKS[text]))
            switched += f"< mutants::Comparison<{ways}>{{{first}}} >"
            broken = [(kind, line[:found.start()] + way + line[done:])
                      for kind, way in zip(KINDS, BREAKS[text])]
        else:
            switched += f"mutants::broken == {first} || ({text.rstrip(';')}, true);"
            broken = [(KINDS[2], f"without {text} before {lines[number + 1].strip()}")]
        mutants += [Break(first + i, file, number + 1, what.strip(), kind)
                    for i, (kind, what) in enumerate(broken)]
    return switched + line[done:]


def switch(files):
    """The texts of these files with all breaks in them, and the mutants that they are."""
    texts, mutants = {}, []
    for file in files:
        lines = (ROOT / file).read_text().split("\n")
        for number in kernel_lines(lines):
            lines[number] = switch_line(lines, number, file, mutants)
        texts[file] = "\n".join(['#include "tests/mutants.h"', *lines])
    return texts, mutants


def modules_with(file):
    """The modules that a mistake in this file reaches: all that include it, or one that does."""
    sources = {name: (ROOT / name).read_text() for name in tracked("stream_compaction/*.cu",
                                                                   "stream_compaction/*.h")}
    reached, unseen = set(), [file]
    while unseen:
        name = unseen.pop()
        reached.add(name)
        header = f"stream_compaction/{Path(name).stem}.h"  # public: in front of its owner's folder
        users = [user for user, text in sources.items() if f'#include "{name}"' in text]
        unseen += [other for other in (header, *users) if other in sources and other not in reached]
    kernels = (Path(name).relative_to("stream_compaction") for name in reached if name.endswith(".cu"))
    return tuple(sorted({kernel.parts[0].removesuffix(".cu") for kernel in kernels}))


def set_up(texts):
    copy(SOURCE, texts)
    targets = [f"{test}_emulated" for test in ("property_test", "modules_test", *OWN_TESTS)]
    for sanitizer in ("address", "thread"):
        build(SOURCE, WORK / sanitizer, targets, "-DCMAKE_CXX_FLAGS_DEBUG=-O1",
              "-DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON", f"-DSTREAM_COMPACTION_SANITIZE={sanitizer}")


def row_names():
    """Of all rows, as the registry of this build has them."""
    listed = subprocess.run([WORK / "address/tests/modules_test_emulated", "--gtest_list_tests",
                             "--gtest_filter=Rows/AbsurdSize.*"],
                            capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"/(?:scan|compact|sort)_(\w+)", listed))


def test_runs(modules):
    """Programs, their arguments and the largest n, what finds most at first: random calls of the rows
    that use the modules, the tests of these rows, the modules' own tests, and more random calls; then
    the tests again, for races."""
    rows = sorted(row for row in row_names()
                  if any(f"{row}_".startswith(f"{module}_") for module in modules))
    suites = [module.title().replace("_", "") for module in modules]
    gtest = ["--gtest_fail_fast", "--gtest_brief=1"]
    of_rows = [*gtest, "--gtest_filter=*InSlices*:" + ":".join(
        [f"*_{row}" for row in rows] + [f"{suite}*" for suite in suites])]
    of_one_type = [*gtest, "--gtest_filter=" + ":".join(f"{suite}*" for suite in suites) + "-" +
                   ":".join(f"{suite}/{other}.*" for suite in suites for other in range(1, 10))]
    own = [test for test in OWN_TESTS if test.removesuffix("_test") in modules]
    random_calls = ["--largest", "20000", "--algorithm", ",".join(rows)]
    if rows:
        yield "address/bin/property_test_emulated", [*random_calls, "--cases", "200"], 0
        yield "address/tests/modules_test_emulated", of_rows, 600
    yield from ((f"address/tests/{test}_emulated", gtest, 3000) for test in own)
    if rows:
        yield "address/bin/property_test_emulated", [*random_calls, "--cases", "1000"], 0
    yield "address/tests/modules_test_emulated", of_one_type, 200_000
    yield from ((f"address/tests/{test}_emulated", gtest, 700_000) for test in own)
    yield "thread/tests/modules_test_emulated", of_one_type, 1100
    yield from ((f"thread/tests/{test}_emulated", gtest, 500) for test in own)


def first_failure(output):
    """The words that say which test failed, and why."""
    for pattern in (r"(?:ERROR|WARNING): \w+Sanitizer: [\w -]+", r"\[  FAILED  \] \S+",
                    r"FAILED: [^;]*"):
        if found := re.search(pattern, output):
            return found.group()[:90]
    return "exit code"


def limit_processor_time(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 10))


seconds_for = {}  # each command and largest n, from when it ran without a mutant


def noticed_by(modules, number=-1):
    """What notices that something is wrong in the modules' sources; None where nothing does."""
    for program, options, largest in test_runs(modules):
        environment = {**os.environ, "MUTANT": str(number),
                       "STREAM_COMPACTION_TEST_LARGEST": str(largest)}
        command, start = (WORK / program, *options), time.monotonic()
        limit = seconds_for.get((command, largest), SECONDS)
        try:
            run = subprocess.run(command, env=environment, capture_output=True, text=True,
                                 errors="replace", timeout=PATIENCE,
                                 preexec_fn=lambda: limit_processor_time(limit))
        except subprocess.TimeoutExpired:
            return "a test that waits"
        if run.returncode == -signal.SIGXCPU:
            return "a test that hangs"
        if run.returncode != 0:
            return first_failure(run.stdout + run.stderr)
        seconds_for.setdefault((command, largest), 20 + 5 * math.ceil(time.monotonic() - start))
    return None


def run(parser, words):
    parser.add_argument("places", nargs="*", metavar="FILE[:LINE]",
                        help="sources with kernels, or lines of them [all of stream_compaction]")
    parser.add_argument("--sample", type=number(int, 1, 100000), metavar="N",
                        help="break N places drawn at random [all]")
    parser.add_argument("--seed", type=number(int, 0, 999999999), default=1, help="of the draw [%(default)s]")
    parser.add_argument("--list", action="store_true", help="show what would be broken")
    arguments = parser.parse_args(words)
    texts, mutants = switch(tracked("stream_compaction/*.cu", "stream_compaction/*.h"))
    mutants = at_places(mutants, arguments.places, parser)
    if arguments.sample is not None and arguments.sample < len(mutants):
        print(f"{arguments.sample} of {len(mutants)} mutants, drawn with seed {arguments.seed}")
        drawn = random.Random(arguments.seed).sample(range(len(mutants)), arguments.sample)
        mutants = [mutants[i] for i in drawn]  # in this order, so that its first are a sample, too
    if arguments.list:
        print(*mutants, f"{len(mutants)} mutants", sep="\n")
        return 0

    start = time.monotonic()
    set_up(texts)
    modules = {mutant.file: modules_with(mutant.file) for mutant in mutants}
    all_users, survivors = sorted(set(modules.values())), []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for users, notice in zip(all_users, pool.map(noticed_by, all_users)):
            if notice:
                sys.exit(f"without any mutant, {', '.join(users)}: {notice}")
        notices = pool.map(lambda m: noticed_by(modules[m.file], m.number), mutants)
        for mutant, notice in zip(mutants, notices):
            if notice is None:
                survivors.append(mutant)
            print(f"{mutant}\n    {'caught by ' + notice if notice else 'SURVIVED'}", flush=True)

    print(f"\n{(time.monotonic() - start) / 60:.0f} min")
    for kind in KINDS:
        count = sum(mutant.kind == kind for mutant in mutants)
        survived = sum(mutant.kind == kind for mutant in survivors)
        if count > 0:
            print(f"{kind}: {count} mutants, {count - survived} caught, {survived} survived")
    unexplained = unknown(survivors, SURVIVORS)
    print(*(f"not in {SURVIVORS.relative_to(ROOT)}: {mutant}" for mutant in unexplained), sep="\n")
    return 1 if unexplained else 0
