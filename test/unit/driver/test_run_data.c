// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The buffers of a run: what the library is told of them is where the elements
// lie, whatever the layout; and what a launch may not write is noticed.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fill_data.h"
#include "run_features.h"
#include "run_fixture.h"

static void write_i32(const char *name, const int32_t *list, uint64_t count) {
  char error[ERROR_BYTES];
  assert_true(npy_write(name, ELEMENT_I32, 1, &count, list, error));
}

static void write_f32(const char *name, size_t rank, const uint64_t *shape) {
  char error[ERROR_BYTES];
  float values[4096];
  for (int i = 0; i < 4096; ++i)
    values[i] = (float)sin(i);
  assert_true(npy_write(name, ELEMENT_F32, rank, shape, values, error));
}

static bool init(fixture *f, const char *json, char error[ERROR_BYTES]) {
  close_run(f);
  f->options = cJSON_Parse(json);
  assert_non_null(f->options);
  if (fmhac_config_create_json(f->context, json, &f->config) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(f->context));
  return run_data_init(f->options, f->config, &f->data, error);
}

/// Opens and fills a run; the device's memory is the host's.
static void open_run(fixture *f, const char *json) {
  char error[ERROR_BYTES];
  if (!init(f, json, error) || !run_data_fill(&f->data, NULL, error))
    fail_msg("%s: %s", json, error);
  for (int i = 0; i < BUFFER_COUNT; ++i)
    f->data.buffers[i].address = (uintptr_t)f->data.buffers[i].host;
}

static const void *at(uint64_t address) {
  return (const void *)(uintptr_t)address;
}

static attention_view view(uint64_t address, fmhac_strides s, uint64_t bytes) {
  return (attention_view){.base = at(address),
                          .batch_stride = s.batch_bytes / bytes,
                          .row_stride = s.row_bytes / bytes,
                          .head_stride = s.head_bytes / bytes};
}

/// Does what a kernel would do, knowing nothing but what the library is told.
static void launch(fixture *f) {
  const fmhac_tensors t = run_data_tensors(&f->data);
  const attention *told = &f->data.problem;
  const attention p = {.batch = t.batch,
                       .heads_q = t.heads_q,
                       .heads_kv = t.heads_kv,
                       .seqlen_q = t.seqlen_q,
                       .seqlen_kv = t.seqlen_kv,
                       .head_dim_qk = told->head_dim_qk,
                       .head_dim_v = told->head_dim_v,
                       .q_type = told->q_type,
                       .k_type = told->k_type,
                       .v_type = told->v_type,
                       .out_type = told->out_type,
                       .scale = t.scale,
                       .softcap = told->softcap,
                       .mask = told->mask,
                       .q = view(t.q, t.q_strides, 2),
                       .k = view(t.k, t.k_strides, 2),
                       .v = view(t.v, t.v_strides, 2),
                       .cu_seqlens_q = at(t.cu_seqlens_q),
                       .cu_seqlens_kv = at(t.cu_seqlens_kv),
                       .seqlens_q = at(t.seqlens_q),
                       .seqlens_kv = at(t.seqlens_kv),
                       .sink = at(t.sink),
                       .alibi_slopes = at(t.alibi_slopes),
                       .alibi_batch_stride = t.alibi_batch_stride_bytes / 4,
                       .bias = {at(t.bias), t.bias_strides.batch_bytes / 4,
                                t.bias_strides.head_bytes / 4,
                                t.bias_strides.row_bytes / 4}};
  size_t count = attention_o_count(&p), lse_count = attention_lse_count(&p);
  double *o = calloc(count, sizeof *o), *lse = calloc(lse_count, sizeof *lse);
  double *from = o, *lse_from = lse;
  assert_true(reference_compute(&p, 1, NULL, NULL, o, NULL, lse, NULL));
  for (uint32_t b = 0; b < p.batch; ++b) {
    uint32_t rows = attention_rows(&p, b);
    uint64_t first = p.cu_seqlens_q ? (uint64_t)p.cu_seqlens_q[b] : 0;
    for (uint64_t i = first; i < first + rows; ++i)
      for (uint32_t h = 0; h < p.heads_q; ++h) {
        char *row = (char *)(uintptr_t)t.o + b * t.o_strides.batch_bytes +
                    i * t.o_strides.row_bytes + h * t.o_strides.head_bytes;
        for (uint32_t d = 0; d < p.head_dim_v; ++d)
          element_store(p.out_type, row, d, *from++);
      }
    for (uint32_t h = 0; h < p.heads_q; ++h)
      for (uint64_t i = first; i < first + rows; ++i) {
        if (t.lse)
          element_store(ELEMENT_F32,
                        (char *)(uintptr_t)t.lse +
                            b * t.lse_batch_stride_bytes +
                            h * t.lse_head_stride_bytes,
                        i, *lse_from);
        ++lse_from;
      }
  }
  free(lse);
  free(o);
}

