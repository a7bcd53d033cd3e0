// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Other element types and head sizes through the same pipeline and schedule: M = 128,
// N = 64, 4 waves.
//
// RUN: split-file %s %t
//
// f16, Dqk = Dv = 64. QK: 64 / 32 * 64 / 16 = 8, PV: 64 / 32 * 64 / 16 = 8. Copies:
// 64 * 64 * 2 / (4 * 1024) = 2 of K and of V, K's also before the loop. Reads: 8 of K, 16 of V.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/f16_64.mlir > %t/f16_64.out
// RUN: grep "rocdl.mfma.f32.32x32x16.f16" %t/f16_64.out | count 16
// RUN: grep "rocdl.raw.ptr.buffer.load.lds" %t/f16_64.out | count 6
// RUN: grep "llvm.load .* vector<8xf16>" %t/f16_64.out | count 8
// RUN: grep "rocdl.ds.read.tr16.b64" %t/f16_64.out | count 16
// RUN: grep "rocdl.raw.ptr.buffer.store" %t/f16_64.out | count 4
//
// bf16 in, f16 out, Dqk = 256, Dv = 32. QK: 2 * 256 / 16 = 32, PV: 32 / 32 * 4 = 4.
// Copies: 64 * 256 * 2 / 4096 = 8 of K, 64 * 32 * 2 / 4096 = 1 of V. Reads: 32 of K,
// 8 of V. O: 32 rows * 64 bytes = 2 stores.
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %t/mixed.mlir > %t/mixed.out
// RUN: grep "rocdl.mfma.f32.32x32x16.bf16" %t/mixed.out | count 36
// RUN: grep "rocdl.raw.ptr.buffer.load.lds" %t/mixed.out | count 17
// RUN: grep "llvm.load .* vector<8xbf16>" %t/mixed.out | count 32
// RUN: grep "rocdl.ds.read.tr16.b64" %t/mixed.out | count 8
// RUN: grep "rocdl.raw.ptr.buffer.store" %t/mixed.out | count 2
// RUN: grep "llvm.fptrunc .* vector<4xf32> to vector<4xf16>" %t/mixed.out | count 4

//--- f16_64.mlir
fmha.attention @attn problem(#fmha.problem<q = f16, k = f16, v = f16, p = f16, o = f16, head_dim_qk = 64, head_dim_v = 64, mask = causal>)

//--- mixed.mlir
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = f16, head_dim_qk = 256, head_dim_v = 32, mask = none>)
