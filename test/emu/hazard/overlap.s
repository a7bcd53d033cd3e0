// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Instructions that write their result while they still read a source that it overlaps:
// matrix instructions with results of more than 4 registers, conversions of 32 elements.
// Each has a twin beside it whose registers are apart.
// Sources: LLVM's AMDGPU definitions (early-clobber) and its pull request 188809
// (v_cvt_scalef32_2xpk16_*); llvm_agrees.test holds the list to llc.

//| checks("hazard")
//| no_output()
//| def overlaps(registers, source, instruction):
//|     finding("hazard", instruction, instruction, count=1,
//|             message=(f"overlapping operands: writes {registers} while it still reads ",
//|                      f" as source {source}; put the result elsewhere (LLVM"))
//| overlaps("v[8:15]", 0, "v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[8:15], v[24:31], 0, v33, v34 op_sel_hi:[0,0,0]")
//| overlaps("v[12:15]", 1, "v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[12:15], 0, v33, v34 op_sel_hi:[0,0,0] blgp:4")
//| overlaps("v7", 3, "v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], 0, v7, v34 op_sel_hi:[0,0,0]")
//| overlaps("v0", 4, "v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], 0, v33, v0 op_sel_hi:[0,0,0]")
//| overlaps("v[4:15]", 2, "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[24:31], v[24:31], v[4:19]")
//| overlaps("v[0:1]", 0, "v_mfma_f32_32x32x16_fp8_fp8 v[0:15], v[0:1], v[24:25], 0")
//| overlaps("a[14:15]", 1, "v_mfma_f32_32x32x16_bf8_fp8 a[0:15], v[20:21], a[14:15], a[0:15]")
//| overlaps("v15", 2, "v_smfmac_f32_32x32x32_fp8_fp8 v[0:15], v[20:21], v[24:27], v15")
//| overlaps("v[0:5]", 0, "v_cvt_scalef32_pk32_f32_fp6 v[0:31], v[0:5], v40")
//| overlaps("v0", 1, "v_cvt_scalef32_pk32_f16_bf6 v[0:15], v[20:25], v0")
//| overlaps("v[4:5]", 0, "v_cvt_scalef32_pk32_fp6_bf16 v[0:5], v[4:19], v40")
//| overlaps("v[0:5]", 1, "v_cvt_scalef32_2xpk16_fp6_f32 v[0:5], v[16:31], v[0:15], v40")
//| overlaps("v5", 1, "v_cvt_scalef32_sr_pk32_bf6_f16 v[0:5], v[16:31], v5, v40")
//| overlaps("v0", 0, "v_cvt_scalef32_sr_pk_fp4_bf16 v0, v0, v2, v3")

.include "prologue.inc"

.macro APART instruction:vararg
  s_nop 15
  s_nop 15
  \instruction
.endm

KERNEL
  s_mov_b64 exec, 0
  APART v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[8:15], v[24:31], 0, v33, v34 op_sel_hi:[0,0,0]
  APART v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[12:15], 0, v33, v34 op_sel_hi:[0,0,0] blgp:4
  APART v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], 0, v7, v34 op_sel_hi:[0,0,0]
  APART v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], 0, v33, v0 op_sel_hi:[0,0,0]
  APART v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], v[0:15], v33, v34 op_sel_hi:[0,0,0]
  APART v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[0:7], v[0:7], v[2:5], v0, v1 op_sel_hi:[0,0,0]
  APART v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[24:31], v[24:31], v[4:19]
  APART v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[24:31], v[24:31], v[0:15]
  APART v_mfma_f32_32x32x16_fp8_fp8 v[0:15], v[0:1], v[24:25], 0
  APART v_mfma_f32_32x32x16_fp8_fp8 v[0:15], v[16:17], v[16:17], 0
  APART v_mfma_f32_32x32x16_bf8_fp8 a[0:15], v[20:21], a[14:15], a[0:15]
  APART v_mfma_f32_32x32x16_bf8_fp8 a[0:15], v[0:1], v[14:15], a[0:15]
  APART v_mfma_f32_16x16x32_fp8_fp8 v[0:3], v[0:1], v[2:3], v[2:5]
  APART v_smfmac_f32_32x32x32_fp8_fp8 v[0:15], v[20:21], v[24:27], v15
  APART v_smfmac_f32_32x32x32_fp8_fp8 v[0:15], v[20:21], v[24:27], v16
  APART v_cvt_scalef32_pk32_f32_fp6 v[0:31], v[0:5], v40
  APART v_cvt_scalef32_pk32_f32_fp6 v[0:31], v[32:37], v40
  APART v_cvt_scalef32_pk32_f16_bf6 v[0:15], v[20:25], v0
  APART v_cvt_scalef32_pk32_f16_bf6 v[0:15], v[20:25], v16
  APART v_cvt_scalef32_pk32_fp6_bf16 v[0:5], v[4:19], v40
  APART v_cvt_scalef32_pk32_fp6_bf16 v[0:5], v[6:21], v40
  APART v_cvt_scalef32_2xpk16_fp6_f32 v[0:5], v[16:31], v[0:15], v40
  APART v_cvt_scalef32_2xpk16_fp6_f32 v[0:5], v[16:31], v[6:21], v40
  APART v_cvt_scalef32_sr_pk32_bf6_f16 v[0:5], v[16:31], v5, v40
  APART v_cvt_scalef32_sr_pk32_bf6_f16 v[0:5], v[16:31], v6, v40
  APART v_cvt_scalef32_sr_pk_fp4_bf16 v0, v0, v2, v3
  APART v_cvt_scalef32_sr_pk_fp4_bf16 v0, v1, v2, v3 op_sel:[0,0,1,0]
  APART v_cvt_scalef32_pk_fp8_f32 v0, v0, v0, v0
  APART v_cvt_scalef32_pk_f32_fp8 v[0:1], v0, v1
END_KERNEL
