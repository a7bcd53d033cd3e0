// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace_part.h"

#include <math.h>
#include <stdlib.h>

/// A part of a wave: which trips it has.
typedef struct part {
  enum { PART_ALL, PART_LOOP, PART_RANGE } kind;
  uint64_t pc; ///< of PART_LOOP
  const trace_range *range;
} part;

/// Events [first, end) of a wave.
typedef struct trip {
  size_t first, end;
} trip;

typedef struct trip_list {
  trip *list; ///< owned; room for all events of the wave
  size_t count;
} trip_list;

/// Cycles [from, to).
typedef struct span {
  uint64_t from, to;
} span;

typedef struct span_list {
  span *list; ///< owned; in order, none reaches into the next
  size_t count;
} span_list;

//===- Trips -------------------------------------------------------------===//

static size_t wave_events(const trace *t, uint32_t wave) {
  return t->wave_first[wave + 1] - t->wave_first[wave];
}

static uint64_t pc_of(const trace *t, uint32_t wave, size_t i) {
  return t->insns[trace_wave_event(t, wave, i)->insn].pc;
}

/// Whether the wave comes to event `i` by a jump backwards. Code before the
/// kernel's entry has a negative pc.
static bool jumps_back(const trace *t, uint32_t wave, size_t i) {
  return i && (int64_t)pc_of(t, wave, i) <= (int64_t)pc_of(t, wave, i - 1);
}

static void loop_trips(const trace *t, uint32_t wave, uint64_t pc,
                       trip_list *out) {
  const size_t count = wave_events(t, wave);
  size_t begin = SIZE_MAX; // of the current trip
  for (size_t i = 1; i < count; ++i) {
    if (!jumps_back(t, wave, i))
      continue;
    const bool here = pc_of(t, wave, i) == pc;
    if (here && begin != SIZE_MAX)
      out->list[out->count++] = (trip){begin, i};
    begin = here ? i : SIZE_MAX;
  }
}

static void range_trips(const trace *t, uint32_t wave, const trace_range *range,
                        trip_list *out) {
  const size_t count = wave_events(t, wave);
  bool inside = false;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t pc = pc_of(t, wave, i);
    const bool was_inside = inside;
    inside = trace_range_has(range, pc);
    if (!inside)
      continue;
    if (!was_inside || (pc == range->spans[0].from && jumps_back(t, wave, i)))
      out->list[out->count++] = (trip){i, i};
    out->list[out->count - 1].end = i + 1;
  }
}

/// False when memory is exhausted; the caller frees the list.
static bool trips_of(const trace *t, uint32_t wave, const part *p,
                     trip_list *out) {
  const size_t count = wave_events(t, wave);
  *out = (trip_list){calloc(count + 1, sizeof *out->list), 0};
  if (!out->list)
    return false;
  switch (p->kind) {
  case PART_ALL:
    if (count)
      out->list[out->count++] = (trip){0, count};
    break;
  case PART_LOOP:
    loop_trips(t, wave, p->pc, out);
    break;
  case PART_RANGE:
    range_trips(t, wave, p->range, out);
    break;
  }
  return true;
}

/// The first wave's time of a trip.
static span time_of(const trace *t, trip p) {
  return (span){p.first ? trace_wave_event(t, 0, p.first - 1)->slice_end
                        : trace_wave_event(t, 0, 0)->ready,
                trace_wave_event(t, 0, p.end - 1)->slice_end};
}

//===- Units --------------------------------------------------------------===//

/// The common cycles of two lists; `out` may be NULL, or takes as many spans as
/// both lists have.
static uint64_t common(const span_list *a, const span_list *b, span_list *out) {
  uint64_t cycles = 0;
  for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
    const span x = a->list[i], y = b->list[k];
    const span both = {x.from > y.from ? x.from : y.from,
                       x.to < y.to ? x.to : y.to};
    if (both.from < both.to) {
      cycles += both.to - both.from;
      if (out)
        out->list[out->count++] = both;
    }
    if (x.to <= y.to)
      ++i;
    else
      ++k;
  }
  return cycles;
}

static bool is_vector(fmhac_timing_class kind) {
  return kind == FMHAC_TIMING_CLASS_VALU || kind == FMHAC_TIMING_CLASS_PACKED ||
         kind == FMHAC_TIMING_CLASS_TRANS;
}

/// When the units of a SIMD work. A unit does one thing at a time, so that
/// events in the order of their issue are spans in order.
typedef struct units {
  span_list matrix, vector, both; ///< owned
} units;

