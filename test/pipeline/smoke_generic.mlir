// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole pipeline for the schedule `generic`, bf16, Dqk = Dv = 128, no mask and
// causal. M = 128 rows, N = 64 keys, 4 waves of 32 rows.
//
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %S/Inputs/none.mlir > %t.none
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %S/Inputs/causal.mlir > %t.causal
//
// 32x32x16: QK has 64 / 32 strips * 128 / 16 steps = 16 instructions, PV has 128 / 32
// chunks * 64 / 16 steps = 16.
// RUN: grep "rocdl.mfma.f32.32x32x16.bf16" %t.none | count 32
// RUN: grep "rocdl.mfma.f32.32x32x16.bf16" %t.causal | count 32
//
// K and V: 64 * 128 * 2 = 16384 bytes; over 4 waves, 1024 bytes a load: 4 each, K's
// also before the loop.
// RUN: grep "rocdl.raw.ptr.buffer.load.lds" %t.none | count 12
// RUN: grep "rocdl.raw.ptr.buffer.load.lds" %t.causal | count 12
//
// Out of LDS every wave takes all of K, 16384 / (64 lanes * 16 bytes) = 16 reads, and
// of V, 8 bytes a lane: 32.
// RUN: grep "llvm.load .* vector<8xbf16>" %t.none | count 16
// RUN: grep "rocdl.ds.read.tr16.b64" %t.none | count 32
//
// Q and O: 32 rows * 256 bytes a wave, 1024 bytes an instruction: 8.
// RUN: grep "rocdl.raw.ptr.buffer.load %" %t.none | count 8
// RUN: grep "rocdl.raw.ptr.buffer.store" %t.none | count 8
//
// Barriers: after the copy before the loop, and after each stage in it.
// RUN: grep "rocdl.s.barrier" %t.none | count 3
// RUN: grep "rocdl.s.barrier" %t.causal | count 3
//
// A lane has 64 / 2 = 32 scores of its row, and one correction.
// RUN: grep "rocdl.exp2" %t.none | count 33
// RUN: grep "rocdl.exp2" %t.causal | count 33
//
// K's first copy has landed, vmcnt(0) = 0x0F70 = 3952. At the end of each stage its reads have
// delivered, lgkmcnt(0), and the copy that was issued at its start has landed: 0x0070 = 112.
// RUN: FileCheck %s < %t.none
// RUN: FileCheck %s < %t.causal
// CHECK-NOT: fmha.
// CHECK-LABEL: llvm.func @attn
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load.lds
// CHECK: rocdl.s.waitcnt 3952
// CHECK: rocdl.s.barrier
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load.lds
// CHECK-COUNT-16: rocdl.mfma
// CHECK: rocdl.exp2
// CHECK: rocdl.s.waitcnt 112
// CHECK: rocdl.s.barrier
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load.lds
// CHECK-COUNT-16: rocdl.mfma
// CHECK: rocdl.s.waitcnt 112
// CHECK: rocdl.s.barrier
// CHECK: llvm.cond_br
// CHECK-COUNT-8: rocdl.raw.ptr.buffer.store
// CHECK-NOT: {{(fmha|amdgpu|scf|vector|arith|math)\.}}
// CHECK: llvm.return
