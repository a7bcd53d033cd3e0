// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LDS races, byte exact. An operation counts from its issue to the wait that
// covers it: LLVM's "User Guide for AMDGPU Backend", "Memory Model gfx942",
// requires s_waitcnt lgkmcnt(0) (vmcnt(0) for loads direct to LDS) before the
// barrier that makes LDS accesses visible, for reads and for writes.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "findings.h"
#include "race_touch.h"

enum {
  WORDS = EMU_LDS_BYTES / 4,
  /// Two places an operation, of which lgkmcnt counts 15.
  FOOTPRINTS = 32,
};

/// The bytes that an LDS operation accesses, kept while it may be outstanding.
typedef struct footprint {
  uint64_t serial; ///< emu_pending.serial
  const isa_insn *insn;
  uint64_t exec;
  uint32_t bytes;
  emu_access_kind kind;
  uint32_t at[EMU_LANES];
} footprint;

typedef struct wave_footprints {
  footprint ring[FOOTPRINTS];
  uint32_t next;
} wave_footprints;

struct emu_race_lds {
  uint32_t waves;
  uint8_t *memory;
  emu_cells cells;
  wave_footprints *footprints;
};

struct emu_race_lds *emu_race_lds_create(uint32_t waves) {
  struct emu_race_lds *r = calloc(1, sizeof *r);
  wave_footprints *footprints = calloc(waves, sizeof *footprints);
  void *memory = mmap(NULL, emu_cells_bytes(WORDS), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!r || !footprints || memory == MAP_FAILED) {
    free(r);
    free(footprints);
    if (memory != MAP_FAILED)
      munmap(memory, emu_cells_bytes(WORDS));
    return NULL;
  }
  r->waves = waves;
  r->footprints = footprints;
  r->memory = memory;
  r->cells = emu_cells_at(memory, WORDS);
  return r;
}

void emu_race_lds_destroy(struct emu_race_lds *r) {
  if (!r)
    return;
  munmap(r->memory, emu_cells_bytes(WORDS));
  free(r->footprints);
  free(r);
}

void emu_race_lds_clear(struct emu_race_lds *r) {
  madvise(r->memory, emu_cells_bytes(WORDS), MADV_DONTNEED); // zeroes
}

//===-- one access --------------------------------------------------------===//

static bool is_dma(const isa_insn *in) { return in->flags & ISA_FLAG_LDS; }

static const char *wait_of(const isa_insn *in) {
  return is_dma(in) ? "vmcnt" : "lgkmcnt";
}

static __attribute__((noinline)) void
report(emu_toucher *a, const emu_conflict *c, uint64_t at, int lane) {
  emu_wave *w = a->w;
  const isa_program *program = w->wg->launch->kernel->program;
  uint32_t site = c->site & ~EMU_SITE_HELD;
  if (a->reported == site)
    return;
  a->reported = site;
  const isa_insn *other = &program->insns[site];
  if (emu_report_again(w, FMHAC_EMU_CHECK_RACE, a->insn, other))
    return;
  char held[192] = "";
  if (c->site & EMU_SITE_HELD || a->site & EMU_SITE_HELD) {
    const isa_insn *late = c->site & EMU_SITE_HELD ? other : a->insn;
    snprintf(held, sizeof held,
             "; `%.80s` was issued before that epoch, but its wave passed the "
             "barrier without an s_waitcnt %s for it",
             isa_program_text(program, late), wait_of(late));
  }
  emu_report(w, FMHAC_EMU_CHECK_RACE, a->insn, other,
             "%s LDS byte 0x%x (lane %d), which wave %u %s by `%.120s` at pc "
             "%s; no barrier stands between them (both in epoch %u of the "
             "workgroup)%s",
             emu_access_verb(a->kind), (uint32_t)at, lane, c->key & 255,
             emu_access_verb(c->kind), isa_program_text(program, other),
             emu_pc_text(w->wg->launch, other, (char[ISA_PC_TEXT_BYTES]){0}),
             (c->key >> EMU_KEY_WAVE_BITS) - a->epochs->first, held);
}

