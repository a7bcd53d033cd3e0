// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Global loads and stores of every width, with and without a scalar base, negative
// offsets, byte and short forms with extension, d16 halves that keep the other half.
// Source: CDNA4 ISA pseudocode GLOBAL_LOAD_* / GLOBAL_STORE_*
// (tinygrad/tinygrad:tinygrad/runtime/autogen/amd/cdna/str_pcode.py).

//| data = [(i * 0x9E3779B1 + 0x80) & 0xffffffff for i in range(512)]
//| raw = column_bytes([data])
//| in_buffer(raw)
//| buffer("t", bytes=4096, fill=0, out=True)
//| kernarg(offset=16, buffer="t")
//| def u(a, n): return int.from_bytes(raw[a:a + n], "little")
//| matrix()
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 16
  v_lshlrev_b32_e32 v1, 4, v0
  // a 64-bit address in VGPRs
  v_mov_b32_e32 v3, s5
  v_add_co_u32_e32 v2, vcc, s4, v1
  v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
  global_load_dword v10, v255, s[4:5] offset:4
  global_load_dwordx2 v[12:13], v[2:3], off offset:8
  v_add_u32_e32 v4, 64, v1
  global_load_dwordx3 v[14:16], v4, s[4:5] offset:-64
  global_load_dwordx4 v[18:21], v[2:3], off
  global_load_ubyte v22, v0, s[4:5] offset:3
  global_load_sbyte v23, v0, s[4:5] offset:3
  v_lshlrev_b32_e32 v5, 1, v0
  global_load_ushort v24, v5, s[4:5] offset:2
  global_load_sshort v25, v5, s[4:5] offset:2
  v_mov_b32_e32 v26, 0xdeadbeef
  v_mov_b32_e32 v27, 0xdeadbeef
  v_mov_b32_e32 v28, 0xdeadbeef
  global_load_short_d16 v26, v5, s[4:5]
  global_load_short_d16_hi v27, v5, s[4:5]
  global_load_ubyte_d16_hi v28, v0, s[4:5]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  OUTPUT v10   // == u(4 * lane + 4, 4)
  OUTPUT64 v12, v13   // == u(16 * lane + 8, 8)
  OUTPUT v14   // == u(16 * lane, 4)
  OUTPUT v15   // == u(16 * lane + 4, 4)
  OUTPUT v16   // == u(16 * lane + 8, 4)
  OUTPUT64 v18, v19   // == u(16 * lane, 8)
  OUTPUT64 v20, v21   // == u(16 * lane + 8, 8)
  OUTPUT v22   // == u(lane + 3, 1)
  OUTPUT v23   // == sext(u(lane + 3, 1), 8)
  OUTPUT v24   // == u(2 * lane + 2, 2)
  OUTPUT v25   // == sext(u(2 * lane + 2, 2), 16)
  OUTPUT v26   // == 0xdead0000 | u(2 * lane, 2)
  OUTPUT v27   // == 0x0000beef | u(2 * lane, 2) << 16
  OUTPUT v28   // == 0x0000beef | u(lane, 1) << 16

  global_store_dwordx4 v1, v[18:21], s[8:9]
  global_store_byte v0, v10, s[8:9] offset:1024
  global_store_short v5, v10, s[8:9] offset:1152
  global_store_byte_d16_hi v0, v10, s[8:9] offset:1280
  global_store_short_d16_hi v5, v10, s[8:9] offset:1344
  v_mul_u32_u24_e32 v6, 12, v0
  global_store_dwordx3 v6, v[18:20], s[8:9] offset:2048
  v_lshlrev_b32_e32 v6, 3, v0
  global_store_dwordx2 v6, v[18:19], s[8:9] offset:3072
//| t = bytearray(4096)
//| for l in LANE:
//|     w = u(4 * l + 4, 4).to_bytes(4, "little")
//|     t[16 * l:16 * l + 16] = raw[16 * l:16 * l + 16]
//|     t[1024 + l] = w[0]
//|     t[1152 + 2 * l:1154 + 2 * l] = w[0:2]
//|     t[1280 + l] = w[2]
//|     t[1344 + 2 * l:1346 + 2 * l] = w[2:4]
//|     t[2048 + 12 * l:2060 + 12 * l] = raw[16 * l:16 * l + 12]
//|     t[3072 + 8 * l:3080 + 8 * l] = raw[16 * l:16 * l + 8]
//| expect_buffer("t", t)

  // lanes off neither load nor store
  v_mov_b32_e32 v30, 0x1234
  s_mov_b64 exec, 0xff00
  global_load_dword v30, v255, s[4:5]
  s_mov_b64 exec, -1
  LOADED
  OUTPUT v30   // == data[lane] if 8 <= lane < 16 else 0x1234
END_KERNEL
