// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 8-bit operands of `run`: arrays of bytes, made and read; files of factors of
// every granularity, of which the library is told what the reference here has;
// and inputs that must be refused, by name, with what was expected and found.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fill_data.h"
#include "fmhac_reference.h"
#include "run_fixture.h"

enum { MOST = 4096 };

/// The files hold numbers of the type that differ from each other.
static void write_file(const char *name, element_type type, size_t rank,
                       const uint64_t *shape, int from) {
  char error[ERROR_BYTES];
  size_t count = 1;
  for (size_t i = 0; i < rank; ++i)
    count *= shape[i];
  assert_true(count <= MOST);
  float values[MOST];
  for (size_t i = 0; i < count; ++i)
    element_store(type, values, i,
                  0.25 + (double)((i * 5 + (size_t)from) % 31) / 16);
  if (!npy_write(name, type, rank, shape, values, error))
    fail_msg("%s", error);
}

static void write_i32(const char *name, const int32_t *list, uint64_t count) {
  char error[ERROR_BYTES];
  assert_true(npy_write(name, ELEMENT_I32, 1, &count, list, error));
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
  char error[ERROR_BYTES] = "";
  if (!init(f, json, error) || !run_data_fill(&f->data, NULL, error))
    fail_msg("%s: %s", json, error);
  for (int i = 0; i < BUFFER_COUNT; ++i)
    f->data.buffers[i].address = (uintptr_t)f->data.buffers[i].host;
}

#define SIZES                                                                  \
  "\"head_dim\":16,\"heads\":4,\"kv_heads\":2,\"batch\":2,\"seqlen_q\":5,"     \
  "\"seqlen_kv\":7"
#define FP8 "\"dtype\":\"fp8\""
#define FACTORS(granularity)                                                   \
  "\"q_scale\":\"" granularity "\",\"k_scale\":\"" granularity                 \
  "\",\"v_scale\":\"" granularity                                              \
  "\",\"q_scales\":\"q.npy\",\"k_scales\":\"k.npy\",\"v_scales\":\"v.npy\""

//===- What the library is told -------------------------------------------===//

/// fmhac_reference(), which knows only what the library is told, computes what
/// the reference does of the run's own problem.
static void check_told(fixture *f, const char *json) {
  open_run(f, json);
  const attention p = f->data.problem;
  fmhac_tensors t = run_data_tensors(&f->data);
  // Results without gaps, whatever the layout.
  t.o_strides = fmhac_strides_bshd(p.heads_q, p.seqlen_q, p.head_dim_v,
                                   element_bytes(p.out_type));
  const size_t count = attention_o_count(&p);
  enum { LISTS = 5 };
  double *lists[2 * LISTS];
  for (int i = 0; i < 2 * LISTS; ++i)
    lists[i] = calloc(count, sizeof(double));
  fmhac_reference_results results = {.size = sizeof results,
                                     .o = lists[0],
                                     .rounded_o = lists[1],
                                     .other_rounded_o = lists[2],
                                     .apart_rounded_o = lists[3],
                                     .other_apart_rounded_o = lists[4]};
  if (fmhac_reference(f->config, &t, NULL, &results) != FMHAC_OK)
    fail_msg("%s: %s", json, fmhac_last_error(f->context));
  double **own = lists + LISTS;
  assert_true(
      reference_compute(&p, 1, own[0], NULL, own[1], own[2], NULL, NULL));
  attention apart = p;
  apart.v_factors_apart = attention_has_apart_floors(&p);
  assert_true(
      reference_compute(&apart, 1, NULL, NULL, own[3], own[4], NULL, NULL));
  for (int i = 0; i < LISTS; ++i)
    for (size_t at = 0; at < count; ++at)
      if (!(fabs(lists[i][at] - own[i][at]) < 1e-12))
        fail_msg("%s: list %d, element %zu: %g, expected %g", json, i, at,
                 lists[i][at], own[i][at]);
  for (int i = 0; i < 2 * LISTS; ++i)
    free(lists[i]);
}