// All lanes, whole dwords, no atomics in this epoch.
static inline __attribute__((always_inline)) void
touch_lanes(emu_toucher *a, const uint32_t *at, const uint32_t words) {
  if (a->kind == EMU_ACCESS_READ)
    for (int i = 0; i < EMU_LANES; i++)
      emu_touch_run(a, i, at[i] / 4, words, true);
  else
    for (int i = 0; i < EMU_LANES; i++)
      emu_touch_run(a, i, at[i] / 4, words, false);
}

static bool touch_plain(emu_toucher *a, const uint32_t *at, uint32_t bytes) {
  switch (bytes) {
  case 4:
    touch_lanes(a, at, 1);
    return true;
  case 8:
    touch_lanes(a, at, 2);
    return true;
  case 16:
    touch_lanes(a, at, 4);
    return true;
  default:
    return false;
  }
}

static void touch(emu_wave *w, const isa_insn *in, const uint32_t *at,
                  uint32_t bytes, uint64_t exec, emu_access_kind kind,
                  uint32_t flags) {
  emu_race *r = w->wg->race;
  emu_toucher a =
      emu_toucher_make(w, in, &r->epochs, &r->lds->cells, kind, flags);
  a.report = report;
  uint32_t limit = w->wg->launch->lds_bytes, highest = 0, low = 0;
  for (int i = 0; i < EMU_LANES; i++) {
    highest = at[i] > highest ? at[i] : highest;
    low |= at[i];
  }
  bool simple = exec == ~0ull && low % 4 == 0 && !a.atomics &&
                (uint64_t)highest + bytes <= limit &&
                r->epochs.split != r->epochs.now;
  if (simple && touch_plain(&a, at, bytes))
    return;
  for (int i = 0; i < EMU_LANES; i++)
    if ((exec >> i & 1) && (uint64_t)at[i] + bytes <= limit)
      emu_touch_any(&a, i, at[i], bytes);
}

//===-- operations --------------------------------------------------------===//

void emu_race_lds(emu_wave *w, const isa_insn *in, uint64_t serial,
                  const uint32_t *at, uint32_t bytes, uint64_t exec,
                  emu_access_kind kind) {
  wave_footprints *f = &w->wg->race->lds->footprints[w->id];
  footprint *p = &f->ring[f->next++ % FOOTPRINTS];
  p->serial = serial;
  p->insn = in;
  p->exec = exec;
  p->bytes = bytes;
  p->kind = kind;
  memcpy(p->at, at, sizeof p->at);
  touch(w, in, at, bytes, exec, kind, 0);
}

static void touch_dma(emu_wave *w, const emu_pending *p, uint32_t flags) {
  uint32_t at[EMU_LANES];
  for (uint32_t i = 0; i < EMU_LANES; i++)
    at[i] = p->lds_base + i * p->lds_step;
  touch(w, p->insn, at, p->lds_bytes, p->exec, EMU_ACCESS_WRITE, flags);
}
void emu_race_lds_dma(emu_wave *w, const emu_pending *p) { touch_dma(w, p, 0); }

// Outstanding LDS accesses of the wave happen in the new epoch, too.
void emu_race_lds_held(emu_wave *w) {
  for (unsigned i = 0; i < w->vm.count; i++) {
    const emu_pending *p = &w->vm.ring[w->vm.order[i]];
    if (p->kind == EMU_PENDING_LDS_DMA)
      touch_dma(w, p, EMU_SITE_HELD);
  }
  const wave_footprints *f = &w->wg->race->lds->footprints[w->id];
  for (unsigned i = 0; i < w->lgkm.count; i++) {
    uint64_t serial = w->lgkm.ring[w->lgkm.order[i]].serial;
    for (int k = 0; k < FOOTPRINTS; k++) {
      const footprint *p = &f->ring[k];
      if (p->insn && p->serial == serial)
        touch(w, p->insn, p->at, p->bytes, p->exec, p->kind, EMU_SITE_HELD);
    }
  }
}

void emu_race_lds_start(struct emu_race_lds *r) {
  for (uint32_t i = 0; i < r->waves; i++)
    for (int k = 0; k < FOOTPRINTS; k++)
      r->footprints[i].ring[k].insn = NULL;
}
