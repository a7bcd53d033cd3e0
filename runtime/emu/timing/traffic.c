// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams: the lines that a workgroup asks L2 for, in order.
#include "traffic.h"

#include <math.h>
#include <stdlib.h>

enum {
  /// Requests of a stream: of K and V with head size 128, 16 bits and 65536
  /// keys. Of a longer one the beginning stands for all of it.
  MOST_REQUESTS = 1 << 18,
  FIRST_REQUESTS = 1 << 10,
  WINDOW_WORKGROUPS = 1024, ///< at most
};

static bool grow(emu_traffic_stream *s) {
  const size_t capacity = s->capacity ? 2 * s->capacity : FIRST_REQUESTS;
  uint32_t *lines = realloc(s->lines, capacity * sizeof *lines);
  s->lines = lines ? lines : s->lines;
  uint16_t *buffers = realloc(s->buffers, capacity * sizeof *buffers);
  s->buffers = buffers ? buffers : s->buffers;
  if (!lines || !buffers)
    return false;
  s->capacity = capacity;
  return true;
}

void emu_traffic_load(emu_traffic_stream *s, uint32_t line, uint32_t buffer) {
  s->full |= s->count == MOST_REQUESTS || buffer > UINT16_MAX;
  if (s->full || s->failed)
    return;
  if (s->count == s->capacity && !grow(s)) {
    s->failed = true;
    return;
  }
  s->lines[s->count] = line;
  s->buffers[s->count++] = (uint16_t)buffer;
}

void emu_traffic_deinit(emu_traffic_stream *s) {
  for (uint32_t i = 0; i < s->part_count; i++)
    free(s->parts[i].lines);
  free(s->parts);
  free(s->lines);
  free(s->buffers);
  *s = (emu_traffic_stream){0};
}

// The first wave that uses the buffer, and the first line that it uses. Waves
// run in an order of the emulator's, but the order inside of a wave is fixed.
static void find_first(const emu_timing *t, const emu_workgroup *wg,
                       emu_traffic_part *p) {
  for (p->wave = 0; p->wave < wg->launch->waves; p->wave++) {
    size_t looked = 0;
    p->first = emu_traffic_first(t, &wg->records[p->wave], p->buffer, &looked);
    if (p->first != EMU_NO_LINE)
      return;
  }
}

static bool split(emu_traffic_stream *s, const emu_timing *t,
                  const emu_workgroup *wg) {
  const size_t buffer_count = wg->launch->space->count;
  uint32_t *counts = calloc(buffer_count + 1, sizeof *counts);
  s->parts = calloc(buffer_count + 1, sizeof *s->parts);
  bool ok = counts && s->parts;
  for (size_t i = 0; ok && i < s->count; i++)
    counts[s->buffers[i]]++;
  for (uint32_t b = 0; ok && b < buffer_count; b++) {
    if (!counts[b])
      continue;
    emu_traffic_part *p = &s->parts[s->part_count];
    p->buffer = b;
    p->lines = malloc(2 * (size_t)counts[b] * sizeof *p->lines);
    ok = p->lines != NULL;
    if (!ok)
      break;
    p->positions = p->lines + counts[b];
    counts[b] = s->part_count++;
    find_first(t, wg, p);
  }
  for (size_t i = 0; ok && i < s->count; i++) {
    emu_traffic_part *p = &s->parts[counts[s->buffers[i]]];
    p->positions[p->count] = (uint32_t)i;
    p->lines[p->count++] = s->lines[i];
  }
  free(counts);
  return ok;
}

bool emu_traffic_end(emu_traffic_stream *s, const emu_timing *t,
                     const emu_workgroup *wg, uint64_t cycles) {
  bool ok = !s->failed && split(s, t, wg);
  free(s->lines);
  free(s->buffers);
  s->lines = NULL;
  s->buffers = NULL;
  memcpy(s->id, wg->id, sizeof s->id);
  s->cycles = cycles;
  s->weight = s->count ? (double)s->load_lines / (double)s->count : 1;
  s->l2_bytes =
      (double)EMU_TIME_LINE_BYTES * (double)s->asked_lines / t->resident;
  return ok;
}

const emu_traffic_stream *emu_traffic_nearest(const emu_timing *t,
                                              const uint32_t id[3]) {
  const emu_traffic_stream *best = NULL;
  double least = INFINITY;
  for (size_t i = 0; i < t->known_count; i++) {
    const emu_traffic_stream *s = &t->known_streams[i];
    double far = 0;
    for (int d = 0; d < 3; d++)
      far += fabs((double)id[d] - (double)s->id[d]) / t->grid[d];
    // One that asks for nothing is like no other.
    if (!s->cycles || far >= least || (!s->part_count && far > 0))
      continue;
    least = far;
    best = s;
  }
  return best;
}

uint32_t emu_traffic_windows(const emu_timing *t,
                             emu_traffic_window out[EMU_TRAFFIC_WINDOWS]) {
  const uint64_t all = (uint64_t)t->grid[0] * t->grid[1] * t->grid[2];
  // Twice as many workgroups as run at a time, so that what one leaves in L2
  // for the next one counts.
  const uint64_t places = (uint64_t)t->k.compute_units * t->held;
  const uint64_t xcds = emu_time_xcds(&t->k);
  uint64_t size =
      2 * places < WINDOW_WORKGROUPS ? 2 * places : WINDOW_WORKGROUPS;
  size = (size + xcds - 1) / xcds * xcds;
  if (all <= 2 * size) {
    out[0] = (emu_traffic_window){0, all};
    return 1;
  }
  const uint64_t middle = (all - size) / 2 / xcds * xcds;
  out[0] = (emu_traffic_window){0, size};
  out[1] = (emu_traffic_window){middle > size ? middle : size,
                                (middle > size ? middle : size) + size};
  return 2;
}
