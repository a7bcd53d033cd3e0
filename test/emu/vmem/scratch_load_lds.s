// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// scratch_load_lds_*: private memory direct to LDS, at M0 + offset + 4 * lane.
// Source: CDNA4 ISA 10.3, 10.5; forms below a dword extend to one: assumed, as global_load_lds.

//| inputs(a=random_u32(64, 95))
.set SCRATCH, 64
.set LDS, 4096
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  v_mov_b32_e32 v2, 8
  scratch_store_dword off, v1, off offset:8
  scratch_store_dword off, v0, off offset:12
  s_waitcnt vmcnt(0)
  s_movk_i32 m0, 256
  scratch_load_lds_dword v2, off offset:4
  s_movk_i32 m0, 1024
  scratch_load_lds_ubyte off, off offset:8
  s_movk_i32 m0, 2048
  scratch_load_lds_sshort v2, off
  s_waitcnt vmcnt(0)
  ds_read_b32 v10, v255 offset:260
  ds_read_b32 v11, v255 offset:1032
  ds_read_b32 v12, v255 offset:2048
  s_waitcnt lgkmcnt(0)
  OUTPUT v10     // == lane
  OUTPUT v11     // == a & 255
  OUTPUT v12     // == sext(a, 16)
END_KERNEL
