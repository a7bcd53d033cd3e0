# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What orders workgroups that share rows (work = runs), damaged in the binary, one place at a
time: the emulator finds each.

  fence    buffer_inv or buffer_wbl2 becomes s_nop
  store    a store loses sc1: it is over when L2 of its XCD has it, not when all can see it
  wait     the waits before a counter is asked, and before what it said goes on, become s_nop
  barrier  those of the combination become s_nop

The kernels have a row that more than eight workgroups share, so that what these combine is
combined again; and workgroups that combine parts have items before and after.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import axis_files
import mutants

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import code_object  # noqa: E402
import slices  # noqa: E402

RUNS = "--work runs --split-kv auto"
KERNELS = [f"--schedule decode --lse {RUNS}",
           "--schedule latent_decode_fp8 --dtype fp8 --head-dim-qk 576 --head-dim-v 512 --v-in-k "
           f"{RUNS}"]
# One sequence that many workgroups share, and many that two do.
LENGTHS = [9000] + [200] * 300
PROBLEM = ["--heads", "3", "--kv-heads", "1", "--seqlen-q", "1", "--batch", str(len(LENGTHS)),
           "--seqlen-kv", str(max(LENGTHS))]
FLAT_SC1, MUBUF_SC1 = 1 << 25, 1 << 15


def damaged(data, instructions):
    """(what, instruction, bytes)"""
    atomic = next(i for i, x in enumerate(instructions) if x.mnemonic == "global_atomic_inc")
    begin = next(i for i, x in enumerate(instructions) if x.mnemonic == "buffer_wbl2")
    for i, at in enumerate(instructions):
        word = mutants.word_at(data, at.offset)
        if at.mnemonic in ("buffer_inv", "buffer_wbl2"):
            yield "fence", at, mutants.patched(data, at.offset, mutants.S_NOP, mutants.S_NOP)
        elif re.match(r"(buffer|global)_store_.* sc1$", at.text):
            bit = FLAT_SC1 if at.mnemonic.startswith("global") else MUBUF_SC1
            yield "store", at, mutants.patched(data, at.offset, word & ~bit)
        elif begin <= i and at.mnemonic == "s_barrier":
            yield "barrier", at, mutants.patched(data, at.offset, mutants.S_NOP)
    # The waits next to barriers on both sides of the atomic.
    for step in (-1, 1):
        barrier = atomic
        while instructions[barrier].mnemonic != "s_barrier":
            barrier += step
        wait = instructions[barrier - 1]
        assert wait.mnemonic == "s_waitcnt", wait.text
        yield "wait", wait, mutants.patched(data, wait.offset, mutants.S_NOP)


def judge(bench, good, mutant, number):
    what, at, data = mutant
    folder = bench.copy(data, str(number))
    code, findings, out = bench.run(folder, "--check=all")
    by = sorted({f["check"] for f in findings} | ({"stops"} if code == 4 else set()))
    if not by and out != good:
        by = ["output"]
    return what, str(at), ",".join(by)


def mutate(options, name):
    with tempfile.TemporaryDirectory() as top:
        folder, lengths = os.path.join(top, "launch"), os.path.join(top, "lengths.npy")
        axis_files.write_lengths(lengths, "varlen", LENGTHS)
        subprocess.run([options.fmhac, "run", *PROBLEM, *name.split(), "--cu-seqlens-kv", lengths,
                        "--no-compare", "--save-launch", folder], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        bench = mutants.Bench(options, folder)
        code, findings, good = bench.run(folder, "--check=all")
        if code != 0 or findings:
            sys.exit(f"FAIL: {name}: findings without any damage: {findings}")
        made = list(options.slice.of(damaged(
            bench.data, code_object.disassemble(options.llvm_bin, bench.path))))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda x: judge(bench, good, x[1], x[0]), enumerate(made)))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--verbose", action="store_true")
    slices.add_argument(parser)
    options = parser.parse_args()
    options.fmhac = os.path.abspath(options.fmhac)  # runs in other folders
    slices.tell(options)
    missed = 0
    for name in KERNELS:
        answers = mutate(options, name)
        for what, at, by in answers:
            missed += not by
            if options.verbose or not by:
                print(f"{name}: {what}: {at}: {by or 'missed'}", flush=True)
        print(f"{name}: {len(answers)} mutants")
    if missed:
        sys.exit(f"FAIL: {missed} mutants were not found")


if __name__ == "__main__":
    main()
