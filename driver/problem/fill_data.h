// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The contents of the buffers of a run.
#ifndef FMHAC_DRIVER_FILL_DATA_H
#define FMHAC_DRIVER_FILL_DATA_H

#include "run_arrays.h"

/// Allocates the buffers; fills Q, K, V from the seed, or from the user's
/// arrays where there are some, rounded to the nearest of the type, ties to
/// even (`arrays` NULL: none; those that were used are freed), and everything
/// else with 0xff, NaN in every floating-point type: elements between strides,
/// generated rows that are not in use, and the outputs. So a wrong read, or a
/// missing write, shows in the results.
bool run_data_fill(run_data *data, run_arrays *arrays, char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_FILL_DATA_H
