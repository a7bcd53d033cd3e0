// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a problem has besides its mask, through the whole pipeline with `generic`: M = 128
// rows, N = 64 keys, 4 waves of 32 rows, D = 128. A lane has 64 / 2 = 32 scores of its
// row, one correction and one row of the results.
//
// RUN: split-file %s %t
//
// Every mask but none cuts by two comparisons a score, or by one without a first key.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/top.mlir > %t/top.out
// RUN: grep "rocdl.exp2" %t/top.out | count 33
// RUN: not grep "llvm.icmp .sle. " %t/top.out
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/window.mlir > %t/window.out
// RUN: grep "rocdl.exp2" %t/window.out | count 33
// RUN: grep "llvm.icmp .sle. " %t/window.out | count 32
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/right.mlir > %t/right.out
// RUN: grep "rocdl.exp2" %t/right.out | count 33
// RUN: not grep "llvm.icmp .sle. " %t/right.out
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/chunked.mlir > %t/chunked.out
// RUN: grep "rocdl.exp2" %t/chunked.out | count 33
// RUN: grep "llvm.icmp .sle. " %t/chunked.out | count 32
//
// A bias is one load of 4 bytes a score, and the tile loads of Q, 8, are as before.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/bias.mlir > %t/bias.out
// RUN: grep "rocdl.raw.ptr.buffer.load %.* : f32" %t/bias.out | count 32
// RUN: grep "rocdl.raw.ptr.buffer.load %.* : vector<4xi32>" %t/bias.out | count 8
//
// A cap, written out, has one exponential a score of its own; nothing is left of tanh.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/cap.mlir > %t/cap.out
// RUN: not grep "tanh" %t/cap.out
//
// One scalar load of the slope of a head.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/alibi.mlir > %t/alibi.out
// RUN: grep "llvm.load .* invariant .*!llvm.ptr<4> -> f32" %t/alibi.out | count 1
//
// LSE is one store of 4 bytes; O in f32 is 32 * 128 * 4 / 1024 = 16 of 16 bytes. The sink
// is one scalar load and 3 exponentials more: of both sums and of the weight.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/lse.mlir > %t/lse.out
// RUN: grep "rocdl.raw.ptr.buffer.store %.* : f32" %t/lse.out | count 1
// RUN: grep "rocdl.raw.ptr.buffer.store %.* : vector<4xi32>" %t/lse.out | count 16
// RUN: grep "llvm.load .* invariant .*!llvm.ptr<4> -> f32" %t/lse.out | count 1
//
// Packed sequences: two elements of each array of cumulative lengths, c[b] and c[b + 1].
// Lengths: one element of each.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/packed.mlir > %t/packed.out
// RUN: grep "llvm.load .* invariant .*!llvm.ptr<4> -> i32" %t/packed.out | count 4
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/lengths.mlir > %t/lengths.out
// RUN: grep "llvm.load .* invariant .*!llvm.ptr<4> -> i32" %t/lengths.out | count 2
//
// A function of scores stands once for each of them.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/mod.mlir > %t/mod.out
// RUN: grep "llvm.srem" %t/mod.out | count 32

//--- top.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal_top_left>)

//--- window.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = window, window_left = 100, window_right = 7>)

//--- right.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = window, window_right = 7>)

//--- chunked.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = chunked, chunk = 100>)

//--- bias.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal, bias = true>)

//--- cap.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal, softcap = 30.0 : f32>)

//--- alibi.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal, alibi = true>)

//--- lse.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = f32, head_dim_qk = 128, head_dim_v = 128, mask = causal, sink = true, lse = true>)

//--- packed.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal, varlen_q = true, varlen_kv = true>)

//--- lengths.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal, lengths_q = true, lengths_kv = true>)

//--- mod.mlir
fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  %d = arith.remsi %row, %key : i32
  %f = arith.sitofp %d : i32 to f32
  %y = arith.addf %score, %f : f32
  fmha.yield %y : f32
}
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal, score_mod = true>)
