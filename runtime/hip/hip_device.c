// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The "hip" device: an AMD GPU through the HIP runtime. Tests run it on a
// libamdhip64 that the emulator implements (test/hip). It has not run on
// hardware.
#include "hip_device.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"

bool hip_keep(hip_device *d, hip_owned *owned, void *made) {
  pthread_mutex_lock(&d->lock);
  bool ok = FMHAC_GROW(owned->list, owned->count, owned->capacity);
  if (ok)
    owned->list[owned->count++] = made;
  pthread_mutex_unlock(&d->lock);
  return ok;
}

bool hip_let_go(hip_device *d, hip_owned *owned, const void *made) {
  bool found = false;
  pthread_mutex_lock(&d->lock);
  for (size_t i = owned->count; i-- && !found;)
    if (owned->list[i] == made) {
      owned->list[i] = owned->list[--owned->count];
      found = true;
    }
  pthread_mutex_unlock(&d->lock);
  return found;
}

static void hip_close(fmhac_rt_device *device) {
  hip_device *d = hip_self(device);
  hip_turn turn;
  // There is no remedy for a runtime that fails here.
  bool ours = hip_begin(d, &turn) == FMHAC_OK;
  while (d->streams.count)
    d->api.StreamDestroy(d->streams.list[--d->streams.count]);
  while (d->events.count)
    d->api.EventDestroy(d->events.list[--d->events.count]);
  hip_module_unload_all(d);
  while (d->memory.count)
    d->api.Free(d->memory.list[--d->memory.count]);
  if (ours)
    (void)hip_end(d, &turn, FMHAC_OK);
  free(d->events.list);
  free(d->streams.list);
  free(d->memory.list);
  hip_api_unload(&d->api);
  pthread_mutex_destroy(&d->lock);
  pthread_rwlock_destroy(&d->module_lock);
  fmhac_rt_device_deinit(device);
  free(d);
}

static fmhac_status hip_get_info(fmhac_rt_device *device,
                                 fmhac_rt_device_info *info) {
  hip_device *d = hip_self(device);
  snprintf(info->kind, sizeof info->kind, "hip");
  snprintf(info->architecture, sizeof info->architecture, "gfx950");
  snprintf(info->name, sizeof info->name, "%s", d->name);
  int units = 0;
  bool known = d->api.DeviceGetAttribute &&
               !d->api.DeviceGetAttribute(&units, HIP_ATTRIBUTE_COMPUTE_UNITS,
                                          d->ordinal) &&
               units > 0;
  info->compute_units = known ? (uint32_t)units : 0;
  info->lds_bytes_per_workgroup = HIP_LDS_BYTES;
  snprintf(info->driver, sizeof info->driver, "%s", d->api.path);
  size_t bytes = 0;
  known = d->api.DeviceTotalMem && !d->api.DeviceTotalMem(&bytes, d->ordinal);
  info->memory_bytes = known ? bytes : 0;
  return FMHAC_OK;
}

//===- Memory -------------------------------------------------------------===//

static fmhac_status hip_alloc(fmhac_rt_device *device, size_t bytes,
                              uint64_t *out_address) {
  hip_device *d = hip_self(device);
  hip_turn turn;
  fmhac_status status = hip_begin(d, &turn);
  if (status != FMHAC_OK)
    return status;
  void *p = NULL;
  // For 0 bytes HIP returns no address.
  status = hip_check(d, d->api.Malloc(&p, bytes ? bytes : 1), "hipMalloc");
  if (status == FMHAC_OK && !hip_keep(d, &d->memory, p)) {
    d->api.Free(p);
    status = fmhac_rt_fail(device, FMHAC_OUT_OF_MEMORY,
                           "allocating %zu bytes: the host has no memory to "
                           "remember them",
                           bytes);
  }
  if (status == FMHAC_OK)
    *out_address = (uint64_t)(uintptr_t)p;
  return hip_end(d, &turn, status);
}

