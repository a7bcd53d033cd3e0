// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races on global memory, byte exact. Between the waves of a workgroup barriers
// order accesses, as on LDS. Between workgroups nothing orders them, unless
// both use atomics and one of the two reads results of atomics: atomics may
// then order the workgroups, in ways that are not followed here. Atomics whose
// results nobody reads order nothing.
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
  uint32_t *page_epoch; ///< the workgroup's first epoch, if it used the page
  uint8_t *page_kinds;  ///< its accesses to the page, see page_kind
  uint32_t *pages;      ///< pages that the workgroup used
  size_t page_count;
} piece;

struct emu_race_memory {
  const emu_space *space;
  size_t count;
  piece *pieces;   ///< parallel to the segments
  uint8_t atomics; ///< of the workgroup: ATOMICS_*
};

/// Whether a workgroup uses atomics on memory, and whether their results are
/// read: an atomic returns the old value, or the workgroup reads, perhaps by
/// atomic loads, a page on which another workgroup uses atomics.
enum { ATOMICS_USED = 1, ATOMICS_SEEN = 2 };

/// Bits of page_kinds: 1 << EMU_ACCESS_*, and whether there are accesses to
/// parts of dwords.
enum {
  PAGE_READ = 1 << EMU_ACCESS_READ,
  PAGE_ATOMIC = 1 << EMU_ACCESS_ATOMIC,
  PAGE_SPLIT = 1 << 7
};

static size_t words_of(const emu_segment *s) { return (s->bytes + 3) / 4; }
static size_t pages_of(const emu_segment *s) {
  return (words_of(s) + PAGE_WORDS - 1) / PAGE_WORDS;
}

