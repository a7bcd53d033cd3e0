// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LDS that is read before it is written, or that holds undefined data.
#include "undefined.h"

static bool whole_dwords(const uint32_t *at, uint32_t bytes, uint32_t limit) {
  uint32_t low = bytes, highest = 0;
  for (int i = 0; i < EMU_LANES; i++) {
    low |= at[i];
    highest = at[i] > highest ? at[i] : highest;
  }
  return low % 4 == 0 && (uint64_t)highest + bytes <= limit;
}

// The origin of the first undefined byte of [at, end); 0 if all are defined.
static uint16_t missing_from(emu_wave *w, int lane, uint32_t at, uint32_t end) {
  const emu_workgroup *wg = w->wg;
  for (uint32_t k = at / 4; k <= (end - 1) / 4; k++) {
    const unsigned lost =
        emu_dword_bits(at, end, k) & ~(unsigned)wg->init_lds[k];
    if (!lost)
      continue;
    if (wg->init_lds_from[k])
      return wg->init_lds_from[k];
    return emu_origin_of(
        w, (emu_origin){.kind = EMU_ORIGIN_LDS,
                        .index = at,
                        .first = 4 * k + (unsigned)__builtin_ctz(lost),
                        .bytes = end - at,
                        .lane = lane});
  }
  return 0;
}

// The lanes get undefined data in registers [first, first + count) of the
// destination.
static void taint(emu_wave *w, const isa_operand *to, unsigned first,
                  unsigned count, uint64_t lanes, uint16_t from) {
  for (unsigned k = first; k < first + count && k < to->regs; k++) {
    const unsigned r = to->index + k;
    if (to->kind != ISA_OPERAND_VGPR || r >= ISA_VGPRS)
      continue;
    w->init->v[r] &= ~lanes;
    w->init->v_from[r] = from;
  }
}

static void read_lane(emu_wave *w, const isa_insn *in, int lane, uint32_t at,
                      uint32_t bytes, int first) {
  const uint16_t from = missing_from(w, lane, at, at + bytes);
  if (!from)
    return;
  if (first == EMU_LDS_KEPT || !in->ndst) {
    emu_report_origin(w, from, 1ull << lane);
  } else if (first == EMU_LDS_MIXED) {
    taint(w, &in->dst[0], 0, in->dst[0].regs, 0xffffull << (lane & 48), from);
  } else {
    for (uint32_t k = 0; 4 * k < bytes; k++) {
      const uint32_t begin = at + 4 * k;
      const uint32_t end = bytes < 4 * k + 4 ? at + bytes : begin + 4;
      const uint16_t part = missing_from(w, lane, begin, end);
      if (part)
        taint(w, &in->dst[0], (unsigned)first + k, 1, 1ull << lane, part);
    }
  }
}

void emu_init_lds_read(emu_wave *w, const isa_insn *in, const uint32_t *at,
                       uint32_t bytes, uint64_t exec, int first) {
  const uint8_t *init = w->wg->init_lds;
  uint32_t limit = w->wg->launch->lds_bytes;
  if (exec == ~0ull && whole_dwords(at, bytes, limit)) {
    unsigned all = 15;
    for (int i = 0; i < EMU_LANES; i++)
      for (uint32_t k = at[i] / 4; k < (at[i] + bytes) / 4; k++)
        all &= init[k];
    if (all == 15)
      return;
  }
  for (int i = 0; i < EMU_LANES; i++)
    if (exec >> i & 1 && (uint64_t)at[i] + bytes <= limit)
      read_lane(w, in, i, at[i], bytes, first);
}

// The lanes in which all of the data is defined.
static uint64_t known_data(const emu_wave *w, const isa_operand *data,
                           uint32_t bytes) {
  uint64_t lanes = ~0ull;
  for (unsigned k = 0; data && data->kind == ISA_OPERAND_VGPR && 4 * k < bytes;
       k++)
    if (data->index + k < ISA_VGPRS)
      lanes &= w->init->v[data->index + k];
  return lanes;
}

static void write_dword(emu_wave *w, uint32_t k, unsigned bits, bool known,
                        uint16_t from) {
  emu_workgroup *wg = w->wg;
  if (known) {
    wg->init_lds[k] = (uint8_t)(wg->init_lds[k] | bits);
    return;
  }
  wg->init_lds[k] = (uint8_t)(wg->init_lds[k] & ~bits);
  wg->init_lds_from[k] = from;
}

// `data` is at least partly undefined in this lane.
static void write_lane(emu_wave *w, int lane, uint32_t at, uint32_t bytes,
                       const isa_operand *data) {
  const struct emu_init *init = w->init;
  for (uint32_t b = 0; b < bytes; b += 4) {
    const unsigned r = data->index + b / 4;
    const uint32_t first = at + b;
    const uint32_t end = bytes < b + 4 ? at + bytes : first + 4;
    const bool known = r >= ISA_VGPRS || init->v[r] >> lane & 1;
    uint16_t from = known ? 0 : init->v_from[r];
    if (!known && !from)
      from = emu_origin_of(
          w, (emu_origin){.kind = EMU_ORIGIN_V, .index = r, .lane = lane});
    for (uint32_t k = first / 4; k <= (end - 1) / 4; k++)
      write_dword(w, k, emu_dword_bits(first, end, k), known, from);
  }
}

void emu_init_lds_write(emu_wave *w, const uint32_t *at, uint32_t bytes,
                        uint64_t exec, const isa_operand *data) {
  uint8_t *init = w->wg->init_lds;
  uint32_t limit = w->wg->launch->lds_bytes;
  const uint64_t known = known_data(w, data, bytes);
  if (exec == ~0ull && known == ~0ull && whole_dwords(at, bytes, limit)) {
    for (int i = 0; i < EMU_LANES; i++)
      memset(&init[at[i] / 4], 15, bytes / 4);
    return;
  }
  for (int i = 0; i < EMU_LANES; i++) {
    if (!(exec >> i & 1) || (uint64_t)at[i] + bytes > limit)
      continue;
    if (!(known >> i & 1)) {
      write_lane(w, i, at[i], bytes, data);
      continue;
    }
    uint32_t end = at[i] + bytes;
    for (uint32_t k = at[i] / 4; k <= (end - 1) / 4; k++)
      init[k] |= emu_dword_bits(at[i], end, k);
  }
}
