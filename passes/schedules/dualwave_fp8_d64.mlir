// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_fp8_d64: dualwave_fp8 for heads up to 64, where vector instructions take twice what matrix
// instructions do: the order of instructions is LLVM's, and no recipe found was better.
//
// Budget, D = 64, a wave and tile: 4 matrix instructions of 64 cycles and one of 32; 16 vector instructions
// of 4 cycles for the maximum and 4 to test it, 16 packed ones for exponents, of 8 cycles 16 conversions and
// 32 exponentials, and 8 after each matrix instruction: 568 cycles, 1136 for the two waves of a SIMD. In the
// cycle model 1176 cycles a tile of a compute unit.
fmha.schedule @dualwave_fp8_d64 = @dualwave_fp8 with <
  pipeline = <instructions = free, without recipe>>
