// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How large a launch may be on a GPU, for plans, devices and the command
/// alike.
#ifndef FMHAC_WORK_ITEMS_H
#define FMHAC_WORK_ITEMS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fmhac_status.h"

/// Work-items of all dimensions of a launch together. That more run right has
/// not been seen on hardware: ROCm/rocm-systems issue 2372 (open) reports wrong
/// execution. AMD's answer in ROCm/HIP issue 2253 is that each dimension alone
/// has this bound.
#define FMHAC_MOST_WORK_ITEMS (UINT64_C(1) << 32)

/// Of a workgroup of gfx950: work-items, and bytes of LDS.
enum { FMHAC_MOST_BLOCK = 1024, FMHAC_LDS_BYTES = 163840 };

/// Checks grid and block of a launch of a kernel, whose metadata allow
/// `most_threads` work-items in a workgroup, or do not say (0). `is_part`: only
/// some workgroups of the grid run. Errors, with a text: INVALID_INPUT,
/// UNSUPPORTED.
static inline fmhac_status
fmhac_launch_size_check(const char *kernel, const uint32_t grid[3],
                        const uint32_t block[3], uint32_t most_threads,
                        bool is_part, char *text, size_t bytes) {
  typedef unsigned long long number;
  number groups, threads, all;
  if (__builtin_mul_overflow((number)grid[0] * grid[1], grid[2], &groups)) {
    snprintf(text, bytes,
             "launch of %s: grid [%u,%u,%u] has 2^64 workgroups or more",
             kernel, grid[0], grid[1], grid[2]);
    return FMHAC_INVALID_INPUT;
  }
  const uint32_t most = most_threads && most_threads < FMHAC_MOST_BLOCK
                            ? most_threads
                            : FMHAC_MOST_BLOCK;
  if (__builtin_mul_overflow((number)block[0] * block[1], block[2], &threads))
    threads = UINT64_MAX;
  if (threads > most) {
    snprintf(text, bytes,
             "launch of %s: block [%u,%u,%u] has %s%llu work-items, at most %u "
             "are allowed",
             kernel, block[0], block[1], block[2],
             threads == UINT64_MAX ? "at least " : "", threads, most);
    return FMHAC_INVALID_INPUT;
  }
  if (__builtin_mul_overflow(groups, threads, &all))
    all = UINT64_MAX;
  if (is_part || all <= FMHAC_MOST_WORK_ITEMS)
    return FMHAC_OK;
  snprintf(text, bytes,
           "launch of %s: grid [%u,%u,%u] of blocks [%u,%u,%u] has %s%llu "
           "work-items, at most %llu are allowed, as on a GPU: launch parts of "
           "the grid, or select workgroups of it",
           kernel, grid[0], grid[1], grid[2], block[0], block[1], block[2],
           all == UINT64_MAX ? "at least " : "", all,
           (number)FMHAC_MOST_WORK_ITEMS);
  return FMHAC_UNSUPPORTED;
}

#endif // FMHAC_WORK_ITEMS_H
