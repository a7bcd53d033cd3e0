// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common part of devices of all kinds.
#include "device.h"

#include <stdarg.h>
#include <stdio.h>

#include "sized_struct.h"

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

void fmhac_rt_clear_error(fmhac_rt_device *device) {
  fmhac_thread_texts_clear(&device->texts);
}

/// Ends a call with `status` and, for a failure, the error text. Error texts
/// belong to threads, so a const device can have one, too.
static fmhac_status fail_call(const fmhac_rt_device *device,
                              fmhac_status status, const char *call,
                              const char *text) {
  return status == FMHAC_OK
             ? status
             : fmhac_rt_fail((fmhac_rt_device *)(uintptr_t)device, status,
                             "%s: %s", call, text);
}

fmhac_status fmhac_rt_need(const fmhac_rt_device *device, const char *call,
                           const char *argument, const void *pointer) {
  char text[64];
  if (!device)
    return FMHAC_INVALID_INPUT;
  if (pointer)
    return FMHAC_OK;
  snprintf(text, sizeof text, "%s is null", argument);
  return fail_call(device, FMHAC_INVALID_INPUT, call, text);
}

fmhac_status fmhac_rt_struct_in(const fmhac_rt_device *device, const char *call,
                                void *to, size_t known_bytes,
                                size_t least_bytes, const void *from,
                                const char *name) {
  char text[256];
  return fail_call(device,
                   fmhac_struct_in(to, known_bytes, least_bytes, from, name,
                                   text, sizeof text),
                   call, text);
}

fmhac_status fmhac_rt_struct_out(const fmhac_rt_device *device,
                                 const char *call, void *to, const void *from,
                                 size_t known_bytes, size_t least_bytes,
                                 const char *name) {
  char text[256];
  return fail_call(device,
                   fmhac_struct_out(to, from, known_bytes, least_bytes, name,
                                    text, sizeof text),
                   call, text);
}

void fmhac_rt_lock_if_serial(fmhac_rt_device *device) {
  if (device->vtable->one_at_a_time)
    pthread_mutex_lock(&device->turn);
}

fmhac_status fmhac_rt_unlock_if_serial(fmhac_rt_device *device,
                                       fmhac_status status) {
  if (device->vtable->one_at_a_time)
    pthread_mutex_unlock(&device->turn);
  return status;
}

const char *fmhac_rt_last_error(const fmhac_rt_device *device) {
  return device ? fmhac_thread_texts_get(&device->texts) : "";
}
