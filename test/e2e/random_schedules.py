# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The proofs of the passes against the emulator, on random schedules (schedule_maker.py).

A schedule is *accepted* if it compiles, *refused* if a pass verify-* says no. Whatever
cannot become a kernel for another reason (a step before what it needs, too many
registers) is drawn again and counted apart.

  accepted   `fmhac run --check=all` of every number of tiles that takes another way through
             the kernel, of a causal mask, and of other inputs: right and without a
             finding, the same bytes whatever the order of waves and the landing. Made as
             refused ones are, for a control, it is clean, too.
  refused    the kernel is made without the proofs (without_proof.py) and emulated in the
             same ways: some checker finds something, it stops, or O is wrong.

Prints the table of two by two. What is accepted and at fault, or refused and clean, fails;
so do a row without any, and a refused one that cannot be made. The code object of each
that is accepted is scanned by the second witness of wait states (wait_states.py), too: a
pair of instructions that is short of them fails.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import axis_files
import schedule_maker
import without_proof

import commands  # of test/tools, where without_proof looks
import slices
import wait_states


# Of schedules that are accepted: the likeliest orders and landings.
CONTROL_MODES = without_proof.MODES[:2]
FULL_COUNT = 200  # schedules that are judged
MOST_DRAWN = 3  # for each that is to be judged


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def tile_counts(schedule):
    """Every number of tiles that has another way through the kernel, until the loop has
    come back to the buffers that it began with."""
    rounds = schedule.period() + 2
    return range(0, schedule.stages_reach + (rounds + 2) * schedule.tiles + 1)


