// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Instructions the emulator does not have: exit 4, all of them named at once, before
// anything runs. (Take others when these get implemented.)

//| error(4, "v_qsad_pk_u16_u8", "v_mqsad_u32_u8", "v_cubeid_f32")
.include "prologue.inc"
KERNEL
  v_qsad_pk_u16_u8 v[2:3], v[4:5], v6, v[8:9]
  s_nop 0
  v_mqsad_u32_u8 v[12:15], v[4:5], v6, v[8:11]
  v_cubeid_f32 v20, v1, v2, v3
END_KERNEL
