// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-sync-to-rocdl -convert-amdgpu-to-rocdl=chipset=gfx950 | FileCheck %s

// s_waitcnt on gfx9 (LLVM AMDGPUUsage, SIDefines): vmcnt in bits 3:0 and 15:14,
// expcnt in 6:4, lgkmcnt in 11:8; the largest value of a field waits for nothing.
//
// Before each, and not after, an empty asm that may load and sched_barrier with
// mask 0: what stands before a wait is issued before it.
// CHECK: fmha.kernel
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
//
// vmcnt(n) alone: expcnt 7 << 4 = 0x70, lgkmcnt 15 << 8 = 0xF00, so 0x0F70 = 3952
// with the low 4 bits of n at 0 and the high 2 at 14.
// n = 0:  3952.
// CHECK-NEXT: %[[NOTHING:.*]] = arith.constant 0 : i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "", "I" %[[NOTHING]] : (i32) -> ()
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.waitcnt 3952
  amdgpu.memory_counter_wait load(0)
// n = 4:  3952 + 4 = 3956.
// CHECK-NEXT: %[[NOTHING:.*]] = arith.constant 0 : i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "", "I" %[[NOTHING]] : (i32) -> ()
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.waitcnt 3956
  amdgpu.memory_counter_wait load(4)
// n = 15: 3952 + 15 = 3967.
// CHECK-NEXT: %[[NOTHING:.*]] = arith.constant 0 : i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "", "I" %[[NOTHING]] : (i32) -> ()
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.waitcnt 3967
  amdgpu.memory_counter_wait load(15)
// n = 16: high bits 01: 3952 + 16384 = 20336.
// CHECK-NEXT: %[[NOTHING:.*]] = arith.constant 0 : i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "", "I" %[[NOTHING]] : (i32) -> ()
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.waitcnt 20336
  amdgpu.memory_counter_wait load(16)
// n = 37 = 0b100101: low 5, high 0b10: 3952 + 5 + 32768 = 36725.
// CHECK-NEXT: %[[NOTHING:.*]] = arith.constant 0 : i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "", "I" %[[NOTHING]] : (i32) -> ()
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.waitcnt 36725
  amdgpu.memory_counter_wait load(37)
// n = 63: low 15, high 0b11: 3952 + 15 + 49152 = 53119.
// CHECK-NEXT: %[[NOTHING:.*]] = arith.constant 0 : i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "", "I" %[[NOTHING]] : (i32) -> ()
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.waitcnt 53119
  amdgpu.memory_counter_wait load(63)
// lgkmcnt(0) alone: 0xC07F = 49279.
// CHECK-NEXT: %[[NOTHING:.*]] = arith.constant 0 : i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "", "I" %[[NOTHING]] : (i32) -> ()
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.waitcnt 49279
  amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: }
}
