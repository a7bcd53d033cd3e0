# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the generated code must look like: registers, LDS, and the instructions of
the KV loop. Counts are derived from the tile, not read off a run:

  a wave owns 32 rows of Q; a tile has N = 64 keys and D = 128. S takes
  (64 / 32) * (128 / 16) = 16 matrix instructions of 32x32x16, O as many.
  K leaves LDS in 64 * 128 * 2 / (64 lanes * 16) = 16 ds_read_b128 a wave, V in
  64 * 128 * 2 / (64 lanes * 8) = 32 ds_read_b64_tr_b16.
  Four waves copy K and V in with 2 * 64 * 128 * 2 / (4 * 64 * 16) = 8 loads each.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import code_object  # noqa: E402


def check(name, found, expected):
    if found != expected:
        sys.exit(f"FAIL: {name}: expected {expected}, found {found}")


def metadata(llvm_bin, path):
    """Fields of the only kernel in the code object's metadata."""
    text = subprocess.run(
        [os.path.join(llvm_bin, "llvm-readelf"), "--notes", path], check=True,
        capture_output=True, text=True).stdout
    fields = {}
    for line in text.splitlines():
        key, _, value = line.strip().lstrip("- ").partition(":")
        if key in (".vgpr_count", ".agpr_count", ".vgpr_spill_count",
                   ".sgpr_spill_count", ".private_segment_fixed_size",
                   ".group_segment_fixed_size"):
            fields[key] = int(value)
    return fields


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    options = parser.parse_args()
    for mask in ("none", "causal"):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.hsaco")
            subprocess.run([options.fmhac, "compile", "--mask", mask, "-o", path],
                           check=True, stdout=subprocess.DEVNULL)
            fields = metadata(options.llvm_bin, path)
            instructions = code_object.disassemble(options.llvm_bin, path)
        check("spilled VGPRs", fields[".vgpr_spill_count"], 0)
        check("spilled SGPRs", fields[".sgpr_spill_count"], 0)
        check("scratch bytes", fields[".private_segment_fixed_size"], 0)
        registers = fields[".vgpr_count"] + fields[".agpr_count"]
        if registers > 256:
            sys.exit(f"FAIL: expected at most 256 registers, found {registers}")
        # Two workgroups of four waves share a compute unit.
        if 2 * fields[".group_segment_fixed_size"] > 160 * 1024:
            sys.exit("FAIL: expected LDS for two workgroups a compute unit, found "
                     f"{fields['.group_segment_fixed_size']} bytes")
        loops = [(a, b) for a, b in code_object.loop_bodies(instructions)
                 if any("mfma" in i.mnemonic for i in instructions[a:b])]
        # Descriptors are uniform, or LLVM would loop over their values here too.
        check("targets of branches backwards",
              len({a for a, _ in code_object.loop_bodies(instructions)}), 1)
        first, last = min(a for a, _ in loops), max(b for _, b in loops)
        body = instructions[first:last + 1]
        count = collections.Counter(i.mnemonic for i in body)
        check("matrix instructions in the KV loop",
              sum(n for m, n in count.items() if "mfma" in m), 16 + 16)
        check("v_mfma_f32_32x32x16_bf16", count["v_mfma_f32_32x32x16_bf16"], 32)
        check("ds_read_b128", count["ds_read_b128"], 16)
        check("ds_read_b64_tr_b16", count["ds_read_b64_tr_b16"], 32)
        check("direct-to-LDS loads",
              sum(i.mnemonic == "buffer_load_dwordx4" and i.text.endswith(" lds")
                  for i in body), 8)
        check("other memory operations of the loop",
              sum(i.mnemonic.startswith(("buffer_", "global_", "flat_",
                                         "scratch_", "s_load", "ds_write"))
                  for i in body), 8)
        check("moves between register files",
              sum(n for m, n in count.items() if "accvgpr" in m), 0)
        print(f"ok: {mask}: {json.dumps(fields)}")


if __name__ == "__main__":
    main()
