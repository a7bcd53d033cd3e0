// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-control-to-llvm | FileCheck %s

// The LDS of each kernel is one global of as many bytes as it asks for, aligned for any
// line of a copy; a kernel without LDS has none.
// CHECK-DAG: llvm.mlir.global internal @k1_lds() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<8512 x i8>
// CHECK-DAG: llvm.mlir.global internal @k2_lds() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<1024 x i8>
// CHECK-NOT: @k3_lds
// CHECK: llvm.func @k1
// CHECK: %[[L1:.*]] = llvm.mlir.addressof @k1_lds : !llvm.ptr<3>
// CHECK: llvm.store %{{.*}}, %[[L1]]
// CHECK: llvm.func @k2
// CHECK: %[[L2:.*]] = llvm.mlir.addressof @k2_lds : !llvm.ptr<3>
// CHECK: llvm.store %{{.*}}, %[[L2]]
// CHECK: llvm.func @k3

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k1 problem(#problem) schedule(#schedule) {
  %0 = fmha.lds_base 8512 : !llvm.ptr<3>
  %1 = fmha.id lane : i32
  llvm.store %1, %0 : i32, !llvm.ptr<3>
}
fmha.kernel @k2 problem(#problem) schedule(#schedule) {
  %0 = fmha.lds_base 1024 : !llvm.ptr<3>
  %1 = fmha.id lane : i32
  llvm.store %1, %0 : i32, !llvm.ptr<3>
}
fmha.kernel @k3 problem(#problem) schedule(#schedule) {
}
