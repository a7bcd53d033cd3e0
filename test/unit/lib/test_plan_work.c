// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of work of a plan: what the configuration asks for, and what is
// refused.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac_work.h"
#include "plan_fixture.h"
#include "work_batch.h"
#include "work_rules.h"

enum { WORKGROUPS = 100, TILE_N = 64 };

/// A call of fmhac_plan_work(), with room for the plan's largest problem.
typedef struct call {
  fmhac_problem problem;
  fmhac_work_room room;
  fmhac_work_lengths lengths;
  fmhac_work_lists lists;
  void *scratch;
} call;

/// Sequences of 7 rows and 77 keys, and of none.
static const int32_t cu_q[B + 1] = {0, 7, 7}, cu_kv[B + 1] = {5, 82, 82},
                              rows_q[B] = {7, 0}, keys_kv[B] = {70, 0},
                              indptr[B + 1] = {3, 8, 8}, last[B] = {13, 16};

static call prepare(fixture *f) {
  f->kernel->entries[0].tile_n = TILE_N;
  call c = {.problem = {sizeof c.problem, B, HQ, HK, SQ, SK, 0, 0},
            .room = {.size = sizeof c.room},
            .lengths = {.size = sizeof c.lengths},
            .lists = {.size = sizeof c.lists}};
  if (fmhac_plan_work_room(f->plan, WORKGROUPS, &c.room) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(f->context));
  c.lists.indptr = calloc(c.room.lists + 1, sizeof(int32_t));
  c.lists.items = calloc(c.room.items, sizeof *c.lists.items);
  c.lists.combine_items =
      calloc(c.room.combine_items + 1, sizeof *c.lists.combine_items);
  c.lists.combine_count = calloc(1, sizeof(int32_t));
  c.scratch = malloc(c.room.scratch_bytes);
  assert_true(c.lists.indptr && c.lists.items && c.lists.combine_items &&
              c.lists.combine_count && c.scratch);
  return c;
}

static void finish(call *c) {
  free(c->lists.indptr);
  free(c->lists.items);
  free(c->lists.combine_items);
  free(c->lists.combine_count);
  free(c->scratch);
}

static fmhac_status work(const fixture *f, call *c) {
  return fmhac_plan_work(f->plan, &c->problem, WORKGROUPS, &c->lengths,
                         &c->lists, c->scratch);
}

/// The lists hold a batch of these rows and keys.
static void expect(fixture *f, call *c, const int32_t *rows,
                   const int32_t *keys) {
  if (work(f, c) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(f->context));
  work_batch b = work_batch_open(B);
  const fmhac_work_tile tile = {256, TILE_N, false};
  b.rules = fmhac_work_rules_of(&f->kernel->config, &tile);
  b.rules.page_size += !b.rules.page_size; // to make its arrays
  b.sizes.heads_q = HQ;
  b.sizes.heads_kv = HK;
  b.sizes.workgroups = WORKGROUPS;
  memcpy(b.rows, rows, B * sizeof *rows);
  memcpy(b.keys, keys, B * sizeof *keys);
  work_batch_close(&b);
  work_lists l = work_lists_make(&b); // for its margins
  memcpy(l.lists.work_indptr, c->lists.indptr,
         (c->room.lists + 1) * sizeof(int32_t));
  const size_t items = (size_t)c->lists.indptr[c->room.lists];
  assert_true(items > 0 && items <= l.room.items);
  memcpy(l.lists.work_items, c->lists.items, items * sizeof *c->lists.items);
  if (b.rules.split) {
    *l.lists.combine_count = *c->lists.combine_count;
    memcpy(l.lists.combine_items, c->lists.combine_items,
           (size_t)*c->lists.combine_count * sizeof *c->lists.combine_items);
  }
  work_lists_check(&b, &l);
  work_lists_free(&l);
  work_batch_free(&b);
}

