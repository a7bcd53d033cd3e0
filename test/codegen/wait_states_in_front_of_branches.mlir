// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A condition becomes a branch of its own between a matrix instruction and the branch of
// the mask behind it, which reads the scores: wait states at the end of that block must not
// move in front of the matrix instruction.
//
// RUN: %fmhac compile --schedule %s --head-dim 32 --dtype f16 --mask causal --lse -o %t.hsaco
// RUN: %fmhac inspect --waits %t.hsaco
//
// With nothing in front of the wait states to keep them there, they do.
// RUN: %fmhac compile --schedule %s --head-dim 32 --dtype f16 --mask causal --lse --emit=llvm -o %t.ll
// RUN: %python -c "import re, sys; text, count = re.subn(r'.*sched.barrier.i32 0.*\n(.*llvm.amdgcn.s.nop.*\n.*sched.barrier.i32 0.*\n  br i1)', r'\1', sys.stdin.read()); assert count; sys.stdout.write(text)" < %t.ll > %t.loose.ll
// RUN: llc -O3 -mcpu=gfx950 -filetype=obj %t.loose.ll -o %t.o
// RUN: ld.lld -shared %t.o -o %t.loose.hsaco
// RUN: not %fmhac inspect --waits %t.loose.hsaco 2>&1 | FileCheck %s
// CHECK: hazard: {{.*}} wait states after `v_mfma
fmha.schedule @mask_behind_scores = #fmha.schedule<
  tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 0, buffers = 4>,
  v = <read = tr_b16, max_pad_bytes = 16, buffers = 3>,
  order = [load_k, load_v, qk, score_mod, mask, row_max, rescale, subtract, exp, row_sum, convert, pv],
  rescale = eager, scale = fma, packed = off, grid = linear,
  pipeline = <tiles = 3, tail = pad, stagger = 0, order = pinned, stages = [
    <@s0 compute [pv[0 to 1 of 2] ahead -2, pv[1 to 2 of 2] ahead -2, subtract[0 to 2 of 4] ahead -1, load_k]>,
    <@s1 memory [subtract[2 to 4 of 4] ahead -1, exp ahead -1, convert[0 to 4 of 8] ahead -1, convert[4 to 7 of 8] ahead -1, load_v] priority 2 open>,
    <@s2 compute [rescale ahead -1, row_sum ahead -1, convert[7 to 8 of 8] ahead -1, read_k] nops 5>,
    <@s3 compute [qk[0 to 1 of 2], qk[1 to 2 of 2], score_mod, read_v ahead -1, mask, row_max]>]>>
