// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launch plans of K in two tensors and of V in K: what is packed, and what is
// refused.
#include "plan_fixture.h"

#define GROUP(name) (UINT64_C(1) << FMHAC_ARGS_##name##_BIT)

enum { ROPE = 64 };

/// A kernel whose last columns of K lie in k_rope, and tensors for it.
static void use_rope(fixture *f) {
  f->kernel->config.rope_dim = ROPE;
  f->kernel->required_args_mask |= GROUP(K_ROPE);
  fmhac_tensors *t = &f->tensors;
  t->k_rope = 0x7000;
  t->k_rope_strides = (fmhac_strides){.batch_bytes = SK * ROPE * ELEMENT,
                                      .head_bytes = 0,
                                      .row_bytes = ROPE * ELEMENT};
}

/// A kernel whose V is the first columns of K.
static void use_v_in_k(fixture *f) {
  f->kernel->config.v_in_k = true;
  f->tensors.v = 0;
  f->tensors.v_strides = (fmhac_strides){0};
}

static void test_rope(void **state) {
  fixture *f = *state;
  use_rope(f);
  const fmhac_kernel_args args = plan_packed(f);
  assert_true(args.field_mask & UINT64_C(1) << 26);
  assert_true(args.k_rope == 0x7000 && args.k_rope_head_stride == 0);
  assert_true(args.k_rope_row_stride == ROPE * ELEMENT);
  assert_true(args.k_rope_batch_stride == SK * ROPE * ELEMENT);
  assert_true(args.k_rope_page_stride == 0);
}

static void test_rope_refused(void **state) {
  fixture *f = *state;
  f->tensors.k_rope = 0x7000;
  plan_refused(f, FMHAC_INVALID_INPUT, "tensor k_rope: an address is given");
  f->tensors.k_rope = 0;
  use_rope(f);
  f->tensors.k_rope = 0;
  plan_refused(f, FMHAC_INVALID_INPUT, "tensor k_rope: the address is null");
  f->tensors.k_rope = 0x7008;
  plan_refused(f, FMHAC_UNSUPPORTED, "tensor k_rope: the address is 28680");
  f->tensors.k_rope = 0x7000;
  f->tensors.k_rope_strides.row_bytes = ROPE * ELEMENT + 8;
  plan_refused(f, FMHAC_UNSUPPORTED, "tensor k_rope: the row stride is 136");
}

static void test_v_in_k(void **state) {
  fixture *f = *state;
  use_v_in_k(f);
  const fmhac_kernel_args args = plan_packed(f);
  assert_true(args.v == args.k && args.v_row_stride == args.k_row_stride);
  assert_true(args.v_head_stride == args.k_head_stride);
  f->tensors.v = 0x30;
  plan_refused(f, FMHAC_INVALID_INPUT,
               "launch: tensor v: an address is given, expected 0: the "
               "configuration has v_in_k");
  f->tensors.v = 0;
  f->tensors.v_scales = 0x40;
  plan_refused(f, FMHAC_INVALID_INPUT, "tensor v_scales: an address is given");
}

static void test_dense(void **state) {
  fixture *f = *state;
  use_rope(f);
  use_v_in_k(f);
  const fmhac_problem problem = {sizeof problem, B, HQ, HK, SQ, SK, 0, 0};
  fmhac_tensors t = {.size = sizeof t};
  assert_int_equal(
      fmhac_tensors_dense(f->plan, &problem, 0x10, 0x20, 0, 0x40, 0, &t),
      FMHAC_OK);
  assert_true(t.k_strides.head_bytes == (D - ROPE) * ELEMENT);
  assert_true(t.k_strides.row_bytes == HK * (D - ROPE) * ELEMENT);
  assert_true(t.k_rope == 0 && t.k_rope_strides.head_bytes == 0);
  assert_true(t.k_rope_strides.row_bytes == ROPE * ELEMENT);
  assert_true(t.k_rope_strides.batch_bytes == SK * ROPE * ELEMENT);
  assert_true(t.v == 0 && t.v_strides.row_bytes == 0);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, plan_set_up, plan_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_rope), TEST(test_rope_refused),
                                     TEST(test_v_in_k), TEST(test_dense)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
