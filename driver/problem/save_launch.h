// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// --save-launch: the launches of a plan as files that `fmhac emu` replays.
#ifndef FMHAC_DRIVER_SAVE_LAUNCH_H
#define FMHAC_DRIVER_SAVE_LAUNCH_H

#include "run_data.h"

/// Writes KERNEL.hsaco, NAME.bin of every input, and LAUNCH.json into
/// `directory` (made if missing). `launches` are those of the plan; of several
/// it has a list. The tensors have their device addresses: kernel arguments
/// that hold one become references to the buffer.
bool save_launch(const char *directory, const fmhac_plan *plan,
                 const fmhac_rt_launch *launches, const run_data *data,
                 uint64_t workspace, char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_SAVE_LAUNCH_H
