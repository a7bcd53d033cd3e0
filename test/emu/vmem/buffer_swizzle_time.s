// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cycle model sees each dword of an access through a swizzled descriptor where it lies: loads
// of 16 bytes a lane, lane after lane or dword after dword, touch the same bytes of memory, and
// take the same time.
// Source: the formula of CDNA4 ISA 9.1.5.2, by which both forms cover 1024 bytes a load.
//
// RUN: rm -rf %t && %emu_test --keep %t %s
// RUN: %fmhac emu --timing --json %t/LAUNCH.json > %t.linear.json
// RUN: sed -i s/1048576/2148532224/ %t/LAUNCH.json
// RUN: %fmhac emu --timing --json %t/LAUNCH.json > %t.swizzled.json
// RUN: grep '"cycles"' %t.linear.json %t.swizzled.json | FileCheck %s
// CHECK: linear.json:{{.*}}"cycles": [[CYCLES:[0-9]+]],
// CHECK: swizzled.json:{{.*}}"cycles": [[CYCLES]],
//
//| buffer("mem", bytes=65536, fill=0)
//| kernarg(offset=16, buffer="mem")
// 16 bytes an index; bit 31 swizzles:
//| kernarg(offset=24, u32=0x00100000)
//| no_output()
.include "prologue.inc"
KERNEL
  s_load_dwordx4 s[8:11], s[0:1], 16
  s_waitcnt lgkmcnt(0)
  s_and_b32 s9, s9, 0xffff
  s_or_b32 s9, s9, s10
  s_mov_b32 s10, 0
  s_mov_b32 s11, (3<<21)|(1<<23)
  s_mov_b32 s12, 0
  s_movk_i32 s13, 32
.Lloop:
  buffer_load_dwordx4 v[4:7], off, s[8:11], s12
  s_add_u32 s12, s12, 1024
  s_sub_u32 s13, s13, 1
  s_cmp_lg_u32 s13, 0
  s_cbranch_scc1 .Lloop
  s_waitcnt vmcnt(0)
END_KERNEL
