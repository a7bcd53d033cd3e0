// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-control-to-llvm | FileCheck %s

// What a kernel asks of the order of instructions becomes LLVM's attribute for it.
// CHECK-LABEL: llvm.func @few
// CHECK-SAME: ["amdgpu-sched-strategy", "iterative-minreg"]
// CHECK-LABEL: llvm.func @any
// CHECK-NOT: amdgpu-sched-strategy

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 3,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @few problem(#problem) schedule(#schedule) few_registers {
}
fmha.kernel @any problem(#problem) schedule(#schedule) {
}
