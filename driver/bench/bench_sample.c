// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Cycles that differ by less count as equal.
static const double k_equal = 0.005;
/// An interval whose middle is off by less counts as straight.
static const double k_straight = 0.01;

enum { IRREGULAR_POINTS = 64 };

/// Coordinates of an axis, ascending, and whether the interval after each is to
/// be halved.
typedef struct axis {
  uint32_t *at;
  bool *open;
  size_t count, most;
} axis;

/// Everything that has been timed, lattice or not.
typedef struct sampler {
  const bench_plan *plan;
  axis axes[3];
  fmhac_timing_workgroup *list;
  size_t count, capacity;
  double deviation;
  char *error;
} sampler;

static bool no_memory(const sampler *s) {
  snprintf(s->error, ERROR_BYTES, "no memory for the sample of the grid");
  return false;
}

//===- Timed workgroups ---------------------------------------------------===//

static const fmhac_timing_workgroup *find(const sampler *s,
                                          const uint32_t id[3]) {
  for (size_t i = 0; i < s->count; ++i)
    if (memcmp(s->list[i].id, id, sizeof s->list[i].id) == 0)
      return &s->list[i];
  return NULL;
}

/// Times those of `ids` that have not been timed.
static bool time_ids(sampler *s, uint32_t (*ids)[3], size_t count) {
  size_t fresh = 0;
  for (size_t i = 0; i < count; ++i)
    if (s->count == 0 || !find(s, ids[i]))
      memmove(ids[fresh++], ids[i], sizeof ids[i]);
  if (fresh == 0)
    return true;
  if (s->count + fresh > s->capacity) {
    size_t capacity = 2 * s->capacity + fresh;
    fmhac_timing_workgroup *list = realloc(s->list, capacity * sizeof *list);
    if (!list)
      return no_memory(s);
    s->list = list;
    s->capacity = capacity;
  }
  if (!s->plan->time(s->plan->user, (const uint32_t(*)[3])ids, fresh,
                     s->list + s->count, s->error))
    return false;
  s->count += fresh;
  return true;
}

/// Times the workgroups that the lattice of all axes still lacks.
static bool time_lattice(sampler *s) {
  const axis *a = s->axes;
  size_t count = 0;
  uint32_t(*ids)[3] =
      malloc(a[0].count * a[1].count * a[2].count * sizeof *ids);
  if (!ids)
    return no_memory(s);
  for (size_t z = 0; z < a[2].count; ++z)
    for (size_t y = 0; y < a[1].count; ++y)
      for (size_t x = 0; x < a[0].count; ++x, ++count) {
        ids[count][0] = a[0].at[x];
        ids[count][1] = a[1].at[y];
        ids[count][2] = a[2].at[z];
      }
  bool ok = time_ids(s, ids, count);
  free(ids);
  return ok;
}

//===- Axes ---------------------------------------------------------------===//

static bool axis_make(sampler *s, int d) {
  axis *a = &s->axes[d];
  const uint32_t size = s->plan->grid[d];
  const bool whole = s->plan->all || (d == 2 && s->plan->irregular_z &&
                                      size <= IRREGULAR_POINTS);
  size_t most = s->plan->points + (d == 0 ? s->plan->break_count : 0);
  a->most = whole || size < most ? size : most;
  a->at = calloc(a->most + 1, sizeof *a->at);
  a->open = calloc(a->most + 1, sizeof *a->open);
  if (!a->at || !a->open)
    return no_memory(s);
  if (whole)
    for (; a->count < size; ++a->count)
      a->at[a->count] = (uint32_t)a->count;
  return true;
}

/// Adds a coordinate, unless the axis has it.
static void axis_add(axis *a, uint32_t at) {
  for (size_t i = 0; i < a->count; ++i)
    if (a->at[i] == at)
      return;
  size_t i = a->count++;
  for (; i > 0 && a->at[i - 1] > at; --i) {
    a->at[i] = a->at[i - 1];
    a->open[i] = a->open[i - 1];
  }
  a->at[i] = at;
  a->open[i] = false;
}

