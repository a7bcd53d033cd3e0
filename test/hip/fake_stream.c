// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, each with a thread, and events.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake.h"

static double now_milliseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

fake_stream *fake_find_stream(void *handle) {
  if (!handle)
    return fake_current()->null_stream;
  for (fake_stream *s = fake.streams; s; s = s->next)
    if (s == handle)
      return s->alive && !s->is_null ? s : NULL;
  return NULL;
}

//===- Operations ---------------------------------------------------------===//

fake_op *fake_op_copy(const fake_op *op) {
  fake_op *copy = malloc(sizeof *copy);
  if (!copy)
    abort();
  *copy = *op;
  copy->next = NULL;
  copy->waits = NULL;
  copy->wait_count = 0;
  if (op->kind != OP_KERNEL)
    return copy;
  size_t bytes = op->launch.kernarg_bytes;
  void *kernarg = malloc(bytes + 1);
  char *name = strdup(op->launch.kernel);
  if (!kernarg || !name)
    abort();
  if (bytes)
    memcpy(kernarg, op->launch.kernarg, bytes);
  copy->launch.kernarg = kernarg;
  copy->launch.kernel = name;
  return copy;
}

void fake_op_free(fake_op *op) {
  if (op->kind == OP_KERNEL) {
    free((void *)(uintptr_t)op->launch.kernarg);
    free((char *)(uintptr_t)op->launch.kernel);
  }
  free(op->waits);
  free(op);
}

/// Without the lock.
static void run(fake_device *device, fake_op *op) {
  int fault = 0;
  if (op->kind == OP_KERNEL) {
    fmhac_status status =
        fmhac_rt_launch_kernel(device->emulator, op->module, &op->launch);
    if (status != FMHAC_OK)
      fault = status == FMHAC_CHECK_FAILED ? hipErrorIllegalAddress
                                           : hipErrorLaunchFailure;
  } else if (op->kind == OP_COPY) {
    fault = fake_copy(op->to, op->from, op->bytes, op->copy_kind);
  } else if (op->kind == OP_FILL &&
             fmhac_rt_fill(device->emulator, (uintptr_t)op->to,
                           (uint8_t)op->value, op->bytes) != FMHAC_OK) {
    fault = hipErrorInvalidValue;
  }
  pthread_mutex_lock(&fake.lock);
  if (op->kind == OP_EVENT)
    op->event->milliseconds = now_milliseconds();
  if (fault) {
    device->fault = fault;
    snprintf(fake.fault, sizeof fake.fault, "%s",
             fmhac_rt_last_error(device->emulator));
    if (fake.is_verbose)
      fprintf(stderr, "libamdhip64 of the tests: %s\n", fake.fault);
  }
  pthread_mutex_unlock(&fake.lock);
}

static bool may_begin(const fake_stream *stream) {
  const fake_op *op = stream->first;
  if (!op || op->ticket > stream->begun_until)
    return false;
  for (size_t i = 0; i < op->wait_count; i++)
    if (op->waits[i].stream->done < op->waits[i].ticket)
      return false;
  return true;
}

static void *work(void *argument) {
  fake_stream *stream = argument;
  pthread_mutex_lock(&fake.lock);
  while (stream->alive || stream->first) {
    if (!may_begin(stream)) {
      pthread_cond_wait(&fake.changed, &fake.lock);
      continue;
    }
    fake_op *op = stream->first;
    stream->first = op->next;
    if (!stream->first)
      stream->last = NULL;
    pthread_mutex_unlock(&fake.lock);
    run(stream->device, op);
    pthread_mutex_lock(&fake.lock);
    stream->done = op->ticket;
    fake_op_free(op);
    pthread_cond_broadcast(&fake.changed);
  }
  pthread_mutex_unlock(&fake.lock);
  return NULL;
}

/// Somebody wants the stream to get to `ticket`: it may begin, and so may what
/// it waits for.
static void demand(fake_stream *stream, uint64_t ticket) {
  if (ticket <= stream->begun_until)
    return;
  stream->begun_until = ticket;
  for (fake_op *op = stream->first; op && op->ticket <= ticket; op = op->next)
    for (size_t i = 0; i < op->wait_count; i++)
      demand(op->waits[i].stream, op->waits[i].ticket);
  pthread_cond_broadcast(&fake.changed);
}

static void add_wait(fake_op *op, fake_stream *other) {
  if (other->done == other->queued)
    return;
  struct fake_wait *waits =
      realloc(op->waits, (op->wait_count + 1) * sizeof *waits);
  if (!waits)
    abort();
  op->waits = waits;
  op->waits[op->wait_count++] =
      (struct fake_wait){.stream = other, .ticket = other->queued};
}

