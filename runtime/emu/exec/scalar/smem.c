// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar memory: loads, stores, atomics, through pointers, buffer descriptors
// and as private memory. CDNA4 ISA 8; pseudocode S_LOAD_*, S_STORE_*,
// S_ATOMIC_*, S_SCRATCH_*.
#include "alignment.h"
#include "bounds.h"
#include "hostatomic.h"
#include "lanes.h"
#include "observe.h"
#include "spin.h"

/// The base of an address.
typedef enum space {
  POINTER, ///< a pair of registers
  BUFFER,  ///< a descriptor: stride and record count bound the offset
  SCRATCH, ///< a pair; the offset counts in units of 64 bytes
} space;

/// Dwords in range, from the first on.
typedef struct place {
  uint64_t address;
  unsigned dwords;
} place;

static void deliver(emu_wave *w, const isa_insn *in, const uint32_t *data,
                    unsigned n) {
  emu_pending *p = emu_begin_lgkm(w, in);
  if (in->ndst) {
    p->kind = EMU_PENDING_SGPR;
    p->reg = in->dst[0].index;
    p->regs = (uint8_t)n;
    memcpy(p->data[0], data, 4 * n);
  }
  emu_commit_lgkm(w, p);
}

static void check_alignment(emu_wave *w, const isa_insn *in, uint64_t address,
                            unsigned dwords, emu_access_kind touch) {
  const emu_alignment kind =
      touch == EMU_ACCESS_ATOMIC ? EMU_ALIGN_SCALAR_ATOMIC : EMU_ALIGN_SCALAR;
  if (address & (emu_required_alignment(w->wg->launch, kind, 4 * dwords) - 1))
    emu_misaligned(w, in, kind, -1, address, 4 * dwords,
                   emu_access_verb(touch));
}

// Base + offsets; the two low bits are ignored. The operand `first` is the
// base, the one after it the offset.
static place locate(emu_wave *w, const isa_insn *in, int first, space s,
                    unsigned dwords, emu_access_kind touch) {
  const isa_operand *base = &in->src[first], *o = &in->src[first + 1];
  bool constant = o->kind == ISA_OPERAND_CONST;
  if (s != BUFFER) {
    uint64_t offset =
        constant ? (uint64_t)(int64_t)(int32_t)o->lanes[0] : emu_s32(w, o);
    if (s == SCRATCH && !constant)
      offset *= 64;
    uint64_t address =
        emu_s64(w, base) + offset + (uint64_t)(int64_t)in->offset;
    check_alignment(w, in, address, dwords, touch);
    return (place){address & ~3ull, dwords};
  }
  const uint32_t *rsrc = &w->s[base->index];
  uint32_t stride = rsrc[1] >> 16 & 0x3fff, records = rsrc[2];
  uint64_t size = stride ? (uint64_t)stride * records : records;
  uint64_t at = (uint64_t)emu_s32(w, o) + (uint32_t)in->offset;
  uint64_t offset = at & ~3ull;
  unsigned inside = 0;
  while (inside < dwords && offset + 4 * inside + 4 <= size)
    inside++;
  const uint64_t start = emu_get64(rsrc) & 0xffffffffffffu;
  if (inside)
    check_alignment(w, in, start & 3 ? start : start + at, inside, touch);
  return (place){(start & ~3ull) + offset, inside};
}

static void observe(emu_wave *w, const isa_insn *in, const emu_segment *s,
                    uint64_t address, uint32_t bytes, emu_access_kind kind) {
  const emu_access_range range = {s, address - s->base, bytes, bytes, -1};
  if (w->wg->race || w->init)
    emu_observe_ranges(w, in, &range, 1, kind);
}

// If a part is not mapped, the rest is accessed, and it is a finding.
static void access_dwords(emu_wave *w, const isa_insn *in, place at,
                          uint32_t *data, bool store) {
  bool stray = false;
  for (unsigned k = 0; k < at.dwords; k++) {
    const emu_segment *s = emu_find(w, at.address + 4 * k, 4);
    if (!s) {
      stray = true;
      continue;
    }
    observe(w, in, s, at.address + 4 * k, 4,
            store ? EMU_ACCESS_WRITE : EMU_ACCESS_READ);
    uint8_t *host = s->host + (at.address + 4 * k - s->base);
    w->wg->wrote |= store;
    if (w->watched && store)
      emu_spin_note_change(w);
    else if (w->watched && k == 0)
      emu_spin_note_read(w, in, host, 4, false);
    else if (w->watched)
      emu_spin_note_wide(w);
    if (store)
      memcpy(host, &data[k], 4);
    else
      memcpy(&data[k], host, 4);
  }
  if (stray)
    emu_report_out_of_bounds(w, in, -1,
                             store ? "scalar store to" : "scalar load of",
                             at.address, 4 * at.dwords);
}

