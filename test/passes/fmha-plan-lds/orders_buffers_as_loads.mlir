// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds | FileCheck %s

// Buffers lie in the order of the loads, V first here. Tiles of 32 x 32 elements are
// 2048 bytes, 2 lines; 2 waves: the wave chooses the line. The read of K comes before its first use, the one of V, which has no
// use, is not made.
// CHECK-DAG: #[[KDMA:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4]], lane = [{{.*}}], wave = {{\[\[[0-9]+, [0-9]+\]\]}}>
// CHECK: fmha.kernel
// CHECK-NEXT: ^bb0
// CHECK-NEXT: %{{.*}} = fmha.lds_buffer v : !fmha.lds<32x32xbf16, 0, #{{.*}}>
// CHECK-NEXT: %{{.*}} = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 2048, #{{.*}}>
// CHECK: fmha.kv_loop
// CHECK-NEXT: {{.*}} = fmha.rows v 
// CHECK-NEXT: %{{.*}} = fmha.copy v {{.*}} dma(#{{.*}})
// CHECK-NEXT: {{.*}} = fmha.rows k 
// CHECK-NEXT: %{{.*}} = fmha.copy k {{.*}} dma(#{{.*}})
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: %{{.*}} = fmha.read k
// CHECK-NEXT: %{{.*}}:2 = fmha.to_lanes
// CHECK-NEXT: fmha.yield
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<32, bf16>, %vv: !fmha.view<32, bf16>, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at0 = fmha.rows v %vv, %t : !fmha.view<32, bf16>
    %v = fmha.load v %at0 : !fmha.rows<32, bf16> -> !fmha.tile<32x32xbf16, #v>
    %at1 = fmha.rows k %kv, %t : !fmha.view<32, bf16>
    %k = fmha.load k %at1 : !fmha.rows<32, bf16> -> !fmha.tile<32x32xbf16, #k>
    rocdl.s.barrier
    %a:2 = fmha.to_lanes %k : !fmha.tile<32x32xbf16, #k> -> vector<8xbf16>, vector<8xbf16>
    fmha.yield
  }
}
