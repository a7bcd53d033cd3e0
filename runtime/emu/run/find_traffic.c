// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the workgroups of a grid begin to read, for the model of L2
// (traffic.h). Each runs until it has used the buffers that the nearest timed
// workgroup loads from. Nothing is written.
#include <stdlib.h>

#include "launch.h"
#include "traffic.h"

/// Instructions of all waves that a workgroup may take.
enum { MOST_INSTRUCTIONS = 1 << 16 };
/// Timed workgroups that count.
enum { MOST_STREAMS = 64 };

/// A workgroup on its way to the first loads.
typedef struct start {
  const emu_timing *timing;
  const emu_workgroup *wg;
  const emu_traffic_workgroup *found;
  const isa_insn *insns;
  size_t *looked; ///< words of the record of each part's wave
  size_t words;   ///< of all records, when they were looked at
} start;

// Looks for the first lines of all parts. True if all are found.
static bool look(const start *p) {
  const emu_traffic_stream *s = p->found->stream;
  bool all = true;
  for (uint32_t i = 0; i < s->part_count; i++) {
    const emu_traffic_part *part = &s->parts[i];
    uint32_t *first = &p->found->first[i];
    if (*first == EMU_NO_LINE)
      *first = emu_traffic_first(p->timing, &p->wg->records[part->wave],
                                 part->buffer, &p->looked[i]);
    all &= *first != EMU_NO_LINE;
  }
  return all;
}

static bool go_on(void *user, emu_wave *w) {
  start *p = user;
  const emu_time_op *op = &p->timing->ops[w->ip - p->insns];
  if (op->act != EMU_ACT_VMEM)
    return p->wg->instructions < MOST_INSTRUCTIONS;
  size_t words = 0;
  for (uint32_t i = 0; i < p->wg->launch->waves; i++)
    words += p->wg->records[i].vmem.count;
  if (words != p->words && look(p))
    return false;
  p->words = words;
  return !op->atomic || !w->ip->ndst; // it would get nothing
}

static bool has_ended(const emu_workgroup *wg) {
  for (uint32_t i = 0; i < wg->launch->waves; i++)
    if (wg->waves[i].state != EMU_ENDED)
      return false;
  return true;
}

/// Room for what is found of workgroups.
typedef struct room {
  emu_traffic_workgroup *list;
  uint32_t *first; ///< `parts` of each
  size_t parts;
  size_t *looked; ///< `parts`
} room;

static bool begin_all(const emu_launch *l, emu_workgroup *wg,
                      const emu_traffic_window *windows, uint32_t count,
                      room *r) {
  emu_timing *t = l->timing;
  emu_traffic_workgroup *next = r->list;
  for (uint32_t i = 0; i < count; i++)
    for (uint64_t at = windows[i].begin; at < windows[i].end; at++, next++) {
      wg->linear = at;
      wg->id[0] = (uint32_t)(at % l->grid[0]);
      wg->id[1] = (uint32_t)(at / l->grid[0] % l->grid[1]);
      wg->id[2] = (uint32_t)(at / l->grid[0] / l->grid[1]);
      *next = (emu_traffic_workgroup){
          .linear = at,
          .stream = emu_traffic_nearest(t, wg->id),
          .first = r->first + (size_t)(next - r->list) * r->parts};
      if (!next->stream)
        continue;
      for (size_t p = 0; p < r->parts; p++)
        next->first[p] = EMU_NO_LINE;
      memset(r->looked, 0, r->parts * sizeof *r->looked);
      start p = {.timing = t,
                 .wg = wg,
                 .found = next,
                 .insns = l->kernel->program->insns,
                 .looked = r->looked};
      emu_workgroup_start(wg);
      emu_workgroup_begin(wg, go_on, &p);
      if (!look(&p) && has_ended(wg))
        for (size_t part = 0; part < r->parts; part++)
          if (next->first[part] == EMU_NO_LINE)
            next->first[part] = EMU_UNUSED;
    }
  return emu_traffic_replay(t, r->list, windows, count, &t->traffic);
}