static bool units_of(const trace *t, uint32_t simd, units *out) {
  *out = (units){{calloc(t->count + 1, sizeof(span)), 0},
                 {calloc(t->count + 1, sizeof(span)), 0},
                 {calloc(2 * t->count + 1, sizeof(span)), 0}};
  if (!out->matrix.list || !out->vector.list || !out->both.list)
    return false;
  for (size_t i = 0; i < t->count; ++i) {
    const trace_event *e = &t->events[i];
    span_list *l = e->kind == FMHAC_TIMING_CLASS_MFMA ? &out->matrix
                   : is_vector(e->kind)               ? &out->vector
                                                      : NULL;
    if (l && e->simd == simd)
      l->list[l->count++] = (span){e->start, e->end};
  }
  common(&out->matrix, &out->vector, &out->both);
  return true;
}

static void units_deinit(units *u) {
  free(u->matrix.list);
  free(u->vector.list);
  free(u->both.list);
}

/// Adds the cycles of a SIMD's units in `times` to those of `f`.
static bool add_units(const trace *t, uint32_t simd, const span_list *times,
                      trace_figures *f) {
  units u;
  const bool ok = units_of(t, simd, &u);
  if (ok) {
    f->matrix_cycles += (double)common(&u.matrix, times, NULL);
    f->vector_cycles += (double)common(&u.vector, times, NULL);
    f->both_cycles += (double)common(&u.both, times, NULL);
  }
  units_deinit(&u);
  return ok;
}

/// Turns the sums of `add_units` in so many cycles into shares and means.
static void divide_units(trace_figures *f, double cycles, double trips) {
  double *const sums[] = {&f->matrix_cycles, &f->vector_cycles,
                          &f->both_cycles};
  double *const shares[] = {&f->matrix_share, &f->vector_share, &f->both_share};
  for (int i = 0; i < 3; ++i) {
    *shares[i] = cycles > 0 ? *sums[i] / cycles : 0;
    *sums[i] /= trips;
  }
}

//===- Figures ------------------------------------------------------------===//

/// Adds the instructions of a wave, a trip.
static void add_instructions(const trace *t, uint32_t wave, const trip_list *p,
                             double sums[FMHAC_TIMING_MOST_CLASSES]) {
  uint64_t counts[FMHAC_TIMING_MOST_CLASSES] = {0};
  for (size_t i = 0; i < p->count; ++i)
    for (size_t k = p->list[i].first; k < p->list[i].end; ++k)
      ++counts[trace_wave_event(t, wave, k)->kind];
  for (int c = 0; c < FMHAC_TIMING_MOST_CLASSES; ++c)
    sums[c] += (double)counts[c] / (double)p->count;
}

static void add_stalls(const trace *t, const trip_list *p, trace_figures *f) {
  for (size_t i = 0; i < p->count; ++i)
    for (size_t k = p->list[i].first; k < p->list[i].end; ++k) {
      trace_stall stalls[2];
      const int count = trace_stalls(t, 0, k, stalls);
      for (int s = 0; s < count; ++s)
        f->stalls[stalls[s].cause] +=
            (double)(stalls[s].to - stalls[s].from) / (double)p->count;
    }
}

/// The first wave's trips: what happens on its SIMD meanwhile.
static bool first_wave(const trace *t, const trip_list *p, trace_figures *f) {
  const double trips = (double)p->count;
  f->trips = p->count;
  add_instructions(t, 0, p, f->wave_instructions);
  add_stalls(t, p, f);
  span_list times = {calloc(p->count, sizeof(span)), p->count};
  if (!times.list)
    return false;
  double cycles = 0;
  for (size_t i = 0; i < p->count; ++i) {
    times.list[i] = time_of(t, p->list[i]);
    cycles += (double)(times.list[i].to - times.list[i].from);
  }
  f->cycles = cycles / trips;
  if (p->count > 1) {
    const trace_event *first = trace_wave_event(t, 0, p->list[0].first);
    const trace_event *last =
        trace_wave_event(t, 0, p->list[p->count - 1].first);
    f->period = (double)(last->issue - first->issue) / (trips - 1);
  }
  const bool ok = add_units(t, trace_wave_event(t, 0, 0)->simd, &times, f);
  divide_units(f, cycles, trips);
  free(times.list);
  return ok;
}

static bool figures_of(const trace *t, const part *p, trace_figures *out) {
  *out = (trace_figures){0};
  bool ok = true;
  for (uint32_t wave = 0; ok && wave < t->per_group; ++wave) {
    trip_list trips;
    ok = trips_of(t, wave, p, &trips);
    if (ok && trips.count) {
      ++out->waves;
      add_instructions(t, wave, &trips, out->group_instructions);
      // The workgroup is more than the SIMD of its first wave.
      if (wave == 0)
        ok = first_wave(t, &trips, out);
    }
    free(trips.list);
  }
  return ok;
}

