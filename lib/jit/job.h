// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The threads that compile for fmhac_compile_start().
#ifndef FMHAC_LIB_JOB_H
#define FMHAC_LIB_JOB_H

typedef struct fmhac_workers fmhac_workers;

/// Ends the threads; every job is destroyed already. NULL is allowed.
void fmhac_workers_destroy(fmhac_workers *workers);

#endif // FMHAC_LIB_JOB_H
