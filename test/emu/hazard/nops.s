// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// What counts as a wait state: each instruction issued, of whatever kind, and each count of
// s_nop, split over several or not. Eight are required after a matrix instruction of 4
// passes before a vector ALU read. Source: CDNA4 ISA 4.5 and table 38; S_NOP.

//| checks("hazard")
//| no_output()
//| mfma = "v_mfma_f32_16x16x32_bf16 v[0:3]"
//| def short(consumer, states, nop):
//|     finding("hazard", consumer, mfma, count=1,
//|             message=(f"reads v1 {states} wait state", "; 8 are required (xdl-read, 4 "
//|                      "passes)", f"; add s_nop {nop} in between"))
//| short("v_mov_b32_e32 v40, v1", 0, 7)
//| short("v_mov_b32_e32 v41, v1", 7, 0)
//| short("v_mov_b32_e32 v42, v1", 7, 0)
//| short("v_mov_b32_e32 v43, v1", 6, 1)
//| short("v_mov_b32_e32 v44, v1", 7, 0)
.include "prologue.inc"

.macro MFMA
  s_nop 15
  s_nop 15
  v_mfma_f32_16x16x32_bf16 v[0:3], v[20:23], v[24:27], 0
.endm

KERNEL
  MFMA
  v_mov_b32_e32 v40, v1         // next to it
  MFMA
  s_nop 6
  v_mov_b32_e32 v41, v1         // 7
  MFMA
  s_nop 2
  s_nop 3
  v_mov_b32_e32 v42, v1         // 3 + 4
  MFMA
  s_waitcnt vmcnt(0)            // six instructions
  v_nop
  s_mov_b32 s20, 0
  v_mov_b32_e32 v50, v51
  s_setprio 1
  v_mfma_f32_4x4x4_16b_f16 v[60:63], v[64:65], v[66:67], 0
  v_mov_b32_e32 v43, v1
  MFMA
  s_cbranch_vccnz .Lnever       // not taken: VCC is 0
  s_nop 5
  v_mov_b32_e32 v44, v1         // 1 + 6
.Lnever:

  MFMA
  s_nop 7
  v_mov_b32_e32 v30, v1
  MFMA
  s_nop 0
  s_nop 3
  s_nop 2
  v_mov_b32_e32 v31, v1
  MFMA
  s_waitcnt vmcnt(0)
  s_nop 4
  v_nop
  s_mov_b32 s20, 0
  v_mov_b32_e32 v32, v1
  v_mov_b32_e32 v33, v2         // and all after it
END_KERNEL
