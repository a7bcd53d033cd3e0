// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workgroup (x, y, z) adds 1 to dword x + 4 y + 16 z of the output.
.set WORKGROUP_YZ, 1
.include "prologue.inc"
ENTRY
  s_load_dwordx2 s[6:7], s[0:1], 0x8
  s_lshl_b32 s20, s3, 2
  s_add_u32 s20, s20, s2
  s_lshl_b32 s21, s4, 4
  s_add_u32 s20, s20, s21
  s_lshl_b32 s20, s20, 2
  v_mov_b32_e32 v1, s20
  v_mov_b32_e32 v2, 1
  s_mov_b64 exec, 1
  s_waitcnt lgkmcnt(0)
  global_atomic_add v1, v2, s[6:7]
END_KERNEL
