// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a workgroup: registers, LDS, stacks, queues, and the state of
// the enabled checks. It is allocated once per host thread and serves one
// workgroup after the other.
#include <stdlib.h>

#include "hazard_effect.h"
#include "hostmem.h"
#include "launch.h"
#include "race.h"
#include "spin.h"
#include "timing.h"
#include "undefined.h"

enum { LDS_SLACK_BYTES = 64 };

static size_t waves_bytes(const emu_launch *l) {
  return l->waves * sizeof(emu_wave);
}
static size_t rings_bytes(const emu_launch *l) {
  return (size_t)l->waves * 2 * EMU_QUEUE * sizeof(emu_pending);
}
static size_t stack_bytes(const emu_launch *l) {
  return (size_t)l->scratch_bytes * EMU_LANES;
}

emu_workgroup *emu_workgroup_create(const emu_launch *l) {
  emu_workgroup *wg = calloc(1, sizeof *wg);
  if (!wg)
    return NULL;
  wg->launch = l;
  wg->findings.limit = l->options->max_findings;
  wg->waves = emu_host_map(waves_bytes(l));
  wg->rings = emu_host_map(rings_bytes(l));
  wg->lds = emu_host_map(EMU_LDS_BYTES + LDS_SLACK_BYTES);
  bool ok = wg->waves && wg->rings && wg->lds;
  if (stack_bytes(l))
    ok &= (wg->stacks = emu_host_map(stack_bytes(l) * l->waves)) != NULL;
  if (l->check_race)
    ok &= (wg->race = emu_race_create(l->waves, l->space, l->race)) != NULL;
  if (l->check_init) {
    wg->init_lds = calloc(EMU_LDS_BYTES / 4, 1);
    wg->init_lds_from = calloc(EMU_LDS_BYTES / 4, sizeof *wg->init_lds_from);
    wg->init = calloc(l->waves, sizeof *wg->init);
    ok &= wg->init_lds && wg->init_lds_from && wg->init;
  }
  if (l->effects)
    ok &= (wg->effects = emu_effects_create(l->waves)) != NULL;
  if (l->timing)
    ok &= (wg->records = calloc(l->waves, sizeof *wg->records)) != NULL;
  if (!ok) {
    emu_workgroup_destroy(wg);
    return NULL;
  }
  for (uint32_t i = 0; i < l->waves; i++) {
    emu_wave *w = &wg->waves[i];
    w->wg = wg;
    w->id = i;
    w->vm.ring = wg->rings + (size_t)2 * i * EMU_QUEUE;
    w->lgkm.ring = w->vm.ring + EMU_QUEUE;
    w->scratch_bytes = l->scratch_bytes;
    w->scratch_mem = wg->stacks ? wg->stacks + stack_bytes(l) * i : NULL;
    w->init = wg->init ? &wg->init[i] : NULL;
    w->record = wg->records ? &wg->records[i] : NULL;
    w->effects = wg->effects ? emu_effects_of(wg->effects, i) : NULL;
  }
  return wg;
}

static void unmap(void *p, size_t bytes) {
  if (p)
    emu_host_unmap(p, bytes);
}

void emu_workgroup_destroy(emu_workgroup *wg) {
  if (!wg)
    return;
  const emu_launch *l = wg->launch;
  for (uint32_t i = 0; wg->waves && i < l->waves; i++)
    free(wg->waves[i].spin);
  unmap(wg->waves, waves_bytes(l));
  unmap(wg->rings, rings_bytes(l));
  unmap(wg->lds, EMU_LDS_BYTES + LDS_SLACK_BYTES);
  unmap(wg->stacks, stack_bytes(l) * l->waves);
  emu_race_destroy(wg->race);
  free(wg->init_lds);
  free(wg->init_lds_from);
  free(wg->origins.list);
  free(wg->init);
  emu_effects_destroy(wg->effects);
  for (uint32_t i = 0; wg->records && i < l->waves; i++)
    emu_time_record_deinit(&wg->records[i]);
  free(wg->records);
  free(wg->findings.list);
  free(wg);
}

void emu_workgroup_start(emu_workgroup *wg) {
  memset(wg->lds, 0, EMU_LDS_BYTES);
  wg->instructions = wg->matrix_instructions = wg->barriers = 0;
  wg->fault[0] = 0;
  wg->begun = wg->gives_way = wg->wrote = false;
  if (wg->init_lds)
    memset(wg->init_lds, 0, EMU_LDS_BYTES / 4);
  if (wg->init_lds_from)
    memset(wg->init_lds_from, 0, EMU_LDS_BYTES / 4 * sizeof *wg->init_lds_from);
  wg->origins.count = 0;
  for (uint32_t i = 0; i < wg->launch->waves; i++) {
    emu_wave *w = &wg->waves[i];
    uint32_t user_sgprs = emu_wave_start(w, i * EMU_LANES);
    emu_spin_start(w);
    if (w->init)
      emu_init_start(w, user_sgprs);
    if (w->record)
      emu_time_record_start(w);
  }
  for (uint32_t i = 0; wg->effects && i < wg->launch->waves; i++)
    emu_effects_start(wg->waves[i].effects);
  if (wg->race)
    emu_race_start(wg);
}
