// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Scalar stores and atomics through pointers and descriptors, with and without the old value
// (glc), 32 and 64 bits, and scalar private memory. One lane's worth of data: the wave does each
// once.
// Source: CDNA4 ISA pseudocode S_STORE_DWORD*, S_ATOMIC_*, S_BUFFER_STORE_*,
// S_BUFFER_ATOMIC_*; 8.2.1 (scratch: a register offset counts in 64 bytes), 8.2.2 (glc); public split-K GEMM kernels for gfx950 count with
// s_atomic_dec.

//| start = [0x11110000 + i for i in range(64)]
//| buffer("mem", data=column_bytes([start]), out=True)
//| kernarg(offset=16, buffer="mem")
//| matrix()
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, 0xaaaa0001
  s_mov_b32 s13, 0xaaaa0002
  s_mov_b32 s14, 0xaaaa0003
  s_mov_b32 s15, 0xaaaa0004
  s_movk_i32 s16, 64
  s_store_dword s12, s[8:9], 0x4
  s_store_dwordx2 s[12:13], s[8:9], s16
  s_store_dwordx4 s[12:15], s[8:9], s16 offset:0x10
  // atomics: dword 32 on
  s_add_u32 s20, s8, 128
  s_addc_u32 s21, s9, 0
  s_movk_i32 s30, 5
  s_atomic_add s30, s[20:21], 0x0 glc
  s_movk_i32 s31, 5
  s_atomic_sub s31, s[20:21], 0x4
  s_mov_b32 s32, 0x80000000
  s_atomic_smin s32, s[20:21], 0x8 glc
  s_mov_b32 s33, 0x80000000
  s_atomic_umax s33, s[20:21], 0xc glc
  s_mov_b32 s34, 7
  s_mov_b32 s35, 0x11110024
  s_atomic_cmpswap s[34:35], s[20:21], 0x10 glc
  s_mov_b32 s36, 7
  s_mov_b32 s37, 8
  s_atomic_cmpswap s[36:37], s[20:21], 0x14 glc
  s_mov_b32 s38, 3
  s_atomic_dec s38, s[20:21], 0x18 glc
  s_mov_b32 s39, 0x7fffffff
  s_atomic_inc s39, s[20:21], 0x1c
  s_mov_b32 s40, 9
  s_mov_b32 s41, 10
  s_atomic_swap_x2 s[40:41], s[20:21], 0x20 glc
  s_mov_b32 s42, -1
  s_mov_b32 s43, 0
  s_atomic_add_x2 s[42:43], s[20:21], 0x28
  s_mov_b32 s44, 1
  s_mov_b32 s45, 2
  s_mov_b32 s46, 0x1111002c
  s_mov_b32 s47, 0x1111002d
  s_atomic_cmpswap_x2 s[44:47], s[20:21], 0x30 glc
  // the same memory as a buffer of 60 dwords
  s_mov_b32 s52, s8
  s_mov_b32 s53, s9
  s_movk_i32 s54, 240
  s_mov_b32 s55, 0x20000
  s_buffer_store_dword s12, s[52:55], 0xc0
  s_movk_i32 s56, 0xe8
  s_buffer_store_dwordx4 s[12:15], s[52:55], s56    // the last two are out of range
  s_mov_b32 s57, 0xf0f0f0f0
  s_buffer_atomic_xor s57, s[52:55], 0xc4 glc
  s_mov_b32 s58, 0xf0f0f0f0
  s_buffer_atomic_or s58, s[52:55], 0xf0 glc        // out of range
  s_waitcnt lgkmcnt(0)
  OUTPUT_S s30   // == 0x11110020
  OUTPUT_S s31   // == 5
  OUTPUT_S s32   // == 0x11110022
  OUTPUT_S s33   // == 0x11110023
  OUTPUT_S s34   // == 0x11110024
  OUTPUT_S s35   // == 0x11110024
  OUTPUT_S s36   // == 0x11110025
  OUTPUT_S s38   // == 0x11110026
  OUTPUT_S s39   // == 0x7fffffff
  OUTPUT_S s40   // == 0x11110028
  OUTPUT_S s41   // == 0x11110029
  OUTPUT_S s42   // == -1
  OUTPUT_S s44   // == 0x1111002c
  OUTPUT_S s45   // == 0x1111002d
  OUTPUT_S s46   // == 0x1111002c
  OUTPUT_S s57   // == 0x11110031
  OUTPUT_S s58   // == 0
  // private memory in the buffer's first bytes
  s_movk_i32 s60, 2
  s_scratch_load_dword s61, s[8:9], s60
  s_scratch_load_dwordx2 s[62:63], s[8:9], 0x4
  s_mov_b32 s64, 0xbbbb
  s_movk_i32 s60, 3
  s_scratch_store_dword s64, s[8:9], s60 offset:0x1c
  s_dcache_wb
  s_dcache_inv
  s_dcache_wb_vol
  s_dcache_inv_vol
  s_dcache_discard s[8:9], 0x0
  s_dcache_discard_x2 s[8:9], 0x0
  s_atc_probe 1, s[8:9], 0x0
  s_atc_probe_buffer 1, s[52:55], 0x0
  s_waitcnt lgkmcnt(0)
  OUTPUT_S s61   // == 0x11110025
  OUTPUT_S s62   // == 0xaaaa0001
  OUTPUT_S s63   // == 0x11110002
END_KERNEL
//| want = list(start)
//| want[1] = 0xaaaa0001; want[16:18] = [0xaaaa0001, 0xaaaa0002]
//| want[20:24] = [0xaaaa0001 + i for i in range(4)]
//| want[32] += 5; want[33] -= 5; want[34] = 0x80000000; want[35] = 0x80000000; want[36] = 7
//| want[38] = 3; want[39] += 1; want[40:42] = [9, 10]
//| sum64 = (start[42] | start[43] << 32) + 0xffffffff
//| want[42:44] = [sum64 & 0xffffffff, sum64 >> 32]; want[44:46] = [1, 2]
//| want[48] = 0xaaaa0001; want[49] ^= 0xf0f0f0f0; want[58:60] = [0xaaaa0001, 0xaaaa0002]
//| want[55] = 0xbbbb
//| expect_buffer("mem", column_bytes([want]))
