// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_1tile: the stages of dualwave in a body of one tile. Which of its two buffers a
// tile lies in is computed in every round, a few scalar instructions, so that no tile is
// rounded up to, no epilogue is needed for an odd one, and there is half as much code to
// compile, load and keep in the instruction cache. O and l follow the maximum of a tile
// after PV of the tile before.
//
// Registers and matrix instructions as in dualwave; recipes found by search from its,
// 2085 cycles a tile in the cycle model at D = 128. They were found with padded lines of V,
// LDS 68096 bytes.
fmha.recipe @dualwave_1tile_d128 = #fmha.recipe<
  @scores [
    [mfma 1,
     valu 1 0 0 0 0 0 4 4 6 6 6 4 5 4 6 0,
     trans 2 2 2 2 3 1 0 0 0 0 0 0 0 0 0 0,
     valu 0 0 0 1 0 1 0 0 0 0 0 0 0 0 0 0]],
  @v_in [[ds_read 3, valu 2, ds_read 3 3 3 11, valu 1 1 1 0]],
  @output [
    [mfma 1, trans 0 0 0 0 0 0 0 0 2, valu 6 4 4 3 5 3 4 2 1],
    6 x [mfma 1, trans 3], [mfma 1]]>
fmha.schedule @dualwave_1tile = @dualwave with <
  v = <layout = padded>,
  pipeline = <tiles = 1, recipe = @dualwave_1tile_d128>>
