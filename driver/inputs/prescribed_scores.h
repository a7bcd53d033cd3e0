// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Inputs whose scores are prescribed: Q and K are made for the scores.
#ifndef FMHAC_DRIVER_PRESCRIBED_SCORES_H
#define FMHAC_DRIVER_PRESCRIBED_SCORES_H

#include "inputs.h"

/// Writes the elements of a row of a head from element `at` of `out` on. False,
/// with nothing written, if the kind leaves this tensor to chance. `chance` in
/// (0, 1) is the row's.
bool prescribes_scores(const input_request *request, uint32_t row,
                       uint32_t head, double chance, void *out, size_t at);

#endif // FMHAC_DRIVER_PRESCRIBED_SCORES_H
