// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics on LDS. CDNA4 ISA 11.3, pseudocode DS_*; floats: 9.2 (rounding to
// nearest even, denormals by MODE, NaNs). Lanes of a wave act in order of their
// numbers: assumed.
#include "alignment.h"
#include "floatop.h"
#include "hostatomic.h"
#include "lds.h"
#include "race.h"
#include "spin.h"
#include "timing.h"
#include "undefined.h"
#include "wait.h"

/// New value from the old one and the data registers.
typedef uint64_t (*combine)(const emu_wave *w, uint64_t old, uint64_t x,
                            uint64_t y);

static uint64_t operand(const uint32_t *v, int i, uint32_t bytes) {
  return bytes == 8 ? emu_pair(v, i) : v[i];
}

// The checkers' view of an update by the lanes of `exec`.
static void observe(emu_wave *w, const isa_insn *in, const emu_pending *p,
                    const uint32_t *at, uint32_t bytes, uint64_t exec) {
  if (w->wg->race)
    emu_race_lds(w, in, p->serial, at, bytes, exec, EMU_ACCESS_ATOMIC);
  if (w->init) {
    emu_init_lds_read(w, in, at, bytes, exec, EMU_LDS_KEPT);
    emu_init_lds_write(w, at, bytes, exec, NULL); // one cause, one finding
  }
  if (w->vm_dma && w->wg->launch->check_wait)
    emu_check_dma_overlap(w, in, at, bytes, exec, "updates");
  if (w->record)
    emu_time_lds(w, at, bytes, exec, EMU_ACCESS_ATOMIC);
}

// Addresses plus `offset`; old values go to rows first.. of the entry.
static void update(emu_wave *w, const isa_insn *in, emu_pending *p, combine f,
                   uint32_t bytes, uint32_t offset, const isa_operand *data,
                   unsigned first) {
  uint32_t at[EMU_LANES];
  uint64_t exec = emu_exec(w);
  emu_lds_addresses(w, in, at, offset);
  emu_check_lds_alignment(w, in, EMU_ALIGN_LDS_ATOMIC, at, exec, bytes,
                          "updates");
  observe(w, in, p, at, bytes, exec);
  const uint32_t *v = w->v[data->index];
  const uint32_t *u = in->nsrc > 2 ? w->v[in->src[2].index] : v;
  emu_round_nearest(w);
  for (int i = 0; i < EMU_LANES; i++) {
    uint64_t old = 0;
    if ((exec >> i & 1) &&
        emu_lds_lane_inside(w, in, i, at[i], bytes, "updates")) {
      memcpy(&old, w->wg->lds + at[i], bytes);
      uint64_t new = f(w, old, operand(v, i, bytes), operand(u, i, bytes));
      if (w->watched && memcmp(w->wg->lds + at[i], &new, bytes) != 0)
        emu_spin_note_change(w);
      memcpy(w->wg->lds + at[i], &new, bytes);
    }
    p->data[first][i] = (uint32_t)old;
    if (bytes == 8)
      p->data[first + 1][i] = (uint32_t)(old >> 32);
  }
  emu_round_f32(w);
}

static void finish(emu_wave *w, const isa_insn *in, emu_pending *p) {
  if (in->ndst) {
    p->kind = EMU_PENDING_DS_READ;
    p->reg = in->dst[0].index;
    p->regs = in->dst[0].regs;
  }
  emu_commit_lgkm(w, p);
}

static void atomic(emu_wave *w, const isa_insn *in, combine f, uint32_t bytes) {
  emu_pending *p = emu_begin_lgkm(w, in);
  update(w, in, p, f, bytes, (uint32_t)in->offset, &in->src[1], 0);
  finish(w, in, p);
}

