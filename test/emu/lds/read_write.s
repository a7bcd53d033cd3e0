// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// LDS reads and writes of every width, with offsets, two-address forms (units of the
// element, st64 = 64 elements), sign extension, d16 halves.
// Source: CDNA4 ISA pseudocode DS_READ_*, DS_WRITE_*, DS_READ2ST64_* (tinygrad/tinygrad:
// tinygrad/runtime/autogen/amd/cdna/str_pcode.py).

//| inputs(*[random_u32(64, 60 + c) for c in range(8)])
//| words = [x for c in range(8) for x in random_u32(64, 60 + c)]
//| raw = column_bytes([words])                   # LDS 0..2047
//| def u(a, n): return int.from_bytes(raw[a:a + n], "little")
//| matrix()
.set LDS, 40960
.include "prologue.inc"
KERNEL
  INPUTS 1, 8, 0
  LOADED
  ds_write_b32 v255, v1
  ds_write_b32 v255, v2 offset:256
  ds_write2_b32 v255, v3, v4 offset0:128 offset1:192
  ds_write2st64_b32 v255, v5, v6 offset0:4 offset1:5
  v_add_u32_e32 v20, 0x600, v255
  ds_write_b32 v20, v7
  ds_write_b32 v20, v8 offset:256
  v_lshlrev_b32_e32 v21, 1, v0
  v_lshlrev_b32_e32 v23, 3, v0
  v_lshlrev_b32_e32 v24, 4, v0
  v_mul_u32_u24_e32 v25, 12, v0
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v30, v255 offset:4
  ds_read_b64 v[32:33], v23 offset:8
  ds_read_b96 v[34:36], v24
  ds_read_b128 v[40:43], v24 offset:16
  ds_read_u8 v44, v0 offset:3
  ds_read_i8 v45, v0 offset:3
  ds_read_u16 v46, v21 offset:6
  ds_read_i16 v47, v21 offset:6
  ds_read2_b32 v[48:49], v255 offset0:3 offset1:70
  ds_read2st64_b32 v[50:51], v255 offset0:1 offset1:4
  ds_read2_b64 v[52:55], v23 offset0:1 offset1:9
  ds_read2st64_b64 v[56:59], v23 offset0:0 offset1:1
  v_mov_b32_e32 v60, 0xdeadbeef
  v_mov_b32_e32 v61, 0xdeadbeef
  v_mov_b32_e32 v62, 0xdeadbeef
  ds_read_u16_d16 v60, v21
  ds_read_u16_d16_hi v61, v21
  ds_read_i8_d16_hi v62, v0
  s_waitcnt lgkmcnt(0)
  OUTPUT v30   // == u(4 * lane + 4, 4)
  OUTPUT64 v32, v33   // == u(8 * lane + 8, 8)
  OUTPUT64 v34, v35   // == u(16 * lane, 8)
  OUTPUT v36   // == u(16 * lane + 8, 4)
  OUTPUT64 v40, v41   // == u(16 * lane + 16, 8)
  OUTPUT64 v42, v43   // == u(16 * lane + 24, 8)
  OUTPUT v44   // == u(lane + 3, 1)
  OUTPUT v45   // == sext(u(lane + 3, 1), 8)
  OUTPUT v46   // == u(2 * lane + 6, 2)
  OUTPUT v47   // == sext(u(2 * lane + 6, 2), 16)
  OUTPUT v48   // == u(4 * lane + 12, 4)
  OUTPUT v49   // == u(4 * lane + 280, 4)
  OUTPUT v50   // == u(4 * lane + 256, 4)
  OUTPUT v51   // == u(4 * lane + 1024, 4)
  OUTPUT64 v52, v53   // == u(8 * lane + 8, 8)
  OUTPUT64 v54, v55   // == u(8 * lane + 72, 8)
  OUTPUT64 v56, v57   // == u(8 * lane, 8)
  OUTPUT64 v58, v59   // == u(8 * lane + 512, 8)
  OUTPUT v60   // == 0xdead0000 | u(2 * lane, 2)
  OUTPUT v61   // == 0x0000beef | u(2 * lane, 2) << 16
  OUTPUT v62   // == 0x0000beef | (sext(u(lane, 1), 8) & 0xffff) << 16

  // wide and narrow writes, past 32 KiB as well (LDS addresses have more than 15 bits)
  v_add_u32_e32 v26, 0x8000, v24
  ds_write_b128 v26, v[2:5] offset:1024
  ds_read_b64 v[70:71], v26 offset:1032
  ds_write_b96 v24, v[6:8] offset:4096
  ds_read_b32 v72, v24 offset:4104
  ds_write_b64 v23, v[4:5] offset:8192
  ds_read_b32 v73, v23 offset:8196
  v_mov_b32_e32 v63, 0x11223344
  ds_write_b32 v255, v63 offset:12288
  ds_write_b8 v255, v1 offset:12289
  ds_write_b16 v255, v2 offset:12290
  ds_read_b32 v74, v255 offset:12288
  ds_write_b32 v255, v63 offset:12288
  ds_write_b8_d16_hi v255, v1 offset:12288
  ds_write_b16_d16_hi v255, v2 offset:12290
  ds_read_b32 v75, v255 offset:12288
  ds_write2_b64 v24, v[2:3], v[4:5] offset0:0 offset1:1
  ds_read_b128 v[76:79], v24
  ds_write2st64_b64 v23, v[4:5], v[6:7] offset0:32 offset1:33
  ds_read_b64 v[80:81], v23 offset:16896
  s_waitcnt lgkmcnt(0)
  OUTPUT v70   // == words[192 + lane]
  OUTPUT v71   // == words[256 + lane]
  OUTPUT v72   // == words[448 + lane]
  OUTPUT v73   // == words[256 + lane]
  OUTPUT v74   // == 0x44 | (words[lane] & 255) << 8 | (words[64 + lane] & 0xffff) << 16
  OUTPUT v75   // == words[lane] >> 16 & 255 | 0x3300 | words[64 + lane] & 0xffff0000
  OUTPUT v76   // == words[64 + lane]
  OUTPUT v77   // == words[128 + lane]
  OUTPUT v78   // == words[192 + lane]
  OUTPUT v79   // == words[256 + lane]
  OUTPUT v80   // == words[320 + lane]
  OUTPUT v81   // == words[384 + lane]

  // both addresses the same
  ds_read2_b32 v[48:49], v255 offset0:5 offset1:5
  ds_write2_b32 v255, v1, v2 offset0:250 offset1:250
  s_waitcnt lgkmcnt(0)
  v_cmp_eq_u32_e32 vcc, v48, v49
  s_nop 1
  v_cndmask_b32_e64 v50, 0, 1, vcc
  OUTPUT v50   // == 1
END_KERNEL
