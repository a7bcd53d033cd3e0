// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races on global memory, byte exact. Between the waves of a workgroup barriers
// order accesses, as on LDS. Between workgroups releases and acquires do
// (order.h): a part of a workgroup is compared with the parts of others when it
// is over.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "findings.h"
#include "race_touch.h"
#include "tensor.h"

enum { PAGE_WORDS = 1024 };

/// Shadow of a segment, backed by host memory where it was touched.
typedef struct piece {
  uint8_t *memory;
  size_t memory_bytes;
  emu_cells cells;
  uint32_t *page_visit; ///< the workgroup's `visit`, if it used the page
  uint8_t *page_kinds;  ///< its accesses to the page, see page_kind
  uint32_t *pages;      ///< pages that the workgroup used
  size_t page_count;
} piece;

struct emu_race_memory {
  const emu_space *space;
  size_t count;
  piece *pieces;   ///< parallel to the segments
  uint32_t visit;  ///< another one for each part of a workgroup
  uint32_t number; ///< of the part of the workgroup
};

/// Bits of page_kinds: 1 << EMU_ACCESS_*, and whether there are accesses to
/// parts of dwords.
enum { PAGE_READ = 1 << EMU_ACCESS_READ, PAGE_SPLIT = 1 << 7 };

static size_t words_of(const emu_segment *s) { return (s->bytes + 3) / 4; }
static size_t pages_of(const emu_segment *s) {
  return (words_of(s) + PAGE_WORDS - 1) / PAGE_WORDS;
}

#define MOST_HUGE_BYTES ((size_t)1 << 30)
static uint8_t *reserve(size_t bytes, bool may_be_huge) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  // Huge pages mean fewer faults. Large segments, of which a launch may use
  // little, do without, to save host memory.
  if (may_be_huge && bytes <= MOST_HUGE_BYTES)
    (void)madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

/// Whether so far few workgroups of the launch have begun beside each other.
/// Those of a queue are hundreds, of which each uses little of its shadow.
static bool is_among_few(emu_race_launch *l);

struct emu_race_memory *emu_race_memory_create(const emu_space *space,
                                               emu_race_launch *launch) {
  struct emu_race_memory *m = calloc(1, sizeof *m);
  if (!m)
    return NULL;
  const bool may_be_huge = is_among_few(launch);
  m->space = space;
  m->count = space->count;
  m->pieces = calloc(m->count ? m->count : 1, sizeof *m->pieces);
  bool ok = m->pieces != NULL;
  for (size_t i = 0; ok && i < m->count; i++) {
    const emu_segment *s = &space->segments[i];
    size_t cells = emu_cells_bytes(words_of(s));
    size_t pages = pages_of(s) * sizeof(uint32_t);
    piece *p = &m->pieces[i];
    p->memory_bytes = cells + 2 * pages + pages_of(s) + 1;
    p->memory = reserve(p->memory_bytes, may_be_huge);
    if (!p->memory) {
      ok = false;
      break;
    }
    p->cells = emu_cells_at(p->memory, words_of(s));
    p->page_visit = (uint32_t *)(void *)(p->memory + cells);
    p->pages = (uint32_t *)(void *)(p->memory + cells + pages);
    p->page_kinds = p->memory + cells + 2 * pages;
  }
  if (ok)
    return m;
  emu_race_memory_destroy(m);
  return NULL;
}

void emu_race_memory_destroy(struct emu_race_memory *m) {
  if (!m)
    return;
  for (size_t i = 0; m->pieces && i < m->count; i++)
    if (m->pieces[i].memory)
      munmap(m->pieces[i].memory, m->pieces[i].memory_bytes);
  free(m->pieces);
  free(m);
}

void emu_race_memory_start(struct emu_race_memory *m) {
  m->number = 1;
  m->visit++;
  for (size_t i = 0; i < m->count; i++)
    m->pieces[i].page_count = 0;
}

void emu_race_memory_clear(struct emu_race_memory *m) {
  for (size_t i = 0; i < m->count; i++) {
    madvise(m->pieces[i].memory, m->pieces[i].memory_bytes, MADV_DONTNEED);
    m->pieces[i].page_count = 0;
  }
}

//===-- within a workgroup ------------------------------------------------===//