/// What is collected after a launch is the reference's own floor, rounded: no
/// element is elsewhere, missing or twice. Returns it.
static void *check_launch(fixture *f, const char *json) {
  open_run(f, json);
  launch(f);
  const attention *p = &f->data.problem;
  size_t count = attention_o_count(p), lse_count = attention_lse_count(p);
  double *o = calloc(count, sizeof *o), *lse = calloc(lse_count, sizeof *lse);
  assert_true(reference_compute(p, 1, NULL, NULL, o, NULL, lse, NULL));
  void *found = run_data_collect(&f->data, TENSOR_O);
  for (size_t i = 0; i < count; ++i)
    if (!(element_load(p->out_type, found, i) == o[i]))
      fail_msg("%s: element %zu is %g, expected %g", json, i,
               element_load(p->out_type, found, i), o[i]);
  if (run_data_has_lse(&f->data)) {
    float *found_lse = run_data_collect(&f->data, TENSOR_LSE);
    for (size_t i = 0; i < lse_count; ++i)
      assert_true(found_lse[i] == (float)lse[i]);
    free(found_lse);
  }
  char text[ERROR_BYTES];
  if (run_data_find_stray(&f->data, text))
    fail_msg("%s: %s", json, text);
  free(lse);
  free(o);
  return found;
}

#define SIZES                                                                  \
  "\"head_dim\":8,\"heads\":4,\"kv_heads\":2,\"batch\":2,\"seqlen_q\":5,"      \
  "\"seqlen_kv\":5,"                                                           \
  "\"lse\":true"

/// All layouts hold the same elements, so all give the same results.
static void test_layouts(void **state) {
  fixture *f = *state;
  static const char *const layouts[] = {
      "\"layout\":\"bshd\"",
      "\"layout\":\"bhsd\"",
      "\"layout\":\"packed-qkv\"",
      "\"layout\":\"interleaved-kv\"",
      ("\"q_strides\":\"400,40,8\",\"k_strides\":\"8,48,24\",\"v_strides\":"
       "\"300,16,100\",\"o_strides\":\"480,48,12\""),
      "\"layout\":\"packed-qkv\",\"o_strides\":\"8,16,80\"",
  };
  uint16_t *first = NULL;
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; ++i) {
    char json[300];
    snprintf(json, sizeof json, "{" SIZES ",%s}", layouts[i]);
    uint16_t *found = check_launch(f, json);
    if (first)
      assert_memory_equal(first, found, 2 * 5 * 4 * 8 * sizeof *first);
    else
      first = found;
    if (found != first)
      free(found);
  }
  free(first);
}

