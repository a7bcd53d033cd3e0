// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_hip.h"

#include <stdio.h>
#include <stdlib.h>

/// A sample takes at least this, so that a launch's own cost on the host does
/// not count for a short kernel.
static const double k_least_seconds = 5e-3;
enum { MOST_LAUNCHES = 1000 };

typedef struct stopwatch {
  run_device *d;
  const fmhac_context *context;
  const fmhac_plan *plan;
  const fmhac_tensors *tensors;
  void *stream;
  char *error;
} stopwatch;

/// Launches `count` times and waits: the seconds of all.
static fmhac_status take(const stopwatch *w, int64_t count,
                         double *out_seconds) {
  double start = seconds_now();
  for (int64_t i = 0; i < count; ++i) {
    fmhac_status status =
        fmhac_launch(w->plan, w->d->device, w->tensors,
                     (void *)(uintptr_t)w->d->workspace, w->stream);
    if (status != FMHAC_OK) {
      snprintf(w->error, ERROR_BYTES, "%s", fmhac_last_error(w->context));
      return status;
    }
  }
  fmhac_status status = fmhac_rt_stream_synchronize(w->d->device, w->stream);
  *out_seconds = seconds_now() - start;
  if (status != FMHAC_OK)
    snprintf(w->error, ERROR_BYTES, "%s: waiting for the launches: %s",
             w->d->uri, fmhac_rt_last_error(w->d->device));
  return status;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static fmhac_status measure(const stopwatch *w, int64_t warmup, int64_t samples,
                            double *list, bench_times *out) {
  double seconds = 0;
  // The first one loads the kernel, whatever is asked for.
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

bool bench_measure(run_device *d, const fmhac_context *context,
                   const fmhac_plan *plan, const fmhac_tensors *tensors,
                   int64_t warmup, int64_t samples, bench_times *out_times,
                   fmhac_status *out_status, char error[ERROR_BYTES]) {
  *out_times = (bench_times){0};
  stopwatch w = {d, context, plan, tensors, NULL, error};
  double *list = calloc((size_t)samples, sizeof *list);
  *out_status =
      list ? fmhac_rt_stream_create(d->device, &w.stream) : FMHAC_OUT_OF_MEMORY;
  if (!list)
    snprintf(error, ERROR_BYTES, "no memory for %lld samples",
             (long long)samples);
  else if (*out_status != FMHAC_OK)
    snprintf(error, ERROR_BYTES, "%s: making a stream: %s", d->uri,
             fmhac_rt_last_error(d->device));
  else
    *out_status = measure(&w, warmup, samples, list, out_times);
  free(list);
  if (w.stream && fmhac_rt_stream_destroy(d->device, w.stream) != FMHAC_OK &&
      *out_status == FMHAC_OK) {
    *out_status = FMHAC_LAUNCH_FAILED;
    snprintf(error, ERROR_BYTES, "%s: closing the stream: %s", d->uri,
             fmhac_rt_last_error(d->device));
  }
  return *out_status == FMHAC_OK;
}
