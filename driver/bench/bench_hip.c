// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_hip.h"

#include "fmhac_work.h"
#include "kernel_object.h"

#include <stdio.h>
#include <stdlib.h>

/// A sample takes at least this long, so that the gap between two launches does
/// not count for a short kernel.
static const double k_least_seconds = 5e-3;
enum { MOST_LAUNCHES = 1000 };

typedef struct stopwatch {
  run_device *d;
  const fmhac_context *context;
  const fmhac_plan *plan;
  const fmhac_tensors *tensors;
  int64_t layers;
  bool shares; ///< layers of a step: what the first one planned
  void *stream;
  fmhac_rt_event *start, *end;
  char *error;
} stopwatch;

/// Ends a call of the device.
static fmhac_status with_text(const stopwatch *w, fmhac_status status,
                              const char *what) {
  if (status != FMHAC_OK)
    snprintf(w->error, ERROR_BYTES, "%s: %s: %s", w->d->uri, what,
             fmhac_rt_last_error(w->d->device));
  return status;
}

static fmhac_status record(const stopwatch *w, fmhac_rt_event *event) {
  return with_text(w, fmhac_rt_event_record(w->d->device, event, w->stream),
                   "recording an event");
}

/// The layers of a step after its first one walk the lists of that, if there
/// are any.
static fmhac_status launch(const stopwatch *w, bool is_first) {
  void *workspace = (void *)(uintptr_t)w->d->workspace;
  const bool planned = w->shares && !is_first;
  const fmhac_status status = (planned ? fmhac_launch_planned : fmhac_launch)(
      w->plan, w->d->device, w->tensors, workspace, w->stream);
  if (status != FMHAC_OK)
    snprintf(w->error, ERROR_BYTES, "%s", fmhac_last_error(w->context));
  return status;
}

/// Launches `count` times and waits: the seconds of all by the device's clock.
static fmhac_status take(const stopwatch *w, int64_t count,
                         double *out_seconds) {
  fmhac_status status = record(w, w->start);
  for (int64_t i = 0; i < count && status == FMHAC_OK; ++i)
    status = launch(w, i % w->layers == 0);
  if (status == FMHAC_OK)
    status = record(w, w->end);
  if (status == FMHAC_OK)
    status = with_text(
        w, fmhac_rt_event_elapsed(w->d->device, w->start, w->end, out_seconds),
        "waiting for the launches");
  return status;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static fmhac_status measure(const stopwatch *w, int64_t warmup, int64_t samples,
                            double *list, bench_times *out) {
  double seconds = 0;
  // The first launch loads the kernel, so at least one is made.
  fmhac_status status = take(w, 1, &seconds);
  if (status == FMHAC_OK)
    status = take(w, warmup > 1 ? warmup : 1, &seconds);
  if (status != FMHAC_OK)
    return status;
  double one = seconds / (double)(warmup > 1 ? warmup : 1);
  double wanted = one > 0 ? k_least_seconds / one : MOST_LAUNCHES;
  out->launches = wanted < 1               ? 1
                  : wanted > MOST_LAUNCHES ? MOST_LAUNCHES
                                           : (int64_t)wanted + 1;
  out->launches = (out->launches + w->layers - 1) / w->layers * w->layers;
  for (int64_t i = 0; i < samples && status == FMHAC_OK; ++i) {
    status = take(w, out->launches, &seconds);
    list[i] = seconds / (double)out->launches;
  }
  if (status != FMHAC_OK)
    return status;
  qsort(list, (size_t)samples, sizeof *list, by_size);
  out->least = list[0];
  out->median = list[samples / 2];
  out->most = list[samples - 1];
  return FMHAC_OK;
}

/// Makes stream and events.
static fmhac_status open_watch(stopwatch *w) {
  fmhac_rt_device *d = w->d->device;
  fmhac_status status =
      with_text(w, fmhac_rt_stream_create(d, &w->stream), "making a stream");
  if (status == FMHAC_OK)
    status =
        with_text(w, fmhac_rt_event_create(d, &w->start), "making an event");
  if (status == FMHAC_OK)
    status = with_text(w, fmhac_rt_event_create(d, &w->end), "making an event");
  return status;
}

/// Destroys those that exist.
static fmhac_status close_watch(const stopwatch *w) {
  fmhac_rt_device *d = w->d->device;
  const fmhac_status start = fmhac_rt_event_destroy(d, w->start),
                     end = fmhac_rt_event_destroy(d, w->end),
                     stream = fmhac_rt_stream_destroy(d, w->stream);
  return start != FMHAC_OK ? start : end != FMHAC_OK ? end : stream;
}

bool bench_measure(run_device *d, const fmhac_context *context,
                   const fmhac_plan *plan, const fmhac_tensors *tensors,
                   int64_t layers, int64_t warmup, int64_t samples,
                   bench_times *out_times, fmhac_status *out_status,
                   char error[ERROR_BYTES]) {
  *out_times = (bench_times){0};
  stopwatch w = {.d = d,
                 .context = context,
                 .plan = plan,
                 .tensors = tensors,
                 .layers = layers,
                 .shares = plan_first_attention(plan) > 0,
                 .error = error};
  double *list = calloc((size_t)samples, sizeof *list);
  if (!list)
    snprintf(error, ERROR_BYTES, "no memory for %lld samples",
             (long long)samples);
  *out_status = list ? open_watch(&w) : FMHAC_OUT_OF_MEMORY;
  if (*out_status == FMHAC_OK)
    *out_status = measure(&w, warmup, samples, list, out_times);
  free(list);
  const fmhac_status closed = close_watch(&w);
  if (*out_status == FMHAC_OK)
    *out_status = with_text(&w, closed, "closing the stream");
  return *out_status == FMHAC_OK;
}
