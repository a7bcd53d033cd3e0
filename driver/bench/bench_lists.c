// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_lists.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"

enum {
  POINTS = 9, ///< of a kind
  AFTER = 2,  ///< items after the first, whose time counts
};

/// A point that is off by less, between its neighbours, needs no more points.
static const double k_straight = 0.005;

/// What adds up from item to item.
typedef struct sum {
  double cycles, instructions, mfma, mfma8, mfma_f16, valu; ///< in cycles
  double l2_bytes, far_bytes, wait_cycles;
} sum;

static sum sum_of(const fmhac_timing_workgroup *w) {
  const double c = (double)w->cycles;
  return (sum){c,
               (double)w->instructions,
               w->mfma_busy * c,
               w->mfma8_busy * c,
               w->mfma_f16_busy * c,
               w->valu_busy * c,
               w->l2_bytes,
               w->far_bytes,
               w->memory_wait_cycles};
}

/// a + factor * b.
static sum plus(const sum *a, const sum *b, double factor) {
  return (sum){a->cycles + factor * b->cycles,
               a->instructions + factor * b->instructions,
               a->mfma + factor * b->mfma,
               a->mfma8 + factor * b->mfma8,
               a->mfma_f16 + factor * b->mfma_f16,
               a->valu + factor * b->valu,
               a->l2_bytes + factor * b->l2_bytes,
               a->far_bytes + factor * b->far_bytes,
               a->wait_cycles + factor * b->wait_cycles};
}

/// The time of items of one kind with so many tiles.
typedef struct point {
  double tiles;
  sum cost;
  bool done; ///< the interval after it needs no more points
} point;

/// Points, by their tiles.
typedef struct curve {
  point list[POINTS];
  size_t count;
} curve;

typedef struct entry {
  double tiles;
  uint32_t item;
} entry;

typedef struct kind {
  entry *items; ///< by their tiles
  size_t count;
  curve first, next; ///< as the first one of a list, and after others
} kind;

typedef struct taker {
  const bench_lists *lists;
  kind kinds[BENCH_MOST_KINDS];
  entry *items;                 ///< of all kinds
  fmhac_timing_workgroup model; ///< what the times have in common
  sum nothing;                  ///< an empty list
  sum take;                     ///< to take the next list from a queue
  size_t timed;
  char *error;
} taker;

static bool no_memory(const taker *t) {
  return ERROR_SET(t->error, "no memory for the times of lists of items");
}

static bool time_list(taker *t, const uint32_t *items, size_t count, bool each,
                      sum *out) {
  fmhac_timing_workgroup w = {.size = sizeof w};
  if (!t->lists->time(t->lists->user, items, count, each, &w, t->error))
    return false;
  t->timed++;
  *out = sum_of(&w);
  if (count > 1 || !t->model.resident)
    t->model = w;
  return true;
}

//===- Kinds --------------------------------------------------------------===//

static int by_tiles(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->tiles != y->tiles)
    return x->tiles < y->tiles ? -1 : 1;
  return (x->item > y->item) - (x->item < y->item);
}

static bool sort_items(taker *t) {
  const bench_lists *l = t->lists;
  size_t counts[BENCH_MOST_KINDS] = {0}, at = 0;
  t->items = malloc((l->item_count + 1) * sizeof *t->items);
  if (!t->items)
    return no_memory(t);
  for (size_t i = 0; i < l->item_count; ++i) {
    if (l->items[i].kind >= BENCH_MOST_KINDS)
      return ERROR_SET(t->error, "item %zu is of kind %u; expected below %d", i,
                       l->items[i].kind, BENCH_MOST_KINDS);
    counts[l->items[i].kind]++;
  }
  for (int k = 0; k < BENCH_MOST_KINDS; ++k) {
    t->kinds[k].items = t->items + at;
    at += counts[k];
  }
  for (size_t i = 0; i < l->item_count; ++i) {
    kind *k = &t->kinds[l->items[i].kind];
    k->items[k->count++] = (entry){l->items[i].tiles, (uint32_t)i};
  }
  for (int k = 0; k < BENCH_MOST_KINDS; ++k)
    qsort(t->kinds[k].items, t->kinds[k].count, sizeof *t->items, by_tiles);
  return true;
}

static double tiles_at(const kind *k, size_t at) { return k->items[at].tiles; }

static void add(curve *c, double tiles, const sum *cost) {
  size_t i = 0;
  while (i < c->count && c->list[i].tiles < tiles)
    ++i;
  if (i < c->count && c->list[i].tiles == tiles)
    return;
  memmove(c->list + i + 1, c->list + i, (c->count - i) * sizeof *c->list);
  c->list[i] = (point){.tiles = tiles, .cost = *cost};
  c->count++;
}

