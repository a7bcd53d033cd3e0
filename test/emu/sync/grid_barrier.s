// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
// RUN: %emu_test --define=SLEEPS=1 %s
//
// A barrier of the grid: each workgroup stores a row, counts itself by an atomic, polls the
// counter until all have, and then reads the row of the next workgroup. The result is that of
// a device that holds all of them at a time, in any order of their turns.
// Source: LLVM "Memory Model gfx942" (release: buffer_wbl2 sc1, s_waitcnt, atomic; acquire:
// load sc1, s_waitcnt, buffer_inv sc1).

//| launch(block=64, grid=24)
//| buffer("counter", bytes=256, fill=0)
//| buffer("rows", bytes=24 * 256, fill=0)
//| buffer("sums", bytes=24 * 256, fill=0, out=True)
//| kernarg(offset=16, buffer="counter")
//| kernarg(offset=24, buffer="rows")
//| kernarg(offset=32, buffer="sums")
//| checks("mem,wait,sync,init")
//| matrix()
//| no_output()
//| row = lambda w: [1000 * w + lane for lane in LANE]
//| expect_buffer("sums", column_bytes([row((w + 1) % 24) for w in range(24)]))
.ifndef SLEEPS
.set SLEEPS, 0
.endif
.include "prologue.inc"
KERNEL
  s_load_dwordx4 s[20:23], s[0:1], 16
  s_load_dwordx2 s[24:25], s[0:1], 32
  s_mul_i32 s26, s2, 1000
  v_add_u32_e32 v1, s26, v0
  s_lshl_b32 s27, s2, 8
  v_add_u32_e32 v2, s27, v255
  v_mov_b32_e32 v3, 0
  v_mov_b32_e32 v4, 1
  s_waitcnt lgkmcnt(0)
  global_store_dword v2, v1, s[22:23]
  buffer_wbl2 sc1
  s_waitcnt vmcnt(0)
  s_mov_b64 s[30:31], exec
  s_mov_b64 exec, 1
  global_atomic_add v3, v4, s[20:21] sc1
.Lpoll:
.if SLEEPS
  s_sleep 1
.endif
  global_load_dword v5, v3, s[20:21] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s28, v5
  s_cmp_lg_u32 s28, 24
  s_cbranch_scc1 .Lpoll
  buffer_inv sc1
  s_mov_b64 exec, s[30:31]
  s_add_u32 s29, s2, 1
  s_cmp_eq_u32 s29, 24
  s_cselect_b32 s29, 0, s29
  s_lshl_b32 s29, s29, 8
  v_add_u32_e32 v6, s29, v255
  global_load_dword v7, v6, s[22:23]
  s_waitcnt vmcnt(0)
  global_store_dword v2, v7, s[24:25]
END_KERNEL
