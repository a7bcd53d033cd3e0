// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LDS: reads, writes, transposes, and lane exchanges that use its crossbar.
// CDNA3 ISA 12.12; gfx950: ds_read_b64_tr_*, b96/b128. Atomics:
// exec/memory/lds_atomic.c.
#include "lds.h"
#include "alignment.h"
#include "interleave.h"
#include "race.h"
#include "spin.h"
#include "timing.h"
#include "undefined.h"
#include "wait.h"

// Copies `bytes` of every lane to `to`, `pitch` bytes apart; lanes that do not
// read get zeros.
static inline __attribute__((always_inline)) void
copy_lanes(const uint8_t *lds, const uint32_t *at, const uint32_t bytes,
           const uint32_t pitch, uint8_t *to) {
  for (unsigned i = 0; i < EMU_LANES; i++)
    memcpy(to + pitch * i, lds + at[i], bytes);
}
// `first`: the destination, as in emu_init_lds_read().
static void read_lanes(emu_wave *w, const emu_pending *p,
                       emu_alignment alignment, const uint32_t *at,
                       uint32_t bytes, uint32_t pitch, int first, void *out) {
  const isa_insn *in = p->insn;
  uint64_t exec = p->exec;
  emu_check_lds_alignment(w, in, alignment, at, exec, bytes, "reads");
  if (w->wg->race)
    emu_race_lds(w, in, p->serial, at, bytes, exec, EMU_ACCESS_READ);
  if (w->init)
    emu_init_lds_read(w, in, at, bytes, exec, first);
  if (w->vm_dma && w->wg->launch->check_wait)
    emu_check_dma_overlap(w, in, at, bytes, exec, "reads");
  if (w->record)
    emu_time_lds(w, at, bytes, exec, EMU_ACCESS_READ);
  const uint8_t *lds = w->wg->lds;
  if (w->watched && exec && emu_lds_inside(w, at, bytes, exec))
    emu_spin_note_read(w, in, lds + at[__builtin_ctzll(exec)], bytes, false);
  uint8_t *to = out;
  bool all = emu_lds_inside(w, at, bytes, exec);
  if (all && exec == ~0ull) {
    switch (bytes) { // with a constant size a copy is one load and one store
    case 16:
      copy_lanes(lds, at, 16, 16, to);
      return;
    case 8:
      copy_lanes(lds, at, 8, 8, to);
      return;
    case 4:
      copy_lanes(lds, at, 4, 4, to);
      return;
    default:
      copy_lanes(lds, at, bytes, pitch, to);
      return;
    }
  }
  memset(to, 0, EMU_LANES * pitch);
  for (unsigned i = 0; i < EMU_LANES; i++)
    if ((exec >> i & 1) &&
        (all || emu_lds_lane_inside(w, in, (int)i, at[i], bytes, "reads")))
      memcpy(to + pitch * i, lds + at[i], bytes);
}

// Reads `words` dwords per lane (or `bytes` < 4 into one) into rows first.. of
// data.
static void read_rows(emu_wave *w, const emu_pending *p, const uint32_t *at,
                      unsigned words, uint32_t bytes, unsigned first,
                      uint32_t data[4][EMU_LANES]) {
  uint32_t lanes[4 * EMU_LANES];
  if (bytes < 4)
    memset(lanes, 0, sizeof lanes);
  read_lanes(w, p, EMU_ALIGN_LDS, at, bytes, 4 * words, (int)first, lanes);
  emu_rows_from_lanes(lanes, words, data + first);
}

// The destination of the rows of a read: the registers, if the read completes
// at issue and all lanes are active. The address register must have been read
// before.
typedef uint32_t (*rows_of)[EMU_LANES];
static rows_of destination(emu_wave *w, emu_pending *p) {
  p->data_in_registers = w->wg->launch->lds_latency == 0 && p->exec == ~0ull;
  return p->data_in_registers ? &w->v[p->reg] : p->data;
}

