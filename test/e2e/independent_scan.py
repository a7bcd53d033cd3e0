# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wait states of code objects of every built-in schedule, by a second witness.

Compiles built-in schedules with head sizes, element types, masks and options, as far as
they are served, and scans each code object with wait_states.py, which shares no rule with
the product. Prints by schedule: code objects, wide stores with a register as soffset and
how many of them are overwritten in the next slot, matrix instructions, pairs of
instructions that are short of wait states. Any such pair fails, and so does an instruction
that the witness does not know, a schedule without a code object, and a configuration that
neither compiles nor is said to be unsupported.

The default is every schedule, head size and option, with masks and types in turn; --full
is the whole product; --slice takes a part of either, --list prints what is taken.
"""
import argparse
import collections
import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import axes
import axis_files

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import slices  # noqa: E402
import wait_states  # noqa: E402

HEADS = ["32", "40", "64", "80", "96", "128", "192/128", "256"]
DTYPES = ["bf16", "f16"]
# Of schedules for elements of 8 bits, which have head sizes of multiples of 16.
HEADS_OF_8_BITS = ["32", "48", "64", "80", "96", "128", "192/128", "256"]
DTYPES_OF_8_BITS = {"fp8": ["fp8"], "kv8": ["bf16/fp8/bf8", "f16/bf8/fp8"],
                    "q8": ["bf16/fp8/fp8/quantised", "f16/fp8/bf8/quantised"]}
MASKS = ["none", "causal", "causal-top-left", "window:100,20", "chunked:64"]
TWO = "two kernels"  # in a code object
AUTO_FP8 = "auto fp8"  # what the library chooses for fp8
# MOD is the path of a function of scores; of other files the names count only.
OPTIONS = {
    "plain": "", "LSE": "--lse", "sink": "--sink X", "soft cap": "--softcap 20",
    "ALiBi": "--alibi", "bias": "--bias X", "O of f32": "--out-dtype f32",
    "O of bf16": "--out-dtype bf16", "O of f16": "--out-dtype f16",
    "function": "--score-mod MOD", "packed": "--cu-seqlens-q X --cu-seqlens-kv X",
    "padded": "--seqlens-q X --seqlens-kv X",
    "pages of 128": "--page-size 128 --page-table X --seqlens-kv X",
    "pages of 16": "--page-size 16 --kv-indptr X --kv-indices X --kv-last-page-len X",
    # One of another schedule beside it.
    TWO: "",
}
COLUMNS = ["code objects", "wide stores", "overwritten", "matrix instructions", "short",
           "not served"]
UNSUPPORTED = 3  # exit code of the command


def schedules(fmhac):
    return ["auto", AUTO_FP8, *json.loads(subprocess.run(
        [fmhac, "list", "--json"], check=True, capture_output=True, text=True)
        .stdout)["schedules"]]


def configurations(names, full):
    """(schedule, flags of `fmhac compile`) of each."""
    places = itertools.product(enumerate(names), range(len(HEADS)), enumerate(OPTIONS))
    for (i, schedule), j, (k, option) in places:
        is_fp8 = "fp8" in schedule or "q8" in schedule
        dtypes, head = next(((dtypes, HEADS_OF_8_BITS[j]) for word, dtypes in
                             DTYPES_OF_8_BITS.items() if word in schedule), (DTYPES, HEADS[j]))
        others = (itertools.product(dtypes, MASKS) if full else
                  [(dtypes[(i + j + k) % len(dtypes)], MASKS[(i + 2 * j + k) % len(MASKS)])])
        dqk, _, dv = head.partition("/")
        value = schedule.removesuffix(" fp8")
        if option == TWO:
            plain, other = (("generic_fp8", "generic_fp8_n32") if is_fp8 else
                            ("generic_wide", "generic"))
            value = f"{other if value == plain else plain} if Sk <= 256; {value}"
        for dtype, mask in others:
            yield schedule, ["--schedule", value, "--head-dim-qk", dqk, "--head-dim-v",
                             dv or dqk, *axes.dtype_flags(dtype), "--mask", mask,
                             *OPTIONS[option].split()]


class Result:
    """Of one configuration: counts of COLUMNS, and lines that say what is wrong."""

    def __init__(self):
        self.counts, self.faults = collections.Counter(), []


def scan(options, flags, folder, mod):
    result = Result()
    with tempfile.TemporaryDirectory(dir=folder) as own:
        path = os.path.join(own, "k.hsaco")
        command = [options.fmhac, "compile", *(mod if f == "MOD" else f for f in flags),
                   "-o", path]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == UNSUPPORTED:
            result.counts["not served"] += 1
            return result
        if done.returncode:
            result.faults.append(f"exit code {done.returncode}: {done.stderr[-600:]}")
            return result
        try:
            found = wait_states.scan(options.llvm_bin, path)
        except wait_states.UnknownInstruction as problem:
            result.faults.append(str(problem))
            return result
    stores, overwritten = found.wide_stores()
    result.counts.update({
        "code objects": 1, "wide stores": stores, "overwritten": overwritten,
        "matrix instructions": found.matrix_instructions(), "short": len(found.findings)})
    result.faults += map(str, found.findings)
    return result


def print_table(table):
    print("| schedule | " + " | ".join(COLUMNS) + " |")
    print("|---|" + "---:|" * len(COLUMNS))
    table["all"] = sum(table.values(), collections.Counter())
    for name, counts in table.items():
        print(f"| {name} | " + " | ".join(str(counts[c]) for c in COLUMNS) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--full", action="store_true", help="the whole product")
    slices.add_argument(parser)
    parser.add_argument("--list", action="store_true", help="print what is taken only")
    parser.add_argument("--verbose", action="store_true", help="name every pair")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    names = schedules(options.fmhac)
    chosen = options.slice.of(configurations(names, options.full))
    if options.list:
        print(*(" ".join(flags) for _, flags in chosen), sep="\n")
        return 0
    slices.tell(options)
    table = {name: collections.Counter() for name in names}
    rules, failed = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        mod = os.path.join(folder, "mod.mlir")
        axis_files.write_score_mod(mod, "decay")
        results = pool.map(lambda c: scan(options, c[1], folder, mod), chosen)
        for (schedule, flags), result in zip(chosen, results, strict=True):
            table[schedule].update(result.counts)
            failed += bool(result.faults)
            rules.update(fault.rpartition("expected ")[2] for fault in result.faults)
            shown = result.faults if options.verbose else result.faults[:1]
            for fault in shown:
                print(f"FAIL: fmhac compile {' '.join(flags)}: {fault}", flush=True)
            if len(result.faults) > len(shown):
                print(f"  ... and {len(result.faults) - len(shown)} more")
    # What few head sizes are served by may not be in a slice.
    empty = [name for name, counts in table.items()
             if not counts["code objects"] and options.slice.parts == 1]
    for name in empty:
        print(f"FAIL: schedule {name}: expected a code object, found none")
    for rule, count in rules.most_common():
        print(f"{count} times: {rule}")
    print_table(table)
    print(f"{failed} of {len(chosen)} configurations are at fault")
    return 1 if failed or empty else 0


if __name__ == "__main__":
    sys.exit(main())
