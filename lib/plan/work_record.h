// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A record of work_items.
#ifndef FMHAC_LIB_WORK_RECORD_H
#define FMHAC_LIB_WORK_RECORD_H

#include "work_keys.h"
#include "work_memory.h"

/// Writes the record of a part for the heads [begin, end). `rows_before`: rows
/// of part_o of all tiles before.
PLAN_INLINE void plan_write(const plan_problem *p, const plan_memory *m,
                            const plan_tile *tile, uint32_t rows_before,
                            const plan_parts *parts, uint32_t c, uint32_t begin,
                            uint32_t end, uint32_t to) {
  const uint32_t tile_n = p->rules.tile_n;
  const uint32_t first = plan_part_begin(parts, c) * tile_n;
  const uint32_t past =
      c + 1 < parts->count ? plan_part_end(parts, c) * tile_n : tile->limit;
  const uint32_t part =
      rows_before + (c * p->heads + begin) * (tile->row_end - tile->row_begin);
  m->work_items[to] =
      (fmhac_work_item){.batch = (int32_t)tile->batch,
                        .part = parts->count > 1 ? (int32_t)part : -1,
                        .row_begin = (int32_t)tile->row_begin,
                        .row_end = (int32_t)tile->row_end,
                        .key_begin = (int32_t)first,
                        .key_end = (int32_t)past,
                        .keys_after = (int32_t)(tile->keys - past),
                        .heads = (int32_t)(begin | end << 16)};
}

#endif // FMHAC_LIB_WORK_RECORD_H
