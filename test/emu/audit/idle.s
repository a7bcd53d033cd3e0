// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %audit_test %s
//
// Waits that never wait: nothing is outstanding on any path, or no more than is allowed,
// or another has waited. Not those that wait on one of two paths, for a store, for a load
// direct to LDS, or in a later turn of a loop only; nor one after a call.
// Source: CDNA3 ISA 4.4 (s_waitcnt waits while a counter is above its count).

//| idle("s_waitcnt vmcnt(7)")
//| idle("s_waitcnt vmcnt(1) lgkmcnt(6)")
//| idle("s_waitcnt vmcnt(2)")
//| idle("s_waitcnt lgkmcnt(1)")
//| note("s_call_b64")
//| note("s_setpc_b64")
.set LDS, 1024
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v30, 0
  s_waitcnt vmcnt(7)
  global_load_dword v1, v30, s[4:5]
  s_waitcnt vmcnt(1) lgkmcnt(6)
  s_waitcnt vmcnt(0)

  global_store_dword v30, v30, s[6:7]
  s_mov_b32 m0, 0
  s_nop 0
  global_load_lds_dword v30, s[4:5]
  s_cbranch_scc1 .Lmore
  s_branch .Lmet
.Lmore:
  global_load_dword v1, v30, s[4:5]
.Lmet:
  s_waitcnt vmcnt(2)                // on one path
  s_waitcnt vmcnt(2)                // not again
  s_waitcnt vmcnt(1)
  s_waitcnt vmcnt(0)

.Lturn:
  s_waitcnt lgkmcnt(0)              // not in the first turn
  ds_read_b32 v2, v255
  s_waitcnt lgkmcnt(1)
  s_cbranch_scc0 .Lturn
  s_waitcnt lgkmcnt(0)
  s_call_b64 s[40:41], .Lfunction
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
.Lfunction:
  s_setpc_b64 s[40:41]
END_KERNEL
