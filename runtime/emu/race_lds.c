// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LDS races, byte exact. Operations count from their issue to the wait that
// certifies them: LLVM's "User Guide for AMDGPU Backend", "Memory Model
// gfx942", wants s_waitcnt lgkmcnt(0) (vmcnt(0) for loads direct to LDS) before
// the barrier that makes LDS accesses visible, whether they read or write.
#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "module.h"

enum {
  WORDS = EMU_LDS_BYTES / 4,
  /// Two places an operation, of which lgkmcnt counts 15.
  FOOTPRINTS = 32,
};

/// What an LDS operation touches, kept while it may be outstanding.
typedef struct footprint {
  uint64_t serial; ///< emu_pending.serial
  const emu_insn *insn;
  uint64_t exec;
  uint32_t bytes;
  emu_touch kind;
  uint32_t at[EMU_LANES];
} footprint;

typedef struct wave_footprints {
  footprint ring[FOOTPRINTS];
  uint32_t next;
} wave_footprints;

struct emu_race {
  uint32_t epoch, first_epoch; ///< now, of the workgroup
  uint32_t waves;
  uint32_t atomic_epoch; ///< last one with an atomic
  uint32_t split_epoch;  ///< last one in which a dword was split
  void *memory;
  emu_shadow words, bytes;
  /// Epoch in which the bytes of a dword are recorded apart.
  uint32_t *split;
  wave_footprints *footprints;
};

static size_t memory_bytes(void) {
  return emu_shadow_bytes(WORDS) + emu_shadow_bytes(EMU_LDS_BYTES) +
         WORDS * sizeof(uint32_t);
}

