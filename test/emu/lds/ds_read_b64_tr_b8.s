// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// ds_read_b64_tr_b8: in each 16-lane row, lanes 2j, 2j+1 supply row j (16 bytes) of an
// 8 x 16 block, lane c receives column c, eight bytes.
// Source: MLIR amdgpu.transpose_load (8 elements of 8 bits from 16 lanes of 64 bits);
// fp8 attention kernels of ROCm/aiter and FlyDSL fetch V so and agree with a reference.

.set LDS, 4096
.include "prologue.inc"
//| data = [(i * 167 + i // 251 + 3) & 255 for i in range(4096)]
//| dwords = [int.from_bytes(bytes(data[4*i:4*i+4]), "little") for i in range(1024)]
//| step = rng(16)
//| scattered = [step(9) * 8 for _ in range(64)]
//| inputs(*[dwords[64*c:64*c+64] for c in range(16)])
//| inputs(scattered)
//| def transposed(addresses):
//|     supplied = [data[a:a + 8] for a in addresses]
//|     lo, hi = [], []
//|     for lane in range(64):
//|         row, c = lane & ~15, lane & 15
//|         h = bytes(supplied[row + 2 * j + c // 8][c % 8] for j in range(8))
//|         lo.append(int.from_bytes(h[:4], "little"))
//|         hi.append(int.from_bytes(h[4:], "little"))
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

  ds_read_b64_tr_b8 v[4:5], v3
  ds_read_b64_tr_b8 v[6:7], v3 offset:512
  ds_read_b64_tr_b8 v[8:9], v2
  // rows of 144 bytes, as a padded V tile: lane l at row l%16/2 of its block
  v_and_b32_e32 v10, 15, v0
  v_lshrrev_b32_e32 v11, 1, v10
  v_mul_u32_u24_e32 v11, 144, v11
  v_and_b32_e32 v12, 1, v0
  v_lshl_add_u32 v11, v12, 3, v11
  v_lshrrev_b32_e32 v12, 4, v0
  v_lshl_add_u32 v11, v12, 4, v11
  ds_read_b64_tr_b8 a[4:5], v11 offset:64
  s_waitcnt lgkmcnt(0)
  OUTPUTS 4, 2
//| want("consecutive", [8 * l for l in LANE])
  OUTPUTS 6, 2
//| want("offset", [512 + 8 * l for l in LANE])
  OUTPUTS 8, 2
//| want("scattered", scattered)
  OUTPUTS_ACC 4, 2
//| want("padded rows, into AGPR",
//|      [64 + l % 16 // 2 * 144 + l % 2 * 8 + l // 16 * 16 for l in LANE])
END_KERNEL