/// The cost on a curve: between two points or, near the ends, beyond them.
static sum cost_on(const curve *c, double tiles) {
  size_t high = c->count > 1 ? 1 : 0;
  while (high + 1 < c->count && c->list[high].tiles < tiles)
    ++high;
  const point *b = &c->list[high], *a = high ? b - 1 : b;
  if (a == b)
    return b->cost;
  const sum slope = plus(&b->cost, &a->cost, -1);
  return plus(&a->cost, &slope, (tiles - a->tiles) / (b->tiles - a->tiles));
}

/// Times the item at a place of its kind, alone and before the items beside it,
/// which are about as large and use other rows.
static bool add_point(taker *t, kind *k, size_t at) {
  if (k->first.count == POINTS)
    return true;
  uint32_t list[1 + AFTER] = {k->items[at].item};
  double tiles = 0;
  size_t n = 1;
  for (size_t away = 1; n <= AFTER && away < k->count; ++away) {
    if (away <= at && n <= AFTER) {
      tiles += tiles_at(k, at - away);
      list[n++] = k->items[at - away].item;
    }
    if (at + away < k->count && n <= AFTER) {
      tiles += tiles_at(k, at + away);
      list[n++] = k->items[at + away].item;
    }
  }
  for (; n <= AFTER; ++n) { // there is no other
    tiles += tiles_at(k, at);
    list[n] = list[0];
  }
  sum one, all;
  if (!time_list(t, list, 1, false, &one) ||
      !time_list(t, list, 1 + AFTER, false, &all))
    return false;
  const sum none = {0}, more = plus(&all, &one, -1),
            next = plus(&none, &more, 1.0 / AFTER);
  add(&k->first, tiles_at(k, at), &one);
  add(&k->next, tiles / AFTER, &next);
  return true;
}

