// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===- Instructions -------------------------------------------------------===//

static int by_pc(const void *a, const void *b) {
  const trace_insn *x = a, *y = b;
  return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/// The distinct instructions, from a sorted list of pcs.
static bool describe(trace *t, size_t pcs, char error[ERROR_BYTES]) {
  qsort(t->insns, pcs, sizeof *t->insns, by_pc);
  for (size_t i = 0; i < pcs; ++i)
    if (!t->insn_count || t->insns[i].pc != t->insns[t->insn_count - 1].pc)
      t->insns[t->insn_count++] = t->insns[i];
  for (size_t i = 0; i < t->insn_count; ++i) {
    trace_insn *in = &t->insns[i];
    uint64_t pc;
    in->place.size = sizeof in->place;
    if (fmhac_emu_get_listing(t->device, in->pc, 0, &pc, &in->text) !=
            FMHAC_OK ||
        fmhac_emu_get_source_location(t->device, in->pc, &in->place) !=
            FMHAC_OK)
      return ERROR_SET(error, "no instruction at pc 0x%" PRIx64, in->pc);
    snprintf(in->name, sizeof in->name, "%.*s", (int)strcspn(in->text, " \t"),
             in->text);
  }
  return true;
}

/// A first entry for each pc, many times the same.
static size_t collect_pcs(trace *t) {
  enum { BITS = 16 };
  size_t count = 0;
  // Most repetitions are dropped here, the others by describe().
  uint64_t *seen = calloc((size_t)1 << BITS, sizeof *seen);
  for (size_t i = 0; i < t->count; ++i) {
    fmhac_timing_event e = {.size = sizeof e};
    if (fmhac_timing_get_event(t->device, i, &e) != FMHAC_OK)
      break;
    uint64_t *slot = seen ? &seen[(e.pc / 4) & ((1u << BITS) - 1)] : NULL;
    if (slot && *slot == e.pc + 1)
      continue;
    if (slot)
      *slot = e.pc + 1;
    t->insns[count++].pc = e.pc;
  }
  free(seen);
  return count;
}

//===- Events -------------------------------------------------------------===//

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_branch(const trace_insn *in) {
  return starts_with(in->name, "s_cbranch") ||
         starts_with(in->name, "s_branch") ||
         starts_with(in->name, "s_setpc") ||
         starts_with(in->name, "s_swappc") || starts_with(in->name, "s_call");
}

static bool read_events(trace *t) {
  // Of the last matrix instruction of each SIMD.
  uint64_t started[TRACE_SIMDS] = {0}, ended[TRACE_SIMDS] = {0};
  for (size_t i = 0; i < t->count; ++i) {
    fmhac_timing_event e = {.size = sizeof e};
    if (fmhac_timing_get_event(t->device, i, &e) != FMHAC_OK)
      return false;
    const trace_insn key = {.pc = e.pc};
    const trace_insn *in =
        bsearch(&key, t->insns, t->insn_count, sizeof key, by_pc);
    if (!in)
      return false;
    t->events[i] = (trace_event){.ready = e.ready,
                                 .issue = e.issue,
                                 .start = e.start,
                                 .end = e.end,
                                 .insn = (uint32_t)(in - t->insns),
                                 .wave = e.wave,
                                 .simd = e.simd,
                                 .cause = e.cause,
                                 .kind = e.kind};
    t->waves = e.wave >= t->waves ? e.wave + 1 : t->waves;
    const uint32_t simd = e.simd % TRACE_SIMDS;
    const bool matrix = e.kind == FMHAC_TIMING_CLASS_MFMA;
    t->events[i].unit_busy =
        e.cause == FMHAC_TIMING_ISSUE &&
        (matrix ? started[simd] > e.ready || ended[simd] == e.issue
         : e.kind == FMHAC_TIMING_CLASS_PACKED ? ended[simd] > e.ready
                                               : false);
    if (matrix) {
      started[simd] = e.start;
      ended[simd] = e.end;
    }
  }
  return true;
}

/// Orders the events wave by wave.
static bool index_waves(trace *t) {
  t->by_wave = calloc(t->count + 1, sizeof *t->by_wave);
  t->wave_first = calloc((size_t)t->waves + 2, sizeof *t->wave_first);
  if (!t->by_wave || !t->wave_first)
    return false;
  for (size_t i = 0; i < t->count; ++i)
    ++t->wave_first[t->events[i].wave + 2];
  for (uint32_t w = 2; w <= t->waves + 1; ++w)
    t->wave_first[w] += t->wave_first[w - 1];
  for (size_t i = 0; i < t->count; ++i)
    t->by_wave[t->wave_first[t->events[i].wave + 1]++] = i;
  return true;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

/// Until when the wave's time belongs to an instruction: until the wave goes
/// on, and where it computes, until that is done; not longer than until the
/// next one is issued.
static uint64_t slice_end(const trace *t, const trace_event *e,
                          const trace_event *next) {
  switch (e->kind) {
  case FMHAC_TIMING_CLASS_MFMA:
  case FMHAC_TIMING_CLASS_VALU:
  case FMHAC_TIMING_CLASS_PACKED:
  case FMHAC_TIMING_CLASS_TRANS:
    return next ? least(next->issue, most(next->ready, e->end)) : e->end;
  case FMHAC_TIMING_CLASS_BARRIER:
    return next ? least(next->issue, e->end) : e->end;
  default:
    if (is_branch(&t->insns[e->insn]))
      return next ? least(next->issue, e->end) : e->end;
    // The latency of a load until it completes is no time of the wave.
    return next ? least(next->issue, next->ready) : e->issue + 1;
  }
}

static void cut_slices(trace *t) {
  t->end = t->group.cycles;
  for (uint32_t w = 0; w < t->waves; ++w)
    for (size_t i = t->wave_first[w]; i < t->wave_first[w + 1]; ++i) {
      trace_event *e = &t->events[t->by_wave[i]];
      const trace_event *next =
          i + 1 < t->wave_first[w + 1] ? &t->events[t->by_wave[i + 1]] : NULL;
      e->slice_end = slice_end(t, e, next);
      t->end = most(t->end, e->slice_end);
    }
}

static bool find_iterations(trace *t) {
  t->iterations = calloc(t->count + 1, sizeof *t->iterations);
  if (!t->iterations)
    return false;
  const trace_event *e;
  for (size_t i = 0; t->group.loop.iterations; ++i) {
    if (!(e = trace_wave_event(t, 0, i)))
      break;
    if (t->insns[e->insn].pc == t->group.loop.pc)
      t->iterations[t->iteration_count++] = e->issue;
  }
  return true;
}

bool trace_read(fmhac_rt_device *device, trace *out, char error[ERROR_BYTES]) {
  *out = (trace){.device = device, .group = {.size = sizeof out->group}};
  out->count = fmhac_timing_event_count(device);
  if (fmhac_timing_get_workgroup(device, 0, &out->group) != FMHAC_OK ||
      !out->count)
    return ERROR_SET(error, "the launch executed no instruction");
  const uint64_t all = out->group.instructions * out->group.resident;
  if (out->count != all)
    return ERROR_SET(error,
                     "no memory for the %" PRIu64
                     " instructions of the workgroup: "
                     "trace a shorter problem",
                     all);
  out->insns = calloc(out->count, sizeof *out->insns);
  out->events = calloc(out->count, sizeof *out->events);
  bool ok = out->insns && out->events;
  if (ok && !describe(out, collect_pcs(out), error))
    return false;
  ok = ok && read_events(out) && index_waves(out);
  if (ok) {
    out->per_group = out->waves / out->group.resident;
    cut_slices(out);
    ok = find_iterations(out);
  }
  if (!ok)
    snprintf(error, ERROR_BYTES, "no memory for a trace of %zu instructions",
             out->count);
  return ok;
}

void trace_deinit(trace *t) {
  free(t->insns);
  free(t->events);
  free(t->by_wave);
  free(t->wave_first);
  free(t->iterations);
  *t = (trace){0};
}

//===- Questions ----------------------------------------------------------===//

const trace_event *trace_wave_event(const trace *t, uint32_t wave, size_t i) {
  size_t at = t->wave_first[wave] + i;
  return at < t->wave_first[wave + 1] ? &t->events[t->by_wave[at]] : NULL;
}

int trace_stalls(const trace *t, uint32_t wave, size_t i, trace_stall out[2]) {
  const trace_event *e = trace_wave_event(t, wave, i);
  const trace_event *last = i ? trace_wave_event(t, wave, i - 1) : NULL;
  uint64_t from = last ? last->slice_end : e->ready;
  int count = 0;
  // The model gives the cause of a wait from the time when the wave is ready.
  // At barriers and branches the wave is ready when they are done.
  if (from < e->ready) {
    fmhac_timing_cause cause =
        last->kind == FMHAC_TIMING_CLASS_BARRIER ? FMHAC_TIMING_BARRIER
        : is_branch(&t->insns[last->insn])       ? FMHAC_TIMING_BRANCH
                                                 : FMHAC_TIMING_ISSUE;
    out[count++] = (trace_stall){from, e->ready, cause};
    from = e->ready;
  }
  if (from < e->issue) {
    if (count && out[0].cause == e->cause)
      out[0].to = e->issue;
    else
      out[count++] = (trace_stall){from, e->issue, e->cause};
  }
  return count;
}

static int by_size(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/// The cycles of an iteration that half of them do not exceed; 0 if memory is
/// out.
static uint64_t median_iteration(const trace *t, size_t whole) {
  uint64_t *cycles = calloc(whole, sizeof *cycles), median = 0;
  for (size_t i = 0; cycles && i < whole; ++i)
    cycles[i] = t->iterations[i + 1] - t->iterations[i];
  if (cycles) {
    qsort(cycles, whole, sizeof *cycles, by_size);
    median = cycles[whole / 2];
  }
  free(cycles);
  return median;
}

static uint64_t apart(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

bool trace_steady(const trace *t, uint64_t count, uint64_t *out_from,
                  uint64_t *out_to) {
  if (t->iteration_count < 2)
    return false;
  const size_t whole = t->iteration_count - 1;
  const size_t shown = count < whole ? (size_t)count : whole;
  const uint64_t usual = shown * median_iteration(t, whole);
  size_t best = (whole - shown) / 2;
  uint64_t least_apart = UINT64_MAX;
  // Searches from the middle outwards and takes the first of equally usual
  // iterations.
  for (size_t k = 0; k <= 2 * whole; ++k) {
    const size_t middle = (whole - shown) / 2, step = (k + 1) / 2;
    if (k % 2 ? step > middle : middle + step > whole - shown)
      continue;
    const size_t first = k % 2 ? middle - step : middle + step;
    const uint64_t distance =
        apart(t->iterations[first + shown] - t->iterations[first], usual);
    if (distance >= least_apart)
      continue;
    least_apart = distance;
    best = first;
  }
  *out_from = t->iterations[best];
  *out_to = t->iterations[best + shown];
  return true;
}

unsigned trace_counters_of(const trace *t, const trace_event *e) {
  static const char *const scalar[] = {
      "s_load",   "s_buffer_load", "s_scratch",     "s_mem",
      "s_dcache", "s_store",       "s_buffer_store"};
  const char *name = t->insns[e->insn].name;
  if (e->kind == FMHAC_TIMING_CLASS_LDS)
    return TRACE_LGKM;
  if (e->kind == FMHAC_TIMING_CLASS_VMEM)
    return starts_with(name, "flat_") ? TRACE_VM | TRACE_LGKM : TRACE_VM;
  if (e->kind == FMHAC_TIMING_CLASS_SCALAR)
    for (size_t i = 0; i < sizeof scalar / sizeof scalar[0]; ++i)
      if (starts_with(name, scalar[i]))
        return TRACE_LGKM;
  return 0;
}
