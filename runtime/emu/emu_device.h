// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The inside of an "emu" device: emu_device.c opens it and implements
/// fmhac_rt.h; options.c, results.c, timing_results.c and timing_samples.c
/// implement fmhac_emu.h and fmhac_timing.h.
#ifndef FMHAC_EMU_DEVICE_H
#define FMHAC_EMU_DEVICE_H

#include <stdio.h>

#include "device.h"
#include "events.h"
#include "launch.h"
#include "timing.h"

/// A stream. Launches end before they return; only the race checker looks at
/// the order that streams leave open.
typedef struct emu_stream {
  struct emu_stream *next;
} emu_stream;

typedef struct emu_device {
  fmhac_rt_device base;
  emu_space space;
  emu_module *modules;
  emu_stream *streams;
  emu_events events;
  emu_streams *order; ///< of work; NULL until there is a stream
  fmhac_emu_options options;
  emu_time_constants timing; ///< for timed launches
  uint32_t (*ids)[3];        ///< workgroups of the next launch; NULL for all
  size_t id_count;
  /// Results of the last launch. Findings and listing point into its module,
  /// which is kept until the next launch even if it has been unloaded.
  emu_result result;
  emu_module *result_module;
  const emu_kernel *result_kernel;
  bool result_module_unloaded; ///< it is not in `modules`
  uint32_t allocations;        ///< number so far, for names
  /// The emulator's error text, used while the device is locked.
  char text[FMHAC_RT_TEXT_BYTES];
} emu_device;

/// The emulator object of a device.
static inline emu_device *emu_self(fmhac_rt_device *device) {
  return (emu_device *)(void *)device;
}

/// `status`; of a failure the device's text becomes the text of the call.
static inline fmhac_status emu_with_device_text(emu_device *d,
                                                fmhac_status status) {
  return status == FMHAC_OK ? status
                            : fmhac_rt_fail(&d->base, status, "%s", d->text);
}

/// Maps a buffer; base 0: placed as the options say. Errors have the text of
/// the device.
fmhac_status emu_map_buffer(emu_device *device, const char *name, uint64_t base,
                            uint64_t bytes, uint64_t *out_address);
/// Starts to record which bytes of a fresh buffer are written. Errors:
/// OUT_OF_MEMORY; the buffer is then unmapped and its address 0.
fmhac_status emu_track_buffer(emu_device *device, const char *name,
                              uint64_t *address);

/// The results of the last launch of a device; NULL if it is no emulator.
const emu_result *emu_device_result(const fmhac_rt_device *device);
/// Checks that `device` is an emulator and `pointer`, the argument `argument`
/// of `call`, is not NULL: else INVALID_INPUT, with a text if there is a
/// device.
fmhac_status emu_device_need(const fmhac_rt_device *device, const char *call,
                             const char *argument, const void *pointer);
/// Checks that `index` is below `count`, the number of entries of the last
/// launch: else INVALID_INPUT with a text.
fmhac_status emu_device_need_index(const fmhac_rt_device *device,
                                   const char *call, size_t index,
                                   size_t count);

#endif // FMHAC_EMU_DEVICE_H