#define MOST_HUGE_BYTES ((size_t)1 << 30)
static uint8_t *reserve(size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  // Huge pages mean fewer faults. Large segments, of which a launch may use
  // little, do without, to save host memory.
  if (bytes <= MOST_HUGE_BYTES)
    (void)madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

struct emu_race_memory *emu_race_memory_create(const emu_space *space) {
  struct emu_race_memory *m = calloc(1, sizeof *m);
  if (!m)
    return NULL;
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
    p->memory = reserve(p->memory_bytes);
    if (!p->memory) {
      ok = false;
      break;
    }
    p->cells = emu_cells_at(p->memory, words_of(s));
    p->page_epoch = (uint32_t *)(void *)(p->memory + cells);
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
  m->atomics = 0;
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
  if (t->reported == c->site)
    return;
  t->reported = c->site;
  const isa_insn *other = &program->insns[c->site];
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

static inline void touch_page(piece *p, const emu_segment *s, uint32_t first,
                              uint64_t page, emu_access_kind kind,
                              unsigned kinds) {
  if (p->page_epoch[page] != first) {
    p->page_epoch[page] = first;
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
  if (kind == EMU_ACCESS_ATOMIC)
    m->atomics |=
        in->flags & ISA_FLAG_SC0 ? ATOMICS_USED | ATOMICS_SEEN : ATOMICS_USED;
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
      touch_page(p, s->segment, r->epochs.first, page, kind, kinds);
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

/// Accesses of workgroups to cells: number + 1 of a workgroup that wrote, read
/// or updated the cell, and the instruction. The planes are EMU_ACCESS_*.
typedef struct doers {
  uint32_t *workgroup[KINDS], *site[KINDS];
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
    d.workgroup[k] = at + k * cells;
    d.site[k] = at + (KINDS + k) * cells;
  }
  return d;
}

struct emu_race_launch {
  const emu_space *space;
  size_t count;
  shared_piece *pieces;
  uint8_t *atomics; ///< ATOMICS_* of each workgroup
  pthread_mutex_t lock;
  uint64_t next; ///< workgroup that is compared next
};

emu_race_launch *emu_race_launch_create(const emu_space *space,
                                        uint64_t workgroups) {
  emu_race_launch *l = calloc(1, sizeof *l);
  if (!l)
    return NULL;
  pthread_mutex_init(&l->lock, NULL);
  l->space = space;
  l->count = space->count;
  l->pieces = calloc(l->count ? l->count : 1, sizeof *l->pieces);
  l->atomics = calloc(workgroups + 1, 1);
  bool ok = l->pieces && l->atomics && workgroups < UINT32_MAX;
  for (size_t i = 0; ok && i < l->count; i++) {
    size_t words = words_of(&space->segments[i]);
    shared_piece *p = &l->pieces[i];
    p->memory_bytes = doers_bytes(words) + doers_bytes(4 * words) + words +
                      pages_of(&space->segments[i]) + 1;
    p->memory = reserve(p->memory_bytes);
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
  free(l->atomics);
  pthread_mutex_destroy(&l->lock);
  free(l);
}

/// The end of a workgroup.
typedef struct ending {
  emu_workgroup *wg;
  emu_race_launch *launch;
  const emu_segment *segment;
  uint32_t me; ///< number + 1
} ending;

/// Ways in which a workgroup may be ordered. A workgroup of lower rank
/// conflicts with everything that a workgroup of higher rank conflicts with.
typedef enum rank {
  RANK_NOTHING,
  RANK_ADDS, ///< uses atomics, and does not read their results
  RANK_LOOKS ///< uses atomics, and may read their results
} rank;

static inline rank rank_of(const ending *e, uint32_t workgroup) {
  uint8_t atomics = e->launch->atomics[workgroup];
  return !(atomics & ATOMICS_USED) ? RANK_NOTHING
         : atomics & ATOMICS_SEEN  ? RANK_LOOKS
                                   : RANK_ADDS;
}

static inline bool are_ordered(rank a, rank b) {
  return a && b && (a == RANK_LOOKS || b == RANK_LOOKS);
}

static void report_pair(const ending *e, emu_access_kind kind, uint32_t key,
                        uint32_t site, emu_access_kind other_kind,
                        const doers *them, size_t cell, uint64_t at) {
  uint32_t it = them->workgroup[other_kind][cell] - 1;
  if (are_ordered(rank_of(e, e->me - 1), rank_of(e, it)))
    return;
  emu_wave *w = &e->wg->waves[key & 255];
  const isa_program *program = e->wg->launch->kernel->program;
  const isa_insn *mine = &program->insns[site];
  const isa_insn *its = &program->insns[them->site[other_kind][cell]];
  if (emu_report_again(w, FMHAC_EMU_CHECK_RACE, mine, its))
    return;
  char place[EMU_ADDRESS_TEXT];
  uint32_t id[3];
  emu_segment_describe(e->segment, at, place, sizeof place);
  emu_workgroup_id(e->wg->launch, it, id);
  emu_report(w, FMHAC_EMU_CHECK_RACE, mine, its,
             "%s %s, which workgroup (%u,%u,%u) %s by `%.120s` at pc %s; "
             "nothing orders two workgroups",
             emu_access_verb(kind), place, id[0], id[1], id[2],
             emu_access_verb(other_kind), isa_program_text(program, its),
             emu_pc_text(e->wg->launch, its, (char[ISA_PC_TEXT_BYTES]){0}));
}

/// The accesses of the ending workgroup to a cell.
typedef struct done {
  uint32_t key[KINDS], site[KINDS]; ///< key 0: nothing
} done;

static const int k_planes[KINDS] = {[EMU_ACCESS_READ] = EMU_SHADOW_READ,
                                    [EMU_ACCESS_WRITE] = EMU_SHADOW_WRITE,
                                    [EMU_ACCESS_ATOMIC] = EMU_SHADOW_ATOMIC};

static inline void add_done(done *d, const emu_shadow *s, size_t cell,
                            uint32_t first) {
  for (int k = 0; k < KINDS; k++) {
    uint32_t key = s->key[k_planes[k]][cell];
    if (key >> EMU_KEY_WAVE_BITS >= first) {
      d->key[k] = key;
      d->site[k] = s->site[k_planes[k]][cell];
    }
  }
}

// Keeps the workgroup of lower rank.
static inline bool stays(const ending *e, uint32_t other) {
  return other && rank_of(e, other - 1) < rank_of(e, e->me - 1);
}

static inline void settle(const ending *e, const done *d, const doers *them,
                          size_t cell, uint64_t at) {
  for (int k = 0; k < KINDS; k++) {
    if (!d->key[k])
      continue;
    for (int o = 0; o < KINDS; o++) {
      uint32_t other = them->workgroup[o][cell];
      if (__builtin_expect(other && other != e->me, 0) &&
          emu_accesses_conflict((emu_access_kind)k, (emu_access_kind)o))
        report_pair(e, (emu_access_kind)k, d->key[k], d->site[k],
                    (emu_access_kind)o, them, cell, at);
    }
  }
  for (int k = 0; k < KINDS; k++)
    if (d->key[k] && !stays(e, them->workgroup[k][cell])) {
      them->workgroup[k][cell] = e->me;
      them->site[k][cell] = d->site[k];
    }
}

static void settle_word(const ending *e, const piece *p, shared_piece *s,
                        size_t word, uint32_t first) {
  bool mine_split = p->cells.split[word] >= first;
  if (mine_split && !s->split[word]) {
    s->split[word] = 1;
    for (int k = 0; k < KINDS; k++)
      for (size_t b = 4 * word; b < 4 * word + 4; b++) {
        s->bytes.workgroup[k][b] = s->words.workgroup[k][word];
        s->bytes.site[k][b] = s->words.site[k][word];
      }
  }
  done d = {0};
  add_done(&d, &p->cells.words, word, first);
  if (!s->split[word]) {
    if (d.key[0] | d.key[1] | d.key[2])
      settle(e, &d, &s->words, word, 4 * word);
    return;
  }
  for (size_t b = 4 * word; b < 4 * word + 4; b++) {
    done byte = d;
    if (mine_split)
      add_done(&byte, &p->cells.bytes, b, first);
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
                         size_t from, size_t to, uint32_t first) {
  const uint32_t *key = p->cells.words.key[EMU_SHADOW_READ] + from;
  int32_t least = (int32_t)(first << EMU_KEY_WAVE_BITS);
  take_where(s->words.workgroup[EMU_ACCESS_READ] + from, key, least, e->me,
             to - from);
  copy_where(s->words.site[EMU_ACCESS_READ] + from, key, least,
             p->cells.words.site[EMU_SHADOW_READ] + from, to - from);
}

static void settle_page(const ending *e, const piece *p, shared_piece *s,
                        size_t page, size_t words, uint32_t first) {
  size_t from = page * PAGE_WORDS;
  size_t to = from + PAGE_WORDS < words ? from + PAGE_WORDS : words;
  s->page_kinds[page] |= p->page_kinds[page];
  if (s->page_kinds[page] == PAGE_READ && rank_of(e, e->me - 1) == RANK_NOTHING)
    settle_reads(e, p, s, from, to, first);
  else
    for (size_t word = from; word < to; word++)
      settle_word(e, p, s, word, first);
}

static void settle_all(emu_workgroup *wg, uint64_t index) {
  emu_race_launch *l = wg->launch->race;
  struct emu_race_memory *m = wg->race->memory;
  ending e = {.wg = wg, .launch = l, .me = (uint32_t)index + 1};
  for (size_t i = 0; i < m->count; i++)
    for (size_t k = 0; k < m->pieces[i].page_count; k++) {
      uint32_t page = m->pieces[i].pages[k];
      uint8_t mine = m->pieces[i].page_kinds[page];
      uint8_t theirs = l->pieces[i].page_kinds[page];
      if ((mine & PAGE_READ && theirs & PAGE_ATOMIC) ||
          (mine & PAGE_ATOMIC && theirs & PAGE_READ))
        m->atomics |= ATOMICS_SEEN;
    }
  l->atomics[index] = m->atomics;
  for (size_t i = 0; i < m->count; i++) {
    piece *p = &m->pieces[i];
    e.segment = &m->space->segments[i];
    size_t words = words_of(e.segment);
    for (size_t k = 0; k < p->page_count; k++)
      settle_page(&e, p, &l->pieces[i], p->pages[k], words,
                  wg->race->epochs.first);
  }
}

bool emu_race_memory_end(emu_workgroup *wg, uint64_t index) {
  emu_race_launch *l = wg->launch->race;
  pthread_mutex_lock(&l->lock);
  const bool mine = l->next == index;
  pthread_mutex_unlock(&l->lock);
  if (!mine)
    return false;
  settle_all(wg, index); // nobody else has the turn
  pthread_mutex_lock(&l->lock);
  l->next++;
  pthread_mutex_unlock(&l->lock);
  return true;
}
