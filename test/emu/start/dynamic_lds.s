// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Dynamic LDS comes after the static part.
// Source: the contract of LAUNCH.json, "dynamic_lds".

//| launch(dynamic_lds=4096)
//| inputs(a=random_u32(64, 82))
.set LDS, 256
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  ds_write_b32 v255, v1 offset:4096
  ds_read_b32 v2, v255 offset:4096
  s_waitcnt lgkmcnt(0)
  OUTPUT v2    // == a
END_KERNEL