void fake_queue(fake_stream *stream, fake_op *op) {
  // The default stream waits for blocking streams, and they for it.
  for (fake_stream *s = fake.streams; s; s = s->next)
    if (s != stream && s->device == stream->device &&
        (stream->is_null ? s->is_blocking : stream->is_blocking && s->is_null))
      add_wait(op, s);
  op->ticket = ++stream->queued;
  op->next = NULL;
  if (stream->last)
    stream->last->next = op;
  else
    stream->first = op;
  stream->last = op;
  if (!stream->has_thread) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, stream) != 0)
      abort();
    pthread_detach(thread);
    stream->has_thread = true;
  }
  if (fake.is_eager)
    demand(stream, op->ticket);
}

void fake_wait(fake_stream *stream, uint64_t ticket) {
  demand(stream, ticket);
  while (stream->done < ticket)
    pthread_cond_wait(&fake.changed, &fake.lock);
}

void fake_wait_device(fake_device *device) {
  for (fake_stream *s = fake.streams; s; s = s->next)
    if (s->device == device)
      fake_wait(s, s->queued);
}

void fake_wait_blocking(fake_device *device) {
  for (fake_stream *s = fake.streams; s; s = s->next)
    if (s->device == device && (s->is_blocking || s->is_null))
      fake_wait(s, s->queued);
}

int fake_take_fault(fake_device *device) {
  int fault = device->fault;
  device->fault = 0;
  return fault;
}

//===- Streams ------------------------------------------------------------===//

static int create_stream(void **out, unsigned flags) {
  if (!out || flags > 1)
    return hipErrorInvalidValue;
  fake_stream *stream = calloc(1, sizeof *stream);
  if (!stream)
    return hipErrorOutOfMemory;
  *stream = (fake_stream){.device = fake_current(),
                          .alive = true,
                          .is_blocking = flags == 0,
                          .next = fake.streams};
  fake.streams = stream;
  *out = stream;
  return hipSuccess;
}

int hipStreamCreate(void **stream) {
  int error = fake_enter("hipStreamCreate");
  return fake_leave(error ? error : create_stream(stream, 0));
}

int hipStreamCreateWithFlags(void **stream, unsigned flags) {
  int error = fake_enter("hipStreamCreateWithFlags");
  return fake_leave(error ? error : create_stream(stream, flags));
}

int hipStreamDestroy(void *handle) {
  int error = fake_enter("hipStreamDestroy");
  fake_stream *stream = handle ? fake_find_stream(handle) : NULL;
  if (!error && !stream)
    error = handle ? hipErrorContextIsDestroyed : hipErrorInvalidHandle;
  if (!error) {
    fake_wait(stream, stream->queued);
    while (stream->captured) {
      fake_op *op = stream->captured;
      stream->captured = op->next;
      fake_op_free(op);
    }
    stream->capture = CAPTURE_NONE;
    stream->alive = false;
    pthread_cond_broadcast(&fake.changed);
  }
  return fake_leave(error);
}

int hipStreamSynchronize(void *handle) {
  int error = fake_enter("hipStreamSynchronize");
  fake_stream *stream = fake_find_stream(handle);
  if (!error && !stream)
    error = hipErrorContextIsDestroyed;
  if (!error && handle)
    error = fake_forbid_on(stream);
  if (!error) {
    if (stream->is_null)
      fake_wait_blocking(stream->device);
    else
      fake_wait(stream, stream->queued);
    error = fake_take_fault(stream->device);
  }
  return fake_leave(error);
}

int hipStreamQuery(void *handle) {
  int error = fake_enter("hipStreamQuery");
  fake_stream *stream = fake_find_stream(handle);
  if (!error && !stream)
    error = hipErrorContextIsDestroyed;
  if (!error && stream->done < stream->queued) {
    demand(stream, stream->queued); // who asks again must see it come
    error = hipErrorNotReady;
  }
  return fake_leave(error);
}

int hipDeviceSynchronize(void) {
  int error = fake_enter("hipDeviceSynchronize");
  if (!error)
    error = fake_forbid_while(hipErrorStreamCaptureUnsupported);
  if (!error) {
    fake_wait_device(fake_current());
    error = fake_take_fault(fake_current());
  }
  return fake_leave(error);
}

//===- Events -------------------------------------------------------------===//

