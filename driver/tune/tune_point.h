// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One schedule of a configuration and a problem: how long it takes by the
/// cycle model. A schedule is a built-in's name, a file, or text that is in no
/// file.
#ifndef FMHAC_DRIVER_TUNE_POINT_H
#define FMHAC_DRIVER_TUNE_POINT_H

#include "bench_data.h"
#include "bench_point.h"

/// The state that all points share. Zero-initialise; tune_bench_deinit() frees.
typedef struct tune_bench {
  fmhac_context *context; ///< borrowed; its log is quiet
  const cJSON *options;   ///< borrowed: configuration and problem
  bench_flags flags;
  const char *check; ///< LIST of --check, or NULL
  int file;          ///< holds the text that is at hand; in memory
  bench_kept kept;   ///< all points have the same inputs
  /// A time that a coarse sample leaves open is taken again with a finer one.
  bool settles;
} tune_bench;

bool tune_bench_init(tune_bench *b, char error[ERROR_BYTES]);
void tune_bench_deinit(tune_bench *b);

typedef enum tune_verdict {
  TUNE_TIMED,
  TUNE_REFUSED, ///< by the passes
  TUNE_SPILLED, ///< it compiles and does not fit
  TUNE_FAILED,  ///< anything else: `why` has the reason
} tune_verdict;

typedef struct tune_time {
  tune_verdict verdict;
  fmhac_status status;
  double seconds, cycles; ///< of the problem; of a compute unit for a KV tile
  /// The same by the sample of the flags, and the deviation of that.
  double rough_seconds, rough_cycles, deviation;
  bool guessed;          ///< the two, in proportion to those of another
  char why[ERROR_BYTES]; ///< unless it was timed
} tune_time;

/// Times the schedule `name`, or `text` unless that is NULL. With `settles`, a
/// time that the order of the grid leaves open is taken with a finer sample as
/// well if it may be less than that of `best` (NULL: there is none). If both
/// deviate as much, their rough times are compared; a schedule that is not
/// better then gets the time of `best` times the ratio of the rough times.
void tune_point_time(tune_bench *b, const char *name, const char *text,
                     const tune_time *best, tune_time *out);

/// The configuration of some options with a schedule, which is the caller's. A
/// text holds until the next. Errors are those of fmhac_config_create_json(),
/// with a text.
fmhac_status tune_point_config(const tune_bench *b, const cJSON *options,
                               const char *name, const char *text,
                               fmhac_config **out, char error[ERROR_BYTES]);

/// "B1 Hq64 Hk8 Sq512 Sk512".
void tune_problem_words(const cJSON *options, char out[128]);

#endif // FMHAC_DRIVER_TUNE_POINT_H