static void write_factors(size_t rank, const uint64_t *of_q,
                          const uint64_t *of_kv) {
  write_file("q.npy", ELEMENT_F32, rank, of_q, 1);
  write_file("k.npy", ELEMENT_F32, rank, of_kv, 2);
  write_file("v.npy", ELEMENT_F32, rank, of_kv, 3);
}

static void test_factors(void **state) {
  fixture *f = *state;
  check_told(f, "{" FP8 "," SIZES "}");
  assert_null(f->data.problem.q_factors.base);
  write_factors(1, (const uint64_t[]){1}, (const uint64_t[]){1});
  check_told(f, "{" FP8 "," SIZES "," FACTORS("tensor") "}");
  assert_int_equal(f->data.buffers[BUFFER_K_SCALES].bytes, 4);
  write_factors(2, (const uint64_t[]){1, 4}, (const uint64_t[]){1, 2});
  check_told(f, "{" FP8 "," SIZES "," FACTORS("head") "}");
  const fmhac_tensors t = run_data_tensors(&f->data);
  assert_true(t.q_scales_strides.batch_bytes == 0 &&
              t.q_scales_strides.head_bytes == 4);
  write_factors(2, (const uint64_t[]){2, 4}, (const uint64_t[]){2, 2});
  check_told(f, "{" FP8 "," SIZES "," FACTORS("head") ",\"layout\":\"bhsd\"}");
  write_factors(3, (const uint64_t[]){2, 5, 4}, (const uint64_t[]){2, 7, 2});
  check_told(f, "{" FP8 "," SIZES "," FACTORS("token") "}");
  const float *factors = f->data.buffers[BUFFER_V_SCALES].host;
  assert_true(attention_factor(&f->data.problem.v_factors, 1, 6, 1) ==
              factors[(1 * 7 + 6) * 2 + 1]);
  write_factors(3, (const uint64_t[]){2, 2, 4}, (const uint64_t[]){2, 3, 2});
  check_told(f, "{" FP8 "," SIZES "," FACTORS("block") ",\"scale_block\":3}");
  factors = f->data.buffers[BUFFER_K_SCALES].host;
  assert_true(attention_factor(&f->data.problem.k_factors, 1, 6, 1) ==
              factors[(1 * 3 + 2) * 2 + 1]);
  // Sequences one after the other: factors by token are, too.
  const int32_t starts_q[] = {0, 3, 5}, starts_kv[] = {0, 4, 11};
  write_i32("a.npy", starts_q, 3);
  write_i32("b.npy", starts_kv, 3);
  write_factors(2, (const uint64_t[]){5, 4}, (const uint64_t[]){11, 2});
  check_told(f,
             "{" FP8 ",\"head_dim\":16,\"heads\":4,\"kv_heads\":2,"
             "\"cu_seqlens_q\":\"a.npy\",\"cu_seqlens_kv\":\"b.npy\"," FACTORS(
                 "token") "}");
  factors = f->data.buffers[BUFFER_K_SCALES].host;
  assert_true(attention_factor(&f->data.problem.k_factors, 1, 6, 1) ==
              factors[(4 + 6) * 2 + 1]);
  write_factors(2, (const uint64_t[]){2, 4}, (const uint64_t[]){2, 2});
  check_told(f,
             "{" FP8 ",\"head_dim\":16,\"heads\":4,\"kv_heads\":2,"
             "\"cu_seqlens_q\":\"a.npy\",\"cu_seqlens_kv\":\"b.npy\"," FACTORS(
                 "head") "}");
}