static void test_lengths_of_the_configuration(void **state) {
  fixture *f = *state;
  fmhac_config_values *v = &f->kernel->config;
  const fmhac_config_values plain = *v;
  call c = prepare(f);
  expect(f, &c, (int32_t[]){SQ, SQ}, (int32_t[]){SK, SK});
  v->mask.kind = FMHAC_MASK_CAUSAL;
  v->cu_seqlens_q = v->cu_seqlens_kv = true;
  c.lengths.cu_seqlens_q = cu_q;
  c.lengths.cu_seqlens_kv = cu_kv;
  expect(f, &c, rows_q, (int32_t[]){77, 0});
  *v = plain;
  v->mask = (fmhac_mask){FMHAC_MASK_WINDOW, 20, 0, 0};
  v->seqlens_q = v->seqlens_kv = true;
  v->kv_lengths = FMHAC_KV_LENGTHS_CACHED;
  c.lengths.seqlens_q = rows_q;
  c.lengths.seqlens_kv = keys_kv;
  expect(f, &c, rows_q, (int32_t[]){77, 0});
  *v = plain;
  v->mask = (fmhac_mask){FMHAC_MASK_CHUNKED, 0, 0, 32};
  v->page_size = 16;
  v->kv_indptr = true;
  c.lengths.kv_indptr = indptr;
  c.lengths.kv_last_page_len = last;
  expect(f, &c, (int32_t[]){SQ, SQ}, (int32_t[]){77, 0});
  finish(&c);
}

static void test_parts(void **state) {
  fixture *f = *state;
  f->kernel->config.split_kv = FMHAC_SPLIT_KV_FIXED;
  f->kernel->config.split_chunk = TILE_N;
  call c = prepare(f);
  // Two parts, for each head of two tiles of rows of two sequences.
  expect(f, &c, (int32_t[]){SQ, SQ}, (int32_t[]){SK, SK});
  assert_int_equal(*c.lists.combine_count, B * 2 * HQ);
  assert_int_equal(c.room.part_rows, B * SQ * HQ * 2);
  finish(&c);
}

/// Fewer rows and keys together than the sizes allow: less room, and a batch of
/// more is refused. Sequences of 7 and 0 rows and 77 and 0 keys keep to them.
static void test_totals(void **state) {
  fixture *f = *state;
  fmhac_config_values *v = &f->kernel->config;
  v->split_kv = FMHAC_SPLIT_KV_FIXED;
  v->split_chunk = TILE_N;
  v->cu_seqlens_q = v->cu_seqlens_kv = true;
  const fmhac_problem most = {.size = sizeof most,
                              .batch = B,
                              .heads_q = HQ,
                              .heads_kv = HK,
                              .seqlen_q = SQ,
                              .seqlen_kv = SK,
                              .total_q = 7,
                              .total_kv = 77};
  fmhac_plan_destroy(f->plan);
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &f->plan), FMHAC_OK);
  call c = prepare(f);
  assert_int_equal(c.room.part_rows, 7 * HQ * 2);
  // One sequence can have more keys than a chunk; two heads are an item.
  assert_int_equal(c.room.combine_items, HQ / 2);
  c.lengths.cu_seqlens_q = cu_q;
  c.lengths.cu_seqlens_kv = cu_kv;
  expect(f, &c, rows_q, (int32_t[]){77, 0});
  c.lengths.cu_seqlens_q = (int32_t[]){0, 7, 8};
  assert_int_equal(work(f, &c), FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context),
                  "expected sequences of at most 7 rows of Q together, the "
                  "total_q of the plan, found 8");
  c.lengths.cu_seqlens_q = cu_q;
  c.lengths.cu_seqlens_kv = (int32_t[]){0, 77, 78};
  assert_int_equal(work(f, &c), FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context),
                  "at most 77 keys together, the total_kv of the plan, found "
                  "78");
  // Of sizes alone.
  v->cu_seqlens_kv = false;
  assert_int_equal(work(f, &c), FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context), "found 154");
  finish(&c);
}

