// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-combine | FileCheck %s

// Workgroups walk the records; each as many as there are, which memory says.
// CHECK: fmha.combine @sum parts
// CHECK: fmha.arg combine_count : i64
// CHECK: %[[COUNT:.*]] = llvm.load {{.*}} invariant
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[COUNT]]
// CHECK: %[[RECORD:.*]] = llvm.load {{.*}} invariant {{.*}} -> vector<8xi32>
// Rows 2 and 3, heads 7, batch 0, part 1, chunks 4: lib/abi/work_list.h.
// CHECK-DAG: %[[FROM:.*]] = vector.extract %[[RECORD]][2]
// CHECK-DAG: %[[TO:.*]] = vector.extract %[[RECORD]][3]
// CHECK: arith.subi %[[TO]], %[[FROM]]
// CHECK: vector.extract %[[RECORD]][7]
// CHECK: vector.extract %[[RECORD]][0]
// CHECK: vector.extract %[[RECORD]][1]
// CHECK: scf.for
// CHECK: %[[CHUNKS:.*]] = vector.extract %[[RECORD]][4]
// The greatest LSE: a chunk a lane, then over the 16 lanes of the row.
// CHECK: scf.for %{{.*}} to %[[CHUNKS]] step %c64_i32
// CHECK-COUNT-4: arith.maxnumf
// CHECK-COUNT-4: rocdl.ds_bpermute
// The sink takes part in it, once.
// CHECK: fmha.arg sink : i64
// CHECK: %[[SINK:.*]] = llvm.load %{{.*}} -> f32
// CHECK: arith.maxnumf %{{.*}}, %[[SINK]]
// Few chunks are one block; more are loaded ahead: LSE, then O, then what was loaded is added.
// CHECK: %[[FEW:.*]] = arith.cmpi sle, %[[CHUNKS]], %c5_i32
// CHECK: scf.if %[[FEW]]
// CHECK-NOT: sched_barrier
// CHECK: } else {
// CHECK: scf.while
// CHECK-COUNT-5: llvm.load %{{.*}} -> f32
// CHECK-COUNT-10: llvm.load %{{.*}} -> vector<4xf32>
// CHECK: amdgpu.sched_barrier allow = <none>
// CHECK-COUNT-10: math.fma
// CHECK-COUNT-5: llvm.load %{{.*}} -> f32
// CHECK-COUNT-10: llvm.load %{{.*}} -> vector<4xf32>
// CHECK: amdgpu.sched_barrier allow = <none>
// CHECK-COUNT-10: math.fma
// CHECK: scf.condition
// CHECK: arith.subf %[[SINK]], %{{.*}}
// CHECK: rocdl.exp2
// CHECK: rocdl.rcp
// No LSE was asked for.
// CHECK-NOT: fmha.arg lse
// The lane's two pieces of 4 columns; 16 lanes with the first lie next to each other.
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>
// CHECK-NOT: llvm.store
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = f32, head_dim_qk = 128, head_dim_v = 128, mask = none, sink = true>
fmha.combine @sum parts problem(#problem) lanes 16 waves 1 launch(#fmha.launch<grid = ["min(ceil(Sq * Hq / 4) * B, 2048)", "1", "1"], block = 64>)