/// Q of 16 bits with K and V of 8, quantised or not; each has its own type.
static void test_types(void **state) {
  fixture *f = *state;
  write_factors(3, (const uint64_t[]){2, 7, 2}, (const uint64_t[]){2, 7, 2});
#define KV                                                                     \
  "\"k_dtype\":\"fp8\",\"v_dtype\":\"bf8\",\"k_scale\":\"token\","             \
  "\"v_scale\":\"token\",\"k_scales\":\"k.npy\",\"v_scales\":\"v.npy\""
  check_told(f, "{" SIZES "," KV "}");
  assert_int_equal(f->data.problem.out_type, ELEMENT_BF16);
  assert_int_equal(f->data.buffers[TENSOR_Q].bytes, 2 * 5 * 4 * 16 * 2);
  assert_int_equal(f->data.buffers[TENSOR_K].bytes, 2 * 7 * 2 * 16);
  check_told(f, "{\"dtype\":\"f16\"," SIZES "," KV ",\"quantize_q\":true}");
  assert_true(f->data.problem.quantize_q);
  assert_int_equal(f->data.problem.out_type, ELEMENT_F16);
  // An 8-bit O takes o_scale, 1 unless it is given.
  check_told(f, "{" FP8 "," SIZES ",\"out_dtype\":\"fp8\"}");
  assert_true(*(float *)f->data.buffers[BUFFER_O_SCALE].host == 1);
  check_told(f, "{" FP8 "," SIZES ",\"out_dtype\":\"fp8\",\"o_scale\":0.3}");
  assert_true(f->data.problem.o_scale == 0.3f);
  assert_int_equal(f->data.buffers[TENSOR_O].bytes, 2 * 5 * 4 * 16);
  check_told(f, "{" FP8 "," SIZES "}");
  assert_int_equal(f->data.problem.out_type, ELEMENT_BF16);
  assert_int_equal(f->data.buffers[BUFFER_O_SCALE].bytes, 0);
}

//===- Arrays -------------------------------------------------------------===//

/// Generated data is that of wider types, rounded: to the nearest of e4m3,
/// which by its definition has 3 bits after the first, down to 2^-9.
static void test_generated(void **state) {
  fixture *f = *state;
  open_run(f, "{\"dtype\":\"f16\"," SIZES "}");
  const size_t count = 2 * 5 * 4 * 16;
  double wide[2 * 5 * 4 * 16];
  for (size_t i = 0; i < count; ++i)
    wide[i] = element_load(ELEMENT_F16, f->data.buffers[TENSOR_Q].host, i);
  open_run(f, "{" FP8 "," SIZES "}");
  size_t same = 0;
  for (size_t i = 0; i < count; ++i) {
    const double found =
        element_load(ELEMENT_FP8, f->data.buffers[TENSOR_Q].host, i);
    const double unit = exp2(fmax(floor(log2(fabs(wide[i]))), -6) - 3);
    const double nearest = nearbyint(wide[i] / unit) * unit;
    // Where f16 has been rounded to a tie the two may differ.
    same += found == nearest;
    assert_true(fabs(found - wide[i]) <= unit / 2 + 0x1p-11 * fabs(wide[i]));
  }
  assert_true(same > count * 99 / 100);
}

