// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_reference() of K and V in pages: as of the same rows without pages.
// What no sequence has is NaN, and entries beyond its pages are garbage.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fmhac_reference.h"

enum {
  B = 4,
  HQ = 2,
  HK = 2,
  SQ = 3,
  SK = 40,
  D = 16,
  PAGES = 30,
  MOST_ROWS = 64
};
enum { Q_COUNT = B * SQ * HQ * D, K_COUNT = B * SK * HK * D };
enum { O_COUNT = B * SQ * HQ * D, GARBAGE = 0x7fffffff };
static const int32_t lengths[B] = {40, 0, 1, 33};

typedef struct fixture {
  fmhac_context *context;
  uint16_t q[Q_COUNT], k[K_COUNT], v[K_COUNT];
  uint16_t k_pages[PAGES * MOST_ROWS * HK * D];
  uint16_t v_pages[PAGES * MOST_ROWS * HK * D];
  double expected[O_COUNT], expected_lse[B * HQ * SQ];
  double o[O_COUNT], lse[B * HQ * SQ];
  fmhac_tensors t;
} fixture;

static uint64_t address(const void *p) { return (uintptr_t)p; }

/// bf16 with few bits: exact.
static void fill(uint16_t *list, size_t count, int from) {
  for (size_t i = 0; i < count; ++i) {
    const int n = from + (int)i;
    const float x = (float)((n * 7 + n / 5) % 13 - 6) / 4;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    list[i] = (uint16_t)(bits >> 16);
  }
}

static fmhac_status reference(fixture *f, const char *json, double *o,
                              double *lse) {
  fmhac_config *config;
  if (fmhac_config_create_json(f->context, json, &config) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(f->context));
  fmhac_reference_results results = {
      .size = sizeof results, .o = o, .lse = lse};
  const fmhac_status status = fmhac_reference(config, &f->t, NULL, &results);
  fmhac_config_destroy(config);
  return status;
}

static void assert_error(const fixture *f, const char *part) {
  const char *text = fmhac_last_error(f->context);
  if (!strstr(text, part))
    fail_msg("'%s' lacks '%s'", text, part);
}

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  *state = f;
  if (!f || fmhac_context_create(NULL, &f->context) != FMHAC_OK)
    return 1;
  fill(f->q, Q_COUNT, 1);
  fill(f->k, K_COUNT, 5);
  fill(f->v, K_COUNT, 3);
  f->t = (fmhac_tensors){.size = sizeof f->t,
                         .batch = B,
                         .heads_q = HQ,
                         .heads_kv = HK,
                         .seqlen_q = SQ,
                         .seqlen_kv = SK,
                         .q = address(f->q),
                         .k = address(f->k),
                         .v = address(f->v),
                         .q_strides = fmhac_strides_bshd(HQ, SQ, D, 2),
                         .k_strides = fmhac_strides_bshd(HK, SK, D, 2),
                         .v_strides = fmhac_strides_bshd(HK, SK, D, 2),
                         .o_strides = fmhac_strides_bshd(HQ, SQ, D, 2),
                         .lse_batch_stride_bytes = HQ * SQ * 4,
                         .lse_head_stride_bytes = SQ * 4,
                         .seqlens_kv = address(lengths)};
  return reference(f,
                   "{\"head_dim\":16,\"mask\":\"causal\",\"seqlens_kv\":true}",
                   f->expected, f->expected_lse) != FMHAC_OK;
}

static int tear_down(void **state) {
  fixture *f = *state;
  fmhac_context_destroy(f->context);
  free(f);
  return 0;
}

typedef enum order { NHD, HND, PIECES, ORDERS } order;

/// From the first element of a head of a page to column `d` of row `j`; of K or
/// V, whose pieces are of 8 keys.
static size_t in_head(order in, int size, int j, int d, bool is_v) {
  if (in != PIECES)
    return (size_t)(in == HND ? j * D + d : j * HK * D + d);
  return (size_t)(is_v ? (j / 8 * D + d) * 8 + j % 8
                       : (d / 8 * size + j) * 8 + d % 8);
}

