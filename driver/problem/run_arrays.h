// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Q, K and V from the user's files: the sizes of the problem that they give,
/// and checks against the options.
#ifndef FMHAC_DRIVER_RUN_ARRAYS_H
#define FMHAC_DRIVER_RUN_ARRAYS_H

#include "npy.h"
#include "run_data.h"

/// Numbers of files: those of Q, K and V, and that of k_rope.
enum { FILE_K_ROPE = INPUT_TENSORS, INPUT_FILES };

typedef struct run_arrays {
  const char *files[INPUT_FILES]; ///< borrowed; NULL: none
  npy_array arrays[INPUT_FILES];  ///< owned; as in the file
} run_arrays;

/// The number of the file of a tensor.
static inline int run_arrays_number(int tensor) {
  return tensor == TENSOR_K_ROPE ? FILE_K_ROPE : tensor;
}
static inline const char *run_arrays_file(const run_arrays *a, int tensor) {
  return a->files[run_arrays_number(tensor)];
}
static inline npy_array *run_arrays_of(run_arrays *a, int tensor) {
  return &a->arrays[run_arrays_number(tensor)];
}
/// Heads of the k_rope that is given; 0: none is, or no array of its rank.
uint64_t run_arrays_rope_heads(const run_arrays *a, const run_data *data);

/// Reads the files. False with a text.
bool run_arrays_read(run_arrays *a, char error[ERROR_BYTES]);
void run_arrays_deinit(run_arrays *a);

/// Adds sizes that the merged options do not give, from the shapes: [B, S, H,
/// D], or [total, H, D] where there are cu_seqlens. Lists of lengths give the
/// batch. Heads, head sizes and lengths that no array of one side gives are
/// those of the other side. False with a text if a shape contradicts an option
/// or another array.
bool run_arrays_give_sizes(const run_arrays *a, cJSON *options,
                           char error[ERROR_BYTES]);

/// Pages of K and V, if the arrays are in pages.
uint64_t run_arrays_pages(const run_arrays *a);

/// Whether the arrays are those of the problem, elements f32 or of its type.
bool run_arrays_check(const run_arrays *a, const run_data *data,
                      char error[ERROR_BYTES]);

/// True if the array of this tensor is f32 and the tensor is not.
bool run_arrays_rounds(const run_arrays *a, const run_data *data, int tensor);

#endif // FMHAC_DRIVER_RUN_ARRAYS_H
