// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_rt.h: checks what does not depend on the kind of device, then
// dispatches.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

fmhac_status fmhac_rt_fail(fmhac_rt_device *device, fmhac_status status,
                           const char *format, ...) {
  va_list args;
  va_start(args, format);
  fmhac_thread_texts_vset(&device->texts, format, args);
  va_end(args);
  return status;
}

void fmhac_rt_device_init(fmhac_rt_device *device,
                          const fmhac_rt_vtable *vtable) {
  *device = (fmhac_rt_device){.vtable = vtable};
  pthread_mutex_init(&device->turn, NULL);
}

void fmhac_rt_device_deinit(fmhac_rt_device *device) {
  fmhac_thread_texts_deinit(&device->texts);
  pthread_mutex_destroy(&device->turn);
}

void fmhac_rt_forget(fmhac_rt_device *device) {
  fmhac_thread_texts_clear(&device->texts);
}

void fmhac_rt_enter(fmhac_rt_device *device) {
  if (device->vtable->one_at_a_time)
    pthread_mutex_lock(&device->turn);
}

fmhac_status fmhac_rt_leave(fmhac_rt_device *device, fmhac_status status) {
  if (device->vtable->one_at_a_time)
    pthread_mutex_unlock(&device->turn);
  return status;
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
  if (!out)
    return FMHAC_INVALID_INPUT;
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

const char *fmhac_rt_last_error(const fmhac_rt_device *device) {
  return device ? fmhac_thread_texts_get(&device->texts) : "no device";
}

fmhac_status fmhac_rt_device_get_info(fmhac_rt_device *device,
                                      fmhac_rt_device_info *out) {
  if (!device || !out)
    return FMHAC_INVALID_INPUT;
  fmhac_rt_forget(device);
  // The first release ended with `lds_bytes_per_workgroup`.
  const size_t least = offsetof(fmhac_rt_device_info, driver);
  if (out->size < least || out->size > sizeof *out)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "device info: expected size %zu, found %zu; set it "
                         "to sizeof(fmhac_rt_device_info)",
                         sizeof *out, out->size);
  fmhac_rt_device_info info = {.size = out->size};
  fmhac_rt_enter(device);
  fmhac_status status =
      fmhac_rt_leave(device, device->vtable->get_info(device, &info));
  if (status == FMHAC_OK)
    memcpy(out, &info, out->size);
  return status;
}

fmhac_status fmhac_rt_alloc(fmhac_rt_device *device, size_t bytes,
                            uint64_t *out_address) {
  if (!device || !out_address)
    return FMHAC_INVALID_INPUT;
  fmhac_rt_forget(device);
  *out_address = 0;
  fmhac_rt_enter(device);
  return fmhac_rt_leave(device,
                        device->vtable->alloc(device, bytes, out_address));
}

fmhac_status fmhac_rt_free(fmhac_rt_device *device, uint64_t address) {
  if (!device)
    return FMHAC_INVALID_INPUT;
  fmhac_rt_forget(device);
  fmhac_rt_enter(device);
  return fmhac_rt_leave(device, device->vtable->release(device, address));
}

fmhac_status fmhac_rt_copy_in(fmhac_rt_device *device, uint64_t address,
                              const void *host, size_t bytes) {
  if (!device || (!host && bytes))
    return FMHAC_INVALID_INPUT;
  fmhac_rt_forget(device);
  fmhac_rt_enter(device);
  return fmhac_rt_leave(device,
                        device->vtable->copy_in(device, address, host, bytes));
}

fmhac_status fmhac_rt_copy_out(fmhac_rt_device *device, uint64_t address,
                               void *host, size_t bytes) {
  if (!device || (!host && bytes))
    return FMHAC_INVALID_INPUT;
  fmhac_rt_forget(device);
  fmhac_rt_enter(device);
  return fmhac_rt_leave(device,
                        device->vtable->copy_out(device, address, host, bytes));
}

fmhac_status fmhac_rt_module_load(fmhac_rt_device *device, const void *code,
                                  size_t bytes, fmhac_rt_module **out_module) {
  if (!device || !out_module)
    return FMHAC_INVALID_INPUT;
  fmhac_rt_forget(device);
  *out_module = NULL;
  if (!code)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "loading a code object: no bytes given");
  fmhac_rt_enter(device);
  return fmhac_rt_leave(
      device, device->vtable->module_load(device, code, bytes, out_module));
}

void fmhac_rt_module_unload(fmhac_rt_device *device, fmhac_rt_module *module) {
  if (!device || !module)
    return;
  fmhac_rt_enter(device);
  device->vtable->module_unload(device, module);
  (void)fmhac_rt_leave(device, FMHAC_OK);
}

fmhac_status fmhac_rt_launch_kernel(fmhac_rt_device *device,
                                    fmhac_rt_module *module,
                                    const fmhac_rt_launch *launch) {
  if (!device || !module || !launch)
    return FMHAC_INVALID_INPUT;
  fmhac_rt_forget(device);
  if (launch->size != sizeof *launch)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "launch: expected size %zu, found %zu; the caller was "
                         "built for another version",
                         sizeof *launch, launch->size);
  for (int i = 0; i < 3; i++)
    if (!launch->grid[i] || !launch->block[i])
      return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                           "launch: grid [%u,%u,%u] block [%u,%u,%u]: every "
                           "extent must be at least 1",
                           launch->grid[0], launch->grid[1], launch->grid[2],
                           launch->block[0], launch->block[1],
                           launch->block[2]);
  if (!launch->kernarg && launch->kernarg_bytes)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "launch: %zu bytes of kernel arguments announced, "
                         "none given",
                         launch->kernarg_bytes);
  fmhac_rt_enter(device);
  return fmhac_rt_leave(device, device->vtable->launch(device, module, launch));
}

fmhac_status fmhac_rt_synchronize(fmhac_rt_device *device) {
  if (!device)
    return FMHAC_INVALID_INPUT;
  fmhac_rt_forget(device);
  fmhac_rt_enter(device);
  return fmhac_rt_leave(device, device->vtable->synchronize(device));
}

fmhac_status fmhac_rt_stream_create(fmhac_rt_device *device,
                                    void **out_stream) {
  if (!device || !out_stream)
    return FMHAC_INVALID_INPUT;
  fmhac_rt_forget(device);
  *out_stream = NULL;
  fmhac_rt_enter(device);
  return fmhac_rt_leave(device,
                        device->vtable->stream_create(device, out_stream));
}

fmhac_status fmhac_rt_stream_destroy(fmhac_rt_device *device, void *stream) {
  if (!device)
    return FMHAC_INVALID_INPUT;
  fmhac_rt_forget(device);
  if (!stream)
    return FMHAC_OK;
  fmhac_rt_enter(device);
  return fmhac_rt_leave(device, device->vtable->stream_destroy(device, stream));
}

fmhac_status fmhac_rt_stream_synchronize(fmhac_rt_device *device,
                                         void *stream) {
  if (!device)
    return FMHAC_INVALID_INPUT;
  fmhac_rt_forget(device);
  fmhac_rt_enter(device);
  return fmhac_rt_leave(device,
                        device->vtable->stream_synchronize(device, stream));
}

fmhac_status fmhac_rt_stream_is_capturing(fmhac_rt_device *device, void *stream,
                                          bool *out_capturing) {
  if (!device || !out_capturing)
    return FMHAC_INVALID_INPUT;
  fmhac_rt_forget(device);
  *out_capturing = false;
  if (!device->vtable->stream_is_capturing)
    return FMHAC_OK;
  return device->vtable->stream_is_capturing(device, stream, out_capturing);
}
