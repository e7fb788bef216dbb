#!/usr/bin/env python3
"""Measures the performance study: every experiment, with one results file each.

Experiments that were already measured for this commit and this GPU are skipped, so the command can
be repeated until it has completed. plot_performance.py and update_readme.py make plots and the
tables of README from the files.
"""
from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # not there with PYTHONSAFEPATH
import study.ctrl_c  # before the imports that take time

import time
from pathlib import Path
from typing import Optional, Sequence

from study import profiler, several_gpus
from study.command_line import ExitCode, Parser, ScriptError, chosen, commit_name, number, run
from study.executables import Listing, MeasureTime, add_build_option, current_commit
from study.expected_time import choose_pace, expected_minutes, expected_seconds
from study.experiments import EXPERIMENTS, plan
from study.pace import PROTOCOL, QUICK, Pace
from study.results_files import DISTRIBUTED, RESULTS, folder_for
from study.session import Session, check_folder, make_folder

ALL = EXPERIMENTS + ("profile",)


def parse(arguments: Sequence[str]):
    parser = Parser(__doc__, epilog=(
        "Exit codes: 0 success, 1 a wrong result, 2 usage, 3 no GPU or a CUDA error, 4 files, "
        "130 interrupted; earlier measurements are kept."))
    parser.add_argument("--gpu-name", metavar="NAME",
                        help="name of the folder in results/ [from the GPU: h200]")
    parser.add_argument("--output", metavar="DIR", help="path of the folder [results/<gpu-name>]")
    parser.add_argument("--only", metavar="NAME,...",
                        help=f"only these experiments: {', '.join(ALL)}")
    parser.add_argument("--several", action="store_true",
                        help="measure scan, compaction and sort on several GPUs of this host instead, with "
                             "distributed_test, into distributed.json")
    parser.add_argument("--budget", metavar="MINUTES", type=number(float, 0.1, 10000),
                        help="choose a pace that takes about this long, 0.1 to 10000 minutes [the "
                             "protocol's own: until 10 samples and 0.3 s a row, at most 15 s]")
    parser.add_argument("--quick", action="store_true",
                        help="a smaller study in less than 5 minutes, without profile; with --several, in "
                             "less than 2")
    parser.add_argument("--again", action="store_true",
                        help="also repeat experiments that were measured for this commit")
    parser.add_argument("--commit", metavar="HASH", type=commit_name, help="the measured commit [from git]")
    parser.add_argument("--dry-run", action="store_true",
                        help="print the planned measurements and their expected duration")
    add_build_option(parser)
    options = parser.parse_args(arguments)
    parser.refuse_together(options, "--several", ["--only", "--budget"])
    parser.refuse_together(options, "--quick", ["--budget"])
    parser.refuse_together(options, "--output", ["--gpu-name"])
    if options.gpu_name in (".", "..") or "/" in (options.gpu_name or ""):
        parser.error(f"--gpu-name: given '{options.gpu_name}', expected the name of a folder")
    if options.only == "profile" and (options.quick or options.budget):
        parser.error(f"{'--quick' if options.quick else '--budget'}: has no effect on profile")
    return options


def experiments_of(options) -> list[str]:
    if options.only is not None:
        return chosen("--only", options.only, ALL)
    return list(EXPERIMENTS if options.quick else ALL)


def pace_for(options, experiments: Sequence[str], listing: Listing, elapsed_min: float = 0,
             slowness: float = 1) -> Pace:
    """For the experiments that are still to come."""
    if options.quick:
        return QUICK
    if options.budget is None:
        return PROTOCOL
    minutes = options.budget - elapsed_min
    if "profile" in experiments:
        minutes -= profiler.expected_minutes(listing)
    timed = [name for name in experiments if name != "profile"]
    return choose_pace(timed, listing, minutes, slowness)


def warn_of_budget(options, experiments: Sequence[str], listing: Listing) -> None:
    """Says so if even the fastest pace is expected to take longer than the budget."""
    if options.budget is None:
        return
    pace = pace_for(options, experiments, listing)
    timed = [name for name in experiments if name != "profile"]
    minutes = expected_minutes(timed, listing, pace)
    if "profile" in experiments:
        minutes += profiler.expected_minutes(listing)
    if minutes > options.budget:
        print(f"measure_performance.py: --budget: given {options.budget:g} min, but the fastest pace "
              f"takes about {minutes:.1f} min", file=sys.stderr)