static void test_shared_buffers(void **state) {
  fixture *f = *state;
  open_run(f, "{" SIZES ",\"layout\":\"packed-qkv\"}");
  const run_buffer *b = f->data.buffers;
  assert_string_equal(b[TENSOR_Q].name, "qkv");
  assert_int_equal(b[TENSOR_Q].bytes, 2 * 5 * (4 + 2 * 2) * 8 * 2);
  assert_true(b[TENSOR_K].bytes == 0 && b[TENSOR_V].bytes == 0);
  fmhac_tensors t = run_data_tensors(&f->data);
  assert_int_equal(t.k - t.q, 4 * 8 * 2);
  assert_int_equal(t.v - t.q, 6 * 8 * 2);
  assert_true(t.q_strides.row_bytes == 128 && t.k_strides.row_bytes == 128 &&
              t.v_strides.row_bytes == 128 && t.o_strides.row_bytes == 64);
  open_run(f, "{" SIZES ",\"layout\":\"interleaved-kv\"}");
  assert_string_equal(b[TENSOR_K].name, "kv");
  assert_int_equal(b[TENSOR_K].bytes, 2 * 5 * 2 * 2 * 8 * 2);
  assert_int_equal(b[TENSOR_Q].bytes, 2 * 5 * 4 * 8 * 2);
  t = run_data_tensors(&f->data);
  assert_int_equal(t.v - t.k, 2 * 8 * 2);
  assert_int_equal(t.k_strides.row_bytes, 64);
}

/// Elements between strides are NaN, those of rows are not.
static void test_gaps(void **state) {
  fixture *f = *state;
  open_run(f, "{" SIZES ",\"q_strides\":\"200,40,9\"}");
  const uint16_t *q = f->data.buffers[TENSOR_Q].host;
  assert_int_equal(f->data.buffers[TENSOR_Q].bytes,
                   2 * (200 + 4 * 40 + 3 * 9 + 8));
  for (size_t i = 0; i < 200 + 4 * 40 + 3 * 9 + 8; ++i) {
    size_t in_row = i % 200 % 40, row = i % 200 / 40;
    bool held = row < 5 && in_row < 36 && in_row % 9 < 8;
    assert_true(held == (q[i] != 0xffff));
  }
}

#define FEATURES                                                               \
  "\"head_dim_qk\":16,\"head_dim_v\":8,\"heads\":6,\"kv_heads\":2,"            \
  "\"lse\":true,\"out_dtype\":\"f32\",\"softcap\":3,\"alibi\":true,"           \
  "\"sink\":\"c.npy\",\"bias\":\"d.npy\""

static void test_lengths(void **state) {
  fixture *f = *state;
  const int32_t starts_q[] = {0, 3, 3, 10, 11}, starts_kv[] = {0, 5, 9, 9, 16};
  const int32_t rows_q[] = {4, 0, 7, 1}, rows_kv[] = {0, 9, 3, 8};
  const uint64_t heads = 6;
  write_f32("c.npy", 1, &heads);
  // Packed, with the longest sequences 7 of Q and 7 of K.
  write_i32("a.npy", starts_q, 5);
  write_i32("b.npy", starts_kv, 5);
  write_f32("d.npy", 4, (const uint64_t[]){4, 1, 7, 7});
  free(check_launch(f, "{" FEATURES ",\"cu_seqlens_q\":\"a.npy\","
                       "\"cu_seqlens_kv\":\"b.npy\",\"mask\":\"causal\"}"));
  const attention *p = &f->data.problem;
  assert_true(p->batch == 4 && p->seqlen_q == 7 && p->seqlen_kv == 7);
  assert_int_equal(f->data.buffers[TENSOR_Q].bytes, 11 * 6 * 16 * 2);
  assert_int_equal(f->data.buffers[TENSOR_LSE].bytes, 6 * 11 * 4);
  fmhac_tensors t = run_data_tensors(&f->data);
  assert_true(t.q_strides.batch_bytes == 0 && t.k_strides.batch_bytes == 0);
  assert_true(t.lse_batch_stride_bytes == 0 && t.lse_head_stride_bytes == 44);
  assert_true(t.bias_strides.batch_bytes == 196 &&
              t.bias_strides.head_bytes == 0 && t.bias_strides.row_bytes == 28);
  free(check_launch(f, "{" FEATURES ",\"cu_seqlens_q\":\"a.npy\","
                       "\"cu_seqlens_kv\":\"b.npy\",\"layout\":\"bhsd\"}"));
  // Only one of the two packed, the other padded.
  write_i32("b.npy", rows_kv, 4);
  write_f32("d.npy", 4, (const uint64_t[]){1, 6, 1, 9});
  free(check_launch(f, "{" FEATURES ",\"cu_seqlens_q\":\"a.npy\","
                       "\"seqlens_kv\":\"b.npy\",\"seqlen_kv\":9}"));
  assert_int_equal(run_data_tensors(&f->data).k_strides.batch_bytes,
                   9 * 2 * 16 * 2);
  // Both padded; rows of K that are not in use are NaN.
  write_i32("a.npy", rows_q, 4);
  write_f32("d.npy", 4, (const uint64_t[]){4, 6, 8, 9});
  free(check_launch(f, "{" FEATURES ",\"seqlens_q\":\"a.npy\",\"seqlen_q\":8,"
                       "\"seqlens_kv\":\"b.npy\",\"seqlen_kv\":9}"));
  t = run_data_tensors(&f->data);
  assert_true(t.bias_strides.row_bytes == 36 &&
              t.bias_strides.head_bytes == 8 * 36 &&
              t.bias_strides.batch_bytes == 6 * 8 * 36);
  const uint16_t *k = f->data.buffers[TENSOR_K].host;
  for (int i = 0; i < 4 * 9 * 32; ++i)
    assert_true((k[i] != 0xffff) == (i / 32 % 9 < rows_kv[i / (9 * 32)]));
  // Whatever is in use, an element is the same.
  uint16_t q[4 * 8 * 6 * 16];
  memcpy(q, f->data.buffers[TENSOR_Q].host, sizeof q);
  open_run(f, "{" FEATURES ",\"batch\":4,\"seqlen_q\":8,\"seqlen_kv\":9}");
  const uint16_t *all = f->data.buffers[TENSOR_Q].host;
  for (int i = 0; i < 4 * 8 * 96; ++i)
    assert_int_equal(q[i], i / 96 % 8 < rows_q[i / (8 * 96)] ? all[i] : 0xffff);
}

