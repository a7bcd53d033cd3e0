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
// CHECK: %[[CHUNKS:.*]] = vector.extract %[[RECORD]][4]
// Few chunks: four rows side by side in a wave, whose lanes exchange nothing. The greatest LSE is that of the
// chunks and of the sink; O is read after it.
// CHECK: %[[FOUR:.*]] = arith.cmpi sle, %[[CHUNKS]], %c4_i32
// CHECK: scf.if %[[FOUR]]
// CHECK: scf.for
// CHECK: fmha.arg sink : i64
// CHECK: %[[SINK:.*]] = llvm.load %{{.*}} -> f32
// CHECK-NOT: ds_bpermute
// CHECK-COUNT-4: llvm.load %{{.*}} -> f32
// CHECK: arith.maxnumf %[[SINK]], %{{.*}}
// CHECK-COUNT-3: arith.maxnumf
// CHECK-NOT: ds_bpermute
// CHECK-COUNT-8: llvm.load %{{.*}} -> vector<4xf32>
// CHECK-COUNT-8: math.fma
// CHECK: arith.subf %[[SINK]], %{{.*}}
// CHECK: rocdl.exp2
// CHECK: rocdl.rcp
// No LSE was asked for.
// CHECK-NOT: fmha.arg lse
// The lane's two pieces of 4 columns; 16 lanes with the first lie next to each other.
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>
// CHECK-NOT: llvm.store
// CHECK: } else {
// CHECK: arith.cmpi sle, %[[CHUNKS]], %c8_i32
// CHECK-COUNT-8: llvm.load %{{.*}} -> f32
// CHECK-NOT: ds_bpermute
// CHECK-COUNT-16: llvm.load %{{.*}} -> vector<4xf32>
// CHECK-COUNT-16: math.fma
// CHECK: } else {
// More: a row is a wave's, and four teams of 16 lanes have every fourth chunk each. A lane loads one LSE; where the
// row lies is found out until it is there; each team gets its own four; O of all is under way before anything is
// exchanged or added.
// CHECK: arith.cmpi sle, %[[CHUNKS]], %c16_i32
// CHECK: llvm.load %{{.*}} -> f32
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-COUNT-2: arith.divui
// CHECK: %[[SINK16:.*]] = llvm.load %{{.*}} -> f32
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-COUNT-4: rocdl.ds_bpermute
// CHECK-COUNT-8: llvm.load %{{.*}} -> vector<4xf32>
// CHECK: amdgpu.sched_barrier allow = <none>
// The greatest of the 64 lanes; then the sums of two teams, and of two pairs: of weights, and of 8 columns.
// CHECK-COUNT-6: rocdl.ds_bpermute
// CHECK: arith.maxnumf %[[SINK16]], %{{.*}}
// CHECK-COUNT-8: math.fma
// CHECK-COUNT-18: rocdl.ds_bpermute
// CHECK-NOT: ds_bpermute
// The first team stores.
// CHECK: scf.if
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>
// CHECK-NOT: llvm.store
// CHECK: arith.cmpi sle, %[[CHUNKS]], %c64_i32
// CHECK-COUNT-16: rocdl.ds_bpermute
// CHECK-COUNT-32: llvm.load %{{.*}} -> vector<4xf32>
// CHECK: amdgpu.sched_barrier allow = <none>
// CHECK-COUNT-32: math.fma
// CHECK: } else {
// Any number, eight of a team in turn: LSE, then O of the next ones, then what was loaded is added.
// CHECK: scf.for %{{.*}} to %[[CHUNKS]] step %c128_i32
// CHECK: scf.while
// CHECK-COUNT-8: rocdl.ds_bpermute
// CHECK: llvm.load %{{.*}} -> f32
// CHECK-COUNT-16: llvm.load %{{.*}} -> vector<4xf32>
// CHECK: amdgpu.sched_barrier allow = <none>
// CHECK-COUNT-16: math.fma
// CHECK-COUNT-8: rocdl.ds_bpermute
// CHECK: llvm.load %{{.*}} -> f32
// CHECK-COUNT-16: llvm.load %{{.*}} -> vector<4xf32>
// CHECK: amdgpu.sched_barrier allow = <none>
// CHECK-COUNT-16: math.fma
// CHECK: scf.condition
// CHECK-COUNT-18: rocdl.ds_bpermute
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>
// CHECK-NOT: llvm.store
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = f32, head_dim_qk = 128, head_dim_v = 128, mask = none, sink = true>
fmha.combine @sum parts problem(#problem) lanes 16 waves 1 launch(#fmha.launch<grid = ["min(Sq * Hq * B, 2048)", "1", "1"], block = 64>)
