// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands for what a context has of the compiler, for programs that are the
// configuration part of the library and no more: unit tests and fuzzers.
#include "jit.h"
#include "pool.h"

void fmhac_workers_destroy(fmhac_workers *workers) { (void)workers; }

fmhac_pool *fmhac_pool_create(fmhac_allocator allocator, unsigned limit) {
  (void)allocator;
  static int nothing;
  return limit ? (fmhac_pool *)(void *)&nothing : NULL;
}

void fmhac_pool_destroy(fmhac_pool *pool) { (void)pool; }
