// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The option table as callers see it: whatever its rows are, these hold.
#include <ctype.h>

#include "config.h"
#include "doubles.h"
#include "fmhac_options.h"
#include "values.h"

static void test_rows(void **state) {
  (void)state;
  size_t count = fmhac_option_count();
  assert_true(count > 0);
  assert_null(fmhac_option_get(count));
  for (size_t i = 0; i < count; ++i) {
    const fmhac_option_info *info = fmhac_option_get(i);
    assert_non_null(info);
    for (const char *p = info->key; *p; ++p)
      assert_true(islower((unsigned char)*p) || isdigit((unsigned char)*p) ||
                  *p == '_');
    assert_true(info->help[0] != '\0');
    assert_true(info->is_switch == (info->metavar[0] == '\0'));
    assert_true(info->is_switch + info->is_integer + info->is_real <= 1);
    for (size_t j = 0; j < i; ++j)
      assert_string_not_equal(info->key, fmhac_option_get(j)->key);
  }
}

static void test_names_of_the_contract(void **state) {
  (void)state;
  static const char *const keys[] = {
      "dtype",         "head_dim",   "head_dim_qk", "head_dim_v",
      "mask",          "lse",        "schedule",    "softcap",
      "alibi",         "sink",       "bias",        "out_dtype",
      "score_mod",     "layout",     "batch",       "cu_seqlens_q",
      "cu_seqlens_kv", "heads",      "kv_heads",    "seqlen",
      "seqlen_q",      "seqlen_kv",  "scale",       "seed",
      "seqlens_q",     "seqlens_kv", "q_strides",   "k_strides",
      "v_strides",     "o_strides",  "page_size",   "page_table",
      "q_scale",       "k_scale",    "v_scale",     "split_kv",
      "split_chunk",   "splits",     "workspace",   "dropout",
      "q_dtype",       "k_dtype",    "v_dtype",     "q_scales",
      "k_scales",      "v_scales",   "scale_block", "quantize_q",
      "o_scale",       "kv_indptr",  "kv_indices",  "kv_last_page_len",
      "kv_layout",     "kv_lengths", "max_seqlen_q"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
    assert_non_null(fmhac_option_find(keys[i]));
  assert_null(fmhac_option_find("head-dim"));
}

static void test_shorthands(void **state) {
  (void)state;
  assert_string_equal(fmhac_option_find("head_dim")->info.shorthand_for,
                      "head_dim_qk head_dim_v");
  assert_string_equal(fmhac_option_find("seqlen")->info.shorthand_for,
                      "seqlen_q seqlen_kv");
  assert_true(fmhac_option_find("seqlen")->info.is_problem);
  assert_true(fmhac_option_find("layout")->info.is_problem);
  assert_true(fmhac_option_find("splits")->info.is_problem);
  assert_true(fmhac_option_find("workspace")->info.is_problem);
  assert_false(fmhac_option_find("head_dim")->info.is_problem);
  assert_false(fmhac_option_find("split_kv")->info.is_problem);
  assert_string_equal(fmhac_option_find("mask")->info.shorthand_for, "");
}

/// Every stored row starts at its default, and enough names exist for the
/// enums.
static void test_defaults(void **state) {
  (void)state;
  fmhac_config_values values;
  fmhac_config_values_init(&values);
  size_t count;
  const fmhac_option_row *rows = fmhac_option_rows(&count);
  for (size_t i = 0; i < count; ++i)
    assert_true(fmhac_value_is_default(&values, &rows[i]));
  assert_int_equal(values.dtype, FMHAC_DTYPE_BF16);
  assert_int_equal(values.head_dim_qk, 128);
  assert_int_equal(values.split_kv, FMHAC_SPLIT_KV_NONE);
  assert_int_equal(values.splits, 0);
  assert_string_equal(fmhac_option_choices(FMHAC_KIND_DTYPE)[FMHAC_DTYPE_FP8],
                      "fp8");
  assert_string_equal(
      fmhac_option_choices(FMHAC_KIND_OUT_DTYPE)[FMHAC_OUT_DTYPE_F32], "f32");
  assert_string_equal(
      fmhac_option_choices(FMHAC_KIND_OUT_DTYPE)[FMHAC_OUT_DTYPE_FP8], "fp8");
  assert_string_equal(fmhac_option_choices(FMHAC_KIND_LAYOUT)[3],
                      "interleaved-kv");
  assert_string_equal(
      fmhac_option_choices(FMHAC_KIND_GRANULARITY)[FMHAC_GRANULARITY_BLOCK],
      "block");
  assert_string_equal(
      fmhac_option_choices(FMHAC_KIND_SPLIT_KV)[FMHAC_SPLIT_KV_FIXED], "fixed");
  assert_null(fmhac_option_choices(FMHAC_KIND_INTEGER));
}

static void test_version(void **state) {
  (void)state;
  assert_contains(fmhac_version_text(), "fmhac " FMHAC_VERSION ", LLVM 22.");
  assert_contains(fmhac_version_text(), ", ABI 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_names_of_the_contract),
      cmocka_unit_test(test_shorthands),
      cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_version),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
