# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every wait, barrier, wait state and LDS offset of compiled attention kernels, damaged in
the binary, one at a time: the checkers find each damage that matters.

  wait     s_waitcnt becomes s_nop 0; each of its counts that waits is raised by one
  barrier  s_barrier becomes s_nop 0
  nop      s_nop N becomes s_nop N-1; an s_nop 0 goes after the instruction it protects
  lds      the offset of a ds_read or ds_write, or of a load direct to LDS, by 16 bytes
  page     a load of lengths or of the numbers of pages becomes s_nop 0, reads the number
           after its own, or moves behind the wait for it

A mutant is found if a run with --check=all has a finding or cannot go on, if the static
checker has one, or if the output differs from that of the kernel as it was. What is not
found must be equivalent, which something else decides:

  * waits, barriers, offsets: the same bytes in runs without any check in which data lands
    as late, as early and as randomly as the waits allow, under many orders of waves
    (mutants_equivalence.py tests that; LDS writes take place at once in any run, so that a
    wait for those alone is found by the race checker or not at all);
  * wait states, of which the emulator's results do not depend: LLVM separates the write of
    a mask of lanes from v_cndmask and the like that read it; the CDNA4 ISA, table 11, wants
    none there. It also separates a conversion that writes half a register from any asm
    statement; those of ours, which keep reads on their side of a barrier, have no
    instructions. Such a state is where nothing that comes next has the register, and
    without it the second witness (wait_states.py) finds no pair that is short. And it takes
    op_sel_hi of packed f32 for the op_sel with which a result is half a register, and
    separates it from its reader; the second witness has no such pair. And it separates loads,
    scalar or not, where one overwrites an address of theirs: where memory may be paged in (XNACK), they
    are issued again together (GCNHazardRecognizer.cpp, soft clauses), which no run does.

