# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that span more than 4 GiB give the bytes that small ones give.

A small problem runs and is compared with the reference; its launch is saved. The same
launch is then run with other strides, starts of sequences and bases: the rows lie where
those say, in buffers of their own, and O and LSE must come out bit for bit, with nothing
else written. What lies between the buffers is unmapped, but wherever an address of an
input would fall if multiples of 2^32 were lost from it, there is NaN.

That this finds a lost carry is shown for each tensor of each launch: the part of it
beyond 2^32 is moved to where a kernel that loses the carry would look. The launch must
then fail. Nor may a kernel pass of which any one 64-bit address computation is damaged,
so that it loses a carry or the upper half of a product. Every large launch is within
what the launcher proves (`check_proof`), and what lies one step beyond is refused, with
nothing written.
"""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile

import axes
import rows
from large_places import (CARRY, HOMES, NAMES, TILE, Case, Large, Small, fail, read_abi,
                          round_up)

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import code_object  # noqa: E402
import slices  # noqa: E402

# Fields of scalar instructions; source: CDNA3 ISA guide, SOP1 and SOP2.
SOP2_OP, SOP_DST, S_MOV_B32_0 = 0x7F << 23, 0x7F << 16, 0xBE800080


# ===- Cases ------------------------------------------------------------------===


def near(name, first):
    """A base so that byte `first` of the tensor is the first of the next 4 GiB."""
    return HOMES[name] + CARRY - first


def all_near(small, low):
    """Bases `low` bytes below a multiple of 4 GiB, less of what is smaller."""
    return {name: near(name, max(n for n in (4, 16, low) if n < len(content)))
            for name, content in small.content.items() if len(content) > 4}


def base_cases(small):
    """One base just below a multiple of 4 GiB: the carry comes after the first bytes,
    or in the midst of the tensor."""
    for name, content in small.content.items():
        step = 16 if name in ("q", "k", "v", "o", "lse") else 4
        for first in sorted({step, round_up(len(content) // 3, step)}):
            yield Case(f"base of {name}, {first} bytes below", bases={
                name: near(name, first)})


def stride_cases(small):
    """Products of strides beyond 2^32 and 2^33, and sums of products whose low halves
    carry. The low halves differ by tensor."""
    tensors = [n for n in NAMES if n in small.content and n in small.units]
    packed = ("q", "k", "v", "o", "lse") if small.starts else ()

    def strides(axis, high):
        without = packed if axis == "batch" else ("alibi_slopes",)
        return {f"{n.removesuffix('_slopes')}_{axis}_stride": high + 0x11230 * (i + 1)
                for i, n in enumerate(tensors) if n not in without}

    heads = strides("head", 0xF0000000)
    yield Case("all strides, bases below 4 GiB and above 2^47",
               heads | strides("batch", 5 * CARRY),
               {n: base + (1 << 47) for n, base in all_near(small, 4096).items()})
    yield Case("batch and head strides whose sums carry", strides("head", 0x70000000) |
               strides("batch", 0xB0000000) | {"alibi_batch_stride": CARRY - 4},
               lost="offset")
    yield Case("head strides", heads, lost="offset")
    yield Case("batch strides above 2^32", strides("batch", CARRY), lost="offset")
    yield Case("batch strides below 2^32", strides("batch", 0xC0000000), lost="offset")


def row_cases(small):
    """The largest row strides that are proven."""
    size = round_up(small.args["seqlen_q"], TILE)
    keys = round_up(small.args["seqlen_kv"], TILE)
    strides = {}
    for name in ("q", "k", "v", "o"):
        count = keys if name in ("k", "v") else size
        strides[f"{name}_row_stride"] = most_stride(count, small.units[name], name)
    strides["bias_row_stride"] = (CARRY - 1 - keys * 4) // size // 4 * 4
    yield Case("row strides at the bound, bases 4 KiB below", strides,
               all_near(small, 4096))


def last_rows_cases(small):
    """As many rows as are proven, of which the last workgroup's are there."""
    unit = max(small.units[n] for n in "qkvo")
    most = (CARRY - 1 - unit) // unit // TILE * TILE
    strides = {f"{n}_{axis}_stride": size for n in ("q", "k", "v", "o") for axis, size in
               (("row", unit), ("head", CARRY + unit), ("batch", 7 * CARRY + 4 * unit))}
    strides |= {"lse_head_stride": most * 4, "lse_batch_stride": most * 16,
                "bias_head_stride": most * 4}
    yield Case(f"the last of {most} rows and keys", strides,
               {n: near(n, (most - 64) * 4) for n in ("lse", "bias")},
               rows={"q": most, "kv": most})