static __attribute__((noinline)) void
report(emu_toucher *t, const emu_conflict *c, uint64_t at, int lane) {
  emu_wave *w = t->w;
  const isa_program *program = w->wg->launch->kernel->program;
  const uint32_t site = c->site & ~EMU_SITE_SETTLED;
  if (t->reported == site)
    return;
  t->reported = site;
  const isa_insn *other = &program->insns[site];
  if (emu_race_is_coherent(t->insn, t->kind) &&
      emu_race_is_coherent(other, c->kind))
    return;
  if (emu_report_again(w, FMHAC_EMU_CHECK_RACE, t->insn, other))
    return;
  char place[EMU_ADDRESS_TEXT], who[32] = "";
  const emu_access_range *range = t->user;
  emu_segment_describe(range->segment, at, place, sizeof place);
  if (lane >= 0)
    snprintf(who, sizeof who, " (lane %d)", emu_access_range_lane(range, at));
  emu_report(w, FMHAC_EMU_CHECK_RACE, t->insn, other,
             "%s %s%s, which wave %u %s by `%.120s` at pc %s; no barrier "
             "stands between them (both in epoch %u of the workgroup)",
             emu_access_verb(t->kind), place, who, c->key & 255,
             emu_access_verb(c->kind), isa_program_text(program, other),
             emu_pc_text(w->wg->launch, other, (char[ISA_PC_TEXT_BYTES]){0}),
             (c->key >> EMU_KEY_WAVE_BITS) - t->epochs->first);
}

/// Writes to the memory for the records of a page before it is used. A first
/// access that reads would map the host's page of zeros; the next write would
/// replace that mapping, which interrupts the other cores.
static __attribute__((noinline)) void
prepare(const piece *p, size_t words, uint64_t page, emu_access_kind kind) {
  const emu_shadow *s = &p->cells.words;
  int plane = kind == EMU_ACCESS_READ    ? EMU_SHADOW_READ
              : kind == EMU_ACCESS_WRITE ? EMU_SHADOW_WRITE
                                         : EMU_SHADOW_ATOMIC;
  size_t from = page * PAGE_WORDS, to = from + PAGE_WORDS - 1;
  to = to < words ? to : words - 1;
  __atomic_fetch_or(&s->key[plane][from], 0, __ATOMIC_RELAXED);
  __atomic_fetch_or(&s->key[plane][to], 0, __ATOMIC_RELAXED);
  __atomic_fetch_or(&s->site[plane][from], 0, __ATOMIC_RELAXED);
  __atomic_fetch_or(&s->site[plane][to], 0, __ATOMIC_RELAXED);
}

static inline void touch_page(piece *p, const emu_segment *s, uint32_t visit,
                              uint64_t page, emu_access_kind kind,
                              unsigned kinds) {
  if (p->page_visit[page] != visit) {
    p->page_visit[page] = visit;
    p->page_kinds[page] = 0;
    p->pages[p->page_count++] = (uint32_t)page;
  }
  if (__builtin_expect(!(p->page_kinds[page] >> kind & 1), 0))
    prepare(p, words_of(s), page, kind);
  p->page_kinds[page] |= (uint8_t)kinds;
}

void emu_race_touch_memory(emu_wave *w, const isa_insn *in,
                           const emu_access_range *ranges, unsigned count,
                           emu_access_kind kind) {
  emu_race *r = w->wg->race;
  struct emu_race_memory *m = r->memory;
  if (kind == EMU_ACCESS_WRITE || emu_race_is_coherent(in, kind))
    emu_race_sync_access(w, in, ranges, count, kind);
  emu_toucher t = emu_toucher_make(w, in, &r->epochs, NULL, kind, 0);
  t.report = report;
  bool simple = kind != EMU_ACCESS_ATOMIC && !t.atomics &&
                r->epochs.split != r->epochs.now;
  for (unsigned i = 0; i < count; i++) {
    const emu_access_range *s = &ranges[i];
    piece *p = &m->pieces[s->segment - m->space->segments];
    t.cells = &p->cells;
    uint64_t first = s->offset / (4 * PAGE_WORDS);
    uint64_t last = (s->offset + s->bytes - 1) / (4 * PAGE_WORDS);
    unsigned kinds =
        1u << kind | ((s->offset | s->bytes) % 4 ? PAGE_SPLIT : 0u);
    for (uint64_t page = first; page <= last; page++)
      touch_page(p, s->segment, m->visit, page, kind, kinds);
    t.user = s;
    if (simple && s->offset % 4 == 0 && s->bytes % 4 == 0)
      emu_touch_run(&t, s->lane, s->offset / 4, s->bytes / 4,
                    kind == EMU_ACCESS_READ);
    else
      emu_touch_any(&t, s->lane, s->offset, s->bytes);
  }
}