/// Pages of `size` rows, each sequence's from the last of its pages on. Returns
/// the pages of all sequences.
static int put_into_pages(fixture *f, int size, order in, int32_t *table,
                          int row, int32_t *starts) {
  memset(f->k_pages, 0xff, sizeof f->k_pages); // NaN
  memset(f->v_pages, 0xff, sizeof f->v_pages);
  int page = PAGES, count = 0;
  for (int b = 0; b < B; ++b) {
    int32_t *numbers = row ? table + b * row : table + count;
    if (starts)
      starts[b] = count;
    for (int i = 0; i * size < lengths[b]; ++i, ++count)
      numbers[i] = --page;
    for (int j = 0; j < lengths[b]; ++j)
      for (int h = 0; h < HK; ++h) {
        const size_t at = (size_t)numbers[j / size] * (size_t)(size * HK * D) +
                          (size_t)(h * (in == NHD ? D : size * D));
        const size_t from = (size_t)(((b * SK + j) * HK + h) * D);
        for (int d = 0; d < D; ++d) {
          f->k_pages[at + in_head(in, size, j % size, d, false)] =
              f->k[from + (size_t)d];
          f->v_pages[at + in_head(in, size, j % size, d, true)] =
              f->v[from + (size_t)d];
        }
      }
  }
  if (starts)
    starts[B] = count;
  assert_true(page >= 0);
  const uint64_t row_bytes = in == NHD ? HK * D * 2 : in == HND ? D * 2 : 0;
  const uint64_t head_bytes = in == NHD ? D * 2 : (uint64_t)size * D * 2;
  f->t.k = address(f->k_pages);
  f->t.v = address(f->v_pages);
  f->t.k_strides = f->t.v_strides = (fmhac_strides){
      .batch_bytes = 1, .head_bytes = head_bytes, .row_bytes = row_bytes};
  f->t.k_page_stride_bytes = f->t.v_page_stride_bytes =
      (uint64_t)(size * HK * D * 2);
  f->t.pages = PAGES;
  return count;
}

static void expect_equal(const fixture *f) {
  for (int i = 0; i < O_COUNT; ++i)
    assert_true(f->o[i] == f->expected[i]);
  for (int i = 0; i < B * HQ * SQ; ++i)
    assert_true(f->lse[i] == f->expected_lse[i]);
}

#define KEYS "{\"head_dim\":16,\"mask\":\"causal\","
#define TABLE_OF_8 "\"page_size\":8,\"page_table\":true,\"seqlens_kv\":true"
#define IN_PIECES TABLE_OF_8 ",\"kv_layout\":\"vectorised\"}"

static void test_table(void **state) {
  fixture *f = *state;
  enum { ROW = 6 };
  int32_t table[1 + B * ROW]; // rows at any multiple of 4 bytes
  for (order in = NHD; in < ORDERS; ++in) {
    for (int i = 0; i < B * ROW + 1; ++i)
      table[i] = GARBAGE;
    put_into_pages(f, 8, in, table + 1, ROW, NULL);
    f->t.page_table = address(table + 1);
    f->t.page_table_batch_stride_bytes = ROW * sizeof *table;
    assert_int_equal(
        reference(f, in == PIECES ? KEYS IN_PIECES : KEYS TABLE_OF_8 "}", f->o,
                  f->lse),
        FMHAC_OK);
    expect_equal(f);
  }
  f->t.v_strides.row_bytes = D * 2;
  assert_int_equal(reference(f, KEYS IN_PIECES, f->o, f->lse),
                   FMHAC_INVALID_INPUT);
  assert_error(f, "tensor v: expected a row stride of 0");
}

