// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "control.h"

#include <stdio.h>
#include <sys/socket.h>
#include <time.h>

#include "context.h"

int64_t fmhac_now_milliseconds(void) {
  enum { PER_SECOND = 1000, NANOSECONDS_EACH = 1000000 };
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * PER_SECOND + now.tv_nsec / NANOSECONDS_EACH;
}

int64_t fmhac_control_deadline(const fmhac_context *context) {
  return fmhac_now_milliseconds() +
         (int64_t)context->options.compile_timeout_seconds * 1000;
}

fmhac_status fmhac_control_fail_timed_out(fmhac_context *context,
                                          const char *schedule,
                                          const char *pass) {
  return fmhac_fail(
      context, FMHAC_COMPILE_TIMED_OUT,
      "compiling with schedule '%s': not done after %u s%s%s; try a schedule "
      "with a smaller tile_m or tile_n, or give it more time: "
      "compile_timeout_seconds, FMHAC_COMPILE_TIMEOUT",
      schedule, context->options.compile_timeout_seconds,
      pass[0] ? ", in pass " : "", pass);
}

void fmhac_control_init(fmhac_control *control) {
  *control = (fmhac_control){.socket = -1};
  pthread_mutex_init(&control->lock, NULL);
}

void fmhac_control_deinit(fmhac_control *control) {
  pthread_mutex_destroy(&control->lock);
}

bool fmhac_control_advance(fmhac_control *control, const char *pass,
                           uint32_t done, uint32_t total) {
  if (!control)
    return true;
  pthread_mutex_lock(&control->lock);
  bool go_on = !control->cancelled;
  if (go_on) {
    control->done = done;
    control->total = total;
    snprintf(control->pass, sizeof control->pass, "%s", pass);
  }
  pthread_mutex_unlock(&control->lock);
  if (go_on && control->progress)
    control->progress(control->user, pass, done, total);
  return go_on && !fmhac_control_is_cancelled(control);
}

void fmhac_control_cancel(fmhac_control *control) {
  pthread_mutex_lock(&control->lock);
  control->cancelled = true;
  // The socket stays open until its owner leaves: its number is no other's.
  if (control->socket >= 0)
    shutdown(control->socket, SHUT_RDWR);
  pthread_mutex_unlock(&control->lock);
}

bool fmhac_control_is_cancelled(fmhac_control *control) {
  if (!control)
    return false;
  pthread_mutex_lock(&control->lock);
  bool cancelled = control->cancelled;
  pthread_mutex_unlock(&control->lock);
  return cancelled;
}

bool fmhac_control_enter(fmhac_control *control, int socket) {
  if (!control)
    return true;
  pthread_mutex_lock(&control->lock);
  bool go_on = !control->cancelled;
  if (go_on)
    control->socket = socket;
  pthread_mutex_unlock(&control->lock);
  return go_on;
}

void fmhac_control_leave(fmhac_control *control) {
  if (!control)
    return;
  pthread_mutex_lock(&control->lock);
  control->socket = -1;
  pthread_mutex_unlock(&control->lock);
}
