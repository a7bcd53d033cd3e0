# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds each row of passes/chip/matrix.def to LLVM: there is such an instruction, its operands
have the registers that its elements need, and the wait states that LLVM puts behind it for a
vector instruction that takes its result are four more than the passes of the row. A row of
FMHA_SPARSE_MATRIX has half the registers of A, and an index."""
import re
import subprocess
import sys

BITS = {"BF16": 16, "F16": 16, "FP8": 8, "BF8": 8}
LANES, REGISTER_BITS = 64, 32
FORMATS = {"FP8": 0, "BF8": 1}  # of cbsz (A) and blgp (B)


def rows(table, macro):
    pattern = rf'^{macro}\((\d+), (\d+), (\d+), +(\w+), +(\w+), +(\d+), +\d+, "(\w+)"\)'
    for m, n, k, a, b, passes, name in re.findall(pattern, table, re.M):
        yield int(m), int(n), int(k), a, b, int(passes), name


def call(m, n, k, a, b, name):
    """Types of the operands, the intrinsic, what follows the operands."""
    elements, results = m * k // LANES, m * n // LANES
    if name.endswith("f8f6f4"):
        words = elements * BITS[a] // REGISTER_BITS
        of = f"mfma.scale.f32.{name.replace('_', '.')}.v{words}i32.v{words}i32"
        return (f"<{words} x i32>", results, of,
                f"i32 {FORMATS[a]}, i32 {FORMATS[b]}, i32 0, i32 0, i32 0, i32 0")
    of = "mfma.f32." + name.replace("_", ".")
    half = {"BF16": "bfloat", "F16": "half"}
    operand = f"<{elements} x {half[a]}>" if a in half else f"i{elements * BITS[a]}"
    return operand, results, of, "i32 0, i32 0, i32 0"


def sparse_function(number, row):
    m, n, k, a, b, _, name = row
    words_a, words_b = (m * k * BITS[kind] // LANES // REGISTER_BITS for kind in (a, b))
    words_a //= 2
    result = f"<{m * n // LANES} x float>"
    return f"""define amdgpu_kernel void @row{number}(<{words_a} x i32> %a, <{words_b} x i32> %b, {result} %c, i32 %i, ptr addrspace(1) %p) {{
  %d = call {result} @llvm.amdgcn.smfmac.f32.{name.replace('_', '.')}(<{words_a} x i32> %a, <{words_b} x i32> %b, {result} %c, i32 %i, i32 0, i32 0)
  %e = extractelement {result} %d, i32 0
  %x = fadd float %e, 1.0
  store float %x, ptr addrspace(1) %p
  ret void
}}
"""


def function(number, row):
    operand, results, of, rest = call(*row[:5], row[6])
    result = f"<{results} x float>"
    return f"""define amdgpu_kernel void @row{number}({operand} %a, {operand} %b, {result} %c, ptr addrspace(1) %p) {{
  %d = call {result} @llvm.amdgcn.{of}({operand} %a, {operand} %b, {result} %c, {rest})
  %e = extractelement {result} %d, i32 0
  %x = fadd float %e, 1.0
  store float %x, ptr addrspace(1) %p
  ret void
}}
"""


def width(registers):
    first, last = re.fullmatch(r"[av]\[(\d+):(\d+)\]", registers).groups()
    return int(last) - int(first) + 1


def check(row, code, sparse):
    m, n, k, a, b, passes, name = row
    mnemonic = "v_smfmac_f32_" if sparse else "v_mfma_(?:f32_)?"
    at = re.search(rf"\t{mnemonic}(\S+) (\S+), (\S+), (\S+), (\S+)(.*)\n((?:\ts_nop \d+\n)*)", code)
    if not at or at.group(1) != name:
        return f"LLVM has {at.group(1) if at else 'none'}"
    want = [m * n // LANES] + [m * k * BITS[kind] // LANES // REGISTER_BITS for kind in (a, b)]
    want[1] //= 2 if sparse else 1
    found = [width(at.group(i)) for i in (2, 3, 4)]
    if found != want:
        return f"{want} registers, LLVM has {found}"
    formats = "".join(f" {key}:1" for key, kind in (("cbsz", a), ("blgp", b))
                      if name.endswith("f8f6f4") and kind == "BF8")
    if at.group(6).rstrip() != formats:
        return f"formats '{formats}', LLVM has '{at.group(6)}'"
    states = sum(int(n) + 1 for n in re.findall(r"s_nop (\d+)", at.group(7)))
    if states != passes + 4:
        return f"{passes} passes, LLVM waits {states} states for the result"
    return None


def main():
    llc, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    dense, sparse = list(rows(text, "FMHA_MATRIX")), list(rows(text, "FMHA_SPARSE_MATRIX"))
    table = dense + sparse
    module = "".join((function if i < len(dense) else sparse_function)(i, row)
                     for i, row in enumerate(table))
    run = subprocess.run([llc, "-mtriple=amdgcn-amd-amdhsa", "-mcpu=gfx950", "-o", "-"],
                         input=module, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(run.stderr)
    codes = re.findall(r"^row\d+:.*?s_endpgm", run.stdout, re.M | re.S)
    faults = [f"{row}: {fault}" for i, (row, code) in enumerate(zip(table, codes))
              if (fault := check(row, code, i >= len(dense)))]
    for fault in faults:
        print(fault)
    if faults or not table or len(codes) != len(table):
        sys.exit(1)
    keys = {row[:5] for row in dense}
    print(f"{len(dense)} rows, {len(keys)} keys, {len(sparse)} sparse, as LLVM has them")


main()
