# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where K and V lie in LDS changes no result: with every family of layouts a schedule
runs without findings, within tolerance, and gives the same bytes as with any other."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

FAMILIES = ("padded", "xor", "permuted", "identity")
# schedule, rows, head sizes, type: whole tiles of columns, padded ones (96 of 128, 40 of
# 64, 192 of 256), both kinds of copies (16 columns by 32 keys take dwords).
CASES = (
    ("generic", 32, (64, 64), "f16"),
    ("generic", 150, (96, 40), "bf16"),
    ("generic", 32, (128, 128), "bf16"),
    ("generic_wide", 32, (192, 192), "bf16"),
    ("generic_wide", 32, (16, 32), "f16"),
    ("dualwave", 256, (64, 96), "f16"),
    ("dualwave", 150, (128, 128), "bf16"),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--all", action="store_true",
                        help="every schedule with every head size and type")
    options = parser.parse_args()
    cases = CASES
    if options.all:
        cases = [(schedule, rows, (size, size), dtype)
                 for schedule, rows in (("generic", 150), ("dualwave", 300))
                 for size in (64, 96, 128) for dtype in ("bf16", "f16")]
        cases += [("generic_wide", 150, (192, 192), dtype)
                  for dtype in ("bf16", "f16")]

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "schedule.mlir")
        out = os.path.join(folder, "o.npy")

        def run(text, family, case):
            schedule, rows, (qk, v), dtype = case
            text, count = re.subn(r"(\b[kv] = <read = [^>]*)>",
                                  rf"\1, layout = {family}>", text)
            if count != 2:
                sys.exit(f"FAIL: expected two stagings in {schedule}, found {count}")
            with open(path, "w") as file:
                file.write(text)
            result = subprocess.run(
                [options.fmhac, "run", "-v", "--json", "--schedule", path, "--check=all",
                 "--dtype", dtype, "--head-dim-qk", str(qk), "--head-dim-v", str(v),
                 "--mask", "causal", "--heads", "2", "--kv-heads", "1",
                 "--seqlen-q", str(rows), "--seqlen-kv", "203", "--o", out],
                capture_output=True, text=True)
            if result.returncode:
                sys.exit(f"FAIL: {case}, {family}: {result.stdout}{result.stderr}")
            report = json.loads(result.stdout)
            if report["pass"] is not True or report["findings"]:
                sys.exit(f"FAIL: {case}, {family}: {report}")
            for operand in "kv":
                if f"{operand} has LDS layout {family}" not in result.stderr:
                    sys.exit(f"FAIL: {case}, {family}: expected a remark that names "
                             f"the layout of {operand}, found {result.stderr}")
            with open(out, "rb") as file:
                return file.read()

        for case in cases:
            text = subprocess.run(
                [options.fmhac, "list", "--print-schedule", case[0]], check=True,
                capture_output=True, text=True).stdout
            results = {family: run(text, family, case) for family in FAMILIES}
            for family in FAMILIES[1:]:
                if results[family] != results[FAMILIES[0]]:
                    sys.exit(f"FAIL: {case}: {family} gives other bytes than "
                             f"{FAMILIES[0]}")
    print(f"layouts: {len(cases)} cases with {len(FAMILIES)} families each, the same "
          "bytes")


main()
