// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A kernel's modules, one on each device on which it was launched.
#ifndef FMHAC_LIB_MODULES_H
#define FMHAC_LIB_MODULES_H

#include "kernel.h"

/// Entries come in front and stay: launching walks the list without a lock,
/// which only loading takes.
typedef struct fmhac_modules fmhac_modules;

/// NULL when memory is exhausted. fmhac_modules_destroy() unloads all; NULL is
/// allowed.
fmhac_modules *fmhac_modules_create(fmhac_context *context);
void fmhac_modules_destroy(fmhac_context *context, fmhac_modules *modules);

/// Loads the kernel on a device; does nothing if it is loaded. `entry` stands
/// for it in messages. Errors: those of fmhac_rt_module_load(), OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status fmhac_modules_load(fmhac_modules *modules,
                                               const fmhac_kernel *kernel,
                                               const fmhac_entry *entry,
                                               fmhac_rt_device *device);

/// Launches an entry, after loading the kernel where that was not done; not
/// while the stream is captured. Errors: those of fmhac_rt_launch_kernel() and
/// fmhac_modules_load(); INVALID_INPUT (it would be loaded while the stream is
/// captured).
FMHAC_MUST_USE fmhac_status fmhac_modules_launch(fmhac_modules *modules,
                                                 const fmhac_kernel *kernel,
                                                 const fmhac_entry *entry,
                                                 fmhac_rt_device *device,
                                                 const fmhac_rt_launch *launch);

#endif // FMHAC_LIB_MODULES_H
