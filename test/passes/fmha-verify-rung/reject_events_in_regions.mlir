// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced -split-input-file -verify-diagnostics

// The walk of the proof goes into stages and loops over keys. What another op hides, it
// would not see: a barrier that only some waves meet, or a wait that is skipped.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%any: i1):
  // expected-error @+1 {{'scf.if' op expected memory traffic, waits and barriers in stages and KV loops, found some inside}}
  scf.if %any {
    rocdl.s.barrier
  }
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %q: !fmha.tile<64x32xbf16>):
  // expected-error @+1 {{'scf.execute_region' op expected memory traffic, waits and barriers in stages and KV loops, found some inside}}
  scf.execute_region {
    amdgpu.memory_counter_wait load(0)
    scf.yield
  }
}

// -----

// What only computes may have regions.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%any: i1, %x: i32):
  %y = scf.if %any -> (i32) {
    scf.yield %x : i32
  } else {
    %z = arith.addi %x, %x : i32
    scf.yield %z : i32
  }
}
