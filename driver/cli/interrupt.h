// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// SIGINT and SIGTERM of a command that has something to keep: the first asks
/// it to come to its end, the second ends the process as ever.
#ifndef FMHAC_DRIVER_INTERRUPT_H
#define FMHAC_DRIVER_INTERRUPT_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct interrupt {
  const char *said; ///< a line for stderr when the first one comes; borrowed
  atomic_bool came; ///< the first one came
  // How they are waited for.
  sigset_t watched, before;
  int end; ///< an eventfd: the waiting is over
  pthread_t thread;
  bool running;
} interrupt;

/// Waits for signals from here on. To be called before other threads start, as
/// the signals would reach those; a signal that the process ignores stays
/// ignored. False: they end the process as before.
bool interrupt_begin(interrupt *i, const char *said);
/// Signals are as before; one that came stays known. Safe on zeroes.
void interrupt_end(interrupt *i);

#endif // FMHAC_DRIVER_INTERRUPT_H
