// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The preconditions of a launch. Kernels rely on them and check nothing, so
/// each is checked before anything is written, with the number that breaks it.
#ifndef FMHAC_LIB_PLAN_CHECK_H
#define FMHAC_LIB_PLAN_CHECK_H

#include "factors.h"
#include "fmhac_abi.h"
#include "kernel.h"
#include "plan_grid.h"

/// Bases and strides of Q, K, V and O: the width of a vector load.
#define FMHAC_ALIGNMENT_BYTES 16

/// The bit of a group of kernel arguments.
#define FMHAC_GROUP(name) (UINT64_C(1) << FMHAC_ARGS_##name##_BIT)
/// Groups that a launch can fill in.
#define FMHAC_KNOWN_GROUPS                                                     \
  (FMHAC_GROUP(CORE) | FMHAC_GROUP(LSE) | FMHAC_GROUP(VARLEN_Q) |              \
   FMHAC_GROUP(VARLEN_KV) | FMHAC_GROUP(LENGTHS_Q) | FMHAC_GROUP(LENGTHS_KV) | \
   FMHAC_GROUP(SINK) | FMHAC_GROUP(ALIBI) | FMHAC_GROUP(BIAS) |                \
   FMHAC_GROUP(Q_SCALE) | FMHAC_GROUP(K_SCALE) | FMHAC_GROUP(V_SCALE) |        \
   FMHAC_GROUP(O_SCALE) | FMHAC_GROUP(PAGED) | FMHAC_GROUP(PAGE_LIST) |        \
   FMHAC_GROUP(WORK) | FMHAC_GROUP(QUEUE) | FMHAC_GROUP(PARTS) |               \
   FMHAC_GROUP(COMBINE) | FMHAC_GROUP(PLAN) | FMHAC_GROUP(TOTALS) |            \
   FMHAC_GROUP(HEAD_GROUP) | FMHAC_GROUP(K_ROPE) | FMHAC_GROUP(LIST_SETS) |    \
   FMHAC_GROUP(RUNS) | FMHAC_GROUP(JOIN))

static inline uint64_t fmhac_round_up(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

static inline uint64_t fmhac_ceil_divide(uint64_t value, uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}

static inline bool fmhac_kernel_needs(const fmhac_kernel *kernel,
                                      uint64_t groups) {
  return kernel->required_args_mask & groups;
}

/// The sizes of a launch.
fmhac_problem fmhac_problem_of_launch(const fmhac_tensors *tensors);

/// Bytes of the elements of a row of each tensor.
typedef struct fmhac_row_bytes {
  uint64_t q, k, v, o;
  uint64_t k_rope; ///< 0: there is none
} fmhac_row_bytes;
fmhac_row_bytes fmhac_kernel_row_bytes(const fmhac_kernel *kernel);

/// The checks that hold for every launch of at most `max_problem`: sizes,
/// grid, and the densest possible layout. A problem that does not fit with
/// that layout never fits. `out_launcher` is the entry that takes the
/// problem, which launches start, of those that take their work from the
/// grid, or from lists. Errors: INVALID_INPUT, UNSUPPORTED.
FMHAC_MUST_USE fmhac_status fmhac_check_max_problem(
    const fmhac_kernel *kernel, const fmhac_problem *max_problem,
    bool takes_lists, fmhac_launcher *out_launcher);

/// Those that depend on the kernel, of another one that such launches start.
/// Errors: UNSUPPORTED.
FMHAC_MUST_USE fmhac_status fmhac_check_max_launcher(
    const fmhac_kernel *kernel, const fmhac_problem *max_problem,
    const fmhac_launcher *launcher);

/// One launch of a plan for `most`. Errors: INVALID_INPUT,
/// UNSUPPORTED.
FMHAC_MUST_USE fmhac_status fmhac_check_launch(const fmhac_kernel *kernel,
                                               const fmhac_launcher *launcher,
                                               const fmhac_problem *most,
                                               const fmhac_tensors *tensors);

#endif // FMHAC_LIB_PLAN_CHECK_H
