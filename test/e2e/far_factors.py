# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factors of V's rows that lie further apart than f32 reaches: keys that a row does not see, by a
causal mask, have factors 2^200 and more times those that it sees. They have no weight, so that O
of the row is as if they were not there; and where both are seen, the greater ones decide.

Factors of K's rows that make scores as large as f32 can hold, and larger: the softmax then has one
key a row, and no row is NaN.

Factors of V that all blocks share, in short problems whose weights are each row's own: kernels that round
weights with the factor and those that round them without differ by as much as e4m3 rounds, and
either is right.
"""
import argparse
import struct
import subprocess
import sys
import tempfile

import axes
import axis_files

# Keys, and those of them that a row sees in front of the far ones.
KEYS, SEEN = 70, 35
FAR = [1e-15, 1e-18, 1e-30]
GRANULARITIES = {"token": 1, "block": 5}  # keys that share a factor
# Of pipelines, whose factors are of whole tiles: the last of four is the far one.
OF_TILES = {"keys": 250, "seen": 192, "block": 64}
LARGE = [1e12, 1e30, 3e38]
# Of blocks of V: good ones and bad ones to round weights with.
EQUAL = [5.0, 4.25, 7.5]
BYTES = axes.dtype_flags("fp8")
TYPES = {"generic_fp8": [BYTES], "generic_fp8_n32": [BYTES], "decode_fp8": [BYTES],
         "decode": [axes.dtype_flags(axes.KV8[0])],
         **{name: [axes.dtype_flags(types) for types in axes.KV8[:2]]
            for name in ("generic", "generic_wide", "generic_wide_m64")},
         **{name: [BYTES] for name in ("dualwave_fp8", "dualwave_fp8_d64", "dualwave_fp8_d192",
                                       "dualwave_fp8_d256")}}


def check(fmhac, schedule, types, kind, operand, number, folder):
    count, seen, keys = KEYS, SEEN, GRANULARITIES[kind]
    if schedule.startswith("dualwave"):
        count, seen, keys = OF_TILES["keys"], OF_TILES["seen"], OF_TILES["block"]
    factors = [1 / number if operand == "v" and at * keys >= seen else number
               for at in range(-(-count // keys))]
    axis_files.write_npy(f"{folder}/factors.npy", "<f4", [1, len(factors), 1],
                         struct.pack(f"<{len(factors)}f", *factors))
    done = subprocess.run(
        [fmhac, "run", *types, "--schedule", schedule, "--heads", "1", "--head-dim", "64",
         "--seqlen", str(count), "--mask", "causal", "--out-dtype", "f32", "--check=all",
         f"--{operand}-scale", kind, f"--{operand}-scales", f"{folder}/factors.npy",
         *(["--scale-block", str(keys)] if kind == "block" else [])],
        capture_output=True, text=True)
    return [] if done.returncode == 0 else [
        f"{schedule}, {' '.join(types)}, {operand} by {kind}, {number}: exit code "
        f"{done.returncode}: {done.stderr}{done.stdout}"]


def check_equal(fmhac, schedule, number, flags, folder):
    axis_files.write_npy(f"{folder}/factors.npy", "<f4", [1, 3, 1], struct.pack("<3f", *[number] * 3))
    done = subprocess.run(
        [fmhac, "run", *BYTES, "--schedule", schedule, "--heads", "2", "--kv-heads", "1",
         "--head-dim", "64" if schedule.endswith("_d64") else "128", "--seqlen-q", "5",
         "--seqlen-kv", "129", "--input", "rising", "--check=all", "--v-scale", "block",
         "--v-scales", f"{folder}/factors.npy", "--scale-block", "64", *flags],
        capture_output=True, text=True)
    return [] if done.returncode == 0 else [
        f"{schedule}, V by block, all {number}, {flags}: exit code {done.returncode}: "
        f"{done.stderr}{done.stdout}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--schedule", choices=TYPES, action="append",
                        help="one of those that are run (default: all)")
    options = parser.parse_args()
    chosen = {name: TYPES[name] for name in options.schedule or TYPES}
    cases = [(name, types, kind, operand, number) for name, all_types in chosen.items()
             for types in all_types for kind in GRANULARITIES
             if kind == "block" or not name.startswith("dualwave")
             for operand, numbers in (("k", LARGE), ("v", FAR)) for number in numbers]
    equal = [(name, number, flags) for name, types in chosen.items() if types == [BYTES]
             for number in EQUAL for flags in ([], ["--lse"])]
    wrong = []
    for one, of_it in ((check, cases), (check_equal, equal)):
        for case in of_it:
            with tempfile.TemporaryDirectory() as folder:
                wrong += one(options.fmhac, *case, folder)
    for what in wrong:
        print("FAIL:", what)
    print(f"{len(cases) + len(equal)} runs, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
