// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a context has of the compiler. The parts are known here by name only:
/// jit/context_calls.c makes them and takes them away.
#ifndef FMHAC_LIB_COMPILER_H
#define FMHAC_LIB_COMPILER_H

#include <pthread.h>

#include "context.h"

/// Any thread may use it: what is neither constant nor atomic has a lock.
struct fmhac_compiler {
  struct fmhac_memory_cache *memory; ///< kernels; owned
  struct fmhac_pool *pool;           ///< compiler processes; owned
  pthread_mutex_t lock;              ///< of the two below
  char *build;                       ///< build.h; owned; NULL: not known yet
  struct fmhac_workers *workers;     ///< owned by job.c; NULL before its use
  pthread_mutex_t session_lock;      ///< held while the compiler works here
  struct fmhac_session *session; ///< owned by session.c; NULL before its use
};

#endif // FMHAC_LIB_COMPILER_H
