// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// generic: one tile of K and one of V in LDS, no software pipelining. K is waited
// for before QK, V only before PV, so V's copy runs beneath QK and softmax; two
// workgroups a compute unit hide the rest of each other's latency.
//
// Budget, D = 128, a wave: registers Q 32, K 64 or V 64, S 32, P 16, O 64 of 256;
// LDS about 33 KiB; 32 matrix instructions of 32 cycles a tile = 1024 cycles.
fmha.schedule @generic = #fmha.schedule<
  tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>,
  pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>,
  v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, score_mod, mask, softmax, rescale, pv],
  rescale = eager, grid = longest_first>
