// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the tests that launch compiled kernels share: where kernels are kept,
/// and which part of a table a run takes.
#ifndef FMHAC_TEST_KERNELS_TEST_H
#define FMHAC_TEST_KERNELS_TEST_H

#include <stdio.h>
#include <stdlib.h>

#include "device_test.h"
#include "fmhac.h"

/// A context with the cache directory of the environment, which these tests
/// share: what one has compiled another only launches. NULL: it fails, which
/// is said.
static inline fmhac_context *open_context(void) {
  fmhac_context *context = NULL;
  char why[512];
  if (fmhac_context_create_from_environment(NULL, why, sizeof why, &context) !=
      FMHAC_OK)
    fprintf(stderr, "%s\n", why);
  return context;
}

/// Whether a run takes row `i` of a table: with FMHAC_TEST_PART=I/N every Nth
/// row from row I on (test/tools/turn.py), without it all.
static inline bool in_part(size_t i) {
  const char *text = getenv("FMHAC_TEST_PART");
  unsigned part, parts;
  if (!text)
    return true;
  if (sscanf(text, "%u/%u", &part, &parts) != 2 || part >= parts)
    fail_msg("FMHAC_TEST_PART: expected I/N with I below N, found '%s'", text);
  return i % parts == part;
}

#endif // FMHAC_TEST_KERNELS_TEST_H
