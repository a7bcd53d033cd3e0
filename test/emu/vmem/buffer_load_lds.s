// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Loads direct to LDS: LDS address = M0 + instruction offset + lane * size; the
// instruction offset counts in the memory address as well; out-of-range lanes write
// zeros; lanes off by EXEC write nothing; vmcnt covers the data.
// Source: CDNA3 ISA, "Buffer load to LDS" (LDS_ADDR = LDSbase + M0 + inst_offset +
// ThreadID * 4), LLVM AMDGPUUsage / llvm.amdgcn.raw.ptr.buffer.load.lds (16-byte form on
// gfx950, offset applied to both addresses); the aiter kernels for the rest.

.set LDS, 16384
.include "prologue.inc"
//| data = [0x61000000 + 4 * i for i in range(1024)]
//| in_buffer(column_bytes([data]))
//| def at(offset, n):
//|     return data[offset // 4] if offset + 4 <= n else 0
//| matrix(full=True)

// own LDS dwords at 16 * lane + base, four columns
.macro READ_BACK base
  v_lshlrev_b32_e32 v3, 4, v0
  ds_read_b128 v[20:23], v3 offset:\base
  s_waitcnt lgkmcnt(0)
  OUTPUTS 20, 4
.endm

KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 4096
  s_mov_b32 s11, 0x00020000
  // LDS starts as 0x77777777
  v_mov_b32_e32 v4, 0x77777777
  v_mov_b32_e32 v5, v4
  v_mov_b32_e32 v6, v4
  v_mov_b32_e32 v7, v4
  v_lshlrev_b32_e32 v3, 4, v0
  .set .Lk, 0
  .rept 16
    ds_write_b128 v3, v[4:7] offset:1024*.Lk
    .set .Lk, .Lk+1
  .endr
  s_waitcnt lgkmcnt(0)

  // lane l fetches memory 16 * (63 - l) + 32 to LDS 2048 + 16 + 16 * l
  v_sub_u32_e32 v1, 63, v0
  v_lshlrev_b32_e32 v1, 4, v1
  s_mov_b32 m0, 2048
  s_nop 0
  s_movk_i32 s12, 16
  buffer_load_dwordx4 v1, s[8:11], s12 offen offset:16 lds
  s_waitcnt vmcnt(0)
  READ_BACK 2048
//| def lds_after(writes):
//|     # byte address -> dword
//|     lds = {}
//|     for address, value in writes: lds[address] = value
//|     return lambda a: lds.get(a, 0x77777777)
//| def back(label, base, f):
//|     for e in range(4):
//|         expect(f"{label} dword {e}", [f(base + 16 * l + 4 * e) for l in LANE])
//| writes = [(2048 + 16 + 16 * l + 4 * e, at(16 * (63 - l) + 32 + 4 * e, 4096))
//|           for l in LANE for e in range(4)]
//| back("dwordx4", 2048, lds_after(writes))

  // num_records 512: the upper lanes fetch zeros
  s_movk_i32 s10, 512
  s_mov_b32 m0, 4096
  v_lshlrev_b32_e32 v1, 4, v0
  s_nop 0
  buffer_load_dwordx4 v1, s[8:11], 0 offen offset:8 lds
  s_waitcnt vmcnt(0)
  READ_BACK 4096
//| writes = [(4096 + 8 + 16 * l + 4 * e, at(16 * l + 8 + 4 * e, 512))
//|           for l in LANE for e in range(4)]
//| back("out of range", 4096, lds_after(writes))

  // one dword a lane
  s_mov_b32 m0, 6144
  s_nop 0
  buffer_load_dword v255, s[8:11], 0 offen offset:260 lds
  s_waitcnt vmcnt(0)
  READ_BACK 6144
//| writes = [(6144 + 260 + 4 * l, at(4 * l + 260, 512)) for l in LANE]
//| back("dword", 6144, lds_after(writes))

  // half the lanes, every other one
  s_mov_b32 s10, 4096
  s_mov_b32 m0, 8192
  s_mov_b32 s20, 0x55555555
  s_mov_b32 s21, 0x55555555
  s_mov_b64 s[22:23], exec
  s_mov_b64 exec, s[20:21]
  buffer_load_dwordx4 v1, s[8:11], 0 offen lds
  s_mov_b64 exec, s[22:23]
  s_waitcnt vmcnt(0)
  READ_BACK 8192
//| writes = [(8192 + 16 * l + 4 * e, data[4 * l + e])
//|           for l in LANE if l % 2 == 0 for e in range(4)]
//| back("EXEC", 8192, lds_after(writes))

  // two in flight, waited for one by one in order
  s_mov_b32 m0, 10240
  s_nop 0
  buffer_load_dwordx4 v1, s[8:11], 0 offen lds
  s_mov_b32 m0, 11264
  s_nop 0
  buffer_load_dwordx4 v1, s[8:11], 0 offen offset:1024 lds
  s_waitcnt vmcnt(1)
  READ_BACK 10240
  s_waitcnt vmcnt(0)
  READ_BACK 12288
//| back("first of two", 10240,
//|      lds_after([(10240 + 16 * l + 4 * e, data[4 * l + e])
//|                 for l in LANE for e in range(4)]))
//| back("second of two, at M0 + 1024", 12288,
//|      lds_after([(12288 + 16 * l + 4 * e, data[256 + 4 * l + e])
//|                 for l in LANE for e in range(4)]))
END_KERNEL
