// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
// CHECK: #[[P:.*]] = #fmha.problem<
// CHECK: fmha.combine @sum parts problem(#[[P]]){{$}}
fmha.combine @sum parts problem(#problem)
// CHECK: fmha.combine @both results problem(#[[P]]){{$}}
fmha.combine @both results problem(#problem)
// CHECK: fmha.combine @tiled parts problem(#[[P]]) lanes 16 waves 4 launch(<grid = ["Sq", "1", "1"], block = 256>){{$}}
fmha.combine @tiled parts problem(#problem) lanes 16 waves 4 launch(#fmha.launch<grid = ["Sq", "1", "1"], block = 256>)
// CHECK: fmha.combine @lowered parts problem(#[[P]]) lanes 16 waves 4 launch({{.*}}) {
// CHECK: fmha.arg combine_count : i64
fmha.combine @lowered parts problem(#problem) lanes 16 waves 4 launch(#fmha.launch<grid = ["Sq", "1", "1"], block = 256>) {
  %0 = fmha.arg combine_count : i64
}