//===-- between workgroups ------------------------------------------------===//

enum { KINDS = 3 };

/// Accesses of workgroups to cells: emu_order_part() of the one that wrote,
/// read or updated the cell last, 0: none; and the instruction. The planes are
/// EMU_ACCESS_*.
typedef struct doers {
  uint32_t *part[KINDS], *site[KINDS];
} doers;

typedef struct shared_piece {
  uint8_t *memory;
  size_t memory_bytes;
  doers words, bytes;
  uint8_t *split; ///< dwords of which the bytes are recorded apart
  uint8_t *page_kinds;
} shared_piece;

static size_t doers_bytes(size_t cells) {
  return 2 * KINDS * cells * sizeof(uint32_t);
}
static doers doers_at(uint8_t *memory, size_t cells) {
  doers d;
  uint32_t *at = (uint32_t *)(void *)memory;
  for (size_t k = 0; k < KINDS; k++) {
    d.part[k] = at + k * cells;
    d.site[k] = at + (KINDS + k) * cells;
  }
  return d;
}

struct emu_race_launch {
  const emu_space *space;
  size_t count;
  shared_piece *pieces;
  emu_order *order;
  pthread_mutex_t lock; ///< guards all of it
  uint64_t next;        ///< workgroup that is compared next
  uint32_t shadows;     ///< of workgroups
};

static bool is_among_few(emu_race_launch *l) {
  enum { FEW = 32 };
  if (!l)
    return true;
  pthread_mutex_lock(&l->lock);
  const bool is = l->shadows++ < FEW;
  pthread_mutex_unlock(&l->lock);
  return is;
}

emu_race_launch *emu_race_launch_create(const emu_space *space,
                                        uint64_t workgroups) {
  emu_race_launch *l = calloc(1, sizeof *l);
  if (!l)
    return NULL;
  pthread_mutex_init(&l->lock, NULL);
  l->space = space;
  l->count = space->count;
  l->pieces = calloc(l->count ? l->count : 1, sizeof *l->pieces);
  l->order = emu_order_create(workgroups);
  bool ok = l->pieces && l->order && workgroups < UINT32_MAX;
  for (size_t i = 0; ok && i < l->count; i++) {
    size_t words = words_of(&space->segments[i]);
    shared_piece *p = &l->pieces[i];
    p->memory_bytes = doers_bytes(words) + doers_bytes(4 * words) + words +
                      pages_of(&space->segments[i]) + 1;
    p->memory = reserve(p->memory_bytes, true);
    if (!p->memory) {
      ok = false;
      break;
    }
    p->words = doers_at(p->memory, words);
    p->bytes = doers_at(p->memory + doers_bytes(words), 4 * words);
    p->split = p->memory + doers_bytes(words) + doers_bytes(4 * words);
    p->page_kinds = p->split + words;
  }
  if (ok)
    return l;
  emu_race_launch_destroy(l);
  return NULL;
}

void emu_race_launch_destroy(emu_race_launch *l) {
  if (!l)
    return;
  for (size_t i = 0; l->pieces && i < l->count; i++)
    if (l->pieces[i].memory)
      munmap(l->pieces[i].memory, l->pieces[i].memory_bytes);
  free(l->pieces);
  emu_order_destroy(l->order);
  pthread_mutex_destroy(&l->lock);
  free(l);
}

/// The end of a part of a workgroup.
typedef struct ending {
  emu_workgroup *wg;
  emu_race_launch *launch;
  const emu_segment *segment;
  uint32_t me;        ///< emu_order_part()
  uint32_t first;     ///< the workgroup's first epoch
  const emu_wave *by; ///< its release ended the part; NULL: something else did
  bool left;          ///< there are accesses that it does not cover
  uint32_t other;     ///< part that was compared last
  bool ordered;       ///< and its result
} ending;

