// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Epochs, and the two parts of the checker: lds.c and memory.c.
#include "race.h"

#include <stdlib.h>

#include "shadow.h"

emu_race *emu_race_create(uint32_t waves, const emu_space *space,
                          emu_race_launch *launch) {
  emu_race *r = calloc(1, sizeof *r);
  if (!r)
    return NULL;
  r->lds = emu_race_lds_create(waves);
  r->memory = emu_race_memory_create(space, launch);
  r->sync = emu_race_sync_create(waves);
  if (r->lds && r->memory && r->sync)
    return r;
  emu_race_destroy(r);
  return NULL;
}

void emu_race_destroy(emu_race *r) {
  if (!r)
    return;
  emu_race_lds_destroy(r->lds);
  emu_race_memory_destroy(r->memory);
  free(r->sync);
  free(r);
}

// After 2^23 epochs the numbers start again and all records are cleared, even
// in the middle of a workgroup.
static void next_epoch(emu_race *r) {
  if (++r->epochs.now < EMU_KEY_EPOCHS)
    return;
  emu_race_lds_clear(r->lds);
  emu_race_memory_clear(r->memory);
  r->epochs = (emu_epochs){.now = 1, .first = 1};
}

void emu_race_start(emu_workgroup *wg) {
  emu_race *r = wg->race;
  next_epoch(r);
  r->epochs.first = r->epochs.now;
  emu_race_lds_start(r->lds);
  emu_race_memory_start(r->memory);
  emu_race_sync_start(r->sync);
}

void emu_race_barrier(emu_workgroup *wg) {
  next_epoch(wg->race);
  for (uint32_t i = 0; i < wg->launch->waves; i++)
    if (wg->waves[i].state != EMU_ENDED)
      emu_race_lds_held(&wg->waves[i]);
}

bool emu_race_end(emu_workgroup *wg, uint64_t index) {
  return emu_race_memory_end(wg, index);
}
