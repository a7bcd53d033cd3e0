# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cycle model beside llvm-mca, on the loops of kernels.

    mca.py --fmhac build/bin/fmhac [--llvm-bin DIR] [--dir DIR] [FILE...]

Takes the loops with matrix instructions of the kernel that fmhac compiles by default, of
each FILE and of each code object in DIR, and runs each as a straight line on one wave, over
and over: on the model, and in llvm-mca -mcpu=gfx950. Prints the cycles of an iteration of both,
and takes one class of instructions away after the other: what the two say that it had cost,
and why they may differ. The parts add up to the whole.

Left out are waits, barriers, branches, scalar loads, what writes EXEC or a mode, memory
other than buffers, and code that a branch of the loop can jump over, if it has no matrix
instructions. Buffer instructions access one place; registers are zero at first, so that LDS
is accessed without conflicts.
"""
import argparse
import glob
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "test", "tools"))

import code_object  # noqa: E402

LEAST_MATRIX = 8  # instructions of a loop worth a look
CLK_OF_SLOT = 4  # LLVM counts slots
TIMEOUT_SECONDS = 20  # llvm-mca 22 does not come to an end on some blocks
BUFFER_BYTES = 1 << 20

# Name, what belongs to it and to none before, why the two may differ. Taken away in this order.
CLASSES = [
    ("s_nop", r"s_(nop|sleep)\b",
     "a slot to LLVM, whatever its number; the model: number + 1"),
    ("vector memory", r"buffer_",
     "LLVM: one each slot, data 80 slots later; the model: the vector cache, direct to LDS 8 cycles"),
    ("LDS", r"ds_",
     "LLVM: one each slot, data 5 slots later; the model: the array and queues, waits left out"),
    ("scalar", r"s_", "a slot of the wave to both; other differences may cover it"),
    ("packed f32", r"v_pk_(mul|add|fma)_f32",
     "the model: 12 cycles after the end of an MFMA at the soonest; LLVM: as other VALU"),
    ("transcendental", r"v_(exp|log|rcp|rsq|sqrt|sin|cos)_",
     "LLVM: a slot, but 4 to the next that uses it; the model: 8 cycles, none for the next"),
    ("conversion", r"v_cvt_(pk_fp8|pk_bf8|sr_fp8|sr_bf8|[ui]32_f32|f32_[ui]32|f32_fp8|f32_bf8|pk_f32_)",
     "the same as transcendental"),
    ("lane swap", r"v_permlane", "2 slots to both; other differences may cover it"),
    ("MFMA of f8f6f4", r"v_mfma_(scale_)?f32_\w+f8f6f4",
     "LLVM does not see that an operand of 8 bits doubles the passes"),
    ("other VALU", r"v_(?!mfma|smfmac)",
     "the model: 8 cycles after an MFMA at the soonest; LLVM: 4"),
    ("MFMA", r"v_", "the same passes to both; the model: an A or B that is the last one's D, 16 cycles more"),
]
LEFT_OUT = re.compile(
    r"s_(waitcnt|barrier|c?branch|setpc|swappc|getpc|call|endpgm|load_|buffer_load|store|dcache|"
    r"scratch|atomic|setreg|sethalt|trap|sendmsg|setvskip)|global_|flat_|scratch_|v_cmpx|v_writelane|"
    r"s_\w+saveexec|\S+ exec\b|buffer_(wbl2|inv)|buffer_\w*atomic")


def run(command, **kwargs):
    done = subprocess.run(command, capture_output=True, text=True, **kwargs)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[:2000]}")
    return done.stdout


#===-- Blocks ---------------------------------------------------------------===#

def branches(path, instructions):
    """(index of the branch, index of its target)."""
    index = {i.address: n for n, i in enumerate(instructions)}
    with open(path, "rb") as file:
        code = file.read()
    for n, i in enumerate(instructions):
        if i.mnemonic.startswith(("s_branch", "s_cbranch")):
            words, = struct.unpack_from("<h", code, i.offset)
            to = index.get(i.address + 4 + 4 * words)
            if to is not None:
                yield n, to


def is_matrix(instruction):
    return instruction.mnemonic.startswith(("v_mfma", "v_smfmac"))


def blocks(path, llvm_bin):
    """Name and instructions of each loop worth a look, those that lie apart."""
    instructions = code_object.disassemble(llvm_bin, path)
    jumps = list(branches(path, instructions))
    loops = []
    for last, first in jumps:
        matrix = sum(map(is_matrix, instructions[first:last + 1]))
        if first <= last and matrix >= LEAST_MATRIX:
            loops.append((matrix / (last + 1 - first), first, last))
    taken = []
    for _, first, last in sorted(loops, reverse=True):
        if all(last < a or b < first for a, b in taken):
            taken.append((first, last))
    for first, last in sorted(taken):
        skipped = set()
        for at, to in jumps:
            if first <= at < to <= last and not any(map(is_matrix, instructions[at:to])):
                skipped |= set(range(at, to))
        name = f"{os.path.basename(path)} {instructions[first].address:#x}"
        yield name, [i.text for n, i in enumerate(instructions[first:last + 1], first)
                     if n not in skipped]


def free_scalars(lines):
    """The first of four scalar registers that the block has no use for."""
    used = set()
    for line in lines:
        for first, last in re.findall(r"\bs\[(\d+):(\d+)\]", line):
            used |= set(range(int(first), int(last) + 1))
        used |= {int(n) for n in re.findall(r"\bs(\d+)\b", line)}
    for first in range(96, 3, -4):
        if not used & set(range(first, first + 4)):
            return first
    return None


def straight(lines):
    """What can be run of a block, how many lines cannot, and the descriptor's registers."""
    descriptor = free_scalars(lines)
    kept = []
    for line in lines:
        if LEFT_OUT.match(line) or (descriptor is None and line.startswith("buffer_")):
            continue
        if line.startswith("buffer_"):
            name, operands = line.split(None, 1)
            data = operands.split(", ")[0] + ", " if not re.search(r"\blds\b", line) else ""
            line = (f"{name} {data}off, s[{descriptor}:{descriptor + 3}], 0"
                    + (" lds" if not data else ""))
        kept.append(line)
    return kept, len(lines) - len(kept), descriptor


