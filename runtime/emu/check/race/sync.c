// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses by which a workgroup orders itself with others. LLVM, User Guide for
// AMDGPU Backend, "Memory Model gfx942", agent scope:
//
//   release  buffer_wbl2 sc1, s_waitcnt vmcnt(0), then an atomic, or a store
//            with sc1. Stores with sc1 go through L2 and need no buffer_wbl2.
//   acquire  a load with sc1, or an atomic that returns the old value;
//            s_waitcnt vmcnt(0); buffer_inv sc1. Loads with sc1 need none.
//
// What other waves of the workgroup did counts up to the last barrier. What one
// wave acquires counts for all of its workgroup.
#include <pthread.h>
#include <stdlib.h>

#include "order.h"
#include "race.h"

enum {
  MOST_SEEN = 64,
  /// A store that covers more, or an atomic on floats, is data and no flag.
  FLAG_BYTES = 64
};

/// A place that a wave has read.
typedef struct seen {
  uint64_t place, serial; ///< `serial` of the load in its wave
} seen;

typedef struct wave_sync {
  bool writes_back; ///< buffer_wbl2, which it has not waited for
  uint32_t count;
  seen list[MOST_SEEN];
} wave_sync;

struct emu_race_sync {
  uint32_t waves;
  bool in_l2; ///< stores without sc1 since the last buffer_wbl2
  wave_sync of_wave[];
};

struct emu_race_sync *emu_race_sync_create(uint32_t waves) {
  struct emu_race_sync *s = calloc(1, sizeof *s + waves * sizeof s->of_wave[0]);
  if (s)
    s->waves = waves;
  return s;
}

void emu_race_sync_start(struct emu_race_sync *s) {
  s->in_l2 = false;
  for (uint32_t i = 0; i < s->waves; i++) {
    s->of_wave[i].writes_back = false;
    s->of_wave[i].count = 0;
  }
}

//===-- Places ------------------------------------------------------------===//

/// The dwords of the ranges, at most `most`. More: 0.
static size_t places_of(const emu_wave *w, const emu_access_range *ranges,
                        unsigned count, size_t most, uint64_t *out) {
  const emu_space *space = w->wg->launch->space;
  size_t n = 0;
  for (unsigned i = 0; i < count; i++) {
    const emu_access_range *r = &ranges[i];
    const uint64_t segment = (uint64_t)(r->segment - space->segments) << 46;
    for (uint64_t at = r->offset / 4; at <= (r->offset + r->bytes - 1) / 4;
         at++) {
      if (n && out[n - 1] == (segment | at))
        continue; // all lanes at one place
      if (n == most)
        return 0;
      out[n++] = segment | at;
    }
  }
  return n;
}

static void note_seen(emu_wave *w, const uint64_t *places, size_t count) {
  wave_sync *s = &w->wg->race->sync->of_wave[w->id];
  for (size_t i = 0; i < count; i++) {
    uint32_t k = 0;
    while (k < s->count && s->list[k].place != places[i])
      k++;
    if (k == MOST_SEEN) {
      memmove(s->list, s->list + 1, (MOST_SEEN - 1) * sizeof *s->list);
      k--;
    }
    s->count = k == s->count ? k + 1 : s->count;
    s->list[k] = (seen){places[i], w->serial};
  }
}

static bool is_outstanding(const emu_queue *q, uint64_t serial) {
  for (uint32_t i = 0; i < q->count; i++)
    if (q->ring[q->order[i]].serial == serial)
      return true;
  return false;
}

/// What the wave has read and waited for. Takes it out of the list.
static size_t take_seen(emu_wave *w, uint64_t *out) {
  wave_sync *s = &w->wg->race->sync->of_wave[w->id];
  size_t n = 0;
  uint32_t left = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const bool flies = is_outstanding(&w->vm, s->list[i].serial) ||
                       is_outstanding(&w->lgkm, s->list[i].serial);
    if (flies)
      s->list[left++] = s->list[i];
    else
      out[n++] = s->list[i].place;
  }
  s->count = left;
  return n;
}

//===-- Release and acquire -----------------------------------------------===//

static bool is_atomic(const isa_insn *in) {
  return strstr(isa_rows[in->row].mnemonic, "_atomic_") != NULL;
}

static bool has_store_outstanding(const emu_wave *w) {
  for (uint32_t i = 0; i < w->vm.count; i++) {
    const emu_pending *p = &w->vm.ring[w->vm.order[i]];
    if (p->kind == EMU_PENDING_NONE && !is_atomic(p->insn))
      return true;
  }
  return false;
}

static void release(emu_wave *w, const isa_insn *in, const uint64_t *places,
                    size_t count, bool adds) {
  const struct emu_race_sync *s = w->wg->race->sync;
  const emu_unreleased why = has_store_outstanding(w) ? EMU_STORE_OUTSTANDING
                             : s->in_l2               ? EMU_NOT_WRITTEN_BACK
                             : s->of_wave[w->id].writes_back
                                 ? EMU_WRITE_BACK_OUTSTANDING
                                 : EMU_RELEASED;
  emu_race_memory_release(w, in, why, places, count, adds);
}

static void acquire(emu_wave *w) {
  uint64_t places[MOST_SEEN];
  const size_t count = take_seen(w, places);
  if (count)
    emu_race_memory_acquire(w, places, count);
}

void emu_race_sync_access(emu_wave *w, const isa_insn *in,
                          const emu_access_range *ranges, unsigned count,
                          emu_access_kind kind) {
  struct emu_race_sync *s = w->wg->race->sync;
  uint64_t places[MOST_SEEN];
  if (kind == EMU_ACCESS_WRITE && !emu_race_is_coherent(in, kind)) {
    s->in_l2 = true;
    return;
  }
  const size_t n =
      places_of(w, ranges, count,
                kind == EMU_ACCESS_READ ? MOST_SEEN : FLAG_BYTES / 4, places);
  if (kind == EMU_ACCESS_READ) {
    if (s->of_wave[w->id].count && !emu_race_memory_knows(w, places, n))
      acquire(w); // data, past the caches
    note_seen(w, places, n);
    return;
  }
  // What atomics on floats add up is data.
  const char *name = isa_rows[in->row].mnemonic;
  const size_t length = strlen(name);
  if (!n || (kind == EMU_ACCESS_ATOMIC && length > 4 &&
             strstr(name + length - 4, "f")))
    return;
  release(w, in, places, n, kind == EMU_ACCESS_ATOMIC);
  if (kind == EMU_ACCESS_ATOMIC && in->ndst)
    note_seen(w, places, n);
}

void emu_race_write_back(emu_wave *w) {
  w->wg->race->sync->in_l2 = false;
  w->wg->race->sync->of_wave[w->id].writes_back = true;
}

void emu_race_waited(emu_wave *w) {
  w->wg->race->sync->of_wave[w->id].writes_back = false;
}

void emu_race_invalidate(emu_wave *w) { acquire(w); }

size_t emu_race_sync_left(const struct emu_race_sync *s, uint32_t wave,
                          uint64_t *out) {
  for (uint32_t i = 0; i < s->of_wave[wave].count; i++)
    out[i] = s->of_wave[wave].list[i].place;
  return s->of_wave[wave].count;
}