static uint32_t middle_of(const sampler *s, int d) {
  return (s->plan->grid[d] - 1) / 2;
}

/// The middle of the grid, and from there the ends of each axis that is not
/// whole: where cycles differ the axis gets three points, else one.
static bool try_axes(sampler *s) {
  const uint32_t centre[3] = {middle_of(s, 0), middle_of(s, 1),
                              middle_of(s, 2)};
  uint32_t ids[7][3];
  size_t count = 1;
  memcpy(ids[0], centre, sizeof centre);
  for (int d = 0; d < 3; ++d) {
    const uint32_t last = s->plan->grid[d] - 1, ends[2] = {0, last};
    for (int e = 0; e < 2; ++e) {
      if (s->axes[d].count || ends[e] == centre[d] || (e && last == 0))
        continue;
      memcpy(ids[count], centre, sizeof centre);
      ids[count++][d] = ends[e];
    }
  }
  uint32_t wanted[7][3];
  memcpy(wanted, ids, sizeof ids);
  if (!time_ids(s, wanted, count))
    return false;
  const double cycles = (double)find(s, centre)->cycles;
  for (int d = 0; d < 3; ++d) {
    axis *a = &s->axes[d];
    if (a->count)
      continue;
    bool differs = false;
    for (size_t i = 1; i < count; ++i)
      if (ids[i][d] != centre[d])
        differs |=
            fabs((double)find(s, ids[i])->cycles - cycles) > k_equal * cycles;
    axis_add(a, centre[d]);
    if (!differs)
      continue;
    axis_add(a, 0);
    axis_add(a, s->plan->grid[d] - 1);
    for (size_t i = 0; d == 0 && i < s->plan->break_count; ++i)
      axis_add(a, s->plan->breaks[i]);
    // These say nothing about the workgroups between them.
    for (size_t i = 0; i + 1 < a->count; ++i)
      a->open[i] = true;
  }
  return true;
}

/// By how much the point `i` of an axis is off a straight line between its
/// neighbours, at worst over the other axes.
static double deviation_of(const sampler *s, int d, size_t i) {
  const axis *a = &s->axes[d];
  const axis *b = &s->axes[(d + 1) % 3], *c = &s->axes[(d + 2) % 3];
  const double part =
      (double)(a->at[i] - a->at[i - 1]) / (double)(a->at[i + 1] - a->at[i - 1]);
  double most = 0;
  for (size_t j = 0; j < b->count; ++j)
    for (size_t k = 0; k < c->count; ++k) {
      uint32_t id[3];
      id[(d + 1) % 3] = b->at[j];
      id[(d + 2) % 3] = c->at[k];
      double cycles[3];
      for (size_t n = 0; n < 3; ++n) {
        id[d] = a->at[i - 1 + n];
        cycles[n] = (double)find(s, id)->cycles;
      }
      double straight = cycles[0] + part * (cycles[2] - cycles[0]);
      double largest = cycles[1] > straight ? cycles[1] : straight;
      double off = largest > 0 ? fabs(cycles[1] - straight) / largest : 0;
      most = off > most ? off : most;
    }
  return most;
}

/// The same, or 0 where nothing lies between the point and its neighbours.
static double open_deviation(const sampler *s, int d, size_t i) {
  const axis *a = &s->axes[d];
  return a->at[i + 1] - a->at[i - 1] > 2 ? deviation_of(s, d, i) : 0;
}

/// About the middle, but at no distance that is a power of two: a periodic
/// pattern along an axis must not look straight.
static uint32_t inside(uint32_t low, uint32_t high) {
  uint32_t step = (uint32_t)((uint64_t)(high - low) * 5 / 11);
  return low + (step ? step : 1);
}

