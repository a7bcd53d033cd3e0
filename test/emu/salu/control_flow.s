// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Divergent control flow as compilers write it: if / else with saveexec, a loop that
// lanes leave one by one, nested, and a uniform call and return.
// Source: LLVM AMDGPU SILowerControlFlow.cpp (and_saveexec, xor, or; loop mask with
// andn2 exec); CDNA4 ISA pseudocode S_SWAPPC_B64, S_SETPC_B64, S_GETPC_B64, S_CBRANCH_*.

//| inputs(n=[(l * 13 + 5) % 17 for l in range(64)])
//| def collatz(n):
//|     steps = 0
//|     while n > 1:
//|         n = n // 2 if n % 2 == 0 else 3 * n + 1
//|         steps += 1
//|     return steps
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  v_cmp_lt_u32_e32 vcc, 8, v1
  s_and_saveexec_b64 s[20:21], vcc
  s_xor_b64 s[20:21], exec, s[20:21]
  v_mul_u32_u24_e32 v2, 3, v1
  s_or_saveexec_b64 s[20:21], s[20:21]
  s_xor_b64 exec, exec, s[20:21]
  v_add_u32_e32 v2, 100, v1
  s_or_b64 exec, exec, s[20:21]
  OUTPUT v2    // == 3 * n if n > 8 else n + 100

  // steps until 1, an if inside a loop
  v_mov_b32_e32 v3, v1
  v_mov_b32_e32 v4, 0
  v_cmp_gt_u32_e32 vcc, 2, v3
  s_mov_b64 s[24:25], exec
  s_andn2_b64 exec, exec, vcc
  s_cbranch_execz .Ldone
.Lloop:
  v_and_b32_e32 v5, 1, v3
  v_cmp_eq_u32_e32 vcc, 1, v5
  s_and_saveexec_b64 s[26:27], vcc
  s_cbranch_execz .Leven
  v_mul_u32_u24_e32 v3, 3, v3
  v_lshl_add_u32 v3, v3, 1, 2
.Leven:
  s_or_b64 exec, exec, s[26:27]
  v_lshrrev_b32_e32 v3, 1, v3
  v_add_u32_e32 v4, 1, v4
  v_cmp_gt_u32_e32 vcc, 2, v3
  s_andn2_b64 exec, exec, vcc
  s_cbranch_execnz .Lloop
.Ldone:
  s_mov_b64 exec, s[24:25]
  OUTPUT v4    // == collatz(n)

  // s_getpc gives the address of the instruction after it
  s_getpc_b64 s[28:29]
.Lafter:
  s_add_u32 s28, s28, .Lcallee-.Lafter
  s_addc_u32 s29, s29, 0
  v_mov_b32_e32 v6, 1
  s_swappc_b64 s[30:31], s[28:29]
  v_add_u32_e32 v6, 16, v6
  s_call_b64 s[30:31], .Lcallee
  s_branch .Lend
.Lcallee:
  v_lshlrev_b32_e32 v6, 2, v6
  s_setpc_b64 s[30:31]
.Lend:
  OUTPUT v6    // == (1 * 4 + 16) * 4
END_KERNEL
