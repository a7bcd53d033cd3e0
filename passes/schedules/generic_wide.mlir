// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// generic_wide: generic for heads of more than 128 elements. A tile of half the
// keys, since K or V of one tile and O share the registers.
//
// Budget, D = 256, a wave: registers Q 64, K 64 or V 64, S 16, P 8, O 128 of 256,
// K in parts; LDS about 33 KiB; 32 matrix instructions of 32 cycles a tile. In the cycle model
// 1623 cycles a tile of a compute unit.
fmha.schedule @generic_wide = @generic with <tile_n = 32>
