// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-control-to-llvm | FileCheck %s

// Zeros of each kernel are a constant of as many bytes as it asks for, aligned for a load of all; a
// kernel that asks for none has none.
// CHECK-DAG: llvm.mlir.global internal constant @k1_zeros() {addr_space = 4 : i32, alignment = 16 : i64} : !llvm.array<16 x i8>
// CHECK-DAG: llvm.mlir.global internal constant @k2_zeros() {addr_space = 4 : i32, alignment = 8 : i64} : !llvm.array<8 x i8>
// CHECK-DAG: llvm.mlir.zero : !llvm.array<16 x i8>
// CHECK-NOT: @k3_zeros
// CHECK: llvm.func @k1
// CHECK: %[[P1:.*]] = llvm.mlir.addressof @k1_zeros : !llvm.ptr<4>
// CHECK: %[[A1:.*]] = llvm.ptrtoint %[[P1]] : !llvm.ptr<4> to i64
// CHECK: llvm.inttoptr %[[A1]] : i64 to !llvm.ptr<1>
// CHECK: llvm.func @k2
// CHECK: llvm.mlir.addressof @k2_zeros : !llvm.ptr<4>
// CHECK: llvm.func @k3

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k1 problem(#problem) schedule(#schedule) {
  %0 = fmha.zeros 16
  %1 = fmha.id lane : i32
  %2 = llvm.inttoptr %0 : i64 to !llvm.ptr<1>
  llvm.store %1, %2 : i32, !llvm.ptr<1>
}
fmha.kernel @k2 problem(#problem) schedule(#schedule) {
  %0 = fmha.zeros 8
  %1 = fmha.id lane : i32
  %2 = llvm.inttoptr %0 : i64 to !llvm.ptr<1>
  llvm.store %1, %2 : i32, !llvm.ptr<1>
}
fmha.kernel @k3 problem(#problem) schedule(#schedule) {
}
