#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache of compiled kernels, from outside: many processes, killed ones, damaged files.

    cache.py --probe build/bin/jit_probe [--full]

--full starts 16 processes and kills in 100 rounds; without it 6 and 8. Prints figures, and a line for each
thing that is wrong; exit code 1 if there is one.
"""
import argparse
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CONFIGS = [json.dumps(c) for c in (
    {"mask": "causal"}, {"mask": "none"}, {"mask": "causal", "lse": True},
    {"dtype": "f16"}, {"head_dim": 64}, {"head_dim": 64, "mask": "causal"},
    {"mask": "window:64,0"}, {"softcap": 20})]
failures = []


def check(ok, text):
    if not ok:
        failures.append(text)
        print(f"FAIL: {text}", flush=True)


class Probe:
    def __init__(self, path):
        self.path = path

    def start(self, *arguments):
        return subprocess.Popen([self.path, *arguments], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run(self, *arguments):
        return self.end(self.start(*arguments))

    @staticmethod
    def end(process):
        """(hashes of the kernels, compiles, memory hits, disk hits, what stderr says)"""
        out, err = process.communicate(timeout=600)
        check(process.returncode == 0, f"exit code {process.returncode}: {err[:300]}")
        lines = out.splitlines()
        words = lines[-1].split() if lines else []
        numbers = [int(w) for w in words[1::2]] if len(words) == 6 else [0, 0, 0]
        return (lines[:-1], *numbers, err)


def entries(folder):
    return sorted(glob.glob(os.path.join(folder, "v1", "*", "*.fmhac")))


def everything(folder):
    return sorted(os.path.join(root, name) for root, _, names in os.walk(folder)
                  for name in names)


def hits(probe, folder):
    """One process: compiled, kept in memory, found on disk, with and without the right to write."""
    truth, *_ = probe.run("-", *CONFIGS)
    cold = probe.run(folder, "-n", "3", *CONFIGS[:2])
    check(cold[0] == truth[:2] and cold[1:4] == (2, 4, 0), f"cold: {cold}")
    warm = probe.run(folder, *CONFIGS[:2])
    check(warm[0] == truth[:2] and warm[1:4] == (0, 0, 2), f"warm: {warm}")
    check(not warm[4], f"warnings: {warm[4]}")
    second = probe.run("-", "-r", folder + "-none", "-r", folder, *CONFIGS[:3])
    check(second[0] == truth[:3] and second[1:4] == (1, 0, 2), f"read only: {second}")
    check(len(entries(folder)) == 2, "a read-only directory was written to")
    few = probe.run("-", "-m", "1", "-n", "1", CONFIGS[0], CONFIGS[1], CONFIGS[0])
    check(few[1:4] == (3, 0, 0), f"one kernel in memory: {few}")
    limited = probe.run(folder, "-l", "1", CONFIGS[3])
    check(limited[1] == 1 and not entries(folder), "the limit does not hold")
    return truth


def files_of_the_user(probe, folder):
    """A kernel belongs to what the file held when it was compiled."""
    path = os.path.join(folder, "mod.mlir")

    def write(factor):
        with open(path, "w", encoding="ascii") as file:
            file.write("fmha.score_mod @scaled(%score: f32, %row: i32, %key: i32, %head: i32, "
                       f"%batch: i32) {{\n  %factor = arith.constant {factor} : f32\n"
                       "  %y = arith.mulf %score, %factor : f32\n  fmha.yield %y : f32\n}\n")
    config = json.dumps({"score_mod": path})
    cache = os.path.join(folder, "cache")
    write("2.0")
    first = probe.run(cache, "-n", "2", config)
    check(first[1:4] == (1, 1, 0), f"a file of the user: {first}")
    write("3.0")
    other = probe.run(cache, config)
    check(other[1:4] == (1, 0, 0) and other[0] != first[0], f"another text: {other}")
    write("2.0")
    again = probe.run(cache, config)
    check(again[1:4] == (0, 0, 1) and again[0] == first[0], f"the first text: {again}")
    missing = subprocess.run([probe.path, cache, json.dumps({"score_mod": path + "x"})],
                             capture_output=True, text=True, check=False)
    check(missing.returncode == 1 and "No such file" in missing.stderr, "a missing file")


def together(probe, folder, count, truth):
    """Processes that start together compile each kernel once."""
    started = time.monotonic()
    running = []
    for i in range(count):
        order = CONFIGS[i % len(CONFIGS):] + CONFIGS[:i % len(CONFIGS)]
        running.append((order, probe.start(folder, *order)))
    compiles = 0
    for order, process in running:
        answer = probe.end(process)
        compiles += answer[1]
        check(answer[0] == [truth[CONFIGS.index(c)] for c in order], "another kernel")
        check(not answer[4], f"warnings: {answer[4]}")
    check(compiles == len(CONFIGS), f"{compiles} compiles of {len(CONFIGS)} kernels")
    check(len(everything(folder)) == len(CONFIGS) + 1, f"litter: {everything(folder)}")
    print(f"{count} processes, {len(CONFIGS)} kernels: {compiles} compiles, "
          f"{time.monotonic() - started:.1f} s")


def killed(probe, folder, rounds, truth):
    """Processes that are killed while they compile and write."""
    chance = random.Random(1)
    started = time.monotonic()
    probe.run(folder, CONFIGS[0])
    compile_seconds = time.monotonic() - started
    longest = 0.0
    for _ in range(rounds):
        shutil.rmtree(folder, ignore_errors=True)
        victims = [probe.start(folder, CONFIGS[0]) for _ in range(2)]
        # The end of a compile, where the file is written, comes up most often.
        time.sleep(compile_seconds * chance.uniform(0.3, 1.6))
        for victim in victims:
            victim.send_signal(signal.SIGKILL)
        for victim in victims:
            victim.communicate()
        started = time.monotonic()
        answer = probe.run(folder, CONFIGS[0])
        longest = max(longest, time.monotonic() - started)
        check(answer[0] == truth[:1], "another kernel after a kill")
        check(not answer[4], f"warnings after a kill: {answer[4]}")
        check(len(entries(folder)) == 1 and len(everything(folder)) == 2,
              f"litter after a kill: {everything(folder)}")
    print(f"{rounds} rounds of kills: the next process took {longest:.2f} s at most, "
          f"a compile {compile_seconds:.2f} s")


def damaged(probe, folder, truth):
    """Whatever an entry holds, the kernel is the right one."""
    probe.run(folder, CONFIGS[0])
    path, = entries(folder)
    with open(path, "rb") as file:
        good = file.read()
    chance = random.Random(2)
    bad = [b"", good[:39], good[:-1], good + b"\0", bytes(len(good)),
           b"#!/bin/sh\n", os.urandom(5000)]
    for _ in range(5):
        at = chance.randrange(len(good))
        bad.append(good[:at] + bytes([good[at] ^ 1 << chance.randrange(8)]) + good[at + 1:])
    for text in bad:
        with open(path, "wb") as file:
            file.write(text)
        answer = probe.run(folder, CONFIGS[0])
        check(answer[0] == truth[:1] and answer[1] == 1, f"a damaged entry: {answer}")
        check(answer[4].count("counts as missing") == 1, "not one warning of a damaged entry")
        with open(path, "rb") as file:
            check(file.read() == good, "a damaged entry was not replaced")
    # The entry of another kernel under this one's name.
    probe.run(folder, CONFIGS[1])
    other, = [e for e in entries(folder) if e != path]
    shutil.copy(other, path)
    answer = probe.run(folder, CONFIGS[0])
    check(answer[0] == truth[:1] and "from something else" in answer[4], "a swapped entry")


def out_of_reach(probe, folder, truth):
    """Directories that cannot be used cost a compile and a warning."""
    with open(folder, "w", encoding="ascii"):
        pass
    answer = probe.run(folder, CONFIGS[0])
    check(answer[0] == truth[:1] and answer[1] == 1, f"a file for a directory: {answer}")
    check("Not a directory" in answer[4], f"its warning: {answer[4]}")


def of_others(probe, folder, truth):
    """What another user wrote, or could have, costs a compile and a warning, and stays as it is."""
    probe.run(folder, CONFIGS[0])
    path, = entries(folder)

    def refused(place, why, *first):
        before = everything(folder)
        answer = probe.run(*first, CONFIGS[0])
        check(answer[0] == truth[:1] and answer[1] == 1, f"{place}: {answer}")
        check(answer[4].count("\n") == 1 and "counts as missing" in answer[4] and why in answer[4],
              f"{place}: the warning: {answer[4]}")
        check(everything(folder) == before, f"{place}: something was written")
    for place in (folder, os.path.join(folder, "v1"), os.path.dirname(path), path):
        mode = os.stat(place).st_mode & 0o7777
        os.chmod(place, mode | 0o1002)
        refused(place, f"mode {mode | 0o1002:04o}", folder)
        os.chmod(place, mode)
    if os.geteuid() == 0:  # who may give files away
        os.chown(path, 65534, -1)
        refused("a foreign entry to read", "belongs to user 65534, expected user 0", "-", "-r", folder)
        refused("a foreign entry", "belongs to user 65534, expected user 0", folder)
    answer = probe.run(folder, CONFIGS[0])
    check(answer[1:4] == (0, 0, 1) and not answer[4], f"the user's own again: {answer}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--probe", required=True)
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    probe = Probe(os.path.abspath(options.probe))
    with tempfile.TemporaryDirectory() as work:
        def folder(name):
            return os.path.join(work, name)
        truth = hits(probe, folder("hits"))
        os.mkdir(folder("user"))
        files_of_the_user(probe, folder("user"))
        together(probe, folder("together"), 16 if options.full else 6, truth)
        killed(probe, folder("killed"), 100 if options.full else 8, truth)
        damaged(probe, folder("damaged"), truth)
        out_of_reach(probe, folder("reach"), truth)
        of_others(probe, folder("others"), truth)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
