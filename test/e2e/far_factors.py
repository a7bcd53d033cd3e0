# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factors of V's rows that lie further apart than f32 reaches: keys that a row does not see, by a
causal mask, have factors 2^200 and more times those that it sees. They have no weight, so that O
of the row is as if they were not there; and where both are seen, the greater ones decide.

Factors of K's rows that make scores as large as f32 can hold, and larger: the softmax then has one
key a row, and no row is NaN.
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
BYTES = axes.dtype_flags("fp8")
TYPES = {"generic_fp8": [BYTES], "generic_fp8_n32": [BYTES],
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


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    options = parser.parse_args()
    cases = [(name, types, kind, operand, number) for name, all_types in TYPES.items()
             for types in all_types for kind in GRANULARITIES
             if kind == "block" or not name.startswith("dualwave")
             for operand, numbers in (("k", LARGE), ("v", FAR)) for number in numbers]
    wrong = []
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            wrong += check(options.fmhac, *case, folder)
    for what in wrong:
        print("FAIL:", what)
    print(f"{len(cases)} runs, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
