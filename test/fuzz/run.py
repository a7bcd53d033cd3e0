#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the fuzzers and says what came of it.

    run.py [--build DIR] [--seconds N] [TARGET...]   each target for N seconds, one
                                                     after the other
    run.py --merge [--seeds FOLDER] [TARGET...]      takes into the corpora what
                                                     reaches most

Inputs that reach something new are kept below BUILD/fuzz/TARGET and serve the next
run; those that end the process are left in BUILD/fuzz/found. Exit code 1 if there are
any, 2 for bad usage.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(HERE, "corpus")
DICTIONARIES = os.path.join(HERE, "dictionaries")

# Longest input in bytes. Longer ones cost time and reach nothing new: files of one
# kernel, texts of a page, programs of a hundred instructions.
TARGETS = {
    "module": 8192,
    "lines": 8192,
    "inspect": 8192,
    "launch": 2048,
    "npy": 512,
    "config": 1024,
    "args": 1024,
    "table": 4096,
    "artefact": 512,
    "message": 4096,
    "code": 8192,
    "decode": 512,
    "audit": 1024,
    "execute": 512,
}
TIMEOUT_SECONDS = 10
RSS_LIMIT_MIB = 2048
SLOW_SECONDS = 3
# Of a merged corpus, for which the tree has room.
KEPT_BYTES = 48 * 1024
KEPT_INPUTS = 128
FOUND = "found-"


def command(build, target):
    line = [
        os.path.join(build, "bin", "fuzz-" + target),
        f"-max_len={TARGETS[target]}", f"-timeout={TIMEOUT_SECONDS}",
        f"-rss_limit_mb={RSS_LIMIT_MIB}",
        # What the product itself prints is not looked at.
        "-close_fd_mask=3",
    ]
    dictionary = os.path.join(DICTIONARIES, target + ".dict")
    if os.path.exists(dictionary):
        line.append("-dict=" + dictionary)
    return line


def numbers(log):
    """(executions, edges, inputs kept, slowest in s) from libFuzzer's output."""
    def last(pattern):
        found = re.findall(pattern, log)
        return int(found[-1]) if found else 0
    return (last(r"stat::number_of_executed_units: *(\d+)"), last(r"\bcov: (\d+)"),
            last(r"\bcorp: (\d+)"), last(r"stat::slowest_unit_time_sec: *(\d+)"))


def fuzz(build, target, seconds):
    work = os.path.join(build, "fuzz", target)
    found = os.path.join(build, "fuzz", "found")
    os.makedirs(work, exist_ok=True)
    os.makedirs(found, exist_ok=True)
    folders = [path for path in (work, os.path.join(CORPUS, target))
               if os.path.isdir(path)]
    before = set(os.listdir(found))
    log_path = os.path.join(build, "fuzz", target + ".log")
    started = time.monotonic()
    # In its own folder: fuzzers are not to write anywhere else either.
    with open(log_path, "wb") as log:
        code = subprocess.run(
            command(build, target) + [
                f"-max_total_time={seconds}", "-print_final_stats=1",
                f"-report_slow_units={SLOW_SECONDS}",
                f"-artifact_prefix={found}/{target}-", *folders],
            stdout=log, stderr=subprocess.STDOUT, cwd=found, check=False).returncode
    with open(log_path, encoding="utf-8", errors="replace") as log:
        runs, edges, kept, slowest = numbers(log.read())
    # Other targets may be running beside this one.
    new = sorted(name for name in set(os.listdir(found)) - before
                 if name.startswith(target + "-"))
    slow = [name for name in new if name.startswith(f"{target}-slow-unit-")]
    bad = [name for name in new if name not in slow]
    print(f"{target:10} {time.monotonic() - started:8.0f} {runs:12} {edges:8} "
          f"{kept:8} {len(slow):6} {slowest:8} {len(bad):8}", flush=True)
    for name in bad:
        path = os.path.join(found, name)
        print(f"  {path}\n    {reason(build, target, path)}", flush=True)
    if code and not bad:
        print(f"  exit code {code}, see {log_path}", flush=True)
    return not bad and not code


def reason(build, target, path):
    """The first line of a replay that says what is wrong."""
    try:
        answer = subprocess.run(
            [os.path.join(build, "bin", "fuzz-replay-" + target), path],
            capture_output=True, text=True, errors="replace", check=False,
            timeout=6 * TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return "does not end"
    for line in answer.stderr.splitlines():
        if re.search(r"broken promise|runtime error|ERROR: \w+Sanitizer", line):
            return line
    return f"exit code {answer.returncode} when replayed"


def size_of(folder):
    return sum(os.path.getsize(os.path.join(folder, name))
               for name in os.listdir(folder))


def merge(build, target, sources):
    """A small set of inputs that reaches what all of them reach. Those that were
    found to be wrong stay, whatever they reach."""
    corpus = os.path.join(CORPUS, target)
    os.makedirs(corpus, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        merged = os.path.join(work, "merged")
        os.mkdir(merged)
        sources = [path for path in (corpus, os.path.join(build, "fuzz", target),
                                     *(os.path.join(s, target) for s in sources))
                   if os.path.isdir(path)]
        subprocess.run(
            command(build, target) + ["-set_cover_merge=1", f"-artifact_prefix={work}/", merged,
                                      *sources],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=work, check=True)
        for name in os.listdir(corpus):
            if not name.startswith(FOUND):
                os.remove(os.path.join(corpus, name))
        # libFuzzer writes those first that reach most of what is left to reach.
        names = sorted(os.listdir(merged), key=lambda name: os.stat(
            os.path.join(merged, name)).st_mtime_ns)
        room, kept = KEPT_BYTES, 0
        for name in names:
            path = os.path.join(merged, name)
            if os.path.getsize(path) <= room and kept < KEPT_INPUTS:
                room -= os.path.getsize(path)
                shutil.copyfile(path, os.path.join(corpus, name))
                kept += 1
    print(f"{target:10} {kept} of {len(names)} inputs kept, {size_of(corpus)} bytes",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET",
                        help=f"of {' '.join(TARGETS)} (default: all)")
    parser.add_argument("--build", default="build-fuzz",
                        help="build folder with FMHAC_FUZZ=ON (build-fuzz)")
    parser.add_argument("--seconds", type=int, default=1800,
                        help="of each target (1800)")
    parser.add_argument("--merge", action="store_true",
                        help="merge what was kept into the corpora")
    parser.add_argument("--seeds", metavar="FOLDER",
                        help="and what is in FOLDER/TARGET")
    options = parser.parse_args()
    targets = options.targets or list(TARGETS)
    for target in targets:
        if target not in TARGETS:
            parser.error(f"no target '{target}', expected of {' '.join(TARGETS)}")
    build = os.path.abspath(options.build)
    missing = [t for t in targets
               if not os.path.exists(os.path.join(build, "bin", "fuzz-" + t))]
    if missing:
        parser.error(f"{build} has no fuzz-{missing[0]}: configure it with "
                     "-DFMHAC_FUZZ=ON and build the target `fuzzers`")
    if options.merge:
        for target in targets:
            merge(build, target, [options.seeds] if options.seeds else [])
        return 0
    print(f"{'target':10} {'seconds':>8} {'executions':>12} {'edges':>8} {'corpus':>8} "
          f"{'slow':>6} {'slowest':>8} {'crashes':>8}", flush=True)
    return 0 if all([fuzz(build, t, options.seconds) for t in targets]) else 1


if __name__ == "__main__":
    sys.exit(main())
