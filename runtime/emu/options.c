// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_emu.h: settings before a launch: options, buffers with names and
// addresses, tensors, the workgroups of the grid.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emu_device.h"
#include "float_environment.h"
#include "sized_struct.h"
#include "tensor.h"

enum {
  FIRST_OPTIONS_BYTES = FMHAC_SIZE_THROUGH(fmhac_emu_options, progress_user)
};

void fmhac_emu_options_init_sized(fmhac_emu_options *options, size_t size) {
  if (!options || size < FIRST_OPTIONS_BYTES)
    return;
  memset(options, 0, size);
  options->size = size;
  options->checks = FMHAC_EMU_CHECK_DEFAULT;
}

void(fmhac_emu_options_init)(fmhac_emu_options *options) {
  fmhac_emu_options_init_sized(options, FIRST_OPTIONS_BYTES);
}

fmhac_status fmhac_emu_configure(fmhac_rt_device *device,
                                 const fmhac_emu_options *options) {
  const char *call = "emulator options";
  fmhac_status status = emu_device_need(device, call, "options", options);
  fmhac_emu_options o;
  if (status == FMHAC_OK)
    status = fmhac_rt_struct_in(device, call, &o, sizeof o, FIRST_OPTIONS_BYTES,
                                options, "fmhac_emu_options");
  if (status != FMHAC_OK)
    return status;
  if (o.checks & ~(uint32_t)FMHAC_EMU_CHECK_ALL ||
      (unsigned)o.sched > FMHAC_EMU_SCHED_RANDOM ||
      (unsigned)o.landing > FMHAC_EMU_LANDING_AFTER ||
      o.landing_instructions >= EMU_UNTIL_WAIT ||
      o.landing_lds_instructions >= EMU_UNTIL_WAIT ||
      (unsigned)o.alignment > FMHAC_EMU_ALIGNMENT_NATURAL ||
      (unsigned)o.descriptors > FMHAC_EMU_DESCRIPTORS_CARRY ||
      (unsigned)o.placement > FMHAC_EMU_PLACEMENT_ADVERSARIAL ||
      (unsigned)o.hazards > FMHAC_EMU_HAZARDS_EFFECT)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "emulator options: checks 0x%x, sched %d, landing %d, "
                         "alignment %d, descriptors %d, placement %d, hazards "
                         "%d: a value is out of range",
                         o.checks, (int)o.sched, (int)o.landing,
                         (int)o.alignment, (int)o.descriptors, (int)o.placement,
                         (int)o.hazards);
  if (o.threads > FMHAC_EMU_MOST_THREADS)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "emulator options: %u threads, expected at most %d",
                         o.threads, FMHAC_EMU_MOST_THREADS);
  fmhac_rt_clear_error(device);
  emu_device *d = emu_self(device);
  char text[FMHAC_RT_TEXT_BYTES];
  emu_time_constants timing;
  fenv_t caller;
  fmhac_float_begin(&caller);
  const bool valid =
      emu_time_constants_init(&timing, o.timing_constants, text, sizeof text);
  fmhac_float_end(&caller);
  if (!valid)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT, "%s", text);
  o.timing_constants = NULL; // the caller's
  fmhac_rt_lock_if_serial(device);
  d->options = o;
  d->timing = timing;
  emu_known_traffic_clear(&d->result.known); // other caches
  return fmhac_rt_unlock_if_serial(device, FMHAC_OK);
}

static fmhac_status map_buffer(fmhac_rt_device *device,
                               const fmhac_emu_buffer *buffer,
                               uint64_t *out_address) {
  emu_device *d = emu_self(device);
  fmhac_status status =
      emu_map_buffer(d, buffer->name, buffer->base, buffer->bytes, out_address);
  if (status != FMHAC_OK)
    return status;
  if (buffer->contents != FMHAC_EMU_CONTENTS_FILL)
    return emu_track_buffer(d, buffer->name, out_address);
  emu_space_fill(&d->space, *out_address, buffer->fill);
  return FMHAC_OK;
}

