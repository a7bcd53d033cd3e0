// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_rt.h: does the checks that all kinds of devices share, then dispatches.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "sized_struct.h"

/// The value of `call` after other threads where the device is serial.
#define IN_TURN(device, call)                                                  \
  (fmhac_rt_lock_if_serial(device), fmhac_rt_unlock_if_serial(device, (call)))

/// Begins a call: as fmhac_rt_need(), and clears the text of the last call.
static fmhac_status start(fmhac_rt_device *device, const char *call,
                          const char *argument, const void *pointer) {
  if (device)
    fmhac_rt_clear_error(device);
  return fmhac_rt_need(device, call, argument, pointer);
}

fmhac_status fmhac_rt_device_open(const char *uri, fmhac_rt_device **out) {
  return fmhac_rt_device_open_with_text(uri, NULL, 0, out);
}

fmhac_status fmhac_rt_device_open_with_text(const char *uri, char *text,
                                            size_t text_bytes,
                                            fmhac_rt_device **out) {
  char none[256];
  if (!text || !text_bytes) {
    text = none;
    text_bytes = sizeof none;
  }
  text[0] = 0;
  if (!out) {
    snprintf(text, text_bytes, "opening a device: out_device is null");
    return FMHAC_INVALID_INPUT;
  }
  *out = NULL;
  if (uri && strcmp(uri, "emu") == 0)
    return fmhac_emu_device_create(text, text_bytes, out);
  if (uri && strncmp(uri, "hip", 3) == 0 && (uri[3] == 0 || uri[3] == ':')) {
    char *end = NULL;
    long ordinal = uri[3] ? strtol(uri + 4, &end, 10) : 0;
    if (!uri[3] ||
        (end != uri + 4 && *end == 0 && ordinal >= 0 && ordinal < 65536))
      return fmhac_hip_device_create((int)ordinal, text, text_bytes, out);
  }
  snprintf(text, text_bytes,
           "opening a device: expected \"emu\", \"hip\" or \"hip:N\", found "
           "\"%s\"",
           uri ? uri : "(null)");
  return FMHAC_INVALID_INPUT;
}

void fmhac_rt_device_close(fmhac_rt_device *device) {
  if (device)
    device->vtable->close(device);
}

fmhac_status fmhac_rt_device_get_info(fmhac_rt_device *device,
                                      fmhac_rt_device_info *out_info) {
  fmhac_status status = start(device, "device info", "out_info", out_info);
  if (status != FMHAC_OK)
    return status;
  fmhac_rt_device_info info = {.size = sizeof info};
  fmhac_rt_lock_if_serial(device);
  status = fmhac_rt_unlock_if_serial(device,
                                     device->vtable->get_info(device, &info));
  if (status != FMHAC_OK)
    return status;
  // The first release ended with `lds_bytes_per_workgroup`.
  return fmhac_rt_struct_out(
      device, "device info", out_info, &info, sizeof info,
      FMHAC_SIZE_THROUGH(fmhac_rt_device_info, lds_bytes_per_workgroup),
      "fmhac_rt_device_info");
}

fmhac_status fmhac_rt_alloc(fmhac_rt_device *device, size_t bytes,
                            fmhac_device_ptr *out_address) {
  fmhac_status status = start(device, "alloc", "out_address", out_address);
  if (status != FMHAC_OK)
    return status;
  *out_address = 0;
  return IN_TURN(device, device->vtable->alloc(device, bytes, out_address));
}

fmhac_status fmhac_rt_free(fmhac_rt_device *device, fmhac_device_ptr address) {
  fmhac_status status = start(device, "free", "device", device);
  return status == FMHAC_OK
             ? IN_TURN(device, device->vtable->release(device, address))
             : status;
}

//===- Transfers ----------------------------------------------------------===//

static const char *const k_transfer_names[] = {
    [FMHAC_RT_COPY_IN] = "copy to the device",
    [FMHAC_RT_COPY_OUT] = "copy from the device",
    [FMHAC_RT_COPY] = "copy on the device",
    [FMHAC_RT_FILL] = "fill"};

static bool overlap(const fmhac_rt_transfer *t) {
  const uint64_t to = (uintptr_t)t->to, from = (uintptr_t)t->from;
  return (to > from ? to - from : from - to) < t->bytes;
}

static fmhac_status transfer(fmhac_rt_device *device,
                             const fmhac_rt_transfer *t) {
  const char *call = k_transfer_names[t->kind];
  const void *host = t->kind == FMHAC_RT_COPY_IN    ? t->from
                     : t->kind == FMHAC_RT_COPY_OUT ? t->to
                                                    : device;
  fmhac_status status = start(device, call, "host", t->bytes ? host : device);
  if (status != FMHAC_OK)
    return status;
  if (t->kind == FMHAC_RT_COPY && t->bytes && overlap(t))
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "%s: %zu bytes at %p and at %p overlap; copy in parts "
                         "that do not",
                         call, t->bytes, t->from, t->to);
  return IN_TURN(device, device->vtable->transfer(device, t));
}

