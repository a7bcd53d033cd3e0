// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// One wave spins for ever while the others wait at a barrier: the run ends at its
// instruction budget with exit code 4, and the report tells of the barrier.

//| launch(block=256)
//| options("--max-instructions=200000")
//| error(4, "s_barrier")
.set LANES, 256
.include "prologue.inc"
KERNEL
  v_readfirstlane_b32 s20, v0
  s_cmp_eq_u32 s20, 64
.Lspin:
  s_cbranch_scc1 .Lspin
  s_barrier
END_KERNEL