def class_of(line):
    for n, (_, pattern, _) in enumerate(CLASSES):
        if re.match(pattern, line):
            return n
    sys.exit(f"of no class: {line}")


#===-- The two --------------------------------------------------------------===#

def mca_cycles(lines, llvm_bin):
    if not lines:
        return 0
    total = []
    for iterations in (5, 10):
        text = run([os.path.join(llvm_bin, "llvm-mca"), "-mtriple=amdgcn-amd-amdhsa",
                    "-mcpu=gfx950", f"-iterations={iterations}"],
                   input="\n".join(lines) + "\n", timeout=TIMEOUT_SECONDS)
        total.append(int(re.search(r"Total Cycles:\s*(\d+)", text).group(1)))
    return CLK_OF_SLOT * (total[1] - total[0]) / 5


KERNEL = """
.text
.globl {name}
.p2align 8
.type {name},@function
{name}:
  s_load_dwordx2 s[{d}:{e}], s[0:1], 0x0
  v_readfirstlane_b32 s4, v0
  v_mov_b32_e32 v0, 0
  s_mov_b32 m0, 0
  s_waitcnt lgkmcnt(0)
  s_and_b32 s{e}, s{e}, 0xffff
  s_mov_b32 s{f}, {bytes}
  s_mov_b32 s{g}, 0x20000
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc0 1f
  s_endpgm
1:
.rept {copies}
{body}
.endr
  s_endpgm
.L{name}_end:
.size {name}, .L{name}_end-{name}
.rodata
.p2align 6
.amdhsa_kernel {name}
  .amdhsa_kernarg_size 8
  .amdhsa_group_segment_fixed_size 163840
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 512
  .amdhsa_accum_offset 256
  .amdhsa_next_free_sgpr 100
.end_amdhsa_kernel
"""


