// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test --define EFFECT=1 %s
// RUN: %emu_test --define EFFECT=0 %s
//
// What is read of the vector ALU one wait state too early, by lanes, scalar registers, DPP,
// permlane swaps and memory, is what was there before. Lanes that an instruction does not
// write hold what its producer has written.
// Source: the column `effect` of isa/rules/wait_states.def; CDNA4 ISA, table 11, for the states.

//| checks("none")
//| options("--hazards=" + ("effect" if EFFECT else "report"))
//| def pair(rule, old, new, arrived):
//|     wide = lambda x: x if isinstance(x, list) else [x] * 64
//|     for what, value in (("too early", old if EFFECT else new), ("in time", new),
//|                         ("arrived", arrived)):
//|         expect(f"{rule} {what}", wide(value))
//| buffer("t", data=column_bytes([[0x700 + l for l in range(128)]]))
//| kernarg(offset=16, buffer="t")
//| five = 0x40a00000
.set LDS, 512
.include "effects.inc"

.set FIVE, 0x40a00000
// An LDS load of a dword a lane, from the offset in v0, and what it left there.
.macro LDS_DMA
  buffer_load_dword v0, s[8:11], 0 offen lds
  s_waitcnt vmcnt(0)
  ds_read_b32 v100, v255
.endm

KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 16
  s_mov_b32 s10, 512
  s_mov_b32 s11, 0x00020000
  s_mov_b32 m0, 0
  CONSTANTS
  v_lshlrev_b32_e32 v89, 2, v86
  v_mov_b32_e32 v90, 0x7f800000         // infinity
  v_mov_b32_e32 v91, 7
  v_mov_b32_e32 v92, 64
  s_waitcnt lgkmcnt(0)

  // transcendental: 1 / 0.5, 1 / infinity
//| pair("trans", b32(5 + 1), b32(2 + 1), b32(2))
  PAIR 0, 1, FIVE, 1, "v_rcp_f32_e32 v0, 0.5", "v_add_f32_e32 v100, 1.0, v0", v100, v0
//| pair("trans-lds-dma", [0x700 + l for l in LANE], 0x700, 0)
  PAIR 0, 1, v89, 1, "v_rcp_f32_e32 v0, v90", "LDS_DMA", v100, v0
  // inactive lanes: written by neither
//| odd = [l & 1 for l in LANE]
//| pair("trans", [b32(5 + 1) if o else five for o in odd], [b32(2 + 1) if o else five for o in odd],
//|      [b32(2 + 1) if o else five for o in odd])
  s_mov_b32 s40, 0xaaaaaaaa
  s_mov_b32 s41, 0xaaaaaaaa
.macro ODD_RCP
  s_mov_b64 exec, s[40:41]
  v_rcp_f32_e32 v0, 0.5
.endm
.macro ODD_ADD
  v_add_f32_e32 v0, 1.0, v0
  s_mov_b64 exec, -1
.endm
  PAIR 0, 1, FIVE, 1, "ODD_RCP", "ODD_ADD", v0, v0
  // the producer in all lanes, the consumer in odd ones: the others get the result
//| pair("xdl-read", [b32(5 + 1) if o else b32(32) for o in odd],
//|      [b32(32 + 1) if o else b32(32) for o in odd], [b32(32 + 1) if o else b32(32) for o in odd])
  s_mov_b64 s[42:43], -1
.macro ALL_MFMA
  s_mov_b64 exec, s[40:41]
  v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0
.endm
  PAIR 0, 4, FIVE, 8, "ALL_MFMA", "ODD_ADD", v0, v0

  // scalar registers
//| pair("sgpr-valu", 3, 7, 7)
.macro FIRST
  s_mov_b32 s20, 3
  FAR
  v_readfirstlane_b32 s20, v91
.endm
.macro S20
  v_mov_b32_e32 v100, s20
  FAR
  v_mov_b32_e32 v101, s20
.endm
  PAIR 0, 1, 0, 2, "FIRST", "S20", v100, v101
//| pair("sgpr-valu", 0, 0xffffffff, 0xffffffff)
.macro COMPARE
  s_mov_b64 vcc, 0
  FAR
  v_cmp_eq_u32_e32 vcc, v91, v91
.endm
.macro VCC_LO
  v_mov_b32_e32 v100, vcc_lo
  FAR
  v_mov_b32_e32 v101, vcc_lo
.endm
  PAIR 0, 1, 0, 2, "COMPARE", "VCC_LO", v100, v101
  // of an instruction that writes both, vector registers are there at once
//| pair("sgpr-valu", 0xffffffff, 0xfffffffe, 0xfffffffe)
.macro BORROW
  s_mov_b64 vcc, 0
  FAR
  v_sub_co_u32_e32 v0, vcc, 6, v91      // -1, and borrows
.endm
  PAIR 0, 1, 0, 2, "BORROW", "v_add_u32_e32 v100, vcc_lo, v0", v100, v100
  // EXEC as an operand is what it was; the lanes that are written are those of EXEC as it is
