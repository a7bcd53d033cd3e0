# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where K and V lie in LDS changes no result: with every family of layouts, and with maps that
the schedule gives, it runs without findings, within tolerance, and gives the same bytes."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import slices  # noqa: E402

FAMILIES = ("padded", "xor", "permuted", "identity")
# Of HipKittens, pieces of 8 x 32 and, with two XORs, of 32 x 32; of Modular's MLA, of which the
# 16-bit types have the chunks, whole lines; and XORs of rows into columns of a wider piece.
MAPS = {
    "8x32": "row = [64, 128, 256], col = [2, 4, 8, 16, 32]",
    "32x32": "row = [64, 128, 256, 512 xor 32, 1024 xor 16], col = [2, 4, 8, 16, 32]",
    "chunks": "row = [64, 128, 256, 512], col = [2, 4, 8, 16, 32], chunk_bytes = 1024, pad_bytes = 16",
    "rows": "row = [128, 256 xor 16, 512 xor 32, 1024 xor 64], col = [2, 4, 8, 16, 32, 64]",
}
# The same of elements of 8 bits: pieces of 8 x 64, lines in chunks with a pad, and, of heads of
# 128, rows XORed into columns of a wider piece.
MAPS_OF_8_BITS = {
    "8x64": "row = [64, 128, 256], col = [1, 2, 4, 8, 16, 32]",
    "chunks": "row = [64, 128, 256, 512], col = [1, 2, 4, 8, 16, 32], chunk_bytes = 1024, pad_bytes = 16",
    "rows": "row = [128, 256 xor 16, 512 xor 32, 1024 xor 64], col = [1, 2, 4, 8, 16, 32, 64]",
}


def maps_of(case):
    """Pieces wider than a head do not fit it."""
    _, _, heads, dtype = case
    if dtype == "fp8":
        return tuple(MAPS_OF_8_BITS)[:3 if min(heads) >= 128 else 2]
    return tuple(MAPS)[:4 if min(heads) >= 64 else 3 if min(heads) >= 32 else 0]


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
    ("generic_fp8", 150, (80, 64), "fp8"),
    ("generic_fp8_n32", 32, (128, 256), "fp8"),
    ("dualwave_fp8", 256, (128, 128), "fp8"),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--all", action="store_true",
                        help="every schedule with every head size and type")
    slices.add_argument(parser)
    options = parser.parse_args()
    cases = CASES
    if options.all:
        cases = [(schedule, rows, (size, size), dtype)
                 for schedule, rows in (("generic", 150), ("dualwave", 300))
                 for size in (64, 96, 128) for dtype in ("bf16", "f16")]
        cases += [("generic_wide", 150, (192, 192), dtype)
                  for dtype in ("bf16", "f16")]
        cases += [(schedule, rows, (size, size), "fp8")
                  for schedule, rows in (("generic_fp8", 150), ("dualwave_fp8", 300))
                  for size in (64, 96, 128)]
    cases = options.slice.of(cases)
    slices.tell(options)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "schedule.mlir")
        out = os.path.join(folder, "o.npy")

        def run(family, case):
            schedule, rows, (qk, v), dtype = case
            maps = MAPS_OF_8_BITS if dtype == "fp8" else MAPS
            key = f"map = <{maps[family]}>" if family in maps else f"layout = {family}"
            with open(path, "w") as file:
                file.write(f"fmha.schedule @laid_out = @{schedule} with "
                           f"<k = <{key}>, v = <{key}>>\n")
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
                words = (f"{operand} has the LDS map that the schedule gives" if family in maps
                         else f"{operand} has LDS layout {family}")
                if words not in result.stderr:
                    sys.exit(f"FAIL: {case}, {family}: expected a remark that names "
                             f"the layout of {operand}, found {result.stderr}")
            with open(out, "rb") as file:
                return file.read()

        for case in cases:
            families = FAMILIES + maps_of(case)
            results = {family: run(family, case) for family in families}
            for family in families[1:]:
                if results[family] != results[FAMILIES[0]]:
                    sys.exit(f"FAIL: {case}: {family} gives other bytes than "
                             f"{FAMILIES[0]}")
    print(f"layouts: {len(cases)} cases with {len(FAMILIES)} families and up to {len(MAPS)} "
          "given maps each, the same bytes")


main()
