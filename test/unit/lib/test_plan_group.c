// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of kernels whose tiles have rows of the heads that share one of K and
// V: the quotient that kernels take, arguments, grids, and what is refused.
#include <stdlib.h>
#include <string.h>

#include "check_group.h"
#include "fmhac_abi.h"
#include "plan_fixture.h"

enum { G = HQ / HK, TILE = 256 };

//===- Quotients ----------------------------------------------------------===//

/// As a kernel computes it.
static uint32_t quotient(uint32_t row, fmhac_group_divisor d) {
  return (uint32_t)((uint64_t)(2 * row) * d.multiplier >> 32) >> d.shift;
}

/// r / G for every G that a launch may have: about each multiple of G near
/// powers of two, near 2^31, and of others.
static void test_quotients(void **state) {
  (void)state;
  uint64_t random = 1;
  for (uint32_t group = 1; group <= UINT16_MAX; ++group) {
    const fmhac_group_divisor d = fmhac_group_divisor_of(group);
    assert_true(d.shift < 32);
    for (uint32_t bit = 0; bit < 33; ++bit) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const uint32_t near = bit < 31   ? UINT32_C(1) << bit
                            : bit < 32 ? INT32_MAX
                                       : (uint32_t)(random >> 33);
      const uint32_t multiple = near / group * group;
      const uint32_t rows[] = {multiple ? multiple - 1 : 0, multiple,
                               multiple + 1, near - 1, near};
      for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        if (rows[i] <= INT32_MAX && quotient(rows[i], d) != rows[i] / group)
          fail_msg("%u / %u: expected %u, found %u", rows[i], group,
                   rows[i] / group, quotient(rows[i], d));
    }
  }
}

//===- Plans --------------------------------------------------------------===//

static const fmhac_entry grid_entry = {
    .kernel = "attn",
    .grid = {"ceil(Sq * ceil(Hq / Hk) / 256)", "Hk", "B"},
    .tile_m = TILE,
    .tile_n = 64,
    .row_rounding = TILE,
    .block_threads = 512,
    .required_args = 1 | UINT64_C(1) << FMHAC_ARGS_HEAD_GROUP_BIT};

static void use(fixture *f, const fmhac_entry *entries, size_t count,
                fmhac_problem most) {
  fmhac_plan_destroy(f->plan);
  f->plan = NULL;
  fmhac_kernel_set_entries(f->kernel, entries, count);
  if (fmhac_plan_create(f->kernel, &most, &f->plan) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(f->context));
}

static void test_arguments(void **state) {
  fixture *f = *state;
  use(f, &grid_entry, 1,
      (fmhac_problem){sizeof(fmhac_problem), B, HQ, HK, SQ, SK, 0, 0});
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  assert_int_equal(args.group_size, 3);
  assert_int_equal(args.group_shift, 2);
  assert_true(args.group_multiplier == 0xAAAAAAABu); // 2^33 / 3, rounded up
  assert_true(args.field_mask >> FMHAC_ARGS_HEAD_GROUP_BIT & 1);
  // 300 rows of three heads.
  assert_int_equal(launch.grid[0], 4);
  assert_int_equal(launch.grid[1], HK);
  assert_int_equal(launch.grid[2], B);
}

/// A kernel whose tiles have rows of one head is told of no group.
static void test_no_group(void **state) {
  fixture *f = *state;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  assert_int_equal(args.group_size, 0);
  assert_false(args.field_mask >> FMHAC_ARGS_HEAD_GROUP_BIT & 1);
}

static void expect_refused(fixture *f, fmhac_status expected,
                           const char *words) {
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  assert_int_equal(plan_pack(f, &args, &launch), expected);
  if (!strstr(fmhac_last_error(f->context), words))
    fail_msg("expected '%s' in: %s", words, fmhac_last_error(f->context));
}