/// The place of a kind's item of about so many tiles.
static size_t place_near(const kind *k, double tiles) {
  size_t low = 0, high = k->count - 1;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (tiles_at(k, middle) < tiles)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// The widest interval that may need a point; `count` of the curve: none.
static size_t widest(const curve *c) {
  size_t best = c->count;
  double width = 0;
  for (size_t i = 0; i + 1 < c->count; ++i)
    if (!c->list[i].done && c->list[i + 1].tiles - c->list[i].tiles > width) {
      width = c->list[i + 1].tiles - c->list[i].tiles;
      best = i;
    }
  return best;
}

/// Adds points inside intervals until these are straight.
static bool add_points(taker *t, kind *k) {
  curve *c = &k->first;
  if (!k->count)
    return true;
  if (!add_point(t, k, 0) || (tiles_at(k, 0) < tiles_at(k, k->count - 1) &&
                              !add_point(t, k, k->count - 1)))
    return false;
  for (size_t i; c->count < POINTS && (i = widest(c)) < c->count;) {
    const double low = c->list[i].tiles, high = c->list[i + 1].tiles;
    const size_t at = place_near(k, (low + high) / 2);
    const double tiles = tiles_at(k, at);
    c->list[i].done = tiles <= low || tiles >= high;
    if (c->list[i].done)
      continue;
    const double guess = cost_on(c, tiles).cycles,
                 next_guess = cost_on(&k->next, tiles).cycles;
    if (!add_point(t, k, at))
      return false;
    const double found = cost_on(c, tiles).cycles,
                 next = cost_on(&k->next, tiles).cycles;
    c->list[i].done = c->list[i + 1].done =
        fabs(found - guess) <= k_straight * fabs(found) &&
        fabs(next - next_guess) <= k_straight * fabs(next);
  }
  return true;
}

/// Times items of few tiles in one list, and in a list each.
static bool time_take(taker *t) {
  size_t k = 0;
  while (k < BENCH_MOST_KINDS && !t->kinds[k].count)
    ++k;
  if (!t->lists->is_queue || k == BENCH_MOST_KINDS)
    return true;
  uint32_t list[1 + AFTER];
  for (size_t i = 0; i <= AFTER; ++i)
    list[i] = t->kinds[k].items[i < t->kinds[k].count ? i : 0].item;
  sum one, all;
  if (!time_list(t, list, 1 + AFTER, false, &one) ||
      !time_list(t, list, 1 + AFTER, true, &all))
    return false;
  const sum none = {0}, more = plus(&all, &one, -1);
  t->take = plus(&none, &more, 1.0 / AFTER);
  return true;
}

//===- Lists --------------------------------------------------------------===//

static sum cost_of_item(const taker *t, uint32_t item, bool first) {
  const bench_item *i = &t->lists->items[item];
  const kind *k = &t->kinds[i->kind];
  return cost_on(first ? &k->first : &k->next, i->tiles);
}

static fmhac_timing_workgroup workgroup_of(const taker *t, uint32_t number,
                                           const sum *s) {
  fmhac_timing_workgroup w = t->model;
  const double c = s->cycles > 0 ? s->cycles : 1;
  w.id[0] = number;
  w.id[1] = w.id[2] = 0;
  w.cycles = (uint64_t)llround(c);
  w.instructions = (uint64_t)llround(fmax(0, s->instructions));
  w.mfma_busy = s->mfma / c;
  w.mfma8_busy = s->mfma8 / c;
  w.mfma_f16_busy = s->mfma_f16 / c;
  w.valu_busy = s->valu / c;
  w.l2_bytes = fmax(0, s->l2_bytes);
  w.far_bytes = fmax(0, s->far_bytes);
  w.memory_wait_cycles = fmax(0, s->wait_cycles);
  return w;
}

/// Adds the items of a list, the workgroup's first one or another.
static void add_list(const taker *t, uint32_t list, bool is_first, sum *own) {
  const bench_lists *l = t->lists;
  if (!is_first)
    *own = plus(own, &t->take, 1);
  for (uint32_t i = l->begin[list]; i < l->begin[list + 1]; ++i) {
    const bool begins = is_first && i == l->begin[list];
    const sum cost = cost_of_item(t, i, begins);
    *own = begins ? cost : plus(own, &cost, 1);
  }
}

static void add_lists(const taker *t, sum *sums, uint32_t *dealt) {
  const bench_lists *l = t->lists;
  for (uint32_t w = 0; w < l->workgroups; ++w)
    sums[w] = t->nothing;
  for (uint32_t list = 0; list < l->lists; ++list) {
    uint32_t w = list;
    if (list >= l->workgroups) { // whoever is free first takes it
      w = 0;
      for (uint32_t i = 1; i < l->workgroups; ++i)
        if (sums[i].cycles < sums[w].cycles)
          w = i;
    }
    add_list(t, list, list < l->workgroups, &sums[w]);
    for (uint32_t i = l->begin[list]; i < l->begin[list + 1]; ++i)
      dealt[i] = w;
  }
}

/// Times the longest list, or as much of it as is allowed, and compares.
static bool check(taker *t, const sum *sums, const uint32_t *dealt,
                  double *out_deviation) {
  const bench_lists *l = t->lists;
  uint32_t list[BENCH_MOST_TIMED], longest = 0;
  size_t count = 0;
  for (uint32_t w = 1; w < l->workgroups; ++w)
    if (sums[w].cycles > sums[longest].cycles)
      longest = w;
  double tiles = 0;
  sum expected = {0}, found;
  for (size_t i = 0; i < l->item_count && count < BENCH_MOST_TIMED; ++i) {
    if (dealt[i] != longest)
      continue;
    tiles += l->items[i].tiles;
    if (count && tiles > l->most_tiles)
      break;
    const sum cost = cost_of_item(t, (uint32_t)i, count == 0);
    expected = plus(&expected, &cost, 1);
    list[count++] = (uint32_t)i;
  }
  *out_deviation = 0;
  if (!count)
    return true;
  if (!time_list(t, list, count, false, &found))
    return false;
  *out_deviation = fabs(expected.cycles / found.cycles - 1);
  return true;
}

static bool take(taker *t, bench_lists_times *out) {
  const bench_lists *l = t->lists;
  if (!sort_items(t) || !time_list(t, NULL, 0, false, &t->nothing) ||
      !time_take(t))
    return false;
  for (int k = 0; k < BENCH_MOST_KINDS; ++k)
    if (!add_points(t, &t->kinds[k]))
      return false;
  sum *sums = calloc(l->workgroups + 1, sizeof *sums);
  out->list = calloc(l->workgroups + 1, sizeof *out->list);
  out->dealt = calloc(l->item_count + 1, sizeof *out->dealt);
  bool ok = sums && out->list && out->dealt;
  if (!ok)
    no_memory(t);
  if (ok)
    add_lists(t, sums, out->dealt);
  ok = ok && check(t, sums, out->dealt, &out->deviation);
  for (uint32_t w = 0; ok && w < l->workgroups; ++w)
    out->list[w] = workgroup_of(t, w, &sums[w]);
  free(sums);
  out->timed = t->timed;
  return ok;
}

bool bench_lists_take(const bench_lists *lists, bench_lists_times *out,
                      char error[ERROR_BYTES]) {
  *out = (bench_lists_times){0};
  taker *t = calloc(1, sizeof *t);
  if (!t)
    return ERROR_SET(error, "no memory for the times of lists of items");
  t->lists = lists;
  t->error = error;
  const bool ok = take(t, out);
  free(t->items);
  free(t);
  return ok;
}

double bench_launches_seconds(const bench_launches *launches,
                              const char *constants) {
  const double gap = timing_constant("launch_gap_ns", constants) -
                     timing_constant("launch_overhead_ns", constants);
  const double layers = (double)launches->layers;
  double all = 0, started = 0;
  for (size_t i = 0; i < launches->count; ++i) {
    const double times = i < launches->shared ? 1 : layers;
    all += times * launches->seconds[i];
    started += times;
  }
  return started > 0 ? (all + 1e-9 * gap * (started - 1)) / layers : 0;
}

void bench_lists_deinit(bench_lists_times *times) {
  free(times->list);
  free(times->dealt);
  *times = (bench_lists_times){0};
}