static void test_stray(void **state) {
  fixture *f = *state;
  char text[ERROR_BYTES];
  const int32_t rows[] = {5, 2};
  write_i32("a.npy", rows, 2);
  free(check_launch(f, "{" SIZES ",\"seqlens_q\":\"a.npy\"}"));
  uint8_t *o = f->data.buffers[TENSOR_O].host;
  size_t byte = (((1 * 5 + 3) * 4 + 2) * 8 + 7) * 2 + 1;
  o[byte] = 0;
  assert_true(run_data_find_stray(&f->data, text));
  assert_string_equal(text, "row written: o, batch 1, row 3, head 2, past the "
                            "2 rows in use");
  o[byte] = 0xff;
  assert_false(run_data_find_stray(&f->data, text));
  float *lse = f->data.buffers[TENSOR_LSE].host;
  lse[(1 * 4 + 3) * 5 + 2] = -INFINITY;
  assert_true(run_data_find_stray(&f->data, text));
  assert_string_equal(text, "row written: lse, batch 1, row 2, head 3, past "
                            "the 2 rows in use");
  // Between rows.
  free(check_launch(f, "{" SIZES ",\"o_strides\":\"480,48,12\"}"));
  o = f->data.buffers[TENSOR_O].host;
  o[2 * 8] = 0;
  assert_true(run_data_find_stray(&f->data, text));
  assert_string_equal(text,
                      "byte 16 of o was written, but it lies in no row in use");
}

