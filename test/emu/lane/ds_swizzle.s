// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// ds_swizzle_b32: the FFT and rotate modes.
// Source: the lists of source lanes in CDNA4 ISA, DS_SWIZZLE_B32 (FFT with masks 0, 0x10,
// 0x1f, written down below as printed there, counted from 1); rotation by LLVM
// "AMDGPUModifierSyntax", swizzle: within 32 lanes, mask bits stay.

//| inputs(a=random_u32(64, 41))
//| A = random_u32(64, 41)
//| FFT = {0x00: "1,11,9,19,5,15,d,1d,3,13,b,1b,7,17,f,1f,2,12,a,1a,6,16,e,1e,4,14,c,1c,8,18,10,20",
//|        0x10: "1,9,5,d,3,b,7,f,2,a,6,e,4,c,8,10,11,19,15,1d,13,1b,17,1f,12,1a,16,1e,14,1c,18,20",
//|        0x1f: ",".join("%x" % (i + 1) for i in range(32))}
//| FROM = {m: [int(x, 16) - 1 for x in t.split(",")] for m, t in FFT.items()}
//| def fft(mask): return A[lane & 32 | FROM[mask][lane & 31]]
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  ds_swizzle_b32 v10, v1 offset:0xe000
  ds_swizzle_b32 v11, v1 offset:0xe010
  ds_swizzle_b32 v12, v1 offset:0xe01f
  ds_swizzle_b32 v13, v1 offset:0xc060       // rotate by 3
  ds_swizzle_b32 v14, v1 offset:0xc460       // the other way
  ds_swizzle_b32 v15, v1 offset:0xc118       // rotate by 8 within 8 lanes: mask 0x18
  s_mov_b64 exec, 0xffff
  v_mov_b32_e32 v16, 9
  ds_swizzle_b32 v16, v1 offset:0xc060
  s_mov_b64 exec, -1
  ds_swizzle_b32 v17, v1 offset:0xc078       // rotate by 3, mask 0x18
  s_waitcnt lgkmcnt(0)
  OUTPUT v10   // == A[lane & 32 | FROM[0][lane & 31]]
  OUTPUT v11   // == A[lane & 32 | FROM[0x10][lane & 31]]
  OUTPUT v12   // == A[lane & 32 | FROM[0x1f][lane & 31]]
  OUTPUT v13   // == A[lane & 32 | (lane + 3) & 31]
  OUTPUT v14   // == A[lane & 32 | (lane - 3) & 31]
  OUTPUT v15   // == a
  OUTPUT v16   // == None if lane >= 16 else A[lane + 3] if lane < 13 else 0
  OUTPUT v17   // == A[lane & 56 | (lane + 3) & 7]
END_KERNEL