static void test_list(void **state) {
  fixture *f = *state;
  int32_t indices[12], starts[B + 1], last[B] = {8, 0, 1, 1};
  for (int i = 0; i < 12; ++i)
    indices[i] = GARBAGE;
  put_into_pages(f, 16, NHD, indices, 0, starts);
  f->t.seqlens_kv = 0;
  f->t.kv_indptr = address(starts);
  f->t.kv_indices = address(indices);
  f->t.kv_last_page_len = address(last);
  const char *json = KEYS "\"page_size\":16,\"kv_indptr\":true,"
                          "\"kv_indices\":true,\"kv_last_page_len\":true}";
  assert_int_equal(reference(f, json, f->o, f->lse), FMHAC_OK);
  expect_equal(f);
  // Of a sequence without pages what the last has does not matter: engines
  // write 0, 1, or a whole page.
  for (last[1] = 1; last[1] <= 16; last[1] += 15) {
    assert_int_equal(reference(f, json, f->o, f->lse), FMHAC_OK);
    expect_equal(f);
  }
  // What contradicts itself.
  last[1] = 17;
  assert_int_equal(reference(f, json, f->o, f->lse), FMHAC_INVALID_INPUT);
  assert_error(f, "kv_last_page_len: element 1 is 17, expected 0 to 16");
  last[1] = 0;
  last[3] = 17;
  assert_int_equal(reference(f, json, f->o, f->lse), FMHAC_INVALID_INPUT);
  assert_error(f, "17, expected 1 to 16");
  last[3] = 1;
  last[0] = 9;
  assert_int_equal(reference(f, json, f->o, f->lse), FMHAC_INVALID_INPUT);
  assert_error(f, "sequence 0 has 41 keys");
  last[0] = 8;
  indices[starts[3]] = PAGES;
  assert_int_equal(reference(f, json, f->o, f->lse), FMHAC_INVALID_INPUT);
  assert_error(f, "kv_indices: page 0 of sequence 3 is 30, expected 0 to 29");
  starts[2] = 0;
  assert_int_equal(reference(f, json, f->o, f->lse), FMHAC_INVALID_INPUT);
  assert_error(f, "kv_indptr: elements 1 and 2");
  // 2^32 + 8 keys are not 8.
  starts[1] = starts[2] = 0;
  starts[3] = 1 << 28;
  starts[4] = starts[3] + 1;
  last[2] = 16;
  last[3] = 8;
  assert_int_equal(reference(f, json, f->o, f->lse), FMHAC_INVALID_INPUT);
  assert_error(f, "kv_indptr: sequence 2 has 268435456 pages of 16 keys, which "
                  "are 4294967296 keys");
}

/// Lengths without the rows of Q, with pages and without.
static void test_cached(void **state) {
  fixture *f = *state;
  int32_t before[B], rows[B], numbers[B] = {3, 2, 1, 0};
  for (int b = 0; b < B; ++b) {
    rows[b] = lengths[b] < SQ ? lengths[b] : SQ;
    before[b] = lengths[b] - rows[b];
  }
  f->t.seqlens_q = address(rows);
  memset(f->expected, 0, sizeof f->expected);
  memset(f->expected_lse, 0, sizeof f->expected_lse);
  const char *json = "{\"head_dim\":16,\"mask\":\"causal\",\"seqlens_q\":true,"
                     "\"seqlens_kv\":true}";
  assert_int_equal(reference(f, json, f->expected, f->expected_lse), FMHAC_OK);
  f->t.seqlens_kv = address(before);
  json = "{\"head_dim\":16,\"mask\":\"causal\",\"seqlens_q\":true,"
         "\"seqlens_kv\":true,\"kv_lengths\":\"cached\"}";
  assert_int_equal(reference(f, json, f->o, f->lse), FMHAC_OK);
  expect_equal(f);
  put_into_pages(f, MOST_ROWS, NHD, numbers, 1, NULL);
  f->t.page_table = address(numbers);
  f->t.page_table_batch_stride_bytes = sizeof *numbers;
  json = "{\"head_dim\":16,\"mask\":\"causal\",\"seqlens_q\":true,"
         "\"seqlens_kv\":true,\"kv_lengths\":\"cached\",\"page_size\":64,"
         "\"page_table\":true}";
  assert_int_equal(reference(f, json, f->o, f->lse), FMHAC_OK);
  expect_equal(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_table), TEST(test_list),
                                     TEST(test_cached)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