/// What is written as a file is what --q reads.
static void test_files(void **state) {
  fixture *f = *state;
  char error[ERROR_BYTES];
  free(check_launch(f, "{" SIZES ",\"layout\":\"bhsd\"}"));
  assert_true(run_data_write(&f->data, TENSOR_O, "a.npy", error));
  assert_true(run_data_write(&f->data, TENSOR_LSE, "b.npy", error));
  npy_array o, lse;
  assert_true(npy_read_expected("a.npy", ELEMENT_BF16, 4,
                                (const uint64_t[]){2, 5, 4, 8}, &o, error));
  assert_true(npy_read_expected("b.npy", ELEMENT_F32, 3,
                                (const uint64_t[]){2, 4, 5}, &lse, error));
  void *collected = run_data_collect(&f->data, TENSOR_O);
  assert_memory_equal(collected, o.data, 2 * o.count);
  free(collected);
  assert_true(init(f, "{" SIZES ",\"layout\":\"packed-qkv\"}", error));
  run_arrays arrays = {.files = {"a.npy", NULL, NULL}};
  assert_true(run_arrays_read(&arrays, error));
  assert_true(run_arrays_check(&arrays, &f->data, error));
  assert_true(run_data_fill(&f->data, &arrays, error));
  run_arrays_deinit(&arrays);
  const uint16_t *qkv = f->data.buffers[TENSOR_Q].host, *from = o.data;
  for (int row = 0; row < 10; ++row)
    assert_memory_equal(qkv + row * 64, from + row * 32, 64);
  npy_deinit(&lse);
  npy_deinit(&o);
  // Packed sequences have no batch dimension.
  const int32_t starts[] = {0, 7, 10};
  write_i32("c.npy", starts, 3);
  free(check_launch(
      f, "{\"head_dim\":8,\"lse\":true,\"cu_seqlens_q\":\"c.npy\"}"));
  assert_true(run_data_write(&f->data, TENSOR_O, "a.npy", error));
  assert_true(run_data_write(&f->data, TENSOR_LSE, "b.npy", error));
  assert_true(npy_read_expected("a.npy", ELEMENT_BF16, 3,
                                (const uint64_t[]){10, 2, 8}, &o, error));
  assert_true(npy_read_expected("b.npy", ELEMENT_F32, 2,
                                (const uint64_t[]){2, 10}, &lse, error));
  npy_deinit(&lse);
  npy_deinit(&o);
}

static const struct {
  const char *json, *text;
  int32_t list[5];
  uint64_t count;
} refused[] = {
    {"{\"cu_seqlens_q\":\"a.npy\"}",
     "expected 0 as the first element, found 1",
     {1, 2},
     2},
    {"{\"cu_seqlens_q\":\"a.npy\"}",
     "element 2 is 3, less than 4 before it",
     {0, 4, 3},
     3},
    {"{\"cu_seqlens_kv\":\"a.npy\"}", "every sequence is empty", {0, 0, 0}, 3},
    {"{\"cu_seqlens_kv\":\"a.npy\"}", "2 to 65536 elements", {0}, 1},
    {"{\"cu_seqlens_q\":\"a.npy\",\"batch\":3}",
     "sequences 2, but \"batch\" is given as 3",
     {0, 4, 8},
     3},
    {"{\"cu_seqlens_q\":\"a.npy\",\"seqlen_q\":8}",
     "longest sequence 5, but \"seqlen_q\" is given as 8",
     {0, 4, 9},
     3},
    {"{\"cu_seqlens_q\":\"a.npy\",\"seqlens_kv\":\"b.npy\"}",
     "b.npy: sequences 3, but a.npy has 2",
     {0, 4, 9},
     3},
    {"{\"seqlens_q\":\"a.npy\",\"seqlen_q\":4}",
     "element 1 is 5, expected 0 to 4",
     {4, 5},
     2},
    {"{\"seqlens_q\":\"a.npy\"}", "element 0 is -1", {-1}, 1},
    {"{\"seqlens_q\":true}", "names no file", {0}, 1},
    {"{\"sink\":true}", "names no file", {0}, 1},
    {"{\"layout\":\"packed-qkv\",\"seqlen_q\":4}",
     "expected K [B,S] as Q",
     {0},
     1},
    {"{\"layout\":\"packed-qkv\",\"k_dtype\":\"fp8\",\"v_dtype\":\"bf8\"}",
     "elements that are as large, found bf16, fp8 and bf8",
     {0},
     1},
    {"{\"layout\":\"interleaved-kv\",\"head_dim_v\":64}",
     "head sizes Dqk and Dv that are equal",
     {0},
     1},
    {"{\"layout\":\"interleaved-kv\",\"v_strides\":\"1,2,3\"}",
     "strides of v follow from it",
     {0},
     1},
    {"{\"q_strides\":\"1099511627776,1099511627776,1099511627776\","
     "\"heads\":65535,\"seqlen_q\":2147483647,\"batch\":65535}",
     "more bytes than memory",
     {0},
     1},
};

