// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs the x86-64 form of a kernel over a grid.
#ifndef FMHAC_TEST_DIFFERENTIAL_RUN_ORACLE_H
#define FMHAC_TEST_DIFFERENTIAL_RUN_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../oracle.h"

typedef struct oracle oracle;
/// One work-item; `arguments` is the kernel-argument segment.
typedef void oracle_kernel(const void *arguments);

typedef struct oracle_launch {
  oracle_kernel *kernel;
  const void *arguments;
  uint32_t grid[3], block[3];
} oracle_launch;

/// NULL if there is no memory.
oracle *oracle_create(void);
void oracle_destroy(oracle *o);
/// False with a reason: too many work-items, or all of them wait.
bool oracle_run(oracle *o, const oracle_launch *launch, char *error,
                size_t error_bytes);

#endif // FMHAC_TEST_DIFFERENTIAL_RUN_ORACLE_H
