// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Inputs of `run` besides Q, K and V: lengths of sequences, sink, slopes,
/// bias.
#ifndef FMHAC_DRIVER_RUN_FEATURES_H
#define FMHAC_DRIVER_RUN_FEATURES_H

#include "run_data.h"

/// The file of an input, or NULL if the configuration takes none: its canonical
/// form, `values`, says only whether there is one.
bool run_features_find_file(const cJSON *options, const cJSON *values,
                            const char *key, const char **out_file,
                            char error[ERROR_BYTES]);

/// Reads the files of lengths that the configuration takes (`values`, its
/// canonical form) and sets the fields that follow from them: buffers, batch,
/// lengths of the longest sequence. `options` are the merged ones: a size given
/// there that contradicts a file is an error.
bool run_features_read_lengths(const cJSON *options, const cJSON *values,
                               run_data *data, char error[ERROR_BYTES]);

/// Rows of the tensor that the sequences of `cu_seqlens` lie in.
uint32_t run_features_total(const run_data *data, const int32_t *cu_seqlens);

/// Finds the names of the other files; reads nothing.
bool run_features_find_files(const cJSON *options, const cJSON *values,
                             run_data *data, char error[ERROR_BYTES]);

/// Reads the file of score_mod, if there is one, for the reference. False with
/// a text if the reference does not know an operation of it: such a run is
/// possible, but not a comparison.
bool run_features_read_score_mod(run_data *data, char error[ERROR_BYTES]);

/// Reads sink and bias and computes the slopes, unless that is done. The sizes
/// must be known.
bool run_features_fill(run_data *data, char error[ERROR_BYTES]);

/// ALiBi slopes of `heads` heads: 2^(-8 (h+1) / n) for the n heads of the
/// largest power of two, then every other slope of 2n heads. Source: Press et
/// al., "Train Short, Test Long", section 3 and its published code.
void alibi_slopes(uint32_t heads, float *out_slopes);

#endif // FMHAC_DRIVER_RUN_FEATURES_H
