// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events of a "hip" device.
#include "hip_device.h"

/// Keeps an object that HIP made with `status`; destroys it if the host has no
/// memory for that.
static fmhac_status keep_made(hip_device *d, fmhac_status status,
                              hip_owned *owned, void *made,
                              int (*destroy)(void *), const char *verb) {
  if (status != FMHAC_OK || hip_keep(d, owned, made))
    return status;
  destroy(made);
  return fmhac_rt_fail(&d->base, FMHAC_OUT_OF_MEMORY, "%s: out of memory",
                       verb);
}

/// Destroys an object that hip_let_go() took out; keeps it again if HIP fails.
static fmhac_status destroy_kept(hip_device *d, hip_owned *owned, void *made,
                                 int (*destroy)(void *), const char *call) {
  fmhac_status status = hip_check(d, destroy(made), call);
  if (status != FMHAC_OK) // it still exists, and its place is free
    (void)hip_keep(d, owned, made);
  return status;
}

//===- Streams ------------------------------------------------------------===//

fmhac_status hip_synchronize(fmhac_rt_device *device) {
  hip_device *d = hip_self(device);
  hip_turn turn;
  return HIP_IN_TURN(d, &turn, d->api.DeviceSynchronize(),
                     "hipDeviceSynchronize");
}

fmhac_status hip_stream_create(fmhac_rt_device *device, void **out_stream) {
  hip_device *d = hip_self(device);
  hip_turn turn;
  fmhac_status status = hip_begin(d, &turn);
  if (status != FMHAC_OK)
    return status;
  void *stream = NULL;
  status = hip_check(
      d, d->api.StreamCreateWithFlags(&stream, HIP_STREAM_NON_BLOCKING),
      "hipStreamCreateWithFlags");
  status = keep_made(d, status, &d->streams, stream, d->api.StreamDestroy,
                     "making a stream");
  if (status == FMHAC_OK)
    *out_stream = stream;
  return hip_end(d, &turn, status);
}

fmhac_status hip_stream_destroy(fmhac_rt_device *device, void *stream) {
  hip_device *d = hip_self(device);
  if (!hip_let_go(d, &d->streams, stream))
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "destroying a stream: %p is not a stream of this "
                         "device",
                         stream);
  return destroy_kept(d, &d->streams, stream, d->api.StreamDestroy,
                      "hipStreamDestroy");
}

fmhac_status hip_stream_synchronize(fmhac_rt_device *device, void *stream) {
  hip_device *d = hip_self(device);
  hip_turn turn; // the default stream belongs to the current device
  return HIP_IN_TURN(d, &turn, d->api.StreamSynchronize(stream),
                     "hipStreamSynchronize");
}

fmhac_status hip_stream_is_capturing(fmhac_rt_device *device, void *stream,
                                     bool *out_capturing) {
  hip_device *d = hip_self(device);
  int capture = HIP_CAPTURE_NONE;
  // The default stream cannot be captured.
  if (!stream || !d->api.StreamIsCapturing)
    return FMHAC_OK;
  fmhac_status status = hip_check(d, d->api.StreamIsCapturing(stream, &capture),
                                  "hipStreamIsCapturing");
  *out_capturing = capture != HIP_CAPTURE_NONE;
  return status;
}

//===- Events -------------------------------------------------------------===//

/// Checks that the event belongs to this device: else INVALID_INPUT with a
/// text. HIP may follow a pointer that it does not know.
static fmhac_status find_event(hip_device *d, const fmhac_rt_event *event,
                               const char *verb) {
  bool found = false;
  pthread_mutex_lock(&d->lock);
  for (size_t i = 0; i < d->events.count && !found; i++)
    found = d->events.list[i] == (const void *)event;
  pthread_mutex_unlock(&d->lock);
  return found ? FMHAC_OK
               : fmhac_rt_fail(&d->base, FMHAC_INVALID_INPUT,
                               "%s: %p is not an event of this device", verb,
                               (const void *)event);
}

fmhac_status hip_stream_wait_event(fmhac_rt_device *device, void *stream,
                                   fmhac_rt_event *event) {
  hip_device *d = hip_self(device);
  hip_turn turn; // the default stream belongs to the current device
  fmhac_status status = find_event(d, event, "letting a stream wait");
  return status == FMHAC_OK
             ? HIP_IN_TURN(d, &turn, d->api.StreamWaitEvent(stream, event, 0),
                           "hipStreamWaitEvent")
             : status;
}

fmhac_status hip_event_create(fmhac_rt_device *device,
                              fmhac_rt_event **out_event) {
  hip_device *d = hip_self(device);
  hip_turn turn; // an event belongs to the device that is current here
  fmhac_status status = hip_begin(d, &turn);
  if (status != FMHAC_OK)
    return status;
  void *event = NULL;
  status = hip_check(d, d->api.EventCreateWithFlags(&event, HIP_EVENT_DEFAULT),
                     "hipEventCreateWithFlags");
  status = keep_made(d, status, &d->events, event, d->api.EventDestroy,
                     "making an event");
  if (status == FMHAC_OK)
    *out_event = event;
  return hip_end(d, &turn, status);
}

fmhac_status hip_event_destroy(fmhac_rt_device *device, fmhac_rt_event *event) {
  hip_device *d = hip_self(device);
  if (!hip_let_go(d, &d->events, event))
    return find_event(d, event, "destroying an event");
  return destroy_kept(d, &d->events, event, d->api.EventDestroy,
                      "hipEventDestroy");
}

fmhac_status hip_event_record(fmhac_rt_device *device, fmhac_rt_event *event,
                              void *stream) {
  hip_device *d = hip_self(device);
  hip_turn turn; // the default stream belongs to the current device
  fmhac_status status = find_event(d, event, "recording an event");
  return status == FMHAC_OK
             ? HIP_IN_TURN(d, &turn, d->api.EventRecord(event, stream),
                           "hipEventRecord")
             : status;
}

fmhac_status hip_event_synchronize(fmhac_rt_device *device,
                                   fmhac_rt_event *event) {
  hip_device *d = hip_self(device);
  fmhac_status status = find_event(d, event, "waiting for an event");
  return status == FMHAC_OK ? hip_check(d, d->api.EventSynchronize(event),
                                        "hipEventSynchronize")
                            : status;
}

fmhac_status hip_event_elapsed(fmhac_rt_device *device, fmhac_rt_event *start,
                               fmhac_rt_event *end, double *out_seconds) {
  hip_device *d = hip_self(device);
  float milliseconds = 0;
  fmhac_status status = hip_event_synchronize(device, start);
  if (status == FMHAC_OK)
    status = hip_event_synchronize(device, end);
  if (status == FMHAC_OK)
    status =
        hip_check(d, d->api.EventElapsedTime(&milliseconds, start, end),
                  "time between events, which must both have been recorded: "
                  "hipEventElapsedTime");
  *out_seconds = 1e-3 * (double)milliseconds;
  return status;
}
