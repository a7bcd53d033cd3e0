// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The rules of a configuration.
#ifndef FMHAC_LIB_WORK_RULES_H
#define FMHAC_LIB_WORK_RULES_H

#include "config.h"
#include "work_plan.h"

/// For kernels of this configuration whose tiles have `tile_m` rows and
/// `tile_n` keys. split_chunk is a multiple of these keys.
fmhac_work_rules fmhac_work_rules_of(const fmhac_config_values *values,
                                     uint32_t tile_m, uint32_t tile_n);

#endif // FMHAC_LIB_WORK_RULES_H