static fmhac_status hip_release(fmhac_rt_device *device, uint64_t address) {
  hip_device *d = hip_self(device);
  void *p = (void *)(uintptr_t)address;
  if (!hip_let_go(d, &d->memory, p))
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "free: no allocation begins at 0x%llx",
                         (unsigned long long)address);
  hip_turn turn;
  fmhac_status status = HIP_IN_TURN(d, &turn, d->api.Free(p), "hipFree");
  if (status != FMHAC_OK) // it still exists, and its place is free
    (void)hip_keep(d, &d->memory, p);
  return status;
}

/// Puts a transfer on a stream.
static fmhac_status queue(hip_device *d, const fmhac_rt_transfer *t,
                          void *stream) {
  static const struct {
    int copy; ///< hipMemcpyKind
    const char *call;
  } k_kinds[] = {
      [FMHAC_RT_COPY_IN] = {HIP_COPY_HOST_TO_DEVICE,
                            "hipMemcpyAsync to the device"},
      [FMHAC_RT_COPY_OUT] = {HIP_COPY_DEVICE_TO_HOST,
                             "hipMemcpyAsync from the device"},
      [FMHAC_RT_COPY] = {HIP_COPY_DEVICE_TO_DEVICE,
                         "hipMemcpyAsync on the device"},
      [FMHAC_RT_FILL] = {0, "hipMemsetAsync"},
  };
  const int error = t->kind == FMHAC_RT_FILL
                        ? d->api.MemsetAsync(t->to, t->value, t->bytes, stream)
                        : d->api.MemcpyAsync(t->to, t->from, t->bytes,
                                             k_kinds[t->kind].copy, stream);
  return hip_check(d, error, k_kinds[t->kind].call);
}

/// Moves the bytes now. What does not leave the device HIP puts on the default
/// stream and returns, be it hipMemcpy() or hipMemset(); other streams need not
/// wait for that one.
static fmhac_status move(hip_device *d, const fmhac_rt_transfer *t) {
  if (t->kind == FMHAC_RT_COPY_IN)
    return hip_check(
        d, d->api.Memcpy(t->to, t->from, t->bytes, HIP_COPY_HOST_TO_DEVICE),
        "hipMemcpy to the device");
  if (t->kind == FMHAC_RT_COPY_OUT)
    return hip_check(
        d, d->api.Memcpy(t->to, t->from, t->bytes, HIP_COPY_DEVICE_TO_HOST),
        "hipMemcpy from the device");
  fmhac_status status = queue(d, t, NULL);
  return status == FMHAC_OK ? hip_check(d, d->api.StreamSynchronize(NULL),
                                        "hipStreamSynchronize")
                            : status;
}

static fmhac_status hip_transfer(fmhac_rt_device *device,
                                 const fmhac_rt_transfer *t) {
  hip_device *d = hip_self(device);
  hip_turn turn; // the default stream is that of the current device
  fmhac_status status = hip_begin(d, &turn);
  if (status != FMHAC_OK)
    return status;
  // Launches may be on streams that hipMemcpy does not wait for.
  if (!t->is_async)
    status = hip_check(d, d->api.DeviceSynchronize(), "hipDeviceSynchronize");
  if (status == FMHAC_OK && t->bytes)
    status = t->is_async ? queue(d, t, t->stream) : move(d, t);
  return hip_end(d, &turn, status);
}

//===- Open ---------------------------------------------------------------===//

static const fmhac_rt_vtable k_vtable = {
    .kind = "hip",
    .close = hip_close,
    .get_info = hip_get_info,
    .alloc = hip_alloc,
    .release = hip_release,
    .transfer = hip_transfer,
    .module_load = hip_module_load,
    .module_unload = hip_module_unload,
    .launch = hip_launch,
    .synchronize = hip_synchronize,
    .stream_create = hip_stream_create,
    .stream_destroy = hip_stream_destroy,
    .stream_synchronize = hip_stream_synchronize,
    .stream_is_capturing = hip_stream_is_capturing,
    .stream_wait_event = hip_stream_wait_event,
    .event_create = hip_event_create,
    .event_destroy = hip_event_destroy,
    .event_record = hip_event_record,
    .event_synchronize = hip_event_synchronize,
    .event_elapsed = hip_event_elapsed,
};

