// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-control-to-llvm | FileCheck %s

// The kernel-argument block, one argument a field in the order of the ABI table:
// field_mask; Q, K, V, O; batch, heads_q, heads_kv, seqlen_q, seqlen_kv; scale;
// kv_head_reciprocal; batch, head and row strides of Q, K, V, O; LSE and its strides;
// then the groups that these kernels do not read. Tensors do not alias.
// CHECK-LABEL: llvm.func @attn(
// CHECK-SAME: %arg0: i64,
// CHECK-SAME: %[[Q:arg1]]: !llvm.ptr<1> {llvm.noalias}, %[[K:arg2]]: !llvm.ptr<1> {llvm.noalias}, %[[V:arg3]]: !llvm.ptr<1> {llvm.noalias}, %[[O:arg4]]: !llvm.ptr<1> {llvm.noalias},
// CHECK-SAME: %arg5: i32, %arg6: i32, %arg7: i32, %[[SQ:arg8]]: i32, %[[SK:arg9]]: i32, %[[SCALE:arg10]]: f32, %[[REC:arg11]]: i64,
// CHECK-SAME: %[[QB:arg12]]: i64, %[[QH:arg13]]: i64, %[[QR:arg14]]: i64, %[[KB:arg15]]: i64, %[[KH:arg16]]: i64, %[[KR:arg17]]: i64,
// CHECK-SAME: %[[VB:arg18]]: i64, %[[VH:arg19]]: i64, %[[VR:arg20]]: i64, %[[OB:arg21]]: i64, %[[OH:arg22]]: i64, %[[OR:arg23]]: i64,
// CHECK-SAME: %arg24: !llvm.ptr<1> {llvm.noalias}, %arg25: i64, %arg26: i64,
//
// Every launcher depends on the whole list; the attributes pin
// registers and size: 2 waves of 64 lanes, 3 waves a SIMD.
// CHECK-SAME: passthrough = [
// CHECK-SAME: ["amdgpu-agpr-alloc", "0"]
// CHECK-SAME: ["amdgpu-waves-per-eu", "3"]
// CHECK-SAME: ["denormal-fp-math-f32", "preserve-sign,preserve-sign"]
// CHECK-SAME: rocdl.flat_work_group_size = "128,128"
// CHECK-SAME: rocdl.kernel
// CHECK-SAME: rocdl.reqd_work_group_size = array<i32: 128, 1, 1>
// CHECK-SAME: target_cpu = "gfx950"
// CHECK: %[[PQ:.*]] = llvm.ptrtoint %[[Q]] : !llvm.ptr<1> to i64
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[PQ]]
// CHECK: %[[PK:.*]] = llvm.ptrtoint %[[K]] : !llvm.ptr<1> to i64
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[PK]]
// CHECK: %[[PV:.*]] = llvm.ptrtoint %[[V]] : !llvm.ptr<1> to i64
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[PV]]
// CHECK: %[[PO:.*]] = llvm.ptrtoint %[[O]] : !llvm.ptr<1> to i64
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[PO]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[SQ]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[SK]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[SCALE]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[REC]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[QB]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[QH]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[QR]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[KB]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[KH]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[KR]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[VB]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[VH]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[VR]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[OB]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[OH]]
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[OR]]
// CHECK: llvm.return
// CHECK-NOT: fmha.

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 3,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @attn problem(#problem) schedule(#schedule) {
  %0 = fmha.arg q : i64
  llvm.inline_asm has_side_effects "", "s" %0 : (i64) -> ()
  %1 = fmha.arg k : i64
  llvm.inline_asm has_side_effects "", "s" %1 : (i64) -> ()
  %2 = fmha.arg v : i64
  llvm.inline_asm has_side_effects "", "s" %2 : (i64) -> ()
  %3 = fmha.arg o : i64
  llvm.inline_asm has_side_effects "", "s" %3 : (i64) -> ()
  %4 = fmha.arg seqlen_q : i32
  llvm.inline_asm has_side_effects "", "s" %4 : (i32) -> ()
  %5 = fmha.arg seqlen_kv : i32
  llvm.inline_asm has_side_effects "", "s" %5 : (i32) -> ()
  %6 = fmha.arg scale : f32
  llvm.inline_asm has_side_effects "", "s" %6 : (f32) -> ()
  %7 = fmha.arg kv_head_reciprocal : i64
  llvm.inline_asm has_side_effects "", "s" %7 : (i64) -> ()
  %8 = fmha.arg q_batch_stride : i64
  llvm.inline_asm has_side_effects "", "s" %8 : (i64) -> ()
  %9 = fmha.arg q_head_stride : i64
  llvm.inline_asm has_side_effects "", "s" %9 : (i64) -> ()
  %10 = fmha.arg q_row_stride : i64
  llvm.inline_asm has_side_effects "", "s" %10 : (i64) -> ()
  %11 = fmha.arg k_batch_stride : i64
  llvm.inline_asm has_side_effects "", "s" %11 : (i64) -> ()
  %12 = fmha.arg k_head_stride : i64
  llvm.inline_asm has_side_effects "", "s" %12 : (i64) -> ()
  %13 = fmha.arg k_row_stride : i64
  llvm.inline_asm has_side_effects "", "s" %13 : (i64) -> ()
  %14 = fmha.arg v_batch_stride : i64
  llvm.inline_asm has_side_effects "", "s" %14 : (i64) -> ()
  %15 = fmha.arg v_head_stride : i64
  llvm.inline_asm has_side_effects "", "s" %15 : (i64) -> ()
  %16 = fmha.arg v_row_stride : i64
  llvm.inline_asm has_side_effects "", "s" %16 : (i64) -> ()
  %17 = fmha.arg o_batch_stride : i64
  llvm.inline_asm has_side_effects "", "s" %17 : (i64) -> ()
  %18 = fmha.arg o_head_stride : i64
  llvm.inline_asm has_side_effects "", "s" %18 : (i64) -> ()
  %19 = fmha.arg o_row_stride : i64
  llvm.inline_asm has_side_effects "", "s" %19 : (i64) -> ()
}