/// Rows of all heads of a group lie below 2^32 - 4096: up to there, and 16
/// bytes further.
static void test_offsets(void **state) {
  fixture *f = *state;
  use(f, &grid_entry, 1,
      (fmhac_problem){sizeof(fmhac_problem), B, HQ, HK, SQ, SK, 0, 0});
  const uint64_t bound = (UINT64_C(1) << 32) - 4096;
  const uint64_t room =
      bound - (SQ - 1) * (uint64_t)HQ * D * ELEMENT - D * ELEMENT;
  fmhac_strides *const strides[] = {&f->tensors.q_strides,
                                    &f->tensors.o_strides};
  static const char *const words[] = {
      "tensor q: 300 rows of stride 1536 bytes, "
      "of 3 heads",
      "tensor o: 300 rows"};
  for (int i = 0; i < 2; ++i) {
    const fmhac_strides own = *strides[i];
    fmhac_kernel_args args;
    fmhac_rt_launch launch = {.size = sizeof launch};
    strides[i]->head_bytes = room / (G - 1) / 16 * 16;
    assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
    strides[i]->head_bytes += 16;
    expect_refused(f, FMHAC_UNSUPPORTED, words[i]);
    strides[i]->head_bytes = UINT64_MAX / 16 * 16; // products have no 64 bits
    expect_refused(f, FMHAC_UNSUPPORTED, words[i]);
    *strides[i] = own;
  }
}

/// Rows are numbered below 2^31, whatever heads there are.
static void test_rows(void **state) {
  fixture *f = *state;
  fmhac_entry large = grid_entry; // whose grid is small enough
  large.tile_m = large.row_rounding = 65536;
  strcpy(large.grid[0], "ceil(Sq * ceil(Hq / Hk) / 65536)");
  fmhac_kernel_set_entries(f->kernel, &large, 1);
  fmhac_plan *plan;
  fmhac_problem most = {sizeof most, 1, 65535, 1, 40000, SK, 0, 0};
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan),
                   FMHAC_UNSUPPORTED);
  assert_non_null(strstr(fmhac_last_error(f->context),
                         "seqlen_q 40000 of 65535 heads for each of K and V"));
  assert_non_null(strstr(fmhac_last_error(f->context), "at most 32766 rows"));
}

/// Lists are for tiles of the plan's G. The grid takes any.
static void test_group_of_plan(void **state) {
  fixture *f = *state;
  const fmhac_problem most = {sizeof most, B, HQ, HK, SQ, SK, 0, 0};
  use(f, &grid_entry, 1, most);
  f->tensors.heads_kv = 1;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  assert_int_equal(args.group_size, HQ);
  assert_int_equal(launch.grid[0], (SQ * HQ + TILE - 1) / TILE);
  f->tensors.heads_kv = HK;
  fmhac_entry listed = grid_entry;
  listed.required_args |= UINT64_C(1) << FMHAC_ARGS_WORK_BIT;
  assert_int_equal(fmhac_check_group_of_plan(f->kernel, &listed, &most, &most),
                   FMHAC_OK);
  fmhac_problem other = most;
  other.heads_kv = 1;
  assert_int_equal(fmhac_check_group_of_plan(f->kernel, &listed, &most, &other),
                   FMHAC_INVALID_INPUT);
  assert_non_null(strstr(fmhac_last_error(f->context),
                         "expected 3 heads for each of kv_heads"));
  assert_int_equal(
      fmhac_check_group_of_plan(f->kernel, &grid_entry, &most, &other),
      FMHAC_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quotients),
      cmocka_unit_test_setup_teardown(test_arguments, plan_set_up,
                                      plan_tear_down),
      cmocka_unit_test_setup_teardown(test_no_group, plan_set_up,
                                      plan_tear_down),
      cmocka_unit_test_setup_teardown(test_offsets, plan_set_up,
                                      plan_tear_down),
      cmocka_unit_test_setup_teardown(test_rows, plan_set_up, plan_tear_down),
      cmocka_unit_test_setup_teardown(test_group_of_plan, plan_set_up,
                                      plan_tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
