// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Caches of vector memory. There are none: data is always the newest. The race
// checker knows that a kernel without these instructions might read old data.
#include "lanes.h"
#include "race.h"

EMU_HANDLER(buffer_inv) {
  if (w->wg->race && in->flags & ISA_FLAG_SC1)
    emu_race_invalidate(w);
}
EMU_HANDLER(buffer_wbl2) {
  if (w->wg->race && in->flags & ISA_FLAG_SC1)
    emu_race_write_back(w);
}
