// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launch plans of K and V in pages: what is packed, and what is refused.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan_fixture.h"

#define GROUP(name) (UINT64_C(1) << FMHAC_ARGS_##name##_BIT)

enum { TILE_N = 64, ROW = HK * D * ELEMENT };

/// A kernel that takes pages of so many keys, and tensors in them.
static void use_pages(fixture *f, int64_t page_size, bool list) {
  fmhac_config_values *values = &f->kernel->config;
  values->page_size = page_size;
  values->page_table = values->seqlens_kv = !list;
  values->kv_indptr = values->kv_indices = values->kv_last_page_len = list;
  f->kernel->entries[0].tile_n = TILE_N;
  f->kernel->required_args_mask = GROUP(CORE) | GROUP(PAGED) |
                                  (list ? GROUP(PAGE_LIST) : GROUP(LENGTHS_KV));
  fmhac_tensors *t = &f->tensors;
  t->page_table = list ? 0 : 0x5004;
  t->page_table_batch_stride_bytes = list ? 0 : 12;
  t->seqlens_kv = list ? 0 : 0x6008;
  t->kv_indptr = list ? 0x7004 : 0;
  t->kv_indices = list ? 0x8004 : 0;
  t->kv_last_page_len = list ? 0x9004 : 0;
  t->k_page_stride_bytes = (uint64_t)page_size * ROW;
  t->v_page_stride_bytes = (uint64_t)page_size * ROW * 2;
  t->pages = 100;
}

static void test_table(void **state) {
  fixture *f = *state;
  use_pages(f, 48, false);
  const fmhac_kernel_args args = plan_packed(f);
  assert_true(args.field_mask == (1 | 1 << 5 | 1 << 6));
  assert_true(args.page_table == 0x5004 && args.page_table_batch_stride == 12);
  assert_true(args.seqlens_kv == 0x6008);
  assert_true(args.k_page_stride == 48 * 512 &&
              args.v_page_stride == 48 * 1024);
  assert_true(args.k_batch_stride == 0 && args.v_batch_stride == 0);
  assert_true(args.k_row_stride == 512 && args.k_head_stride == 256);
  assert_true(args.kv_indptr == 0 && args.kv_last_page_len == 0);
}

/// The list stands where a table would.
static void test_list(void **state) {
  fixture *f = *state;
  use_pages(f, 1, true);
  const fmhac_kernel_args args = plan_packed(f);
  assert_true(args.field_mask == (1 | 1 << 6 | 1 << 17));
  assert_true(args.page_table == 0x8004 && args.page_table_batch_stride == 0);
  assert_true(args.kv_indptr == 0x7004 && args.kv_last_page_len == 0x9004);
}

static void test_dense(void **state) {
  fixture *f = *state;
  use_pages(f, 16, false);
  const fmhac_problem problem = {sizeof problem, B, HQ, HK, SQ, SK, 0, 0};
  fmhac_tensors t = {.size = sizeof t};
  assert_int_equal(
      fmhac_tensors_dense(f->plan, &problem, 0x10, 0x20, 0x30, 0x40, 0, &t),
      FMHAC_OK);
  assert_true(t.k_page_stride_bytes == 16 * 512);
  assert_true(t.v_page_stride_bytes == 16 * 512);
  assert_true(t.k_strides.batch_bytes == 0 && t.k_strides.row_bytes == 512);
  assert_true(t.pages == 0 && t.page_table == 0);
}

static void test_refused(void **state) {
  fixture *f = *state;
  use_pages(f, 16, false);
  const fmhac_tensors right = f->tensors;
  fmhac_tensors *t = &f->tensors;
  t->page_table = 0;
  plan_refused(f, FMHAC_INVALID_INPUT,
               "tensor page_table: the address is null");
  *t = right;
  t->kv_indices = 0x8004;
  plan_refused(f, FMHAC_INVALID_INPUT,
               "tensor kv_indices: an address is given");
  *t = right;
  t->page_table = 0x5002;
  plan_refused(f, FMHAC_UNSUPPORTED, "tensor page_table: the address is 20482");
  *t = right;
  t->page_table_batch_stride_bytes = 13;
  plan_refused(f, FMHAC_UNSUPPORTED,
               "tensor page_table: the batch stride is 13");
  *t = right;
  t->v_page_stride_bytes += 8;
  plan_refused(f, FMHAC_UNSUPPORTED, "tensor v: the page stride is 16392");
  *t = right;
  t->pages = 0;
  plan_refused(f, FMHAC_INVALID_INPUT, "pages is 0, expected the pages");
  t->pages = UINT64_C(1) << 31;
  plan_refused(f, FMHAC_INVALID_INPUT, "from 1 to 2147483647");
  use_pages(f, 16, true);
  t->kv_last_page_len = 0;
  plan_refused(f, FMHAC_INVALID_INPUT,
               "tensor kv_last_page_len: the address is null");
}

