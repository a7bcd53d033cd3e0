// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// decode_fp8: decode for elements of 8 bits. A product of Q and K takes 128 columns an
// instruction, one with V 32 keys: a wave needs no more of them at a time.
//
// Budget, D = 128, a wave: registers Q 8, K or V 16, S 8, P 2, O 32 of 128; LDS 32 KiB, 4
// workgroups a compute unit; 2 matrix instructions of 32 cycles and 8 of 16 a tile of 128 keys.
fmha.schedule @decode_fp8 = @generic_fp8 with <
  tile_m = 16, tile_n = 128, key_waves = 4, rows = group,
  qk = <m = 16, n = 16, k = 128>,
  pv = <m = 16, n = 16, k = 32>>
