# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel without findings gives the same bytes whatever the order of its waves,
the landing of its loads, and the number of host threads."""
import argparse
import os
import subprocess
import sys
import tempfile

MODES = [
    [], ["--sched=rr:1"], ["--sched=rr:256"], ["--sched=until-blocked"],
    ["--sched=random:1"], ["--sched=random:2"], ["--landing=early"],
    ["--landing=late"], ["--landing=random:3"],
    ["--sched=random:4", "--landing=random:5"],
    ["--sched=until-blocked", "--landing=late"], ["--threads=1"],
    ["--check=none"],
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    options = parser.parse_args()
    for mask in ("none", "causal"):
        expected = None
        for mode in MODES:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "o.npy")
                command = [options.fmhac, "run", "--mask", mask, "--heads", "2",
                           "--seqlen-q", "150", "--seqlen-kv", "210", "--o",
                           path, *mode]
                result = subprocess.run(command, capture_output=True, text=True)
                if result.returncode != 0:
                    sys.exit(f"FAIL: {' '.join(command)} exited with "
                             f"{result.returncode}\n{result.stdout}"
                             f"{result.stderr}")
                with open(path, "rb") as file:
                    found = file.read()
            if expected is None:
                expected = found
            elif found != expected:
                sys.exit(f"FAIL: {' '.join(mode)} gives other bytes ({mask})")
    print(f"ok: {len(MODES)} modes, the same bytes")


if __name__ == "__main__":
    main()