/// Workgroups that take lists from a queue have four each, as far as there may
/// be as many.
static void test_queue(void **state) {
  fixture *f = *state;
  f->kernel->config.work = FMHAC_WORK_QUEUE;
  call c = prepare(f);
  assert_int_equal(c.room.lists, 4 * WORKGROUPS);
  expect(f, &c, (int32_t[]){SQ, SQ}, (int32_t[]){SK, SK});
  fmhac_work_room room = {.size = sizeof room};
  assert_int_equal(fmhac_plan_work_room(f->plan, 600, &room), FMHAC_OK);
  assert_int_equal(room.lists, 2048);
  finish(&c);
}

static void refused(fixture *f, call *c, const char *text) {
  assert_int_equal(work(f, c), FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context), text);
}

static void test_refused(void **state) {
  fixture *f = *state;
  fmhac_config_values *v = &f->kernel->config;
  call c = prepare(f);
  fmhac_work_room room = {.size = sizeof room};
  assert_int_equal(fmhac_plan_work_room(f->plan, 0, &room),
                   FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_plan_work_room(f->plan, 2049, &room),
                   FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context),
                  "expected from 1 to 2048 workgroups, found 2049");
  void *const scratch = c.scratch;
  c.scratch = (char *)scratch + 8;
  refused(f, &c, "expected scratch at a multiple of 16 bytes");
  c.scratch = scratch;
  c.problem.seqlen_q = SQ + 1;
  refused(f, &c, "expected seqlen_q from 1 to the 300 of the plan, found 301");
  c.problem.seqlen_q = SQ;
  c.problem.heads_q = 5;
  refused(f, &c, "multiple of heads_kv, found 5 and 2");
  c.problem.heads_q = HQ;
  v->seqlens_kv = true;
  refused(f, &c, "expected lengths.seqlens_kv");
  c.lengths.seqlens_kv = (int32_t[]){3, SK + 1};
  refused(f, &c,
          "seqlens_kv: expected sequence 1 to have from 0 to the 77 of the "
          "plan, found 78");
  c.lengths.seqlens_kv = (int32_t[]){-1, 3};
  refused(f, &c, "found -1");
  c.lengths.seqlens_kv = (int32_t[]){77, 3};
  v->kv_lengths = FMHAC_KV_LENGTHS_CACHED;
  refused(f, &c, "seqlens_kv and rows: expected sequence 0");
  v->seqlens_kv = false;
  v->cu_seqlens_q = true;
  c.lengths.cu_seqlens_q = (int32_t[]){0, 300, 299};
  refused(f, &c, "cu_seqlens_q: expected sequence 1");
  v->cu_seqlens_q = false;
  v->page_size = 16;
  v->kv_indptr = true;
  c.lengths.kv_indptr = indptr;
  c.lengths.kv_last_page_len = (int32_t[]){14, 0};
  refused(f, &c, "kv_indptr, kv_last_page_len: expected sequence 0");
  c.lengths.kv_last_page_len = (int32_t[]){3, 17};
  refused(f, &c, "kv_last_page_len: expected sequence 1");
  v->kv_indptr = false;
  v->split_kv = FMHAC_SPLIT_KV_FIXED;
  v->split_chunk = 100;
  refused(f, &c, "a multiple of the 64 keys of a tile");
  v->split_chunk = TILE_N;
  fmhac_work_lists lists = c.lists;
  c.lists.combine_items = NULL;
  refused(f, &c, "expected memory for lists.combine_items");
  c.lists = lists;
  finish(&c);
}

int main(void) {
#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, plan_set_up, plan_tear_down)
  const struct CMUnitTest tests[] = {TEST(test_lengths_of_the_configuration),
                                     TEST(test_parts), TEST(test_totals),
                                     TEST(test_queue), TEST(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
