// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What connects a compilation with those who wait for it: how far it is, and
/// that they want it no more. Every function takes NULL: nobody asked.
#ifndef FMHAC_LIB_CONTROL_H
#define FMHAC_LIB_CONTROL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "fmhac.h"

/// Bytes of the name of a stage, its terminator included.
enum { FMHAC_STAGE_NAME_BYTES = 40 };

typedef struct fmhac_control {
  pthread_mutex_t lock;
  bool cancelled;
  int socket; ///< that the compilation waits on, or -1
  uint32_t done, total;
  char stage[FMHAC_STAGE_NAME_BYTES]; ///< that began last
  /// Told when a stage begins, on the thread that compiles; may be NULL.
  void (*progress)(void *user, const char *stage, uint32_t done,
                   uint32_t total);
  void *user;
} fmhac_control;

void fmhac_control_init(fmhac_control *control);
void fmhac_control_deinit(fmhac_control *control);

/// A moment, in milliseconds of a clock that only goes on.
int64_t fmhac_now_milliseconds(void);

/// The moment at which a compilation that begins now has no time left.
int64_t fmhac_control_deadline(const fmhac_context *context);

/// The text of COMPILE_TIMED_OUT: at which step ("" before the first), with
/// which schedule, after how long.
FMHAC_MUST_USE fmhac_status fmhac_control_fail_timed_out(fmhac_context *context,
                                                         const char *schedule,
                                                         const char *step);

/// A stage begins, `done` of `total` are over. False: stop.
bool fmhac_control_advance(fmhac_control *control, const char *stage,
                           uint32_t done, uint32_t total);

/// Asks for the end; what waits on a socket wakes up.
void fmhac_control_cancel(fmhac_control *control);
bool fmhac_control_is_cancelled(fmhac_control *control);

/// From here to fmhac_control_leave() a cancellation shuts the socket down.
/// False if it has come already.
bool fmhac_control_enter(fmhac_control *control, int socket);
void fmhac_control_leave(fmhac_control *control);

#endif // FMHAC_LIB_CONTROL_H
