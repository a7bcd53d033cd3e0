// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The parts of the compiler that belong to a context. This header knows them
/// by name only; jit/context_calls.c creates and destroys them.
#ifndef FMHAC_LIB_COMPILER_H
#define FMHAC_LIB_COMPILER_H

#include <pthread.h>

#include "context.h"

/// Any thread may use it: fields that are neither constant nor atomic have a
/// lock.
struct fmhac_compiler {
  struct fmhac_memory_cache *memory; ///< kernels; owned
  struct fmhac_pool *pool;           ///< compiler processes; owned
  char *library;                     ///< beside.h; owned; NULL: not known
  pthread_mutex_t lock;              ///< of the two below
  char *build;                       ///< build.h; owned; NULL: not known yet
  struct fmhac_workers *workers; ///< owned; job.c makes them at their first use
  pthread_mutex_t session_lock;  ///< held while the compiler works here
  const struct fmhac_compiler_face *face; ///< load.h; NULL: not loaded yet
  struct fmhac_session *session;          ///< owned; made at its first use
};

#endif // FMHAC_LIB_COMPILER_H
