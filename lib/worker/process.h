// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One compiler process: the program fmhac-compiler, with a socket for its
/// standard input.
#ifndef FMHAC_LIB_PROCESS_H
#define FMHAC_LIB_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "str.h"

typedef struct fmhac_process {
  pid_t pid;
  pid_t owner; ///< who started it: after fork() the child leaves it alone
  int socket;
  int errors;      ///< a file in memory: its standard error
  bool has_served; ///< it has done an order, and may since have gone to rest
  struct fmhac_process *next;
} fmhac_process;

/// Starts one. 0 or an errno.
int fmhac_process_start(const char *program, fmhac_process **out_process);

/// Ends it at once, or lets it go if another process started it, and frees it.
/// `out`, unless NULL, receives how it ended and what it said last, one line.
void fmhac_process_end(fmhac_process *process, fmhac_str *out);

#endif // FMHAC_LIB_PROCESS_H