/// '|u1' is read as it is, f32 is rounded, and O of 8 bits is written as '|u1'.
static void test_arrays(void **state) {
  fixture *f = *state;
  char error[ERROR_BYTES];
  const uint64_t shape[] = {2, 7, 2, 16};
  write_file("k.npy", ELEMENT_FP8, 4, shape, 3);
  write_file("v.npy", ELEMENT_BF8, 4, shape, 4);
  assert_true(
      init(f, "{" SIZES ",\"k_dtype\":\"fp8\",\"v_dtype\":\"bf8\"}", error));
  run_arrays arrays = {.files = {NULL, "k.npy", "v.npy"}};
  assert_true(run_arrays_read(&arrays, error));
  npy_array k = arrays.arrays[1], v = arrays.arrays[2];
  uint8_t *k_codes = malloc(k.count), *v_codes = malloc(v.count);
  memcpy(k_codes, k.data, k.count);
  memcpy(v_codes, v.data, v.count);
  if (!run_arrays_check(&arrays, &f->data, error) ||
      !run_data_fill(&f->data, &arrays, error))
    fail_msg("%s", error);
  assert_false(run_arrays_rounds(&arrays, &f->data, INPUT_V));
  assert_memory_equal(f->data.buffers[TENSOR_K].host, k_codes, k.count);
  assert_memory_equal(f->data.buffers[TENSOR_V].host, v_codes, v.count);
  run_arrays_deinit(&arrays);
  free(k_codes);
  free(v_codes);
  // f32, with numbers that e4m3 does not have.
  float values[2 * 7 * 2 * 16];
  for (int i = 0; i < 2 * 7 * 2 * 16; ++i)
    values[i] = i == 0 ? 1e9f : i == 1 ? -500 : (float)i / 7;
  assert_true(npy_write("v.npy", ELEMENT_F32, 4, shape, values, error));
  assert_true(init(f, "{" FP8 "," SIZES ",\"out_dtype\":\"fp8\"}", error));
  arrays = (run_arrays){.files = {NULL, NULL, "v.npy"}};
  assert_true(run_arrays_read(&arrays, error));
  assert_true(run_arrays_check(&arrays, &f->data, error));
  assert_true(run_arrays_rounds(&arrays, &f->data, INPUT_V));
  assert_true(run_data_fill(&f->data, &arrays, error));
  const uint8_t *codes = f->data.buffers[TENSOR_V].host;
  // 448, -448, 2/7 = 0.2857 between 0.28125 and 0.3125.
  assert_true(codes[0] == 0x7e && codes[1] == 0xfe && codes[2] == 0x29);
  run_arrays_deinit(&arrays);
  uint8_t *o = f->data.buffers[TENSOR_O].host;
  for (int i = 0; i < 2 * 5 * 4 * 16; ++i)
    o[i] = (uint8_t)i;
  assert_true(run_data_write(&f->data, TENSOR_O, "a.npy", error));
  npy_array written;
  const uint64_t o_shape[] = {2, 5, 4, 16};
  assert_true(
      npy_read_expected("a.npy", ELEMENT_FP8, 4, o_shape, &written, error));
  assert_memory_equal(written.data, o, written.count);
  npy_deinit(&written);
  // The same file is one of bf8 where that is expected, not of f16.
  assert_true(
      npy_read_expected("a.npy", ELEMENT_BF8, 4, o_shape, &written, error));
  npy_deinit(&written);
  assert_false(
      npy_read_expected("a.npy", ELEMENT_F16, 4, o_shape, &written, error));
  assert_non_null(strstr(error, "expected elements '<f2' (f16), found '|u1'"));
}

//===- Refusals -----------------------------------------------------------===//

static void expect_text(const char *what, const char *error, const char *text) {
  if (!strstr(error, text))
    fail_msg("%s: expected \"%s\" in \"%s\"", what, text, error);
}

