// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-sync-to-rocdl | FileCheck %s

// An empty instruction that claims to read what is anchored, in vector registers: 16 f32
// as they are, 8 bf16 as the 4 words that they lie in, one f32 as itself. Of each at most
// 16 operands.
// CHECK: %[[W:.*]]:2 = fmha.to_lanes %{{.*}} -> vector<16xf32>, vector<16xf32>
// CHECK: %[[P:.*]]:4 = fmha.to_lanes %{{.*}} -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
// CHECK: %[[P0:.*]] = llvm.bitcast %[[P]]#0 : vector<8xbf16> to vector<4xi32>
// CHECK: %[[L:.*]] = fmha.to_lanes %{{.*}} -> vector<1xf32>
// CHECK: %[[L0:.*]] = vector.extract %[[L]][0] : f32 from vector<1xf32>
// CHECK: llvm.inline_asm has_side_effects "", "v,v,v,v,v,v,v" %[[W]]#0, %[[W]]#1, %[[P0]], %{{.*}}, %{{.*}}, %{{.*}}, %[[L0]] : (vector<16xf32>, vector<16xf32>, vector<4xi32>, vector<4xi32>, vector<4xi32>, vector<4xi32>, f32) -> ()
// 32 rows a lane, one value each: 16 and 16.
// CHECK: llvm.inline_asm has_side_effects "", "v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v"
// CHECK: llvm.inline_asm has_side_effects "", "v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v"
// A number that all lanes share, in a scalar register.
// CHECK: llvm.inline_asm has_side_effects "", "s" %{{.*}} : (i32) -> ()
// CHECK-NOT: llvm.inline_asm
// CHECK-NOT: fmha.anchor

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0], [64, 0], [128, 0]]>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0], [64, 0], [128, 0]]>
#row = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32], [64], [128]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [[1], [2], [4], [8], [16]], lane = [[0], [0], [0], [0], [0], [0]], wave = [[32], [64], [128]]>
!s = !fmha.tile<256x64xf32, #s>
!p = !fmha.tile<256x64xbf16, #p>
!row = !fmha.tile<256xf32, #row>
!rows = !fmha.tile<256xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %p: !p, %row: !row, %rows: !rows, %page: i32):
  fmha.anchor %s, %p, %row : !s, !p, !row
  fmha.anchor %rows : !rows
  fmha.anchor %page : i32
}
