// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Head sizes that are no power of two, through the whole pipeline. 4 waves of 32 rows,
// 32x32x16, tiles of N keys: 64 for `generic`, 32 for `generic_wide`. With D = Dqk = Dv:
// - QK: N / 32 strips * ceil(D / 16) steps; PV: ceil(D / 32) chunks * N / 16 steps.
// - Reads: of K as many as QK has instructions, of V 2 for each of PV.
// - Q: ceil(D / 16) loads of 16 columns, O as many stores, or with f32 ceil(D / 8).
// - Copies: LDS holds C columns, the power of two at or above D, and of K no less than
//   16, of V 32. A copy of 4 waves takes 4 lines of 1024 bytes, N * C * 2 / 4096 copies in all;
//   where that is no whole number, lines have 256 bytes and it is N * C * 2 / 1024. Lines are
//   cut so that copies of padding only are left out where there can be any: the upper quarter
//   of 256 columns. Elsewhere padding lanes are guarded.
// - Guards: a load of Q and a store of O if D is no multiple of 16; every copy with padding
//   (copies of the same columns share one).
// - K's copies stand twice: before the loop for the first tile, in it for the next.
//
// RUN: split-file %s %t
//
// D = 8: QK 2 * 1, PV 1 * 4; C = 16 and 32.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table --schedule generic %t/d8.mlir > %t/d8.out
// RUN: grep "rocdl.mfma.f32.32x32x16.bf16" %t/d8.out | count 6
// RUN: grep "llvm.load .* vector<8xbf16>" %t/d8.out | count 2
// RUN: grep "rocdl.ds.read.tr16.b64" %t/d8.out | count 8
// RUN: grep "rocdl.raw.ptr.buffer.load %" %t/d8.out | count 1
// RUN: grep "rocdl.raw.ptr.buffer.store" %t/d8.out | count 1
// RUN: grep "rocdl.raw.ptr.buffer.load.lds" %t/d8.out | count 5
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table --schedule generic --until amdgpu %t/d8.mlir > %t/d8.amdgpu
// RUN: grep "arith.select .*, %c-16_i32 : i32" %t/d8.amdgpu | count 7
//
// D = 72: QK 2 * 5, PV 3 * 4; C = 128.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table --schedule generic %t/d72.mlir > %t/d72.out
// RUN: grep "rocdl.mfma.f32.32x32x16.bf16" %t/d72.out | count 22
// RUN: grep "llvm.load .* vector<8xbf16>" %t/d72.out | count 10
// RUN: grep "rocdl.ds.read.tr16.b64" %t/d72.out | count 24
// RUN: grep "rocdl.raw.ptr.buffer.load %" %t/d72.out | count 5
// RUN: grep "rocdl.raw.ptr.buffer.store" %t/d72.out | count 5
// RUN: grep "rocdl.raw.ptr.buffer.load.lds" %t/d72.out | count 12
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table --schedule generic --until amdgpu %t/d72.mlir > %t/d72.amdgpu
// RUN: grep "arith.select .*, %c-16_i32 : i32" %t/d72.amdgpu | count 14
//
// D = 96: QK 2 * 6, PV 3 * 4; C = 128.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table --schedule generic %t/d96.mlir > %t/d96.out
// RUN: grep "rocdl.mfma.f32.32x32x16.bf16" %t/d96.out | count 24
// RUN: grep "llvm.load .* vector<8xbf16>" %t/d96.out | count 12
// RUN: grep "rocdl.ds.read.tr16.b64" %t/d96.out | count 24
// RUN: grep "rocdl.raw.ptr.buffer.load %" %t/d96.out | count 6
// RUN: grep "rocdl.raw.ptr.buffer.store" %t/d96.out | count 6
// RUN: grep "rocdl.raw.ptr.buffer.load.lds" %t/d96.out | count 12
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table --schedule generic --until amdgpu %t/d96.mlir > %t/d96.amdgpu
// RUN: grep "arith.select .*, %c-16_i32 : i32" %t/d96.amdgpu | count 12
//
// D = 192: QK 1 * 12, PV 6 * 2; C = 256. Three quarters of 256 below, copies too: 3 and 3.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table --schedule generic_wide %t/d192.mlir > %t/d192.out
// RUN: grep "rocdl.mfma.f32.32x32x16.bf16" %t/d192.out | count 24
// RUN: grep "llvm.load .* vector<8xbf16>" %t/d192.out | count 12
// RUN: grep "rocdl.ds.read.tr16.b64" %t/d192.out | count 24
// RUN: grep "rocdl.raw.ptr.buffer.load %" %t/d192.out | count 12
// RUN: grep "rocdl.raw.ptr.buffer.store" %t/d192.out | count 12
// RUN: grep "rocdl.raw.ptr.buffer.load.lds" %t/d192.out | count 9
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table --schedule generic_wide --until amdgpu %t/d192.mlir > %t/d192.amdgpu
// RUN: not grep "arith.select .*, %c-16_i32 : i32" %t/d192.amdgpu
//
// D = 256: QK 1 * 16, PV 8 * 2; C = 256.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table --schedule generic_wide %t/d256.mlir > %t/d256.out
// RUN: grep "rocdl.mfma.f32.32x32x16.bf16" %t/d256.out | count 32
// RUN: grep "llvm.load .* vector<8xbf16>" %t/d256.out | count 16
// RUN: grep "rocdl.ds.read.tr16.b64" %t/d256.out | count 32
// RUN: grep "rocdl.raw.ptr.buffer.load %" %t/d256.out | count 16
// RUN: grep "rocdl.raw.ptr.buffer.store" %t/d256.out | count 16
// RUN: grep "rocdl.raw.ptr.buffer.load.lds" %t/d256.out | count 12
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table --schedule generic_wide --until amdgpu %t/d256.mlir > %t/d256.amdgpu
// RUN: not grep "arith.select .*, %c-16_i32 : i32" %t/d256.amdgpu
//
// f32 output, D = 72: 72 / 8 stores, no guard of theirs; Q's load and 2 * 4 + 4 copies.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/f32.mlir > %t/f32.out
// RUN: grep "rocdl.raw.ptr.buffer.store" %t/f32.out | count 9
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table --until amdgpu %t/f32.mlir > %t/f32.amdgpu
// RUN: grep "arith.select .*, %c-16_i32 : i32" %t/f32.amdgpu | count 13
//
// A schedule without bytes between its lines, N = 64, D = 192: lines of fewer columns than
// the row has are free of conflicts then, and those with padding only are not copied: of
// 64 * 256 * 2 / 4096 = 8 copies of K and of V three quarters, 6.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/own.mlir > %t/own.out
// RUN: grep "rocdl.raw.ptr.buffer.load.lds" %t/own.out | count 18

//--- d8.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 8, head_dim_v = 8, mask = none>)

//--- d72.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 72, head_dim_v = 72, mask = none>)

//--- d96.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 96, head_dim_v = 96, mask = none>)

//--- d192.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 192, head_dim_v = 192, mask = none>)

//--- d256.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 256, head_dim_v = 256, mask = none>)

//--- f32.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = f32, head_dim_qk = 72, head_dim_v = 72, mask = none>)

//--- own.mlir
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 1,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 192, head_dim_v = 192, mask = none>) schedule(#schedule)
