// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// ds_read_b64_tr_b4, ds_read_b96_tr_b6: in each 16 lanes, lane j supplies row j, 16 elements;
// lane c receives column c.
// Source: CDNA4 ISA 11.4 (what the two reads of a matrix hold: K values 0..15 in the first
// register pair of lanes 0..15); MLIR amdgpu.transpose_load (16 elements of 4 or 6 bits).

.set LDS, 4096
.include "prologue.inc"
//| data = bytes((i * 167 + i // 251 + 3) & 255 for i in range(4096))
//| dwords = [int.from_bytes(data[4*i:4*i+4], "little") for i in range(1024)]
//| step = rng(17)
//| places = [step(8) * 16 for _ in range(64)]
//| inputs(*[dwords[64*c:64*c+64] for c in range(16)])
//| inputs(places)
//| def want(label, bits, count):
//|     rows = [int.from_bytes(data[a:a + 4 * count], "little") for a in places]
//|     columns = []
//|     for lane in LANE:
//|         first, c = lane & ~15, lane & 15
//|         elements = [rows[first + j] >> bits * c & ((1 << bits) - 1) for j in range(16)]
//|         columns.append(sum(e << bits * j for j, e in enumerate(elements)))
//|     for r in range(count): expect(f"{label} register {r}", [x >> 32 * r & 0xffffffff for x in columns])
//| matrix()
KERNEL
  INPUTS 16, 16, 0
  INPUT v2, 16
  LOADED
  .set .Lk, 0
  .rept 16
    ds_write_b32 v255, v[16+.Lk] offset:256*.Lk
    .set .Lk, .Lk+1
  .endr
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b64_tr_b4 v[40:41], v2
  ds_read_b96_tr_b6 v[44:46], v2
  v_add_u32_e32 v3, -16, v2
  ds_read_b64_tr_b4 v[48:49], v3 offset:16
  s_waitcnt lgkmcnt(0)
  OUTPUT v40
  OUTPUT v41
//| want("b4", 4, 2)
  OUTPUT v44
  OUTPUT v45
  OUTPUT v46
//| want("b6", 6, 3)
  OUTPUT v48
  OUTPUT v49
//| want("b4 offset", 4, 2)
END_KERNEL