/// Halves open intervals of an axis, as many as fit. True if any was halved:
/// `fresh` marks the new points.
static bool halve(axis *a, bool *fresh) {
  axis old = *a;
  bool any = false;
  uint32_t *middles = malloc((a->count + 1) * sizeof *middles);
  size_t count = 0;
  if (!middles)
    return false;
  for (size_t i = 0; i + 1 < old.count; ++i)
    if (old.open[i] && old.at[i + 1] - old.at[i] > 1)
      middles[count++] = inside(old.at[i], old.at[i + 1]);
  memset(a->open, 0, a->count * sizeof *a->open);
  for (size_t i = 0; i < count && a->count < a->most; ++i) {
    axis_add(a, middles[i]);
    any = true;
  }
  memset(fresh, 0, (a->most + 1) * sizeof *fresh);
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < a->count; ++j)
      fresh[j] |= a->at[j] == middles[i];
  free(middles);
  return any;
}

/// Adds points to an axis whose cycles differ until it is straight between
/// them, or has all that it may have.
static bool refine(sampler *s, int d) {
  axis *a = &s->axes[d];
  bool *fresh = calloc(a->most + 1, sizeof *fresh);
  if (!fresh)
    return no_memory(s);
  bool ok = true;
  double worst = 0;
  for (size_t i = 1; i + 1 < a->count; ++i)
    worst = fmax(worst, open_deviation(s, d, i));
  while (ok && halve(a, fresh)) {
    ok = time_lattice(s);
    worst = 0;
    for (size_t i = 1; ok && i + 1 < a->count; ++i) {
      double off = fresh[i] ? open_deviation(s, d, i) : 0;
      worst = fmax(worst, off);
      if (off > k_straight)
        a->open[i - 1] = a->open[i] = true;
    }
  }
  free(fresh);
  if (a->count < s->plan->grid[d] && worst > s->deviation)
    s->deviation = worst;
  return ok;
}

//===- The sample ---------------------------------------------------------===//

/// Moves the workgroups of the lattice into the sample.
static bool keep(sampler *s, bench_sample *out) {
  const axis *a = s->axes;
  const size_t count = a[0].count * a[1].count * a[2].count;
  out->list = malloc(count * sizeof *out->list);
  if (!out->list)
    return no_memory(s);
  for (size_t z = 0; z < a[2].count; ++z)
    for (size_t y = 0; y < a[1].count; ++y)
      for (size_t x = 0; x < a[0].count; ++x) {
        const uint32_t id[3] = {a[0].at[x], a[1].at[y], a[2].at[z]};
        out->list[out->count++] = *find(s, id);
      }
  for (int d = 0; d < 3; ++d)
    out->points[d] = (uint32_t)a[d].count;
  out->deviation = s->deviation;
  return true;
}

bool bench_sample_take(const bench_plan *plan, bench_sample *out_sample,
                       char error[ERROR_BYTES]) {
  *out_sample = (bench_sample){0};
  sampler s = {.plan = plan, .error = error};
  bool ok = true;
  for (int d = 0; ok && d < 3; ++d)
    ok = axis_make(&s, d);
  ok = ok && (plan->all || try_axes(&s)) && time_lattice(&s);
  for (int d = 0; ok && d < 3; ++d)
    ok = plan->all || refine(&s, d);
  out_sample->timed = s.count;
  if (ok && plan->all) {
    out_sample->list = s.list;
    out_sample->count = s.count;
    memcpy(out_sample->points, plan->grid, sizeof out_sample->points);
    s.list = NULL;
  } else if (ok) {
    ok = keep(&s, out_sample);
  }
  for (int d = 0; d < 3; ++d) {
    free(s.axes[d].at);
    free(s.axes[d].open);
  }
  free(s.list);
  return ok;
}

void bench_sample_deinit(bench_sample *sample) {
  free(sample->list);
  *sample = (bench_sample){0};
}