double trace_simds(const trace *t) {
  double all = 0; // every cycle of every SIMD has a cause
  for (int c = 0; c < FMHAC_TIMING_MOST_CAUSES; ++c)
    all += (double)t->group.causes[c];
  return t->group.cycles ? round(all / (double)t->group.cycles) : TRACE_SIMDS;
}

bool trace_workgroup_figures(const trace *t, trace_figures *out) {
  bool ok = figures_of(t, &(part){.kind = PART_ALL}, out);
  const double simds = trace_simds(t);
  span all = {0, t->group.cycles};
  const span_list times = {&all, 1};
  out->matrix_cycles = out->vector_cycles = out->both_cycles = 0;
  for (uint32_t simd = 0; ok && simd < TRACE_SIMDS; ++simd)
    ok = add_units(t, simd, &times, out);
  divide_units(out, simds * (double)t->group.cycles, simds);
  out->cycles = (double)t->group.cycles;
  out->has_causes = true;
  for (int c = 0; c < FMHAC_TIMING_MOST_CAUSES; ++c)
    out->causes[c] = (double)t->group.causes[c] / simds;
  return ok;
}

bool trace_loop_figures(const trace *t, uint64_t pc, trace_figures *out) {
  const bool ok = figures_of(t, &(part){.kind = PART_LOOP, .pc = pc}, out);
  const fmhac_timing_loop *l = &t->group.loop;
  if (!l->iterations || l->pc != pc)
    return ok;
  out->cycles = l->cycles;
  out->has_causes = true;
  for (int c = 0; c < FMHAC_TIMING_MOST_CAUSES; ++c)
    out->causes[c] = l->causes[c];
  return ok;
}

bool trace_range_figures(const trace *t, const trace_range *range,
                         trace_figures *out) {
  return figures_of(t, &(part){.kind = PART_RANGE, .range = range}, out);
}

void trace_figures_scale(trace_figures *f, double count) {
  double *const values[] = {&f->cycles, &f->period, &f->matrix_cycles,
                            &f->vector_cycles, &f->both_cycles};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i)
    *values[i] *= count;
  for (int c = 0; c < FMHAC_TIMING_MOST_CLASSES; ++c) {
    f->wave_instructions[c] *= count;
    f->group_instructions[c] *= count;
  }
  for (int c = 0; c < FMHAC_TIMING_MOST_CAUSES; ++c) {
    f->stalls[c] *= count;
    f->causes[c] *= count;
  }
}

//===- Loops --------------------------------------------------------------===//

static int by_weight(const void *a, const void *b) {
  const trace_loop *x = a, *y = b;
  if (x->matrix_instructions != y->matrix_instructions)
    return x->matrix_instructions > y->matrix_instructions ? -1 : 1;
  if (x->cycles != y->cycles)
    return x->cycles > y->cycles ? -1 : 1;
  return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/// The loop at `pc`, which is added if it is new; NULL if there is no room.
static trace_loop *loop_at(trace_loop loops[TRACE_LOOPS], size_t *count,
                           uint64_t pc) {
  for (size_t i = 0; i < *count; ++i)
    if (loops[i].pc == pc)
      return &loops[i];
  if (*count == TRACE_LOOPS)
    return NULL;
  loops[*count] = (trace_loop){.pc = pc};
  return &loops[(*count)++];
}

size_t trace_loops(const trace *t, trace_loop out[TRACE_LOOPS]) {
  const size_t events = wave_events(t, 0);
  size_t count = 0, begin = 0;
  trace_loop *last = NULL;
  for (size_t i = 1; i < events; ++i) {
    if (!jumps_back(t, 0, i))
      continue;
    trace_loop *loop = loop_at(out, &count, pc_of(t, 0, i));
    if (loop && loop == last) {
      const span time = time_of(t, (trip){begin, i});
      ++loop->trips;
      loop->cycles += time.to - time.from;
      for (size_t k = begin; k < i; ++k)
        loop->matrix_instructions +=
            trace_wave_event(t, 0, k)->kind == FMHAC_TIMING_CLASS_MFMA;
    }
    last = loop;
    begin = i;
  }
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i)
    if (out[i].trips)
      out[kept++] = out[i];
  qsort(out, kept, sizeof *out, by_weight);
  return kept;
}
