// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the tests of devices share: code objects from files, and the kernels of
/// linear.s and pair.s with what they compute.
#ifndef FMHAC_TEST_DEVICE_TEST_H
#define FMHAC_TEST_DEVICE_TEST_H

// cmocka.h needs these before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fmhac_rt.h"

enum { LANES = 64 };

typedef struct blob {
  unsigned char *bytes;
  size_t size;
} blob;

/// The file `name` of the folder; fails the test if it is not there.
static inline blob read_blob(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file)
    fail_msg("cannot read %s", path);
  blob b = {.bytes = malloc(1 << 20)};
  assert_non_null(b.bytes);
  b.size = fread(b.bytes, 1, 1 << 20, file);
  fclose(file);
  return b;
}

/// Arguments of `linear`.
typedef struct linear_args {
  uint64_t o, i;
  uint32_t a, b;
} linear_args;

/// A launch of `groups` workgroups of 64; the name is NULL.
static inline fmhac_rt_launch launch_of(const void *args, size_t bytes,
                                        uint32_t groups, void *stream) {
  return (fmhac_rt_launch){.size = sizeof(fmhac_rt_launch),
                           .grid = {groups, 1, 1},
                           .block = {LANES, 1, 1},
                           .kernarg = args,
                           .kernarg_bytes = bytes,
                           .stream = stream};
}

#endif // FMHAC_TEST_DEVICE_TEST_H
