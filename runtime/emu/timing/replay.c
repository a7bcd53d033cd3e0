// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of workgroups through the L2 of each XCD and through MALL. Only lines
// whose hash ends in zeros are looked at, in caches that are smaller by the
// same factor, so that the cost does not depend on the length of sequences.
#include <stdlib.h>

#include "hash.h"
#include "lru.h"
#include "traffic.h"

/// A cache that has been made smaller has so many sets at least.
enum { WAYS = 16, MOST_LINES_SEEN = 1 << 19, LEAST_SETS = 16 };

/// A cache; in each set the line used last comes first. 0: no line.
typedef struct cache {
  uint32_t *keys;
  uint32_t sets;
} cache;

static bool cache_make(cache *c, double bytes, uint32_t factor) {
  double sets = bytes / EMU_TIME_LINE_BYTES / factor / WAYS;
  c->sets = sets < 1 ? 1 : (uint32_t)sets;
  c->keys = calloc((size_t)c->sets * WAYS, sizeof *c->keys);
  return c->keys != NULL;
}

static bool cache_use(cache *c, uint32_t line, uint32_t hash) {
  uint32_t *set = c->keys + (size_t)(hash % c->sets) * WAYS;
  return emu_lru_use(set, WAYS, line + 1, true);
}

/// A request that is looked at.
typedef struct request {
  uint32_t line, position;
} request;

/// A place of a workgroup on a compute unit.
typedef struct place {
  const emu_traffic_workgroup *wg; ///< NULL: none is left
  double start, cycles, when;      ///< `when`: of the next request
  request *list;
  size_t count, capacity, next;
} place;

typedef struct replay {
  const emu_timing *t;
  uint32_t factor, shift; ///< one line of `factor`, a power of two, is seen
  cache *l2, mall;
  uint32_t xcds, places; ///< places of an XCD
  place *all;
  uint32_t *heap, heap_count; ///< places, the one that is next first
  /// Added to the lines of each buffer: they are numbered in the order in which
  /// buffers are used first, so that their addresses do not matter.
  uint32_t *moves;
  double l2_bytes, far_lines, hbm_lines;
  double all_requests, unknown; ///< loads; those of parts not reached
} replay;

// `weight`: requests that it stands for.
static void load(replay *r, uint32_t xcd, uint32_t line, double weight) {
  const uint32_t at = emu_hash(line) >> r->shift;
  if (cache_use(&r->l2[xcd], line, at))
    return;
  r->far_lines += weight;
  if (!cache_use(&r->mall, line, at))
    r->hbm_lines += weight;
}

static int by_position(const void *a, const void *b) {
  const uint32_t x = ((const request *)a)->position;
  const uint32_t y = ((const request *)b)->position;
  return (x > y) - (x < y);
}

// The requests of a workgroup that are looked at.
static bool collect(const replay *r, place *p) {
  const emu_traffic_stream *s = p->wg->stream;
  const uint32_t mask = r->factor - 1;
  p->count = p->next = 0;
  for (uint32_t i = 0; i < s->part_count; i++) {
    const emu_traffic_part *part = &s->parts[i];
    const uint32_t first = p->wg->first[i];
    if (first == EMU_UNUSED)
      continue;
    // Where it was not reached, no other workgroup uses its lines.
    const uint32_t move =
        first == EMU_NO_LINE
            ? emu_hash((uint32_t)p->wg->linear * s->part_count + i + 1)
            : first - part->first + r->moves[part->buffer];
    for (uint32_t j = 0; j < part->count; j++) {
      const uint32_t line = part->lines[j] + move;
      if (emu_hash(line) & mask)
        continue;
      if (p->count == p->capacity) {
        const size_t capacity = p->capacity ? 2 * p->capacity : 1024;
        request *list = realloc(p->list, capacity * sizeof *list);
        if (!list)
          return false;
        p->list = list;
        p->capacity = capacity;
      }
      p->list[p->count++] = (request){line, part->positions[j]};
    }
  }
  if (p->count)
    qsort(p->list, p->count, sizeof *p->list, by_position);
  return true;
}

