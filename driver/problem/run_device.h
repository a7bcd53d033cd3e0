// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The plan of a run, with checks before a buffer exists, and its device side:
/// buffers, launch, results, findings.
#ifndef FMHAC_DRIVER_RUN_DEVICE_H
#define FMHAC_DRIVER_RUN_DEVICE_H

#include "emu_flags.h"
#include "emu_progress.h"
#include "emu_report.h"
#include "fmhac_abi.h"
#include "run_data.h"

/// A plan of the kernel for the problem of `data`, once it is known to take the
/// tensors as they lie: buffers whose strides no launch takes may not fit into
/// any memory. Reads sink and bias as well. Fails with a text.
fmhac_status run_plan_create(const fmhac_context *context,
                             const fmhac_kernel *kernel, run_data *data,
                             fmhac_plan **out_plan, char error[ERROR_BYTES]);

/// fmhac_plan_pack() of a launch of a plan.
fmhac_status run_plan_pack(const fmhac_plan *plan, size_t index,
                           const run_data *data, uint64_t workspace,
                           fmhac_kernel_args *out_arguments,
                           fmhac_rt_launch *out_launch);

typedef struct run_device {
  const char *uri; ///< borrowed
  fmhac_rt_device *device;
  bool is_emu;
  uint64_t workspace; ///< device address, or 0
  double seconds;     ///< of the launch, until the results were there
  emu_progress progress;
} run_device;

/// Opens the device; on the emulator sets its options. `error` has the reason
/// of a failure.
fmhac_status run_device_open(const char *uri, const emu_flags *flags,
                             run_device *out_device, char error[ERROR_BYTES]);
void run_device_close(run_device *d);

/// Allocates each buffer and the plan's workspace and copies all bytes of the
/// host there. On the emulator buffers carry their names.
fmhac_status run_device_upload(run_device *d, run_data *data,
                               const fmhac_plan *plan, char error[ERROR_BYTES]);
/// Clears the bytes of the workspace that have to be zeros before a launch.
fmhac_status run_device_clear_workspace(run_device *d, const fmhac_plan *plan,
                                        char error[ERROR_BYTES]);

/// Launches, with lines of progress.
fmhac_status run_device_start(run_device *d, const fmhac_plan *plan,
                              const run_data *data);

/// Launches, waits, and copies the outputs back, also after CHECK_FAILED.
fmhac_status run_device_launch(run_device *d, const fmhac_context *context,
                               const fmhac_plan *plan, run_data *data,
                               char error[ERROR_BYTES]);

/// The findings of the launch, as in the JSON of `fmhac emu`; empty on hip.
cJSON *run_device_findings(const run_device *d);

#endif // FMHAC_DRIVER_RUN_DEVICE_H