static fake_event *find_event(const void *handle) {
  fake_event *e = fake.events;
  while (e && e != handle)
    e = e->next;
  return e;
}

static int create_event(void **out, unsigned flags) {
  if (!out)
    return hipErrorInvalidValue;
  fake_event *event = calloc(1, sizeof *event);
  if (!event)
    return hipErrorOutOfMemory;
  event->is_timed = !(flags & 2); // hipEventDisableTiming
  event->next = fake.events;
  fake.events = event;
  *out = event;
  return hipSuccess;
}

int hipEventCreate(void **event) {
  int error = fake_enter("hipEventCreate");
  return fake_leave(error ? error : create_event(event, 0));
}

int hipEventCreateWithFlags(void **event, unsigned flags) {
  int error = fake_enter("hipEventCreateWithFlags");
  return fake_leave(error ? error : create_event(event, flags));
}

int hipEventRecord(void *handle, void *stream_handle) {
  int error = fake_enter("hipEventRecord");
  fake_event *event = find_event(handle);
  fake_stream *stream = fake_find_stream(stream_handle);
  if (!error && !event)
    error = hipErrorInvalidHandle;
  if (!error && !stream)
    error = hipErrorContextIsDestroyed;
  if (!error && stream->capture) // a capture here has one stream
    error = hipErrorNotSupported;
  if (!error) {
    fake_op op = {.kind = OP_EVENT, .event = event};
    fake_queue(stream, fake_op_copy(&op));
    event->stream = stream;
    event->ticket = stream->queued;
  }
  return fake_leave(error);
}

int hipStreamWaitEvent(void *handle, void *event_handle, unsigned flags) {
  int error = fake_enter("hipStreamWaitEvent");
  fake_event *event = find_event(event_handle);
  fake_stream *stream = fake_find_stream(handle);
  if (!error && flags)
    error = hipErrorInvalidValue;
  if (!error && !event)
    error = hipErrorInvalidHandle;
  if (!error && !stream)
    error = hipErrorContextIsDestroyed;
  if (!error && stream->capture) // a capture here has one stream
    error = hipErrorNotSupported;
  if (!error && event->stream && event->stream != stream) {
    const fake_op op = {.kind = OP_WAIT};
    fake_op *wait = fake_op_copy(&op);
    wait->waits = malloc(sizeof *wait->waits);
    if (!wait->waits)
      abort();
    wait->waits[wait->wait_count++] =
        (struct fake_wait){.stream = event->stream, .ticket = event->ticket};
    fake_queue(stream, wait);
  }
  return fake_leave(error);
}

static bool is_reached(const fake_event *event) {
  return !event->stream || event->stream->done >= event->ticket;
}

int hipEventQuery(void *handle) {
  int error = fake_enter("hipEventQuery");
  fake_event *event = find_event(handle);
  if (!error && !event)
    error = hipErrorInvalidHandle;
  if (!error && !is_reached(event)) {
    demand(event->stream, event->ticket);
    error = hipErrorNotReady;
  }
  return fake_leave(error);
}

int hipEventSynchronize(void *handle) {
  int error = fake_enter("hipEventSynchronize");
  fake_event *event = find_event(handle);
  if (!error && !event)
    error = hipErrorInvalidHandle;
  if (!error && event->stream) {
    fake_wait(event->stream, event->ticket);
    error = fake_take_fault(event->stream->device);
  }
  return fake_leave(error);
}

int hipEventElapsedTime(float *milliseconds, void *start, void *stop) {
  int error = fake_enter("hipEventElapsedTime");
  const fake_event *from = find_event(start), *to = find_event(stop);
  if (!error && !milliseconds)
    error = hipErrorInvalidValue;
  if (!error && (!from || !to || !from->stream || !to->stream ||
                 !from->is_timed || !to->is_timed))
    error = hipErrorInvalidHandle;
  if (!error && (!is_reached(from) || !is_reached(to)))
    error = hipErrorNotReady;
  if (!error)
    *milliseconds = (float)(to->milliseconds - from->milliseconds);
  return fake_leave(error);
}

int hipEventDestroy(void *handle) {
  int error = fake_enter("hipEventDestroy");
  fake_event *event = find_event(handle);
  if (!error && !event)
    error = hipErrorInvalidHandle;
  if (!error) {
    if (event->stream)
      fake_wait(event->stream, event->ticket);
    fake_event **at = &fake.events;
    while (*at != event)
      at = &(*at)->next;
    *at = event->next;
    free(event);
  }
  return fake_leave(error);
}
