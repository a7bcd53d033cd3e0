// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Configuration JSON: what is taken, what it means, what is refused and how.
#include "config.h"
#include "context.h"
#include "doubles.h"
#include "fmhac_options.h"
#include "json_check.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

static int set_up(void **state) {
  return fmhac_context_create(NULL, (fmhac_context **)state) != FMHAC_OK;
}

static int tear_down(void **state) {
  fmhac_context_destroy(*state);
  return 0;
}

/// What is given, and what of the canonical form differs from the defaults.
static const struct {
  const char *json, *changes;
} accepted[] = {
    {"{}", "{}"},
    {" { } \n", "{}"},
    {"{\"head_dim\":64}", "{\"head_dim_qk\":64,\"head_dim_v\":64}"},
    {"{\"head_dim\":64.0}", "{\"head_dim_qk\":64,\"head_dim_v\":64}"},
    {"{\"head_dim_v\":64,\"head_dim\":64}",
     "{\"head_dim_qk\":64,\"head_dim_v\":64}"},
    {"{\"head_dim_qk\":192}", "{\"head_dim_qk\":192}"},
    {"{\"schedule\":\"a/b.mlir\",\"dtype\":\"f16\"}",
     "{\"dtype\":\"f16\",\"schedule\":\"a/b.mlir\"}"},
    {"{\"mask\":\"window:-1,0\"}", "{\"mask\":\"window:-1,0\"}"},
    {"{\"mask\":\"chunked:2147483647\"}", "{\"mask\":\"chunked:2147483647\"}"},
    // Keys of the problem are checked and belong to no configuration.
    {"{\"batch\":3,\"seqlen\":77,\"scale\":-0.5,\"seed\":9007199254740991}",
     "{}"},
    {"{\"layout\":\"packed-qkv\",\"q_strides\":\"0,1099511627776,64\"}", "{}"},
    // Reserved names appear once they are in use.
    {"{\"split_chunk\":0}", "{}"},
    {"{\"dropout\":0.5,\"q_scale\":\"head\"}",
     "{\"dropout\":0.5,\"q_scale\":\"head\"}"},
    {"{\"work\":\"grid\",\"split_kv\":\"none\"}", "{}"},
    {"{\"split_kv\":\"fixed\",\"split_chunk\":64,\"work\":\"list\"}",
     "{\"work\":\"list\",\"split_kv\":\"fixed\",\"split_chunk\":64}"},
    {"{\"max_seqlen_q\":0}", "{}"},
    {"{\"max_seqlen_q\":8}", "{\"max_seqlen_q\":8}"},
    {"{\"dtype\":\"fp8\",\"q_scale\":\"head\",\"q_scales\":\"q.npy\"}",
     "{\"dtype\":\"fp8\",\"q_scale\":\"head\",\"q_scales\":true}"},
    // `dtype` is for all of Q, K and V that have no type of their own, and is
    // Q's in the canonical form.
    {"{\"dtype\":\"f16\",\"q_dtype\":\"same\",\"k_dtype\":\"f16\"}",
     "{\"dtype\":\"f16\"}"},
    {"{\"q_dtype\":\"f16\",\"k_dtype\":\"f16\",\"v_dtype\":\"f16\"}",
     "{\"dtype\":\"f16\"}"},
    {"{\"k_dtype\":\"fp8\",\"v_dtype\":\"bf8\"}",
     "{\"k_dtype\":\"fp8\",\"v_dtype\":\"bf8\"}"},
    {"{\"v_dtype\":\"bf8\",\"dtype\":\"fp8\",\"q_dtype\":\"f16\"}",
     "{\"dtype\":\"f16\",\"k_dtype\":\"fp8\",\"v_dtype\":\"bf8\"}"},
    // V that lies in K has none of its own, not even in the text.
    {"{\"v_in_k\":true,\"rope_dim\":64,\"head_dim_qk\":576,"
     "\"head_dim_v\":512,\"k_dtype\":\"fp8\",\"k_scale\":\"head\","
     "\"k_scales\":\"s.npy\"}",
     "{\"v_in_k\":true,\"rope_dim\":64,\"head_dim_qk\":576,"
     "\"head_dim_v\":512,\"k_dtype\":\"fp8\",\"k_scale\":\"head\","
     "\"k_scales\":true}"},
    {"{\"v_in_k\":false,\"rope_dim\":0}", "{}"},
    {"{\"v_in_k\":true,\"v_dtype\":\"same\",\"v_scale\":\"none\","
     "\"v_scales\":false}",
     "{\"v_in_k\":true}"},
    // Those of the problem, too: a kernel of a configuration without them must
    // not be taken for one with them.
    {"{\"splits\":0,\"workspace\":0,\"dropout\":0,\"split_kv\":\"none\"}",
     "{}"},
    {"{\"splits\":4}", "{\"splits\":4}"},
    {"{\"workspace\":1024,\"batch\":2}", "{\"workspace\":1024}"},
    // A page table does not shape the code beyond being there, nor does the
    // order of heads and rows, which strides tell.
    {"{\"page_size\":16,\"page_table\":\"t.npy\",\"seqlens_kv\":\"l.npy\","
     "\"kv_layout\":\"hnd\"}",
     "{\"page_size\":16,\"page_table\":true,\"seqlens_kv\":true}"},
    {"{\"page_table\":false,\"page_size\":0}", "{}"},
    {"{\"page_size\":8,\"kv_indptr\":\"p.npy\",\"kv_indices\":\"i.npy\","
     "\"kv_last_page_len\":true,\"kv_layout\":\"vectorised\"}",
     "{\"page_size\":8,\"kv_indptr\":true,\"kv_indices\":true,"
     "\"kv_last_page_len\":true,\"kv_layout\":\"vectorised\"}"},
    {"{\"page_size\":1056,\"page_table\":true,\"seqlens_kv\":true,"
     "\"kv_lengths\":\"cached\",\"cu_seqlens_q\":true}",
     "{\"page_size\":1056,\"page_table\":true,\"seqlens_kv\":true,"
     "\"kv_lengths\":\"cached\",\"cu_seqlens_q\":true}"},
    {"{\"seqlens_kv\":true,\"kv_lengths\":\"cached\"}",
     "{\"seqlens_kv\":true,\"kv_lengths\":\"cached\"}"},
    {"{\"softcap\":0}", "{}"},
    {"{\"lse\":true,\"softcap\":0.1}", "{\"lse\":true,\"softcap\":0.1}"},
    // Which file an input comes from does not shape the code.
    {"{\"sink\":\"s.npy\",\"bias\":true,\"seqlens_kv\":\"l.npy\"}",
     "{\"sink\":true,\"bias\":true,\"seqlens_kv\":true}"},
    {"{\"sink\":false}", "{}"},
    {"{\"role\":\"attention\"}", "{}"},
    {"{\"role\":\"merge\"}", "{\"role\":\"merge\"}"},
};

