// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The tensors of `run` as the emulator knows them: named elements, outputs
/// that a launch has to write.
#ifndef FMHAC_DRIVER_RUN_TENSORS_H
#define FMHAC_DRIVER_RUN_TENSORS_H

#include "launch_tensors.h"
#include "run_data.h"

enum { RUN_TENSORS = BUFFER_COUNT };

/// Describes all tensors that the run has; `buffer` is that of run_data.
/// Returns their number; `out` is due to run_tensors_deinit(). 0 if memory is
/// exhausted.
size_t run_tensors(const run_data *data, launch_tensor out[RUN_TENSORS]);
void run_tensors_deinit(launch_tensor tensors[RUN_TENSORS], size_t count);

#endif // FMHAC_DRIVER_RUN_TENSORS_H
