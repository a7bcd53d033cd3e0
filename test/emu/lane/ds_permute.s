// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// ds_bpermute_b32 (pull), ds_permute_b32 (push), ds_swizzle_b32: no LDS memory involved,
// counted in lgkmcnt. Lanes off supply zeros to bpermute and push nothing.
// Source: CDNA4 ISA pseudocode DS_BPERMUTE_B32, DS_PERMUTE_B32 (address / 4 modulo 64, the
// offset added first; the highest lane wins), DS_SWIZZLE_B32 (quad and 32-lane bit modes);
// LLVM AMDGPUModifierSyntax "swizzle".

//| idx = [(l * 29 + 7) % 64 for l in range(64)]
//| many = [(l * l + 3) % 64 for l in range(64)]
//| inputs(a=random_u32(64, 15), p=[4 * x for x in idx], q=[4 * x + 256 * (x & 3) + 2 for x in many])
//| A = random_u32(64, 15)
//| matrix()
.set LDS, 0
.include "prologue.inc"
KERNEL
  INPUTS 1, 3, 0
  LOADED
  ds_bpermute_b32 v10, v2, v1
  ds_bpermute_b32 v11, v3, v1
  ds_bpermute_b32 v12, v2, v1 offset:8
  ds_permute_b32 v13, v2, v1
  ds_permute_b32 v14, v3, v1
  ds_swizzle_b32 v15, v1 offset:swizzle(QUAD_PERM,3,1,0,2)
  ds_swizzle_b32 v16, v1 offset:swizzle(BITMASK_PERM,"01pip")
  ds_swizzle_b32 v17, v1 offset:swizzle(SWAP,16)
  ds_swizzle_b32 v18, v1 offset:swizzle(REVERSE,8)
  ds_swizzle_b32 v19, v1 offset:swizzle(BROADCAST,4,2)
  s_waitcnt lgkmcnt(0)
  OUTPUT v10   // == A[idx[lane]]
  OUTPUT v11   // == A[many[lane]]
  OUTPUT v12   // == A[(idx[lane] + 2) % 64]
  OUTPUT v13   // == A[idx.index(lane)]
  OUTPUT v14   // == ([0] + [A[l] for l in range(64) if many[l] == lane])[-1]
  OUTPUT v15   // == A[lane & ~3 | (3, 1, 0, 2)[lane & 3]]
  OUTPUT v16   // == A[(lane & ~31) | ((lane & 31 & 0b00111 | 0b01000) ^ 0b00010)]
  OUTPUT v17   // == A[lane ^ 16]
  OUTPUT v18   // == A[lane ^ 7]
  OUTPUT v19   // == A[lane & ~3 | 2]
  // lanes 0..15 off
  v_mov_b32_e32 v10, 5
  v_mov_b32_e32 v13, 5
  s_mov_b64 s[20:21], 0xffff
  s_andn2_b64 exec, exec, s[20:21]
  ds_bpermute_b32 v10, v2, v1
  ds_permute_b32 v13, v2, v1
  s_mov_b64 exec, -1
  s_waitcnt lgkmcnt(0)
  OUTPUT v10   // == 5 if lane < 16 else A[idx[lane]] if idx[lane] >= 16 else 0
  OUTPUT v13   // == 5 if lane < 16 else A[idx.index(lane)] if idx.index(lane) >= 16 else 0
END_KERNEL