--full adds kernels, --verbose names the mutants that are equivalent.
"""
import argparse
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pages

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import code_object  # noqa: E402
import slices  # noqa: E402
import wait_states  # noqa: E402

KERNELS = ["--schedule generic --mask causal",
           "--schedule generic --head-dim 64 --dtype f16 --mask window:40,10 --lse",
           "--schedule generic_fp8 --dtype fp8 --mask causal",
           "--schedule dualwave_fp8 --dtype fp8 --mask window:40,10",
           # A page a tile, and several.
           "--schedule generic --mask causal --page-size 64 TABLE",
           "--schedule dualwave --mask causal --page-size 64 TABLE",
           "--schedule generic_fp8 --dtype fp8 --mask none --page-size 16 LIST",
           # Addresses in lanes.
           "--schedule generic --mask none --page-size 1 LIST"]
MORE_KERNELS = [
    "--schedule generic --mask none", "--schedule generic --mask chunked:64 --out-dtype f32",
    "--schedule generic --mask causal-top-left", "--schedule generic --head-dim 8",
    "--head-dim-qk 192 --head-dim-v 128", "--head-dim 256", "--head-dim 256 --alibi --lse",
    "--schedule generic --head-dim-qk 72 --head-dim-v 40 --alibi",
    "--schedule generic --dtype f16 --mask causal --softcap 20 --lse",
    "--schedule dualwave_fp8 --dtype fp8 --mask none --lse",
    "--schedule dualwave_fp8 --dtype fp8 --head-dim 64 --mask chunked:64 --out-dtype f32",
    "--schedule generic_fp8_n32 --dtype fp8 --head-dim-qk 208 --head-dim-v 48 --alibi --lse",
    "--schedule dualwave_fp8_d64 --dtype fp8 --head-dim 64 --mask causal",
    "--schedule dualwave_fp8_d192 --dtype fp8 --head-dim-qk 192 --head-dim-v 128 --mask none",
    "--schedule dualwave_fp8_d256 --dtype fp8 --head-dim 256 --mask none",
    "--schedule dualwave_kv8 --q-dtype bf16 --k-dtype fp8 --v-dtype fp8 --mask none",
    "--schedule generic --q-dtype f16 --k-dtype bf8 --v-dtype fp8 --mask causal",
    "--schedule dualwave_q8 --quantize-q --q-dtype bf16 --k-dtype fp8 --v-dtype fp8 --mask causal",
    "--schedule generic_fp8 --quantize-q --q-dtype f16 --k-dtype bf8 --v-dtype fp8 --mask none --lse",
    "--schedule dualwave --mask none --page-size 16 LIST",
    "--schedule dualwave --mask none --page-size 1 TABLE",
    "--schedule dualwave_fp8 --dtype fp8 --mask window:40,10 --page-size 128 LIST",
    "--schedule dualwave_fp8 --dtype fp8 --mask none --page-size 1 TABLE",
]
# Waves that divide the keys, and add up their parts through LDS: two tiles of rows of six heads.
DECODE = "--heads 6 --kv-heads 1 --seqlen-q 5"
KERNELS += [f"--schedule decode --mask causal --lse {DECODE}"]
MORE_KERNELS += [
    f"--schedule decode_fp8 --dtype fp8 --mask window:40,10 {DECODE}",
    f"--schedule decode --mask none --page-size 16 LIST {DECODE}",
    f"--schedule decode_wide --head-dim 256 --mask causal {DECODE}",
    "--schedule decode_fp8 --quantize-q --q-dtype bf16 --k-dtype fp8 --v-dtype fp8 --mask none "
    f"--page-size 1 TABLE {DECODE}",
    "--schedule generic_latent --head-dim-qk 576 --head-dim-v 512 --v-in-k --mask causal "
    f"{DECODE}",
]
# Of the others: two workgroups, waves with and without rows, several tiles of keys, lengths
# that end in one.
KEYS = 330
PROBLEM = ["--heads", "1", "--kv-heads", "1", "--seqlen-q", "290", "--seqlen-kv", str(KEYS)]
LANDINGS = ["late", "early", "random:1", "random:2", "after:8:3"]
SCHEDS = ["rr:1", "rr:4", "rr:256", "until-blocked", "random:1", "random:2"]
KINDS = ["wait", "barrier", "nop", "lds", "page"]
# Of kernels that look pages up, without --full: the rest is that of others.
PAGED_KINDS = ["wait", "page"]
VM_MOST, LGKM_MOST = 63, 15
S_NOP, = struct.unpack("<I", code_object.S_NOP)
LDS_SHIFT_BYTES = 16
REACH = 24  # instructions before a damaged one that are looked at; no rule reaches farther
LLVM_MASK_STATES = 2
# Vector instructions whose results have rules beside that, and the most states any of them
# asks for (CDNA4 ISA, tables 11 and 38); the first that fits.
SLOW = [(("v_mfma_f32_16x16x32_",), 8), (("v_mfma_f32_32x32x16_",), 12),
        (("v_mfma", "v_smfmac"), 20),
        (("v_exp", "v_log", "v_rcp", "v_rsq", "v_sqrt", "v_sin", "v_cos", "v_permlane"), 2),
        (("v_dot", "v_cvt_s", "v_cvt_pk_fp8", "v_cvt_pk_bf8"), 3)]


def word_at(data, offset):
    return struct.unpack_from("<I", data, offset)[0]


def patched(data, offset, *words):
    raw = struct.pack(f"<{len(words)}I", *words)
    return data[:offset] + raw + data[offset + len(raw):]


def wait_mutants(data, at):
    """CDNA3 ISA 12.5: vmcnt in bits 15:14 and 3:0, lgkmcnt in 11:8."""
    word = word_at(data, at.offset)
    vm, lgkm = word & 15 | word >> 10 & 0x30, word >> 8 & 15
    yield "removed", patched(data, at.offset, S_NOP)
    for name, v, l in (("vmcnt+1", vm + 1, lgkm), ("lgkmcnt+1", vm, lgkm + 1)):
        if v <= VM_MOST and l <= LGKM_MOST:
            yield name, patched(data, at.offset, word & ~0xCF0F | v & 15
                                | (v >> 4) << 14 | l << 8)


def nop_mutants(data, at, behind):
    word = word_at(data, at.offset)
    if word & 15:
        yield "one state less", patched(data, at.offset, word - 1)
    elif behind:
        body = data[behind.offset:behind.offset + behind.size]
        yield "behind", (data[:at.offset] + body + data[at.offset:at.offset + 4]
                         + data[behind.offset + behind.size:])


def lds_mutants(data, at):
    """CDNA4 ISA 13: DS has 16 bits of offset, of which forms with two places take 8 for
    the first, in elements; buffer instructions have 12, those with addresses of lanes 13,
    of which one is the sign."""
    word = word_at(data, at.offset)
    two = re.match(r"ds_(?:read|write)2(st64)?_b(\d+)", at.mnemonic)
    most = 0xFF if two else 0xFFFF if at.mnemonic.startswith("ds_") else 0xFFF
    unit = int(two[2]) // 8 * (64 if two[1] else 1) if two else 1
    shift = max(LDS_SHIFT_BYTES // unit, 1)
    if (word & most) + shift > most:
        shift = -shift
    yield f"offset {shift * unit:+}", patched(data, at.offset, word + shift)


def is_look_up(at):
    """Whether it loads 4 bytes of a list: arguments are at s[0:1]."""
    return bool(re.match(r"s_load_dword s\d+, s\[(?!0:1\])", at.text)
                or re.match(r"buffer_load_dword v\d+, ", at.text))


def page_mutants(data, instructions, i):
    """CDNA4 ISA 13: the offset of SMEM, of 21 bits, is in the second word, that of MUBUF, of
    12, in the first."""
    at = instructions[i]
    scalar = at.mnemonic.startswith("s_")
    yield "removed", patched(data, at.offset, S_NOP, S_NOP)
    place = at.offset + (4 if scalar else 0)
    yield "next number", patched(data, place, word_at(data, place) + 4)
    later = 0  # loads of the same counter, which return in order if they are no scalar ones
    for after in instructions[i + 1:]:
        if after.mnemonic.startswith(("s_cbranch", "s_branch", "s_endpgm")):
            return
        later += after.mnemonic.startswith(("buffer_", "global_")) and not scalar
        count = re.search(r"lgkmcnt\((\d+)\)" if scalar else r"vmcnt\((\d+)\)", after.text)
        if after.mnemonic == "s_waitcnt" and count and int(count[1]) <= later:
            end = after.offset + after.size
            yield "behind its wait", (data[:at.offset] + data[at.offset + at.size:end]
                                      + data[at.offset:at.offset + at.size] + data[end:])
            return


def mutants(data, instructions):
    """(kind, instruction, what, bytes, the instructions around it)"""
    ends = [i for i, x in enumerate(instructions) if x.mnemonic == "s_endpgm"]
    for i, at in enumerate(instructions[:ends[-1] + 1]):
        around = instructions[max(0, i - REACH):i + 4]
        if at.mnemonic == "s_waitcnt":
            made = [("wait", *m) for m in wait_mutants(data, at)]
        elif at.mnemonic == "s_barrier":
            made = [("barrier", "removed", patched(data, at.offset, S_NOP))]
        elif at.mnemonic == "s_nop":
            made = [("nop", *m) for m in nop_mutants(data, at, instructions[i + 1])]
        elif re.match(r"ds_(read|write)(_u|_i)?_?b?\d|global_load_lds_", at.mnemonic) or (
                at.mnemonic.startswith("buffer_load") and at.text.endswith(" lds")):
            made = [("lds", *m) for m in lds_mutants(data, at)]
        elif is_look_up(at):
            made = [("page", *m) for m in page_mutants(data, instructions, i)]
        else:
            continue
        for kind, what, changed in made:
            yield kind, at, what, changed, around


class Bench:
    """A saved launch that is run again and again with other code."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        with open(os.path.join(folder, "LAUNCH.json")) as file:
            self.launch = json.load(file)
        self.path = os.path.join(folder, self.launch["code_object"])
        with open(self.path, "rb") as file:
            self.data = file.read()

    def copy(self, data, name):
        folder = f"{self.folder}.{name}"
        shutil.copytree(self.folder, folder)
        with open(os.path.join(folder, self.launch["code_object"]), "wb") as file:
            file.write(data)
        return folder

    def run(self, folder, *flags):
        """Exit code, findings, output bytes."""
        done = subprocess.run(
            [self.options.fmhac, "emu", "--json", "LAUNCH.json", "--threads=1",
             "--max-instructions=20000000", *flags], cwd=folder, capture_output=True,
            text=True)
        if done.returncode not in (0, 1, 4):
            raise RuntimeError(f"exit code {done.returncode}: {done.stderr}")
        if done.returncode == 4:
            return 4, [], None
        out = []
        for buffer in self.launch["buffers"].values():
            if "out" in buffer:
                with open(os.path.join(folder, buffer["out"]), "rb") as file:
                    out.append(file.read())
        return done.returncode, json.loads(done.stdout)["findings"], out

    def static(self, folder):
        done = subprocess.run(
            [self.options.fmhac, "inspect", "--waits", "--json",
             self.launch["code_object"]], cwd=folder, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"exit code {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)["findings"]


def registers(text):
    """Files and numbers of the v, a and s registers that an operand, or several, name."""
    found = set()
    for file, one, first, last in re.findall(
            r"\b([vas])(?:(\d+)\b|\[(\d+):(\d+)\])", text):
        found |= {(file, n) for n in range(int(one or first), int(one or last) + 1)}
    return found


def vector_registers(text):
    return {(file, n) for file, n in registers(text) if file != "s"}


def mask_hazard(around, at):
    """The s_nop serves nothing but LLVM's two states between a vector instruction that
    writes a mask of lanes and the next instruction, which reads it as such: without the
    damaged state there are fewer, and the reader takes nothing from an instruction that
    has a rule of its own."""
    i = around.index(at)
    reader = around[i + 1]
    if not reader.mnemonic.startswith(
            ("v_cndmask", "v_addc", "v_subb", "v_addc_co", "v_subb_co")):
        return False
    operands = reader.text.split(None, 1)[1]
    mask = operands.split(",")[-1].strip()
    states = int(at.text.split()[1])  # one less than it has
    for writer in reversed(around[:i]):
        if states >= LLVM_MASK_STATES:
            return False
        parts = writer.text.split(None, 1)
        if len(parts) > 1 and writer.mnemonic.startswith("v_") and any(
                p.strip() == mask for p in parts[1].split(",")[:2]):
            break
        states += int(parts[1]) + 1 if writer.mnemonic == "s_nop" else 1
    else:
        return False
    read, states = vector_registers(operands.split(",", 1)[1]), int(at.text.split()[1])
    for x in reversed(around[:i]):
        needs = next((n for names, n in SLOW if x.mnemonic.startswith(names)), 0)
        if states < needs and read & vector_registers(
                x.text.split(None, 1)[1].split(",")[0]):
            return False
        states += int(x.text.split()[1]) + 1 if x.mnemonic == "s_nop" else 1
    return True


def asm_hazard(bench, folder, around, at):
    """The s_nop serves nothing but an asm statement without instructions after a conversion
    into half a register."""
    i = around.index(at)
    writer, reader = around[i - 1], around[i + 1]
    if not re.match(r"v_cvt_pk_(fp8|bf8)_", writer.mnemonic) or "op_sel" not in writer.text:
        return False
    written = vector_registers(writer.text.split(None, 1)[1].split(",")[0])
    if written & vector_registers(reader.text):
        return False
    path = os.path.join(folder, bench.launch["code_object"])
    return not wait_states.scan(bench.options.llvm_bin, path).findings


def packed_hazard(bench, folder, around, at):
    """The s_nop serves nothing but a result of two f32 and the next instruction, which reads
    it."""
    i = around.index(at)
    writer, reader = around[i - 1], around[i + 1]
    if not re.match(r"v_pk_(add|mul|fma)_f32", writer.mnemonic):
        return False
    written = vector_registers(writer.text.split(None, 1)[1].split(",")[0])
    if not written & vector_registers(reader.text.split(None, 1)[1].split(",", 1)[1]):
        return False
    path = os.path.join(folder, bench.launch["code_object"])
    return not wait_states.scan(bench.options.llvm_bin, path).findings


def clause_hazard(bench, folder, around, at):
    """The s_nop serves nothing but loads that would be issued again together, where one
    overwrites an address of theirs."""
    i = around.index(at)
    prefixes = (("s_load_", "s_buffer_load_") if around[i + 1].mnemonic.startswith("s_") else
                ("buffer_load_", "global_load_"))

    def is_load(x):
        return x.mnemonic.startswith(prefixes)

    first = i
    while first and is_load(around[first - 1]):
        first -= 1
    if first == i or not is_load(around[i + 1]):
        return False
    results, addresses = set(), set()
    for x in around[first:i] + [around[i + 1]]:
        result, address = x.text.split(None, 1)[1].split(",", 1)
        results |= registers(result)
        addresses |= registers(address)
    path = os.path.join(folder, bench.launch["code_object"])
    return bool(results & addresses) and not wait_states.scan(bench.options.llvm_bin,
                                                              path).findings


def equivalent(bench, folder, good):
    """Without a checker: the same bytes whenever data lands and however waves take
    turns."""
    for landing in LANDINGS:
        for sched in SCHEDS:
            code, _, out = bench.run(folder, "--check=none", f"--landing={landing}",
                                     f"--sched={sched}")
            if code != 0 or out != good:
                return False
    return True


def judge(bench, good, mutant, number):
    """Which checkers found it ("" if none), and what it is otherwise."""
    kind, at, what, data, around = mutant
    folder = bench.copy(data, str(number))
    try:
        code, findings, out = bench.run(folder, "--check=all")
        by = sorted({f["check"] for f in findings} | ({"stops"} if code == 4 else set()))
        if kind in ("wait", "nop") and bench.static(folder):
            by.append("static")
        if not by and out != good:
            by = ["output"]
        if by:
            return ",".join(by), None
        if kind == "nop":
            return "", ("mask" if mask_hazard(around, at) else
                        "asm" if asm_hazard(bench, folder, around, at) else
                        "packed" if packed_hazard(bench, folder, around, at) else
                        "clause" if clause_hazard(bench, folder, around, at) else "missed")
        return "", "equivalent" if equivalent(bench, folder, good) else "missed"
    finally:
        shutil.rmtree(folder)


def mutate(options, name, table):
    with tempfile.TemporaryDirectory() as top:
        folder = os.path.join(top, "launch")
        flags = pages.flags_of(name, KEYS, top)
        subprocess.run([options.fmhac, "run", *PROBLEM, *flags, "--no-compare",
                        "--save-launch", folder], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        bench = Bench(options, folder)
        code, findings, good = bench.run(folder, "--check=all")
        if code != 0 or findings:
            sys.exit(f"FAIL: {name}: findings without any damage: {findings}")
        every = list(mutants(bench.data,
                             code_object.disassemble(options.llvm_bin, bench.path)))
        kinds = PAGED_KINDS if "--page-size" in flags and not options.full else KINDS
        table.update((kind, table.get(kind, {})) for kind in kinds)
        made = [m for kind in kinds for m in options.slice.of(
            m for m in every if m[0] == kind)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = list(pool.map(lambda x: judge(bench, good, x[1], x[0]),
                                    enumerate(made)))
    missed = 0
    for (kind, at, what, *_), (by, otherwise) in zip(made, answers):
        row = table[kind]
        key = "found" if by else otherwise
        row[key] = row.get(key, 0) + 1
        for checker in by.split(",") if by else []:
            row[checker] = row.get(checker, 0) + 1
        missed += otherwise == "missed"
        if otherwise == "missed" or (options.verbose and not by):
            print(f"{name}: {at} {what}: {otherwise}", flush=True)
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--full", action="store_true", help="more kernels")
    slices.add_argument(parser)
    parser.add_argument("--kernel", action="append", help="flags of `fmhac run` instead")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.fmhac = os.path.abspath(options.fmhac)  # runs in other folders
    slices.tell(options)
    table, missed = {}, 0
    for name in options.kernel or KERNELS + (MORE_KERNELS if options.full else []):
        missed += mutate(options, name, table)
    columns = ["found", "equivalent", "mask", "asm", "packed", "clause", "missed", "mem", "sync",
               "wait", "race", "init", "hazard", "static", "output", "stops"]
    print("kind     " + "  ".join(columns))
    for kind, row in table.items():
        print(kind.ljust(7), *(str(row.get(c, 0)).rjust(len(c) + 1) for c in columns))
        if not row.get("found") and options.slice.parts == 1:
            sys.exit(f"FAIL: no mutant of {kind} was found")
    if not any(row.get("found") for row in table.values()):
        sys.exit("FAIL: no mutant was found")
    if missed:
        sys.exit(f"FAIL: {missed} mutants that matter were not found")


if __name__ == "__main__":
    main()
