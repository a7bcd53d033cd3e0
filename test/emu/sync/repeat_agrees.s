// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// --repeat-schedules: what two waves exchange after a barrier does not depend on their order.
// Source: the contract of the command (docs/fmhac.1, --repeat-schedules).

//| launch(block=128)
//| inputs(a=random_u32(128, 31))
//| A = random_u32(128, 31)
//| options("--repeat-schedules=8")
.set LANES, 128
.set LDS, 1024
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  ds_write_b32 v255, v1
  v_xor_b32_e32 v3, 0x100, v255
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v2, v3
  s_waitcnt lgkmcnt(0)
  OUTPUT v2    // == A[lane ^ 64]
END_KERNEL
