// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// latent_decode: few rows of Q and many keys of latent attention, whose V lies in K. A tile has 32 rows
// of all heads; each of its two waves has 16 of them and reads all keys. Two workgroups on a compute
// unit wait for memory in turns: while one waits for a tile, the other one's is under way.
//
// Budget, 576 and 512, a wave: registers Q 72, O 128, S 8, P 4 of 512, K and V in parts; LDS 73 KiB; 68
// matrix instructions of 16 cycles a tile of 32 keys, 36 KiB, which take some 2700 cycles from HBM.
fmha.schedule @latent_decode = @generic_latent with <
  tile_m = 32, waves = 2, rows = group>
