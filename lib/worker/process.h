// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One compiler process: the program fmhac-compiler, with a socket for its
/// standard input and a process group of its own, which no key of a terminal
/// reaches.
#ifndef FMHAC_LIB_PROCESS_H
#define FMHAC_LIB_PROCESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "allocator.h"
#include "str.h"

typedef struct fmhac_process {
  fmhac_allocator allocator; ///< that it is freed with
  pid_t pid;
  int handle;  ///< a pidfd, which no other process can come by; -1: none
  pid_t owner; ///< who started it: after fork() the child leaves it alone
  int socket;
  int errors;      ///< its standard error, a file in memory; -1: none
  uint32_t orders; ///< that it was given
  bool has_served; ///< it has done an order, and may since have gone to rest
  pthread_t user;  ///< whose order it is doing
  struct fmhac_process *next;
} fmhac_process;

/// Starts a process. 0, or an errno and the step that failed.
int fmhac_process_start(fmhac_allocator allocator, const char *program,
                        fmhac_process **out_process, const char **out_step);

/// Whether it is another process's, or has ended.
bool fmhac_process_is_gone(const fmhac_process *process);

/// From here on, its lines on standard error belong to the next order.
void fmhac_process_begin(fmhac_process *process);

/// Ends it at once, or lets it go if another process started it, and frees it.
/// `out`, unless NULL, receives how it ended and its last message, in one line.
void fmhac_process_end(fmhac_process *process, fmhac_str *out);

#endif // FMHAC_LIB_PROCESS_H
