// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_merge.h end to end: results over two parts of the keys, of two ordinary
// launches, become those of one launch over all, by the rule that judges such a
// launch; and numbers by the formula.
#include "fmhac_reference.h"
#include "merge_test.h"

enum { B = 4, HQ = 4, HK = 2, SQ = 19, SK = 96, SPLIT = 40, D = 64 };

static const fmhac_problem k_most = {sizeof k_most, B, HQ, HK, SQ, SK, 0, 0};

static void launch(const fmhac_plan *plan, const fmhac_tensors *t) {
  if (fmhac_launch(plan, g_device, t, NULL, NULL) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
}

/// A configuration whose keys are divided.
typedef struct division {
  const char *json;         ///< with seqlens_kv
  const char *without_sink; ///< the same without a sink; NULL: it has none
  size_t element_bytes;
  o_type type;
  bool packed, lengths;
} division;

/// The results of one part: keys from `first` on, `lengths` of each sequence.
typedef struct part {
  fmhac_tensors tensors;
  fmhac_device_ptr seqlens_kv;
} part;

static part make_part(const fmhac_tensors *all, size_t o_bytes,
                      size_t lse_bytes, uint32_t first,
                      const int32_t lengths[B]) {
  part p = {.tensors = *all};
  p.seqlens_kv = put(lengths, B * sizeof *lengths);
  p.tensors.seqlens_kv = p.seqlens_kv;
  p.tensors.k += first * all->k_strides.row_bytes;
  p.tensors.v += first * all->v_strides.row_bytes;
  p.tensors.seqlen_kv = SK - first;
  p.tensors.o = reserve(o_bytes, 0x11);
  p.tensors.lse = reserve(lse_bytes, 0x11);
  return p;
}

/// O of rows that saw no key becomes NaN: nobody may look at it.
static void poison(const part *p, size_t rows, size_t row_bytes) {
  float *lse = malloc(rows * HQ * sizeof *lse);
  assert_non_null(lse);
  assert_int_equal(
      fmhac_rt_copy_out(g_device, p->tensors.lse, lse, rows * HQ * sizeof *lse),
      FMHAC_OK);
  // [total, Hq, Dv] and [Hq, total].
  for (size_t row = 0; row < rows; ++row)
    for (size_t h = 0; h < HQ; ++h)
      if (lse[h * rows + row] == -INFINITY)
        assert_int_equal(
            fmhac_rt_fill(g_device, p->tensors.o + (row * HQ + h) * row_bytes,
                          0xff, row_bytes),
            FMHAC_OK);
  free(lse);
}

static fmhac_merge_tensors merge_of(const fmhac_tensors *to,
                                    const fmhac_tensors *other) {
  return (fmhac_merge_tensors){
      .size = sizeof(fmhac_merge_tensors),
      .batch = to->batch,
      .heads_q = to->heads_q,
      .seqlen_q = to->seqlen_q,
      .o = to->o,
      .lse = to->lse,
      .other_o = other->o,
      .other_lse = other->lse,
      .o_strides = to->o_strides,
      .other_o_strides = other->o_strides,
      .lse_batch_stride_bytes = to->lse_batch_stride_bytes,
      .lse_head_stride_bytes = to->lse_head_stride_bytes,
      .other_lse_batch_stride_bytes = other->lse_batch_stride_bytes,
      .other_lse_head_stride_bytes = other->lse_head_stride_bytes,
      .cu_seqlens_q = to->cu_seqlens_q,
      .seqlens_q = to->seqlens_q};
}

/// One sequence has keys in both parts, one only in the first, one in none, one
/// a single key in the second; and the other way round, as parts are merged
/// into either.
static void divide(const division *v, bool into_second) {
  fmhac_plan *plan = make_plan(v->json, &k_most);
  fmhac_plan *plain =
      v->without_sink ? make_plan(v->without_sink, &k_most) : NULL;
  fmhac_merge *merge = make_merge(v->json);
  const int32_t all[B] = {SK, 25, 0, SPLIT + 1};
  const int32_t starts[B + 1] = {0, SQ, SQ + 3, SQ + 3, SQ + 3 + 7};
  const int32_t rows_of[B] = {SQ, 0, 5, 1};
  int32_t first[B], second[B];
  for (int b = 0; b < B; ++b) {
    first[b] = all[b] < SPLIT ? all[b] : SPLIT;
    second[b] = all[b] - first[b];
  }
  const size_t rows = v->packed ? (size_t)starts[B] : (size_t)B * SQ;
  const size_t row_bytes = D * bytes_of(v->type);
  const size_t o_bytes = rows * HQ * row_bytes;
  const size_t lse_bytes = rows * HQ * sizeof(float);
  fmhac_tensors t = FMHAC_TENSORS_INIT;
  const size_t e = v->element_bytes;
  assert_int_equal(
      fmhac_tensors_dense(plan, &k_most, put_values(B * SQ * HQ * D, e, 1),
                          put_values(B * SK * HK * D, e, 2),
                          put_values(B * SK * HK * D, e, 3),
                          reserve(o_bytes, 0x11), reserve(lse_bytes, 0x11), &t),
      FMHAC_OK);
  const float sinks[HQ] = {1.5f, -2, 0, 4}, o_scale = 0.01f;
  t.scale = 0.05f;
  t.seqlens_kv = put(all, sizeof all);
  if (v->without_sink)
    t.sink = put(sinks, sizeof sinks);
  if (v->type == O_FP8)
    t.o_scale = put(&o_scale, sizeof o_scale);
  if (v->packed) {
    t.cu_seqlens_q = put(starts, sizeof starts);
    t.lse_head_stride_bytes = rows * sizeof(float);
  }
  if (v->lengths)
    t.seqlens_q = put(rows_of, sizeof rows_of);
  part parts[2] = {make_part(&t, o_bytes, lse_bytes, 0, first),
                   make_part(&t, o_bytes, lse_bytes, SPLIT, second)};
  launch(plan, &parts[0].tensors);
  if (plain) // the sink counts once
    parts[1].tensors.sink = 0;
  launch(plain ? plain : plan, &parts[1].tensors);
  for (int i = 0; i < 2 && v->packed; ++i)
    poison(&parts[i], rows, row_bytes);
  const fmhac_tensors *to = &parts[into_second ? 1 : 0].tensors;
  fmhac_merge_tensors m = merge_of(to, &parts[into_second ? 0 : 1].tensors);
  launch_merge(merge, &m);
  t.o = to->o;
  t.lse = to->lse;
  fmhac_comparison c = {.size = sizeof c};
  if (fmhac_compare_launch(plan, g_device, &t, NULL, &c) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
  if (!c.pass)
    fail_msg("%s: %s", v->json, c.reason);
  const size_t in_use = v->lengths ? SQ + 0 + 5 + 1 : rows;
  assert_int_equal(c.rows, in_use * HQ);
  // One part alone is not the result.
  t.o = parts[into_second ? 0 : 1].tensors.o;
  t.lse = parts[into_second ? 0 : 1].tensors.lse;
  c.size = sizeof c;
  assert_int_equal(fmhac_compare_launch(plan, g_device, &t, NULL, &c),
                   FMHAC_OK);
  assert_false(c.pass);
  fmhac_merge_destroy(merge);
  fmhac_plan_destroy(plain);
  fmhac_plan_destroy(plan);
}

#define RAGGED "\"head_dim\": 64, \"lse\": true, \"seqlens_kv\": true"

static void test_divided_keys(void **state) {
  (void)state;
  static const division all[] = {
      {"{" RAGGED "}", NULL, 2, O_BF16, false, false},
      {"{" RAGGED ", \"dtype\": \"f16\"}", NULL, 2, O_F16, false, false},
      {"{" RAGGED ", \"out_dtype\": \"f32\"}", NULL, 2, O_F32, false, false},
      {"{" RAGGED ", \"dtype\": \"fp8\"}", NULL, 1, O_BF16, false, false},
      {"{" RAGGED ", \"dtype\": \"fp8\", \"out_dtype\": \"fp8\"}", NULL, 1,
       O_FP8, false, false},
      {"{" RAGGED ", \"cu_seqlens_q\": true}", NULL, 2, O_BF16, true, false},
      {"{" RAGGED ", \"cu_seqlens_q\": true, \"dtype\": \"fp8\", "
       "\"out_dtype\": \"fp8\"}",
       NULL, 1, O_FP8, true, false},
      {"{" RAGGED ", \"seqlens_q\": true, \"dtype\": \"f16\"}", NULL, 2, O_F16,
       false, true},
      {"{" RAGGED ", \"sink\": true}", "{" RAGGED "}", 2, O_BF16, false,
       false}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
    for (int into_second = 0; into_second < 2; ++into_second)
      divide(&all[i], into_second);
}

//===- The formula --------------------------------------------------------===//

enum { ROWS = 21, HEADS = 3, BATCHES = 2 };

/// Two results of `type`, [B, H, S, D] with strides of their own.
static void merge_numbers(const char *json, o_type type, uint32_t columns) {
  enum { COUNT = BATCHES * HEADS * ROWS, ROOM = 2 * COUNT };
  const size_t width = bytes_of(type), row = (columns * width + 15) / 16 * 16;
  // Rows of the first lie next to each other, those of the second by heads.
  const fmhac_strides strides[2] = {
      {HEADS * ROWS * row, ROWS * row, row},
      {HEADS * ROWS * row + 64, row, HEADS * row}};
  const size_t bytes = BATCHES * (HEADS * ROWS * row + 64);
  unsigned char *o[2], *merged = malloc(bytes);
  // [B, H, S]; of the second with gaps after heads and batches.
  static const uint64_t lse_strides[2][2] = {
      {HEADS * ROWS, ROWS}, {HEADS * (ROWS + 5) + 3, ROWS + 5}};
  float lse[2][COUNT], in_memory[2][ROOM], merged_lse[COUNT];
  fmhac_device_ptr at[2], lse_at[2];
  uint32_t seed = columns;
  for (int s = 0; s < 2; ++s) {
    o[s] = malloc(bytes);
    assert_non_null(o[s]);
    for (size_t i = 0; i < bytes; ++i)
      o[s][i] = (unsigned char)next(&seed);
    for (size_t i = 0; i + width <= bytes; i += width) {
      // No infinity, no NaN: those have a test of their own.
      if (type == O_FP8 && (o[s][i] & 0x7f) == 0x7f)
        o[s][i] = 0x38;
      if (type != O_FP8)
        o[s][i + width - 1] = (unsigned char)((o[s][i + width - 1] & 0x80) |
                                              (type == O_F16 ? 0x38 : 0x3f));
    }
    for (int i = 0; i < COUNT; ++i)
      lse[s][i] = (i + s) % 5 == 0 || i % 7 == 6
                      ? -INFINITY
                      : (float)(40 * next_unit(&seed));
    for (int i = 0; i < ROOM; ++i)
      in_memory[s][i] = 1000; // which would be the greatest of all
    for (uint64_t i = 0; i < COUNT; ++i)
      in_memory[s][i / ROWS / HEADS * lse_strides[s][0] +
                   i / ROWS % HEADS * lse_strides[s][1] + i % ROWS] = lse[s][i];
    at[s] = put(o[s], bytes);
    lse_at[s] = put(in_memory[s], sizeof in_memory[s]);
  }
  fmhac_merge *merge = make_merge(json);
  const fmhac_merge_tensors t = {
      .size = sizeof t,
      .batch = BATCHES,
      .heads_q = HEADS,
      .seqlen_q = ROWS,
      .o = at[0],
      .lse = lse_at[0],
      .other_o = at[1],
      .other_lse = lse_at[1],
      .o_strides = strides[0],
      .other_o_strides = strides[1],
      .lse_batch_stride_bytes = lse_strides[0][0] * sizeof(float),
      .lse_head_stride_bytes = lse_strides[0][1] * sizeof(float),
      .other_lse_batch_stride_bytes = lse_strides[1][0] * sizeof(float),
      .other_lse_head_stride_bytes = lse_strides[1][1] * sizeof(float)};
  unsigned char *first = NULL;
  for (int order = 0; order < ORDERS; ++order) {
    assert_int_equal(set_order(g_device, order), FMHAC_OK);
    assert_int_equal(fmhac_rt_copy_in(g_device, at[0], o[0], bytes), FMHAC_OK);
    assert_int_equal(
        fmhac_rt_copy_in(g_device, lse_at[0], lse[0], sizeof lse[0]), FMHAC_OK);
    launch_merge(merge, &t);
    assert_int_equal(fmhac_rt_copy_out(g_device, at[0], merged, bytes),
                     FMHAC_OK);
    if (!first)
      assert_non_null(first = memcpy(malloc(bytes), merged, bytes));
    assert_memory_equal(first, merged, bytes);
  }
  assert_int_equal(
      fmhac_rt_copy_out(g_device, lse_at[0], merged_lse, sizeof merged_lse),
      FMHAC_OK);
  for (size_t i = 0; i < COUNT; ++i) {
    const size_t r = i % ROWS, h = i / ROWS % HEADS, b = i / ROWS / HEADS;
    const double lses[2] = {(double)lse[0][i], (double)lse[1][i]};
    sum exact = {0, 0, 0};
    for (uint32_t k = 0; k < columns; ++k) {
      double os[2];
      for (int s = 0; s < 2; ++s)
        os[s] = load_o(o[s] + b * strides[s].batch_bytes +
                           h * strides[s].head_bytes +
                           r * strides[s].row_bytes + k * width,
                       type);
      exact = combine(lses, os, 2, -INFINITY);
      const double found = load_o(merged + b * strides[0].batch_bytes +
                                      h * strides[0].head_bytes +
                                      r * strides[0].row_bytes + k * width,
                                  type);
      if (!(fabs(found - exact.o) <= bound_of(exact.o, exact.terms, type)))
        fail_msg("%s, row %zu, column %u: %.9g, expected %.9g", json, i, k,
                 found, exact.o);
      // The other's as it is: not a digit may change.
      if (isinf(lses[0]) != isinf(lses[1]) &&
          found != os[isinf(lses[0]) ? 1 : 0])
        fail_msg("%s, row %zu, column %u: %.9g is not one of the two", json, i,
                 k, found);
    }
    const double found = (double)merged_lse[i];
    if (isinf(exact.lse)
            ? found != exact.lse
            : !(fabs(found - exact.lse) <= 2e-6 * fmax(1, fabs(exact.lse))))
      fail_msg("%s, row %zu: LSE %.9g, expected %.9g", json, i, found,
               exact.lse);
  }
  // What was merged in is as it was.
  assert_int_equal(fmhac_rt_copy_out(g_device, at[1], merged, bytes), FMHAC_OK);
  assert_memory_equal(merged, o[1], bytes);
  fmhac_merge_destroy(merge);
  for (int s = 0; s < 2; ++s) {
    assert_int_equal(fmhac_rt_free(g_device, at[s]), FMHAC_OK);
    assert_int_equal(fmhac_rt_free(g_device, lse_at[s]), FMHAC_OK);
    free(o[s]);
  }
  free(merged);
  free(first);
}

static void test_numbers(void **state) {
  (void)state;
  static const struct {
    const char *json;
    o_type type;
  } types[] = {{"\"dtype\": \"bf16\"", O_BF16},
               {"\"dtype\": \"f16\"", O_F16},
               {"\"out_dtype\": \"f32\"", O_F32},
               {"\"dtype\": \"fp8\", \"out_dtype\": \"fp8\"", O_FP8}};
  static const uint32_t columns[] = {8, 16, 48, 128, 192, 256};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
    for (size_t j = 0; j < sizeof columns / sizeof columns[0]; ++j) {
      char json[128];
      snprintf(json, sizeof json, "{%s, \"head_dim_v\": %u}", types[i].json,
               columns[j]);
      merge_numbers(json, types[i].type, columns[j]);
    }
}

int main(int argc, char **argv) {
  if (argc != 2 || !open_all(argv[1]))
    return 1;
  const struct CMUnitTest on_emulator[] = {cmocka_unit_test(test_divided_keys),
                                           cmocka_unit_test(test_numbers)};
  // Orders of waves are the emulator's.
  const struct CMUnitTest on_hip[] = {cmocka_unit_test(test_divided_keys)};
  const int failed = strcmp(argv[1], "emu") == 0
                         ? cmocka_run_group_tests(on_emulator, NULL, NULL)
                         : cmocka_run_group_tests(on_hip, NULL, NULL);
  close_all();
  return failed;
}
