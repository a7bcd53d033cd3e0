// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// ds_read_b64_tr_b16: in each 16-lane row, lanes 4j..4j+3 supply row j (16 halves) of
// a 4 x 16 block, lane c receives column c, four halves.
// Source: Modular docs, ds_read_tr16_b64_row ("each 16-lane row loads a 4x16 tile, each
// lane gets a column of the tile"); HipKittens and CK fetch V this way for 32x32x16.

.set LDS, 4096
.include "prologue.inc"
//| halves = [(i * 40503 + 7) & 0xffff for i in range(2048)]
//| dwords = [halves[2*i] | halves[2*i+1] << 16 for i in range(1024)]
//| step = rng(16)
//| scattered = [step(9) * 8 for _ in range(64)]
//| inputs(*[dwords[64*c:64*c+64] for c in range(16)])
//| inputs(scattered)
//| def transposed(addresses):
//|     supplied = [[halves[a // 2 + e] for e in range(4)] for a in addresses]
//|     lo, hi = [], []
//|     for lane in range(64):
//|         row, c = lane & ~15, lane & 15
//|         h = [supplied[row + 4 * j + c // 4][c % 4] for j in range(4)]
//|         lo.append(h[0] | h[1] << 16)
//|         hi.append(h[2] | h[3] << 16)
//|     return lo, hi
//| def want(label, addresses):
//|     lo, hi = transposed(addresses)
//|     expect(label + " lo", lo)
//|     expect(label + " hi", hi)
//| matrix()
KERNEL
  // dword i of LDS is input i: lane l of column c is dword 64c + l
  INPUTS 16, 16, 0
  INPUT v2, 16
  LOADED
  .set .Lk, 0
  .rept 16
    ds_write_b32 v255, v[16+.Lk] offset:256*.Lk
    .set .Lk, .Lk+1
  .endr
  v_lshlrev_b32_e32 v3, 3, v0
  s_waitcnt lgkmcnt(0)

  ds_read_b64_tr_b16 v[4:5], v3
  ds_read_b64_tr_b16 v[6:7], v3 offset:512
  ds_read_b64_tr_b16 v[8:9], v2
  // rows of 144 bytes, as a padded V tile: lane l at row l%16/4 of its block
  v_and_b32_e32 v10, 15, v0
  v_lshrrev_b32_e32 v11, 2, v10
  v_mul_u32_u24_e32 v11, 144, v11
  v_and_b32_e32 v12, 3, v0
  v_lshl_add_u32 v11, v12, 3, v11
  v_lshrrev_b32_e32 v12, 4, v0
  v_lshl_add_u32 v11, v12, 5, v11
  ds_read_b64_tr_b16 a[4:5], v11 offset:64
  s_waitcnt lgkmcnt(0)
  OUTPUTS 4, 2
//| want("consecutive", [8 * l for l in LANE])
  OUTPUTS 6, 2
//| want("offset", [512 + 8 * l for l in LANE])
  OUTPUTS 8, 2
//| want("scattered", scattered)
  OUTPUTS_ACC 4, 2
//| want("padded rows, into AGPR",
//|      [64 + l % 16 // 4 * 144 + l % 4 * 8 + l // 16 * 32 for l in LANE])
END_KERNEL
