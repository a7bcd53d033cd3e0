# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""builtin_table.py FMHAC_OPT TABLE: the built-in table, read here by itself, is what the pass
takes its choices from, and each of its rows is taken for something.
"""
import csv
import itertools
import re
import subprocess
import sys

MASKS = {"none": "mask = none", "causal": "mask = causal",
         "causal-top-left": "mask = causal_top_left",
         "window": "mask = window, window_left = 9, window_right = 0",
         "chunked": "mask = chunked, chunk = 64"}
HEADS = ((32, 32), (64, 64), (72, 72), (128, 128), (64, 128))
CANDIDATES = ["generic", "dualwave", "dualwave_1tile", "dualwave_sums",
              "dualwave_narrow", "dualwave_d96"]


def read(path):
    with open(path, encoding="utf-8") as file:
        lines = [(number, line) for number, line in enumerate(file, 1)
                 if line.strip() and not line.startswith("#")]
    rows = list(csv.DictReader(line for _, line in lines))
    return [(number, row) for (number, _), row in zip(lines[1:], rows)]


def is_for(row, dtype, qk, v, mask, scores, lengths):
    def among(cell, dim):
        low, _, high = cell.partition("-")
        return cell == "*" or int(low) <= dim <= int(high or low)

    def of(cell, word):
        return cell == "*" or word in cell.split("|")
    return (of(row["dtype"], dtype) and among(row["head_dim_qk"], qk)
            and among(row["head_dim_v"], v) and of(row["mask"], mask)
            and of(row["scores"], scores) and row["lengths"] in ("any", lengths))


def main():
    fmhac_opt, table = sys.argv[1:]
    rows, taken, failures, asked = read(table), set(), 0, 0
    for lengths in ("any", "short", "long"):
        keys = list(itertools.product(("bf16", "f16"), HEADS, MASKS, ("plain", "softcap"),
                                      (lengths,)))
        ops = [
            f"fmha.attention @a{i} problem(#fmha.problem<element = {dtype}, output = {dtype}, "
            f"head_dim_qk = {qk}, head_dim_v = {v}, {MASKS[mask]}"
            f"{', softcap = 9.0 : f32' if scores == 'softcap' else ''}>)\n"
            for i, (dtype, (qk, v), mask, scores, _) in enumerate(keys)]
        done = subprocess.run(
            [fmhac_opt, "--fmha-select-schedule="
             f"candidates={','.join(CANDIDATES)} lengths={lengths}"],
            input="".join(ops), capture_output=True, text=True, check=True)
        remarks = dict(re.findall(r"<stdin>:(\d+):\d+: remark: schedule (\w+)", done.stderr))
        places = dict(re.findall(r"<stdin>:(\d+):.* by built-in table:(\d+) ", done.stderr))
        for line, (dtype, (qk, v), mask, scores, _) in enumerate(keys, 1):
            number, row = next(((n, r) for n, r in rows
                                if is_for(r, dtype, qk, v, mask, scores, lengths)), (None, None))
            wanted = (row["schedule"] if row else CANDIDATES[0], str(number) if row else None)
            found = remarks.get(str(line)), places.get(str(line))
            asked += 1
            taken.add(number)
            if found != wanted:
                failures += 1
                print(f"FAIL: {dtype} {qk}x{v} {mask} {scores} {lengths}: expected "
                      f"{wanted}, found {found}")
    for number, row in rows:
        if number not in taken:
            failures += 1
            print(f"FAIL: {table}:{number} is hidden behind the rows before it")
    print(f"{asked} problems, {len(rows)} rows, {failures} failures")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
