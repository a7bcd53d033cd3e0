// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Instructions that change no register: priorities, sleeps, cache operations, nops.
// Source: CDNA3 ISA, SOPP and cache control (performance and ordering only).

//| inputs(a=random_u32(64, 120))
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  s_mov_b32 s20, 5
  s_cmp_eq_u32 s20, 5
  s_setprio 3
  s_setprio 0
  s_sleep 1
  s_nop 15
  v_nop
  s_dcache_inv
  s_dcache_wb
  s_icache_inv
  buffer_wbl2 sc0 sc1
  buffer_inv sc0 sc1
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_cselect_b32 s21, 1, 0
  OUTPUT v1    // == a
  OUTPUT_S s20 // == 5
  OUTPUT_S s21 // == 1
END_KERNEL
