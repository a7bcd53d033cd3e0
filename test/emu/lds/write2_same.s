// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// ds_write2 with equal offsets writes the first data only; ds_read2 with equal offsets.
// Source: CDNA4 ISA 11.3.1 ("Specify only one address by setting both offsets to the same
// value. This causes only one read or write to occur and uses only the first DATA0").

//| inputs(a=random_u32(64, 37), b=random_u32(64, 38))
//| matrix()
.set LDS, 4096
.include "prologue.inc"
KERNEL
  INPUTS 2, 2, 0
  LOADED
  v_lshlrev_b32_e32 v1, 3, v0
  ds_write2_b32 v1, v2, v3 offset0:5 offset1:5
  ds_write2st64_b32 v255, v2, v3 offset0:9 offset1:9
  s_waitcnt lgkmcnt(0)
  ds_read2_b32 v[10:11], v1 offset0:5 offset1:5
  ds_read_b32 v12, v255 offset:9*256
  s_waitcnt lgkmcnt(0)
  OUTPUT v10   // == a
  OUTPUT v11   // == a
  OUTPUT v12   // == a
END_KERNEL
