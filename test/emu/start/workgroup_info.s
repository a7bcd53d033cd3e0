// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The work-group info register: bit 31 in the first wave, bits 5:0 the waves of the group. The
// wave's number in the group is not compared: documents put it elsewhere or leave it out.
// Source: CDNA4 ISA 3.13, Table 8; LLVM AMDGPUUsage "Work-Group Info" ({first_wave, 14'b0000,
// ordered_append_term[10:0], threadgroup_size_in_waves[5:0]}).

//| launch(block=192)
.set LANES, 192
.set WORKGROUP_INFO, 1
.include "prologue.inc"
KERNEL
  s_and_b32 s20, s3, 0x8000003f
  OUTPUT_S s20 // == 3 | (0x80000000 if lane < 64 else 0)
END_KERNEL
