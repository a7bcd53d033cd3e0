// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// What a wave finds: kernarg pointer in s[0:1], workgroup ids after it, packed work-item
// ids in v0 (x in bits 0..9, y 10..19, z 20..29), EXEC of the lanes that exist, MODE.
// Every work-item of a 2 x 2 x 2 grid of 20 x 5 x 2 blocks writes its own row: four waves,
// the last with 8 lanes.
// Source: LLVM AMDGPUUsage "Initial kernel execution state", "Packed work-item IDs"
// (gfx90a and later).

//| launch(block=[20, 5, 2], grid=[2, 2, 2])
//| buffer("where", bytes=8 * 200 * 24, fill=0, out=True)
//| kernarg(offset=16, buffer="where")
//| want = []
//| for g in range(8):
//|     for t in range(200):
//|         x, y, z = t % 20, t // 20 % 5, t // 100
//|         lanes = min(64, 200 - t // 64 * 64)
//|         mask = (1 << lanes) - 1
//|         want += [x | y << 10 | z << 20, g & 1, g >> 1 & 1, g >> 2,
//|                  mask & U32, mask >> 32]
//| expect_buffer("where", column_bytes([want]))
//| matrix()
.set WORKGROUP_YZ, 1
.set WORKITEM_ID, 2
.include "prologue.inc"
ENTRY
  s_mov_b64 s[20:21], exec
  s_load_dwordx2 s[8:9], s[0:1], 16
  v_and_b32_e32 v1, 0x3ff, v0
  v_bfe_u32 v2, v0, 10, 10
  v_lshrrev_b32_e32 v3, 20, v0
  v_mul_u32_u24_e32 v4, 5, v3
  v_add_u32_e32 v4, v4, v2
  v_mul_u32_u24_e32 v4, 20, v4
  v_add_u32_e32 v4, v4, v1
  // + 200 * (x + 2 y + 4 z) of the workgroup
  s_lshl_b32 s10, s3, 1
  s_add_u32 s10, s10, s2
  s_lshl_b32 s11, s4, 2
  s_add_u32 s10, s10, s11
  s_mul_i32 s10, s10, 200
  v_add_u32_e32 v4, s10, v4
  v_mul_u32_u24_e32 v4, 24, v4
  v_mov_b32_e32 v10, s2
  v_mov_b32_e32 v11, s3
  v_mov_b32_e32 v12, s4
  v_mov_b32_e32 v13, s20
  v_mov_b32_e32 v14, s21
  s_waitcnt lgkmcnt(0)
  global_store_dword v4, v0, s[8:9]
  global_store_dword v4, v10, s[8:9] offset:4
  global_store_dword v4, v11, s[8:9] offset:8
  global_store_dword v4, v12, s[8:9] offset:12
  global_store_dword v4, v13, s[8:9] offset:16
  global_store_dword v4, v14, s[8:9] offset:20
END_KERNEL
