// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From workgroups to the grid. The samples are a lattice: all combinations of
// some coordinates of each axis. The time of a workgroup between samples is
// interpolated, axis by axis; outside the samples it is the time of the nearest
// one. Workgroups are then dealt to the XCDs in turn, in the order of their
// numbers, and within an XCD to the place that becomes free first.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "timing.h"

/// Coordinates of an axis that have samples, ascending.
typedef struct axis {
  uint32_t *at;
  size_t count;
} axis;

typedef struct lattice {
  axis axes[3];
  /// The sample of each point, x fastest; NULL: no sample yet.
  const emu_time_result **points;
} lattice;

static int ascending(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static size_t place_on(const axis *a, uint32_t at) {
  const uint32_t *found =
      bsearch(&at, a->at, a->count, sizeof *a->at, ascending);
  return (size_t)(found - a->at);
}

static void lattice_free(lattice *l) {
  for (int d = 0; d < 3; d++)
    free(l->axes[d].at);
  free(l->points);
}

enum { MOST_WORKGROUPS = 1 << 26 };

static fmhac_status lattice_make(lattice *l, const emu_timing *t, char *text,
                                 size_t text_bytes) {
  double all = (double)t->grid[0] * t->grid[1] * t->grid[2];
  if (all > MOST_WORKGROUPS) {
    snprintf(text, text_bytes,
             "time of the grid: expected at most %d workgroups, found %.0f",
             MOST_WORKGROUPS, all);
    return FMHAC_INVALID_INPUT;
  }
  size_t total = 1;
  for (int d = 0; d < 3; d++) {
    axis *a = &l->axes[d];
    a->at = malloc(t->count * sizeof *a->at);
    if (!a->at)
      return FMHAC_OUT_OF_MEMORY;
    for (size_t i = 0; i < t->count; i++)
      a->at[i] = t->results[i].id[d];
    qsort(a->at, t->count, sizeof *a->at, ascending);
    for (size_t i = 0; i < t->count; i++)
      if (!i || a->at[i] != a->at[a->count - 1])
        a->at[a->count++] = a->at[i];
    total *= a->count;
  }
  if (total == t->count)
    l->points = calloc(total, sizeof *l->points);
  else
    snprintf(text, text_bytes,
             "time of the grid: %zu workgroups were timed, at %zu places along "
             "x, %zu along y and %zu along z; expected all %zu combinations",
             t->count, l->axes[0].count, l->axes[1].count, l->axes[2].count,
             total);
  if (total != t->count)
    return FMHAC_INVALID_INPUT;
  if (!l->points)
    return FMHAC_OUT_OF_MEMORY;
  for (size_t i = 0; i < t->count; i++) {
    const uint32_t *id = t->results[i].id;
    size_t at = place_on(&l->axes[2], id[2]);
    at = at * l->axes[1].count + place_on(&l->axes[1], id[1]);
    at = at * l->axes[0].count + place_on(&l->axes[0], id[0]);
    if (l->points[at]) {
      snprintf(text, text_bytes,
               "time of the grid: workgroup (%u,%u,%u) was timed twice", id[0],
               id[1], id[2]);
      return FMHAC_INVALID_INPUT;
    }
    l->points[at] = &t->results[i];
  }
  return FMHAC_OK;
}

/// The samples of an axis around a coordinate, and its distance from the first.
typedef struct between {
  size_t low, high;
  double part;
} between;

static between find(const axis *a, uint32_t at) {
  size_t low = 0, high = a->count;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (a->at[middle] <= at)
      low = middle;
    else
      high = middle;
  }
  if (at <= a->at[low] || low + 1 == a->count)
    return (between){low, low, 0};
  return (between){low, low + 1,
                   (double)(at - a->at[low]) /
                       (double)(a->at[low + 1] - a->at[low])};
}

/// The time of a workgroup.
typedef struct cost {
  double cycles;
  emu_time_load load;                     ///< in SIMD-cycles
  double l2_bytes, far_bytes, mall_bytes; ///< `mall_bytes`: of `far_bytes`
  double wait_cycles;
} cost;

static void add(emu_time_load *sum, const emu_time_load *load, double part) {
  for (int i = 0; i < EMU_OPERANDS_COUNT; i++)
    sum->matrix[i] += part * load->matrix[i];
  sum->vector += part * load->vector;
}

static cost cost_at(const lattice *l, const between *x, const between *y,
                    const between *z) {
  cost sum = {0};
  for (int corner = 0; corner < 8; corner++) {
    double part = (corner & 1 ? x->part : 1 - x->part) *
                  (corner & 2 ? y->part : 1 - y->part) *
                  (corner & 4 ? z->part : 1 - z->part);
    if (part == 0)
      continue;
    size_t at = corner & 4 ? z->high : z->low;
    at = at * l->axes[1].count + (corner & 2 ? y->high : y->low);
    at = at * l->axes[0].count + (corner & 1 ? x->high : x->low);
    const emu_time_result *r = l->points[at];
    sum.cycles += part * (double)r->cycles;
    const emu_time_load load =
        emu_time_load_of(r, (double)r->resident / (double)r->cycles);
    add(&sum.load, &load, part);
    sum.l2_bytes += part * r->l2_bytes / r->resident;
    sum.far_bytes += part * r->far_bytes;
    sum.mall_bytes += part * r->far_bytes * r->in_mall;
    sum.wait_cycles += part * r->wait_cycles;
  }
  return sum;
}