/// An address of the device in a transfer.
static void *at(fmhac_device_ptr address) { return (void *)(uintptr_t)address; }

/// A transfer that is over when the call returns, or begins after what `stream`
/// holds.
#define NOW(...) transfer(device, &(const fmhac_rt_transfer){__VA_ARGS__})
#define QUEUED(...) NOW(__VA_ARGS__, .is_async = true, .stream = stream)
#define IN .kind = FMHAC_RT_COPY_IN, .to = at(address), .from = host
#define OUT .kind = FMHAC_RT_COPY_OUT, .to = host, .from = at(address)
#define WITHIN .kind = FMHAC_RT_COPY, .to = at(to), .from = at(from)
#define FILL .kind = FMHAC_RT_FILL, .to = at(address), .value = value

fmhac_status fmhac_rt_copy_in(fmhac_rt_device *device, fmhac_device_ptr address,
                              const void *host, size_t bytes) {
  return NOW(IN, .bytes = bytes);
}

fmhac_status fmhac_rt_copy_in_async(fmhac_rt_device *device,
                                    fmhac_device_ptr address, const void *host,
                                    size_t bytes, void *stream) {
  return QUEUED(IN, .bytes = bytes);
}

fmhac_status fmhac_rt_copy_out(fmhac_rt_device *device,
                               fmhac_device_ptr address, void *host,
                               size_t bytes) {
  return NOW(OUT, .bytes = bytes);
}

fmhac_status fmhac_rt_copy_out_async(fmhac_rt_device *device,
                                     fmhac_device_ptr address, void *host,
                                     size_t bytes, void *stream) {
  return QUEUED(OUT, .bytes = bytes);
}

fmhac_status fmhac_rt_copy(fmhac_rt_device *device, fmhac_device_ptr to,
                           fmhac_device_ptr from, size_t bytes) {
  return NOW(WITHIN, .bytes = bytes);
}

fmhac_status fmhac_rt_copy_async(fmhac_rt_device *device, fmhac_device_ptr to,
                                 fmhac_device_ptr from, size_t bytes,
                                 void *stream) {
  return QUEUED(WITHIN, .bytes = bytes);
}

fmhac_status fmhac_rt_fill(fmhac_rt_device *device, fmhac_device_ptr address,
                           uint8_t value, size_t bytes) {
  return NOW(FILL, .bytes = bytes);
}

fmhac_status fmhac_rt_fill_async(fmhac_rt_device *device,
                                 fmhac_device_ptr address, uint8_t value,
                                 size_t bytes, void *stream) {
  return QUEUED(FILL, .bytes = bytes);
}

//===- Modules and launches -----------------------------------------------===//

fmhac_status fmhac_rt_module_load(fmhac_rt_device *device, const void *code,
                                  size_t bytes, fmhac_rt_module **out_module) {
  fmhac_status status =
      start(device, "loading a code object", "out_module", out_module);
  if (status != FMHAC_OK)
    return status;
  *out_module = NULL;
  if (!code)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "loading a code object: no bytes given");
  return IN_TURN(device,
                 device->vtable->module_load(device, code, bytes, out_module));
}

void fmhac_rt_module_unload(fmhac_rt_device *device, fmhac_rt_module *module) {
  if (!device || !module)
    return;
  fmhac_rt_lock_if_serial(device);
  device->vtable->module_unload(device, module);
  (void)fmhac_rt_unlock_if_serial(device, FMHAC_OK);
}

/// The caller's launch as this library knows it.
static fmhac_status read_launch(fmhac_rt_device *device,
                                const fmhac_rt_launch *from,
                                fmhac_rt_launch *out) {
  fmhac_status status = fmhac_rt_struct_in(
      device, "launch", out, sizeof *out,
      FMHAC_SIZE_THROUGH(fmhac_rt_launch, stream), from, "fmhac_rt_launch");
  if (status != FMHAC_OK)
    return status;
  for (int i = 0; i < 3; i++)
    if (!out->grid[i] || !out->block[i])
      return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                           "launch: grid [%u,%u,%u] block [%u,%u,%u]: every "
                           "extent must be at least 1",
                           out->grid[0], out->grid[1], out->grid[2],
                           out->block[0], out->block[1], out->block[2]);
  if (!out->kernarg && out->kernarg_bytes)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "launch: %zu bytes of kernel arguments announced, "
                         "none given",
                         out->kernarg_bytes);
  return FMHAC_OK;
}

