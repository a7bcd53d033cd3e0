// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test --define EFFECT=1 %s
// RUN: %emu_test --define EFFECT=0 %s
//
// What is read of a matrix instruction or dot product one wait state too early is what was
// there before; the result arrives all the same, and with the states it is read. All elements
// of A and B are one, so that an entry of D is k + C.
// Source: the column `effect` of isa/rules/wait_states.def; CDNA4 ISA, table 38, for the states.

//| checks("none")
//| options("--hazards=" + ("effect" if EFFECT else "report"))
//| def pair(rule, old, new, arrived):
//|     for what, value in (("too early", old if EFFECT else new), ("in time", new),
//|                         ("arrived", arrived)):
//|         expect(f"{rule} {what}", [value] * 64)
//| def high(x):
//|     return b64(x) >> 32
//| five = 0x40a00000
.set LDS, 512
.include "effects.inc"

.set FIVE, 0x40a00000
.macro DS32
  ds_write_b32 v102, v1
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v100, v102
.endm
.macro DS64
  ds_write_b64 v102, v[0:1]
  s_waitcnt lgkmcnt(0)
  ds_read_b64 v[100:101], v102
.endm
KERNEL
  CONSTANTS

  // C
//| pair("mfma-c-same", b32(4 + 5), b32(4 + 4), b32(4))
  PAIR 0, 4, FIVE, 2, "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[72:73], v[76:77], 0", "v_mfma_f32_4x4x4_16b_f16 v[104:107], v[72:73], v[76:77], v[0:3]", v104, v0
//| pair("xdl-c-other", b32(32 + 5), b32(32 + 32), b32(32))
  PAIR 0, 4, FIVE, 6, "v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0", "v_mfma_f32_16x16x32_f16 v[104:107], v[72:75], v[76:79], v[0:3]", v107, v0
  // into what it reads: that is all that is left
//| pair("xdl-c-other", b32(32 + 5), b32(32 + 32), b32(32 + 32))
  PAIR 0, 4, FIVE, 6, "v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0", "v_mfma_f32_16x16x32_f16 v[0:3], v[72:75], v[76:79], v[0:3]", v1, v3
//| pair("sgemm-c-other", b32(32 + 5), b32(32 + 4), b32(4))
  PAIR 0, 4, FIVE, 8, "v_mfma_f32_16x16x4_f32 v[0:3], v80, v81, 0", "v_mfma_f32_16x16x32_bf16 v[104:107], v[64:67], v[68:71], v[0:3]", v104, v0
//| pair("xdl-c", b32(32 + 5), b32(32 + 32), b32(32))
  PAIR 0, 6, FIVE, 6, "v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0", "v_mfma_f32_16x16x32_bf16 v[104:107], v[64:67], v[68:71], v[2:5]", v105, v3
//| pair("xdl-c-wide", b32(4 + 5), b32(4 + 32), b32(32))
  PAIR 0, 6, FIVE, 6, "v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0", "v_mfma_f32_16x16x4_f32 v[104:107], v80, v81, v[2:5]", v104, v2
//| pair("sgemm-c", b32(4 + 5), b32(4 + 4), b32(4))
  PAIR 0, 6, FIVE, 8, "v_mfma_f32_16x16x4_f32 v[0:3], v80, v81, 0", "v_mfma_f32_16x16x4_f32 v[104:107], v80, v81, v[2:5]", v104, v2
//| pair("dgemm16-c", high(4.0), high(4.0 + 4.0), high(4.0))
  PAIR 0, 12, 0, 17, "v_mfma_f64_16x16x4_f64 v[0:7], v[82:83], v[82:83], 0", "v_mfma_f64_16x16x4_f64 v[104:111], v[82:83], v[82:83], v[4:11]", v105, v5
//| pair("dgemm4-c-same", high(4.0), high(4.0 + 4.0), high(4.0))
  PAIR 0, 2, 0, 4, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[82:83], v[82:83], 0", "v_mfma_f64_4x4x4_4b_f64 v[104:105], v[82:83], v[82:83], v[0:1]", v105, v1
//| pair("dgemm4-c", high(4.0), high(4.0 + 4.0), high(4.0))
  PAIR 0, 8, 0, 4, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[82:83], v[82:83], 0", "v_mfma_f64_16x16x4_f64 v[104:111], v[82:83], v[82:83], v[0:7]", v105, v1

  // A and B. 32.0 as two bf16 is 0 and 32.
//| pair("xdl-ab", b32(32), b32(16 * 32), b32(32))
  PAIR 0, 4, 0x3f803f80, 8, "v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0", "v_mfma_f32_16x16x32_bf16 v[104:107], v[0:3], v[68:71], 0", v104, v0
