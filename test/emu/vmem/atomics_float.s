// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// global_atomic_pk_add_f16, global_atomic_pk_add_bf16, global_atomic_add_f64: exact sums.
// Source: CDNA4 ISA pseudocode GLOBAL_ATOMIC_*
// (tinygrad/tinygrad:tinygrad/runtime/autogen/amd/cdna/str_pcode.py).

//| s = rng(130)
//| n = [[s(5) - 16 for _ in range(64)] for _ in range(4)]
//| def halves(x, y): return [b16(float(p)) | b16(float(q)) << 16 for p, q in zip(x, y)]
//| def brains(x, y): return [bb16(float(p)) | bb16(float(q)) << 16 for p, q in zip(x, y)]
//| inputs(halves(n[0], n[1]), halves(n[2], n[3]), brains(n[0], n[1]), brains(n[2], n[3]))
//| inputs(f=random_f32(64, 131, -3, 3), g=random_f32(64, 132, -3, 3))
//| sums = [p + q for p, q in zip(n[0], n[2])], [p + q for p, q in zip(n[1], n[3])]
//| buffer("memory", bytes=4096, fill=0)
//| kernarg(offset=16, buffer="memory")
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 16
  INPUTS 1, 6, 0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_cvt_f64_f32_e32 v[20:21], v5
  v_cvt_f64_f32_e32 v[22:23], v6
  v_lshlrev_b32_e32 v24, 3, v0
  global_store_dword v255, v1, s[8:9]
  global_store_dword v255, v3, s[8:9] offset:256
  global_store_dwordx2 v24, v[20:21], s[8:9] offset:512
  s_waitcnt vmcnt(0)
  global_atomic_pk_add_f16 v255, v2, s[8:9]
  global_atomic_pk_add_bf16 v255, v4, s[8:9] offset:256
  global_atomic_add_f64 v24, v[22:23], s[8:9] offset:512
  s_waitcnt vmcnt(0)
  global_load_dword v30, v255, s[8:9]
  global_load_dword v31, v255, s[8:9] offset:256
  global_load_dwordx2 v[32:33], v24, s[8:9] offset:512
  s_waitcnt vmcnt(0) lgkmcnt(0)
  OUTPUT v30   // == halves(*sums)[lane]
  OUTPUT v31   // == brains(*sums)[lane]
  OUTPUT64 v32, v33   // == b64(f32(f) + f32(g))
END_KERNEL
