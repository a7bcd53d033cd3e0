// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A condition becomes a branch of its own between a matrix instruction and the branch of
// the mask after it, which reads the scores. LLVM 22 counts the s_branch after that branch as
// a wait state, also where the branch is taken and jumps over it: one state is missing.
// passes/pad_wait_states.cpp counts what is issued.
//
// RUN: %fmhac compile --schedule %s --head-dim 32 --dtype f16 --mask causal --lse --emit=llvm -o %t.ll
// RUN: llc -O3 -mcpu=gfx950 -filetype=obj %t.ll -o %t.o
// RUN: ld.lld -shared %t.o -o %t.llvm.hsaco
// RUN: not %fmhac inspect --waits %t.llvm.hsaco > %t.out 2>&1
// RUN: FileCheck %s --input-file=%t.out
// CHECK: hazard: {{.*}} `v_cndmask_b32{{.*}} 11 wait states after `v_mfma{{.*}}; 12 are required (xdl-read){{.*}} by the branch
// CHECK: 1 findings, 0 places not analysed
//
// RUN: %fmhac compile --schedule %s --head-dim 32 --dtype f16 --mask causal --lse -o %t.hsaco
// RUN: %fmhac inspect --waits %t.hsaco | FileCheck %s --check-prefix=CLEAN
// CLEAN: 0 findings, 0 places not analysed
fmha.schedule @mask_behind_scores = #fmha.schedule<
  tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0, buffers = 4>,
  v = <read = column, max_pad_bytes = 16, buffers = 3>,
  rescale = eager, scale = fma, packed = off, grid = linear,
  pipeline = <tiles = 3, stagger = 0, instructions = pinned, stages = [
    <@s0 compute [pv[0 to 1 of 2] ahead -2, pv[1 to 2 of 2] ahead -2, subtract[0 to 2 of 4] ahead -1, load_k]>,
    <@s1 memory [subtract[2 to 4 of 4] ahead -1, exp ahead -1, convert[0 to 4 of 8] ahead -1, convert[4 to 7 of 8] ahead -1, load_v] priority 2>,
    <@s2 compute [rescale ahead -1, row_sum ahead -1, convert[7 to 8 of 8] ahead -1, read_k] nops 5>,
    <@s3 compute [qk[0 to 1 of 2], qk[1 to 2 of 2], score_mod, read_v ahead -1, mask, row_max]>]>>
