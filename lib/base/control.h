// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Connects a compilation with the threads that wait for it: carries progress
/// one way and cancellation the other. Every function accepts NULL, for a
/// compilation without a waiter.
#ifndef FMHAC_LIB_CONTROL_H
#define FMHAC_LIB_CONTROL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "fmhac.h"

/// Bytes of the name of a pass, its terminator included.
enum { FMHAC_PASS_NAME_BYTES = 40 };

typedef struct fmhac_control {
  pthread_mutex_t lock;
  bool cancelled;
  int socket; ///< that the compilation waits on, or -1
  uint32_t done, total;
  char pass[FMHAC_PASS_NAME_BYTES]; ///< that began last
  /// Called when a pass begins, on the thread that compiles; may be NULL.
  void (*progress)(void *user, const char *pass, uint32_t done, uint32_t total);
  void *user;
} fmhac_control;

void fmhac_control_init(fmhac_control *control);
void fmhac_control_deinit(fmhac_control *control);

/// The time in milliseconds of a monotonic clock.
int64_t fmhac_now_milliseconds(void);

/// The deadline of a compilation that begins now.
int64_t fmhac_control_deadline(const fmhac_context *context);

/// Sets the text of COMPILE_TIMED_OUT: the pass ("" before the first), the
/// schedule, and the time.
FMHAC_MUST_USE fmhac_status fmhac_control_fail_timed_out(fmhac_context *context,
                                                         const char *schedule,
                                                         const char *pass);

/// Reports that a pass begins and that `done` of `total` are complete. False:
/// stop.
bool fmhac_control_advance(fmhac_control *control, const char *pass,
                           uint32_t done, uint32_t total);

/// Requests cancellation; a thread that waits on the socket wakes up.
void fmhac_control_cancel(fmhac_control *control);
bool fmhac_control_is_cancelled(fmhac_control *control);

/// Until fmhac_control_leave(), a cancellation shuts the socket down. False if
/// the compilation is already cancelled.
bool fmhac_control_enter(fmhac_control *control, int socket);
void fmhac_control_leave(fmhac_control *control);

#endif // FMHAC_LIB_CONTROL_H
