# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pairs of instructions of gfx950 code objects that stand closer than the hardware allows.

    wait_states.py --llvm-bin DIR OBJECT...

The code is disassembled by llvm-objdump. From each instruction that asks for distance every
path is walked forward: an issued instruction is one wait state, s_nop N is N+1, a branch
is one whether it is taken or not, and what a taken branch jumps over is none. Both sides of
a conditional branch are walked. Prints each pair that is short: places, instructions,
states found and required, the rule and where it is from.

The rules are written down below from public documents alone, and share nothing with the
checks of the product: this is their second witness. Where documents disagree, hardware
outranks a merged change of LLVM, which outranks the ISA guide, which outranks LLVM 22.

Exit code 0: none is short. 1: some are. 2: an instruction that no table has, or a branch
that cannot be followed; nothing is said then of the rest.
"""
import argparse
import bisect
import collections
import re
import sys

import code_object
import gfx950_operands
from gfx950_operands import UnknownInstruction, is_vector

TABLE_11 = "CDNA4 ISA guide, 4.5, table 11"
TABLE_38 = "CDNA4 ISA guide, 7.6, table 38"
Rule = collections.namedtuple("Rule", "name states source")


def by_passes(name, states, source):
    """Of instructions of 2, 4, 8 and 16 passes; None where there are none."""
    return {passes: Rule(f"{name} ({passes} passes)", s, source)
            for passes, s in zip((2, 4, 8, 16), states) if s is not None}


# ===- Matrix instructions ----------------------------------------------------===

XDL_TO_A_OR_B = by_passes("MFMA result read as A, B or scale", (5, 8, 12, 20),
                          TABLE_38 + "; LLVM PR 126732")
XDL_TO_REST = by_passes("MFMA result read or overwritten", (5, 8, 12, 20),
                        TABLE_38 + "; LLVM PR 126132")
XDL_TO_SAME_C = by_passes("MFMA result read as all of C by the same opcode", (2, 0, 0, 0),
                          TABLE_38)
XDL_TO_C_OF_XDL = by_passes("MFMA result read as a part of C", (4, 6, 10, 18),
                            TABLE_38 + "; LLVM PR 117263")
XDL_TO_C_OF_SGEMM = by_passes("MFMA result read as C of an f32 MFMA", (3, 6, 10, 18),
                              TABLE_38 + "; LLVM PR 117285")
# What the guide calls exactly the same C holds for a chain of one opcode only.
OTHER_OPCODE_C = by_passes("MFMA result read as C by another opcode", (4, 6, 10, 18),
                           "LLVM PR 218363, with the states of " + TABLE_38)
# None that multiplies f32 has 4 passes.
SGEMM_TO_REST = by_passes("result of an f32 MFMA read or overwritten", (4, None, 10, 18),
                          TABLE_38)
SGEMM_TO_SAME_C = by_passes("result of an f32 MFMA read as all of C", (2, None, 0, 0),
                            TABLE_38)
SGEMM_TO_C = by_passes("result of an f32 MFMA read as a part of C", (2, None, 8, 16),
                       TABLE_38)
C_OVERWRITTEN = by_passes("C of an MFMA overwritten", (1, 3, 7, 15), TABLE_38)
VALU_TO_MFMA = Rule("vector register written, then read by an MFMA", 2, TABLE_38)
CMPX_TO_MFMA = Rule("EXEC written by v_cmpx, then an MFMA", 4, TABLE_38)
DOT_TO_A_OR_B = Rule("result of a dot product read as A or B", 3, TABLE_38)
DOT_TO_REST = Rule("result of a dot product used by another opcode", 3, TABLE_38)

# ===- Everything else --------------------------------------------------------===

SETREG_SAME = Rule("s_setreg, then s_getreg or s_setreg of that register", 2, TABLE_11)
VSKIP_GETREG = Rule("s_setreg of MODE.vskip, then a vector instruction", 2, TABLE_11)
M0_TO_LDS = Rule("M0 written, then an LDS access that adds it", 1, TABLE_11)
M0_TO_MESSAGE = Rule("M0 written, then s_sendmsg", 1, TABLE_11)
ZERO_FLAGS = Rule("VCC or EXEC written, then VCCZ or EXECZ read as a value", 5, TABLE_11)
LANE_SELECT = Rule("scalar register written, then it selects a lane", 4, TABLE_11)
DIV_FMAS = Rule("VCC written, then v_div_fmas", 4, TABLE_11)
SGPR_TO_VMEM = Rule("scalar register written by a vector instruction, then read by a "
                    "vector memory instruction", 5, TABLE_11)
SGPR_TO_VALU = Rule("scalar register written by a vector instruction, then read as a value "
                    "by another", 2, TABLE_11)
CMPX_TO_CONSTANT = Rule("EXEC written by a vector instruction, then read as a value", 2,
                        TABLE_11)
CMPX_TO_LANE = Rule("EXEC written by a vector instruction, then v_readlane, "
                    "v_readfirstlane or v_writelane", 4, TABLE_11)
CMPX_TO_PERMLANE = Rule("EXEC written by v_cmpx, then v_permlane", 4, TABLE_11)
EXEC_TO_DPP = Rule("EXEC written by a vector instruction, then DPP", 5, TABLE_11)
VGPR_TO_DPP = Rule("vector register written, then read through DPP", 2, TABLE_11)
# The guide names v_readlane; LLVM 22 asks it of v_readfirstlane, too.
VGPR_TO_LANE = Rule("vector register written, then read by v_readlane", 1,
                    TABLE_11 + "; LLVM 22")
VGPR_TO_PERMLANE = Rule("vector register written, then read by v_permlane", 2,
                        TABLE_11 + "; LLVM PR 117287")
# Also overwritten: the parity of what is kept is read (LLVM PR 100276).
PARTIAL = Rule("part of a vector register written (op_sel, SDWA, conversions), then used", 1,
               TABLE_11 + "; LLVM PR 100276, 117844, 118589, 140218")
TRANS_RESULT = Rule("transcendental result read by another kind of vector instruction", 1,
                    TABLE_11)
# On hardware (MI350X) one state is needed with a register as soffset, where the guide wants
# none; without one, two.
STORE_VALU_REGISTER = Rule("data of a wide store with a register as soffset overwritten", 1,
                           "LLVM PR 197267")
STORE_VALU = Rule("data of a wide store overwritten by a vector instruction", 2,
                  TABLE_11 + "; LLVM PR 197267")
STORE_OTHER = Rule("data of a wide store overwritten", 1, TABLE_11)

LANE_ACCESS = {"v_readlane_b32", "v_readfirstlane_b32", "v_writelane_b32"}
EXEC = gfx950_operands.registers("exec")
VCC = gfx950_operands.registers("vcc")
SCALAR_REACH, VECTOR_REACH, STORE_REACH, SETREG_REACH, M0_REACH = 5, 3, 2, 2, 1


def is_vector_instruction(op):
    return op.kind in ("valu", "mfma")


def reach(op):
    """The most states that any rule asks for after this instruction."""
    if op.kind == "mfma":
        rules = XDL_TO_REST if op.mfma_type == "xdl" else SGEMM_TO_REST
        return rules[op.passes].states
    if op.kind == "valu":
        if any(not is_vector(r) for r in op.writes):
            return SCALAR_REACH
        return VECTOR_REACH if op.writes else 0
    if op.store_data:
        return STORE_REACH
    if op.kind == "setreg":
        return SETREG_REACH
    return M0_REACH if op.kind == "salu" and "m0" in op.writes else 0


def rules_after_mfma(first, second, result):
    passes = first.passes
    is_xdl = first.mfma_type == "xdl"
    if second.kind == "mfma":
        if second.a_and_b & result:
            yield (XDL_TO_A_OR_B if is_xdl else SGEMM_TO_REST)[passes]
        if second.c & result:
            is_same = second.c == first.writes == result
            # The opcodes of LLVM PR 218363 hold how many bits the types of f8f6f4 have.
            same_opcode = (second.name, second.widths) == (first.name, first.widths)
            if is_same and same_opcode:
                yield (XDL_TO_SAME_C if is_xdl else SGEMM_TO_SAME_C)[passes]
            elif not is_xdl:
                if second.mfma_type == "sgemm":
                    yield SGEMM_TO_C[passes]
            elif second.mfma_type == "sgemm":
                yield XDL_TO_C_OF_SGEMM[passes]
            else:
                yield (OTHER_OPCODE_C if is_same else XDL_TO_C_OF_XDL)[passes]
    elif second.kind == "valu" and (second.reads | second.writes) & result or (
            second.kind in ("vmem", "ds") and second.reads & result):
        yield (XDL_TO_REST if is_xdl else SGEMM_TO_REST)[passes]
    if second.kind == "valu" and second.writes & first.c:
        yield C_OVERWRITTEN[passes]


def rules_after_vector_write(first, second, result):
    """Of the vector registers that a vector instruction writes."""
    is_read = bool(second.reads & result)
    if first.is_dot:
        if second.name != first.name:
            if (second.reads | second.writes) & result:
                yield DOT_TO_REST
        elif second.a_and_b & result:
            yield DOT_TO_A_OR_B
    elif second.kind == "mfma" and is_read:
        yield VALU_TO_MFMA
    if second.kind != "valu":
        return
    if is_read and second.is_dpp:
        yield VGPR_TO_DPP
    if is_read and second.name.startswith("v_permlane"):
        yield VGPR_TO_PERMLANE
    if is_read and second.name in ("v_readlane_b32", "v_readfirstlane_b32"):
        yield VGPR_TO_LANE
    if is_read and first.is_trans and not second.is_trans:
        yield TRANS_RESULT
    if first.is_partial and (second.reads | second.writes) & result:
        yield PARTIAL


def rules_after_scalar_write(first, second, scalars):
    """Of the scalar registers that a vector instruction writes."""
    if second.kind == "vmem" and second.reads & scalars:
        yield SGPR_TO_VMEM
    if second.lane_select & scalars:
        yield LANE_SELECT
    if second.constants & (scalars - EXEC):
        yield SGPR_TO_VALU
    if second.name.startswith("v_div_fmas") and scalars & VCC:
        yield DIV_FMAS
    if scalars & VCC and "src_vccz" in second.constants or (
            scalars & EXEC and "src_execz" in second.constants):
        yield ZERO_FLAGS
    if not scalars & EXEC:
        return
    if second.constants & EXEC:
        yield CMPX_TO_CONSTANT
    if second.name in LANE_ACCESS:
        yield CMPX_TO_LANE
    if second.name.startswith("v_permlane"):
        yield CMPX_TO_PERMLANE
    if second.is_dpp:
        yield EXEC_TO_DPP
    if second.kind == "mfma":
        yield CMPX_TO_MFMA


def rules_between(first, second, result):
    """Rules that hold between the two; `result` is what the first wrote and no matrix
    instruction has written again."""
    if first.kind == "mfma":
        yield from rules_after_mfma(first, second, result)
    elif first.kind == "valu":
        yield from rules_after_vector_write(first, second, result)
        scalars = gfx950_operands.scalar_part(first.writes)
        if scalars:
            yield from rules_after_scalar_write(first, second, scalars)
    elif first.store_data & second.writes:
        if is_vector_instruction(second):
            yield STORE_VALU_REGISTER if first.has_register_offset else STORE_VALU
        elif not first.has_register_offset:
            yield STORE_OTHER
    elif first.kind == "setreg":
        if second.kind in ("getreg", "setreg") and second.hwreg == first.hwreg:
            yield SETREG_SAME
        if first.is_vskip and second.kind in ("valu", "mfma", "vmem", "ds"):
            yield VSKIP_GETREG
    elif first.kind == "salu" and "m0" in first.writes:
        if second.reads_m0_for_lds:
            yield M0_TO_LDS
        if second.kind == "sendmsg":
            yield M0_TO_MESSAGE


class Finding:
    def __init__(self, first, second, states, rule):
        self.first, self.second, self.states, self.rule = first, second, states, rule

    @property
    def lacking(self):
        return self.rule.states - self.states

    def __str__(self):
        return (f"{self.first.address:#x} '{self.first.text}' and {self.second.address:#x} "
                f"'{self.second.text}': {self.states} wait states, expected "
                f"{self.rule.states}: {self.rule.name} [{self.rule.source}]")


class Scan:
    """Of all code of a list of instructions (code_object.disassemble)."""

    def __init__(self, instructions):
        self.code = code_object.without_padding(instructions)
        if not self.code or self.code[-1].mnemonic not in ("s_endpgm", "s_branch"):
            raise UnknownInstruction("expected code that ends with s_endpgm or s_branch, found "
                                     f"{self.code[-1:]}")
        self.ops = []
        for i in self.code:
            try:
                self.ops.append(gfx950_operands.decode(i.text))
            except (UnknownInstruction, IndexError, ValueError) as problem:
                raise UnknownInstruction(f"{i.address:#x}: {problem}") from None
        self.next = self.successors()
        self.known = {}  # what rules_between takes -> the strictest of its rules, or None
        self.findings = [f for n in range(len(self.code)) for f in self.short_after(n)]

    def successors(self):
        addresses = [i.address for i in self.code]
        after = []
        for n, i in enumerate(self.code):
            name = i.mnemonic
            follows = [] if name in ("s_branch", "s_endpgm") else [n + 1]
            if name.startswith(("s_branch", "s_cbranch")):
                words = re.search(r"\s(\d+)$", i.text)
                if not words:
                    raise UnknownInstruction(f"{i.address:#x}: expected a branch over a number "
                                             f"of words, found '{i.text}'")
                words = int(words[1]) - (0x10000 if int(words[1]) >= 0x8000 else 0)
                target = i.address + i.size + 4 * words
                at = bisect.bisect_left(addresses, target)
                if at == len(addresses) or addresses[at] != target:
                    raise UnknownInstruction(
                        f"{i.address:#x}: expected '{i.text}' to lead to an instruction, "
                        f"found none at {target:#x}")
                follows.append(at)
            after.append(follows)
        return after

    def rule(self, *key):
        if key not in self.known:
            self.known[key] = max(rules_between(*key), default=None,
                                  key=lambda rule: rule.states)
        return self.known[key]

    def states_to(self, n, most):
        """(instruction within `most` states after the n-th, what is left of the result
        there) -> the fewest states between. Matrix instructions write in their order: one
        that overwrites a result is from then on the one that matters."""
        least, todo = {}, [(at, 0, self.ops[n].writes) for at in self.next[n]]
        while todo:
            at, states, left = todo.pop()
            if states >= most or least.get((at, left), most) <= states:
                continue
            least[at, left] = states
            op = self.ops[at]
            if op.kind == "mfma" and op.writes & left:
                left -= op.writes
            todo += [(after, states + op.states, left) for after in self.next[at]]
        return least

    def short_after(self, n):
        first = self.ops[n]
        most = reach(first)
        if not most:
            return
        worst = {}  # instruction -> what is short
        for (at, left), states in self.states_to(n, most).items():
            rule = self.rule(first, self.ops[at], left)
            if rule and states < rule.states and (
                    at not in worst or rule.states - states > worst[at].lacking):
                worst[at] = Finding(self.code[n], self.code[at], states, rule)
        yield from (worst[at] for at in sorted(worst))

    # ===- Counts ------------------------------------------------------------===

    def matrix_instructions(self):
        return sum(op.kind == "mfma" for op in self.ops)

    def wide_stores(self):
        """With a register as soffset; of those, overwritten in the next slot."""
        stores = [n for n, op in enumerate(self.ops)
                  if op.store_data and op.has_register_offset]
        return len(stores), sum(
            any(self.ops[at].writes & self.ops[n].store_data for at in self.next[n])
            for n in stores)


def scan(llvm_bin, path):
    return Scan(code_object.disassemble(llvm_bin, path))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("objects", nargs="+")
    options = parser.parse_args()
    short = 0
    for path in options.objects:
        try:
            found = scan(options.llvm_bin, path)
        except UnknownInstruction as problem:
            print(f"{path}: {problem}")
            return 2
        short += len(found.findings)
        for finding in found.findings:
            print(f"{path}: {finding}")
        print(f"{path}: {len(found.code)} instructions, {found.matrix_instructions()} matrix "
              f"instructions, {len(found.findings)} pairs short of wait states")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
