// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Several matrix instructions before one consumer. The unit takes them in order: of those
// that write an operand the nearest counts, and a register that it does not write waits for
// the one before. Accumulation into the same registers needs no wait if the opcode is the
// same. Source: CDNA4 ISA, table 38; LLVM getWaitStatesSinceDef(), which ends at the first
// that writes, and pull request 218363.

//| checks("hazard")
//| no_output()
//| finding("hazard", "v_mov_b32_e32 v40, v9", "v_mfma_f32_32x32x4_2b_f16 v[0:31]",
//|         message=("reads v9 7 wait states", "; 20 ", "s_nop 12 in between"))
//| finding("hazard", "v_mov_b32_e32 v41, v1", "v_mfma_f32_4x4x4_16b_f16 v[0:3]",
//|         message=("reads v1 4 wait states", "; 5 "))
//| finding("hazard", "global_store_dwordx4 v[90:91], v[2:5]", "v_mfma_f32_4x4x4_16b_f16 v[0:3]",
//|         message=("reads v[2:3] 0 wait states", "; 5 "))
//| finding("hazard", "v_mfma_f32_32x32x16_bf16 v[0:15]", "v_mfma_f32_32x32x16_f16 v[0:15]",
//|         message=("reads v[0:15] as C 0 wait states", "; 10 ", "(xdl-c-other, "))
//| finding("hazard", "v_smfmac_f32_32x32x32_bf16 v[0:15]", "v_mfma_f32_32x32x16_bf16 v[0:15]",
//|         message=("reads v[0:15] as C 0 wait states", "; 10 ", "(xdl-c-other, "))
.include "prologue.inc"

.macro FAR
  s_nop 15
  s_nop 15
.endm
.macro LONG
  FAR
  v_mfma_f32_32x32x4_2b_f16 v[0:31], v[64:65], v[66:67], 0
.endm
.macro QUICK
  v_mfma_f32_4x4x4_16b_f16 v[0:3], v[64:65], v[66:67], 0
.endm

KERNEL
  s_mov_b64 exec, 0             // the stores go nowhere
  LONG
  QUICK
  s_nop 4
  v_mov_b32_e32 v50, v1         // 5 after QUICK: enough
  v_mov_b32_e32 v40, v9         // of LONG alone
  LONG
  QUICK
  s_nop 3
  v_mov_b32_e32 v41, v1
  LONG
  QUICK
  global_store_dwordx4 v[90:91], v[2:5], off
  LONG
  QUICK
  s_nop 4
  global_store_dwordx4 v[90:91], v[0:3], off

  // chains of sums: one opcode
  FAR
  v_mfma_f32_32x32x16_f16 v[0:15], v[64:67], v[68:71], 0
  v_mfma_f32_32x32x16_f16 v[0:15], v[72:75], v[76:79], v[0:15]
  v_mfma_f32_32x32x16_f16 v[0:15], v[72:75], v[76:79], v[0:15]
  FAR
  v_smfmac_f32_32x32x32_bf16 v[0:15], v[72:75], v[80:87], v88
  v_smfmac_f32_32x32x32_bf16 v[0:15], v[72:75], v[80:87], v88
  FAR
  v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[64:71], v[72:79], 0
  v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[64:71], v[72:79], v[0:3]
  s_nop 11
  v_mov_b32_e32 v51, v3

  // several; the wait of the nearest is enough
  FAR
  v_mfma_f32_32x32x16_f16 v[0:15], v[72:75], v[76:79], v[0:15]
  v_mfma_f32_32x32x16_bf16 v[0:15], v[72:75], v[76:79], v[0:15]
  v_smfmac_f32_32x32x32_bf16 v[0:15], v[72:75], v[80:87], v88
  s_nop 9
  v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[64:71], v[72:79], v[0:15]
END_KERNEL