def print_plan(experiments: Sequence[str], listing: Listing, pace: Pace) -> None:
    print(f"pace '{pace.name}': until 10 samples and {pace.min_seconds:g} s a row, at most "
          f"{pace.max_seconds:g} s")
    all_minutes = 0.0
    for experiment in experiments:
        if experiment == "profile":
            minutes = profiler.expected_minutes(listing)
            print(f"profile: {minutes:.1f} min")
        else:
            calls = plan(experiment, listing, pace)
            minutes = sum(expected_seconds(call, pace) for call in calls) / 60
            measurements = sum(call.measurements() for call in calls)
            print(f"{experiment}: {measurements} measurements, {minutes:.1f} min")
            for call in calls:
                print(f"    {expected_seconds(call, pace):5.0f} s  {call.describe()}")
        all_minutes += minutes
    print(f"together about {all_minutes:.0f} min on an H200")


def profile(session: Session, build: Optional[str], was_asked_for: bool) -> None:
    """Counters need a tool and a permission that may be missing; the study then omits the profile."""
    try:
        profiler.profile(session, build)
    except ScriptError as error:
        if was_asked_for or error.code != ExitCode.CUDA:
            raise
        print(f"profile: left out: {error}", flush=True)


def folder_of(options, machine: dict) -> Path:
    return Path(options.output or RESULTS / (options.gpu_name or folder_for(machine["gpu"])))


def print_several(calls: Sequence[several_gpus.Call]) -> None:
    for call in calls:
        print(f"    {call.expected_s():5.0f} s  {call.describe()}")
    print(f"together about {several_gpus.expected_seconds(calls) / 60:.1f} min")


def measure_several(options) -> int:
    """On 2, 4, 8 and all GPUs; calls whose rows the file has are not repeated."""
    tool = several_gpus.DistributedTest(options.build)
    machine, gpus = tool.probe(options.commit or current_commit())
    if gpus < 2:
        raise ScriptError("--several: given one GPU, expected at least 2", ExitCode.CUDA)
    folder = folder_of(options, machine)
    study = several_gpus.SeveralGpus(tool, machine, folder / f"{DISTRIBUTED}.json")
    calls = [call for call in several_gpus.plan(gpus, options.quick)
             if options.again or not study.is_measured(call)]
    if options.dry_run:
        check_folder(folder)
        print_several(calls)
        return ExitCode.RIGHT
    make_folder(folder)
    print(f"{gpus} x {machine['gpu']}, commit {machine['commit']}, into {study.path}", flush=True)
    start = time.monotonic()
    study.measure(calls)
    print(f"done in {(time.monotonic() - start) / 60:.1f} min")
    return study.code


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    if options.several:
        return measure_several(options)
    experiments = experiments_of(options)
    tool = MeasureTime(options.build)
    if options.dry_run:
        if options.output or options.gpu_name:
            check_folder(Path(options.output or RESULTS / options.gpu_name))
        listing = tool.listing()
        print_plan(experiments, listing, pace_for(options, experiments, listing))
        warn_of_budget(options, experiments, listing)
        return ExitCode.RIGHT

    listing = tool.require_gpu()
    commit = options.commit or current_commit()
    machine = tool.machine(commit)
    folder = folder_of(options, machine)
    session = Session(tool, listing, machine, folder)
    print(f"{machine['gpu']}, commit {commit}, into {folder}", flush=True)
    warn_of_budget(options, experiments, listing)

    start = time.monotonic()
    waiting = list(experiments)
    while waiting:
        elapsed_min = (time.monotonic() - start) / 60
        pace = pace_for(options, waiting, listing, elapsed_min, session.slowness())
        experiment = waiting.pop(0)
        if not options.again and session.is_measured(experiment, pace):
            print(f"{experiment}: already measured, in {session.path(experiment)}", flush=True)
        elif experiment == "profile":
            profile(session, options.build, options.only is not None)
        else:
            session.measure(experiment, pace)
            print(f"{experiment}: in {session.path(experiment)}, pace '{pace.name}'", flush=True)
    print(f"done in {(time.monotonic() - start) / 60:.1f} min")
    return session.code


if __name__ == "__main__":
    run(main)
