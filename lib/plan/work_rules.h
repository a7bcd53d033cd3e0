// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The rules of a configuration.
#ifndef FMHAC_LIB_WORK_RULES_H
#define FMHAC_LIB_WORK_RULES_H

#include "config.h"
#include "work_plan.h"

/// Of an entry of attention.
typedef struct fmhac_work_tile {
  uint32_t rows, keys;
  bool packs_heads; ///< rows are those of a group of heads
} fmhac_work_tile;

/// For kernels of this configuration with such tiles. split_chunk is a multiple
/// of their keys.
fmhac_work_rules fmhac_work_rules_of(const fmhac_config_values *values,
                                     const fmhac_work_tile *tile);

#endif // FMHAC_LIB_WORK_RULES_H
