// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector memory accesses as the race and init checkers see them.
#include "observe.h"

#include "race.h"
#include "undefined.h"

// Adds an access of a lane. LDS and private memory are not in a segment and are
// left out.
static unsigned add_range(emu_wave *w, const uint8_t *host, uint32_t bytes,
                          int lane, emu_access_range *ranges, unsigned count) {
  const emu_segment *s = w->last;
  if (!s || host < s->host || host >= s->host + s->bytes)
    s = emu_space_of_host(w->wg->launch->space, host);
  if (!s)
    return count;
  uint64_t offset = (uint64_t)(host - s->host);
  emu_access_range *last = count ? &ranges[count - 1] : NULL;
  if (last && last->segment == s && last->offset + last->bytes == offset &&
      last->lane_bytes == bytes &&
      last->lane + (int)(last->bytes / bytes) == lane) {
    last->bytes += bytes;
    return count;
  }
  ranges[count] = (emu_access_range){s, offset, bytes, bytes, lane};
  return count + 1;
}

// Atomics and formatted accesses are done as a whole or not at all.
static bool in_parts(const isa_insn *in, emu_access_kind kind) {
  return kind != EMU_ACCESS_ATOMIC && !(in->flags & ISA_FLAG_FORMAT);
}

void emu_observe(emu_wave *w, const isa_insn *in, const emu_access *a,
                 uint32_t bytes, emu_access_kind kind) {
  emu_access_range ranges[4 * EMU_LANES];
  unsigned count = 0;
  for (int i = 0; i < EMU_LANES; i++) {
    if (!a->host[i])
      continue;
    if (!(a->partial && a->part[i])) {
      count = add_range(w, a->host[i], bytes, i, ranges, count);
      continue;
    }
    for (int k = 0; k < 4 && in_parts(in, kind); k++)
      if (a->part[i] >> k & 1)
        count = add_range(w, a->dword[i][k], 4, i, ranges, count);
  }
  emu_observe_ranges(w, in, ranges, count, kind);
}

void emu_observe_ranges(emu_wave *w, const isa_insn *in,
                        const emu_access_range *ranges, unsigned count,
                        emu_access_kind kind) {
  if (w->wg->race)
    emu_race_touch_memory(w, in, ranges, count, kind);
  if (w->init)
    emu_init_touch_memory(w, in, ranges, count, kind);
}