static void test_refused_arrays(void **state) {
  fixture *f = *state;
  static const struct {
    const char *json;
    element_type type;
    const char *text;
  } all[] = {
      {"{" FP8 "," SIZES "}", ELEMENT_BF16,
       "k.npy: expected elements '|u1' (fp8) or '<f4' (f32, which is rounded), "
       "found '<u2' (bf16)"},
      {"{" FP8 "," SIZES "}", ELEMENT_F16, "found '<f2' (f16)"},
      {"{" SIZES ",\"k_dtype\":\"bf8\",\"v_dtype\":\"bf8\"}", ELEMENT_BF16,
       "expected elements '|u1' (bf8)"},
      {"{" SIZES "}", ELEMENT_FP8,
       "expected elements '<u2' (bf16) or '<f4' (f32, which is rounded), found "
       "'|u1'"},
      {"{\"dtype\":\"f16\"," SIZES "}", ELEMENT_BF8, "found '|u1'"},
      {"{" FP8 "," SIZES "}", ELEMENT_I32, "found '<i4' (i32)"},
  };
  const uint64_t shape[] = {2, 7, 2, 16}, other[] = {2, 7, 2, 8};
  char error[ERROR_BYTES];
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    write_file("k.npy", all[i].type, 4, shape, 0);
    assert_true(init(f, all[i].json, error));
    run_arrays arrays = {.files = {NULL, "k.npy", NULL}};
    assert_true(run_arrays_read(&arrays, error));
    assert_false(run_arrays_check(&arrays, &f->data, error));
    expect_text(all[i].json, error, all[i].text);
    run_arrays_deinit(&arrays);
  }
  write_file("k.npy", ELEMENT_FP8, 4, other, 0);
  assert_true(init(f, "{" FP8 "," SIZES "}", error));
  run_arrays arrays = {.files = {NULL, "k.npy", NULL}};
  assert_true(run_arrays_read(&arrays, error));
  assert_false(run_arrays_check(&arrays, &f->data, error));
  expect_text("shape", error,
              "k.npy: expected shape [2, 7, 2, 16], found [2, 7, 2, 8]");
  run_arrays_deinit(&arrays);
}

/// Keys that contradict each other: the text names the key. (Which granularity
/// goes with what is settled with the configuration.)
static void test_refused_keys(void **state) {
  fixture *f = *state;
  static const struct {
    const char *json, *text;
  } all[] = {
      {"{" FP8 ",\"v_scale\":\"head\",\"v_scales\":true}",
       "no file has the factors"},
      {"{" FP8 ",\"o_scale\":2}",
       "\"o_scale\" is 2, but O is bf16; expected \"out_dtype\": \"fp8\""},
      {"{" FP8 ",\"out_dtype\":\"fp8\",\"o_scale\":1e-40}", "o_scale"},
  };
  char error[ERROR_BYTES];
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    if (strstr(all[i].json, "1e-40")) {
      fmhac_config *config;
      assert_int_equal(
          fmhac_config_create_json(f->context, all[i].json, &config),
          FMHAC_INVALID_INPUT);
      expect_text(all[i].json, fmhac_last_error(f->context), all[i].text);
      continue;
    }
    assert_false(init(f, all[i].json, error));
    expect_text(all[i].json, error, all[i].text);
  }
}

#define WITH(granularity, more)                                                \
  "{" FP8 "," SIZES ",\"k_scale\":\"" granularity                              \
  "\",\"k_scales\":\"a.npy\"" more "}"

