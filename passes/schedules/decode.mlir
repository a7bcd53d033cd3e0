// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// decode: few rows of Q and many keys, for heads up to 128. A tile has 16 rows, of all heads that
// share one of K and V; its four waves divide the keys among them, so that each element of K
// and of V is read from LDS once, and merge their O at the end. Nothing but memory is to be
// waited for: while a workgroup computes, what the other one of its compute unit has asked for
// is under way.
//
// Budget, D = 128, a wave: registers Q 16, K or V 32, S 8, P 4, O 32 of 256; LDS 64 KiB, 2
// workgroups a compute unit, each with a tile of K or of V, 32 KiB, under way; 16 matrix
// instructions of 16 cycles a tile of 128 keys, 64 KiB of K and V, which take some 6000
// cycles from HBM.
fmha.schedule @decode = @generic with <
  tile_m = 16, tile_n = 128, key_waves = 4, rows = group,
  qk = <m = 16, n = 16, k = 32>,
  pv = <m = 16, n = 16, k = 32>>