/// Pages have addresses of 64 bits; strides have 32, and so have rows of a page
/// and of a tile.
static void test_offsets(void **state) {
  fixture *f = *state;
  fmhac_tensors *t = &f->tensors;
  for (int64_t page_size = 1; page_size <= 65536; page_size *= 2) {
    use_pages(f, page_size, false);
    t->pages = INT32_MAX;
    plan_packed(f);
    t->v_page_stride_bytes = (UINT64_C(1) << 32) - 16;
    plan_packed(f);
    t->v_page_stride_bytes = UINT64_C(1) << 32;
    plan_refused(
        f, FMHAC_UNSUPPORTED,
        "tensor v: pages lie 4294967296 bytes apart, at most 4294967280 "
        "are possible");
    use_pages(f, page_size, false);
    // Of a tile 64 rows, of a page as many as it has.
    const uint64_t bound =
        (UINT64_C(1) << 32) / (page_size > 64 ? (uint64_t)page_size : 64);
    char text[128];
    snprintf(text, sizeof text,
             "tensor k: rows of a page lie %" PRIu64
             " bytes apart, at most %" PRIu64 " are possible",
             bound, bound - 16);
    t->k_strides.row_bytes = bound - 16;
    plan_packed(f);
    t->k_strides.row_bytes = bound;
    plan_refused(f, FMHAC_UNSUPPORTED, text);
    t->k_strides.row_bytes = 512;
  }
}

/// Offsets of numbers of pages have 32 bits, too.
static void test_lengths(void **state) {
  fixture *f = *state;
  use_pages(f, 1, false);
  fmhac_plan *plan;
  fmhac_problem most = {sizeof most, 1, 1, 1, 1, (1u << 30) - 1, 0, 0};
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan), FMHAC_OK);
  fmhac_plan_destroy(plan);
  most.seqlen_kv = 1u << 30;
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan),
                   FMHAC_UNSUPPORTED);
  assert_contains(fmhac_last_error(f->context), "at most 1073741823 pages");
  f->kernel->config.page_size = 2;
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan), FMHAC_OK);
  fmhac_plan_destroy(plan);
  // Keys are numbers of 31 bits, with eight tiles of 256 past the last.
  f->kernel->config.page_size = 65536;
  most.seqlen_kv = INT32_MAX - 255 - 8 * 256;
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan), FMHAC_OK);
  fmhac_plan_destroy(plan);
  most.seqlen_kv++;
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan),
                   FMHAC_UNSUPPORTED);
  assert_contains(fmhac_last_error(f->context),
                  "seqlen_kv 2147481345 in pages; a kernel counts at most "
                  "2147481344 keys");
}

/// Strides of pages and heads; those of rows are the layout's.
static void test_vectorised(void **state) {
  fixture *f = *state;
  use_pages(f, 48, false);
  f->kernel->config.kv_layout = FMHAC_KV_LAYOUT_VECTORISED;
  plan_refused(f, FMHAC_INVALID_INPUT,
               "tensor k: the row stride is 512, expected 0: the kernel was "
               "compiled with kv_layout vectorised");
  fmhac_tensors *t = &f->tensors;
  t->k_strides.row_bytes = 0;
  plan_refused(f, FMHAC_INVALID_INPUT, "tensor v: the row stride is");
  t->v_strides.row_bytes = 0;
  const fmhac_kernel_args args = plan_packed(f);
  assert_true(args.k_row_stride == 0 && args.v_row_stride == 0);
  assert_true(args.k_page_stride == 48 * ROW);
  t->k_strides.head_bytes += 8;
  plan_refused(f, FMHAC_UNSUPPORTED, "tensor k: the head stride is");
  const fmhac_problem problem = {sizeof problem, B, HQ, HK, SQ, SK, 0, 0};
  fmhac_tensors dense = {.size = sizeof dense};
  assert_int_equal(
      fmhac_tensors_dense(f->plan, &problem, 0x10, 0x20, 0x30, 0x40, 0, &dense),
      FMHAC_OK);
  assert_true(dense.k_page_stride_bytes == 48 * ROW);
  assert_true(dense.k_strides.head_bytes == 48 * D * ELEMENT);
  assert_true(dense.k_strides.row_bytes == 0 && dense.v_strides.row_bytes == 0);
  assert_true(dense.v_strides.head_bytes == 48 * D * ELEMENT);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, plan_set_up, plan_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_table),      TEST(test_list),    TEST(test_dense),
      TEST(test_refused),    TEST(test_offsets), TEST(test_lengths),
      TEST(test_vectorised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
