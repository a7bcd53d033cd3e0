// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Float atomics on LDS: ds_pk_add_f16, ds_pk_add_bf16, ds_add_f64, ds_min_f32, ds_max_f32.
// Exact sums only.
// Source: CDNA4 ISA pseudocode DS_PK_ADD_F16, DS_PK_ADD_BF16, DS_ADD_F64, DS_MAX_F32
// (tinygrad/tinygrad:tinygrad/runtime/autogen/amd/cdna/str_pcode.py).

//| s = rng(130)
//| n = [[s(5) - 16 for _ in range(64)] for _ in range(4)]
//| def halves(x, y): return [b16(float(p)) | b16(float(q)) << 16 for p, q in zip(x, y)]
//| def brains(x, y): return [bb16(float(p)) | bb16(float(q)) << 16 for p, q in zip(x, y)]
//| inputs(halves(n[0], n[1]), halves(n[2], n[3]), brains(n[0], n[1]), brains(n[2], n[3]))
//| inputs(f=random_f32(64, 131, -3, 3), g=random_f32(64, 132, -3, 3))
//| sums = [p + q for p, q in zip(n[0], n[2])], [p + q for p, q in zip(n[1], n[3])]
.set LDS, 4096
.include "prologue.inc"
KERNEL
  INPUTS 1, 6, 0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  ds_write_b32 v255, v1
  ds_pk_add_f16 v255, v2
  ds_read_b32 v10, v255
  ds_write_b32 v255, v3 offset:256
  ds_pk_add_rtn_bf16 v11, v255, v4 offset:256
  ds_read_b32 v12, v255 offset:256
  ds_write_b32 v255, v5 offset:512
  ds_max_f32 v255, v6 offset:512
  ds_read_b32 v13, v255 offset:512
  ds_write_b32 v255, v5 offset:512
  ds_min_f32 v255, v6 offset:512
  ds_read_b32 v14, v255 offset:512
  v_cvt_f64_f32_e32 v[20:21], v5
  v_cvt_f64_f32_e32 v[22:23], v6
  v_lshlrev_b32_e32 v24, 3, v0
  ds_write_b64 v24, v[20:21] offset:1024
  ds_add_f64 v24, v[22:23] offset:1024
  ds_read_b64 v[26:27], v24 offset:1024
  s_waitcnt vmcnt(0) lgkmcnt(0)
  OUTPUT v10   // == halves(*sums)[lane]
  OUTPUT v11   // == brains(n[0], n[1])[lane]
  OUTPUT v12   // == brains(*sums)[lane]
  OUTPUT v13   // == max32(f, g)
  OUTPUT v14   // == min32(f, g)
  OUTPUT64 v26, v27   // == b64(f32(f) + f32(g))
END_KERNEL