emu_race *emu_race_create(uint32_t waves) {
  emu_race *r = calloc(1, sizeof *r);
  wave_footprints *footprints = calloc(waves, sizeof *footprints);
  void *memory = mmap(NULL, memory_bytes(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!r || !footprints || memory == MAP_FAILED) {
    free(r);
    free(footprints);
    if (memory != MAP_FAILED)
      munmap(memory, memory_bytes());
    return NULL;
  }
  r->waves = waves;
  r->footprints = footprints;
  r->memory = memory;
  uint8_t *at = memory;
  r->words = emu_shadow_at(at, WORDS);
  at += emu_shadow_bytes(WORDS);
  r->bytes = emu_shadow_at(at, EMU_LDS_BYTES);
  at += emu_shadow_bytes(EMU_LDS_BYTES);
  r->split = (uint32_t *)(void *)at;
  return r;
}

void emu_race_destroy(emu_race *r) {
  if (!r)
    return;
  munmap(r->memory, memory_bytes());
  free(r->footprints);
  free(r);
}

//===-- one access
//--------------------------------------------------------------------===//

/// An access in the making: what is the same for all of its lanes.
typedef struct access {
  emu_wave *w;
  emu_race *race;
  const emu_insn *insn;
  uint32_t key, site;
  emu_touch kind;
  bool atomics;
  uint32_t told; ///< site last reported
} access;

static bool is_dma(const emu_insn *in) { return in->flags & EMU_F_LDS; }

static const char *wait_of(const emu_insn *in) {
  return is_dma(in) ? "vmcnt" : "lgkmcnt";
}

static __attribute__((noinline)) void report(access *a, const emu_conflict *c,
                                             uint32_t byte, int lane) {
  emu_wave *w = a->w;
  const emu_program *program = w->wg->launch->kernel->program;
  uint32_t site = c->site & ~EMU_SITE_HELD;
  if (a->told == site)
    return;
  a->told = site;
  const emu_insn *other = &program->insns[site];
  if (emu_report_again(w, FMHAC_EMU_CHECK_RACE, a->insn, other))
    return;
  char held[192] = "";
  if (c->site & EMU_SITE_HELD || a->site & EMU_SITE_HELD) {
    const emu_insn *late = c->site & EMU_SITE_HELD ? other : a->insn;
    snprintf(held, sizeof held,
             "; `%.80s` was issued before that epoch, but its wave passed the "
             "barrier without an s_waitcnt %s for it",
             emu_program_text(program, late), wait_of(late));
  }
  emu_report(w, FMHAC_EMU_CHECK_RACE, a->insn, other,
             "%s LDS byte 0x%x (lane %d), which wave %u %s by `%.120s` at pc "
             "%s; no barrier stands between them (both in epoch %u of the "
             "workgroup)%s",
             emu_touch_verb(a->kind), byte, lane, c->key & 255,
             emu_touch_verb(c->kind), emu_program_text(program, other),
             emu_pc_text(w->wg->launch, other, (char[EMU_PC_TEXT]){0}),
             (c->key >> EMU_KEY_WAVE_BITS) - a->race->first_epoch, held);
}

static void split_word(emu_race *r, uint32_t word) {
  if (r->split[word] == r->epoch)
    return;
  r->split[word] = r->split_epoch = r->epoch;
  for (int p = 0; p < EMU_SHADOW_PLANES; p++)
    for (uint32_t b = 4 * word; b < 4 * word + 4; b++)
      emu_shadow_set(&r->bytes, p, b, r->words.key[p][word],
                     r->words.site[p][word]);
}

static void touch_bytes(access *a, int lane, uint32_t first, uint32_t end) {
  for (uint32_t b = first; b < end; b++) {
    emu_conflict c = {0};
    split_word(a->race, b / 4);
    emu_shadow_touch(&a->race->bytes, b, a->key, a->site, a->kind, a->atomics,
                     &c);
    if (c.found)
      report(a, &c, b, lane);
  }
}

// Dwords from `word` on, none of them split.
static inline __attribute__((always_inline)) void
touch_words(access *a, int lane, uint32_t word, const uint32_t words,
            const emu_touch kind, const bool atomics) {
  emu_conflict c = {0};
  for (uint32_t k = 0; k < words; k++)
    emu_shadow_touch(&a->race->words, word + k, a->key, a->site, kind, atomics,
                     &c);
  if (__builtin_expect(c.found, 0))
    report(a, &c, 4 * (uint32_t)c.cell, lane);
}

static void touch_mixed(access *a, int lane, uint32_t at, uint32_t bytes) {
  emu_race *r = a->race;
  bool aligned = at % 4 == 0 && bytes % 4 == 0;
  for (uint32_t b = at; aligned && b < at + bytes; b += 4)
    aligned = r->split[b / 4] != r->epoch;
  if (aligned)
    touch_words(a, lane, at / 4, bytes / 4, a->kind, a->atomics);
  else
    touch_bytes(a, lane, at, at + bytes);
}

// All lanes, whole dwords.
static inline __attribute__((always_inline)) void
touch_lanes(access *a, const uint32_t *at, const uint32_t words,
            const emu_touch kind) {
  for (int i = 0; i < EMU_LANES; i++)
    touch_words(a, i, at[i] / 4, words, kind, false);
}

static bool touch_plain(access *a, const uint32_t *at, uint32_t bytes) {
  bool read = a->kind == EMU_TOUCH_READ;
  if (a->kind == EMU_TOUCH_ATOMIC)
    return false;
  switch (bytes) {
  case 4:
    if (read)
      touch_lanes(a, at, 1, EMU_TOUCH_READ);
    else
      touch_lanes(a, at, 1, EMU_TOUCH_WRITE);
    return true;
  case 8:
    if (read)
      touch_lanes(a, at, 2, EMU_TOUCH_READ);
    else
      touch_lanes(a, at, 2, EMU_TOUCH_WRITE);
    return true;
  case 16:
    if (read)
      touch_lanes(a, at, 4, EMU_TOUCH_READ);
    else
      touch_lanes(a, at, 4, EMU_TOUCH_WRITE);
    return true;
  default:
    return false;
  }
}

static void touch(emu_wave *w, const emu_insn *in, const uint32_t *at,
                  uint32_t bytes, uint64_t exec, emu_touch kind,
                  uint32_t flags) {
  emu_race *r = w->wg->race;
  const emu_insn *first = w->wg->launch->kernel->program->insns;
  if (kind == EMU_TOUCH_ATOMIC)
    r->atomic_epoch = r->epoch;
  access a = {.w = w,
              .race = r,
              .insn = in,
              .key = emu_key(r->epoch, w->id),
              .site = (uint32_t)(in - first) | flags,
              .kind = kind,
              .atomics = r->atomic_epoch == r->epoch,
              .told = UINT32_MAX};
  uint32_t limit = w->wg->launch->lds_bytes, highest = 0, low = 0;
  for (int i = 0; i < EMU_LANES; i++) {
    highest = at[i] > highest ? at[i] : highest;
    low |= at[i];
  }
  bool simple = exec == ~0ull && low % 4 == 0 && !a.atomics &&
                (uint64_t)highest + bytes <= limit &&
                r->split_epoch != r->epoch;
  if (simple && touch_plain(&a, at, bytes))
    return;
  for (int i = 0; i < EMU_LANES; i++)
    if ((exec >> i & 1) && (uint64_t)at[i] + bytes <= limit)
      touch_mixed(&a, i, at[i], bytes);
}

//===-- operations
//--------------------------------------------------------------------===//

void emu_race_lds(emu_wave *w, const emu_insn *in, uint64_t serial,
                  const uint32_t *at, uint32_t bytes, uint64_t exec,
                  emu_touch kind) {
  wave_footprints *f = &w->wg->race->footprints[w->id];
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
  touch(w, p->insn, at, p->lds_bytes, p->exec, EMU_TOUCH_WRITE, flags);
}
void emu_race_lds_dma(emu_wave *w, const emu_pending *p) { touch_dma(w, p, 0); }

// What the wave has outstanding takes place in the new epoch too.
static void touch_outstanding(emu_wave *w) {
  for (unsigned i = 0; i < w->vm.count; i++) {
    const emu_pending *p = &w->vm.ring[w->vm.order[i]];
    if (p->kind == EMU_P_LDS_DMA)
      touch_dma(w, p, EMU_SITE_HELD);
  }
  const wave_footprints *f = &w->wg->race->footprints[w->id];
  for (unsigned i = 0; i < w->lgkm.count; i++) {
    uint64_t serial = w->lgkm.ring[w->lgkm.order[i]].serial;
    for (int k = 0; k < FOOTPRINTS; k++) {
      const footprint *p = &f->ring[k];
      if (p->insn && p->serial == serial)
        touch(w, p->insn, p->at, p->bytes, p->exec, p->kind, EMU_SITE_HELD);
    }
  }
}

static void next_epoch(emu_race *r) {
  if (++r->epoch < EMU_KEY_EPOCHS)
    return;
  madvise(r->memory, memory_bytes(), MADV_DONTNEED); // zeroes
  r->first_epoch = 1;
  r->epoch = 1;
}

void emu_race_start(emu_workgroup *wg) {
  emu_race *r = wg->race;
  next_epoch(r);
  r->first_epoch = r->epoch;
  for (uint32_t i = 0; i < r->waves; i++)
    for (int k = 0; k < FOOTPRINTS; k++)
      r->footprints[i].ring[k].insn = NULL;
}

void emu_race_barrier(emu_workgroup *wg) {
  next_epoch(wg->race);
  for (uint32_t i = 0; i < wg->race->waves; i++)
    if (wg->waves[i].state != EMU_ENDED)
      touch_outstanding(&wg->waves[i]);
}