/// The canonical form by its definition: rows in the order of the table; those
/// that work always, reserved ones, and late ones, where `changes` has them:
/// names of kernels are made of the form.
static char *canonical_of(const char *changes) {
  cJSON *given = cJSON_Parse(changes), *root = cJSON_CreateObject();
  size_t count;
  const fmhac_option_row *rows = fmhac_option_rows(&count);
  for (size_t i = 0; i < count; ++i) {
    const fmhac_option_info *info = &rows[i].info;
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(given, info->key);
    const bool is_late = strcmp(info->key, "role") == 0 ||
                         strcmp(info->key, "work") == 0 ||
                         strcmp(info->key, "split_kv") == 0 ||
                         strcmp(info->key, "split_chunk") == 0 ||
                         strcmp(info->key, "rope_dim") == 0 ||
                         strcmp(info->key, "v_in_k") == 0 ||
                         strcmp(info->key, "max_seqlen_q") == 0;
    if ((info->is_problem && info->works) || info->shorthand_for[0] ||
        ((!info->works || is_late) && !item))
      continue;
    if (item)
      cJSON_AddItemToObject(root, info->key, cJSON_Duplicate(item, true));
    else if (info->is_integer || info->is_real)
      cJSON_AddNumberToObject(root, info->key, atof(info->fallback));
    else if (info->is_switch || rows[i].kind == FMHAC_KIND_INPUT)
      cJSON_AddFalseToObject(root, info->key);
    else
      cJSON_AddStringToObject(root, info->key, info->fallback);
  }
  char *text = cJSON_PrintUnformatted(root);
  cJSON_Delete(root);
  cJSON_Delete(given);
  return text;
}