fmhac_status fmhac_emu_map(fmhac_rt_device *device,
                           const fmhac_emu_buffer *buffer,
                           fmhac_device_ptr *out_address) {
  const char *call = "mapping a buffer";
  fmhac_status status =
      emu_device_need(device, call, "out_address", out_address);
  if (status != FMHAC_OK)
    return status;
  fmhac_rt_clear_error(device);
  *out_address = 0;
  fmhac_emu_buffer b;
  status = fmhac_rt_struct_in(device, call, &b, sizeof b,
                              FMHAC_SIZE_THROUGH(fmhac_emu_buffer, fill),
                              buffer, "fmhac_emu_buffer");
  if (status == FMHAC_OK)
    status = fmhac_rt_need(device, call, "fmhac_emu_buffer.name", b.name);
  if (status != FMHAC_OK)
    return status;
  fmhac_rt_lock_if_serial(device);
  return fmhac_rt_unlock_if_serial(device, map_buffer(device, &b, out_address));
}

fmhac_status fmhac_emu_declare_tensor(fmhac_rt_device *device,
                                      const fmhac_emu_tensor *tensor) {
  const char *call = "declaring a tensor";
  fmhac_status status = emu_device_need(device, call, "tensor", tensor);
  if (status != FMHAC_OK)
    return status;
  emu_device *d = emu_self(device);
  fmhac_rt_clear_error(device);
  fmhac_emu_tensor t;
  status = fmhac_rt_struct_in(device, call, &t, sizeof t,
                              FMHAC_SIZE_THROUGH(fmhac_emu_tensor, is_output),
                              tensor, "fmhac_emu_tensor");
  if (status == FMHAC_OK)
    status = fmhac_rt_need(device, call, "fmhac_emu_tensor.name", t.name);
  if (status != FMHAC_OK)
    return status;
  fmhac_rt_lock_if_serial(device);
  return fmhac_rt_unlock_if_serial(
      device, emu_with_device_text(d, emu_tensor_declare(&d->space, &t, d->text,
                                                         sizeof d->text)));
}

fmhac_status fmhac_emu_join_launches(fmhac_rt_device *device, size_t count) {
  fmhac_status status =
      emu_device_need(device, "joining launches", "device", device);
  if (status != FMHAC_OK)
    return status;
  emu_device *d = emu_self(device);
  fmhac_rt_clear_error(device);
  if (count > UINT32_MAX)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "joining launches: expected at most %" PRIu32
                         ", found %zu",
                         UINT32_MAX, count);
  fmhac_rt_lock_if_serial(device);
  emu_space_unwatch_outputs(&d->space);
  d->space.joined_launches = (uint32_t)count;
  d->space.joined_begun = false;
  return fmhac_rt_unlock_if_serial(device, FMHAC_OK);
}

fmhac_status fmhac_emu_select_workgroups(fmhac_rt_device *device,
                                         const uint32_t (*ids)[3],
                                         size_t count) {
  fmhac_status status = emu_device_need(device, "selecting workgroups", "ids",
                                        count ? (const void *)ids : device);
  if (status != FMHAC_OK)
    return status;
  emu_device *d = emu_self(device);
  fmhac_rt_clear_error(device);
  const bool fits = count <= SIZE_MAX / sizeof(*ids);
  uint32_t(*copy)[3] = count && fits ? malloc(count * sizeof *copy) : NULL;
  if (count && !copy)
    return fmhac_rt_fail(device, FMHAC_OUT_OF_MEMORY,
                         "selecting %zu workgroups: out of memory", count);
  if (count)
    memcpy(copy, ids, count * sizeof *copy);
  fmhac_rt_lock_if_serial(device);
  free(d->ids);
  d->ids = copy;
  d->id_count = count;
  return fmhac_rt_unlock_if_serial(device, FMHAC_OK);
}
