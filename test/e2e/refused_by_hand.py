# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the proof of a pipeline refuses is at fault, shown from both sides by hand.

Schedules: `dualwave`, `dualwave_fp8` and `dualwave_q8` with a stagger of two barriers and still two buffers; with V read in
the compute stage that multiplies by it; with one buffer of V. Each is refused with both
accesses named; made without the proof (without_proof.py), the emulator finds the
race.

Waits and barriers: of the synced IR of both, each wait and each barrier is left out,
one at a time. Where the proof refuses what is left, and names both accesses where there are
two, the emulator finds a fault; where it does not (after the last copy nothing is left to
race), the emulator finds none.
"""
import argparse
import math
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import axes
import axis_files
import random_schedules
import without_proof

import slices  # of test/tools, where without_proof looks
from commands import call, fail

HEAD = 32  # quick; waits and barriers are those of any head
# Two rounds of the loop and all ways after it; the last tile not full.
LENGTHS = [64, 128, 192, 250, 320, 384, 448, 510]
# name, old text, new text, words of the refusal, its second access
SCHEDULES = [
    ("stagger of two barriers, two buffers", r"stagger = 1", "stagger = 2",
     "overwrites what may still be read", "'fmha.read' before it"),
    ("V read in a compute stage", r"\[read_v ahead -1, (.*)(\[)pv", r"[\1\2read_v ahead -1, pv",
     "overwrites what may still be read", "'fmha.read' before it"),
    ("one buffer of V", r"(v = <[^>]*)buffers = 2", r"\1buffers = 1",
     "copies into a buffer that nothing was read from since the last copy",
     "'fmha.copy' before it"),
]
NAMES = ["dualwave", "dualwave_fp8", "dualwave_q8"]
# What is left out of a line of the synced IR: a count of a wait, or a barrier.
KINDS = {"load": r" load\(\d+\)", "ds": r" ds\(0\)", "barrier": r"\s*rocdl\.s\.barrier\s*"}


class Bench:
    """A saved launch of a schedule and what it should give."""

    def __init__(self, tools, name, folder):
        self.tools, self.name, self.folder = tools, name, folder
        lengths, out = (os.path.join(folder, n) for n in ("lengths.npy", "o.npy"))
        axis_files.write_lengths(lengths, "padded", LENGTHS)
        self.config = ["--head-dim", str(HEAD), "--seqlens-kv", lengths, *axes.types_of(name)]
        self.saved = os.path.join(folder, "saved")
        call(
            [tools.fmhac, "run", "--json", "--schedule", name, *self.config, "--batch",
             str(len(LENGTHS)), "--heads", "1", "--seqlen-q", "250", "--seqlen-kv",
             str(max(LENGTHS)), "--save-launch", self.saved, "--o", out])
        self.good = axis_files.read_npy(out)

    def problem(self, schedule):
        return call([self.tools.fmhac, "compile", "--emit=problem", "--schedule", schedule,
                     *self.config])

    def fault(self, llvm_dialect, name):
        """(check, message, mode), or None."""
        code = os.path.join(self.folder, f"{name}.hsaco")
        self.tools.generate(llvm_dialect, code)
        folder = without_proof.replace_code(self.saved, os.path.join(self.folder, name), code)
        return without_proof.find_fault(self.tools.fmhac, folder, self.good, "bf16")


def check_schedules(bench):
    # Whose steps move: a recipe names instructions that a stage would not have then.
    path = os.path.join(bench.folder, "bare.mlir")
    with open(path, "w") as file:
        file.write(f"fmha.schedule @bare = @{bench.name} with <pipeline = <without recipe>>\n")
    text = call([bench.tools.fmhac, "list", "--print-schedule", path])
    for i, (name, old, new, words, other) in enumerate(SCHEDULES):
        changed, count = re.subn(old, new, text, flags=re.DOTALL)
        if count != 1:
            fail(name, f"expected '{old}' once in the schedule, found {count}")
        path = os.path.join(bench.folder, f"schedule{i}.mlir")
        with open(path, "w") as file:
            file.write(changed)
        done = subprocess.run(
            [bench.tools.fmhac, "compile", "--schedule", path, *bench.config, "-o",
             os.path.join(bench.folder, "refused.hsaco")], capture_output=True, text=True)
        if done.returncode != 2 or words not in done.stderr or other not in done.stderr:
            fail(name, f"expected exit code 2, '{words}' and \"{other}\", found",
                 done.returncode, done.stderr)
        fault = bench.fault(bench.tools.run_passes(bench.problem(path)), f"schedule{i}")
        if not fault:
            fail(name, "is refused, and the emulator finds nothing")
        print(f"{bench.name}, {name}: refused; the emulator: {fault[0]}: {fault[1][:200]}")


def check_synced(bench, part, jobs):
    """Each wait and barrier of a slice of each kind left out."""
    synced = bench.tools.run_passes(bench.problem(bench.name), last="insert-sched-groups")
    lines = synced.splitlines(keepends=True)
    places = [(kind, i) for kind, text in KINDS.items() for i in part.of(
        n for n, line in enumerate(lines) if re.match(
            r"\s*(amdgpu\.memory_counter_wait|rocdl\.s\.barrier)", line)
        and re.search(text, line))]
    proof = re.findall(r"fmha-verify-rung\{rung=synced\}",
                       bench.tools.pipeline("verify-synced", "verify-synced", proofs=True))

    def judge(mutant):
        kind, place = mutant
        less = re.sub(KINDS[kind], "", lines[place])
        text = "".join(lines[:place] + [less] + lines[place + 1:])
        done = subprocess.run(
            [bench.tools.opt, "-", f"--pass-pipeline=builtin.module({proof[0]})", "-o",
             os.devnull], input=text, capture_output=True, text=True)
        llvm = bench.tools.run_passes(text, first="verify-synced")
        return done.stderr if done.returncode else None, bench.fault(llvm, f"{kind}{place}")

    counts = {}
    with ThreadPoolExecutor(jobs) as pool:
        for (kind, place), (error, fault) in zip(places, pool.map(judge, places)):
            spelt = f"line {place + 1} of the synced IR, {lines[place].strip()}, less {kind}:"
            if error and "before it" not in error and "as many barriers" not in error:
                fail(spelt, "expected both accesses to be named, found", error)
            if bool(error) != bool(fault):
                fail(spelt, "the proof says", error and error.splitlines()[0],
                     "the emulator says", fault)
            row = counts.setdefault(kind, [0, 0])
            row[bool(error)] += 1
    for kind, (clean, refused) in sorted(counts.items()):
        print(f"{bench.name}, {kind}: {refused} left out are refused and at fault, {clean} are "
              "accepted and clean")
    refused = [counts.get(kind, [0, 0])[1] for kind in KINDS]
    if not (all(refused) if part.parts == 1 else any(refused)):
        fail("expected some of each kind to be refused, found", counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    random_schedules.add_tools(parser)
    slices.add_argument(parser)
    parser.add_argument("--names", type=slices.Slice, default=slices.Slice("0/1"), metavar="I/N",
                        help="every Nth schedule from the Ith on")
    options = parser.parse_args()
    if math.gcd(options.slice.parts, options.names.parts) > 1:
        parser.error(f"--slice={options.slice} and --names={options.names} have a common factor: "
                     "some schedules would never meet some slices")
    slices.tell(options)
    tools = without_proof.Tools(options)
    for name in options.names.of(NAMES):
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(tools, name, folder)
            # As it is, made in the same way: clean.
            fault = bench.fault(tools.run_passes(bench.problem(name)), "as_it_is")
            if fault:
                fail(f"{name}, made without its proof:", *fault)
            check_schedules(bench)
            check_synced(bench, options.slice, options.jobs)


if __name__ == "__main__":
    main()
