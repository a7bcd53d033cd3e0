// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-log-sum | FileCheck %s

// Each row of a lane has the sink of its head.
// CHECK: fmha.kernel
// CHECK: %[[LANES:.*]]:2 = fmha.to_lanes %[[SUMS:.*]] : {{.*}} -> vector<1xf32>, vector<1xf32>
// CHECK: %[[SUM0:.*]] = vector.extract %[[LANES]]#0[0]
// CHECK: %[[SUM1:.*]] = vector.extract %[[LANES]]#1[0]
// CHECK: %[[OWN:.*]]:2 = fmha.to_lanes %[[SINKS:.*]] : {{.*}} -> vector<1xf32>, vector<1xf32>
// CHECK: %[[SINK0:.*]] = vector.extract %[[OWN]]#0[0]
// CHECK: %[[SINK1:.*]] = vector.extract %[[OWN]]#1[0]
// CHECK: arith.maxnumf %[[SUM0]], %[[SINK0]] : f32
// CHECK: arith.maxnumf %[[SUM1]], %[[SINK1]] : f32
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rows = group, pipeline = <stages = [<@all compute [qk]>]>>
#rows = #fmha.lane_layout<fragment = 1, reg = [[32]], lane = [[1], [2], [4], [8], [16], [0]],
  wave = []>
!rows = !fmha.tile<64xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%sums: !rows, %sinks: !rows):
  %r, %w = fmha.add_sink %sums, %sinks of !rows : !rows
}
