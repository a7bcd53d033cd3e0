#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The differential test reports what it must: kernels of Inputs/ that differ between
the targets in one bit of one element, that the emulator's checks stop, that do not
end, that do not compile. And the random kernels are a function of their seed."""
import argparse
import os
import subprocess
import sys

import generate
import units

# kernel: what its report must contain
EXPECTED = {
    "one_bit": "1 of 64 elements differ",
    "one_ulp": "1 of 64 elements differ",
    "two_ulps_of_one": "1 of 64 elements differ",
    "zero_sign": "expected 0x0000000000000000 (0), found 0x8000000000000000 (-0)",
    "nan_for_number": "argument 0 [1] f16: expected 0x3c00",
    "input_changed": "argument 0 [9] u8",
    "not_written": "expected 0x003c, found 0xa5a5",
    "past_the_end": "finding mem",
    "endless": "deadlock: nothing moves any more",
    "oracle_deadlock": "every work-item waits",
    "oracle_crash": "the runner ended with -4",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner", required=True)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--jobs", default="1")
    options = parser.parse_args()

    def run(source):
        return subprocess.run(
            [sys.executable, os.path.join(units.HERE, "differential.py"), "written",
             "--source", os.path.join(units.HERE, "Inputs", source), "--inputs", "1",
             "--levels", "O2", "--runner", options.runner, "--llvm-bin",
             options.llvm_bin, "--jobs", options.jobs],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    done, wrong = run("bad.c"), []
    reports = {}
    for part in done.stdout.split("FAIL ")[1:]:
        reports[part.split(" ")[0].split(":")[-1]] = part
    for kernel, text in EXPECTED.items():
        if text not in reports.get(kernel, ""):
            wrong.append(f"{kernel}: expected a report with {text!r}, found "
                         f"{reports.get(kernel)!r}")
    if set(reports) != set(EXPECTED):
        wrong.append(f"reported: {sorted(reports)}, expected: {sorted(EXPECTED)}")
    if done.returncode != 1 or f"{len(EXPECTED) + 1} launches" not in done.stdout:
        wrong.append(f"exit code {done.returncode}, expected 1; {done.stdout[-300:]}")
    done = run("uncompilable.c")
    if done.returncode != 1 or "does not compile for gfx950 at -O2" not in done.stdout:
        wrong.append(f"uncompilable.c: exit code {done.returncode}: {done.stdout}")
    if generate.unit_source(5, range(40, 43)) != generate.unit_source(5, range(40, 43)):
        wrong.append("the same seeds gave two sources")
    alone = generate.Kernel(41, True).source()
    if alone not in generate.unit_source(5, range(40, 48)):
        wrong.append("a kernel alone is not the kernel in its group")
    for line in wrong:
        print("FAIL:", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
