// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What every benchmark reports.
#ifndef FMHAC_BENCH_MEDIAN_H
#define FMHAC_BENCH_MEDIAN_H

#include <stdlib.h>

static int median_by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/// The middle one of `count` values, which it sorts.
static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, median_by_size);
  return values[count / 2];
}

#endif // FMHAC_BENCH_MEDIAN_H
