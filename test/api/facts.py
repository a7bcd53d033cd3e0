#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the library says of a kernel, of its plan, of dense tensors and of status codes is right:
registers, LDS and the largest workgroup are those that llvm-readelf finds in the code object,
the rest follows from the configuration, the problem of test_facts.c, and the header.

    facts.py --test api_test_facts --readelf LLVM-READELF --status fmhac_status.h
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

B, HQ, HK, SQ, SK = 3, 6, 2, 515, 77  # of test_facts.c
# Configuration, schedules with conditions, (Dqk, Dv), dtypes, bytes of an element and of O's,
# args_mask, the entry that the problem gets.
CASES = (
    ('{"schedule": "generic", "mask": "causal"}', (("generic", ""),), (128, 128),
     ("bf16", "bf16"), 2, 2, 1, 0),
    ('{"schedule": "generic", "dtype": "f16", "head_dim_qk": 96, "head_dim_v": 64, "lse": true, '
     '"out_dtype": "f32"}', (("generic", ""),), (96, 64), ("f16", "f32"), 2, 4, 3, 0),
    ('{"schedule": "dualwave", "sink": true}', (("dualwave", ""),), (128, 128),
     ("bf16", "bf16"), 2, 2, 1 | 1 << 8, 0),
    # 77 keys, 515 rows, 18 heads of all batches.
    ('{"schedule": "generic if Sk <= 76; dualwave if B * Hq <= 18; generic_wide"}',
     (("generic", "Sk <= 76"), ("dualwave", "B * Hq <= 18"), ("generic_wide", "")), (128, 128),
     ("bf16", "bf16"), 2, 2, 1, 1),
    ('{"schedule": "generic if Sk <= 77 and 515 <= Sq; dualwave"}',
     (("generic", "Sk <= 77 and 515 <= Sq"), ("dualwave", "")), (128, 128),
     ("bf16", "bf16"), 2, 2, 1, 0),
)
failures = 0


def expect(what, found, wanted):
    global failures
    if found != wanted:
        failures += 1
        print(f"FAIL: {what}: expected {wanted}, found {found}")


def metadata(readelf, path):
    """{name: numbers} of the kernels in the code object's own metadata."""
    text = subprocess.run([readelf, "--notes", path], capture_output=True, text=True,
                          check=True).stdout
    # The list of kernels, each of which begins with a dash.
    kernels = re.split(r"^  - ", text[text.index("amdhsa.kernels:"):], flags=re.M)[1:]
    found = [dict(re.findall(r"^ *\.(\w+): +(\S+)$", kernel, re.M)) for kernel in kernels]
    return {numbers["symbol"][:-len(".kd")]: numbers for numbers in found if "symbol" in numbers}


def strides(rows, heads, dim, size):
    row = heads * dim * size
    return f"{rows * row} {row} {dim * size}"


def check_entry(facts, meta, case, number):
    json, schedules, (qk, v), (dtype, o_dtype), _, _, mask, _ = case
    numbers = meta.get(facts["name"], {})
    tile = int(facts["tile_rows"])
    schedule, when = schedules[number]
    wanted = {
        "entry": str(number), "schedule": schedule, "when": when,
        # Registers are given in eights.
        "vgprs": str((int(numbers["vgpr_count"]) + 7) // 8 * 8),
        "spills": str(int(numbers["vgpr_spill_count"]) + int(numbers["sgpr_spill_count"])),
        "scratch_bytes": numbers["private_segment_fixed_size"],
        "lds_bytes": numbers["group_segment_fixed_size"],
        "block_threads": numbers["max_flat_workgroup_size"],
        "head_dims": f"{qk} {v}", "dtypes": f"{dtype} {dtype} {dtype} {o_dtype}",
        "args_mask": str(mask), "grid": f"ceil(Sq / {tile}), Hq, B",
    }
    for what, value in wanted.items():
        expect(f"{json}: entry {number}: {what}", facts.get(what), value)
    expect(f"{json}: entry {number}: rows of a tile divide over the waves",
           tile % (int(facts["block_threads"]) // 64), 0)


def check(parts, meta, case):
    json, schedules, (qk, v), _, size, o_size, mask, launched = case
    config, *entries, facts = parts
    expect(f"{json}: entries", len(entries), len(schedules))
    expect(f"{json}: kernels of the code object", sorted(e["name"] for e in entries), sorted(meta))
    for number, entry in enumerate(entries):
        check_entry(entry, meta, case, number)
    expect("config", config["config"], json)
    wanted = {
        "entries": f"{len(schedules)} INVALID_INPUT",
        "first": f"{entries[0]['name']} {schedules[0][0]}",
        "dense": f"OK {B} {HQ} {HK} {SQ} {SK} 0",
        "q": strides(SQ, HQ, qk, size), "k": strides(SK, HK, qk, size),
        "v": strides(SK, HK, v, size), "o": strides(SQ, HQ, v, o_size),
        "launches": "1 INVALID_INPUT",
    }
    if mask == 1:  # what else it takes is not given here
        entry = entries[launched]
        wanted["launch"] = (f"OK {launched} {entry['name']} {-(-SQ // int(entry['tile_rows']))} "
                            f"{HQ} {B} {entry['block_threads']} 1 1")
    for what, value in wanted.items():
        expect(f"{json}: {what}", facts.get(what), value)


def check_statuses(lines, header):
    with open(header, encoding="utf-8") as file:
        names = dict(re.findall(r"^  FMHAC_(\w+) = (\d+)", file.read(), re.M))
    numbers = {int(number): name for name, number in names.items()}
    expect("codes in the header", len(numbers) >= 15, True)
    for number in range(-1, 32):
        expect(f"status {number}", lines[f"status {number}"], numbers.get(number, "UNKNOWN"))
    number, text = lines["version"].split(" ", 1)
    major, minor, patch = map(int, re.match(r"fmhac (\d+)\.(\d+)\.(\d+),", text).groups())
    expect("version number", int(number), 10000 * major + 100 * minor + patch)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    for name in ("test", "readelf", "status"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = subprocess.run([options.test, folder, *(case[0] for case in CASES)],
                             capture_output=True, text=True, check=True).stdout
        parts = re.split(r"^(?=config\t|version\t)", out, flags=re.M)[1:]
        expect("kernels", len(parts), len(CASES) + 1)
        facts = [[dict(line.split("\t") for line in entry.splitlines())
                  for entry in re.split(r"^(?=entry\t)", part, flags=re.M)] for part in parts]
        for i, case in enumerate(CASES):
            check(facts[i], metadata(options.readelf, os.path.join(folder, str(i))), case)
        check_statuses(facts[-1][0], options.status)
    print(f"{len(CASES)} kernels, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
