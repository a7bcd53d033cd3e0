# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A wait that stands after its barrier instead of before it.

In the code objects of the pipelines each pair `s_waitcnt; s_barrier` is swapped, one at a
time, in the binary: a wave then tells the others that its data has landed, or has been
read, before it has waited for that. `--check=race,wait` must name each swap that matters,
in the order of waves that runs take by default. What it does not name must be redundant:
without any check, the same bytes under every landing of data and order of waves that
mutants.py takes; it must be executed, which an s_endpgm in its place shows; and it must be
a wait for LDS reads alone after which no path leads to another load into LDS, so that
nothing can overwrite what was read, or one for registers alone (look-ups of pages), which
no other wave reads.

How many are found and how many are redundant is held by schedule.
"""
import argparse
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import axes
import mutants
import pages

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import code_object  # noqa: E402
import slices  # noqa: E402
import wait_states  # noqa: E402

# Schedule, and the pages of K and V: head size, pairs that are found, pairs that are redundant.
EXPECTED = {"dualwave": (128, 9, 2), "dualwave_1tile": (128, 6, 1),
            "dualwave_d96": (96, 6, 1), "dualwave_narrow": (64, 6, 1),
            "dualwave_sums": (128, 6, 1), "dualwave_fp8": (128, 9, 2), "dualwave_q8": (128, 9, 2),
            "generic --page-size 64 TABLE": (128, 3, 0),
            "generic --page-size 16 LIST": (128, 3, 0),
            "dualwave --page-size 64 TABLE": (128, 8, 5),
            "dualwave --page-size 16 LIST": (128, 8, 5),
            "dualwave_fp8 --page-size 64 TABLE": (128, 8, 5),
            "dualwave_fp8 --page-size 16 LIST": (128, 8, 5)}
# One tile; even and odd numbers of tiles of 64 that go round the loop, the last not full.
KEYS = [64, 330, 577]
S_ENDPGM = 0xBF810000


def swapped(data, first, second):
    words = data[first.offset:first.offset + 4], data[second.offset:second.offset + 4]
    return data[:first.offset] + words[1] + words[0] + data[second.offset + 4:]


class Launch:
    """One problem: what it gives, and whether a pair is executed, found or redundant."""

    def __init__(self, options, schedule, head, keys, folder):
        self.folder = os.path.join(folder, str(keys))
        command = [options.fmhac, "run", "--schedule",
                   *pages.flags_of(schedule, keys, folder), *axes.types_of(schedule),
                   "--head-dim", str(head), "--heads", "1", "--kv-heads", "1",
                   "--seqlen-q", "70", "--seqlen-kv", str(keys), "--no-compare",
                   "--save-launch", self.folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        self.bench = mutants.Bench(options, self.folder)
        code, findings, self.good = self.bench.run(self.folder, "--check=race,wait")
        if code or findings:
            sys.exit(f"FAIL: {schedule}, {keys} keys: findings without any swap: {findings}")

    def of_copy(self, data, name, question):
        folder = self.bench.copy(data, name)
        try:
            return question(folder)
        finally:
            shutil.rmtree(folder)

    def judge(self, number, first, second):
        """"never", "found", "redundant" or "missed"."""
        data = self.bench.data

        def ends(folder):
            code, _, out = self.bench.run(folder, "--check=none")
            return code != 0 or out != self.good

        def finds(folder):
            _, findings, _ = self.bench.run(folder, "--check=race,wait")
            return any(f["check"] in ("race", "wait") for f in findings)

        there = struct.pack("<I", S_ENDPGM)
        gone = data[:first.offset] + there + data[first.offset + 4:]
        if not self.of_copy(gone, f"e{number}", ends):
            return "never"
        changed = swapped(data, first, second)
        if self.of_copy(changed, f"f{number}", finds):
            return "found"
        same = self.of_copy(changed, f"s{number}",
                            lambda f: mutants.equivalent(self.bench, f, self.good))
        return "redundant" if same else "missed"


def is_last_of_reads(code, wait):
    """Whether a wait is for LDS reads alone, and no load into LDS may come after it."""
    if not re.fullmatch(r"s_waitcnt lgkmcnt\(0\)", wait.text):
        return False
    scan = wait_states.Scan(code)
    todo, seen = [scan.code.index(wait)], set()
    while todo:
        n = todo.pop()
        if n not in seen:
            seen.add(n)
            todo += scan.next[n]
    return not any(scan.ops[n].reads_m0_for_lds for n in seen)


def is_for_registers(code, wait):
    """Whether nothing of what a wait waits for is in LDS, on every path to it. What a
    counter allows to be under way are the operations before it that came last."""
    scan = wait_states.Scan(code)
    before = [[] for _ in scan.code]
    for n, after in enumerate(scan.next):
        for at in after:
            before[at].append(n)

    def count(n, counter):
        found = re.search(counter + r"\((\d+)\)", scan.code[n].text)
        return int(found[1]) if found else None

    def is_counted(n, counter):
        name = scan.code[n].mnemonic
        return name.startswith(("buffer_", "global_") if counter == "vmcnt" else ("ds_", "s_load"))

    at = scan.code.index(wait)
    for counter in ("vmcnt", "lgkmcnt"):
        allowed = count(at, counter)
        if allowed is None:
            continue
        # Places, operations on the way that may stay under way, and all that may be.
        todo, seen = [(n, allowed, 64) for n in before[at]], set()
        while todo:
            place = n, later, most = todo.pop()
            if place in seen or not most:
                continue
            seen.add(place)
            if scan.code[n].mnemonic == "s_waitcnt" and count(n, counter) is not None:
                most = min(most, count(n, counter))
            if is_counted(n, counter):
                text = scan.code[n].text
                if not later and (text.endswith(" lds") or text.startswith("ds_")):
                    return False
                later, most = max(later - 1, 0), most - 1
            todo += [(m, later, most) for m in before[n]]
    return True


def judge_schedule(options, schedule, head):
    """Texts of the pairs -> "found", "redundant", "missed" or "never"."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        launches = [Launch(options, schedule, head, keys, folder) for keys in KEYS]
        code = code_object.disassemble(options.llvm_bin, launches[0].bench.path)
        pairs = [(a, b) for a, b in zip(code, code[1:])
                 if (a.mnemonic, b.mnemonic) == ("s_waitcnt", "s_barrier")]
        if any(x.bench.data != launches[0].bench.data for x in launches):
            sys.exit(f"FAIL: {schedule}: expected one code object for all lengths")
        answers = list(pool.map(
            lambda n: [x.judge(n, *pairs[n]) for x in launches], range(len(pairs))))
    worst, judged = ("missed", "found", "redundant", "never"), []
    for (a, b), answer in zip(pairs, answers, strict=True):
        kind = min(answer, key=worst.index)
        if kind == "redundant" and not (is_last_of_reads(code, a) or is_for_registers(code, a)):
            kind = "missed"
        judged.append((f"{a}; {b.text}", kind, answer))
    return judged


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--schedule", choices=EXPECTED, help="this one only")
    slices.add_argument(parser)
    parser.add_argument("--verbose", action="store_true", help="name every pair")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.fmhac = os.path.abspath(options.fmhac)  # runs in other folders
    failed = 0
    slices.tell(options)
    print("| schedule | pairs | found | redundant | missed | never executed |\n"
          "|---|---:|---:|---:|---:|---:|")
    chosen = [options.schedule] if options.schedule else options.slice.of(EXPECTED)
    for schedule in chosen:
        head, found, redundant = EXPECTED[schedule]
        answers = judge_schedule(options, schedule, head)
        counts = [sum(kind == k for _, kind, _ in answers)
                  for k in ("found", "redundant", "missed", "never")]
        print(f"| {schedule} | {len(answers)} | " + " | ".join(map(str, counts)) + " |",
              flush=True)
        wrong = counts != [found, redundant, 0, 0]
        if wrong:
            print(f"FAIL: {schedule}: expected {found} swaps found, {redundant} redundant, "
                  f"none missed or never executed, found {counts}")
        failed += wrong
        for text, kind, answer in answers:
            if options.verbose or wrong and kind != "found":
                print(f"  {text}: {kind}, " + ", ".join(
                    f"{keys} keys {a}" for keys, a in zip(KEYS, answer)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