static const char *const k_why[] = {
    [EMU_RELEASED] = "",
    [EMU_STORE_OUTSTANDING] = "before its wave has waited for a store",
    [EMU_NOT_WRITTEN_BACK] = ("with stores in its L2 that no `buffer_wbl2 sc1` "
                              "has written back"),
    [EMU_WRITE_BACK_OUTSTANDING] =
        "before its wave has waited for `buffer_wbl2 sc1`"};

/// Why two parts are not ordered, as far as it is known.
static void explain(const ending *e, uint32_t writer, uint32_t reader,
                    char *text, size_t bytes) {
  const emu_order *o = e->launch->order;
  const emu_launch *l = e->wg->launch;
  const emu_missing m = emu_order_missing(o, writer, reader);
  uint32_t w[3], r[3];
  emu_workgroup_id(l, emu_order_workgroup(o, writer), w);
  emu_workgroup_id(l, emu_order_workgroup(o, reader), r);
  if (m.acquire)
    snprintf(text, bytes,
             "workgroup (%u,%u,%u) has read what (%u,%u,%u) released after it, "
             "but no `buffer_inv sc1` follows its wait for that",
             r[0], r[1], r[2], w[0], w[1], w[2]);
  else if (m.release && m.why)
    snprintf(text, bytes,
             "workgroup (%u,%u,%u) released too little by `%.80s` at pc %s: %s",
             w[0], w[1], w[2], isa_program_text(l->kernel->program, m.release),
             emu_pc_text(l, m.release, (char[ISA_PC_TEXT_BYTES]){0}),
             k_why[m.why]);
  else
    snprintf(text, bytes, "nothing orders two workgroups");
}

static void report_pair(ending *e, emu_access_kind kind, uint32_t key,
                        uint32_t site, emu_access_kind other_kind,
                        const doers *them, size_t cell, uint64_t at) {
  const emu_order *o = e->launch->order;
  const uint32_t other = them->part[other_kind][cell],
                 it = emu_order_workgroup(o, other);
  if (it == e->wg->index)
    return;
  if (e->other != other) {
    e->other = other;
    e->ordered = emu_order_holds(o, e->me, other);
  }
  if (e->ordered)
    return;
  emu_wave *w = &e->wg->waves[key & 255];
  const isa_program *program = e->wg->launch->kernel->program;
  const isa_insn *mine = &program->insns[site];
  const isa_insn *its = &program->insns[them->site[other_kind][cell]];
  if (emu_race_is_coherent(mine, kind) && emu_race_is_coherent(its, other_kind))
    return;
  if (emu_report_again(w, FMHAC_EMU_CHECK_RACE, mine, its))
    return;
  char place[EMU_ADDRESS_TEXT], why[320];
  uint32_t id[3];
  emu_segment_describe(e->segment, at, place, sizeof place);
  emu_workgroup_id(e->wg->launch, it, id);
  if (other_kind == EMU_ACCESS_READ)
    explain(e, e->me, other, why, sizeof why);
  else
    explain(e, other, e->me, why, sizeof why);
  emu_report(w, FMHAC_EMU_CHECK_RACE, mine, its,
             "%s %s, which workgroup (%u,%u,%u) %s by `%.120s` at pc %s; %s",
             emu_access_verb(kind), place, id[0], id[1], id[2],
             emu_access_verb(other_kind), isa_program_text(program, its),
             emu_pc_text(e->wg->launch, its, (char[ISA_PC_TEXT_BYTES]){0}),
             why);
}

/// The accesses of the ending workgroup to a cell.
typedef struct done {
  uint32_t key[KINDS], site[KINDS]; ///< key 0: nothing
} done;

static const int k_planes[KINDS] = {[EMU_ACCESS_READ] = EMU_SHADOW_READ,
                                    [EMU_ACCESS_WRITE] = EMU_SHADOW_WRITE,
                                    [EMU_ACCESS_ATOMIC] = EMU_SHADOW_ATOMIC};