static void test_accepted(void **state) {
  for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; ++i) {
    fmhac_config *config;
    assert_int_equal(
        fmhac_config_create_json(*state, accepted[i].json, &config), FMHAC_OK);
    char *expected = canonical_of(accepted[i].changes);
    assert_string_equal(fmhac_config_get_canonical(config), expected);
    cJSON_free(expected);
    fmhac_config_destroy(config);
  }
}

static void test_canonical_round_trip(void **state) {
  static const char *const texts[] = {
      "{\"dtype\":\"fp8\",\"head_dim_qk\":576,\"head_dim_v\":512,"
      "\"mask\":\"window:4096,-1\",\"layout\":\"bhsd\"}",
      "{\"seqlens_q\":\"q.npy\",\"seqlens_kv\":true}",
      "{\"dtype\":\"fp8\",\"q_scale\":\"head\",\"k_scale\":\"token\","
      "\"v_scale\":\"block\",\"q_scales\":\"q.npy\",\"k_scales\":true,"
      "\"v_scales\":\"v.npy\",\"scale_block\":2147483647,"
      "\"out_dtype\":\"fp8\",\"o_scale\":0.1}",
      // What contradicts itself stays as it is while a reserved key is in use.
      "{\"q_scales\":\"q.npy\",\"k_scales\":true,\"v_scales\":\"v.npy\","
      "\"scale_block\":64,\"quantize_q\":true,\"out_dtype\":\"fp8\","
      "\"o_scale\":0.1,\"dropout\":0.5}",
      "{\"k_dtype\":\"fp8\",\"v_dtype\":\"bf8\",\"quantize_q\":true,"
      "\"k_scale\":\"head\",\"k_scales\":true}",
      "{\"dtype\":\"fp8\",\"q_dtype\":\"bf16\",\"v_dtype\":\"f16\"}",
      "{\"softcap\":0.30000000000000004,\"alibi\":true,\"split_kv\":\"fixed\","
      "\"split_chunk\":2147483647,\"splits\":65535,\"dropout\":0.3,"
      "\"workspace\":1099511627776,\"page_size\":64,\"page_table\":\"t\"}",
      "{\"sink\":\"a \\\"quoted\\\" name.npy\",\"bias\":\"\\u00e4.npy\"}",
      "{\"cu_seqlens_q\":\"q.npy\",\"cu_seqlens_kv\":\"k.npy\","
      "\"out_dtype\":\"f32\",\"score_mod\":\"f.mlir\",\"mask\":\"chunked:1\"}",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    fmhac_config *first, *second;
    assert_int_equal(fmhac_config_create_json(*state, texts[i], &first),
                     FMHAC_OK);
    assert_int_equal(fmhac_config_create_json(
                         *state, fmhac_config_get_canonical(first), &second),
                     FMHAC_OK);
    assert_string_equal(fmhac_config_get_canonical(first),
                        fmhac_config_get_canonical(second));
    assert_memory_equal(&first->values, &second->values, sizeof first->values);
    fmhac_config_destroy(second);
    fmhac_config_destroy(first);
  }
}

/// The order in which keys are written does not show.
static void test_canonical_order(void **state) {
  fmhac_config *a, *b;
  assert_int_equal(fmhac_config_create_json(
                       *state, "{\"mask\":\"causal\",\"dtype\":\"f16\"}", &a),
                   FMHAC_OK);
  assert_int_equal(
      fmhac_config_create_json(
          *state, "{\"dtype\":\"f16\",\"mask\":\"causal\",\"batch\":7}", &b),
      FMHAC_OK);
  assert_string_equal(fmhac_config_get_canonical(a),
                      fmhac_config_get_canonical(b));
  fmhac_config_destroy(b);
  fmhac_config_destroy(a);
}

/// What names kernels has neither the schedule nor a promise about problems.
static void test_code_form(void **state) {
  static const char *const alike[] = {
      "{}", "{\"schedule\":\"generic\"}", "{\"max_seqlen_q\":8}",
      "{\"max_seqlen_q\":9,\"schedule\":\"dualwave\"}"};
  char *first = NULL;
  for (size_t i = 0; i < sizeof alike / sizeof alike[0]; ++i) {
    fmhac_config_values values;
    assert_int_equal(fmhac_config_values_parse(*state, alike[i], &values),
                     FMHAC_OK);
    char *text = fmhac_config_values_print_code(&values);
    assert_non_null(text);
    if (!first)
      first = strdup(text);
    assert_string_equal(text, first);
    free(text);
  }
  free(first);
}