static void read_plain(emu_wave *w, const isa_insn *in, unsigned words) {
  uint32_t at[EMU_LANES];
  emu_lds_addresses(w, in, at, (uint32_t)in->offset);
  emu_pending *p = emu_lds_begin_read(w, in, words);
  read_rows(w, p, at, words, 4 * words, 0, destination(w, p));
  emu_commit_lgkm(w, p);
}
static void read_two(emu_wave *w, const isa_insn *in, unsigned words,
                     uint32_t step) {
  uint32_t at[EMU_LANES];
  emu_pending *p = emu_lds_begin_read(w, in, 2 * words);
  emu_lds_addresses(w, in, at, (uint32_t)in->offset * step);
  read_rows(w, p, at, words, 4 * words, 0, p->data);
  emu_lds_addresses(w, in, at, (uint32_t)in->offset1 * step);
  read_rows(w, p, at, words, 4 * words, words, p->data);
  emu_commit_lgkm(w, p);
}
static void read_small(emu_wave *w, const isa_insn *in, uint32_t bytes,
                       bool sign, uint32_t mask) {
  uint32_t at[EMU_LANES];
  emu_lds_addresses(w, in, at, (uint32_t)in->offset);
  emu_pending *p = emu_lds_begin_read(w, in, 1);
  read_rows(w, p, at, 1, bytes, 0, p->data);
  for (int i = 0; i < EMU_LANES; i++) {
    uint32_t x = p->data[0][i];
    if (sign)
      x = bytes == 1 ? (uint32_t)(int32_t)(int8_t)x
                     : (uint32_t)(int32_t)(int16_t)x;
    p->data[0][i] = mask == 0xffff0000u ? x << 16 : x;
  }
  if (mask != ~0u) {
    p->keep_half = true;
    p->mask[0] = mask;
  }
  emu_commit_lgkm(w, p);
}
EMU_HANDLER(ds_read_1) { read_plain(w, in, 1); }
EMU_HANDLER(ds_read_2) { read_plain(w, in, 2); }
EMU_HANDLER(ds_read_3) { read_plain(w, in, 3); }
EMU_HANDLER(ds_read_4) { read_plain(w, in, 4); }
EMU_HANDLER(ds_read2_b32) { read_two(w, in, 1, 4); }
EMU_HANDLER(ds_read2_b64) { read_two(w, in, 2, 8); }
EMU_HANDLER(ds_read2st64_b32) { read_two(w, in, 1, 256); }
EMU_HANDLER(ds_read2st64_b64) { read_two(w, in, 2, 512); }
EMU_HANDLER(ds_read_u8) { read_small(w, in, 1, false, ~0u); }
EMU_HANDLER(ds_read_i8) { read_small(w, in, 1, true, ~0u); }
EMU_HANDLER(ds_read_u16) { read_small(w, in, 2, false, ~0u); }
EMU_HANDLER(ds_read_i16) { read_small(w, in, 2, true, ~0u); }
EMU_HANDLER(ds_read_u8_d16) { read_small(w, in, 1, false, 0xffffu); }
EMU_HANDLER(ds_read_u8_d16_hi) { read_small(w, in, 1, false, 0xffff0000u); }
EMU_HANDLER(ds_read_i8_d16) { read_small(w, in, 1, true, 0xffffu); }
EMU_HANDLER(ds_read_i8_d16_hi) { read_small(w, in, 1, true, 0xffff0000u); }
EMU_HANDLER(ds_read_u16_d16) { read_small(w, in, 2, false, 0xffffu); }
EMU_HANDLER(ds_read_u16_d16_hi) { read_small(w, in, 2, false, 0xffff0000u); }

// Transposes within groups of 16 lanes: the elements of a group, lane after
// lane, are a matrix with 16 columns; lane c of the group gets column c. EXEC
// must be all ones on hardware; lanes without EXEC supply 0: assumed.
EMU_HANDLER(ds_read_b64_tr_b16) {
  uint32_t at[EMU_LANES];
  uint16_t x[EMU_LANES * 4];
  emu_lds_addresses(w, in, at, (uint32_t)in->offset);
  emu_pending *p = emu_lds_begin_read(w, in, 2);
  read_lanes(w, p, EMU_ALIGN_LDS_TRANSPOSE, at, 8, 8, EMU_LDS_MIXED, x);
  rows_of to = destination(w, p);
  for (int g = 0; g < EMU_LANES; g += 16)
    for (int c = 0; c < 16; c++) {
      const uint16_t *m = x + 4 * g + c;
      to[0][g + c] = m[0] | (uint32_t)m[16] << 16;
      to[1][g + c] = m[32] | (uint32_t)m[48] << 16;
    }
  emu_commit_lgkm(w, p);
}
EMU_HANDLER(ds_read_b64_tr_b8) {
  uint32_t at[EMU_LANES];
  uint8_t x[EMU_LANES * 8];
  emu_lds_addresses(w, in, at, (uint32_t)in->offset);
  emu_pending *p = emu_lds_begin_read(w, in, 2);
  read_lanes(w, p, EMU_ALIGN_LDS_TRANSPOSE, at, 8, 8, EMU_LDS_MIXED, x);
  rows_of to = destination(w, p);
  for (int g = 0; g < EMU_LANES; g += 16)
    for (int r = 0; r < 2; r++)
      for (int c = 0; c < 16; c++) {
        const uint8_t *m = x + 8 * g + 64 * r + c;
        to[r][g + c] = m[0] | (uint32_t)m[16] << 8 | (uint32_t)m[32] << 16 |
                       (uint32_t)m[48] << 24;
      }
  emu_commit_lgkm(w, p);
}
// Elements that straddle bytes: `bits` wide, 16 a lane.
static void transpose_bits(emu_wave *w, const isa_insn *in, unsigned bits) {
  uint32_t at[EMU_LANES], bytes = 2 * bits;
  uint8_t x[EMU_LANES * 12];
  emu_lds_addresses(w, in, at, (uint32_t)in->offset);
  emu_pending *p = emu_lds_begin_read(w, in, bytes / 4);
  read_lanes(w, p, EMU_ALIGN_LDS_TRANSPOSE, at, bytes, bytes, EMU_LDS_MIXED, x);
  memset(p->data, 0, sizeof p->data[0] * bytes / 4);
  for (unsigned g = 0; g < EMU_LANES; g += 16)
    for (unsigned j = 0; j < 16; j++)
      for (unsigned c = 0; c < 16; c++)
        for (unsigned b = 0; b < bits; b++) {
          unsigned from = (16 * g + 16 * j + c) * bits + b, to = j * bits + b;
          p->data[to / 32][g + c] |= (uint32_t)(x[from / 8] >> from % 8 & 1)
                                     << to % 32;
        }
  emu_commit_lgkm(w, p);
}
EMU_HANDLER(ds_read_b64_tr_b4) { transpose_bits(w, in, 4); }
EMU_HANDLER(ds_read_b96_tr_b6) { transpose_bits(w, in, 6); }

