// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compilations in the background: jobs do the work of fmhac_compile() while
/// the caller does something else.
#ifndef FMHAC_JOBS_H
#define FMHAC_JOBS_H

#include "fmhac.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A compilation that goes on while the caller does something else.
typedef struct fmhac_job fmhac_job;

/// The progress of a job.
typedef struct fmhac_job_progress {
  size_t size; ///< sizeof(fmhac_job_progress), set by the caller
  bool finished;
  uint32_t done, total; ///< passes of the compiler; 0 before it begins, and for
                        ///< a kernel that need not be compiled
  char stage[40];       ///< the pass that it is at; "" before it begins
} fmhac_job_progress;

/// Functions that a job calls. A thread of the context calls them; if a job is
/// cancelled before it begins, the cancelling thread calls `finished`. They may
/// cancel and start jobs, but must not wait for one or destroy one.
typedef struct fmhac_job_options {
  size_t size; ///< sizeof(fmhac_job_options), set by the caller
  /// A pass of the compiler begins. May be NULL.
  void (*progress)(void *user, const fmhac_job_progress *progress);
  /// The job has finished: fmhac_job_wait() returns at once. May be NULL.
  void (*finished)(void *user);
  void *user;
} fmhac_job_options;

/// Starts fmhac_compile() on a thread of the context. The caller may destroy
/// `config` at once.
/// Errors: INVALID_INPUT (a size that no release had), OUT_OF_MEMORY (also for
/// threads); fmhac_job_wait() returns other errors.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_compile_start(
    fmhac_context *context, const fmhac_config *config,
    const fmhac_job_options *options /* may be NULL */, fmhac_job **out_job);
/// Errors: INVALID_INPUT (`size`).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_job_get_progress(fmhac_job *job, fmhac_job_progress *out_progress);
/// Waits for at most `milliseconds`; without limit if that is negative. Each
/// call that returns a kernel gives the caller a reference.
/// Errors: TIMED_OUT, CANCELLED, and those of fmhac_compile(), with the text in
/// the context.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_job_wait(fmhac_job *job,
                                                     int64_t milliseconds,
                                                     fmhac_kernel **out_kernel);
/// Cancels a job and does not wait for its end. A compiler process that works
/// for it is killed; a compiler in this process stops before its next pass.
/// Finished passes are not undone.
FMHAC_API void fmhac_job_cancel(fmhac_job *job);
/// Cancels the job unless it has finished, waits for its end, and frees it.
/// NULL is allowed.
FMHAC_API void fmhac_job_destroy(fmhac_job *job);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_JOBS_H
