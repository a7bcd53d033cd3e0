# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factors of V's rows that lie further apart than f32 reaches: keys that a row does not see, by a
causal mask, have factors 2^200 and more times those that it sees. They have no weight, so that O
of the row is as if they were not there; and where both are seen, the greater ones decide.
"""
import argparse
import struct
import subprocess
import sys
import tempfile

import axis_files

KEYS, SEEN = 70, 35
FAR = [1e-15, 1e-18, 1e-30]
GRANULARITIES = {"token": 1, "block": 5}  # keys that share a factor
SCHEDULES = ["generic_fp8", "generic_fp8_n32"]


def check(fmhac, schedule, kind, far, folder):
    keys = GRANULARITIES[kind]
    factors = [far if at * keys < SEEN else 1 / far for at in range(KEYS // keys)]
    axis_files.write_npy(f"{folder}/factors.npy", "<f4", [1, len(factors), 1],
                         struct.pack(f"<{len(factors)}f", *factors))
    done = subprocess.run(
        [fmhac, "run", "--dtype", "fp8", "--schedule", schedule, "--heads", "1", "--head-dim", "64",
         "--seqlen", str(KEYS), "--mask", "causal", "--out-dtype", "f32", "--check=all",
         "--v-scale", kind, "--v-scales", f"{folder}/factors.npy",
         *(["--scale-block", str(keys)] if kind == "block" else [])],
        capture_output=True, text=True)
    return [] if done.returncode == 0 else [
        f"{schedule}, {kind}, {far}: exit code {done.returncode}: {done.stderr}{done.stdout}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    options = parser.parse_args()
    cases = [(s, kind, far) for s in SCHEDULES for kind in GRANULARITIES for far in FAR]
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