/// Adds what the part did to a cell; from here on others know of it.
static inline void take_done(ending *e, done *d, const emu_shadow *s,
                             size_t cell) {
  for (int k = 0; k < KINDS; k++) {
    const uint32_t key = s->key[k_planes[k]][cell];
    uint32_t *site = &s->site[k_planes[k]][cell];
    if (key >> EMU_KEY_WAVE_BITS < e->first || *site & EMU_SITE_SETTLED)
      continue;
    // No barrier stands between another wave's access and the release.
    if (e->by && key >> EMU_KEY_WAVE_BITS == e->wg->race->epochs.now &&
        (key & ((1u << EMU_KEY_WAVE_BITS) - 1)) != e->by->id) {
      e->left = true;
      continue;
    }
    d->key[k] = key;
    d->site[k] = *site;
    *site |= EMU_SITE_SETTLED;
  }
}

static inline void settle(ending *e, const done *d, const doers *them,
                          size_t cell, uint64_t at) {
  for (int k = 0; k < KINDS; k++) {
    if (!d->key[k])
      continue;
    for (int o = 0; o < KINDS; o++) {
      uint32_t other = them->part[o][cell];
      if (__builtin_expect(other && other != e->me, 0) &&
          emu_accesses_conflict((emu_access_kind)k, (emu_access_kind)o))
        report_pair(e, (emu_access_kind)k, d->key[k], d->site[k],
                    (emu_access_kind)o, them, cell, at);
    }
  }
  for (int k = 0; k < KINDS; k++)
    if (d->key[k]) {
      them->part[k][cell] = e->me;
      them->site[k][cell] = d->site[k];
    }
}

static void settle_word(ending *e, const piece *p, shared_piece *s,
                        size_t word) {
  bool mine_split = p->cells.split[word] >= e->first;
  if (mine_split && !s->split[word]) {
    s->split[word] = 1;
    for (int k = 0; k < KINDS; k++)
      for (size_t b = 4 * word; b < 4 * word + 4; b++) {
        s->bytes.part[k][b] = s->words.part[k][word];
        s->bytes.site[k][b] = s->words.site[k][word];
      }
  }
  done d = {0};
  take_done(e, &d, &p->cells.words, word);
  if (!s->split[word]) {
    if (d.key[0] | d.key[1] | d.key[2])
      settle(e, &d, &s->words, word, 4 * word);
    return;
  }
  for (size_t b = 4 * word; b < 4 * word + 4; b++) {
    done byte = d;
    if (mine_split)
      take_done(e, &byte, &p->cells.bytes, b);
    settle(e, &byte, &s->bytes, b, b);
  }
}

static __attribute__((noinline)) void take_where(uint32_t *restrict to,
                                                 const uint32_t *restrict key,
                                                 int32_t least, uint32_t value,
                                                 size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t mine = (int32_t)key[i] >= least ? ~0u : 0;
    to[i] = (value & mine) | (to[i] & ~mine);
  }
}
static __attribute__((noinline)) void
copy_where(uint32_t *restrict to, const uint32_t *restrict key, int32_t least,
           const uint32_t *restrict from, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t mine = (int32_t)key[i] >= least ? ~0u : 0;
    to[i] = (from[i] & mine) | (to[i] & ~mine);
  }
}

// A page that is only read, as nearly all pages of K and V: no conflict.
static void settle_reads(const ending *e, const piece *p, shared_piece *s,
                         size_t from, size_t to) {
  const uint32_t *key = p->cells.words.key[EMU_SHADOW_READ] + from;
  int32_t least = (int32_t)(e->first << EMU_KEY_WAVE_BITS);
  take_where(s->words.part[EMU_ACCESS_READ] + from, key, least, e->me,
             to - from);
  copy_where(s->words.site[EMU_ACCESS_READ] + from, key, least,
             p->cells.words.site[EMU_SHADOW_READ] + from, to - from);
}

static void settle_page(ending *e, const piece *p, shared_piece *s, size_t page,
                        size_t words, bool whole) {
  size_t from = page * PAGE_WORDS;
  size_t to = from + PAGE_WORDS < words ? from + PAGE_WORDS : words;
  s->page_kinds[page] |= p->page_kinds[page];
  if (s->page_kinds[page] == PAGE_READ && whole)
    settle_reads(e, p, s, from, to);
  else
    for (size_t word = from; word < to; word++)
      settle_word(e, p, s, word);
}

