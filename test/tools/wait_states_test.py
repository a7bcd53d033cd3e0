# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wait_states.py finds what is one wait state short, and nothing where none is.

    wait_states_test.py --llvm-bin DIR

A case is a first instruction, a second one, and the states that documents want between
them: CDNA4 ISA guide, tables 11 and 38, and merged changes of LLVM by their number. Each is
assembled twice, with one state less and with all of them. Every rule of wait_states.py must
have a case that finds it.
"""
import argparse
import os
import sys
import tempfile

import code_object
import commands
import wait_states

M2 = "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[32:33], v[34:35], {c}"
M4 = "v_mfma_f32_16x16x32_bf16 v[0:3], v[32:35], v[36:39], {c}"
M8 = "v_mfma_f32_32x32x16_bf16 v[0:15], v[32:35], v[36:39], {c}"
M16 = "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[32:33], v[34:35], {c}"
S2 = "v_mfma_f32_4x4x1_16b_f32 v[0:3], v32, v33, {c}"
S8 = "v_mfma_f32_16x16x4_f32 v[0:3], v32, v33, {c}"
S16 = "v_mfma_f32_32x32x2_f32 v[0:15], v32, v33, {c}"
S8_4 = "v_mfma_f32_16x16x1_4b_f32 v[0:15], v32, v33, {c}"
F8_WIDE = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[32:39], v[40:47], {c}"
F8_NARROW = F8_WIDE.replace("32:39", "32:35").replace("40:47", "40:43") + " cbsz:4 blgp:4"


def mfma(text, c="0"):
    return text.format(c=c)


# First, second, wait states, what the rule's name begins with.
CASES = []


def case(first, second, states, rule):
    CASES.append((first, second, states, rule))


# ===- Table 38 ----------------------------------------------------------------===

# 5, 8, 12, 20 states after 2, 4, 8, 16 passes, also LLVM PR 126132 and 126732.
for first, states in ((M2, 5), (M4, 8), (M8, 12), (M16, 20)):
    result = "MFMA result read or overwritten"
    case(mfma(first), "v_max_f32_e32 v60, v1, v61", states, result)
    case(mfma(first), "v_exp_f32_e32 v60, v3", states, result)
    case(mfma(first), "v_mov_b32_e32 v1, 0", states, result)
    case(mfma(first), "v_permlane32_swap_b32_e32 v2, v60", states, result)
    case(mfma(first), "ds_write_b32 v60, v1", states, result)
    case(mfma(first), "ds_read_b32 v60, v1", states, result)
    case(mfma(first), "buffer_store_dword v2, v60, s[0:3], 0 offen", states, result)
    case(mfma(first), "buffer_load_dword v61, v2, s[0:3], 0 offen", states, result)
    case(mfma(first), "global_store_dwordx2 v60, v[2:3], s[0:1]", states, result)
    read = "MFMA result read as A"
    case(mfma(first), "v_mfma_f32_16x16x32_f16 v[60:63], v[0:3], v[36:39], 0", states, read)
    case(mfma(first), "v_mfma_f32_16x16x32_f16 v[60:63], v[36:39], v[0:3], 0", states, read)
    case(mfma(first), "v_mfma_f32_16x16x4_f32 v[60:63], v60, v3, 0", states, read)
case(mfma(M4), "v_mfma_scale_f32_16x16x128_f8f6f4 v[60:63], v[32:39], v[40:47], 0, v2, v48",
     8, "MFMA result read as A")
# Cycles of table 28: 16 without a type of 8 bits, else 32.
case(mfma(F8_NARROW), "v_mov_b32_e32 v60, v1", 8, "MFMA result read or")
case(mfma(F8_WIDE), "v_mov_b32_e32 v60, v1", 12, "MFMA result read or")
case("v_mfma_f32_32x32x16_fp8_bf8 v[0:15], v[32:33], v[34:35], 0", "v_mov_b32_e32 v60, v1", 12,
     "MFMA result read or")
case("v_mfma_i32_32x32x32_i8 v[0:15], v[32:35], v[36:39], 0", "v_mov_b32_e32 v60, v1", 12,
     "MFMA result read or")
# C: a chain of one opcode on one tuple is free from 4 passes on.
for first, c, states in ((M2, "v[0:3]", 2), (M4, "v[0:3]", 0), (M8, "v[0:15]", 0),
                         (M16, "v[0:31]", 0)):
    case(mfma(first, c), mfma(first, c), states, "MFMA result read as all of C")
# A part of C, also LLVM PR 117263; f32, also LLVM PR 117285.
for first, states, f32_states in ((M2, 4, 3), (M4, 6, 6), (M8, 10, 10), (M16, 18, 18)):
    case(mfma(first), "v_mfma_f32_32x32x16_f16 v[48:63], v[32:35], v[36:39], v[2:17]", states,
         "MFMA result read as a part of C")
    case(mfma(first), "v_mfma_f32_32x32x2_f32 v[48:63], v32, v33, v[2:17]", f32_states,
         "MFMA result read as C of an f32")
case(mfma(M4), "v_mfma_f32_16x16x32_bf16 v[60:63], v[32:35], v[36:39], v[2:5]", 6,
     "MFMA result read as a part of C")
# Another opcode on the same tuple is a part (LLVM PR 218363).
case("v_mfma_f32_16x16x32_f16 v[0:3], v[32:35], v[36:39], 0",
     "v_mfma_f32_16x16x16_f16 v[0:3], v[32:33], v[36:37], v[0:3]", 6,
     "MFMA result read as C by another opcode")
case(mfma(M8), "v_mfma_f32_32x32x16_f16 v[0:15], v[32:35], v[36:39], v[0:15]", 10,
     "MFMA result read as C by another opcode")
case(mfma(M2), "v_mfma_f32_4x4x4_16b_bf16 v[0:3], v[32:33], v[34:35], v[0:3]", 4,
     "MFMA result read as C by another opcode")
case(mfma(M16), "v_mfma_f32_32x32x4_2b_bf16 v[0:31], v[32:33], v[34:35], v[0:31]", 18,
     "MFMA result read as C by another opcode")
case(mfma(F8_NARROW), mfma(F8_WIDE, "v[0:3]"), 6, "MFMA result read as C by another opcode")
F6 = F8_WIDE.replace("32:39", "32:37").replace("40:47", "40:45") + " cbsz:2 blgp:3"
case(mfma(F6), mfma(F8_NARROW, "v[0:3]"), 6, "MFMA result read as C by another opcode")
case(mfma(F8_WIDE), mfma(F8_WIDE + " cbsz:1", "v[0:3]"), 0, "")
SCALED = F8_WIDE.replace("v_mfma_", "v_mfma_scale_") + ", v48, v49"
case(mfma(F8_WIDE), mfma(SCALED, "v[0:3]"), 10, "MFMA result read as C by another opcode")
case("v_mov_b32_e32 v49, 0", mfma(SCALED), 2, "vector register written, then read by an MFMA")
case(mfma(F6), "v_mov_b32_e32 v60, v1", 8, "MFMA result read or")
case(mfma(F8_NARROW.replace(" cbsz:4", " cbsz:1").replace("32:35", "32:39")),
     "v_mov_b32_e32 v60, v1", 12, "MFMA result read or")
case(mfma("v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[32:37], v[40:43], {c} cbsz:2 blgp:4"),
     "v_mov_b32_e32 v60, v1", 12, "MFMA result read or")
case(mfma("v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[32:39], v[40:43], {c} blgp:4"),
     "v_mov_b32_e32 v60, v1", 20, "MFMA result read or")
# f32.
for first, c, chain, part, rest in ((S2, "v[0:3]", 2, 2, 4), (S8, "v[0:3]", 0, 8, 10),
                                    (S8_4, "v[0:15]", 0, 8, 10),
                                    (S16, "v[0:15]", 0, 16, 18)):
    case(mfma(first), mfma(first, c), chain, "result of an f32 MFMA read as all of C")
    case(mfma(first), "v_mfma_f32_32x32x2_f32 v[48:63], v32, v33, v[2:17]", part,
         "result of an f32 MFMA read as a part of C")
    case(mfma(first), "v_mov_b32_e32 v60, v1", rest, "result of an f32 MFMA read or over")
    case(mfma(first), "v_mov_b32_e32 v1, 0", rest, "result of an f32 MFMA read or over")
    case(mfma(first), "v_mfma_f32_16x16x32_f16 v[60:63], v[0:3], v[36:39], 0", rest,
         "result of an f32 MFMA read or over")
    case(mfma(first), "v_mfma_f32_32x32x16_f16 v[48:63], v[32:35], v[36:39], v[2:17]", 0, "")
# C overwritten.
for first, c, states in ((M2, "v[64:67]", 1), (M4, "v[64:67]", 3), (M8, "v[64:79]", 7),
                         (M16, "v[64:95]", 15)):
    case(mfma(first, c), "v_mov_b32_e32 v65, 0", states, "C of an MFMA overwritten")
    case(mfma(first), "v_mov_b32_e32 v32, 0", 0, "")  # A is not
case("v_mov_b32_e32 v33, 0", mfma(M8), 2, "vector register written, then read by an MFMA")
case("v_exp_f32_e32 v33, v0", mfma(M8), 2, "vector register written, then read by an MFMA")
case("v_mov_b32_e32 v66, 0", mfma(M8, "v[64:79]"), 2,
     "vector register written, then read by an MFMA")
case("v_cmpx_lt_f32_e32 vcc, v60, v61", mfma(M8), 4, "EXEC written by v_cmpx, then an MFMA")
DOT = "v_dot2c_f32_f16_e32 v0, v60, v61"
case(DOT, "v_dot2c_f32_f16_e32 v0, v62, v63", 0, "")
case(DOT, "v_dot2c_f32_f16_e32 v1, v0, v63", 3, "result of a dot product read as A")
case(DOT, "v_mov_b32_e32 v1, v0", 3, "result of a dot product used")
case(DOT, "v_mov_b32_e32 v0, 0", 3, "result of a dot product used")
case(DOT, "ds_write_b32 v1, v0", 3, "result of a dot product used")
case(DOT, "v_mfma_f32_16x16x32_f16 v[60:63], v[0:3], v[36:39], 0", 3,
     "result of a dot product used")

# ===- Table 11 ----------------------------------------------------------------===

MODE = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3"
case(MODE, "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)", 2, "s_setreg, then")
case(MODE, MODE, 2, "s_setreg, then")
case(MODE, "s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS)", 0, "")
case("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0", "v_mov_b32_e32 v0, 0", 2,
     "s_setreg of MODE.vskip")
case(MODE, "v_mov_b32_e32 v0, 0", 0, "")
case("s_mov_b32 m0, s0", "buffer_load_dwordx4 v0, s[0:3], 0 offen lds", 1, "M0 written, then an")
case("s_add_u32 m0, s0, s1", "global_load_lds_dwordx4 v[0:1], off", 1, "M0 written, then an")
case("s_mov_b32 m0, s0", "ds_read_addtid_b32 v0", 1, "M0 written, then an")
case("s_mov_b32 m0, s0", "s_sendmsg sendmsg(MSG_INTERRUPT)", 1, "M0 written, then s_send")
case("s_mov_b32 m0, s0", "ds_read_b32 v0, v1", 0, "")
COMPARE, COMPARE_S = "v_cmp_lt_f32_e32 vcc, v0, v1", "v_cmp_lt_f32_e64 s[4:5], v0, v1"
case(COMPARE, "v_mov_b32_e32 v2, src_vccz", 5, "VCC or EXEC written")
case("v_cmpx_lt_f32_e32 vcc, v0, v1", "v_mov_b32_e32 v2, src_execz", 5, "VCC or EXEC written")
case("v_readfirstlane_b32 s4, v0", "v_readlane_b32 s6, v1, s4", 4, "scalar register written, then")
case(COMPARE_S, "v_writelane_b32 v1, 5, s4", 4, "scalar register written, then")
case("s_mov_b32 s4, 0", "v_readlane_b32 s6, v1, s4", 0, "")
case(COMPARE, "v_div_fmas_f32 v2, v3, v4, v5", 4, "VCC written, then v_div_fmas")
case("v_div_scale_f32 v6, vcc, v7, v8, v7", "v_div_fmas_f32 v2, v3, v4, v5", 4,
     "VCC written, then v_div_fmas")
case("v_readfirstlane_b32 s4, v0", "buffer_load_dword v1, v2, s[4:7], 0 offen", 5,
     "scalar register written by a vector instruction, then read by a vector mem")
case("v_readfirstlane_b32 s8, v0", "buffer_load_dwordx4 v2, s[4:7], s8 offen lds", 5,
     "scalar register written by a vector instruction, then read by a vector mem")
case("v_readfirstlane_b32 s4, v0", "global_load_dword v1, v2, s[4:5]", 5,
     "scalar register written by a vector instruction, then read by a vector mem")
case("s_mov_b32 s4, 0", "global_load_dword v1, v2, s[4:5]", 0, "")
VALUE = "scalar register written by a vector instruction, then read as a value"
case("v_readfirstlane_b32 s4, v0", "v_add_u32_e32 v1, s4, v2", 2, VALUE)
case(COMPARE, "v_mov_b32_e32 v2, vcc_lo", 2, VALUE)
case("v_add_co_u32_e32 v0, vcc, v1, v2", "v_mov_b32_e32 v3, vcc_hi", 2, VALUE)
# As a carry or a mask of lanes: none.
case(COMPARE, "v_cndmask_b32_e32 v2, v3, v4, vcc", 0, "")
case(COMPARE_S, "v_cndmask_b32_e64 v2, v3, v4, s[4:5]", 0, "")
case("v_add_co_u32_e32 v0, vcc, v1, v2", "v_addc_co_u32_e32 v3, vcc, v4, v5, vcc", 0, "")
EXEC = "v_cmpx_lt_f32_e32 vcc, v0, v1"
case(EXEC, "v_mov_b32_e32 v2, exec_lo", 2, "EXEC written by a vector instruction, then read as")
case(EXEC, "v_readfirstlane_b32 s4, v2", 4, "EXEC written by a vector instruction, then v_read")
case(EXEC, "v_readlane_b32 s4, v2, 3", 4, "EXEC written by a vector instruction, then v_read")
case(EXEC, "v_writelane_b32 v2, s4, 3", 4, "EXEC written by a vector instruction, then v_read")
case(EXEC, "v_permlane16_swap_b32_e32 v2, v3", 4, "EXEC written by v_cmpx, then v_permlane")
case(EXEC, "v_mov_b32_dpp v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf", 5,
     "EXEC written by a vector instruction, then DPP")
case(EXEC, "v_mov_b32_e32 v2, v3", 0, "")
case("v_mov_b32_e32 v3, 0", "v_mov_b32_dpp v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf", 2,
     "vector register written, then read through DPP")
case("v_mov_b32_e32 v3, 0", "v_readlane_b32 s4, v3, 3", 1,
     "vector register written, then read by v_readlane")
case("v_mov_b32_e32 v3, 0", "v_readfirstlane_b32 s4, v3", 1,
     "vector register written, then read by v_readlane")
for swap in ("v_permlane16_swap_b32_e32", "v_permlane32_swap_b32_e32"):  # LLVM PR 117287
    for operands in ("v2, v3", "v3, v2"):
        case("v_mov_b32_e32 v3, 0", f"{swap} {operands}", 2,
             "vector register written, then read by v_permlane")
case("v_permlane32_swap_b32_e32 v3, v4", "v_permlane16_swap_b32_e32 v4, v5", 2,
     "vector register written, then read by v_permlane")
# LLVM PR 100276: read, or overwritten.
for part in ("v_cvt_pk_fp8_f32 v0, v1, v2 op_sel:[0,0,1]",
             "v_cvt_sr_fp8_f32 v0, v1, v2 op_sel:[0,0,1,0]",
             "v_fma_f16 v0, v1, v2, v3 op_sel:[0,0,0,1]",
             "v_mov_b32_sdwa v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD",
             # LLVM PR 117844
             "v_cvt_scalef32_pk_fp8_f32 v0, v1, v2, v3 op_sel:[0,0,0,1]",
             "v_cvt_scalef32_sr_bf8_f16 v0, v1, v2, v3 op_sel:[0,0,1,0]",
             "v_cvt_scalef32_pk_fp4_f16 v0, v1, v2 op_sel:[0,0,1,0]",
             "v_cvt_scalef32_f16_fp8 v0, v1, v2 op_sel:[0,0,1]",
             # whatever op_sel is: LLVM PR 118589, 140218
             "v_cvt_scalef32_sr_pk_fp4_f16 v0, v1, v2, v3",
             "v_cvt_scalef32_pk_fp8_f16 v0, v1, v2", "v_cvt_scalef32_pk_bf8_f16 v0, v1, v2",
             "v_cvt_scalef32_pk_fp8_bf16 v0, v1, v2", "v_cvt_scalef32_pk_bf8_bf16 v0, v1, v2",
             "v_cvt_scalef32_pk_bf8_bf16 v0, v1, v2 op_sel:[0,0,1]"):
    case(part, "v_mov_b32_e32 v4, v0", 1, "part of a vector register")
    case(part, "v_mov_b32_e32 v0, v4", 1, "part of a vector register")
    case(part, "v_cvt_pk_fp8_f32 v0, v4, v5", 1, "part of a vector register")  # keeps a half
    case(part, "ds_write_b32 v4, v0", 0, "")
for whole in ("v_cvt_pk_fp8_f32 v0, v1, v2", "v_cvt_scalef32_pk_fp8_f32 v0, v1, v2, v3",
              "v_cvt_scalef32_sr_fp8_f32 v0, v1, v2, v3", "v_cvt_scalef32_pk_fp4_f32 v0, v1, v2, v3",
              "v_cvt_scalef32_f16_bf8 v0, v1, v2 op_sel:[1,1,0]",
              "v_cvt_scalef32_pk_f16_fp8 v0, v1, v2 op_sel:[1,0,0]"):
    case(whole, "v_mov_b32_e32 v4, v0", 0, "")
    case("v_exp_f32_e32 v0, v1", whole, 0 if "pk_f16" in whole else 1,
         "transcendental result")  # what they keep they read
case("v_fma_f16 v0, v1, v2, v3 op_sel:[1,0,0,0]", "v_mov_b32_e32 v4, v0", 0, "")
case("v_pk_mul_f32 v[0:1], v[2:3], v[4:5] op_sel_hi:[1,0]", "v_mov_b32_e32 v4, v0", 0, "")
for name in ("exp", "log", "rcp", "sqrt", "sin"):
    case(f"v_{name}_f32_e32 v0, v1", "v_mul_f32_e32 v2, v0, v3", 1, "transcendental result")
case("v_exp_f32_e32 v0, v1", "v_log_f32_e32 v2, v0", 0, "")

# ===- Data of stores ----------------------------------------------------------===

WIDE = "buffer_store_{width} v[{data}], v64, s[0:3], {offset} offen"
for width, data in (("dwordx4", "0:3"), ("dwordx3", "0:2")):
    store = WIDE.format(width=width, data=data, offset="{}")
    for offset, states, rule in (  # LLVM PR 197267
            ("s16", 1, "data of a wide store with a register"),
            ("m0", 1, "data of a wide store with a register"),
            ("0", 2, "data of a wide store overwritten by a vector"),
            ("4.0", 2, "data of a wide store overwritten by a vector")):
        case(store.format(offset), "v_cvt_pk_bf16_f32 v1, v10, v11", states, rule)
        case(store.format(offset), "v_mfma_f32_16x16x32_bf16 v[0:3], v[32:35], v[36:39], 0",
             states, rule)
        case(store.format(offset), "v_mov_b32_e32 v4, v1", 0, "")
    case(store.format("0"), "ds_read_b32 v1, v65", 1, "data of a wide store overwritten")
    case(store.format("s16"), "ds_read_b32 v1, v65", 0, "")
for offset in ("s16", "0"):
    case(WIDE.format(width="dwordx2", data="0:1", offset=offset), "v_mov_b32_e32 v1, 0", 0, "")
for store in ("global_store_dwordx4 v64, v[0:3], s[0:1]", "flat_store_dwordx4 v[64:65], v[0:3]",
              "global_store_dwordx3 v[64:65], v[0:2], off",
              "scratch_store_dwordx4 v64, v[0:3], s0"):
    case(store, "v_mov_b32_e32 v2, 0", 2, "data of a wide store overwritten by a vector")
case("global_store_dwordx2 v64, v[0:1], s[0:1]", "v_mov_b32_e32 v1, 0", 0, "")

# Whole programs: what stands in the way, pairs that are short. An 8-pass MFMA wants 12.
READ = "v_max_f32_e32 v60, v1, v61"
PROGRAMS = [
    # The branch that is jumped over is no state.
    ("jump", [mfma(M8), "s_cbranch_scc1 {L}", "s_branch {E}", "{L}:", "s_nop 9", READ, "{E}:"], 1),
    ("jump, longer", [mfma(M8), "s_cbranch_scc1 {L}", "s_branch {E}", "{L}:", "s_nop 10", READ,
                      "{E}:"], 0),
    # Not taken, both branches are one each; E is as far as it is.
    ("through", [mfma(M8), "s_cbranch_scc1 {E}", "s_nop 9", READ, "{E}:"], 1),
    ("through, longer", [mfma(M8), "s_cbranch_scc1 {E}", "s_nop 10", READ, "{E}:"], 0),
    ("the shorter of two ways", [mfma(M8), "s_cbranch_scc0 {L}", "s_nop 15", "{L}:", "s_nop 9",
                                 READ], 1),
    ("both ways are long", [mfma(M8), "s_cbranch_scc0 {L}", "s_nop 15", "{L}:", "s_nop 10",
                            READ], 0),
    ("round a loop", ["{L}:", READ, mfma(M8), "s_nop 9", "s_cbranch_scc1 {L}"], 1),
    ("round a loop, longer", ["{L}:", READ, mfma(M8), "s_nop 10", "s_cbranch_scc1 {L}"], 0),
    ("itself, round a loop", ["{L}:", "v_mfma_f32_32x32x16_bf16 v[0:15], v[0:3], v[36:39], 0",
                              "s_cbranch_scc1 {L}"], 1),
    ("a wait is one", [mfma(M8), "s_waitcnt lgkmcnt(0)", "s_barrier", "s_nop 8", READ], 1),
    ("a wait is one, longer", [mfma(M8), "s_waitcnt lgkmcnt(0)", "s_barrier", "s_nop 9", READ],
     0),
    ("after the end", [mfma(M8), "s_endpgm", READ], 0),
    # The second writes all that the third reads; or all but a part.
    ("overwritten by another", [mfma(M4), mfma(M8), mfma(M8, "v[0:15]")], 0),
    ("partly overwritten", [mfma(M8), mfma(M4), "s_nop 7", "v_mov_b32_e32 v60, v5"], 1),
    ("overwritten part is read", [mfma(M8), mfma(M4), "s_nop 7", "v_mov_b32_e32 v60, v2"], 0),
    ("code after the end", ["s_cbranch_scc1 {L}", "{E}:", READ, "s_endpgm", "{L}:", mfma(M8),
                            "s_nop 9", "s_branch {E}"], 1),
    # Two ways to a store's end (llvm/llvm-project issue 202333): 1 of 2 states.
    ("store, then EXEC", ["global_store_dwordx4 v64, v[0:3], s[0:1]",
                          "s_or_b64 exec, exec, s[4:5]", "v_pk_mul_f32 v[0:1], v[6:7], v[8:9]"],
     1),
]
REFUSED = ["v_mfma_f64_16x16x4_f64 v[0:7], v[32:33], v[34:35], 0", "s_setpc_b64 s[0:1]",
           "s_set_gpr_idx_on s0, gpr_idx(SRC0)", "buffer_atomic_add v0, v1, s[0:3], 0 offen",
           "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[8:11], v12",
           "v_cvt_scalef32_2xpk16_fp6_f32 v[0:5], v[6:21], v[22:37], v38", "ds_add_u32 v0, v1"]


def assemble(llvm_bin, programs, folder):
    """The instructions of each; one object holds all."""
    lines = [".text"]
    for number, program in enumerate(programs):
        for line in program:
            lines.append(line.replace("{L}", f".LL{number}").replace("{E}", f".LE{number}"))
        if not program[-1].startswith("s_branch"):
            lines.append("s_endpgm")
        lines.append("s_trap 2")  # the next program begins after it
    path = os.path.join(folder, "k.o")
    commands.call([os.path.join(llvm_bin, "llvm-mc"), "-triple=amdgcn-amd-amdhsa",
                   "-mcpu=gfx950", "-filetype=obj", "-", "-o", path], input="\n".join(lines) + "\n")
    found = [[]]
    for i in code_object.disassemble(llvm_bin, path):
        if i.mnemonic == "s_trap":
            found.append([])
        else:
            found[-1].append(i)
    return found[:len(programs)]


def spaced(first, second, states):
    return [first, *([f"s_nop {n - 1}" for n in (states - 16, 16) if n > 0] if states > 16 else
                     [f"s_nop {states - 1}"] if states else []), second]


def all_rules():
    for value in vars(wait_states).values():
        if isinstance(value, wait_states.Rule):
            yield value
        elif isinstance(value, dict):
            yield from (v for v in value.values() if isinstance(v, wait_states.Rule))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llvm-bin", required=True)
    options = parser.parse_args()
    wanted = []  # name, program, pairs that are short, states found, rule
    for first, second, states, rule in CASES:
        name = f"{first} | {second}"
        if states:
            wanted.append((f"{name}, {states - 1}", spaced(first, second, states - 1), 1,
                           (states - 1, states), rule))
        wanted.append((f"{name}, {states}", spaced(first, second, states), 0, None, ""))
    wanted += [(name, program, short, None, "") for name, program, short in PROGRAMS]
    failures, met = [], set()
    with tempfile.TemporaryDirectory() as folder:
        codes = assemble(options.llvm_bin, [w[1] for w in wanted], folder)
        refused = assemble(options.llvm_bin, [[text] for text in REFUSED], folder)
    for (name, _, short, states, rule), code in zip(wanted, codes, strict=True):
        try:
            found = wait_states.Scan(code).findings
        except wait_states.UnknownInstruction as problem:
            failures.append(f"{name}: {problem}")
            continue
        met |= {f.rule for f in found}
        if len(found) != short or any(
                states and (f.states, f.rule.states) != states
                or not f.rule.name.startswith(rule) for f in found):
            failures.append(f"{name}: expected {short or 'no'} pair of {rule or 'any rule'}, "
                            f"found {[str(f) for f in found]}")
    for text, code in zip(REFUSED, refused, strict=True):
        try:
            wait_states.Scan(code)
            failures.append(f"{text}: expected it to be refused, found that it was scanned")
        except wait_states.UnknownInstruction:
            pass
    for rule in all_rules():
        if rule.states and rule not in met:
            failures.append(f"no case finds '{rule.name}' ({rule.states} states)")
    for failure in failures:
        print(f"FAIL: {failure}")
    print(f"{len(wanted)} programs, {len(REFUSED)} refused, {len(met)} rules broken once")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
