// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_cvt_pk_fp8_f32, v_cvt_pk_bf8_f32: OCP e4m3 and e5m2, nearest even; op_sel:[0,0,1]
// writes the high half; the other half is kept. Back: v_cvt_f32_fp8/bf8 of all bytes
// and v_cvt_pk_f32_fp8/bf8 of both words.
// Source: CDNA4 ISA pseudocode V_CVT_PK_FP8_F32 ("D0[31:16] are preserved"),
// V_CVT_F32_FP8, V_CVT_PK_F32_FP8; OCP 8-bit floating point specification, rev. 1.0;
// tinygrad/tinygrad:test/amd/hw/test_cdna_vop3.py (checked on gfx950 hardware: halves
// kept, e5m2 overflow gives infinity). e4m3 overflow: test/emu/ASSUMED.md.

//| exact = [decode(i, "fp8") for i in range(0, 0x7f)]
//| a = [0.0, -0.0, 1.0, -1.0, 448.0, -448.0, 464.0, 463.0, 2.0**-9, 2.0**-10, 2.0**-10 * 1.001,
//|      1.0625, 1.1875, 1.0624, 0.017578125, 3 * 2.0**-10, 240.0, 15.0, -17.0, 25.0]
//| a = [b32(x) for x in a] + random_f32(44, 35, -10, 7)
//| b = random_f32(44, 36, -12, 7) + a[:20]
//| w = random_f32(60, 37, -17, 14) + [0x47700000, 0x7f800000, 0xff800000, 0]
//| bytes4 = [int.from_bytes(bytes(range(4 * i, 4 * i + 4)), "little") for i in range(64)]
//| inputs(a=a, b=b, w=w, x=bytes4)
//| def e4m3(bits): return encode(f32(bits), "fp8")
//| def e5m2(bits): return encode(f32(bits), "bf8")
//| def wide(byte, fmt):
//|     v = decode(byte & 255, fmt)
//|     return NAN if math.isnan(v) else b32(v)
.include "prologue.inc"
KERNEL
  INPUTS 1, 4, 0
  LOADED
  v_mov_b32_e32 v10, 0xdeadbeef
  v_cvt_pk_fp8_f32 v10, v1, v2
  OUTPUT v10   // == 0xdead0000 | e4m3(a) | e4m3(b) << 8
  v_mov_b32_e32 v10, 0xdeadbeef
  v_cvt_pk_fp8_f32 v10, v1, v2 op_sel:[0,0,1]
  OUTPUT v10   // == 0x0000beef | e4m3(a) << 16 | e4m3(b) << 24
  v_cvt_pk_fp8_f32 v11, v1, v2
  v_cvt_pk_fp8_f32 v11, v2, v1 op_sel:[0,0,1]
  s_nop 0
  OUTPUT v11   // == e4m3(a) | e4m3(b) << 8 | e4m3(b) << 16 | e4m3(a) << 24
  v_cvt_pk_fp8_f32 v11, -v1, |v2|
  s_nop 0
  v_and_b32_e32 v11, 0xffff, v11
  OUTPUT v11   // == e4m3(neg32(a)) | e4m3(abs32(b)) << 8
  v_mov_b32_e32 v10, 0xdeadbeef
  v_cvt_pk_bf8_f32 v10, v3, v1
  OUTPUT v10   // == 0xdead0000 | e5m2(w) | e5m2(a) << 8

  v_cvt_f32_fp8_e32 v10, v4
  OUTPUT v10   // == wide(x, "fp8")
  v_cvt_f32_fp8_sdwa v10, v4 src0_sel:BYTE_1
  OUTPUT v10   // == wide(x >> 8, "fp8")
  v_cvt_f32_fp8_sdwa v10, v4 src0_sel:BYTE_2
  OUTPUT v10   // == wide(x >> 16, "fp8")
  v_cvt_f32_fp8_sdwa v10, v4 src0_sel:BYTE_3
  OUTPUT v10   // == wide(x >> 24, "fp8")
  v_cvt_f32_bf8_e32 v10, v4
  OUTPUT v10   // == wide(x, "bf8")
  v_cvt_f32_bf8_sdwa v10, v4 src0_sel:BYTE_3
  OUTPUT v10   // == wide(x >> 24, "bf8")
  v_cvt_pk_f32_fp8_e32 v[10:11], v4
  OUTPUT v10   // == wide(x, "fp8")
  OUTPUT v11   // == wide(x >> 8, "fp8")
  v_cvt_pk_f32_fp8_sdwa v[10:11], v4 src0_sel:WORD_1
  OUTPUT v10   // == wide(x >> 16, "fp8")
  OUTPUT v11   // == wide(x >> 24, "fp8")
  v_cvt_pk_f32_bf8_e32 v[10:11], v4
  OUTPUT v10   // == wide(x, "bf8")
  OUTPUT v11   // == wide(x >> 8, "bf8")
END_KERNEL
