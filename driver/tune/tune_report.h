// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The result of `fmhac tune`, as JSON and as text.
#ifndef FMHAC_DRIVER_TUNE_REPORT_H
#define FMHAC_DRIVER_TUNE_REPORT_H

#include "tune_check.h"
#include "tune_search.h"

/// A schedule that there was before, timed.
typedef struct tune_known {
  char name[256];
  char *text; ///< owned; of its file
  tune_time time;
} tune_known;

typedef struct tune_result {
  const cJSON *options;       ///< borrowed
  const fmhac_config *config; ///< borrowed; as the user requested it
  const tune_known *known;    ///< borrowed; the best first
  size_t known_count;
  const tune_search *search;  ///< borrowed; its text NULL: nothing was searched
  bool found;                 ///< something better, whose results are right
  bool interrupted;           ///< by a signal
  tune_checked checked;       ///< the problems on which results were checked
  const char *output, *table; ///< files that were written, or NULL
  fmhac_context *context;     ///< borrowed
} tune_result;

/// Caller deletes.
cJSON *tune_result_json(const tune_result *t);
/// On stdout.
void tune_result_print(const tune_result *t);

#endif // FMHAC_DRIVER_TUNE_REPORT_H
