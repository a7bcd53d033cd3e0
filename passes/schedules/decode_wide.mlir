// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// decode_wide: decode for heads up to 256. A tile of 128 keys takes 128 KiB of LDS, so that one
// workgroup has a compute unit.
//
// Budget, D = 256, a wave: registers Q 32, K or V 64 in parts, S 8, P 4, O 64 of 512; 32 matrix
// instructions of 16 cycles a tile.
fmha.schedule @decode_wide = @decode with <waves_per_simd = 1>