def start_cases(small):
    """Sequences that begin beyond 2^33 bytes, after others that do not run; the place
    in a head and that of the head carry when they are added."""
    unit = max(small.args[f"{n}_row_stride"] for n in "qkvo")
    most = (CARRY - 1 - unit) // unit // TILE * TILE
    starts = {}
    for side, used in small.lengths.items():
        behind = [n or most - 13 * i for i, n in enumerate(used)]
        starts[side] = [sum(behind[:i]) for i in range(len(behind) + 1)]
    strides = {f"{n}_{axis}_stride": size for n in "qkvo" for axis, size in
               (("row", unit), ("head", 0xF0000000))}
    strides["lse_head_stride"] = 3 * CARRY - 16
    yield Case(f"sequences that begin at row {starts['q'][-2]}", strides, starts=starts,
               lost="offset")


EVERYTHING = dict(lse="yes", bias="bhq", alibi="yes", sink="normal")
# (what differs from the defaults of axes.py, lengths of sequences, cases, whether they
# find every lost carry of the kernel)
GROUPS = [
    (dict(head="64/64", heads="6/3", batch="3", sq="50", sk="70", **EVERYTHING), None,
     (stride_cases, base_cases), True),
    (dict(head="128/64", heads="6/3", batch="5", sq="70", sk="70", q_len="varlen",
          kv_len="varlen", mask="causal", **EVERYTHING | {"bias": "bh"}),
     {"q": [70, 0, 0, 0, 33], "kv": [21, 0, 0, 0, 70]},
     (start_cases, stride_cases, base_cases), True),
    (dict(head="40/136", heads="4/2", batch="3", sq="40", sk="70", dtype="f16",
          out="f32", mask="causal", **EVERYTHING), None, (stride_cases,), False),
    (dict(head="64/64", heads="2/1", batch="2", sq="50", sk="70", q_len="padded",
          kv_len="padded", dtype="f16", out="f32", **EVERYTHING),
     {"q": [33, 50], "kv": [70, 41]}, (base_cases,), False),
    (dict(head="64/64", heads="2/1", batch="1", sq="128", sk="128", **EVERYTHING), None,
     (row_cases,), False),
    (dict(head="136/72", heads="1/1", batch="1", sq="77", sk="100", dtype="f16",
          out="f32", mask="causal", **EVERYTHING), None, (row_cases,), False),
    (dict(head="64/64", heads="4/2", batch="2", sq="256", sk="256", mask="window:64,3",
          lse="yes", bias="h", sink="normal"), None, (last_rows_cases,), False),
    (dict(head="64/64", heads="6/3", batch="3", sq="50", sk="70", dtype="fp8", mask="causal",
          **EVERYTHING), None, (stride_cases, base_cases), True),
]


def run_case(large):
    """The launch, and again with each tensor moved; says how many those are."""
    title = large.case.title
    problem = large.run()
    if problem:
        fail(title, problem)
    crossing = [n for n in large.parts if large.crosses(n)]
    if not crossing or not set(large.case.bases) <= set(crossing):
        fail(title, f"only {crossing} cross a multiple of 4 GiB")
    for name in crossing:
        if large.run(name) is None:
            fail(title, f"{name} may lie where a lost carry leads")
    return len(crossing)


def damages(code, instructions):
    """(instruction, its word damaged): each addition that takes a carry without it,
    each upper half of a product as 0."""
    for instruction in instructions:
        word, = struct.unpack_from("<I", code, instruction.offset)
        if instruction.mnemonic == "s_addc_u32":
            yield instruction, word & ~SOP2_OP  # s_add_u32
        elif instruction.mnemonic == "s_mul_hi_u32":
            yield instruction, S_MOV_B32_0 | word & SOP_DST


def check_damage(small, larges, llvm_bin):
    """Each kernel that loses a carry must be found; says how many those are."""
    path = small.code_object
    with open(path, "rb") as file:
        code = file.read()
    count = 0
    for instruction, word in damages(code, code_object.disassemble(llvm_bin, path)):
        damaged = bytearray(code)
        struct.pack_into("<I", damaged, instruction.offset, word)
        with open(path, "wb") as file:
            file.write(damaged)
        if not any(large.run() for large in larges):
            fail("a damaged kernel passes", instruction)
        count += 1
    if count == 0:
        fail(path, "no instruction to damage")
    return count


