// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds | FileCheck %s

// As many buffers as the schedule says, of one layout, after each other: padded lines of
// K are 1040 bytes, 16 of them 16640; V has no padding, 16384. Both are multiples of 256. The
// copy and the read take the first; whoever overlaps tiles takes them in turn.
// CHECK: fmha.kernel
// CHECK: %[[K0:.*]] = fmha.lds_buffer k : !fmha.lds<64x128xbf16, 0, #[[KL:.*]]>
// CHECK-NEXT: %{{.*}} = fmha.lds_buffer k : !fmha.lds<64x128xbf16, 16640, #[[KL]]>
// CHECK-NEXT: %[[V0:.*]] = fmha.lds_buffer v : !fmha.lds<64x128xbf16, 33280, #[[VL:.*]]>
// CHECK-NEXT: %{{.*}} = fmha.lds_buffer v : !fmha.lds<64x128xbf16, 49664, #[[VL]]>
// CHECK-NOT: fmha.lds_buffer
// CHECK: fmha.copy k %{{.*}} into %[[K0]]
// CHECK: fmha.copy v %{{.*}} into %[[V0]]
// CHECK: fmha.read k %[[K0]]
// CHECK: fmha.read v %[[V0]]

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 1, instructions = free, stages = [
    <@k_in memory [read_k, load_v]>,
    <@scores compute [qk]>,
    <@v_in memory [read_v ahead -1, load_k ahead 2]>,
    <@output compute [pv ahead -1]>]>>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0], [64, 0], [128, 0]]>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0], [0, 0]]>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0], [64, 0], [128, 0]]>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0], [64, 0], [128, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0], [0, 0]]>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32], [0, 64]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0], [64, 0], [128, 0]]>
!view = !fmha.view<128, bf16>
!q = !fmha.tile<256x128xbf16, #q>
!k = !fmha.tile<64x128xbf16, #k>
!s = !fmha.tile<256x64xf32, #s>
!p = !fmha.tile<256x64xbf16, #p>
!v = !fmha.tile<64x128xbf16, #v>
!o = !fmha.tile<256x128xf32, #o>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %q: !q, %i: i32, %hi: i32, %acc: !o):
  %r = fmha.kv_loop %t = %i to %hi iter_args(%o = %acc) -> (!o) {
    %at0 = fmha.rows k %view, %t : !view
    %k = fmha.load k %at0 : !fmha.rows<128, bf16> -> !k
    %at1 = fmha.rows v %view, %t : !view
    %v = fmha.load v %at1 : !fmha.rows<128, bf16> -> !v
    %s = fmha.product k %q, %k : !q, !k -> !s
    %p = fmha.convert %s : !s -> !p
    %o1 = fmha.product v %p, %v onto %o : !o : !p, !v -> !o
    fmha.yield %o1 : !o
  }
}
