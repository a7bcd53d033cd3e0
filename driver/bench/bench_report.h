// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The output of a benchmark: each point is one JSON object, from which its
/// text and its line of CSV are made.
#ifndef FMHAC_DRIVER_BENCH_REPORT_H
#define FMHAC_DRIVER_BENCH_REPORT_H

#include "bench_point.h"

/// The point as the object of --json; caller deletes.
cJSON *bench_point_json(const session *s, const bench_flags *flags,
                        const run_data *data, const fmhac_kernel *kernel,
                        const bench_outcome *outcome);

/// On stdout, several lines.
void bench_point_print(const cJSON *point);

/// On stdout: the columns, and a line for a point.
void bench_csv_header(void);
void bench_csv_line(const cJSON *point);

/// On stdout: a line for a point of a sweep, after one of columns. `label`
/// names the point.
void bench_table_header(int label_width);
void bench_table_line(const char *label, int label_width, const cJSON *point);

/// The constants of the cycle model, as a table or as JSON. Returns the exit
/// code.
int bench_constants(const report *r);

#endif // FMHAC_DRIVER_BENCH_REPORT_H
