#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels for gfx950 and for x86-64, runs both, compares the results.

  differential.py written [--only REGEX]         the kernels of kernels/
  differential.py random --count N --seed S      generated kernels S to S + N - 1

Every failure prints how to repeat it; sources and code objects of failing kernels
stay in the directory that is named.
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import census
import generate
import units

sys.path.insert(0, os.path.join(units.HERE, "..", "tools"))
import slices  # noqa: E402

DEFAULT_RUNNER = os.path.join(units.HERE, "..", "..", "build", "bin",
                              "differential-runner")
DEFAULT_LLVM = "/usr/lib/llvm-22/bin"
KERNELS_PER_UNIT = 8  # random kernels that share a code object


class Result:
    """What became of one unit."""

    def __init__(self, unit):
        self.unit = unit
        self.launches = 0
        self.kernels = set()
        self.instructions = 0
        self.failures = []  # (label or None, text)
        self.mnemonics = census.Census()


def run_jobs(options, folder, oracle, all_cases, result):
    """Runs the cases, past those that kill the runner."""
    left = list(all_cases)
    while any(label for label, _ in left):
        jobs = os.path.join(folder, "jobs.txt")
        with open(jobs, "w", encoding="utf-8") as file:
            file.write(f"oracle {oracle}\n")
            for _, lines in left:
                file.write("\n".join(lines) + "\n")
        done = subprocess.run([options.runner, jobs], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        started = read_report(done.stdout, result)
        if done.returncode in (0, 1):
            return
        if started is None:
            result.failures.append((None, f"runner ended with {done.returncode}: "
                                    + done.stderr.strip()))
            return
        result.launches += 1
        result.failures.append(
            (started, f"the runner ended with {done.returncode} (negative: a "
             f"signal; -14: no end in time, -4: undefined behaviour in the oracle)"))
        index = [label for label, _ in left].index(started)
        module = next(case for case in reversed(left[:index]) if case[0] is None)
        left = [module] + left[index + 1:]


def read_report(text, result):
    """Adds the runner's report to the result; returns the label of a launch that
    was begun and not ended."""
    started = None
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "start":
            started = rest
        elif word == "ok":
            result.launches += 1
            result.instructions += int(rest.rsplit(" ", 1)[1])
            started = None
        elif word == "fail":
            result.launches += 1
            result.failures.append((rest, ""))
            started = None
        elif word == "" and result.failures:
            label, detail = result.failures[-1]
            result.failures[-1] = (label, detail + "\n    " + rest.lstrip())
    return started


def run_unit(options, unit, folder):
    result = Result(unit)
    oracle = os.path.join(folder, "oracle.so")
    code_objects = []
    try:
        units.compile_oracle(options.llvm_bin, unit, options.ubsan, oracle)
    except units.CompileError as error:
        result.failures.append((None, f"does not compile for x86-64: {error}"))
        return result
    for variant, flags in unit.variants.items():
        for level in options.levels:
            name = "-" + level + (" " + variant if variant else "")
            path = os.path.join(folder, name.replace(" ", "_").strip("-") + ".co")
            try:
                units.compile_gfx950(options.llvm_bin, unit, level,
                                     flags + options.flag, path)
            except units.CompileError as error:
                result.failures.append(
                    (None, f"does not compile for gfx950 at {name}: {error}"))
                continue
            code_objects.append((name, path))
            if options.census:
                result.mnemonics.add(options.llvm_bin, path, level)
    result.kernels = set(unit.kernels())
    seeds = range(options.input, options.input + options.inputs)
    run_jobs(options, folder, oracle,
             units.cases(unit, code_objects, seeds, units.MODES), result)
    return result


def written_units(options):
    pattern = os.path.join(units.HERE, "kernels", "*.c*")
    for path in options.source or options.sources.of(sorted(glob.glob(pattern))):
        unit = units.Unit(path)
        if options.only:
            unit.launches = [launch for launch in unit.launches if re.search(
                options.only, f"{unit.name}:{launch.kernel}")]
        if unit.launches:
            yield unit


def random_units(options, folder):
    """The kernels' seeds, in groups that do not depend on where a run begins."""
    begin, end = options.seed, options.seed + options.count
    groups = range(begin // KERNELS_PER_UNIT, -(-end // KERNELS_PER_UNIT))
    for group in options.sources.of(groups):
        seed = max(begin, group * KERNELS_PER_UNIT)
        stop = min(end, (group + 1) * KERNELS_PER_UNIT)
        path = os.path.join(folder, f"random_{seed}.c")
        text = generate.unit_source(group, range(seed, stop))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        yield units.Unit(path, text)


def repeat_line(options, label):
    """A command that runs the failing launch alone."""
    command = ["test/differential/differential.py"]
    if label is None:
        return None
    kernel = label.split(" ")[0].split(":")[1]
    if options.command == "written":
        command += ["written", "--only", f"':{kernel}$'"]
    else:
        seed = re.sub(r"\D", "", kernel)
        command += ["random", "--seed", seed, "--count", "1"]
    level = re.search(r" -(O\d)", label)
    source = re.search(r" input=(\d+)", label)
    command += ["--levels", level.group(1), "--input", source.group(1)]
    command += ["--keep", "DIR"]
    return " ".join(command)


def kernel_of(label):
    return label.split(" ")[0] if label else ""


def report_failures(options, result, folder):
    """The first failure of each kernel in full, the others by their number."""
    by_kernel = {}
    for label, text in result.failures:
        by_kernel.setdefault(kernel_of(label), []).append((label, text))
    for failures in by_kernel.values():
        label, text = failures[0]
        print(f"FAIL {label or result.unit.name}: {text.strip()}")
        again = repeat_line(options, label)
        if again:
            print(f"    repeat: {again}")
        levels = collections.Counter(
            other.split(" ")[1] for other, _ in failures if other)
        if len(failures) > 1:
            print(f"    {len(failures)} failures of this kernel: "
                  + ", ".join(f"{n} at {x}" for x, n in sorted(levels.items())))
    print(f"    files: {folder}", flush=True)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--runner", help="default: that of build/",
                        default=DEFAULT_RUNNER)
    shared.add_argument("--llvm-bin", default=DEFAULT_LLVM)
    shared.add_argument("--levels", default=",".join(units.LEVELS),
                        type=lambda text: text.split(","))
    slices.add_argument(shared)
    shared.add_argument("--sources", type=slices.Slice, default=slices.Slice("0/1"),
                        metavar="I/N", help="a slice of the sources, as --slice is one of "
                        "the levels")
    shared.add_argument("--inputs", type=int, default=3,
                        help="random input sets a launch")
    shared.add_argument("--input", type=int, default=1, help="the first of them")
    shared.add_argument("--jobs", type=int, default=os.cpu_count())
    shared.add_argument("--flag", action="append", default=[],
                        help="another clang flag for gfx950; may be repeated")
    shared.add_argument("--keep", metavar="DIR", help="keep everything there")
    shared.add_argument("--census", metavar="FILE",
                        help="write the mnemonics of the code by level and which of "
                        "them the emulator implements; - prints")
    shared.add_argument("--fmhac", help="the command that --census asks",
                        default=os.path.join(os.path.dirname(DEFAULT_RUNNER), "fmhac"))
    shared.add_argument("--ubsan", action="store_true",
                        help="trap on undefined behaviour in the oracle")
    shared.add_argument("--stop-after", type=int, default=20,
                        help="units with failures before giving up")
    commands = parser.add_subparsers(dest="command", required=True)
    written = commands.add_parser("written", parents=[shared])
    written.add_argument("--only", metavar="REGEX",
                         help="kernels whose FILE:NAME matches")
    written.add_argument("--source", metavar="FILE", action="append",
                         help="this source instead; may be repeated")
    random = commands.add_parser("random", parents=[shared])
    random.add_argument("--count", type=int, default=100)
    random.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    unknown = set(options.levels) - set(units.LEVELS)
    if unknown:
        parser.error(f"--levels: expected some of {units.LEVELS}, found {unknown}")
    return options


def main():
    options = arguments()
    options.levels = options.slice.of(options.levels)
    slices.tell(options)
    begin = time.monotonic()
    top = options.keep or tempfile.mkdtemp(prefix="differential-")
    os.makedirs(top, exist_ok=True)
    if options.command == "written":
        sources = written_units(options)
    else:
        sources = random_units(options, top)

    def one(unit):
        folder = os.path.join(top, unit.name)
        os.makedirs(folder, exist_ok=True)
        result = run_unit(options, unit, folder)
        if not result.failures and not options.keep:
            shutil.rmtree(folder)
            if options.command == "random":
                os.remove(unit.path)
        return result, folder

    kernels, launches, instructions, bad = 0, 0, 0, 0
    mnemonics = census.Census()

    def add(result, folder):
        nonlocal kernels, launches, instructions, bad
        kernels += len(result.kernels)
        launches += result.launches
        instructions += result.instructions
        mnemonics.merge(result.mnemonics)
        if result.failures:
            bad += 1
            report_failures(options, result, folder)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = set()
        for unit in sources:
            waiting.add(pool.submit(one, unit))
            if len(waiting) < 2 * options.jobs:
                continue
            done, waiting = concurrent.futures.wait(
                waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                add(*future.result())
            if bad >= options.stop_after:
                print(f"stopped after {bad} units with failures")
                break
        for future in concurrent.futures.as_completed(waiting):
            add(*future.result())
    missing = []
    if options.census:
        missing = mnemonics.write(options.census, options.fmhac)
    if not bad and not options.keep:
        shutil.rmtree(top)
    print(f"{kernels} kernels at {', '.join('-' + x for x in options.levels)}: "
          f"{launches} launches, {instructions} wave instructions, "
          f"{time.monotonic() - begin:.1f} s; "
          + (f"{bad} units with failures" if bad else "no disagreement"))
    if not kernels:
        print("FAIL: no kernel was run")
    return 1 if bad or missing or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