static void test_values(void **state) {
  fmhac_config_values v;
  assert_int_equal(fmhac_config_values_parse(
                       *state,
                       "{\"dtype\":\"f16\",\"head_dim_qk\":192,\"lse\":true,"
                       "\"mask\":\"window:5,-1\",\"bias\":\"b.npy\","
                       "\"alibi\":true}",
                       &v),
                   FMHAC_OK);
  assert_int_equal(v.dtype, FMHAC_DTYPE_F16);
  assert_int_equal(v.head_dim_qk, 192);
  assert_int_equal(v.head_dim_v, 128);
  assert_true(v.lse);
  assert_int_equal(v.mask.kind, FMHAC_MASK_WINDOW);
  assert_int_equal(v.mask.window_left, 5);
  assert_int_equal(v.mask.window_right, -1);
  assert_true(v.bias && v.alibi);
  assert_false(v.sink || v.cu_seqlens_q || v.cu_seqlens_kv || v.seqlens_q ||
               v.seqlens_kv);
  assert_string_equal(v.schedule, "auto");
}

static const struct {
  const char *json;
  const char *parts[3]; ///< of the error text
} refused[] = {
    {"", {"1:1", "expected a value", "end of text"}},
    {"{", {"1:2", "key in double quotes", "end of text"}},
    {"{\"dtype\":\n  'f16'}", {"2:3", "expected a value", "'''"}},
    {"{\"dtype\" \"f16\"}", {"1:10", "':'", "'\"'"}},
    {"{\"lse\":true,}", {"1:13", "key in double quotes", "'}'"}},
    {"{\"lse\":true \"mask\":1}", {"1:13", "',' or '}'", "'\"'"}},
    {"{\"lse\":tru}", {"1:11", "true, false or null", "'}'"}},
    {"{} {}", {"1:4", "end of text", "'{'"}},
    {"{\"head_dim\":0128}", {"1:14", "leading zeros", NULL}},
    {"{\"sink\":\"a\\u0000b\"}", {"1:13", "\\u0000", NULL}},
    {"{\"sink\":\"a\nb\"}", {"1:11", "closing", "0x0a"}},
    {"[1]", {"expected one JSON object", "[1]", NULL}},
    {"null", {"expected one JSON object", "null", NULL}},
    {"{\"q_dtype\":\"bf8\"}",
     {"\"q_dtype\"", "one of same|bf16|f16|fp8,", NULL}},
    {"{\"k_dtype\":\"e4m3\"}",
     {"\"k_dtype\"", "one of same|bf16|f16|fp8|bf8,", NULL}},
    {"{\"headdim\":1}", {"\"headdim\"", "did you mean \"head_dim\"", NULL}},
    {"{\"head-dim\":1}", {"\"head-dim\"", "did you mean \"head_dim\"", NULL}},
    {"{\"zzzzzz\":1}", {"\"zzzzzz\"", "the keys are", NULL}},
    {"{\"lse\":true,\"lse\":true}", {"\"lse\"", "twice", NULL}},
    {"{\"dtype\":\"bf61\"}", {"bf16|f16|fp8", "\"bf61\"", "did you mean"}},
    {"{\"dtype\":\"BF16\"}", {"bf16|f16|fp8", "\"BF16\"", NULL}},
    {"{\"dtype\":16}", {"bf16|f16|fp8", "found 16", NULL}},
    {"{\"head_dim\":\"128\"}", {"integer in [1, 1024]", "\"128\"", NULL}},
    {"{\"head_dim\":0}", {"integer in [1, 1024]", "found 0", NULL}},
    {"{\"head_dim\":1025}", {"integer in [1, 1024]", "1025", NULL}},
    {"{\"head_dim_v\":1.5}", {"\"head_dim_v\"", "1.5", NULL}},
    {"{\"head_dim_v\":1e999}", {"\"head_dim_v\"", "integer", NULL}},
    {"{\"seqlen_q\":0}", {"\"seqlen_q\"", "[1, 2147483647] rows", "found 0"}},
    {"{\"heads\":65536}", {"\"heads\"", "[1, 65535]", "65536"}},
    {"{\"lse\":1}", {"\"lse\"", "true or false", "found 1"}},
    {"{\"lse\":\"true\"}", {"\"lse\"", "true or false", NULL}},
    {"{\"scale\":\"x\"}", {"\"scale\"", "a number in", NULL}},
    {"{\"mask\":\"window\"}", {"\"mask\"", "window:L,R", NULL}},
    {"{\"mask\":\"window:1\"}", {"\"mask\"", "window:L,R", NULL}},
    {"{\"mask\":\"window:-2,0\"}", {"\"mask\"", "window:L,R", NULL}},
    {"{\"mask\":\"window:1,2,3\"}", {"\"mask\"", "window:L,R", NULL}},
    {"{\"mask\":\"window: 1,2\"}", {"\"mask\"", "window:L,R", NULL}},
    {"{\"mask\":\"window:1,99999999999\"}", {"\"mask\"", NULL, NULL}},
    {"{\"mask\":\"chunked:0\"}", {"\"mask\"", "chunked:N", NULL}},
    {"{\"mask\":null}", {"\"mask\"", "found null", NULL}},
    {"{\"head_dim\":64,\"head_dim_v\":128}",
     {"\"head_dim\": 64", "contradicts", "\"head_dim_v\": 128"}},
    {"{\"sink\":\"\"}", {"\"sink\"", "the name of a file", "found \"\""}},
    {"{\"bias\":1}", {"\"bias\"", "the name of a file", "found 1"}},
    {"{\"v_in_k\":true,\"v_dtype\":\"bf16\"}",
     {"\"v_dtype\" and \"v_in_k\" exclude each other", "there is no V",
      "leave \"v_dtype\" out"}},
    {"{\"v_in_k\":true,\"dtype\":\"fp8\",\"v_scale\":\"head\"}",
     {"\"v_scale\" and \"v_in_k\"", "K's type and factors", NULL}},
    {"{\"v_in_k\":true,\"dtype\":\"fp8\",\"v_scales\":true}",
     {"\"v_scales\" and \"v_in_k\"", NULL}},
    {"{\"v_in_k\":true,\"head_dim_qk\":576,\"head_dim_v\":520,"
     "\"rope_dim\":64}",
     {"\"head_dim_v\" is 520", "at most 512", "head_dim_qk - rope_dim = 512"}},
    {"{\"v_in_k\":true,\"head_dim_qk\":64}",
     {"\"head_dim_v\" is 128", "at most 64", "which has 64"}},
    {"{\"rope_dim\":128}",
     {"\"rope_dim\" is 128", "less than \"head_dim_qk\", 128", NULL}},
    {"{\"rope_dim\":12}", {"\"rope_dim\" is 12", "a multiple of 8", NULL}},
    {"{\"rope_dim\":8,\"dtype\":\"fp8\"}",
     {"\"rope_dim\" is 8", "a multiple of 16", "16 bytes"}},
    {"{\"rope_dim\":569}", {"\"rope_dim\"", "[0, 568] elements", NULL}},
    {"{\"split_kv\":\"fixed\"}", {"\"split_chunk\"", "keys of a chunk", NULL}},
    {"{\"split_chunk\":64}", {"\"split_kv\": \"fixed\"", "64", NULL}},
    {"{\"split_kv\":4}", {"\"split_kv\"", "none|auto|fixed", "found 4"}},
    {"{\"split_kv\":\"fix\"}", {"none|auto|fixed", "\"fix\"", NULL}},
    {"{\"max_seqlen_q\":-1}", {"\"max_seqlen_q\"", "[0, 2147483647]", "-1"}},
    {"{\"splits\":65536}", {"\"splits\"", "[0, 65535]", "65536"}},
    {"{\"dropout\":-0.1}", {"\"dropout\"", "number in [0, 1]", NULL}},
    {"{\"page_table\":1}", {"\"page_table\"", "the name of a file", NULL}},
    {"{\"page_size\":65537}", {"\"page_size\"", "[0, 65536] keys", NULL}},
    {"{\"page_size\":24,\"page_table\":true,\"seqlens_kv\":true}",
     {"\"page_size\" is 24", "a multiple of 16", "16 or 32"}},
    {"{\"page_size\":3,\"page_table\":true,\"seqlens_kv\":true}",
     {"\"page_size\" is 3", "8 or 16", NULL}},
    {"{\"page_size\":64}",
     {"\"page_size\" is 64", "\"page_table\" with \"seqlens_kv\"",
      "\"kv_indptr\""}},
    {"{\"page_size\":64,\"page_table\":true}",
     {"expected \"seqlens_kv\" beside \"page_table\"", NULL}},
    {"{\"page_size\":64,\"kv_indptr\":true,\"kv_last_page_len\":true}",
     {"expected \"kv_indices\" beside \"kv_indptr\"", NULL}},
    {"{\"page_size\":64,\"kv_indices\":true}",
     {"expected \"kv_indptr\" beside \"kv_indices\"", NULL}},
    {"{\"page_size\":64,\"page_table\":true,\"kv_indptr\":true,"
     "\"seqlens_kv\":true}",
     {"\"kv_indptr\" and \"page_table\" exclude each other", NULL}},
    {"{\"page_size\":64,\"kv_indptr\":true,\"kv_indices\":true,"
     "\"kv_last_page_len\":true,\"seqlens_kv\":true}",
     {"\"kv_indptr\" and \"seqlens_kv\" exclude each other", NULL}},
    {"{\"page_size\":64,\"page_table\":true,\"cu_seqlens_kv\":true}",
     {"\"page_size\" and \"cu_seqlens_kv\" exclude each other", NULL}},
    {"{\"kv_indices\":true}",
     {"\"kv_indices\" is of K and V in pages", "\"page_size\" is 0", NULL}},
    {"{\"kv_layout\":\"hnd\"}", {"\"kv_layout\"", "\"page_size\" is 0", NULL}},
    {"{\"page_size\":4,\"page_table\":true,\"seqlens_kv\":true,"
     "\"kv_layout\":\"vectorised\"}",
     {"\"page_size\" is 4", "a multiple of 8, the keys in 16 bytes of V",
      "nhd or hnd"}},
    {"{\"page_size\":8,\"page_table\":true,\"seqlens_kv\":true,"
     "\"dtype\":\"fp8\",\"kv_layout\":\"vectorised\"}",
     {"\"page_size\" is 8", "a multiple of 16, the keys in 16 bytes of V",
      NULL}},
    {"{\"page_size\":8,\"page_table\":true,\"seqlens_kv\":true,"
     "\"k_dtype\":\"fp8\",\"v_dtype\":\"bf8\",\"kv_layout\":\"vectorised\"}",
     {"\"page_size\" is 8", "a multiple of 16", NULL}},
    {"{\"kv_layout\":\"vectorised\"}",
     {"\"kv_layout\"", "\"page_size\" is 0", NULL}},
    {"{\"kv_layout\":\"nhdd\"}", {"nhd|hnd|vectorised", "\"nhd\"", NULL}},
    {"{\"kv_lengths\":\"cached\"}",
     {"\"kv_lengths\" is \"cached\"", "\"seqlens_kv\" beside it", NULL}},
    {"{\"page_size\":64,\"kv_indptr\":true,\"kv_indices\":true,"
     "\"kv_last_page_len\":true,\"kv_lengths\":\"cached\"}",
     {"\"kv_lengths\" is \"cached\"", "kv_indptr has the pages of all keys",
      NULL}},
    {"{\"layout\":\"bsdh\"}",
     {"bshd|bhsd|packed-qkv|interleaved-kv", "\"bsdh\"", "did you mean"}},
    {"{\"q_strides\":\"1,2\"}",
     {"\"q_strides\"", "\"B,S,H\" in [0, 1099511627776] elements", "\"1,2\""}},
    {"{\"k_strides\":\"1,2,3,4\"}", {"\"k_strides\"", "B,S,H", NULL}},
    {"{\"v_strides\":\"1,-2,3\"}", {"\"v_strides\"", "B,S,H", NULL}},
    {"{\"o_strides\":\"1, 2,3\"}", {"\"o_strides\"", "B,S,H", NULL}},
    {"{\"o_strides\":\"1099511627777,2,3\"}", {"\"o_strides\"", NULL, NULL}},
    {"{\"o_strides\":[1,2,3]}", {"\"o_strides\"", "B,S,H", NULL}},
    {"{\"seqlens_q\":true,\"cu_seqlens_q\":true}",
     {"\"cu_seqlens_q\"", "\"seqlens_q\"", "exclude each other"}},
    {"{\"seqlens_kv\":\"l.npy\",\"cu_seqlens_kv\":\"c.npy\"}",
     {"\"cu_seqlens_kv\"", "\"seqlens_kv\"", "exclude each other"}},
    {"{\"seqlen_kv\":2,\"seqlen\":1}", {"\"seqlen\": 1", "contradicts", NULL}},
};