/// Files that are not what the granularity has: expected and found are said.
static void test_refused_files(void **state) {
  fixture *f = *state;
  static const struct {
    const char *json;
    element_type type;
    size_t rank;
    uint64_t shape[4];
    const char *text;
  } all[] = {
      {WITH("tensor", ""),
       ELEMENT_F32,
       1,
       {2},
       "a.npy: expected '<f4' (f32) of shape [1] (by tensor: [1]), found '<f4' "
       "(f32) of shape [2]"},
      {WITH("tensor", ""),
       ELEMENT_F32,
       0,
       {0},
       "found '<f4' (f32) of shape []"},
      {WITH("head", ""),
       ELEMENT_F32,
       2,
       {2, 4},
       "of shape [2, 2] (by head: [B or 1, H]), found '<f4' (f32) of shape "
       "[2, 4]"},
      {WITH("head", ""), ELEMENT_F32, 2, {3, 2}, "of shape [3, 2]"},
      {WITH("head", ""), ELEMENT_F32, 1, {2}, "of shape [2]"},
      {WITH("head", ""), ELEMENT_F16, 2, {2, 2}, "found '<f2' (f16)"},
      {WITH("head", ""), ELEMENT_I32, 2, {2, 2}, "found '<i4' (i32)"},
      {WITH("head", ""), ELEMENT_FP8, 2, {2, 2}, "found '|u1' (fp8)"},
      {WITH("token", ""),
       ELEMENT_F32,
       3,
       {2, 5, 2},
       "of shape [2, 7, 2] (by token: [B, S, H]), found '<f4' (f32) of shape "
       "[2, 5, 2]"},
      {WITH("token", ""), ELEMENT_F32, 3, {1, 7, 2}, "found"},
      {WITH("token", ""),
       ELEMENT_F32,
       4,
       {2, 7, 2, 1},
       "of shape [2, 7, 2, 1]"},
      {WITH("block", ",\"scale_block\":4"),
       ELEMENT_F32,
       3,
       {2, 7, 2},
       "of shape [2, 2, 2] (by block: [B, ceil(S / N), H])"},
      {WITH("block", ",\"scale_block\":100"),
       ELEMENT_F32,
       3,
       {2, 2, 2},
       "of shape [2, 1, 2]"},
  };
  char error[ERROR_BYTES];
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    write_file("a.npy", all[i].type, all[i].rank, all[i].shape, 0);
    assert_true(init(f, all[i].json, error));
    assert_false(run_data_fill(&f->data, NULL, error));
    expect_text(all[i].json, error, all[i].text);
  }
  unlink("a.npy");
  assert_true(init(f, WITH("tensor", ""), error));
  assert_false(run_data_fill(&f->data, NULL, error));
  expect_text("no file", error, "a.npy");
}

static void test_refused_numbers(void **state) {
  fixture *f = *state;
  static const float wrong[] = {NAN, INFINITY, -INFINITY};
  static const char *const texts[] = {"factor 3 of 4 is", "nan", "inf"};
  char error[ERROR_BYTES];
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    const float factors[] = {1, 2, 3, wrong[i]};
    assert_true(npy_write("a.npy", ELEMENT_F32, 2, (const uint64_t[]){2, 2},
                          factors, error));
    assert_true(init(f, WITH("head", ""), error));
    assert_false(run_data_fill(&f->data, NULL, error));
    expect_text("number", error, texts[0]);
    expect_text("number", error, texts[i ? 2 : 1]);
    expect_text("number", error, "expected finite numbers");
  }
}

/// Files with any byte changed, cut, or of random headers: refused with a text,
/// or read; never more.
static void test_damaged_files(void **state) {
  fixture *f = *state;
  char error[ERROR_BYTES];
  write_file("a.npy", ELEMENT_F32, 2, (const uint64_t[]){2, 2}, 0);
  void *bytes;
  size_t size;
  assert_true(file_read("a.npy", &bytes, &size, error));
  assert_true(init(f, WITH("head", ""), error));
  uint8_t *changed = malloc(size);
  size_t read = 0;
  for (size_t at = 0; at < size; ++at)
    for (int change = 0; change < 3; ++change) {
      memcpy(changed, bytes, size);
      changed[at] = change == 0   ? (uint8_t)(changed[at] ^ 1 << at % 8)
                    : change == 1 ? (uint8_t)~changed[at]
                                  : changed[at];
      assert_true(file_write("a.npy", changed, change == 2 ? at : size, error));
      run_data_deinit(&f->data);
      if (!run_data_init(f->options, f->config, &f->data, error))
        fail_msg("%s", error);
      error[0] = '\0';
      if (run_data_fill(&f->data, NULL, error))
        ++read;
      else
        assert_true(error[0] != '\0');
    }
  // Changes of the numbers themselves, unless NaN or infinity comes of them.
  assert_true(read > 0 && read < size);
  free(changed);
  free(bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_factors),        TEST(test_types),
      TEST(test_generated),      TEST(test_arrays),
      TEST(test_refused_arrays), TEST(test_refused_keys),
      TEST(test_refused_files),  TEST(test_refused_numbers),
      TEST(test_damaged_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
