// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The problem of `run` and its tensors in host memory, contiguous [B, S, H,
/// D].
#ifndef FMHAC_DRIVER_RUN_DATA_H
#define FMHAC_DRIVER_RUN_DATA_H

#include <cjson/cJSON.h>

#include "files.h"
#include "fmhac.h"
#include "inputs.h"
#include "reference.h"

enum { TENSOR_Q, TENSOR_K, TENSOR_V, TENSOR_O, TENSOR_LSE, TENSOR_COUNT };

typedef struct run_tensor {
  const char *name; ///< "q", …
  element_type type;
  size_t rank;
  uint64_t shape[4]; ///< [B, S, H, D]; LSE: [B, Hq, Sq]
  size_t bytes;      ///< 0: this run has no such tensor
  void *host;        ///< owned
  uint64_t address;  ///< on the device, once it is there
  bool is_output;
} run_tensor;

typedef struct run_data {
  attention problem; ///< q, k, v point into the tensors
  int64_t seed;
  input_kind input;
  run_tensor tensors[TENSOR_COUNT];
} run_data;

/// Reads sizes, scale and seed of the merged options and the types of the
/// canonical configuration. False with a text if they make no problem.
bool run_data_init(const cJSON *options, const fmhac_config *config,
                   run_data *out_data, char error[ERROR_BYTES]);
void run_data_deinit(run_data *data);

/// Allocates the tensors; fills Q, K, V from the seed, or from a .npy file
/// where one is given (NULL: none), and every byte of the outputs with 0xff,
/// NaN in every type: what the kernel does not write shows.
bool run_data_fill(run_data *data, const char *const files[3],
                   char error[ERROR_BYTES]);

/// The library's view of the tensors, at their device addresses.
fmhac_tensors run_data_tensors(const run_data *data);
fmhac_problem run_data_problem(const run_data *data);

/// {"batch": …, …, "scale": …, "seed": …, "input": "normal"}.
cJSON *run_data_problem_json(const run_data *data);

#endif // FMHAC_DRIVER_RUN_DATA_H
