// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The inside of a "hip" device, for its parts: hip_device.c (open, close,
/// memory, transfers), hip_stream.c (streams and events) and hip_module.c (code
/// objects and launches).
#ifndef FMHAC_HIP_DEVICE_H
#define FMHAC_HIP_DEVICE_H

#include "device.h"
#include "hip_loader.h"

/// LDS of a workgroup on gfx950.
enum { HIP_LDS_BYTES = 163840 };

typedef struct hip_module hip_module;

/// Things that HIP made and that closing the device takes back.
typedef struct hip_owned {
  void **list;
  size_t count, capacity;
} hip_owned;

typedef struct hip_device {
  fmhac_rt_device base;
  hip_api api;
  int ordinal;
  char name[128];
  /// Guards `modules`. Launches only read it, so that they do not wait for each
  /// other.
  pthread_rwlock_t module_lock;
  hip_module *modules;
  pthread_mutex_t lock; ///< guards the fields below; no launch takes it
  hip_owned memory, streams, events;
} hip_device;

static inline hip_device *hip_self(fmhac_rt_device *device) {
  return (hip_device *)(void *)device;
}

/// Turns an error of the runtime into status and text; 0 is FMHAC_OK. `what` is
/// the call that returned it.
fmhac_status hip_check(hip_device *d, int error, const char *what);

/// A thread's current HIP device, which belongs to the caller: where it is
/// another, hip_begin() makes this one current and hip_end() puts it back.
typedef struct hip_turn {
  int before;
  bool changed;
  fmhac_status begun; ///< of HIP_IN_TURN()
} hip_turn;
fmhac_status hip_begin(hip_device *d, hip_turn *turn);
/// Returns `status`. Only after a hip_begin() that succeeded.
fmhac_status hip_end(hip_device *d, const hip_turn *turn, fmhac_status status);

/// The status of `call`, a call of HIP named `name`, while this device is the
/// current one.
#define HIP_IN_TURN(d, turn, call, name)                                       \
  (((turn)->begun = hip_begin((d), (turn))) == FMHAC_OK                        \
       ? hip_end((d), (turn), hip_check((d), (call), (name)))                  \
       : (turn)->begun)

/// Keeps `made`; false if there is no memory for that (hip_device.c).
bool hip_keep(hip_device *d, hip_owned *owned, void *made);
/// Takes `made` out; false if it is not there.
bool hip_let_go(hip_device *d, hip_owned *owned, const void *made);

fmhac_status hip_synchronize(fmhac_rt_device *device);
fmhac_status hip_stream_create(fmhac_rt_device *device, void **out_stream);
fmhac_status hip_stream_destroy(fmhac_rt_device *device, void *stream);
fmhac_status hip_stream_synchronize(fmhac_rt_device *device, void *stream);
fmhac_status hip_stream_is_capturing(fmhac_rt_device *device, void *stream,
                                     bool *out_capturing);
fmhac_status hip_stream_wait_event(fmhac_rt_device *device, void *stream,
                                   fmhac_rt_event *event);
fmhac_status hip_event_create(fmhac_rt_device *device,
                              fmhac_rt_event **out_event);
fmhac_status hip_event_destroy(fmhac_rt_device *device, fmhac_rt_event *event);
fmhac_status hip_event_record(fmhac_rt_device *device, fmhac_rt_event *event,
                              void *stream);
fmhac_status hip_event_synchronize(fmhac_rt_device *device,
                                   fmhac_rt_event *event);
fmhac_status hip_event_elapsed(fmhac_rt_device *device, fmhac_rt_event *start,
                               fmhac_rt_event *end, double *out_seconds);

fmhac_status hip_module_load(fmhac_rt_device *device, const void *code,
                             size_t bytes, fmhac_rt_module **out_module);
void hip_module_unload(fmhac_rt_device *device, fmhac_rt_module *module);
/// Unloads all that the device holds.
void hip_module_unload_all(hip_device *d);
fmhac_status hip_launch(fmhac_rt_device *device, fmhac_rt_module *module,
                        const fmhac_rt_launch *launch);

#endif // FMHAC_HIP_DEVICE_H