static void test_refused(void **state) {
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
    fmhac_config *config = (fmhac_config *)1;
    fmhac_status status =
        fmhac_config_create_json(*state, refused[i].json, &config);
    if (status != FMHAC_INVALID_INPUT)
      fail_msg("%s: status %d", refused[i].json, status);
    assert_null(config);
    for (int part = 0; part < 3 && refused[i].parts[part]; ++part)
      assert_contains(fmhac_last_error(*state), refused[i].parts[part]);
  }
}

static void test_null_text(void **state) {
  fmhac_config *config;
  assert_int_equal(fmhac_config_create_json(*state, NULL, &config),
                   FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(*state), "null pointer");
}

/// Texts as long as they may be, and one byte longer.
static void test_text_length(void **state) {
  static char json[FMHAC_TEXT_BYTES + 64];
  char *at = json + sprintf(json, "{\"score_mod\":\"");
  memset(at, 'x', FMHAC_TEXT_BYTES - 1);
  strcpy(at + FMHAC_TEXT_BYTES - 1, "\"}");
  fmhac_config *config;
  assert_int_equal(fmhac_config_create_json(*state, json, &config), FMHAC_OK);
  fmhac_config_destroy(config);
  strcpy(at + FMHAC_TEXT_BYTES - 1, "x\"}");
  assert_int_equal(fmhac_config_create_json(*state, json, &config),
                   FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(*state), "at most 1023 bytes");
}

