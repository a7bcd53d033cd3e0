// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// V that lies in K is read from K's buffers: two of K, two of its last columns, none of V. The
// layout has no bank conflicts of reads along rows, nor of those along columns.
// RUN: %fmhac-opt %s -fmha-tile-attention -fmha-assign-lane-layouts -fmha-plan-lds -fmha-verify-rung=rung=layouts -o %t 2> %t.remarks
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// The proof finds what a layout states of either kind of read.
// RUN: sed 's/chunk_bytes = 2048, pad_bytes = 16, bytes = 33024, conflict_ways = 1/chunk_bytes = 2048, pad_bytes = 16, bytes = 33024, conflict_ways = 2/' %t > %t.more
// RUN: not %fmhac-opt %t.more -fmha-verify-rung=rung=layouts 2>&1 | FileCheck %s --check-prefix=MORE

// CHECK: fmha.lds_buffer k : !fmha.lds<32x512xbf16, 0, #[[LAYOUT:[a-z_0-9]+]]>
// CHECK: fmha.lds_buffer k : !fmha.lds<32x512xbf16, 33024, #[[LAYOUT]]>
// CHECK: fmha.lds_buffer k_rope : !fmha.lds<32x64xbf16, 66048,
// CHECK: fmha.lds_buffer k_rope :
// CHECK-NOT: fmha.lds_buffer
// CHECK: fmha.kv_loop
// CHECK: %[[TOKEN:.*]] = fmha.copy k %{{.*}} into %[[BUFFER:[0-9]+]]
// CHECK: fmha.copy k_rope
// CHECK-NOT: fmha.copy
// CHECK: fmha.read k %[[BUFFER]] after %[[TOKEN]]
// CHECK: fmha.read v %[[BUFFER]] after %[[TOKEN]] {{.*}} -> !fmha.tile<32x512xbf16

// REMARK: k has LDS layout permuted: no bank conflicts, {{.*}} of its own reads and those of what else it holds
// MORE: expected the layout of a buffer of several operands to state the bank conflicts of their reads, 1 ways, found 2

#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 4, waves_per_simd = 1,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, shared = true>,
  pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.attention @shared problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 576, head_dim_v = 512, mask = none, rope_dim = 64, v_in_k = true>) schedule(#schedule)
