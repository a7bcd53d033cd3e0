// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream capture and graphs.
#include <stdlib.h>

#include "fake.h"

static _Thread_local int t_mode = MODE_GLOBAL;

static bool is_mine(const fake_stream *s) {
  return pthread_equal(s->capturer, pthread_self());
}

int fake_forbid_unsafe(void) {
  if (t_mode == MODE_RELAXED)
    return hipSuccess;
  bool found = false;
  for (fake_stream *s = fake.streams; s; s = s->next)
    if (s->capture && s->mode != MODE_RELAXED &&
        (is_mine(s) || (t_mode == MODE_GLOBAL && s->mode == MODE_GLOBAL))) {
      s->capture = CAPTURE_INVALIDATED;
      found = true;
    }
  return found ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

int fake_forbid_while(int error) {
  bool found = false;
  for (fake_stream *s = fake.streams; s; s = s->next)
    if (s->capture) {
      s->capture = CAPTURE_INVALIDATED;
      found = true;
    }
  return found ? error : hipSuccess;
}

int fake_forbid_on(fake_stream *stream) {
  if (!stream->capture)
    return fake_forbid_unsafe();
  stream->capture = CAPTURE_INVALIDATED;
  return hipErrorStreamCaptureUnsupported;
}

bool fake_captures(fake_stream *stream, fake_op *op, int *out_error) {
  *out_error = stream->capture == CAPTURE_INVALIDATED
                   ? hipErrorStreamCaptureInvalidated
                   : hipSuccess;
  if (stream->capture == CAPTURE_ACTIVE) {
    fake_op **at = &stream->captured;
    while (*at)
      at = &(*at)->next;
    *at = fake_op_copy(op);
  }
  return stream->capture != CAPTURE_NONE;
}

int hipThreadExchangeStreamCaptureMode(int *mode) {
  int error = fake_enter("hipThreadExchangeStreamCaptureMode");
  if (!error && (!mode || *mode < MODE_GLOBAL || *mode > MODE_RELAXED))
    error = hipErrorInvalidValue;
  if (!error) {
    int before = t_mode;
    t_mode = *mode;
    *mode = before;
  }
  return fake_leave(error);
}

int hipStreamBeginCapture(void *handle, int mode) {
  int error = fake_enter("hipStreamBeginCapture");
  fake_stream *stream = fake_find_stream(handle);
  if (!error && !stream)
    error = hipErrorContextIsDestroyed;
  if (!error && stream->is_null)
    error = hipErrorStreamCaptureUnsupported;
  if (!error && (mode < MODE_GLOBAL || mode > MODE_RELAXED))
    error = hipErrorInvalidValue;
  if (!error && stream->capture)
    error = hipErrorIllegalState;
  if (!error) {
    stream->capture = CAPTURE_ACTIVE;
    stream->mode = mode;
    stream->capturer = pthread_self();
  }
  return fake_leave(error);
}

int hipStreamIsCapturing(void *handle, int *status) {
  int error = fake_enter("hipStreamIsCapturing");
  fake_stream *stream = fake_find_stream(handle);
  if (!error && !status)
    error = hipErrorInvalidValue;
  if (!error && !stream)
    error = hipErrorContextIsDestroyed;
  for (fake_stream *s = fake.streams; !error && stream->is_null && s;
       s = s->next)
    if (s->capture && s->is_blocking)
      error = hipErrorStreamCaptureImplicit;
  if (!error)
    *status = stream->capture;
  return fake_leave(error);
}

static fake_graph *add_graph(bool is_exec, fake_op *ops) {
  fake_graph *graph = malloc(sizeof *graph);
  if (!graph)
    abort();
  *graph = (fake_graph){.next = fake.graphs, .is_exec = is_exec, .ops = ops};
  fake.graphs = graph;
  return graph;
}

static void free_ops(fake_op *op) {
  while (op) {
    fake_op *next = op->next;
    fake_op_free(op);
    op = next;
  }
}

int hipStreamEndCapture(void *handle, void **out_graph) {
  int error = fake_enter("hipStreamEndCapture");
  fake_stream *stream = fake_find_stream(handle);
  if (!error && !out_graph)
    error = hipErrorInvalidValue;
  if (!error && !stream)
    error = hipErrorContextIsDestroyed;
  if (!error && !stream->capture)
    error = hipErrorIllegalState;
  if (!error && stream->mode != MODE_RELAXED && !is_mine(stream))
    error = hipErrorStreamCaptureWrongThread;
  if (error)
    return fake_leave(error);
  fake_op *ops = stream->captured;
  stream->captured = NULL;
  *out_graph = NULL;
  if (stream->capture == CAPTURE_INVALIDATED) {
    free_ops(ops);
    error = hipErrorStreamCaptureInvalidated;
  } else {
    *out_graph = add_graph(false, ops);
  }
  stream->capture = CAPTURE_NONE;
  return fake_leave(error);
}

static fake_graph **find_graph(const void *handle, bool is_exec) {
  fake_graph **at = &fake.graphs;
  while (*at && (*at != handle || (*at)->is_exec != is_exec))
    at = &(*at)->next;
  return at;
}

int hipGraphInstantiate(void **exec, void *handle, void **error_node, char *log,
                        size_t log_bytes) {
  int error = fake_enter("hipGraphInstantiate");
  const fake_graph *graph = *find_graph(handle, false);
  (void)error_node;
  if (!error && (!exec || !graph))
    error = hipErrorInvalidValue;
  if (!error && log && log_bytes)
    log[0] = 0;
  if (!error) {
    fake_op *first = NULL, **at = &first;
    for (const fake_op *op = graph->ops; op; op = op->next) {
      *at = fake_op_copy(op);
      at = &(*at)->next;
    }
    *exec = add_graph(true, first);
  }
  return fake_leave(error);
}

int hipGraphLaunch(void *exec, void *handle) {
  int error = fake_enter("hipGraphLaunch");
  const fake_graph *graph = *find_graph(exec, true);
  fake_stream *stream = fake_find_stream(handle);
  if (!error && !graph)
    error = hipErrorInvalidValue;
  if (!error && !stream)
    error = hipErrorContextIsDestroyed;
  if (!error && stream->capture) // graphs within graphs no test needs
    error = hipErrorNotSupported;
  for (const fake_op *op = error ? NULL : graph->ops; op; op = op->next)
    fake_queue(stream, fake_op_copy(op));
  return fake_leave(error);
}

static int destroy(const void *handle, bool is_exec) {
  fake_graph **at = find_graph(handle, is_exec);
  fake_graph *graph = *at;
  if (!graph)
    return hipErrorInvalidValue;
  *at = graph->next;
  free_ops(graph->ops);
  free(graph);
  return hipSuccess;
}

int hipGraphExecDestroy(void *exec) {
  int error = fake_enter("hipGraphExecDestroy");
  return fake_leave(error ? error : destroy(exec, true));
}

int hipGraphDestroy(void *graph) {
  int error = fake_enter("hipGraphDestroy");
  return fake_leave(error ? error : destroy(graph, false));
}
