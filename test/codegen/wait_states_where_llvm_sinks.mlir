// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function of scores stands after their product, and rescaling, a branch, after both:
// LLVM sinks the function into the block where the ways meet again, and leaves too few wait
// states on the short one. passes/pad_wait_states.cpp runs on the blocks as LLVM has left
// them.
//
// RUN: %fmhac compile --schedule %s --head-dim 32 --softcap 20 --emit=llvm -o %t.ll
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.ll
// IR: define protected amdgpu_kernel
// IR-NOT: llvm.amdgcn.s.nop
// RUN: llc -O3 -mcpu=gfx950 -filetype=obj %t.ll -o %t.o
// RUN: ld.lld -shared %t.o -o %t.llvm.hsaco
// RUN: not %fmhac inspect --waits %t.llvm.hsaco > %t.out 2>&1
// RUN: FileCheck %s --input-file=%t.out
// CHECK: hazard: {{.*}} `v_mul_f32{{.*}} 8 wait states after `v_mfma{{.*}}; 12 are required (xdl-read){{.*}} by the branch
// CHECK: 12 findings, 0 places not analysed
//
// RUN: %fmhac compile --schedule %s --head-dim 32 --softcap 20 -o %t.hsaco
// RUN: %fmhac inspect --waits %t.hsaco | FileCheck %s --check-prefix=CLEAN
// CLEAN: 0 findings, 0 places not analysed
fmha.schedule @far_behind = #fmha.schedule<
  tile_m = 128, tile_n = 32, waves = 4, waves_per_simd = 1,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>,
  v = <read = column, max_pad_bytes = 16, buffers = 2>,
  rescale = lazy, lazy_log2 = 1,
  pipeline = <tiles = 2, stagger = 0, instructions = free, stages = [
    <@all compute
      [rescale ahead -4, row_sum ahead -4, pv ahead -4, convert ahead -3, read_v ahead -3,
       load_v ahead -2, mask ahead -2, row_max ahead -2, subtract ahead -2, exp ahead -2,
       qk[2 to 8 of 8] ahead -1, score_mod ahead -1, qk[0 to 2 of 8], read_k ahead 1,
       load_k ahead 2]>]>>