fmhac_status fmhac_rt_launch_kernel(fmhac_rt_device *device,
                                    fmhac_rt_module *module,
                                    const fmhac_rt_launch *launch) {
  fmhac_status status = start(device, "launch", "module", module);
  fmhac_rt_launch known;
  if (status == FMHAC_OK)
    status = read_launch(device, launch, &known);
  return status == FMHAC_OK
             ? IN_TURN(device, device->vtable->launch(device, module, &known))
             : status;
}

fmhac_status fmhac_rt_synchronize(fmhac_rt_device *device) {
  fmhac_status status = start(device, "synchronize", "device", device);
  return status == FMHAC_OK
             ? IN_TURN(device, device->vtable->synchronize(device))
             : status;
}

//===- Streams and events -------------------------------------------------===//

fmhac_status fmhac_rt_stream_create(fmhac_rt_device *device,
                                    void **out_stream) {
  fmhac_status status =
      start(device, "making a stream", "out_stream", out_stream);
  if (status != FMHAC_OK)
    return status;
  *out_stream = NULL;
  return IN_TURN(device, device->vtable->stream_create(device, out_stream));
}

fmhac_status fmhac_rt_stream_destroy(fmhac_rt_device *device, void *stream) {
  fmhac_status status = start(device, "destroying a stream", "device", device);
  if (status != FMHAC_OK)
    return status;
  if (!stream)
    return FMHAC_OK;
  return IN_TURN(device, device->vtable->stream_destroy(device, stream));
}

fmhac_status fmhac_rt_stream_synchronize(fmhac_rt_device *device,
                                         void *stream) {
  fmhac_status status = start(device, "waiting for a stream", "device", device);
  return status == FMHAC_OK
             ? IN_TURN(device,
                       device->vtable->stream_synchronize(device, stream))
             : status;
}

fmhac_status fmhac_rt_stream_is_capturing(fmhac_rt_device *device, void *stream,
                                          bool *out_capturing) {
  fmhac_status status = start(device, "asking whether a stream is captured",
                              "out_capturing", out_capturing);
  if (status != FMHAC_OK)
    return status;
  *out_capturing = false;
  if (!device->vtable->stream_is_capturing)
    return FMHAC_OK;
  return device->vtable->stream_is_capturing(device, stream, out_capturing);
}

fmhac_status fmhac_rt_stream_wait_event(fmhac_rt_device *device, void *stream,
                                        fmhac_rt_event *event) {
  fmhac_status status = start(device, "letting a stream wait", "event", event);
  return status == FMHAC_OK
             ? IN_TURN(device,
                       device->vtable->stream_wait_event(device, stream, event))
             : status;
}

fmhac_status fmhac_rt_event_create(fmhac_rt_device *device,
                                   fmhac_rt_event **out_event) {
  fmhac_status status =
      start(device, "making an event", "out_event", out_event);
  if (status != FMHAC_OK)
    return status;
  *out_event = NULL;
  return IN_TURN(device, device->vtable->event_create(device, out_event));
}

fmhac_status fmhac_rt_event_destroy(fmhac_rt_device *device,
                                    fmhac_rt_event *event) {
  fmhac_status status = start(device, "destroying an event", "device", device);
  if (status != FMHAC_OK || !event)
    return status;
  return IN_TURN(device, device->vtable->event_destroy(device, event));
}

fmhac_status fmhac_rt_event_record(fmhac_rt_device *device,
                                   fmhac_rt_event *event, void *stream) {
  fmhac_status status = start(device, "recording an event", "event", event);
  return status == FMHAC_OK
             ? IN_TURN(device,
                       device->vtable->event_record(device, event, stream))
             : status;
}

fmhac_status fmhac_rt_event_synchronize(fmhac_rt_device *device,
                                        fmhac_rt_event *event) {
  fmhac_status status = start(device, "waiting for an event", "event", event);
  return status == FMHAC_OK
             ? IN_TURN(device, device->vtable->event_synchronize(device, event))
             : status;
}

fmhac_status fmhac_rt_event_elapsed(fmhac_rt_device *device,
                                    fmhac_rt_event *start_event,
                                    fmhac_rt_event *end, double *out_seconds) {
  const char *call = "time between events";
  fmhac_status status = start(device, call, "start", start_event);
  if (status == FMHAC_OK)
    status = fmhac_rt_need(device, call, "end", end);
  if (status == FMHAC_OK)
    status = fmhac_rt_need(device, call, "out_seconds", out_seconds);
  if (status != FMHAC_OK)
    return status;
  *out_seconds = 0;
  return IN_TURN(device, device->vtable->event_elapsed(device, start_event, end,
                                                       out_seconds));
}
