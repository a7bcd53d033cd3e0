// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-quantize | FileCheck %s

// The largest magnitude of a row, of which two lanes have halves, and the factor, each as mantissa and
// exponent. 448 is 0.875 * 2^9: a product of mantissas of up to 0.4375 is multiplied by 2^10, up to
// 0.875 by 2^9, beyond by 2^8. Exponents are biased by 127.
// CHECK-LABEL: fmha.kernel @k
// CHECK: %[[C:.*]] = math.absf %[[FACTOR:[a-z0-9]+]] : f32
// CHECK: %[[CM:.*]] = llvm.call_intrinsic "llvm.amdgcn.frexp.mant.f32"(%[[C]])
// CHECK: llvm.call_intrinsic "llvm.amdgcn.frexp.exp.i32.f32"(%[[C]])
// CHECK: rocdl.permlane32.swap
// CHECK: %[[RM:.*]] = llvm.call_intrinsic "llvm.amdgcn.frexp.mant.f32"(%[[MOST:.*]])
// CHECK: llvm.call_intrinsic "llvm.amdgcn.frexp.exp.i32.f32"(%[[MOST]])
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[RM]], %[[CM]]
// CHECK: %[[WHOLE:.*]] = arith.constant 8.750000e-01 : f32
// CHECK: arith.cmpf ole, %[[PRODUCT]], %[[WHOLE]]
// CHECK: %[[HALF:.*]] = arith.constant 4.375000e-01 : f32
// CHECK: arith.cmpf ole, %[[PRODUCT]], %[[HALF]]
// The matrix instruction gets no more than 2^100; what is above that is beside it.
// CHECK: %[[ALL:.*]] = arith.maxsi
// CHECK: %[[MOST:.*]] = arith.constant 227 : i32
// CHECK: %[[LOW:.*]] = arith.minsi %[[ALL]], %[[MOST]]
// CHECK: %[[OVER:.*]] = arith.subi %[[ALL]], %[[LOW]]
// CHECK: %[[HIGH:.*]] = arith.shli %[[OVER]], %{{.*}}
// CHECK: %[[ONE:.*]] = arith.constant 32512 : i32
// CHECK: %[[BOTH:.*]] = arith.ori %[[LOW]], %[[ONE]]
// CHECK: arith.ori %[[BOTH]], %[[HIGH]]
// Elements: first times a power of two, which is exact, then times the factor's mantissa.
// CHECK: %[[FM:.*]] = llvm.call_intrinsic "llvm.amdgcn.frexp.mant.f32"(%[[FACTOR]])
// CHECK: %[[X:.*]] = llvm.call_intrinsic "llvm.ldexp.f32.i32"(
// CHECK: arith.mulf %[[X]], %[[FM]]
// CHECK-NOT: llvm.intr.fma
// CHECK-COUNT-16: rocdl.cvt.pk.fp8.f32
// CHECK-NOT: rocdl.cvt.pk.fp8.f32
// The exact product: what the f32 one leaves makes it odd.
// CHECK: %[[P:.*]] = arith.mulf %[[Y:.*]], %[[M:.*]] : f32
// CHECK: %[[N:.*]] = arith.negf %[[P]]
// CHECK: %[[REST:.*]] = llvm.intr.fma(%[[Y]], %[[M]], %[[N]])
// CHECK: arith.cmpf one, %[[REST]], %{{.*}}
// CHECK-COUNT-16: rocdl.cvt.pk.fp8.f32
// CHECK-NOT: fmha.quantize
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
!q = !fmha.tile<32x64xbf16, #q>
!q8 = !fmha.tile<32x64xf8E4M3FN, #q>
!rows = !fmha.tile<32xi32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !q, %factor: f32):
  %e = fmha.row_exponents %q, %factor to f8E4M3FN : !q -> !rows
  %0 = fmha.quantize %q, %factor by %e : !q, !rows -> !q8
  %1 = fmha.to_lanes %0 : !q8 -> vector<32xi8>
  %2 = fmha.quantize %q, %factor by %e exact : !q, !rows -> !q8
  %3 = fmha.to_lanes %2 : !q8 -> vector<32xi8>
}