static void test_nesting(void **state) {
  (void)state;
  char deep[200];
  fmhac_json_error error;
  memset(deep, '[', 64);
  memset(deep + 64, ']', 64);
  deep[128] = '\0';
  assert_true(fmhac_json_check(deep, &error));
  memset(deep, '[', 65);
  memset(deep + 65, ']', 65);
  deep[130] = '\0';
  assert_false(fmhac_json_check(deep, &error));
  assert_int_equal(error.column, 65);
}

static void test_schedule_is_path(void **state) {
  (void)state;
  assert_true(fmhac_schedule_is_path("./x"));
  assert_true(fmhac_schedule_is_path("x.mlir"));
  assert_true(fmhac_schedule_is_path(".mlir"));
  assert_false(fmhac_schedule_is_path("x"));
  assert_false(fmhac_schedule_is_path("mlir"));
  assert_false(fmhac_schedule_is_path("x.mlir.bak"));
}

/// The mark that a text is UTF-8 is no part of it; places count without it.
static void test_mark_of_utf8(void **state) {
  fmhac_config_values values;
  assert_int_equal(fmhac_config_values_parse(
                       *state, "\xef\xbb\xbf{\"dtype\":\"f16\"}", &values),
                   FMHAC_OK);
  assert_int_equal(values.dtype, FMHAC_DTYPE_F16);
  assert_int_equal(
      fmhac_config_values_parse(*state, "\xef\xbb\xbf{dtype}", &values),
      FMHAC_INVALID_INPUT);
  assert_non_null(strstr(fmhac_last_error(*state), "at 1:2: "));
}