//===-- writes ------------------------------------------------------------===//

static void write_rows(emu_wave *w, const emu_pending *p, const uint32_t *at,
                       const isa_operand *data, uint32_t bytes, bool high) {
  const isa_insn *in = p->insn;
  uint64_t exec = p->exec;
  emu_check_lds_alignment(w, in, EMU_ALIGN_LDS, at, exec, bytes, "writes");
  if (w->wg->race)
    emu_race_lds(w, in, p->serial, at, bytes, exec, EMU_ACCESS_WRITE);
  if (w->init)
    emu_init_lds_write(w, at, bytes, exec, data);
  if (w->vm_dma && w->wg->launch->check_wait)
    emu_check_dma_overlap(w, in, at, bytes, exec, "writes");
  if (w->record)
    emu_time_lds(w, at, bytes, exec, EMU_ACCESS_WRITE);
  const uint32_t *v = w->v[data->index];
  unsigned words = (bytes + 3) / 4;
  bool all = emu_lds_inside(w, at, bytes, exec);
  for (int i = 0; i < EMU_LANES; i++) {
    if (!(exec >> i & 1) ||
        (!all && !emu_lds_lane_inside(w, in, i, at[i], bytes, "writes")))
      continue;
    uint32_t x[4];
    for (unsigned k = 0; k < words; k++)
      x[k] = v[64 * k + (unsigned)i];
    if (high)
      x[0] >>= 16;
    if (w->watched && memcmp(w->wg->lds + at[i], x, bytes) != 0)
      emu_spin_note_change(w);
    memcpy(w->wg->lds + at[i], x, bytes);
  }
}
static void write_plain(emu_wave *w, const isa_insn *in, uint32_t bytes,
                        bool high) {
  uint32_t at[EMU_LANES];
  emu_lds_addresses(w, in, at, (uint32_t)in->offset);
  emu_pending *p = emu_begin_lgkm(w, in);
  write_rows(w, p, at, &in->src[1], bytes, high);
  emu_commit_lgkm(w, p);
}
static void write_two(emu_wave *w, const isa_insn *in, uint32_t bytes,
                      uint32_t step) {
  uint32_t at[EMU_LANES];
  emu_lds_addresses(w, in, at, (uint32_t)in->offset * step);
  emu_pending *p = emu_begin_lgkm(w, in);
  write_rows(w, p, at, &in->src[1], bytes, false);
  // Equal offsets: one write, of the first data (CDNA4 ISA 11.3.1).
  if (in->offset1 != in->offset) {
    emu_lds_addresses(w, in, at, (uint32_t)in->offset1 * step);
    write_rows(w, p, at, &in->src[2], bytes, false);
  }
  emu_commit_lgkm(w, p);
}
EMU_HANDLER(ds_write_1) { write_plain(w, in, 4, false); }
EMU_HANDLER(ds_write_2) { write_plain(w, in, 8, false); }
EMU_HANDLER(ds_write_3) { write_plain(w, in, 12, false); }
EMU_HANDLER(ds_write_4) { write_plain(w, in, 16, false); }
EMU_HANDLER(ds_write_b8) { write_plain(w, in, 1, false); }
EMU_HANDLER(ds_write_b16) { write_plain(w, in, 2, false); }
EMU_HANDLER(ds_write_b8_d16_hi) { write_plain(w, in, 1, true); }
EMU_HANDLER(ds_write_b16_d16_hi) { write_plain(w, in, 2, true); }
EMU_HANDLER(ds_write2_b32) { write_two(w, in, 4, 4); }
EMU_HANDLER(ds_write2_b64) { write_two(w, in, 8, 8); }
EMU_HANDLER(ds_write2st64_b32) { write_two(w, in, 4, 256); }
EMU_HANDLER(ds_write2st64_b64) { write_two(w, in, 8, 512); }

