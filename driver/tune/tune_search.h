// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A search for a better schedule among those that differ from one in single
/// knobs: first each choice by itself, then exchanges within recipes, which
/// continue from a schedule that is not worse. The order depends only on the
/// seed.
#ifndef FMHAC_DRIVER_TUNE_SEARCH_H
#define FMHAC_DRIVER_TUNE_SEARCH_H

#include <stdatomic.h>

#include "tune_point.h"

/// Why a search came to its end.
typedef enum tune_end {
  TUNE_END_NOTHING_NEW, ///< all was seen, or nothing new was found for long
  TUNE_END_BUDGET,
  TUNE_END_TRIALS,
  TUNE_END_SIGNAL,
} tune_end;

typedef struct tune_counts {
  unsigned tried, timed, refused, spilled, failed;
  unsigned wrong; ///< better candidates whose results are wrong
} tune_counts;

typedef struct tune_search {
  tune_bench *bench;    ///< borrowed
  const char *name;     ///< of the schedule that comes out
  double end;           ///< when to stop, by seconds_now()
  unsigned most_trials; ///< 0: no bound
  /// A gain below this part of the time does not count, because the model is
  /// not more exact. Equal time with fewer changes is better, too.
  double threshold;
  const atomic_bool *stop; ///< true: to end it; NULL: nothing does
  uint64_t seed;
  const char *command; ///< for lines of progress on stderr; NULL: none
  // Results.
  char *text; ///< owned; the best so far
  tune_time best;
  tune_counts counts;
  bool improved;
  tune_end ended_by;
} tune_search;

/// "budget", "trials", "signal", "nothing_new".
const char *tune_end_name(tune_end end);

/// Starts from the schedule in `text`, whose time is `start`. False with a
/// text: out of memory, or the text is no schedule. tune_search_deinit() is due
/// in any case.
bool tune_search_run(tune_search *s, const char *text, const tune_time *start,
                     char error[ERROR_BYTES]);
void tune_search_deinit(tune_search *s);

/// Knobs of a schedule.
typedef struct tune_knob {
  char *name, *pool, *word; ///< owned by the list
  int64_t value, low, high, step;
} tune_knob;

typedef struct tune_knobs {
  tune_knob *list; ///< owned
  size_t count;
  bool failed; ///< memory ran out
} tune_knobs;

/// False with the reason in the context, or for want of memory.
bool tune_knobs_read(fmhac_context *context, const char *text, tune_knobs *out);
void tune_knobs_deinit(tune_knobs *knobs);

#endif // FMHAC_DRIVER_TUNE_SEARCH_H
