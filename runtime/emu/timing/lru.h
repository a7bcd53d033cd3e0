// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A set of a cache: its keys, the one used last first. 0: no line.
#ifndef FMHAC_EMU_LRU_H
#define FMHAC_EMU_LRU_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/// Whether the key was in the set. After a hit, or with `keep`, it is in it as
/// the one used last.
static inline bool emu_lru_use(uint32_t *set, uint32_t ways, uint32_t key,
                               bool keep) {
  uint32_t at = 0;
  while (at < ways && set[at] != key)
    at++;
  const bool hit = at < ways;
  if (!hit && !keep)
    return false;
  memmove(set + 1, set, (hit ? at : ways - 1) * sizeof *set);
  set[0] = key;
  return hit;
}

#endif // FMHAC_EMU_LRU_H
