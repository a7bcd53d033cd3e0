// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// CHECK: module attributes {test.t0 = !fmha.view<128, bf16>, test.t1 = !fmha.view<64, f32>, test.t2 = !fmha.token}
module attributes {test.t0 = !fmha.view<128, bf16>, test.t1 = !fmha.view<64, f32>, test.t2 = !fmha.token} {}
