// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timing of a launch: its workgroups one by one, each on a compute unit
// that is filled with copies of this workgroup.
#include <stdlib.h>

#include "hash.h"
#include "traffic.h"

/// Workgroups whose requests for L2 are kept.
enum { MOST_STREAMS = 16 };

// Line numbers have 32 bits. Each buffer begins a new line, hence the margin.
_Static_assert(EMU_MEMORY_BYTES / EMU_TIME_LINE_BYTES < UINT32_MAX - (1u << 30),
               "lines of the device's memory do not fit 32 bits");

/// How many of so many workgroups the fullest compute unit has, of at most
/// `most`.
static uint32_t at_once(uint64_t workgroups, const emu_time_constants *k,
                        uint32_t most) {
  const uint64_t units = (uint64_t)k->compute_units;
  const uint64_t share = units ? (workgroups + units - 1) / units : 1;
  return share && share < most ? (uint32_t)share : most;
}

emu_timing *emu_timing_create(const emu_time_constants *constants,
                              const emu_launch *l, uint64_t workgroups,
                              uint64_t event_limit, const emu_time_told *told) {
  emu_timing *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  t->k = *constants;
  t->kernel = l->kernel;
  memcpy(t->grid, l->grid, sizeof t->grid);
  t->ops = emu_time_ops_create(l->kernel->program, constants);
  t->sums =
      t->ops ? emu_time_sums_create(t->ops, l->kernel->program->count) : NULL;
  t->results = workgroups < SIZE_MAX / sizeof *t->results
                   ? calloc(workgroups, sizeof *t->results)
                   : NULL;
  t->count = workgroups;
  t->events.limit = event_limit;
  t->first_lines = calloc(l->space->count + 1, sizeof *t->first_lines);
  t->buffer_count = l->space->count;
  t->stream_count = workgroups < MOST_STREAMS ? workgroups : MOST_STREAMS;
  t->streams = calloc(t->stream_count + 1, sizeof *t->streams);
  if (!t->ops || !t->sums || !t->results || !t->first_lines || !t->streams) {
    emu_timing_destroy(t);
    return NULL;
  }
  for (size_t i = 0; i < l->space->count; i++)
    t->first_lines[i + 1] =
        t->first_lines[i] +
        (uint32_t)(l->space->segments[i].bytes / EMU_TIME_LINE_BYTES + 1);
  // Workgroups go to empty compute units first.
  uint64_t grid = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
  t->stands_for = told->stands_for > 0 ? told->stands_for : (double)grid;
  t->busy = told->busy && told->busy < grid ? told->busy : grid;
  const uint32_t most = emu_time_resident(l, constants);
  t->clock_ghz = told->clock_ghz;
  t->recent = told->recent;
  t->held = at_once(grid, constants, most);
  // Of all, whatever they have to do.
  const uint64_t begun = (uint64_t)constants->compute_units * t->held;
  t->meeting = begun < grid ? begun : grid;
  if (told->meeting && told->meeting < t->meeting)
    t->meeting = told->meeting;
  t->resident = at_once(t->busy, constants, most);
  return t;
}

void emu_timing_destroy(emu_timing *t) {
  if (!t)
    return;
  free(t->ops);
  free(t->sums);
  free(t->first_lines);
  free(t->results);
  free(t->events.list);
  for (size_t i = 0; t->streams && i < t->stream_count; i++)
    emu_traffic_deinit(&t->streams[i]);
  free(t->streams);
  free(t);
}

// The stream that the workgroup `index` leaves, or none. Of as many parts of
// the workgroups as there are streams one leaves its own: not the same one of
// each, so that the sides of the grid do not matter.
static uint64_t stream_of(const emu_timing *t, uint64_t index) {
  const uint64_t n = t->stream_count, part = index * n / t->count;
  const uint64_t first = (part * t->count + n - 1) / n;
  const uint64_t end = ((part + 1) * t->count + n - 1) / n;
  const uint64_t chosen = first + emu_hash((uint32_t)part + 1) % (end - first);
  return index == chosen ? part : n;
}

fmhac_status emu_timing_workgroup(emu_timing *t, const emu_workgroup *wg,
                                  uint64_t index) {
  bool keep = index == 0 && t->events.limit;
  const uint64_t at = stream_of(t, index);
  emu_traffic_stream *stream = at < t->stream_count ? &t->streams[at] : NULL;
  return emu_time_unit(t, wg, keep ? &t->events : NULL, stream,
                       &t->results[index]);
}