//| pair("sgpr-valu", [0xffffffff if l < 5 else five for l in LANE],
//|      [0x1f if l < 5 else five for l in LANE], [0x1f if l < 5 else five for l in LANE])
.macro NARROW
  v_cmpx_gt_u32_e32 vcc, 5, v86
.endm
.macro EXEC_LO
  v_mov_b32_e32 v0, exec_lo
  s_mov_b64 exec, -1
.endm
  PAIR 0, 1, FIVE, 2, "NARROW", "EXEC_LO", v0, v0
//| pair("valu-readlane", five, 7, 7)
.macro READLANE
  v_readlane_b32 s21, v0, 5
  v_readlane_b32 s22, v0, 5
  v_mov_b32_e32 v101, s22
  v_mov_b32_e32 v100, s21
.endm
  PAIR 0, 1, FIVE, 1, "v_mov_b32_e32 v0, v91", "READLANE", v100, v101
//| pair("lane-select", 9, 7, 7)
.macro SELECT
  s_mov_b32 s23, 9
  FAR
  v_readlane_b32 s23, v91, 2
.endm
.macro READ_SELECTED
  v_readlane_b32 s24, v86, s23
  FAR
  v_mov_b32_e32 v100, s24
  v_mov_b32_e32 v101, s23
.endm
  PAIR 0, 1, 0, 4, "SELECT", "READ_SELECTED", v100, v101
  // Of three writers the scalar one between the two is in time: what was there before it
  // does not come back.
//| for what in ("no state", "one state"):
//|     expect(f"lane-select, three writers, {what}", [9 if EFFECT else 7] * 64)
//| expect("lane-select, three writers, arrived", [7] * 64)
.macro THREE
  s_mov_b32 s23, 3
  FAR
  v_readlane_b32 s23, v92, 2
  s_mov_b32 s23, 9
  v_readlane_b32 s23, v91, 2
.endm
  PAIR 0, 1, 0, 1, "THREE", "READ_SELECTED", v100, v101
//| pair("sgpr-vmem", [0x700 + l for l in LANE], [0x710 + l for l in LANE], 64)
.macro OFFSET
  s_mov_b32 s12, 0
  FAR
  v_readfirstlane_b32 s12, v92
.endm
.macro LOAD
  buffer_load_dword v100, v89, s[8:11], s12 offen
  v_mov_b32_e32 v101, s12
.endm
  PAIR 0, 1, 0, 5, "OFFSET", "LOAD", v100, v101

  // DPP
//| pair("dpp", [l ^ 1 for l in LANE], [100 + (l ^ 1) for l in LANE], [100 + l for l in LANE])
  PAIR 0, 1, v86, 2, "v_mov_b32_e32 v0, v87", "v_mov_b32_dpp v100, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", v100, v0
//| dest = lambda kept: [200 + l - 2 if l % 16 >= 2 else kept for l in LANE]
//| pair("dpp-old", dest(five), dest(7), dest(7))
  PAIR 0, 1, FIVE, 2, "v_mov_b32_e32 v0, v91", "v_mov_b32_dpp v0, v88 row_shr:2 row_mask:0xf bank_mask:0xf", v0, v0

  // permlane swaps: half of each register is read and written, the other is not
//| first = lambda y: [200 + l if l < 32 else y + l - 32 for l in LANE]
//| pair("permlane", first(0), first(100), [200 + l + 32 if l < 32 else 100 + l for l in LANE])
.macro SWAP32
  v_permlane32_swap_b32_e32 v101, v0
.endm
.macro MOVE0
  v_mov_b32_e32 v101, v88
  FAR
  v_mov_b32_e32 v0, v87
.endm
  PAIR 0, 1, v86, 2, "MOVE0", "SWAP32", v101, v0
//| even = lambda y: [200 + l if l % 32 < 16 else y + l - 16 for l in LANE]
//| pair("permlane", even(0), even(100), [200 + l + 16 if l % 32 < 16 else 100 + l for l in LANE])
  PAIR 0, 1, v86, 2, "MOVE0", "v_permlane16_swap_b32_e32 v101, v0", v101, v0
  // the register that was late, in the lanes that the swap leaves alone and in those it fills
//| late = [200 + l + 32 if l < 32 else 100 + l for l in LANE]
//| pair("permlane", late, late, late)
  PAIR 0, 1, v86, 2, "MOVE0", "SWAP32", v0, v0
  // v_writelane writes one lane, and reads none
//| one = [five if l == 3 else b32(32) for l in LANE]
//| pair("xdl-read", one, one, one)
  s_mov_b32 s25, FIVE
  PAIR 0, 4, 1.0, 8, "v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0", "v_writelane_b32 v0, s25, 3", v0, v0

  // over a branch that is taken: what it jumps over is no state
//| pair("xdl-read", five, b32(32), b32(32))
.macro JUMP
  v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0
  s_branch .Lat\@
  s_nop 15
.Lat\@:
.endm
  PAIR 0, 4, FIVE, 7, "JUMP", "v_mov_b32_e32 v100, v1", v100, v1
END_KERNEL