// Puts a later time in place of the earliest of a heap.
static void replace_first(double *heap, size_t count, double value) {
  size_t i = 0;
  for (;;) {
    size_t child = 2 * i + 1;
    if (child >= count)
      break;
    child += child + 1 < count && heap[child + 1] < heap[child];
    if (heap[child] >= value)
      break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = value;
}

// Returns the share of the workgroups' cycles in which they wait for memory.
static double spread(const emu_timing *t, const lattice *l, double *heaps,
                     size_t xcds, size_t places, fmhac_timing_grid *out) {
  double busy = 0, mall_bytes = 0, wait_cycles = 0;
  emu_time_load load = {0};
  uint64_t i = 0;
  for (uint32_t z = 0; z < t->grid[2]; z++) {
    between bz = find(&l->axes[2], z);
    for (uint32_t y = 0; y < t->grid[1]; y++) {
      between by = find(&l->axes[1], y);
      for (uint32_t x = 0; x < t->grid[0]; x++, i++) {
        between bx = find(&l->axes[0], x);
        cost c = cost_at(l, &bx, &by, &bz);
        double *heap = heaps + i % xcds * places;
        double start = heap[0] > 0 ? heap[0] + t->k.workgroup_launch_cycles : 0;
        replace_first(heap, places, start + c.cycles);
        out->cycles =
            start + c.cycles > out->cycles ? start + c.cycles : out->cycles;
        busy += c.cycles;
        add(&load, &c.load, 1);
        out->l2_bytes += c.l2_bytes;
        out->far_bytes += c.far_bytes;
        mall_bytes += c.mall_bytes;
        wait_cycles += c.wait_cycles;
      }
    }
  }
  out->workgroups = i;
  double units = t->k.compute_units, all = out->cycles * units * t->k.simds;
  emu_time_load share = {0};
  if (all > 0)
    add(&share, &load, 1 / all);
  out->mfma_busy = emu_time_matrix_share(&share);
  out->mfma8_busy = share.matrix[EMU_OPERANDS_NARROW];
  out->mfma_f16_busy = share.matrix[EMU_OPERANDS_F16];
  out->valu_busy = share.vector;
  // Without streams, of what each workgroup has from beyond L2 in its own time.
  out->hbm_bytes = out->far_bytes;
  const double of_launches_before =
      out->far_bytes > 0 ? mall_bytes / out->far_bytes : 0;
  if (t->traffic.known) {
    out->far_bytes = out->l2_bytes * fmin(1, t->traffic.far_share);
    out->hbm_bytes = out->l2_bytes * fmin(1, t->traffic.hbm_share);
  }
  out->hbm_bytes *= 1 - of_launches_before;
  share.hbm_bytes = out->cycles > 0 ? out->hbm_bytes / out->cycles / units : 0;
  out->clock_ghz = emu_time_clock_ghz(&t->k, &share);
  out->tail = 1 - busy / (out->cycles * (double)(xcds * places));
  return busy > 0 ? wait_cycles / busy : 0;
}

// The compute units take their cycles; `waits` is the share of them that keeps
// its ns at another clock than the launch's: waits for memory. L2 and the
// memory beyond it, for all of them together, cannot take less than their bytes
// do.
static double seconds_at(const emu_time_constants *k,
                         const fmhac_timing_grid *g, double waits, double ghz) {
  double ns = g->cycles * ((1 - waits) / ghz + waits / g->clock_ghz);
  ns = fmax(ns, g->l2_bytes / k->l2_bytes_per_ns);
  ns = fmax(ns, g->far_bytes / k->mall_bytes_per_ns);
  ns = fmax(ns, g->hbm_bytes / k->hbm_bytes_per_ns);
  return 1e-9 * (ns + k->launch_overhead_ns);
}

fmhac_status emu_time_grid(const emu_timing *t, char *text, size_t text_bytes,
                           fmhac_timing_grid *out) {
  lattice l = {0};
  fmhac_status status = lattice_make(&l, t, text, text_bytes);
  size_t xcds = emu_time_xcds(&t->k);
  size_t places = (size_t)t->k.compute_units / xcds * t->held;
  places = places ? places : 1;
  double *heaps =
      status == FMHAC_OK ? calloc(xcds * places, sizeof *heaps) : NULL;
  if (status == FMHAC_OK && !heaps)
    status = FMHAC_OUT_OF_MEMORY;
  if (status == FMHAC_OK) {
    out->sampled = t->count;
    const double waits = spread(t, &l, heaps, xcds, places, out);
    out->seconds = seconds_at(&t->k, out, waits, out->clock_ghz);
    out->seconds_cool = seconds_at(
        &t->k, out, waits, emu_time_cool_clock_ghz(&t->k, out->clock_ghz));
    out->seconds_low = out->seconds * (1 - t->k.interval);
    out->seconds_high = out->seconds * (1 + t->k.interval);
  }
  if (status == FMHAC_OUT_OF_MEMORY)
    snprintf(text, text_bytes, "time of the grid: out of memory");
  free(heaps);
  lattice_free(&l);
  return status;
}
