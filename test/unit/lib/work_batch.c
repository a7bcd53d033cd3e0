// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "work_batch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

uint32_t work_random(uint64_t *state, uint32_t below) {
  // xorshift64*, Vigna 2016.
  uint64_t x = *state ? *state : 1;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  *state = x;
  return (uint32_t)((x * UINT64_C(2685821657736338717) >> 32) % below);
}

static void *zeros(size_t count, size_t bytes) {
  void *memory = calloc(count ? count : 1, bytes);
  assert_non_null(memory);
  return memory;
}

work_batch work_batch_open(uint32_t batch) {
  work_batch b = {.rules = fmhac_work_rules_default()};
  b.sizes = (fmhac_work_sizes){
      .batch = batch, .heads_q = 1, .heads_kv = 1, .workgroups = 256};
  b.rules.tile_m = b.rules.tile_n = 64;
  b.rules.page_size = 16;
  b.rules.mask_chunk = 1;
  b.rules.split_keys = 64;
  b.rows = zeros(batch, sizeof *b.rows);
  b.keys = zeros(batch, sizeof *b.keys);
  return b;
}

void work_batch_close(work_batch *b) {
  enum { CU_Q, CU_KV, LENGTHS_Q, LENGTHS_KV, INDPTR, LAST };
  const uint32_t batch = b->sizes.batch, given = b->rules.lengths;
  for (int i = 0; i < 6; ++i)
    b->arrays[i] = zeros(batch + 1, sizeof *b->arrays[i]);
  uint32_t rows = 1, keys = 1;
  for (uint32_t i = 0; i < batch; ++i) {
    const int32_t page = (int32_t)b->rules.page_size;
    const int32_t pages = (b->keys[i] + page - 1) / page;
    b->arrays[CU_Q][i + 1] = b->arrays[CU_Q][i] + b->rows[i];
    b->arrays[CU_KV][i + 1] = b->arrays[CU_KV][i] + b->keys[i];
    b->arrays[LENGTHS_Q][i] = b->rows[i];
    b->arrays[LENGTHS_KV][i] =
        b->keys[i] - (given & FMHAC_WORK_CACHED_KV ? b->rows[i] : 0);
    b->arrays[INDPTR][i + 1] = b->arrays[INDPTR][i] + pages;
    // Of a sequence without pages the last may be said to have some keys.
    b->arrays[LAST][i] = pages ? b->keys[i] - (pages - 1) * page : (int)i % 2;
    rows = (uint32_t)b->rows[i] > rows ? (uint32_t)b->rows[i] : rows;
    keys = (uint32_t)b->keys[i] > keys ? (uint32_t)b->keys[i] : keys;
  }
  b->sizes.seqlen_q = b->sizes.seqlen_q ? b->sizes.seqlen_q : rows;
  b->sizes.seqlen_kv = b->sizes.seqlen_kv ? b->sizes.seqlen_kv : keys;
  b->most = b->sizes;
  const bool has[6] = {
      given & FMHAC_WORK_CU_Q,      given & FMHAC_WORK_CU_KV,
      given & FMHAC_WORK_LENGTHS_Q, given & FMHAC_WORK_LENGTHS_KV,
      given & FMHAC_WORK_PAGE_LIST, given & FMHAC_WORK_PAGE_LIST};
  const int32_t *at[6];
  for (int i = 0; i < 6; ++i)
    at[i] = has[i] ? b->arrays[i] : NULL;
  b->lengths = (fmhac_list_lengths){at[0], at[1], at[2], at[3], at[4], at[5]};
}

void work_batch_free(work_batch *b) {
  free(b->rows);
  free(b->keys);
  for (int i = 0; i < 6; ++i)
    free(b->arrays[i]);
}

