// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// SDWA: byte and word selection of sources (with sext), of the destination, and what
// happens to the rest of it (UNUSED_PAD: zeros, UNUSED_SEXT, UNUSED_PRESERVE).
// Source: LLVM AMDGPUModifierSyntax "SDWA modifiers"; Vega ISA "SDWA";
// tinygrad/tinygrad:test/amd/hw/test_cdna_sdwa.py (checked on gfx950).

//| inputs(a=random_u32(64, 21), b=random_u32(64, 22))
.include "prologue.inc"
.macro OLD
  v_mov_b32_e32 v10, 0x55aa55aa
.endm
KERNEL
  INPUTS 1, 2, 0
  LOADED
  OLD
  v_add_u32_sdwa v10, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_1
  OUTPUT v10   // == (a >> 8 & 255) + (b >> 16)
  OLD
  v_add_u32_sdwa v10, sext(v1), v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
  OUTPUT v10   // == sext(a >> 24, 8) + b
  OLD
  v_and_b32_sdwa v10, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_1
  OUTPUT v10   // == (a & b >> 16 & 0xffff) << 16
  OLD
  v_or_b32_sdwa v10, v1, v2 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:BYTE_2
  OUTPUT v10   // == 0x550055aa | ((a | b >> 16) & 255) << 16
  OLD
  v_mov_b32_sdwa v10, v1 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1
  OUTPUT v10   // == 0x55aa0000 | a >> 16
  v_lshlrev_b32_sdwa v10, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_1
  OUTPUT v10   // == (b >> 8 & 255) << (a & 31)
  v_cvt_f32_u32_sdwa v10, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
  OUTPUT v10   // == b32(float(a >> 16))
  v_cmp_lt_u32_sdwa vcc, v1, v2 src0_sel:BYTE_0 src1_sel:BYTE_0
  s_nop 1
  v_cndmask_b32_e64 v10, 0, 1, vcc
  OUTPUT v10   // == (a & 255) < (b & 255)
END_KERNEL
