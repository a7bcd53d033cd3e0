// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// K and V of `run` in pages: which pages the sequences have.
#ifndef FMHAC_DRIVER_RUN_PAGES_H
#define FMHAC_DRIVER_RUN_PAGES_H

#include "run_data.h"

/// Whether the options ask for K and V in pages. Their longest sequence then
/// comes from lengths, unless it is given.
bool run_pages_asked(const cJSON *options);
/// Whether a page has its heads one after the other, each with all its rows.
bool run_pages_by_head(const cJSON *options);
/// Whether each head of a page is made of pieces of ATTENTION_PIECE_BYTES.
bool run_pages_vectorised(const cJSON *options);

/// Reads the tables that the configuration takes (`values`, its canonical form)
/// and sets pages, batch, the longest sequence and the least number of pages.
/// Lengths of sequences, if there are any, have been read. `options` are the
/// merged ones.
bool run_pages_read(const cJSON *options, const cJSON *values, run_data *data,
                    char error[ERROR_BYTES]);

/// Copies `rows` rows of a sequence, a contiguous [rows, heads, dim], to the
/// pages that the sequence has for them.
void run_pages_scatter(const run_data *data, int tensor, uint32_t sequence,
                       uint64_t rows, const void *dense, void *buffer);

#endif // FMHAC_DRIVER_RUN_PAGES_H
