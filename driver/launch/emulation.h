// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A LAUNCH.json on a device of its own: buffers mapped, code loaded, its
/// launches run in order.
/// Calls return ARGS_CONTINUE, or an exit code whose reason has been reported.
#ifndef FMHAC_DRIVER_EMULATION_H
#define FMHAC_DRIVER_EMULATION_H

#include "emu_progress.h"
#include "emu_report.h"
#include "launch_json.h"
#include "report.h"

typedef struct emulation {
  const report *r;
  launch_description *launch;   ///< borrowed; sizes of files are filled in
  const char *timing_constants; ///< borrowed; changes to the model's, or NULL
  uint64_t *addresses;          ///< of the buffers
  fmhac_rt_device *device;
  fmhac_rt_module *module;
  emu_progress progress;
  cJSON *findings;       ///< of emulation_run(); owned
  fmhac_emu_stats stats; ///< of all its launches together
} emulation;

/// The beginning of a message on one of several launches.
typedef struct launch_label {
  char text[32]; ///< "launch 1: "; "": the file has no list
} launch_label;
launch_label launch_label_of(const launch_description *launch, size_t index);

/// Opens a device, maps the buffers with their first contents, loads the code.
/// Faults of later launches that can be seen are refused: the launches before
/// them may take hours. `e` has its report and launch; emulation_close() is due
/// in any case.
int emulation_open(emulation *e, fmhac_emu_options *options);
void emulation_close(emulation *e);

/// Launches one of the kernels, on `id_count` workgroups, or on those that the
/// file names if it is 0. The last launch has to write what the file calls
/// outputs.
int emulation_start(emulation *e, size_t index, const uint32_t (*ids)[3],
                    size_t id_count, fmhac_status *out_status);

/// Adds findings and figures of the launch that has ended to those of `e`.
void emulation_keep(emulation *e, size_t index);

/// Launches all in order, until one cannot go on. `after` is called after each
/// and may be NULL. A status other than OK is that of the last launch that had
/// one.
int emulation_run(emulation *e, void (*after)(void *user, size_t index),
                  void *user, fmhac_status *out_status);

/// Bytes of a buffer as they are now; caller frees.
int emulation_read(const emulation *e, size_t buffer, char **out_bytes);

#endif // FMHAC_DRIVER_EMULATION_H
