// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Transposing LDS reads must be aligned to what a lane reads; of 12 bytes, a dword is certain.
// Source: CDNA4 ISA 11.4 ("It is required that the LDS address be aligned to the data size").

//| no_output()
//| undefined = "what is read is not defined"
//| finding("mem", "ds_read_b64_tr_b16 v[10:11], v2 offset:4", message=("lane 0 reads 8 bytes at LDS address 0x4, which is no multiple of 8", undefined), count=64)
//| finding("mem", "ds_read_b64_tr_b16 v[12:13], v7", message=("lane 9 reads 8 bytes at LDS address 0x4c, ", undefined), count=1)
//| finding("mem", "ds_read_b64_tr_b8", message=("no multiple of 8", undefined), count=64)
//| finding("mem", "ds_read_b64_tr_b4", message=("no multiple of 8", undefined), count=64)
//| finding("mem", "ds_read_b96_tr_b6 v[20:22], v6 offset:2", message=("no multiple of 4", undefined), count=64)
.set LDS, 1024
.include "prologue.inc"
KERNEL
  v_lshlrev_b32_e32 v2, 3, v0
  v_mul_u32_u24_e32 v6, 12, v0
  v_cmp_eq_u32_e32 vcc, 9, v0
  v_cndmask_b32_e64 v7, 0, 4, vcc
  v_add_u32_e32 v7, v7, v2
  ds_read_b64_tr_b16 v[8:9], v2 offset:8
  ds_read_b64_tr_b16 v[10:11], v2 offset:4
  ds_read_b64_tr_b16 v[12:13], v7
  ds_read_b64_tr_b8 v[8:9], v2
  ds_read_b64_tr_b8 v[14:15], v2 offset:2
  ds_read_b64_tr_b4 v[8:9], v2
  ds_read_b64_tr_b4 v[16:17], v2 offset:1
  ds_read_b96_tr_b6 v[18:20], v6
  s_waitcnt lgkmcnt(0)
  ds_read_b96_tr_b6 v[18:20], v6 offset:4
  s_waitcnt lgkmcnt(0)
  ds_read_b96_tr_b6 v[20:22], v6 offset:2
  s_waitcnt lgkmcnt(0)
END_KERNEL
