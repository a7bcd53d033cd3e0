// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The factors of 8-bit operands of `run`: which the configuration takes, and
/// their files.
#ifndef FMHAC_DRIVER_RUN_FACTORS_H
#define FMHAC_DRIVER_RUN_FACTORS_H

#include "run_data.h"

/// Notes granularities, block, files, o_scale and quantize_q of the canonical
/// configuration (`values`) and the merged options; reads nothing. False with a
/// text if a granularity comes without a file, or o_scale without an 8-bit O.
bool run_factors_find(const cJSON *options, const cJSON *values, run_data *data,
                      char error[ERROR_BYTES]);

/// Reads the files into their buffers, and o_scale, unless that is done. False
/// with a text that says what was expected and what was found: elements '<f4',
/// the shape of the granularity, finite numbers.
bool run_factors_fill(run_data *data, char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_RUN_FACTORS_H