//| pair("xdl-ab", b32(32), b32(16 * 32), b32(16 * 32))
  PAIR 0, 4, 0x3f803f80, 8, "v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0", "v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[0:3], 0", v2, v3
//| pair("sgemm-ab", b32(4 * 5), b32(4 * 4), b32(4))
  PAIR 0, 4, FIVE, 10, "v_mfma_f32_16x16x4_f32 v[0:3], v80, v81, 0", "v_mfma_f32_16x16x4_f32 v[104:107], v1, v81, 0", v104, v1
//| pair("dgemm16-ab", 0, high(4 * 4.0), high(4.0))
  PAIR 0, 8, 0, 19, "v_mfma_f64_16x16x4_f64 v[0:7], v[82:83], v[82:83], 0", "v_mfma_f64_16x16x4_f64 v[104:111], v[82:83], v[2:3], 0", v105, v3
//| pair("dgemm4-ab", 0, high(4 * 4.0), high(4.0))
  PAIR 0, 2, 0, 6, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[82:83], v[82:83], 0", "v_mfma_f64_4x4x4_4b_f64 v[104:105], v[82:83], v[0:1], 0", v105, v1

  // vector ALU
//| pair("xdl-read", five, b32(32), b32(32))
  PAIR 0, 4, FIVE, 8, "v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0", "v_mov_b32_e32 v100, v1", v100, v1
//| pair("xdl-read", five, b32(64), b32(64))
  PAIR 0, 16, FIVE, 20, "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[112:119], v[112:119], 0", "v_mov_b32_e32 v100, v15", v100, v15
  // what reads is what writes
//| pair("xdl-read", b32(5 + 1), b32(32 + 1), b32(32 + 1))
  PAIR 0, 4, FIVE, 8, "v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0", "v_add_f32_e32 v1, 1.0, v1", v1, v1
//| pair("sgemm-read", b32(5 + 1), b32(4 + 1), b32(4))
  PAIR 0, 4, FIVE, 10, "v_mfma_f32_16x16x4_f32 v[0:3], v80, v81, 0", "v_add_f32_e32 v100, 1.0, v3", v100, v3
//| pair("dgemm16-read", 0, high(4.0), high(4.0))
  PAIR 0, 8, 0, 19, "v_mfma_f64_16x16x4_f64 v[0:7], v[82:83], v[82:83], 0", "v_mov_b32_e32 v100, v7", v100, v7
//| pair("dgemm4-read", 0, high(4.0), high(4.0))
  PAIR 0, 2, 0, 6, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[82:83], v[82:83], 0", "v_mov_b32_e32 v100, v1", v100, v1
  // another register
  v_mov_b32_e32 v103, 4.0
//| pair("xdl-read", b32(4), b32(4), b32(32))
  PAIR 0, 4, FIVE, 8, "v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0", "v_mov_b32_e32 v100, v103", v100, v1

  // memory: the data of an LDS store
  v_lshlrev_b32_e32 v102, 3, v86
//| pair("xdl-read", five, b32(32), b32(32))
  PAIR 0, 4, FIVE, 8, "v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0", "DS32", v100, v2
//| pair("dgemm16-memory", 0, high(4.0), high(4.0))
  PAIR 0, 8, 0, 18, "v_mfma_f64_16x16x4_f64 v[0:7], v[82:83], v[82:83], 0", "DS64", v101, v1
//| pair("dgemm4-memory", 0, high(4.0), high(4.0))
  PAIR 0, 2, 0, 9, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[82:83], v[82:83], 0", "DS64", v101, v1

  // vector ALU and dot products before others: twice as much in a quarter of k
//| pair("valu-mfma", b32(32), b32(32 + 8), 0x40004000)
  PAIR 0, 4, 0x3f803f80, 2, "v_mov_b32_e32 v1, 0x40004000", "v_mfma_f32_16x16x32_bf16 v[104:107], v[0:3], v[68:71], 0", v104, v1
//| pair("dot-ab", 8, 4, 4)
  PAIR 0, 1, 0x02020202, 3, "v_dot4_i32_i8 v0, v84, v85, 0", "v_dot4_i32_i8 v100, v0, v84, 0", v100, v0
//| pair("dot-read", 0x02020202, 4, 4)
  PAIR 0, 1, 0x02020202, 3, "v_dot4_i32_i8 v0, v84, v85, 0", "v_mov_b32_e32 v100, v0", v100, v0
//| pair("dot-read", b32(4 * 5), b32(4 * 2), b32(2))
  PAIR 0, 1, FIVE, 3, "v_dot2_f32_f16 v0, v72, v73, 0", "v_mfma_f32_16x16x4_f32 v[104:107], v0, v81, 0", v104, v0
END_KERNEL
