// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The saveexec family: the old EXEC goes to the destination, EXEC takes the new value, SCC
// tells whether any lane is left. Also wrexec, and EXEC as plain source and destination.
// Source: CDNA4 ISA pseudocode S_*_SAVEEXEC_B64, S_*_WREXEC_B64
// (tinygrad/tinygrad:tinygrad/runtime/autogen/amd/cdna/str_pcode.py).

//| X, S = 0x00ff00ff0f0f3355, 0x0f0f00ff00ff5533
//| inputs([0])
.include "prologue.inc"
.macro STEP op, result
  s_mov_b64 exec, s[20:21]
  \op s[24:25], s[22:23]
  s_cselect_b32 s28, 1, 0
  s_mov_b64 s[26:27], exec
  s_mov_b64 exec, -1
  OUTPUT_S64 s24, s25
  OUTPUT_S64 s26, s27
  OUTPUT_S s28
.endm
//| def step(name, new, old=X):
//|     new &= U64
//|     expect64(name + " destination", [old] * 64)
//|     expect64(name + " EXEC", [new] * 64)
//|     expect(name + " SCC", [new != 0] * 64)
KERNEL
  s_mov_b32 s20, 0x0f0f3355
  s_mov_b32 s21, 0x00ff00ff
  s_mov_b32 s22, 0x00ff5533
  s_mov_b32 s23, 0x0f0f00ff
  STEP s_and_saveexec_b64
//| step("s_and_saveexec_b64", S & X)
  STEP s_or_saveexec_b64
//| step("s_or_saveexec_b64", S | X)
  STEP s_xor_saveexec_b64
//| step("s_xor_saveexec_b64", S ^ X)
  STEP s_andn2_saveexec_b64
//| step("s_andn2_saveexec_b64", S & ~X)
  STEP s_orn2_saveexec_b64
//| step("s_orn2_saveexec_b64", S | ~X)
  STEP s_nand_saveexec_b64
//| step("s_nand_saveexec_b64", ~(S & X))
  STEP s_nor_saveexec_b64
//| step("s_nor_saveexec_b64", ~(S | X))
  STEP s_xnor_saveexec_b64
//| step("s_xnor_saveexec_b64", ~(S ^ X))
  STEP s_andn1_saveexec_b64
//| step("s_andn1_saveexec_b64", ~S & X)
  STEP s_orn1_saveexec_b64
//| step("s_orn1_saveexec_b64", ~S | X)
  STEP s_andn1_wrexec_b64
//| step("s_andn1_wrexec_b64", ~S & X, old=~S & X)
  STEP s_andn2_wrexec_b64
//| step("s_andn2_wrexec_b64", S & ~X, old=S & ~X)
  // nothing left: SCC = 0, the vector instructions that follow do nothing
  v_mov_b32_e32 v1, 7
  s_mov_b64 s[22:23], 0
  s_and_saveexec_b64 s[24:25], s[22:23]
  s_cselect_b32 s28, 1, 0
  v_mov_b32_e32 v1, 9
  s_cbranch_execz .Lskip
  s_mov_b32 s28, 77
.Lskip:
  s_or_b64 exec, exec, s[24:25]
  OUTPUT v1     // == 7
  OUTPUT_S s28  // == 0
  s_cmp_eq_u32 s28, s28
  s_mov_b64 vcc, 0
  s_cbranch_vccnz .Lbad
  s_mov_b64 vcc, 2
  s_cbranch_vccz .Lbad
  s_cbranch_execz .Lbad
  s_mov_b32 s28, 3
.Lbad:
  OUTPUT_S s28  // == 3
END_KERNEL
