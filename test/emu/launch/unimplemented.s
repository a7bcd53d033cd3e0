// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Instructions the emulator refuses: exit 4, all of them at once, before anything runs
// (the store is a finding if it does), each with its mnemonic, its encoding, the pc and
// words of its first occurrence and how often it occurs.

//| error(4, "kernel test_kernel: instructions that the emulator does not know",
//|       "pc 0x18: s_setkill 1 (0xbf8b0001 0xbf800000): SOPP, no use in a compute kernel: it sets a bit of STATUS",
//|       "; 90 times",
//|       "s_rfe_b64 s[2:3] (0xbe801f02", "SOP1, no use",
//|       "s_rfe_restore_b64 s[2:3], s4 (0x", "SOP2, no use",
//|       "s_endpgm_saved (0xbf9b0000")
.include "prologue.inc"
KERNEL
  s_branch after
before:
  s_endpgm_saved
after:
.rept 90
  s_setkill 1
  s_nop 0
.endr
  s_rfe_b64 s[2:3]
  s_rfe_restore_b64 s[2:3], s4
  s_cbranch_scc0 before
  v_mov_b32_e32 v2, 0
  v_mov_b32_e32 v3, 0
  global_store_dword v[2:3], v0, off
END_KERNEL
