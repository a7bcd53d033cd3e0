// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What tests of attention on a device share: a context and a device of the
/// program, and tensors on it, which go with the device.
#ifndef FMHAC_TEST_ATTENTION_TEST_H
#define FMHAC_TEST_ATTENTION_TEST_H

#include "combine_test.h"
#include "kernels_test.h"

static fmhac_context *g_context;
static fmhac_rt_device *g_device;

static inline fmhac_device_ptr reserve(size_t bytes, int fill) {
  fmhac_device_ptr address;
  assert_int_equal(fmhac_rt_alloc(g_device, bytes, &address), FMHAC_OK);
  assert_int_equal(fmhac_rt_fill(g_device, address, fill, bytes), FMHAC_OK);
  return address;
}

static inline fmhac_device_ptr put(const void *from, size_t bytes) {
  fmhac_device_ptr address = reserve(bytes, 0);
  assert_int_equal(fmhac_rt_copy_in(g_device, address, from, bytes), FMHAC_OK);
  return address;
}

/// Elements of either sign, from 0.5 to below 2 (f16; fp8 of E4M3), from 2^-3
/// (fp8 of E5M2) or from 2^-15 (bf16, whose exponent takes four bits of those
/// that vary).
static inline fmhac_device_ptr put_values(size_t count, size_t element_bytes,
                                          uint32_t seed) {
  unsigned char *bytes = malloc(count * element_bytes);
  assert_non_null(bytes);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t x = next(&seed);
    const uint16_t half = (uint16_t)(0x3800 | (x & 0x87ff));
    if (element_bytes == 2)
      memcpy(bytes + 2 * i, &half, sizeof half);
    else
      bytes[i] = (unsigned char)(0x30 | (x & 0x8f));
  }
  fmhac_device_ptr address = put(bytes, count * element_bytes);
  free(bytes);
  return address;
}

static inline fmhac_plan *make_plan(const char *json,
                                    const fmhac_problem *most) {
  fmhac_plan *plan;
  if (fmhac_plan_create_json(g_context, json, most, &plan) != FMHAC_OK)
    fail_msg("%s: %s", json, fmhac_last_error(g_context));
  return plan;
}

#endif // FMHAC_TEST_ATTENTION_TEST_H