/// Ends the part of the workgroup: it is compared with what others did. With
/// the lock.
static void settle_part(emu_workgroup *wg, const emu_wave *by, bool last) {
  emu_race_launch *l = wg->launch->race;
  struct emu_race_memory *m = wg->race->memory;
  ending e = {.wg = wg,
              .launch = l,
              .first = wg->race->epochs.first,
              .by = by,
              .me = emu_order_part(l->order, (uint32_t)wg->index, m->number)};
  const bool whole = last && m->number == 1;
  m->number++;
  m->visit++;
  for (size_t i = 0; e.me && i < m->count; i++) {
    piece *p = &m->pieces[i];
    e.segment = &m->space->segments[i];
    const size_t words = words_of(e.segment), count = p->page_count;
    p->page_count = 0;
    for (size_t k = 0; k < count; k++) {
      const uint32_t page = p->pages[k];
      e.left = false;
      settle_page(&e, p, &l->pieces[i], page, words, whole);
      if (e.left) { // for the next part
        p->page_visit[page] = m->visit;
        p->pages[p->page_count++] = page;
      }
    }
  }
}

static bool is_empty(const struct emu_race_memory *m) {
  for (size_t i = 0; i < m->count; i++)
    if (m->pieces[i].page_count)
      return false;
  return true;
}

void emu_race_memory_release(emu_wave *w, const isa_insn *in,
                             emu_unreleased why, const uint64_t *places,
                             size_t count, bool adds) {
  emu_workgroup *wg = w->wg;
  emu_race_launch *l = wg->launch->race;
  struct emu_race_memory *m = wg->race->memory;
  pthread_mutex_lock(&l->lock);
  if (why == EMU_RELEASED && !is_empty(m))
    settle_part(wg, w, false);
  else if (why != EMU_RELEASED)
    emu_order_note_unreleased(l->order, (uint32_t)wg->index, in, why);
  for (size_t i = 0; i < count; i++)
    emu_order_release(l->order, (uint32_t)wg->index, m->number - 1, places[i],
                      adds);
  pthread_mutex_unlock(&l->lock);
}

void emu_race_memory_acquire(emu_wave *w, const uint64_t *places,
                             size_t count) {
  emu_workgroup *wg = w->wg;
  emu_race_launch *l = wg->launch->race;
  const struct emu_race_memory *m = wg->race->memory;
  pthread_mutex_lock(&l->lock);
  if (emu_order_acquire(l->order, (uint32_t)wg->index, m->number + 1, places,
                        count))
    settle_part(wg, NULL, false);
  pthread_mutex_unlock(&l->lock);
}

bool emu_race_memory_knows(emu_wave *w, const uint64_t *places, size_t count) {
  emu_race_launch *l = w->wg->launch->race;
  bool any = false;
  pthread_mutex_lock(&l->lock);
  for (size_t i = 0; i < count; i++)
    any |= emu_order_knows(l->order, places[i]);
  pthread_mutex_unlock(&l->lock);
  return any;
}

bool emu_race_memory_end(emu_workgroup *wg, uint64_t index) {
  emu_race_launch *l = wg->launch->race;
  pthread_mutex_lock(&l->lock);
  const bool mine = l->next == index;
  if (mine) {
    for (uint32_t i = 0; i < wg->launch->waves; i++) {
      uint64_t places[64];
      const size_t n = emu_race_sync_left(wg->race->sync, i, places);
      emu_order_note_unacquired(l->order, (uint32_t)index, places, n);
    }
    settle_part(wg, NULL, true);
    l->next++;
  }
  pthread_mutex_unlock(&l->lock);
  return mine;
}

//===-- The launch --------------------------------------------------------===//

void emu_race_launch_visit(const emu_race_launch *l, const emu_launch *launch,
                           emu_race_visit *visit, void *user) {
  const isa_insn *insns = launch->kernel->program->insns;
  for (size_t i = 0; i < l->count; i++) {
    const emu_segment *segment = &l->space->segments[i];
    const shared_piece *p = &l->pieces[i];
    const size_t words = words_of(segment);
    for (size_t page = 0; page < pages_of(segment); page++) {
      if (!p->page_kinds[page])
        continue;
      const size_t from = page * PAGE_WORDS;
      for (size_t w = from; w < from + PAGE_WORDS && w < words; w++)
        for (int k = 0; k < KINDS && !p->split[w]; k++)
          if (p->words.part[k][w])
            visit(user, segment, w, k != EMU_ACCESS_READ,
                  &insns[p->words.site[k][w]]);
    }
  }
}
