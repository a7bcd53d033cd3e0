// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Two workgroups add to a dword with atomics that return nothing, and nobody reads it: that
// orders nothing, and their plain stores to the same dwords race.
// Source: an ordering between workgroups takes an atomic that reads what an atomic of the
// other wrote (LLVM Language Reference, "Memory Model for Concurrent Operations").

//| launch(block=64, grid=2)
//| buffer("memory", bytes=4096, fill=0)
//| kernarg(offset=16, buffer="memory")
//| finding("race", "global_store_dword v255, v3, s[20:21] offset:256", "global_store_dword v255, v3, s[20:21] offset:256", message=("writes byte 256 of buffer", "which workgroup (0,0,0) writes", "nothing orders"), count=64)
//| no_output()
//| checks("mem,wait,sync,race")
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[20:21], s[0:1], 16
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v3, 1
  s_waitcnt lgkmcnt(0)
  global_atomic_add v1, v3, s[20:21]
  global_store_dword v255, v3, s[20:21] offset:256
END_KERNEL