static double time_of(const place *p) {
  const emu_traffic_stream *s = p->wg->stream;
  if (p->next == p->count)
    return p->start + p->cycles;
  return p->start +
         (double)s->cycles * p->list[p->next].position / (double)s->count;
}

//===-- Places, by time ---------------------------------------------------===//

static void sink(replay *r, uint32_t i) {
  for (;;) {
    uint32_t child = 2 * i + 1;
    if (child >= r->heap_count)
      return;
    if (child + 1 < r->heap_count &&
        r->all[r->heap[child + 1]].when < r->all[r->heap[child]].when)
      child++;
    if (r->all[r->heap[i]].when <= r->all[r->heap[child]].when)
      return;
    const uint32_t other = r->heap[i];
    r->heap[i] = r->heap[child];
    r->heap[child] = other;
    i = child;
  }
}

// Gives the place the next workgroup of its XCD, at `now`. False if out of
// memory.
static bool fill(replay *r, const emu_traffic_workgroup *list,
                 const emu_traffic_window *window, uint64_t *next, uint32_t at,
                 double now) {
  place *p = &r->all[at];
  uint64_t *number = &next[at / r->places];
  p->wg = NULL;
  for (; *number < window->end && !p->wg; *number += r->xcds)
    if (list[*number - window->begin].stream)
      p->wg = &list[*number - window->begin];
  if (!p->wg)
    return true;
  const emu_traffic_stream *s = p->wg->stream;
  p->start = now;
  if (!collect(r, p))
    return false;
  bool is_used = s->part_count == 0;
  for (uint32_t i = 0; i < s->part_count; i++) {
    const uint32_t first = p->wg->first[i];
    is_used |= first != EMU_UNUSED;
    r->all_requests += first == EMU_UNUSED ? 0 : s->parts[i].count;
    r->unknown += first == EMU_NO_LINE ? s->parts[i].count : 0;
  }
  // One that uses no buffer is over at once.
  if (is_used) {
    r->l2_bytes += s->l2_bytes;
    r->far_lines += (double)s->stored_lines;
    r->hbm_lines += (double)s->stored_lines;
  }
  p->cycles = is_used ? (double)s->cycles : 0;
  p->when = time_of(p);
  return true;
}

static bool run(replay *r, const emu_traffic_workgroup *list,
                const emu_traffic_window *window) {
  uint64_t *next = calloc(r->xcds, sizeof *next);
  bool ok = next != NULL;
  for (uint32_t i = 0; ok && i < r->xcds; i++)
    next[i] = window->begin + (i + r->xcds - window->begin % r->xcds) % r->xcds;
  r->heap_count = 0;
  // Workgroups go to empty compute units first, and these are all alike here.
  for (uint32_t at = 0; ok && at < r->xcds * r->places; at++) {
    ok = fill(r, list, window, next, at, 0);
    if (r->all[at].wg)
      r->heap[r->heap_count++] = at;
  }
  for (uint32_t i = r->heap_count / 2; i-- > 0;)
    sink(r, i);
  while (ok && r->heap_count) {
    const uint32_t at = r->heap[0];
    place *p = &r->all[at];
    if (p->next < p->count) {
      load(r, at / r->places, p->list[p->next++].line,
           r->factor * p->wg->stream->weight);
      p->when = time_of(p);
    } else {
      ok = fill(r, list, window, next, at,
                p->when + r->t->k.workgroup_launch_cycles);
      if (!p->wg)
        r->heap[0] = r->heap[--r->heap_count];
    }
    sink(r, 0);
  }
  free(next);
  return ok;
}