static void load(emu_wave *w, const isa_insn *in, space s, unsigned n) {
  uint32_t data[16] = {0};
  access_dwords(w, in, locate(w, in, 0, s, n, EMU_ACCESS_READ), data, false);
  deliver(w, in, data, n);
}
static void store(emu_wave *w, const isa_insn *in, space s, unsigned n) {
  uint32_t data[4];
  memcpy(data, &w->s[in->src[0].index], 4 * n);
  access_dwords(w, in, locate(w, in, 1, s, n, EMU_ACCESS_WRITE), data, true);
  deliver(w, in, NULL, 0);
}

#define LOAD(n)                                                                \
  EMU_HANDLER(s_load_##n) { load(w, in, POINTER, n); }                         \
  EMU_HANDLER(s_buffer_load_##n) { load(w, in, BUFFER, n); }
LOAD(1)
LOAD(2)
LOAD(4)
LOAD(8)
LOAD(16)
#define STORE(n)                                                               \
  EMU_HANDLER(s_store_##n) { store(w, in, POINTER, n); }                       \
  EMU_HANDLER(s_buffer_store_##n) { store(w, in, BUFFER, n); }                 \
  EMU_HANDLER(s_scratch_store_##n) { store(w, in, SCRATCH, n); }               \
  EMU_HANDLER(s_scratch_load_##n) { load(w, in, SCRATCH, n); }
STORE(1)
STORE(2)
STORE(4)

// The old value comes back if GLC is set (fill_scalar_atomic() in decode.c).
static void atomic(emu_wave *w, const isa_insn *in, space s, emu_combine f,
                   unsigned words, bool compares) {
  const uint32_t *data = &w->s[in->src[0].index];
  uint64_t x = words == 2 ? emu_get64(data) : data[0];
  uint64_t compare = !compares ? 0 : words == 2 ? emu_get64(data + 2) : data[1];
  place at = locate(w, in, 1, s, words, EMU_ACCESS_ATOMIC);
  uint32_t old[2] = {0, 0};
  if (at.dwords == words) {
    const emu_segment *m = emu_find(w, at.address, 4 * words);
    if (!m) {
      emu_report_out_of_bounds(w, in, -1, "scalar atomic on", at.address,
                               4 * words);
    } else {
      uint8_t *host = m->host + (at.address - m->base);
      observe(w, in, m, at.address, 4 * words, EMU_ACCESS_ATOMIC);
      emu_set64(old, words == 2 ? emu_apply64(host, f, x, compare)
                                : emu_apply32(host, f, x, compare));
      if (w->watched)
        emu_spin_note_read(w, in, host, 4 * words, true);
      if (!w->watched || f(emu_get64(old), x, compare) != emu_get64(old)) {
        emu_spin_note_change(w);
        w->wg->wrote = true;
      }
      w->wg->gives_way |= in->ndst != 0;
    }
  }
  deliver(w, in, old, words);
}
#define OP(name, words, compares, type, expr)                                  \
  static uint64_t do_##name(uint64_t old, uint64_t x, uint64_t c) {            \
    type o = (type)old, v = (type)x, k = (type)c;                              \
    (void)k;                                                                   \
    (void)o;                                                                   \
    return (uint64_t)(expr);                                                   \
  }                                                                            \
  EMU_HANDLER(s_atomic_##name) {                                               \
    atomic(w, in, POINTER, do_##name, words, compares);                        \
  }                                                                            \
  EMU_HANDLER(s_buffer_atomic_##name) {                                        \
    atomic(w, in, BUFFER, do_##name, words, compares);                         \
  }
EMU_ATOMIC_INTEGERS(OP, 32, 1)
EMU_ATOMIC_INTEGERS(OP, 64, 2)

// Time is counted in instructions so that runs repeat: assumed.
EMU_HANDLER(s_memtime) {
  uint32_t data[2];
  emu_set64(data, w->executed);
  deliver(w, in, data, 2);
}