static bool run(const emu_launch *launch) {
  emu_timing *t = launch->timing;
  emu_traffic_window windows[EMU_TRAFFIC_WINDOWS];
  const uint32_t count = emu_traffic_windows(t, windows);
  uint64_t all = 0;
  room r = {0};
  for (uint32_t i = 0; i < count; i++)
    all += windows[i].end - windows[i].begin;
  for (size_t i = 0; i < t->known_count; i++)
    r.parts = t->known_streams[i].part_count > r.parts
                  ? t->known_streams[i].part_count
                  : r.parts;
  if (!r.parts)
    return true; // nothing is loaded
  // Only for where they read: nothing is checked, and findings are thrown away.
  fmhac_emu_options options = *launch->options;
  options.checks = 0;
  emu_launch l = *launch;
  l.options = &options;
  l.ids = NULL;
  l.check_mem = l.check_wait = l.check_sync = l.check_race = l.check_init =
      false;
  l.race = NULL;
  l.hazards = l.effects = NULL;
  l.random_completion = false;
  l.dry = true;
  emu_workgroup *wg = emu_workgroup_create(&l);
  r.list = calloc(all, sizeof *r.list);
  r.first = calloc(all * r.parts, sizeof *r.first);
  r.looked = calloc(r.parts, sizeof *r.looked);
  const bool ok = wg && r.list && r.first && r.looked &&
                  begin_all(&l, wg, windows, count, &r);
  emu_workgroup_destroy(wg);
  free(r.list);
  free(r.first);
  free(r.looked);
  return ok;
}

//===-- Launches of one kind ----------------------------------------------===//

void emu_known_traffic_clear(emu_known_traffic *k) {
  for (size_t i = 0; i < k->count; i++)
    emu_traffic_deinit(&k->streams[i]);
  free(k->streams);
  free(k->kernarg);
  free(k->first_lines);
  *k = (emu_known_traffic){0};
}

static bool is_same(const emu_launch *l, const emu_known_traffic *k) {
  const emu_timing *t = l->timing;
  return k->kernel == l->kernel && k->lds_bytes == l->lds_bytes &&
         k->resident == t->resident && k->held == t->held &&
         k->buffer_count == t->buffer_count &&
         k->kernarg_bytes == l->kernarg_bytes &&
         memcmp(k->grid, l->grid, sizeof k->grid) == 0 &&
         memcmp(k->block, l->block, sizeof k->block) == 0 &&
         (!k->kernarg_bytes ||
          memcmp(k->kernarg, l->kernarg, k->kernarg_bytes) == 0) &&
         memcmp(k->first_lines, t->first_lines,
                (k->buffer_count + 1) * sizeof *k->first_lines) == 0;
}

static bool begin_kind(const emu_launch *l, emu_known_traffic *k) {
  const emu_timing *t = l->timing;
  emu_known_traffic_clear(k);
  const size_t lines_bytes = (t->buffer_count + 1) * sizeof *k->first_lines;
  k->kernarg = malloc(l->kernarg_bytes + 1);
  k->first_lines = malloc(lines_bytes);
  k->streams = calloc(MOST_STREAMS, sizeof *k->streams);
  if (!k->kernarg || !k->first_lines || !k->streams) {
    emu_known_traffic_clear(k);
    return false;
  }
  k->kernel = l->kernel;
  k->lds_bytes = l->lds_bytes;
  k->resident = t->resident;
  k->held = t->held;
  k->buffer_count = t->buffer_count;
  k->kernarg_bytes = l->kernarg_bytes;
  memcpy(k->grid, l->grid, sizeof k->grid);
  memcpy(k->block, l->block, sizeof k->block);
  if (l->kernarg_bytes)
    memcpy(k->kernarg, l->kernarg, l->kernarg_bytes);
  memcpy(k->first_lines, t->first_lines, lines_bytes);
  return true;
}

static bool is_known(const emu_known_traffic *k, const uint32_t id[3]) {
  for (size_t i = 0; i < k->count; i++)
    if (memcmp(k->streams[i].id, id, sizeof k->streams[i].id) == 0)
      return true;
  return false;
}

bool emu_launch_find_traffic(const emu_launch *l, emu_known_traffic *k) {
  emu_timing *t = l->timing;
  if (!(l->ids && is_same(l, k)) && !begin_kind(l, k))
    return false;
  for (size_t i = 0; i < t->stream_count && k->count < MOST_STREAMS; i++) {
    emu_traffic_stream *s = &t->streams[i];
    if (!s->cycles || is_known(k, s->id))
      continue;
    k->streams[k->count++] = *s;
    *s = (emu_traffic_stream){0};
  }
  t->known_streams = k->streams;
  t->known_count = k->count;
  const bool ok = run(l);
  t->known_streams = NULL;
  t->known_count = 0;
  return ok;
}