#define OP(name, bytes, type, expr)                                            \
  static uint64_t do_##name(const emu_wave *w, uint64_t old, uint64_t x,       \
                            uint64_t y) {                                      \
    type o = (type)old, v = (type)x, u = (type)y;                              \
    (void)w;                                                                   \
    (void)u;                                                                   \
    (void)o;                                                                   \
    return (uint64_t)(expr);                                                   \
  }                                                                            \
  EMU_HANDLER(ds_##name) { atomic(w, in, do_##name, bytes); }
#define SHARED(name, words, compares, type, expr)                              \
  OP(name, 4 * (words), type, expr)
#define INTEGER(bits, bytes)                                                   \
  EMU_ATOMIC_ARITHMETIC(SHARED, bits, bits / 32)                               \
  OP(rsub_u##bits, bytes, uint##bits##_t, v - o)                               \
  OP(mskor_b##bits, bytes, uint##bits##_t, (o & ~v) | u)                       \
  OP(wrxchg_b##bits, bytes, uint##bits##_t, v)                                 \
  OP(cmpst_b##bits, bytes, uint##bits##_t, o == v ? u : o)
INTEGER(32, 4)
INTEGER(64, 8)
OP(wrap_b32, 4, uint32_t, o >= v ? o - v : o + u)

//===-- floats ------------------------------------------------------------===//

// Minimum, maximum and compare use flushed values. Minimum and maximum store
// one of the sources unchanged; compare-and-store flushes it.
static uint32_t flush_in(const emu_wave *w, uint32_t x) {
  return emu_flush32(x, w->f32_in);
}
static uint64_t flush64_in(const emu_wave *w, uint64_t x) {
  return emu_flush64(x, w->f16_in);
}
static uint32_t choose32(const emu_wave *w, uint32_t o, uint32_t v, bool min) {
  uint32_t a = flush_in(w, o), b = flush_in(w, v);
  uint32_t r = min ? emu_min32(a, b, true) : emu_max32(a, b, true);
  return emu_isnan32(r) ? r : r == a ? o : v;
}
static uint64_t choose64(const emu_wave *w, uint64_t o, uint64_t v, bool min) {
  uint64_t a = flush64_in(w, o), b = flush64_in(w, v);
  uint64_t r = emu_u64(min ? emu_min64(emu_f64(a), emu_f64(b), true)
                           : emu_max64(emu_f64(a), emu_f64(b), true));
  return (r & ~(1ull << 63)) > 0x7ff0000000000000u ? r | 1ull << 51
         : r == a                                  ? o
                                                   : v;
}
static uint32_t add32(const emu_wave *w, uint32_t o, uint32_t v) {
  return emu_flush32(emu_add32(flush_in(w, o), flush_in(w, v)), w->f32_out);
}
static uint32_t store_if_equal32(const emu_wave *w, uint32_t o, uint32_t v,
                                 uint32_t u) {
  bool equal = emu_f32(flush_in(w, o)) == emu_f32(flush_in(w, v));
  return flush_in(w, equal ? u : o);
}
static uint64_t store_if_equal64(const emu_wave *w, uint64_t o, uint64_t v,
                                 uint64_t u) {
  bool equal = emu_f64(flush64_in(w, o)) == emu_f64(flush64_in(w, v));
  return flush64_in(w, equal ? u : o);
}
OP(add_f32, 4, uint32_t, add32(w, o, v))
OP(min_f32, 4, uint32_t, choose32(w, o, v, true))
OP(max_f32, 4, uint32_t, choose32(w, o, v, false))
OP(cmpst_f32, 4, uint32_t, store_if_equal32(w, o, v, u))
OP(pk_add_f16, 4, uint32_t, emu_pk_add_f16(o, v, w->f16_in, w->f16_out))
OP(pk_add_bf16, 4, uint32_t, emu_pk_add_bf16(o, v, w->f16_in, w->f16_out))
OP(add_f64, 8, uint64_t, emu_u64(emu_f64(o) + emu_f64(v)))
OP(min_f64, 8, uint64_t, choose64(w, o, v, true))
OP(max_f64, 8, uint64_t, choose64(w, o, v, false))
OP(cmpst_f64, 8, uint64_t, store_if_equal64(w, o, v, u))

//===-- two places, conditions, counters of lanes -------------------------===//

static void exchange_two(emu_wave *w, const isa_insn *in, uint32_t bytes,
                         uint32_t step) {
  emu_pending *p = emu_begin_lgkm(w, in);
  combine f = bytes == 8 ? do_wrxchg_b64 : do_wrxchg_b32;
  update(w, in, p, f, bytes, (uint32_t)in->offset * step, &in->src[1], 0);
  update(w, in, p, f, bytes, (uint32_t)in->offset1 * step, &in->src[2],
         bytes / 4);
  finish(w, in, p);
}
EMU_HANDLER(ds_wrxchg2_b32) { exchange_two(w, in, 4, 4); }
EMU_HANDLER(ds_wrxchg2_b64) { exchange_two(w, in, 8, 8); }
EMU_HANDLER(ds_wrxchg2st64_b32) { exchange_two(w, in, 4, 256); }
EMU_HANDLER(ds_wrxchg2st64_b64) { exchange_two(w, in, 8, 512); }

// Two dwords at an address cut to a multiple of 8, each written if bit 31 of
// its data is set, without that bit. Address bits above 15 count: assumed.
EMU_HANDLER(ds_condxchg32_b64) {
  uint32_t at[EMU_LANES];
  uint64_t exec = emu_exec(w);
  emu_lds_addresses(w, in, at, (uint32_t)in->offset);
  const uint32_t *v = w->v[in->src[1].index];
  emu_pending *p = emu_begin_lgkm(w, in);
  emu_check_lds_alignment(w, in, EMU_ALIGN_LDS_EXCHANGE, at, exec, 8,
                          "updates");
  for (int i = 0; i < EMU_LANES; i++)
    at[i] &= ~7u;
  observe(w, in, p, at, 8, exec);
  for (int i = 0; i < EMU_LANES; i++) {
    uint32_t place = at[i], x[2] = {0, 0};
    if ((exec >> i & 1) && emu_lds_lane_inside(w, in, i, place, 8, "updates")) {
      memcpy(x, w->wg->lds + place, 8);
      for (int k = 0; k < 2; k++) {
        uint32_t data = v[64 * k + i];
        if (data >> 31) {
          data &= 0x7fffffffu;
          memcpy(w->wg->lds + place + 4 * k, &data, 4);
        }
      }
    }
    p->data[0][i] = x[0];
    p->data[1][i] = x[1];
  }
  finish(w, in, p);
}

// The number of active lanes is added to (taken from) the dword at M0 + offset;
// every lane gets the previous value. M0 has the address as LLVM puts it there:
// assumed.
static void count_lanes(emu_wave *w, const isa_insn *in, bool add) {
  uint32_t at = w->s[ISA_SGPR_M0] + (uint32_t)in->offset, old = 0;
  uint32_t lanes = (uint32_t)__builtin_popcountll(emu_exec(w));
  emu_pending *p = emu_begin_lgkm(w, in);
  uint32_t addresses[EMU_LANES] = {at};
  emu_check_lds_alignment(w, in, EMU_ALIGN_LDS_ATOMIC, addresses, 1, 4,
                          "updates");
  observe(w, in, p, addresses, 4, 1);
  if (emu_lds_lane_inside(w, in, 0, at, 4, "updates")) {
    memcpy(&old, w->wg->lds + at, 4);
    uint32_t new = add ? old + lanes : old - lanes;
    memcpy(w->wg->lds + at, &new, 4);
  }
  for (int i = 0; i < EMU_LANES; i++)
    p->data[0][i] = old;
  finish(w, in, p);
}
EMU_HANDLER(ds_append) { count_lanes(w, in, true); }
EMU_HANDLER(ds_consume) { count_lanes(w, in, false); }