def model_cycles(variants, descriptor, args, work):
    """Cycles of an iteration of each of these lists of lines."""
    d = 96 if descriptor is None else descriptor
    source = ['.amdgcn_target "amdgcn-amd-amdhsa--gfx950"', ".amdhsa_code_object_version 5"]
    for n, lines in enumerate(variants):
        for copies in (3, 6):
            source.append(KERNEL.format(name=f"v{n}_{copies}", copies=copies, d=d, e=d + 1,
                                        f=d + 2, g=d + 3, bytes=BUFFER_BYTES,
                                        body="\n".join(lines)))
    paths = [os.path.join(work, "block" + end) for end in (".s", ".o", ".hsaco")]
    with open(paths[0], "w", encoding="utf-8") as file:
        file.write("\n".join(source))
    run([os.path.join(args.llvm_bin, "llvm-mc"), "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx950",
         "-filetype=obj", paths[0], "-o", paths[1]])
    run([os.path.join(args.llvm_bin, "ld.lld"), "-shared", paths[1], "-o", paths[2]])
    found = []
    for n in range(len(variants)):
        once, twice = (cycles(paths[2], f"v{n}_{copies}", args, work) for copies in (3, 6))
        found.append((twice - once) / 3)
    return found


def cycles(code, kernel, args, work):
    path = os.path.join(work, "LAUNCH.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"code_object": code, "kernel": kernel, "grid": [1, 1, 1],
                   "block": [256, 1, 1],
                   "buffers": {"b": {"bytes": BUFFER_BYTES, "fill": 0}},
                   "kernarg": [{"offset": 0, "buffer": "b"}]}, file)
    command = [args.fmhac, "emu", path, "--timing", "--json", "--check=none"]
    if args.constants:
        command += ["--timing-constants", args.constants]
    return json.loads(run(command))["per_workgroup"][0]["cycles"]


def compare(name, lines, args, work):
    kept, left_out, descriptor = straight(lines)
    kinds = [class_of(line) for line in kept]
    present = sorted(set(kinds))
    variants = [kept]
    for kind in present:
        variants.append([line for line, k in zip(kept, kinds) if k > kind])
    print(f"{name}: {len(kept)} instructions, {left_out} left out")
    try:
        mca = [mca_cycles(v, args.llvm_bin) for v in variants]
    except subprocess.TimeoutExpired:
        print(f"  llvm-mca does not come to an end within {TIMEOUT_SECONDS} s; the model: "
              f"{model_cycles([kept], descriptor, args, work)[0]:.1f} cycles")
        return
    model = model_cycles(variants, descriptor, args, work)
    print(f"  {'':18} {'count':>5} {'llvm-mca':>9} {'model':>9} {'more':>9}")
    print(f"  {'all':18} {len(kept):5} {mca[0]:9.1f} {model[0]:9.1f} {model[0] - mca[0]:+9.1f}")
    for n, kind in enumerate(present):
        a, b = mca[n] - mca[n + 1], model[n] - model[n + 1]
        what, _, why = CLASSES[kind]
        print(f"  {what:18} {kinds.count(kind):5} {a:9.1f} {b:9.1f} {b - a:+9.1f}"
              + (f"  {why}" if abs(b - a) >= 1 else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--dir", help="take the code objects (.co, .hsaco) in it, too")
    parser.add_argument("--constants", help="NAME=VALUE,... of the model")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    files = list(args.files)
    if args.dir:
        files += sorted(glob.glob(os.path.join(args.dir, "*.co"))
                        + glob.glob(os.path.join(args.dir, "*.hsaco")))
    with tempfile.TemporaryDirectory() as work:
        own = os.path.join(work, "fmhac.hsaco")
        run([args.fmhac, "compile", "-o", own])
        for path in [own] + files:
            found = False
            for name, lines in blocks(path, args.llvm_bin):
                compare(name, lines, args, work)
                found = True
            if not found:
                print(f"{os.path.basename(path)}: no loop with {LEAST_MATRIX} matrix "
                      "instructions")


if __name__ == "__main__":
    main()