static void test_refused(void **state) {
  fixture *f = *state;
  char error[ERROR_BYTES];
  const int32_t three[] = {1, 2, 3};
  write_i32("b.npy", three, 3);
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
    write_i32("a.npy", refused[i].list, refused[i].count);
    assert_false(init(f, refused[i].json, error));
    if (!strstr(error, refused[i].text))
      fail_msg("expected \"%s\" in \"%s\"", refused[i].text, error);
  }
  // Sink and bias are read once sizes are known.
  write_f32("c.npy", 1, (const uint64_t[]){3});
  assert_true(init(f, "{\"heads\":4,\"sink\":\"c.npy\"}", error));
  assert_false(run_data_fill(&f->data, NULL, error));
  assert_non_null(strstr(error, "expected shape [4], found [3]"));
  write_f32("d.npy", 4, (const uint64_t[]){1, 2, 5, 6});
  assert_true(
      init(f, "{\"seqlen_q\":6,\"seqlen_kv\":6,\"bias\":\"d.npy\"}", error));
  assert_false(run_data_fill(&f->data, NULL, error));
  assert_non_null(strstr(error, "[1 or 1, 2 or 1, 6 or 1, 6]"));
  assert_non_null(strstr(error, "[1, 2, 5, 6]"));
}

/// The reference evaluates a user's function; one that it does not know is
/// named.
static void test_score_mod(void **state) {
  fixture *f = *state;
  static const char head[] = "fmha.score_mod @f(%s: f32, %i: i32, %j: i32, "
                             "%h: i32, %b: i32) {\n";
  char text[400], error[ERROR_BYTES];
  snprintf(text, sizeof text,
           "%s%%k = arith.sitofp %%j : i32 to f32\n%%r = arith.subf %%s, %%k : "
           "f32\nfmha.yield %%r : f32\n}\n",
           head);
  assert_true(file_write("a.npy", text, strlen(text), error));
  assert_true(init(f, "{\"score_mod\":\"a.npy\",\"seqlen_q\":1}", error));
  assert_true(run_features_read_score_mod(&f->data, error));
  const attention *p = &f->data.problem;
  assert_true(p->score_mod(p->score_mod_user, 1.5, 0, 4, 0, 0) == -2.5);
  snprintf(text, sizeof text, "%s%%r = math.ctpop %%i : i32\n", head);
  assert_true(file_write("a.npy", text, strlen(text), error));
  assert_true(init(f, "{\"score_mod\":\"a.npy\"}", error));
  assert_false(run_features_read_score_mod(&f->data, error));
  assert_non_null(strstr(error, "not compared: no reference for op math.ctpop, "
                                "line 2 of a.npy"));
  assert_true(init(f, "{}", error));
  assert_true(run_features_read_score_mod(&f->data, error));
  assert_null(p->score_mod);
}

/// The slopes that the publication gives for 8 heads, and for 12 those and
/// every other one of 16.
static void test_slopes(void **state) {
  (void)state;
  float slopes[12];
  alibi_slopes(8, slopes);
  for (int h = 0; h < 8; ++h)
    assert_true(slopes[h] == 1.0f / (float)(2 << h));
  alibi_slopes(12, slopes);
  for (int h = 0; h < 8; ++h)
    assert_true(slopes[h] == 1.0f / (float)(2 << h));
  for (int h = 0; h < 4; ++h)
    assert_true(slopes[8 + h] == (float)(sqrt(0.5) / (1 << h)));
  alibi_slopes(1, slopes);
  assert_true(slopes[0] == 1.0f / 256);
  alibi_slopes(3, slopes);
  assert_true(slopes[0] == 1.0f / 16 && slopes[1] == 1.0f / 256);
  assert_true(slopes[2] == 1.0f / 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_layouts),
      TEST(test_shared_buffers),
      TEST(test_gaps),
      TEST(test_lengths),
      TEST(test_stray),
      TEST(test_score_mod),
      TEST(test_files),
      TEST(test_refused),
      cmocka_unit_test(test_slopes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
