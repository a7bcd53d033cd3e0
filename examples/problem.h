/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 *  An attention problem in bf16 for the examples: tensors on the host and on a
 *  device, and its result in plain double precision, which the examples hold
 *  the kernels to. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "fmhac.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Tensors are [B, S, H, D], D contiguous, elements bf16. */
typedef struct problem {
  fmhac_problem sizes;
  uint32_t head_dim;
  bool causal; /**< row i sees keys j <= i + Sk - Sq */
  uint16_t *q, *k, *v, *o;
  fmhac_rt_device *device; /**< that holds the copies; NULL before the upload */
  fmhac_tensors tensors;   /**< for fmhac_launch() */
} problem;

/** Makes inputs; `seed` says which. False if memory is exhausted. */
bool problem_create(problem *p, fmhac_problem sizes, uint32_t head_dim,
                    bool causal, unsigned seed);

/** Reserves device memory and copies the tensors there; O as NaN, so that
 * elements that no kernel writes show. */
fmhac_status problem_upload(problem *p, fmhac_rt_device *device);

/** Fetches O and prints the largest error under `name`. Returns OK and sets
 *  `*out_right`, or the status of the copy. */
fmhac_status problem_check(problem *p, const char *name, bool *out_right);

/** Frees both copies. A zeroed problem is allowed. */
void problem_destroy(problem *p);

/** Random elements: multiples of 1/128 in [-1, 1), which bf16 holds exactly. */
void problem_fill(uint16_t *tensor, size_t elements, unsigned *state);

/** The value of a bf16. */
double problem_double(uint16_t bf16);

/** The largest error of an O of such elements: Q times the scale, P and O are
 *  rounded to bf16, 2^-9 relative each; scores stay below 4 and O below 1, so
 *  that errors stay below (4 + 1 + 1) * 2^-9. */
#define PROBLEM_TOLERANCE (6.0 / 512)

/** Prints the failed step and the text of the object that keeps it; `why` may
 * be NULL. Returns the exit code of a program. */
int problem_fail(fmhac_status status, const fmhac_context *context,
                 const fmhac_rt_device *device, const char *why);

/** Makes a problem, launches it with `kernel`, waits, and checks the result:
 *  the steps that jit_and_launch.c shows one by one. True if the result is
 *  right; false, with the reason printed, if it is wrong or a step fails. */
bool problem_run(const fmhac_context *context, const fmhac_kernel *kernel,
                 fmhac_rt_device *device, fmhac_problem sizes,
                 uint32_t head_dim, bool causal, const char *name);

#ifdef __cplusplus
}
#endif
#endif
