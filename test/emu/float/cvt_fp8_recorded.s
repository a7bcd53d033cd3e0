// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Conversions to 8 and 4 bits whose results others have recorded:
//   v_cvt_pk_fp8_f32 of 448 + 18 is 0x7f, and of 448 0x7e (ROCm/rocm-systems pull request
//   9554: the conversions of every target, gfx950 among them, round and do not saturate);
//   v_cvt_scalef32_pk_fp4_f32 without op_sel puts nibbles 6 and 7 into the low byte of
//   0xabcdef12 and gives 0xabcdef76 (ROCm/rocm-systems pull request 6870, MI350).
// 464 lies half way between 448 and what would be 480; to even it is 448 (OCP 8-bit floating
// point specification, 0x7f is NaN).

//| inputs(a=[466.0, 464.0, 448.0, -448.0], b=[4.0], c=[6.0])
//| BYTE = [0x7f, 0x7e, 0x7e, 0xfe]
.include "prologue.inc"
KERNEL
  INPUTS 1, 3, 0
  LOADED
  v_mov_b32_e32 v10, 0xdeadbeef
  v_cvt_pk_fp8_f32 v10, v1, v1
  OUTPUT v10   // == 0xdead0000 | BYTE[lane % 4] * 0x101
  v_mov_b32_e32 v10, 0xdeadbeef
  v_cvt_scalef32_pk_fp8_f32 v10, v1, v1, 1.0 op_sel:[0,0,0,1]
  s_nop 0
  OUTPUT v10   // == 0x0000beef | BYTE[lane % 4] * 0x1010000
  v_mov_b32_e32 v10, 0xabcdef12
  v_cvt_scalef32_pk_fp4_f32 v10, v2, v3, 1.0
  OUTPUT v10   // == 0xabcdef76
END_KERNEL