static uint32_t one_of(uint64_t *state, const uint32_t *values, size_t count) {
  return values[work_random(state, (uint32_t)count)];
}
#define ONE_OF(state, ...)                                                     \
  one_of(state, (const uint32_t[]){__VA_ARGS__},                               \
         sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

fmhac_work_rules work_rules_random(uint64_t seed) {
  uint64_t random = seed * 2 + 1, *state = &random;
  work_random(state, 2);
  fmhac_work_rules rules = fmhac_work_rules_default(), *r = &rules;
  r->tile_m = ONE_OF(state, 1, 2, 4, 6, 8);
  r->tile_n = ONE_OF(state, 1, 2, 4, 5, 8);
  r->mask = work_random(state, FMHAC_WORK_MASK_CHUNKED + 1);
  r->window_left = (int32_t)work_random(state, 40) - 1;
  r->window_right = (int32_t)work_random(state, 20) - 1;
  r->mask_chunk = 1 + work_random(state, 50);
  r->page_size = ONE_OF(state, 1, 3, 16);
  r->lengths = ONE_OF(state, 0, FMHAC_WORK_CU_Q, FMHAC_WORK_LENGTHS_Q) |
               ONE_OF(state, 0, FMHAC_WORK_CU_KV, FMHAC_WORK_LENGTHS_KV,
                      FMHAC_WORK_PAGE_LIST,
                      FMHAC_WORK_LENGTHS_KV | FMHAC_WORK_CACHED_KV);
  r->split = work_random(state, FMHAC_WORK_SPLIT_FIXED + 1);
  r->split_keys = r->tile_n * (1 + work_random(state, 12));
  r->item_cost = ONE_OF(state, 1, 4, 8);
  r->part_cost = work_random(state, 3);
  r->combine_cost = work_random(state, 8);
  r->least_part = 1 + work_random(state, 6);
  r->small_share = ONE_OF(state, 1, 8, 64);
  r->large_share = ONE_OF(state, 1, 4, 16);
  r->few_units = r->large_share - work_random(state, r->large_share) / 2;
  r->few_parts = ONE_OF(state, 1, 2, 100);
  r->combine_rows = ONE_OF(state, 1, 16, 64);
  r->queue_few_units = ONE_OF(state, 1, 16, 32);
  r->queue = work_random(state, 2);
  r->queue_lists = ONE_OF(state, 1, 2, 4, 7);
  r->packs_heads = work_random(state, 2);
  if (r->lengths & (FMHAC_WORK_CU_Q | FMHAC_WORK_LENGTHS_Q)) {
    r->rows.above = ONE_OF(state, 0, 0, 0, 1, 3);
    r->rows.most = ONE_OF(state, 0, 0, 0, 4, 20);
    r->rows.group_above = ONE_OF(state, 0, 0, 0, 0, 0, 2, 9);
    r->rows.group_most = ONE_OF(state, 0, 0, 0, 0, 0, 0, 16, 70);
  }
  return rules;
}

work_batch work_batch_random(const fmhac_work_rules *rules, uint64_t seed) {
  uint64_t state = seed * 2 + 1;
  work_random(&state, 2);
  work_batch b = work_batch_open(1 + work_random(&state, 1) +
                                 work_random(&state, ONE_OF(&state, 2, 9, 60)));
  b.rules = *rules;
  b.sizes.heads_kv = ONE_OF(&state, 1, 2, 3, 8);
  b.sizes.heads_q = b.sizes.heads_kv * ONE_OF(&state, 1, 1, 2, 4);
  b.sizes.workgroups = ONE_OF(&state, 1, 3, 8, 20, 64, 256, 300, 600, 2048);
  const uint32_t most_rows = ONE_OF(&state, 1, 4, 30),
                 most_keys = ONE_OF(&state, 1, 40, 200);
  const uint32_t given = b.rules.lengths;
  const bool is_dense_q = !(given & (FMHAC_WORK_CU_Q | FMHAC_WORK_LENGTHS_Q));
  const bool is_dense_kv = !(given & (FMHAC_WORK_CU_KV | FMHAC_WORK_LENGTHS_KV |
                                      FMHAC_WORK_PAGE_LIST));
  const bool has_long = work_random(&state, 4) == 0;
  for (uint32_t i = 0; i < b.sizes.batch; ++i) {
    b.rows[i] = (int32_t)work_random(&state, most_rows + 1);
    b.keys[i] = (int32_t)work_random(&state, most_keys + 1);
    if (has_long && i == b.sizes.batch / 2)
      b.keys[i] = 1500;
    if (is_dense_q)
      b.rows[i] = (int32_t)most_rows;
    if (is_dense_kv)
      b.keys[i] = (int32_t)most_keys;
    if (given & FMHAC_WORK_CACHED_KV)
      b.keys[i] += b.rows[i];
  }
  // Maxima of a plan, which a batch need not reach.
  if (work_random(&state, 3) == 0) {
    if (!is_dense_q)
      b.sizes.seqlen_q = most_rows + work_random(&state, 10);
    if (!is_dense_kv)
      b.sizes.seqlen_kv = most_rows + 1500 + work_random(&state, 100);
  }
  work_batch_close(&b);
  if (work_random(&state, 2)) {
    b.most.batch += work_random(&state, 3);
    b.most.seqlen_q += work_random(&state, 20);
    b.most.seqlen_kv += work_random(&state, 100);
    const uint32_t more = 1 + work_random(&state, 8);
    b.most.heads_q *= more;
    if (b.rules.packs_heads) // a plan with such rows is for one G
      b.most.heads_kv *= more;
  }
  return b;
}

//===- Lengths that are wrong ---------------------------------------------===//

/// Keys of the pages of a list; -1: there cannot be so many.
static int64_t keys_of_pages(const fmhac_list_lengths *l, uint32_t i,
                             uint32_t page) {
  const int64_t pages = (int64_t)l->kv_indptr[i + 1] - l->kv_indptr[i];
  if (pages < 0 || l->kv_last_page_len[i] < 0 ||
      (uint32_t)l->kv_last_page_len[i] > page)
    return -1;
  return pages ? (pages - 1) * page + l->kv_last_page_len[i] : 0;
}

work_left_out work_batch_spoil(work_batch *b, uint64_t seed) {
  uint64_t state = seed * 2 + 1;
  work_random(&state, 2);
  work_left_out out = {0, 0};
  const fmhac_list_lengths *l = &b->lengths;
  fmhac_work_sizes *s = &b->sizes;
  const uint32_t rarely = ONE_OF(&state, 2, 8, UINT32_MAX);
  for (int i = 0; i < 6; ++i)
    for (uint32_t n = 0; n <= s->batch; ++n)
      if (work_random(&state, rarely) == 0)
        b->arrays[i][n] = (int32_t)ONE_OF(
            &state, 0x80000000u, UINT32_MAX, 0x7fffffffu, s->seqlen_q + 1,
            s->seqlen_kv + 1, s->seqlen_q, s->seqlen_kv, 0, 1);
  const uint64_t all[] = {(uint64_t)s->batch * s->seqlen_q,
                          (uint64_t)s->batch * s->seqlen_kv};
  uint64_t *const totals[] = {&s->total_q, &s->total_kv},
                  *const mosts[] = {&b->most.total_q, &b->most.total_kv};
  for (int i = 0; i < 2; ++i) {
    *totals[i] = work_random(&state, 4)
                     ? 1 + work_random(&state, (uint32_t)all[i] + 1)
                     : 0;
    *mosts[i] = *totals[i] && work_random(&state, 2)
                    ? *totals[i] + work_random(&state, 3)
                    : *totals[i];
  }
  int64_t rows_left = (int64_t)(s->total_q ? s->total_q : all[0]),
          keys_left = (int64_t)(s->total_kv ? s->total_kv : all[1]);
  for (uint32_t i = 0; i < s->batch; ++i) {
    int64_t rows = s->seqlen_q, keys = s->seqlen_kv;
    if (l->cu_seqlens_q)
      rows = (int64_t)l->cu_seqlens_q[i + 1] - l->cu_seqlens_q[i];
    else if (l->seqlens_q)
      rows = l->seqlens_q[i];
    if (l->cu_seqlens_kv)
      keys = (int64_t)l->cu_seqlens_kv[i + 1] - l->cu_seqlens_kv[i];
    else if (l->kv_indptr)
      keys = keys_of_pages(l, i, b->rules.page_size);
    else if (l->seqlens_kv)
      keys = l->seqlens_kv[i] < 0
                 ? -1
                 : l->seqlens_kv[i] +
                       (b->rules.lengths & FMHAC_WORK_CACHED_KV ? rows : 0);
    const bool is_right = rows >= 0 && rows <= (int64_t)s->seqlen_q &&
                          keys >= 0 && keys <= (int64_t)s->seqlen_kv;
    b->rows[i] = is_right ? (int32_t)rows : 0;
    b->keys[i] = is_right ? (int32_t)keys : 0;
    rows_left -= b->rows[i];
    keys_left -= b->keys[i];
    const bool fits = rows_left >= 0 && keys_left >= 0;
    if (!fits)
      b->rows[i] = b->keys[i] = 0;
    out.alone += !is_right;
    out.together += is_right && !fits;
  }
  return out;
}

//===- Lists --------------------------------------------------------------===//

uint32_t work_batch_lists(const work_batch *b) {
  enum { MOST = 2048 };
  const uint32_t lists =
      b->sizes.workgroups * (b->rules.queue ? b->rules.queue_lists : 1);
  return lists < MOST ? lists : MOST;
}

enum { MARGIN = 8, FILL = 0x5a };

static void *guarded(uint64_t count, size_t bytes) {
  const size_t size = (count + MARGIN) * bytes;
  void *memory = zeros(size, 1);
  memset(memory, FILL, size);
  return memory;
}

static void check_margin(const void *memory, uint64_t count, size_t bytes,
                         const char *what) {
  const unsigned char *at = (const unsigned char *)memory + count * bytes;
  for (size_t i = 0; i < MARGIN * bytes; ++i)
    if (at[i] != FILL)
      fail_msg("%s: byte %zu after the room is written", what, i);
}

work_lists work_lists_make(const work_batch *b) {
  work_lists l = {.room = b->has_runs
                              ? fmhac_run_room_of(&b->rules, &b->most)
                              : fmhac_list_room_of(&b->rules, &b->most)};
  assert_int_equal(l.room.lists, work_batch_lists(b));
  l.lists =
      (fmhac_lists){guarded(work_batch_lists(b) + 1, sizeof(int32_t)),
                    guarded(l.room.items, sizeof(fmhac_work_item)),
                    guarded(l.room.combine_items, sizeof(fmhac_combine_item)),
                    guarded(1, sizeof(int32_t))};
  // calloc() aligns to 16.
  l.scratch = guarded(l.room.scratch_bytes, 1);
  if (b->has_runs)
    fmhac_runs_fill(&b->rules, &b->sizes, &b->lengths, &l.lists);
  else
    fmhac_lists_fill(&b->rules, &b->sizes, &b->lengths, &l.lists, l.scratch);
  return l;
}

void work_lists_free(work_lists *l) {
  free(l->lists.work_indptr);
  free(l->lists.work_items);
  free(l->lists.combine_items);
  free(l->lists.combine_count);
  free(l->scratch);
}

/// Rows of tiles for each row of Q, and heads that have tiles.
static int32_t group_of(const work_batch *b) {
  return b->rules.packs_heads ? (int32_t)(b->sizes.heads_q / b->sizes.heads_kv)
                              : 1;
}
static uint32_t heads_of(const work_batch *b) {
  return b->rules.packs_heads ? b->sizes.heads_kv : b->sizes.heads_q;
}

//===- Definition ---------------------------------------------------------===//

/// Rows of a sequence that the lists are about.
static int32_t own_rows(const work_batch *b, uint32_t sequence) {
  const int64_t rows = b->rows[sequence];
  const int64_t of_group = rows * (b->sizes.heads_q / b->sizes.heads_kv);
  const fmhac_work_rows *own = &b->rules.rows;
  const int64_t most = own->most ? own->most : INT64_MAX;
  const int64_t group_most = own->group_most ? own->group_most : INT64_MAX;
  const bool is_own = own->above < rows && rows <= most &&
                      own->group_above < of_group && of_group <= group_most;
  return is_own ? b->rows[sequence] : 0;
}

/// Whether row i sees key j (docs/topics/masks-and-lengths.md).
static bool sees(const work_batch *b, uint32_t sequence, int64_t i, int64_t j) {
  const fmhac_work_rules *r = &b->rules;
  const int64_t d = i + b->keys[sequence] - b->rows[sequence];
  switch (r->mask) {
  case FMHAC_WORK_MASK_CAUSAL:
    return j <= d;
  case FMHAC_WORK_MASK_CAUSAL_TOP_LEFT:
    return j <= i;
  case FMHAC_WORK_MASK_WINDOW:
    return (r->window_left < 0 || j >= d - r->window_left) &&
           (r->window_right < 0 || j <= d + r->window_right);
  case FMHAC_WORK_MASK_CHUNKED:
    return j <= d && j / r->mask_chunk == d / r->mask_chunk;
  default:
    return true;
  }
}

/// The tiles of keys in which some row of [begin, end), as tiles count them,
/// sees a key, and one past the last key that one sees; 0, 0, 0: none.
typedef struct seen {
  int64_t first, past, limit;
} seen;

static bool any_sees(const work_batch *b, uint32_t sequence, int64_t begin,
                     int64_t end, int64_t j) {
  for (int64_t i = begin; i < end; ++i)
    if (sees(b, sequence, i / group_of(b), j))
      return true;
  return false;
}

static seen seen_by(const work_batch *b, uint32_t sequence, int64_t begin,
                    int64_t end) {
  const int64_t keys = b->keys[sequence], tile = b->rules.tile_n;
  int64_t first = 0, last = keys - 1;
  while (first < keys && !any_sees(b, sequence, begin, end, first))
    ++first;
  if (first == keys)
    return (seen){0, 0, 0};
  while (!any_sees(b, sequence, begin, end, last))
    --last;
  return (seen){first / tile, last / tile + 1, last + 1};
}

//===- Check --------------------------------------------------------------===//

/// An item for one of its heads.
typedef struct unit {
  fmhac_work_item item;
  int32_t head;
  int64_t part; ///< row of part_o of this head; -1: none
} unit;

static int by_place(const void *left, const void *right) {
  const unit *x = left, *y = right;
  const int64_t differences[] = {(int64_t)x->item.batch - y->item.batch,
                                 (int64_t)x->item.row_begin - y->item.row_begin,
                                 (int64_t)x->head - y->head,
                                 (int64_t)x->item.key_begin -
                                     y->item.key_begin};
  for (int i = 0; i < 4; ++i)
    if (differences[i])
      return differences[i] < 0 ? -1 : 1;
  return 0;
}

/// Rows [begin, end) of part_o.
typedef struct part_rows {
  int64_t begin, end;
} part_rows;

static int by_begin(const void *left, const void *right) {
  const part_rows *x = left, *y = right;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int32_t first_head(int32_t heads) { return heads & 0xffff; }
static int32_t past_head(int32_t heads) {
  return (int32_t)((uint32_t)heads >> 16);
}

static unit *expand(const work_batch *b, const work_lists *l,
                    size_t *out_count) {
  const int32_t *indptr = l->lists.work_indptr;
  size_t count = 0;
  assert_int_equal(indptr[0], 0);
  for (uint32_t w = 0; w < work_batch_lists(b); ++w)
    assert_true(indptr[w] <= indptr[w + 1]);
  const int32_t items = indptr[work_batch_lists(b)];
  assert_true((uint64_t)items <= l->room.items);
  for (int32_t i = 0; i < items; ++i) {
    const fmhac_work_item *item = &l->lists.work_items[i];
    assert_true(past_head(item->heads) > first_head(item->heads));
    assert_true((uint32_t)past_head(item->heads) <= heads_of(b));
    count += (size_t)(past_head(item->heads) - first_head(item->heads));
  }
  unit *units = zeros(count, sizeof *units);
  size_t at = 0;
  for (int32_t i = 0; i < items; ++i) {
    const fmhac_work_item item = l->lists.work_items[i];
    const int32_t rows = item.row_end - item.row_begin;
    for (int32_t h = first_head(item.heads); h < past_head(item.heads); ++h)
      units[at++] = (unit){
          item, h,
          item.part < 0
              ? -1
              : item.part + (int64_t)(h - first_head(item.heads)) * rows};
  }
  qsort(units, count, sizeof *units, by_place);
  *out_count = count;
  return units;
}

/// The item of the combination for a tile and a head, which must be one.
static const fmhac_combine_item *combination_of(const work_lists *l,
                                                const unit *u) {
  const fmhac_combine_item *found = NULL;
  for (int32_t i = 0; i < *l->lists.combine_count; ++i) {
    const fmhac_combine_item *item = &l->lists.combine_items[i];
    if (item->batch == u->item.batch && item->row_begin == u->item.row_begin &&
        first_head(item->heads) <= u->head &&
        u->head < past_head(item->heads)) {
      assert_null(found);
      found = item;
    }
  }
  return found;
}

/// Checks the parts of one tile of rows, which sees `s`, and one head. Returns
/// how many they are.
static size_t check_chain(const work_batch *b, const work_lists *l, seen s,
                          const unit *units, size_t left) {
  const fmhac_work_item *first = &units[0].item;
  const int64_t keys = b->keys[first->batch], tile = b->rules.tile_n;
  const int64_t rows = first->row_end - first->row_begin;
  size_t count = 1;
  while (count < left && units[count].item.batch == first->batch &&
         units[count].item.row_begin == first->row_begin &&
         units[count].head == units[0].head)
    ++count;
  int64_t key = s.first * tile;
  for (size_t c = 0; c < count; ++c) {
    const fmhac_work_item *item = &units[c].item;
    assert_int_equal(item->row_end, first->row_end);
    assert_int_equal(item->key_begin, key);
    assert_int_equal(item->key_begin % tile, 0);
    assert_true(item->key_end > item->key_begin || s.limit == 0);
    assert_int_equal(item->keys_after, keys - item->key_end);
    if (b->rules.split == FMHAC_WORK_SPLIT_FIXED && item->key_end) {
      const int64_t chunk = b->rules.split_keys;
      assert_int_equal(item->key_begin / chunk, (item->key_end - 1) / chunk);
      assert_true(item->key_end % chunk == 0 || item->key_end == s.limit);
    }
    key = item->key_end;
  }
  assert_int_equal(key, s.limit);
  if (count == 1) {
    assert_int_equal(units[0].part, -1);
    if (l->lists.combine_count && b->rules.split != FMHAC_WORK_SPLIT_NONE)
      assert_null(combination_of(l, &units[0]));
    return count;
  }
  assert_int_not_equal(b->rules.split, FMHAC_WORK_SPLIT_NONE);
  const fmhac_combine_item *combine = combination_of(l, &units[0]);
  assert_non_null(combine);
  assert_int_equal(combine->row_end, first->row_end);
  assert_int_equal(combine->chunks, count);
  assert_int_equal(combine->group, b->rules.packs_heads ? group_of(b) : 0);
  const int64_t step = b->has_runs ? b->rules.tile_m : heads_of(b) * rows;
  for (size_t c = 0; c < count; ++c)
    assert_int_equal(units[c].part,
                     combine->part + (int64_t)c * step +
                         (units[0].head - first_head(combine->heads)) * rows);
  return count;
}

/// No two parts share a row, and all have room.
static void check_part_rows(const work_lists *l, const unit *units,
                            size_t count) {
  part_rows *ranges = zeros(count, sizeof *ranges);
  size_t parts = 0;
  for (size_t i = 0; i < count; ++i)
    if (units[i].part >= 0)
      ranges[parts++] =
          (part_rows){units[i].part, units[i].part + units[i].item.row_end -
                                         units[i].item.row_begin};
  qsort(ranges, parts, sizeof *ranges, by_begin);
  for (size_t i = 0; i < parts; ++i) {
    assert_true(ranges[i].begin >= (i ? ranges[i - 1].end : 0));
    assert_true((uint64_t)ranges[i].end <= l->room.part_rows);
  }
  free(ranges);
}

void work_lists_check(const work_batch *b, const work_lists *l) {
  check_margin(l->lists.work_indptr, work_batch_lists(b) + 1, sizeof(int32_t),
               "work_indptr");
  check_margin(l->lists.work_items, l->room.items, sizeof(fmhac_work_item),
               "work_items");
  check_margin(l->lists.combine_items, l->room.combine_items,
               sizeof(fmhac_combine_item), "combine_items");
  check_margin(l->scratch, l->room.scratch_bytes, 1, "scratch");
  if (b->rules.split != FMHAC_WORK_SPLIT_NONE)
    assert_true((uint64_t)*l->lists.combine_count <= l->room.combine_items);
  size_t count, at = 0, combined = 0;
  unit *units = expand(b, l, &count);
  for (uint32_t s = 0; s < b->sizes.batch; ++s)
    for (int32_t row = 0; row < own_rows(b, s) * group_of(b);
         row += (int32_t)b->rules.tile_m) {
      const int32_t left = b->rows[s] * group_of(b) - row;
      const int32_t end =
          row +
          (left < (int32_t)b->rules.tile_m ? left : (int32_t)b->rules.tile_m);
      // Of all heads: asking key by key takes most of the test's time.
      const seen by_tile = seen_by(b, s, row, end);
      for (uint32_t h = 0; h < heads_of(b); ++h) {
        assert_true(at < count);
        assert_int_equal(units[at].item.batch, s);
        assert_int_equal(units[at].item.row_begin, row);
        assert_int_equal(units[at].item.row_end, end);
        assert_int_equal(units[at].head, h);
        const size_t chain = check_chain(b, l, by_tile, units + at, count - at);
        combined += chain > 1;
        at += chain;
      }
    }
  assert_int_equal(at, count);
  check_part_rows(l, units, count);
  size_t heads = 0;
  if (b->rules.split != FMHAC_WORK_SPLIT_NONE)
    for (int32_t i = 0; i < *l->lists.combine_count; ++i)
      heads += (size_t)(past_head(l->lists.combine_items[i].heads) -
                        first_head(l->lists.combine_items[i].heads));
  assert_int_equal(heads, combined);
  free(units);
}

work_load work_load_of(const work_batch *b, const work_lists *l) {
  const fmhac_work_rules *r = &b->rules;
  work_load load = {0, 0, 0, 0};
  uint64_t *busy = zeros(b->sizes.workgroups, sizeof *busy);
  for (uint32_t w = 0; w < work_batch_lists(b); ++w) {
    uint64_t own = 0;
    for (int32_t i = l->lists.work_indptr[w]; i < l->lists.work_indptr[w + 1];
         ++i) {
      const fmhac_work_item *item = &l->lists.work_items[i];
      const uint64_t keys = (uint64_t)(item->key_end - item->key_begin);
      const uint64_t cost = (keys + r->tile_n - 1) / r->tile_n + r->item_cost +
                            (item->part < 0 ? 0 : r->part_cost);
      own +=
          cost * (uint64_t)(past_head(item->heads) - first_head(item->heads));
      load.unit = cost > load.unit ? cost : load.unit;
    }
    load.all += own;
    load.most = own > load.most ? own : load.most;
    uint32_t free_first = 0;
    for (uint32_t i = 1; i < b->sizes.workgroups; ++i)
      free_first = busy[i] < busy[free_first] ? i : free_first;
    busy[free_first] += own;
  }
  for (uint32_t i = 0; i < b->sizes.workgroups; ++i)
    load.last = busy[i] > load.last ? busy[i] : load.last;
  free(busy);
  return load;
}