class Trial:
    """One schedule in a folder of its own."""

    def __init__(self, tools, schedule, folder):
        self.tools, self.schedule, self.folder = tools, schedule, folder
        self.path = self.file("schedule.mlir")
        with open(self.path, "w") as file:
            file.write(schedule.text())
        self.lengths = self.file("lengths.npy")
        # Whole tiles, and all but a few keys of the last.
        lengths = [max(0, n * schedule.tile_n - (n % 3 and 5)) for n in tile_counts(schedule)]
        axis_files.write_lengths(self.lengths, "padded", lengths)
        self.config = ["--head-dim", str(schedule.head), "--dtype", schedule.dtype]
        self.every_length = [
            *self.config, "--seqlens-kv", self.lengths, "--batch", str(len(lengths)),
            "--heads", "1", "--seqlen-q", str(schedule.tile_m - 3), "--seqlen-kv",
            str(max(lengths))]

    def file(self, name):
        return os.path.join(self.folder, name)

    def run(self, *flags, schedule=None):
        return run([self.tools.fmhac, "run", "--json", "--threads=1", "--schedule",
                    schedule or self.path, *flags])

    def other_problems(self):
        """Masks, lengths that fill no tile, inputs that move the maximum: two of three."""
        s, config = self.schedule, [*self.config, "--heads", "2", "--kv-heads", "1"]
        keys = s.tile_n * (s.stages_reach + 2 * s.tiles)
        problems = [
            ["--mask", "causal", "--lse", "--seqlen-q", str(s.tile_m + 33), "--seqlen-kv",
             str(keys + 9), "--input", "growing"],
            ["--mask", "window:70,20", "--seqlen-q", str(s.tile_m // 2 + 1), "--seqlen-kv",
             str(keys + s.tile_n), "--input", "spikes"],
            ["--mask", "causal-top-left", "--seqlen-q", str(s.tile_m), "--seqlen-kv",
             str(keys - 1), "--batch", "2"]]
        if s.scale != "start":  # which is for plain scores
            problems[2] += ["--softcap", "20"]
        del problems[s.number % 3]
        return [config + problem for problem in problems]

    # ===- Accepted ----------------------------------------------------------===

    def compile_and_run(self):
        """Compiled, and run at every length with every checker."""
        return self.run("--check=all", *self.every_length, "--save-launch", self.file("saved"))

    def judge_accepted(self, done):
        """None, or the fault; `done` is what compile_and_run() gave."""
        saved = self.file("saved")
        fault = self.fault_of_run(done)
        if fault:
            return fault
        good = without_proof.read_output(saved) if os.path.exists(
            os.path.join(saved, "o.out.bin")) else None
        for number, (sched, landing) in enumerate(without_proof.MODES[1:5]):
            code, report = without_proof.emulate(
                self.tools.fmhac, saved, f"--check={'all' if number == 0 else 'none'}",
                f"--sched={sched}", f"--landing={landing}")
            found = without_proof.read_output(saved)
            good = good or found
            if code or report["findings"] or found != good:
                return (f"{sched}, {landing}: exit code {code}, "
                        f"{report['findings'][:1]} {report.get('error', '')}"
                        f"{'' if found == good else ', other bytes'}")
        for flags in self.other_problems():
            done = self.run("--check=all", *flags)
            if done.returncode == 2 and ("spilled" in done.stderr or
                                         "does not fit" in done.stderr):
                continue  # with this mask it wants more registers than it has
            fault = self.fault_of_run(done)
            if fault:
                return f"{' '.join(flags)}: {fault}"
        folder = without_proof.replace_code(saved, self.file("control"),
                                            self.build_without_proof())
        fault = without_proof.find_fault(self.tools.fmhac, folder, good,
                                         self.schedule.dtype, CONTROL_MODES)
        return fault and f"made without the proof: {' '.join(map(str, fault))}"

    def find_short_of_states(self):
        """Lines that name the pairs of the code object that was run, or why it was not
        scanned."""
        folder = self.file("saved")
        path = os.path.join(folder, "LAUNCH.json")
        if not os.path.exists(path):
            return ["expected a saved launch to scan, found none"]
        with open(path) as file:
            code = os.path.join(folder, json.load(file)["code_object"])
        try:
            return [str(f) for f in wait_states.scan(self.tools.llvm_bin, code).findings]
        except wait_states.UnknownInstruction as problem:
            return [str(problem)]

    @staticmethod
    def fault_of_run(done):
        if done.returncode not in (0, 1):
            return f"exit code {done.returncode}: {done.stderr.strip()[-600:]}"
        report = json.loads(done.stdout)
        if report["findings"]:
            return "finding: " + report["findings"][0]["message"]
        if report["pass"] is not True:
            return f"numbers: {report['outputs']}"
        return None

    # ===- Refused -----------------------------------------------------------===

    def save_plain(self):
        """A launch of the same problem by the same tiles, one at a time, and its O."""
        plain, saved = self.file("plain.mlir"), self.file("plain")
        with open(plain, "w") as file:
            file.write(self.schedule.plain().text())
        out = self.file("o.npy")
        done = self.run(*self.every_length, "--save-launch", saved, "--o", out,
                        schedule=plain)
        fault = self.fault_of_run(done)
        if fault:
            raise commands.CommandError(f"{plain}: {fault}")
        return saved, axis_files.read_npy(out)

    def build_without_proof(self):
        problem = commands.call(
            [self.tools.fmhac, "compile", "--emit=problem", "--schedule", self.path,
             *self.config, "--seqlens-kv", self.lengths])
        path = self.file("without_proof.hsaco")
        self.tools.generate(self.tools.run_passes(problem), path)
        return path

    def judge_refused(self):
        """The fault (check, message, mode), or None."""
        saved, good = self.save_plain()
        folder = without_proof.replace_code(saved, self.file("refused"),
                                            self.build_without_proof())
        return without_proof.find_fault(self.tools.fmhac, folder, good,
                                        self.schedule.dtype)


def kind_of_refusal(text):
    """The words of an error that say what is wrong, without numbers."""
    for words in ("overwrites what may still be read", "reads what may not be there yet",
                  "copies into a buffer that nothing was read from",
                  "reads a buffer that nothing was copied into",
                  "as many barriers", "reads another tile than its token", "token",
                  "follows from the rounds before it"):
        if words in text:
            return words + (" (no wait)" if "found no wait" in text else "")
    return re.sub(r"\d+", "N", text)[:100]


def judge(tools, seed, number, keep):
    """(proof, emulator, number, error, fault, short): accepted, refused or neither; clean,
    fault or not made; pairs that are short of wait states."""
    schedule = schedule_maker.make(seed, number)
    with tempfile.TemporaryDirectory() as folder:
        if keep:
            folder = os.path.join(keep, str(number))
            os.makedirs(folder, exist_ok=True)
        trial = Trial(tools, schedule, folder)
        done = trial.compile_and_run()
        error = done.stderr.strip().split("error: ")[-1]
        # A bound on registers, which a verifier checks too, proves nothing about results.
        refused = (re.search(r"pass verify-(synced|pipelined) failed", error)
                   and "does not fit" not in error)
        if done.returncode == 2 and not refused:
            return "neither", "", number, error, "", []
        proof, error = ("refused", error) if refused else ("accepted", "")
        short = [] if refused else trial.find_short_of_states()
        try:
            fault = (" ".join(map(str, trial.judge_refused() or ())) if refused else
                     trial.judge_accepted(done) or "")
        except commands.CommandError as problem:
            return proof, "not made", number, error, str(problem), short
        return proof, "fault" if fault else "clean", number, error, fault, short


def kind_of_neither(error):
    stage = re.search(r"pass ([a-z-]+) failed", error)
    if stage:
        return stage[1]
    for words in ("spilled", "LDS", "registers"):
        if words in error:
            return words
    return "schedule"


def add_tools(parser):
    """The flags that without_proof.Tools takes, and how many work at once."""
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--fmhac-opt", required=True)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--table", required=True, help="lib/order/pipeline.def")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_tools(parser)
    slices.add_argument(parser)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", type=int, help="one schedule, by its number")
    parser.add_argument("--keep", metavar="DIR", help="where files of schedules go")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    slices.tell(options)
    count = -(-FULL_COUNT // options.slice.parts)
    tools = without_proof.Tools(options)
    table, why, neither = (collections.Counter() for _ in range(3))
    failures, drawn, judged, pairs_short = [], 0, 0, 0
    with ThreadPoolExecutor(options.jobs) as pool:
        # On until there is one of each kind.
        while (judged < count or len(table) < 2) and drawn < MOST_DRAWN * count:
            drawn_next = max(options.jobs, (count - judged) // 2)
            numbers = [options.only] if options.only is not None else [
                options.slice.part + n * options.slice.parts
                for n in range(drawn, drawn + drawn_next)]
            drawn += drawn_next
            for proof, emulator, number, error, fault, short in pool.map(
                    lambda n: judge(tools, options.seed, n, options.keep), numbers):
                if options.verbose:
                    print(number, proof, emulator, error, "|", fault, flush=True)
                if judged >= count and (proof, emulator) in table and not short:
                    continue
                if proof == "neither":
                    neither[kind_of_neither(error)] += 1
                    continue
                judged += 1
                table[proof, emulator] += 1
                pairs_short += len(short)
                failures += [f"schedule {number}: {pair}" for pair in short]
                if proof == "refused" and emulator != "not made":
                    why[kind_of_refusal(error), fault.split(" ")[0] or "clean"] += 1
                if (proof, emulator) not in (("accepted", "clean"), ("refused", "fault")):
                    failures.append(f"schedule {number} is {proof}, {emulator}: {error} "
                                    f"{fault}\n"
                                    + schedule_maker.make(options.seed, number).text())
            if options.only is not None:
                break
    if options.only is None:
        if judged < count:
            failures.append(f"expected {count} schedules that are accepted or "
                            f"refused, found {judged} of {drawn}")
        for good in (("accepted", "clean"), ("refused", "fault")):
            if not table[good]:
                failures.append(f"expected some schedule that is {' and '.join(good)}")
    for failure in failures:
        print(f"FAIL: {failure}")
    print("| | right and clean | at fault |\n|---|---:|---:|")
    for proof in ("accepted", "refused"):
        print(f"| {proof} | {table[proof, 'clean']} | {table[proof, 'fault']} |")
    accepted = sum(count for (proof, _), count in table.items() if proof == "accepted")
    print(f"\nof {accepted} code objects that were scanned {pairs_short} pairs of instructions "
          "are short of wait states")
    print("\n| refused because it | the emulator | |\n|---|---|---:|")
    for (reason, check), count in sorted(why.items()):
        print(f"| {reason} | {check} | {count} |")
    print(f"\n{sum(neither.values())} more could not become kernels: " + ", ".join(
        f"{name} {count}" for name, count in neither.most_common()))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
