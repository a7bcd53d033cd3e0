// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Atomics on memory must be aligned to their size, whatever the access mode; loads and stores
// need not be. Lanes that are out of the range of a descriptor, or off, access nothing.
// Source: CDNA4 ISA 3.11 ("Memory read/write/atomic alignment error"); RDNA3 ISA 9.5 ("Atomics
// must be aligned to the data size, or triggers a MEMVIOL", in all modes); LLVM,
// allowsMisalignedMemoryAccesses (loads and stores of amdhsa: any alignment).

//| buffer("memory", bytes=4096, fill=0, base="0x130000000000")
//| kernarg(offset=16, buffer="memory")
//| no_output()
//| violation = "hardware reports a memory violation"
//| finding("mem", "global_atomic_add v255, v1, s[8:9] offset:2", message=("lane 0 updates 4 bytes at byte 2 of buffer \"memory\" (0x130000000002)", "no multiple of 4", violation), count=64)
//| finding("mem", "global_atomic_add_x2 v3, v[4:5], s[8:9] offset:1028", message=("lane 0 updates 8 bytes", "0x130000000404", "no multiple of 8", violation), count=64)
//| finding("mem", "global_atomic_pk_add_bf16", message=("no multiple of 4", violation), count=64)
//| finding("mem", "flat_atomic_swap", message=("lane 5 updates 4 bytes at byte 21 ", violation), count=1)
//| finding("mem", "buffer_atomic_umax v1, v255, s[12:15], 0 offen offset:3", message=("no multiple of 4", violation), count=31)
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 16
  v_mov_b32_e32 v1, 1
  v_mov_b32_e32 v4, 1
  v_mov_b32_e32 v5, 0
  v_lshlrev_b32_e32 v3, 3, v0
  s_waitcnt lgkmcnt(0)
  global_atomic_add v255, v1, s[8:9]
  global_atomic_add v255, v1, s[8:9] offset:2
  global_atomic_add_x2 v3, v[4:5], s[8:9] offset:1024
  global_atomic_add_x2 v3, v[4:5], s[8:9] offset:1028
  global_atomic_pk_add_bf16 v255, v1, s[8:9] offset:4
  v_add_u32_e32 v6, 1, v255
  global_atomic_pk_add_bf16 v6, v1, s[8:9]
  // one lane's address is odd
  v_mov_b32_e32 v11, s9
  v_cmp_eq_u32_e32 vcc, 5, v0
  v_mov_b32_e32 v12, s8
  v_addc_co_u32_e64 v10, s[20:21], v255, v12, vcc
  flat_atomic_swap v[10:11], v1
  v_add_u32_e32 v10, s8, v255
  flat_atomic_smin v[10:11], v1
  // 128 bytes in range: lanes 0..30
  s_mov_b32 s12, s8
  s_and_b32 s13, s9, 0xffff
  s_movk_i32 s14, 128
  s_mov_b32 s15, 0x00020000
  buffer_atomic_umax v1, v255, s[12:15], 0 offen offset:3
  buffer_atomic_umin v1, v255, s[12:15], 0 offen offset:4
  s_movk_i32 s14, 2
  buffer_atomic_and v1, v255, s[12:15], 0 offen offset:3
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_mov_b64 exec, 0
  global_atomic_sub v255, v1, s[8:9] offset:1
  s_mov_b64 exec, -1
  // loads and stores
  s_movk_i32 s14, 4096
  global_load_dwordx4 v[20:23], v255, s[8:9] offset:1
  global_load_ushort v24, v255, s[8:9] offset:3
  buffer_load_dwordx2 v[26:27], v255, s[12:15], 0 offen offset:2
  global_store_dword v255, v1, s[8:9] offset:2049
  buffer_store_short v1, v255, s[12:15], 0 offen offset:2047
  s_waitcnt vmcnt(0) lgkmcnt(0)
END_KERNEL
