// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-combine | FileCheck %s

// 96 columns are 12 pieces of 8 in 16 lanes: the last four lanes look at the last piece, and
// store nothing. Of 4 waves of 4 rows each.
// CHECK: fmha.combine @both results
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c15_i32
// CHECK: %[[PIECE:.*]] = arith.addi %[[LANE]], %c0_i32
// CHECK: %[[HAS_COLUMNS:.*]] = arith.cmpi sle, %[[PIECE]], %c11_i32
// CHECK: %[[ZEROS:.*]] = fmha.zeros 16
// CHECK: %[[NONE:.*]] = llvm.inline_asm "", "=s,0" %[[ZEROS]]
// Rows of all heads of the batch's packed sequence.
// CHECK: %[[END:.*]] = llvm.load {{.*}} invariant
// CHECK: %[[START:.*]] = llvm.load {{.*}} invariant
// CHECK: %[[ROWS:.*]] = arith.subi %[[END]], %[[START]]
// CHECK: %[[ALL:.*]] = arith.muli %[[ROWS]], %{{.*}}
// CHECK: %[[IS_ROW:.*]] = arith.cmpi slt, %[[NUMBER:.*]], %[[ALL]]
// CHECK: scf.if %[[IS_ROW]]
// CHECK: arith.divui %[[NUMBER]], %[[ROWS]]
// CHECK: fmha.arg lse : i64
// CHECK: %[[LSE:.*]] = llvm.load %{{.*}} -> f32
// CHECK: fmha.arg other_lse : i64
// CHECK: %[[OTHER:.*]] = llvm.load %{{.*}} -> f32
// An LSE of -inf reads zeros instead of O.
// CHECK: %[[READS:.*]] = arith.cmpf une, %[[LSE]], %{{.*}} : f32
// CHECK: fmha.arg o : i64
// CHECK: %[[AT:.*]] = arith.select %[[READS]], %{{.*}}, %[[NONE]] : i64
// CHECK: %[[PIECE_AT:.*]] = arith.addi %[[AT]], %{{.*}} : i64
// CHECK: %[[O_AT:.*]] = llvm.inttoptr %[[PIECE_AT]]
// CHECK: %[[O:.*]] = llvm.load %[[O_AT]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: %[[O32:.*]] = arith.extf %[[O]]
// CHECK: arith.cmpf une, %[[OTHER]], %{{.*}} : f32
// CHECK: fmha.arg other_o : i64
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[NONE]] : i64
// CHECK: %[[OTHER32:.*]] = arith.extf
// CHECK: %[[MOST:.*]] = arith.maxnumf %[[LSE]], %[[OTHER]]
// Without keys in both a difference of infinities would be NaN.
// CHECK: %[[IS_NONE:.*]] = arith.cmpf oeq, %[[MOST]], %{{.*}}
// CHECK: %[[SHIFT:.*]] = arith.select %[[IS_NONE]], %{{.*}}, %[[MOST]]
// CHECK: arith.subf %[[LSE]], %[[SHIFT]]
// CHECK: %[[W:.*]] = rocdl.exp2
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[W]]
// CHECK: %[[WS:.*]] = vector.broadcast %[[W]]
// CHECK: %[[ACC:.*]] = math.fma %[[WS]], %[[O32]], %{{.*}}
// CHECK: arith.subf %[[OTHER]], %[[SHIFT]]
// CHECK: %[[W2:.*]] = rocdl.exp2
// CHECK: %[[SUM2:.*]] = arith.addf %[[SUM]], %[[W2]]
// CHECK: %[[WS2:.*]] = vector.broadcast %[[W2]]
// CHECK: math.fma %[[WS2]], %[[OTHER32]], %[[ACC]]
// CHECK: arith.cmpf oeq, %[[SUM2]], %{{.*}}
// CHECK: rocdl.rcp %[[SUM2]]
// CHECK: scf.if %[[HAS_COLUMNS]]
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK: scf.if %[[IS_FIRST]]
// CHECK: math.log2 %[[SUM2]]
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : f32
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 96, head_dim_v = 96, mask = none, varlen_q = true>
fmha.combine @both results problem(#problem) lanes 16 waves 4 launch(#fmha.launch<grid = ["ceil(Sq * Hq / 16)", "B", "1"], block = 256>)

// Of 8 bits no factor is needed: both have the same.
// CHECK-LABEL: fmha.combine @bytes results
// CHECK: llvm.call_intrinsic "llvm.amdgcn.s.setreg"
// CHECK-NOT: fmha.arg o_scale
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK-COUNT-4: rocdl.cvt.pk.f32.fp8
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK-COUNT-4: rocdl.cvt.pk.fp8.f32
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>
#bytes = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = f8E4M3FN, head_dim_qk = 64, head_dim_v = 64, mask = none>
fmha.combine @bytes results problem(#bytes) lanes 8 waves 4 launch(#fmha.launch<grid = ["ceil(Sq * Hq / 32)", "B", "1"], block = 256>)
