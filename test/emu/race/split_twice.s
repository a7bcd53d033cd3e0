// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// A workgroup writes bytes of the same dwords before and after a barrier, another one the
// first of them: what stands before the barrier counts between workgroups as well. The bytes
// that only one workgroup writes are no finding.
// Source: two accesses to a byte by different workgroups, at least one a write, which nothing
// orders (LLVM "User Guide for AMDGPU Backend", memory model: agent scope).

//| launch(block=128, grid=2)
//| buffer("b", bytes=512)
//| kernarg(offset=16, buffer="b")
//| finding("race", "global_store_byte v255, v1, s[8:9]", "global_store_byte v255, v1, s[8:9]", message="byte 0 of buffer \"b\" (", count=128)
//| no_output()
//| checks("mem,wait,sync,race")
//| options("--threads=1")
.set LANES, 128
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v1, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 .Lsecond
  global_store_byte v255, v1, s[8:9]
  s_waitcnt vmcnt(0)
  s_barrier
  global_store_byte v255, v1, s[8:9] offset:1
  s_endpgm
.Lsecond:
  global_store_byte v255, v1, s[8:9]
  global_store_short v255, v1, s[8:9] offset:2
END_KERNEL