/// Numbers are what they are, however the caller rounds: 0.3 lies above the
/// double that is nearest to it, 0.1 below.
static void test_rounding(void **state) {
  static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; ++i) {
    fmhac_config *a, *b;
    const int before = fegetround();
    assert_int_equal(fesetround(modes[i]), 0);
    fmhac_status first =
        fmhac_config_create_json(*state, "{\"softcap\": 0.3}", &a);
    fmhac_status second =
        fmhac_config_create_json(*state, "{\"softcap\": 0.1}", &b);
    const int mode = fegetround();
    fesetround(before);
    assert_true(first == FMHAC_OK && second == FMHAC_OK && mode == modes[i]);
    assert_true(a->values.softcap == 0.3 && b->values.softcap == 0.1);
    assert_non_null(strstr(fmhac_config_get_canonical(a), "\"softcap\":0.3"));
    assert_null(strstr(fmhac_config_get_canonical(a), "\"softcap\":0.30"));
    fmhac_config_destroy(a);
    fmhac_config_destroy(b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_accepted, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_canonical_round_trip, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_canonical_order, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_code_form, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_values, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_null_text, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_text_length, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_mark_of_utf8, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_rounding, set_up, tear_down),
      cmocka_unit_test(test_nesting),
      cmocka_unit_test(test_schedule_is_path),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