// How many lines stand for one that is looked at.
static void choose_factor(replay *r, const emu_traffic_workgroup *list,
                          uint64_t count) {
  double requests = 0;
  for (uint64_t i = 0; i < count; i++)
    requests += list[i].stream ? (double)list[i].stream->count : 0;
  const double l2_lines = 1024 * r->t->k.l2_cache_kib / EMU_TIME_LINE_BYTES;
  r->factor = 1;
  for (; requests / r->factor > MOST_LINES_SEEN &&
         l2_lines / (2 * r->factor) >= LEAST_SETS * WAYS;
       r->shift++)
    r->factor *= 2;
}

static const emu_traffic_part *next_part(const emu_traffic_stream *s,
                                         const emu_traffic_part *after) {
  const emu_traffic_part *next = NULL;
  for (uint32_t i = 0; i < s->part_count; i++) {
    const emu_traffic_part *p = &s->parts[i];
    if ((!after || p->positions[0] > after->positions[0]) &&
        (!next || p->positions[0] < next->positions[0]))
      next = p;
  }
  return next;
}

static bool number_lines(replay *r) {
  const emu_timing *t = r->t;
  r->moves = calloc(t->buffer_count + 1, sizeof *r->moves);
  bool *known = calloc(t->buffer_count + 1, sizeof *known);
  uint32_t total = 0;
  for (size_t i = 0; r->moves && known && i < t->known_count; i++) {
    const emu_traffic_stream *s = &t->known_streams[i];
    for (const emu_traffic_part *p = next_part(s, NULL); p;
         p = next_part(s, p)) {
      if (known[p->buffer])
        continue;
      known[p->buffer] = true;
      r->moves[p->buffer] = total - t->first_lines[p->buffer];
      total += t->first_lines[p->buffer + 1] - t->first_lines[p->buffer];
    }
  }
  const bool ok = r->moves && known;
  free(known);
  return ok;
}

static bool prepare(replay *r, const emu_traffic_workgroup *list,
                    uint64_t count) {
  const emu_time_constants *k = &r->t->k;
  r->xcds = emu_time_xcds(k);
  const uint32_t units = (uint32_t)k->compute_units / r->xcds;
  r->places = (units ? units : 1) * r->t->held;
  choose_factor(r, list, count);
  r->l2 = calloc(r->xcds, sizeof *r->l2);
  r->all = calloc((size_t)r->xcds * r->places, sizeof *r->all);
  r->heap = calloc((size_t)r->xcds * r->places, sizeof *r->heap);
  bool ok = r->l2 && r->all && r->heap && number_lines(r) &&
            cache_make(&r->mall, 1024 * k->mall_cache_kib, r->factor);
  for (uint32_t i = 0; ok && i < r->xcds; i++)
    ok = cache_make(&r->l2[i], 1024 * k->l2_cache_kib, r->factor);
  return ok;
}

static void deinit(replay *r) {
  for (uint32_t i = 0; r->l2 && i < r->xcds; i++)
    free(r->l2[i].keys);
  for (uint32_t i = 0; r->all && i < r->xcds * r->places; i++)
    free(r->all[i].list);
  free(r->l2);
  free(r->all);
  free(r->heap);
  free(r->moves);
  free(r->mall.keys);
}

bool emu_traffic_replay(const emu_timing *t, const emu_traffic_workgroup *list,
                        const emu_traffic_window *windows, uint32_t count,
                        emu_traffic *out) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < count; i++)
    all += windows[i].end - windows[i].begin;
  replay r = {.t = t};
  bool ok = prepare(&r, list, all);
  for (uint32_t i = 0; ok && i < count; i++) {
    ok = run(&r, list, &windows[i]);
    list += windows[i].end - windows[i].begin;
  }
  deinit(&r);
  *out = (emu_traffic){0};
  if (!ok)
    return false;
  // Of a kernel that takes its work from a queue, little is known.
  out->known = r.l2_bytes > 0 && 2 * r.unknown <= r.all_requests;
  if (out->known) {
    out->far_share = r.far_lines * EMU_TIME_LINE_BYTES / r.l2_bytes;
    out->hbm_share = r.hbm_lines * EMU_TIME_LINE_BYTES / r.l2_bytes;
  }
  return true;
}