def run_group(small, make_cases, llvm_bin):
    """(launches, launches with a tensor moved, damaged kernels)."""
    larges, moves = [], 0
    for case in (case for make in make_cases for case in make(small)):
        folder = os.path.join(small.folder, f"case {len(larges)}")
        os.mkdir(folder)
        larges.append(Large(small, case, folder))
        moves += run_case(larges[-1])
    return len(larges), moves, check_damage(small, larges, llvm_bin) if llvm_bin else 0


# ===- Refusals ---------------------------------------------------------------===


def most_stride(count, row_bytes, tensor):
    """Of rows up to a multiple of a tile; V's up to the next."""
    rows_proven = round_up(count, TILE) + (TILE if tensor == "v" else 0)
    return (CARRY - 1 - row_bytes) // rows_proven // 16 * 16


def refuse(command, folder, *texts):
    """Ends the test unless the command exits with 3, says why and writes nothing."""
    outputs = [f"--{flag}={os.path.join(folder, flag)}" for flag in
               ("o", "lse-out", "save-launch")]
    result = subprocess.run([*command, *outputs], capture_output=True, text=True)
    spelt = f"{' '.join(command)}\n{result.stdout}{result.stderr}"
    if result.returncode != 3:
        fail(f"exit code {result.returncode}, expected 3", spelt)
    error = json.loads(result.stdout)["error"]
    for text in texts:
        if text not in error or text not in result.stderr:
            fail(f"the refusal does not say '{text}'", spelt)
    if os.listdir(folder):
        fail(f"refused, yet {os.listdir(folder)} written", spelt)


def check_refusals(fmhac, folder):
    """Bounds: the last stride that is proven runs, the next is refused; so is the row
    beyond the last."""
    count = 0
    for dtype, dim, out in (("bf16", 64, "same"), ("f16", 136, "f32"), ("fp8", 128, "same")):
        base = [fmhac, "run", "--json", "--threads=1", "--dtype", dtype, "--head-dim",
                str(dim), "--out-dtype", out, "--heads", "1",
                *(["--schedule", "generic_fp8"] if dtype == "fp8" else
                  axes.schedule_of(dim, dim))]
        for tensor in "qkvo":
            size = (4 if tensor == "o" and out == "f32" else
                    1 if tensor != "o" and dtype == "fp8" else 2)
            stride = most_stride(3, dim * size, tensor)
            command = [*base, "--seqlen-q", "2", "--seqlen-kv", "3",
                       f"--{tensor}-strides"]
            problem, _, _, stderr = rows.execute([*command, f"0,{stride // size},0"])
            if problem:
                fail(problem, f"{' '.join(command)} of {stride} bytes\n{stderr}")
            refuse([*command, f"0,{(stride + 16) // size},0"], folder,
                   f"tensor {tensor}: row stride {stride + 16} bytes",
                   f"at most {stride} bytes", str(CARRY))
            count += 2
        for side, unit in (("q", dim * (4 if out == "f32" else 2)),
                           ("kv", dim * (1 if dtype == "fp8" else 2))):
            most = (CARRY - 1 - unit) // unit // TILE * TILE
            other = "kv" if side == "q" else "q"
            refuse([*base, f"--seqlen-{side}", str(most + 1), f"--seqlen-{other}", "1"],
                   folder, f"{most + 1} rows of stride {unit} bytes",
                   f"at most {most} rows fit", str(CARRY))
            count += 1
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    slices.add_argument(parser)
    options = parser.parse_args()
    slices.tell(options)
    abi, counts = read_abi(), [0, 0, 0]
    for changes, lengths, make_cases, with_damage in options.slice.of(GROUPS):
        with tempfile.TemporaryDirectory() as folder:
            row = axes.with_defaults(**changes)
            small = Small(options.fmhac, abi, folder, row, lengths)
            found = run_group(small, make_cases, options.llvm_bin * with_damage)
            counts = [x + y for x, y in zip(counts, found)]
    with tempfile.TemporaryDirectory() as folder:
        bounds = check_refusals(options.fmhac, folder)
    print(f"{counts[0]} launches of tensors beyond 4 GiB give the bytes of small ones; "
          f"{counts[1]} with a tensor where lost carries lead do not, nor do "
          f"{counts[2]} kernels that lose one; {bounds} runs at and beyond the proven "
          f"bounds")


if __name__ == "__main__":
    main()
