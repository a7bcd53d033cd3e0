// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Records accesses in shadows: by dwords, and by bytes for dwords with a
/// smaller or misaligned access in this epoch. The functions are inline because
/// they run for every lane of every access.
#ifndef FMHAC_EMU_RACE_TOUCH_H
#define FMHAC_EMU_RACE_TOUCH_H

#include "race.h"
#include "shadow.h"

/// Shadow of a part of memory.
typedef struct emu_cells {
  emu_shadow words, bytes;
  /// Epoch in which the bytes of a dword have records of their own.
  uint32_t *split;
} emu_cells;

static inline size_t emu_cells_bytes(size_t words) {
  return emu_shadow_bytes(words) + emu_shadow_bytes(4 * words) +
         words * sizeof(uint32_t);
}
/// Divides zeroed memory of emu_cells_bytes().
static inline emu_cells emu_cells_at(uint8_t *memory, size_t words) {
  emu_cells c;
  c.words = emu_shadow_at(memory, words);
  memory += emu_shadow_bytes(words);
  c.bytes = emu_shadow_at(memory, 4 * words);
  memory += emu_shadow_bytes(4 * words);
  c.split = (uint32_t *)(void *)memory;
  return c;
}

/// An access while it is recorded: the values that all its lanes share.
typedef struct emu_toucher {
  emu_wave *w;
  const isa_insn *insn;
  emu_epochs *epochs;
  const emu_cells *cells;
  uint32_t key, site;
  emu_access_kind kind;
  bool atomics;
  uint32_t reported; ///< site last reported
  /// Reports a conflict at byte `at` of the cells.
  void (*report)(struct emu_toucher *toucher, const emu_conflict *conflict,
                 uint64_t at, int lane);
  const void *user;
} emu_toucher;

static inline emu_toucher
emu_toucher_make(emu_wave *w, const isa_insn *in, emu_epochs *epochs,
                 const emu_cells *cells, emu_access_kind kind, uint32_t flags) {
  const isa_insn *first = w->wg->launch->kernel->program->insns;
  if (kind == EMU_ACCESS_ATOMIC)
    epochs->atomic = epochs->now;
  return (emu_toucher){.w = w,
                       .insn = in,
                       .epochs = epochs,
                       .cells = cells,
                       .key = emu_key(epochs->now, w->id),
                       .site = (uint32_t)(in - first) | flags,
                       .kind = kind,
                       .atomics = epochs->atomic == epochs->now,
                       .reported = UINT32_MAX};
}

static inline void emu_split_word(const emu_toucher *t, size_t word) {
  const emu_cells *c = t->cells;
  if (c->split[word] == t->epochs->now)
    return;
  c->split[word] = t->epochs->split = t->epochs->now;
  // A byte may have a younger record, from an earlier epoch in which the dword
  // was split. The comparison of workgroups needs that record.
  for (int p = 0; p < EMU_SHADOW_PLANES; p++)
    for (size_t b = 4 * word; b < 4 * word + 4; b++)
      if (c->bytes.key[p][b] < c->words.key[p][word])
        emu_shadow_set(&c->bytes, p, b, c->words.key[p][word],
                       c->words.site[p][word]);
}

static inline void emu_touch_bytes(emu_toucher *t, int lane, uint64_t first,
                                   uint64_t end) {
  for (uint64_t b = first; b < end; b++) {
    emu_conflict c = {0};
    emu_split_word(t, b / 4);
    emu_shadow_touch(&t->cells->bytes, b, t->key, t->site, t->kind, t->atomics,
                     &c);
    if (c.found)
      t->report(t, &c, b, lane);
  }
}

/// Records dwords from `word` on, one by one; none of them is split.
static inline void emu_touch_words(emu_toucher *t, int lane, size_t word,
                                   uint32_t words) {
  for (uint32_t k = 0; k < words; k++) {
    emu_conflict c = {0};
    emu_shadow_touch(&t->cells->words, word + k, t->key, t->site, t->kind,
                     t->atomics, &c);
    if (__builtin_expect(c.found, 0))
      t->report(t, &c, 4 * (word + k), lane);
  }
}

/// The same for reads and writes in an epoch without atomics, written for the
/// host's vector unit. Nearly always no other wave has accessed these dwords.
static inline __attribute__((always_inline)) void
emu_touch_run(emu_toucher *t, int lane, size_t word, const uint32_t words,
              const bool read) {
  const emu_shadow *s = &t->cells->words;
  const uint32_t key = t->key, site = t->site;
  const uint32_t *restrict wrote = s->key[EMU_SHADOW_WRITE] + word;
  const uint32_t *restrict one = s->key[EMU_SHADOW_READ] + word;
  const uint32_t *restrict two = s->key[EMU_SHADOW_READ2] + word;
  uint32_t others = 0;
  for (uint32_t k = 0; k < words; k++)
    others |= (uint32_t)emu_key_conflicts(wrote[k], key) |
              (uint32_t)emu_key_conflicts(one[k], key);
  for (uint32_t k = 0; k < words && !read; k++)
    others |= emu_key_conflicts(two[k], key);
  if (__builtin_expect(others != 0, 0)) {
    emu_touch_words(t, lane, word, words);
    return;
  }
  int plane = read ? EMU_SHADOW_READ : EMU_SHADOW_WRITE;
  uint32_t *restrict to_key = s->key[plane] + word;
  uint32_t *restrict to_site = s->site[plane] + word;
  for (uint32_t k = 0; k < words; k++)
    to_key[k] = key;
  for (uint32_t k = 0; k < words; k++)
    to_site[k] = site;
}

/// Records any access of a lane.
static inline void emu_touch_any(emu_toucher *t, int lane, uint64_t at,
                                 uint32_t bytes) {
  bool aligned = at % 4 == 0 && bytes % 4 == 0;
  for (uint64_t b = at; aligned && b < at + bytes; b += 4)
    aligned = t->cells->split[b / 4] != t->epochs->now;
  if (aligned)
    emu_touch_words(t, lane, at / 4, bytes / 4);
  else
    emu_touch_bytes(t, lane, at, at + bytes);
}

#endif // FMHAC_EMU_RACE_TOUCH_H
