// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// --placement=adversarial: a multiple of 4 GiB lies inside each buffer that asks for no address,
// which is a multiple of 512; an explicit base stands.
// Source: the contract (runtime/public/fmhac_emu.h, FMHAC_EMU_PLACEMENT_ADVERSARIAL).

//| options("--placement=adversarial")
//| SIZES = {"a": 1024, "b": 4096, "c": 1000003, "d": 3 << 30, "e": 9 << 32}
//| for i, (name, size) in enumerate(SIZES.items()):
//|     buffer(name, bytes=size)
//|     kernarg(offset=16 + 8 * i, buffer=name)
//| buffer("small", bytes=300)
//| kernarg(offset=56, buffer="small")
//| buffer("fixed", bytes=4096, base="0x130000010000")
//| kernarg(offset=64, buffer="fixed")
.include "prologue.inc"
KERNEL
  s_load_dwordx16 s[20:35], s[0:1], 16
  s_waitcnt lgkmcnt(0)
.macro CROSSES low, high, bytes_low, bytes_high
  // (base + bytes - 1) >> 32 is more than base >> 32
  s_add_u32 s40, \low, \bytes_low-1
  s_addc_u32 s41, \high, \bytes_high
  s_cmp_lg_u32 s41, \high
  s_cselect_b32 s42, 1, 0
  s_and_b32 s43, \low, 511
  OUTPUT_S s42
  OUTPUT_S s43
.endm
  CROSSES s20, s21, 1024, 0
  CROSSES s22, s23, 4096, 0
  CROSSES s24, s25, 1000003, 0
  CROSSES s26, s27, 3<<30, 0
  CROSSES s28, s29, 0, 8
  CROSSES s30, s31, 300, 0
  OUTPUT_S s32
  OUTPUT_S s33
END_KERNEL
//| for name in list(SIZES) + ["small"]:
//|     expect(name + " crosses", [0 if name == "small" else 1] * 64)
//|     expect(name + " modulo 512", [0] * 64)
//| expect("fixed lo", [0x10000] * 64)
//| expect("fixed hi", [0x1300] * 64)
