// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "control.h"

#include <stdio.h>
#include <sys/socket.h>

void fmhac_control_init(fmhac_control *control) {
  *control = (fmhac_control){.socket = -1};
  pthread_mutex_init(&control->lock, NULL);
}

void fmhac_control_deinit(fmhac_control *control) {
  pthread_mutex_destroy(&control->lock);
}

bool fmhac_control_advance(fmhac_control *control, const char *stage,
                           uint32_t done, uint32_t total) {
  if (!control)
    return true;
  pthread_mutex_lock(&control->lock);
  bool go_on = !control->cancelled;
  if (go_on) {
    control->done = done;
    control->total = total;
    snprintf(control->stage, sizeof control->stage, "%s", stage);
  }
  pthread_mutex_unlock(&control->lock);
  if (go_on && control->progress)
    control->progress(control->user, stage, done, total);
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
