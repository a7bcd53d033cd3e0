// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Workgroups that use atomics and look at what those of others left, but neither wait for that nor
// acquire: the first two get it from the atomic, the other two read it. Nothing orders their stores.
// Source: LLVM AMDGPUUsage, "Memory Model gfx942", agent scope: an acquire is an atomic, a wait for it and
// buffer_inv sc1.

//| launch(block=64, grid=4)
//| buffer("memory", bytes=16384, fill=0)
//| kernarg(offset=16, buffer="memory")
//| no_output()
//| checks("mem,wait,sync,race")
//| STORE = "global_store_dword v255, v3, s[20:21] offset:256"
//| finding("race", STORE, STORE, message=("writes byte 256 of buffer", "which workgroup (0,0,0) writes"), count=64)
//| finding("race", STORE, STORE, message=("writes byte 8448 of buffer", "which workgroup (2,0,0) writes"), count=64)
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[20:21], s[0:1], 16
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v3, 1
  s_waitcnt lgkmcnt(0)
  s_cmp_gt_u32 s2, 1
  s_cbranch_scc1 .Lread
  global_atomic_add v4, v1, v3, s[20:21] sc0
  global_store_dword v255, v3, s[20:21] offset:256
  s_endpgm
.Lread:
  s_add_u32 s20, s20, 0x2000       // a page that the first two leave alone
  s_addc_u32 s21, s21, 0
  global_atomic_add v1, v3, s[20:21]
  s_waitcnt vmcnt(0)
  global_load_dword v5, v1, s[20:21]
  global_store_dword v255, v3, s[20:21] offset:256
END_KERNEL