/// Whether GPU `ordinal` exists and is a gfx950. If not, `text` describes the
/// GPUs that were found.
static bool find_gpu(const hip_api *api, int ordinal, char *text,
                     size_t text_bytes) {
  int count = 0, major = 0, minor = 0;
  const char *call = "hipInit";
  int error = api->Init(0);
  if (!error) {
    call = "hipGetDeviceCount";
    error = api->GetDeviceCount(&count);
  }
  // Without a GPU HIP 5 returns 101, later versions 100.
  if (error == HIP_NO_DEVICE || error == HIP_INVALID_DEVICE ||
      (!error && count <= 0)) {
    snprintf(text, text_bytes,
             "opening hip:%d: %s finds no device (%s: HIP error %d, %s); a GPU "
             "needs the amdgpu driver (/dev/kfd) and the right to use it "
             "(groups render and video), gfx950 needs ROCm 7",
             ordinal, api->path, call, error, api->GetErrorString(error));
    return false;
  }
  if (!error && ordinal >= count) {
    snprintf(text, text_bytes,
             "opening hip:%d: %s finds %d device%s, the last is hip:%d",
             ordinal, api->path, count, count == 1 ? "" : "s", count - 1);
    return false;
  }
  // The numbers are those of the ISA's name: "gfx950" is 9.5
  // (hipDeviceComputeCapability in hipamd/src/hip_device.cpp, ROCm/clr
  // f9f995c). They need neither hipDeviceProp_t nor the numbers of
  // hipDeviceAttribute_t.
  if (!error) {
    call = "hipDeviceComputeCapability";
    error = api->DeviceComputeCapability(&major, &minor, ordinal);
  }
  if (error) {
    snprintf(text, text_bytes,
             "opening hip:%d: %s: %s failed: HIP error %d (%s)", ordinal,
             api->path, call, error, api->GetErrorString(error));
    return false;
  }
  if (major == 9 && minor == 5)
    return true;
  char name[128] = "";
  if (api->DeviceGetName(name, sizeof name, ordinal))
    name[0] = 0;
  snprintf(text, text_bytes,
           "opening hip:%d: expected a gfx950 (MI350, MI355X), found a gfx%d%dx"
           "%s%s (%s); try another hip:N or use --device=emu",
           ordinal, major, minor, name[0] ? ", " : "", name, api->path);
  return false;
}

fmhac_status fmhac_hip_device_create(int ordinal, char *text, size_t text_bytes,
                                     fmhac_rt_device **out_device) {
  *out_device = NULL;
  hip_device *d = calloc(1, sizeof *d);
  if (!d) {
    snprintf(text, text_bytes, "opening hip:%d: out of memory", ordinal);
    return FMHAC_OUT_OF_MEMORY;
  }
  char tried[4096];
  bool ok = hip_api_load(&d->api, HIP_ROCM_FOLDER, tried, sizeof tried);
  if (!ok)
    snprintf(text, text_bytes, "opening hip:%d: %s", ordinal, tried);
  ok = ok && find_gpu(&d->api, ordinal, text, text_bytes);
  if (!ok) {
    hip_api_unload(&d->api);
    free(d);
    return FMHAC_DEVICE_UNAVAILABLE;
  }
  fmhac_rt_device_init(&d->base, &k_vtable);
  pthread_mutex_init(&d->lock, NULL);
  pthread_rwlock_init(&d->module_lock, NULL);
  d->ordinal = ordinal;
  if (d->api.DeviceGetName(d->name, sizeof d->name, ordinal))
    snprintf(d->name, sizeof d->name, "unnamed GPU");
  *out_device = &d->base;
  return FMHAC_OK;
}