//===-- exchanges ---------------------------------------------------------===//

EMU_HANDLER(ds_bpermute_b32) {
  uint32_t at[EMU_LANES];
  uint64_t exec = emu_exec(w);
  emu_lds_addresses(w, in, at, (uint32_t)in->offset);
  const uint32_t *v = w->v[in->src[1].index];
  emu_pending *p = emu_lds_begin_read(w, in, 1);
  for (int i = 0; i < EMU_LANES; i++) {
    uint32_t from = at[i] >> 2 & 63;
    p->data[0][i] = exec >> from & 1 ? v[from] : 0;
  }
  emu_commit_lgkm(w, p);
}
EMU_HANDLER(ds_permute_b32) {
  uint32_t at[EMU_LANES];
  uint64_t exec = emu_exec(w);
  emu_lds_addresses(w, in, at, (uint32_t)in->offset);
  const uint32_t *v = w->v[in->src[1].index];
  emu_pending *p = emu_lds_begin_read(w, in, 1);
  memset(p->data[0], 0, sizeof p->data[0]);
  for (int i = 0; i < EMU_LANES; i++)
    if (exec >> i & 1)
      p->data[0][at[i] >> 2 & 63] = v[i];
  emu_commit_lgkm(w, p);
}
// Source lane of lane i within its 32. CDNA4 ISA, DS_SWIZZLE_B32; LLVM
// "AMDGPUModifierSyntax", swizzle patterns.
static uint32_t swizzle_source(uint32_t pattern, uint32_t i) {
  uint32_t group = i & 32, lane = i & 31, mask = pattern & 31;
  if (pattern >= 0xe000) { // FFT: bits reversed, those of the mask stay
    uint32_t reversed = 0;
    for (int k = 0; k < 5; k++)
      reversed |= (lane >> k & 1) << (4 - k);
    return group | reversed >> __builtin_popcount(mask) | (lane & mask);
  }
  if (pattern >= 0xc000) { // rotate: bits of the mask stay
    uint32_t by = pattern >> 5 & 31;
    if (pattern >> 10 & 1)
      by = 0 - by;
    return group | (lane & mask) | ((lane + by) & ~mask & 31);
  }
  if (pattern >> 15) // any permutation of four
    return (i & ~3u) | (pattern >> 2 * (i & 3) & 3);
  return group | (((lane & mask) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31));
}
EMU_HANDLER(ds_swizzle_b32) {
  uint32_t pattern = (uint32_t)in->offset & 0xffff;
  uint64_t exec = emu_exec(w);
  const uint32_t *v = emu_src(w, in, 0);
  emu_pending *p = emu_lds_begin_read(w, in, 1);
  for (uint32_t i = 0; i < EMU_LANES; i++) {
    uint32_t from = swizzle_source(pattern, i);
    p->data[0][i] = exec >> from & 1 ? v[from] : 0;
  }
  emu_commit_lgkm(w, p);
}

// The address is M0 + offset + 4 × lane. M0 counts in full, as it does in loads
// direct to LDS: assumed (the manual says 16 bits).
static void thread_addresses(emu_wave *w, const isa_insn *in, uint32_t *at) {
  for (uint32_t i = 0; i < EMU_LANES; i++)
    at[i] = w->s[ISA_SGPR_M0] + (uint32_t)in->offset + 4 * i;
}
EMU_HANDLER(ds_read_addtid_b32) {
  uint32_t at[EMU_LANES];
  thread_addresses(w, in, at);
  emu_pending *p = emu_lds_begin_read(w, in, 1);
  read_rows(w, p, at, 1, 4, 0, p->data);
  emu_commit_lgkm(w, p);
}
EMU_HANDLER(ds_write_addtid_b32) {
  uint32_t at[EMU_LANES];
  thread_addresses(w, in, at);
  emu_pending *p = emu_begin_lgkm(w, in);
  write_rows(w, p, at, &in->src[0], 4, false);
  emu_commit_lgkm(w, p);
}
