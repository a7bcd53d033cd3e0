// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test --define EFFECT=1 %s
// RUN: %emu_test --define EFFECT=0 %s
//
// Data of a wide store that is overwritten too early: what it stores is the new value, of
// each dword but the first. Buffers with and without a scalar register as offset, global
// memory, three and four dwords; dwords out of range, lanes that do not store, lanes that do
// not overwrite.
// Source: LLVM pull request 197267 saw dword 0 stored right and dword 1 overwritten on an
// MI350X; wait_states.def for the states and for the dwords after it (assumed).

//| checks("none")
//| options("--hazards=" + ("effect" if EFFECT else "report"))
//| # What a store of `n` dwords leaves, of `lanes`, with data 1000 (k + 1) + lane and with
//| # 500 + lane in the dwords `over` of the lanes `by`.
//| RULES = ["store-data", "store-data-offset"]
//| FILL, memory = 0x11111111, []
//| def stored(n, over=(), lanes=LANE, by=LANE, in_range=lambda dword: True):
//|     block = [FILL] * 256
//|     for l in lanes:
//|         for k in range(n):
//|             late = EFFECT and k in over and k > 0 and l in by
//|             if in_range(4 * l + k):
//|                 block[4 * l + k] = 500 + l if late else 1000 * (k + 1) + l
//|     memory.extend(block)
//| odd = [l for l in LANE if l & 1]
.include "prologue.inc"

// Data in v[10:13], the address of the lane's 16 bytes in v[14:15] and v16, the next block
// of memory, where the descriptor begins, too.
.macro BLOCK
  s_mov_b64 exec, -1
  v_mbcnt_lo_u32_b32 v5, -1, 0
  v_mbcnt_hi_u32_b32 v5, -1, v5
  v_add_u32_e32 v6, 500, v5
  v_add_u32_e32 v10, 1000, v5
  v_add_u32_e32 v11, 2000, v5
  v_add_u32_e32 v12, 3000, v5
  v_add_u32_e32 v13, 4000, v5
  v_lshlrev_b32_e32 v16, 4, v5
  s_mov_b64 s[12:13], s[8:9]
  s_mov_b32 s14, 1024
  s_mov_b32 s15, 0x00020000
  s_add_u32 s8, s8, 1024
  s_addc_u32 s9, s9, 0
  s_mov_b32 s20, 0
  s_nop 15
.endm

KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 16
  s_mov_b32 s30, 0xaaaaaaaa
  s_mov_b32 s31, 0xaaaaaaaa
  s_waitcnt lgkmcnt(0)

  // a register as offset: one state
//| stored(4, [1])
  BLOCK
  buffer_store_dwordx4 v[10:13], v16, s[12:15], s20 offen
  v_mov_b32_e32 v11, v6
//| stored(4, [0])
  BLOCK
  buffer_store_dwordx4 v[10:13], v16, s[12:15], s20 offen
  v_mov_b32_e32 v10, v6
//| stored(4, [])                     # in time
  BLOCK
  buffer_store_dwordx4 v[10:13], v16, s[12:15], s20 offen
  s_nop 0
  v_mov_b32_e32 v11, v6
//| stored(3, [1])
  BLOCK
  buffer_store_dwordx3 v[10:12], v16, s[12:15], s20 offen
  v_mov_b32_e32 v11, v6
//| stored(3, [])                     # a register after the data
  BLOCK
  buffer_store_dwordx3 v[10:12], v16, s[12:15], s20 offen
  v_mov_b32_e32 v13, v6
//| stored(2, [])                     # two dwords are not late
  BLOCK
  buffer_store_dwordx2 v[10:11], v16, s[12:15], s20 offen
  v_mov_b32_e32 v11, v6

  // without: two states
//| stored(4, [3])
  BLOCK
  buffer_store_dwordx4 v[10:13], v16, s[12:15], 0 offen
  s_nop 0
  v_mov_b32_e32 v13, v6
//| stored(4, [])
  BLOCK
  buffer_store_dwordx4 v[10:13], v16, s[12:15], 0 offen
  s_nop 1
  v_mov_b32_e32 v13, v6
//| stored(4, [1, 2])                 # by two instructions
  BLOCK
  buffer_store_dwordx4 v[10:13], v16, s[12:15], 0 offen
  v_mov_b32_e32 v12, v6
  v_mov_b32_e32 v11, v6
//| stored(4, [1])                    # and by three: the last is in time
  BLOCK
  buffer_store_dwordx4 v[10:13], v16, s[12:15], 0 offen
  v_mov_b32_e32 v10, v6
  v_mov_b32_e32 v11, v6
  v_mov_b32_e32 v13, v6

  // global memory
.macro GLOBAL store
  BLOCK
  v_mov_b32_e32 v15, s13
  v_add_co_u32_e32 v14, vcc, s12, v16
  v_addc_co_u32_e32 v15, vcc, 0, v15, vcc
  s_nop 15
  \store
.endm
//| stored(4, [2])
  GLOBAL "global_store_dwordx4 v[14:15], v[10:13], off"
  v_mov_b32_e32 v12, v6
//| stored(3, [2])
  GLOBAL "global_store_dwordx3 v[14:15], v[10:12], off"
  s_nop 0
  v_mov_b32_e32 v12, v6
//| stored(3, [])
  GLOBAL "global_store_dwordx3 v[14:15], v[10:12], off"
  s_nop 1
  v_mov_b32_e32 v12, v6
//| stored(4, [1])
  GLOBAL "flat_store_dwordx4 v[14:15], v[10:13]"
  v_mov_b32_e32 v11, v6

  // lanes that do not store, and lanes that do not overwrite
//| stored(4, [1], lanes=odd)
  BLOCK
  s_mov_b64 exec, s[30:31]
  s_nop 15
  buffer_store_dwordx4 v[10:13], v16, s[12:15], s20 offen
  v_mov_b32_e32 v11, v6
//| stored(4, [1], by=odd)
  BLOCK
  buffer_store_dwordx4 v[10:13], v16, s[12:15], 0 offen
  s_mov_b64 exec, s[30:31]
  v_mov_b32_e32 v11, v6
//| stored(4, [1], in_range=lambda d: d < 130)      # 520 bytes: half of lane 32
  BLOCK
  s_movk_i32 s14, 520
  buffer_store_dwordx4 v[10:13], v16, s[12:15], s20 offen
  v_mov_b32_e32 v11, v6
//| buffer("t", bytes=4 * len(memory), fill=0x11, out=True)
//| kernarg(offset=16, buffer="t")
//| expect_buffer("t", column_bytes([memory]))
END_KERNEL
