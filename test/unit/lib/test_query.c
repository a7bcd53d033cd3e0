// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_query(), what is in the way, and that the nearest configuration is one.
#include <stdio.h>

#include "choose.h"
#include "context.h"
#include "doubles.h"

static int set_up(void **state) {
  return fmhac_context_create(NULL, (fmhac_context **)state) != FMHAC_OK;
}

static int tear_down(void **state) {
  fmhac_context_destroy(*state);
  return 0;
}

static fmhac_status query(fmhac_context *context, const char *json,
                          fmhac_support *out_support) {
  fmhac_config *config;
  assert_int_equal(fmhac_config_create_json(context, json, &config), FMHAC_OK);
  *out_support = (fmhac_support){.size = sizeof *out_support};
  fmhac_status status = fmhac_query(context, config, out_support);
  fmhac_config_destroy(config);
  return status;
}

/// Makes the choice of a configuration.
static fmhac_status choose(fmhac_context *context, const char *json,
                           fmhac_choice *out) {
  fmhac_config *config;
  assert_int_equal(fmhac_config_create_json(context, json, &config), FMHAC_OK);
  fmhac_status status = fmhac_choose(context, config, NULL, out);
  fmhac_config_destroy(config);
  return status;
}

static void test_default_is_supported(void **state) {
  fmhac_support support;
  assert_int_equal(query(*state, "{}", &support), FMHAC_OK);
  assert_true(support.supported);
  assert_true(support.schedule[0] != '\0');
  assert_true(support.entry_count > 0);
  assert_int_equal(query(*state, "{\"mask\":\"causal\"}", &support), FMHAC_OK);
  assert_true(support.supported);
}

/// Head sizes that no table will ever have, and names reserved for later.
static void test_nearest_is_supported(void **state) {
  static const struct {
    const char *json, *field;
  } table[] = {
      {"{\"head_dim\":7}", "head_dim_qk"},
      {"{\"head_dim_v\":1023}", "head_dim_v"},
      {"{\"head_dim_v\":7,\"mask\":\"chunked:3\",\"dtype\":\"fp8\"}", NULL},
      {"{\"dtype\":\"fp8\",\"q_scale\":\"head\",\"q_scales\":true,"
       "\"head_dim\":7}",
       "head_dim_qk"},
      {"{\"k_dtype\":\"fp8\"}", "k_dtype"},
      {"{\"dtype\":\"fp8\",\"k_dtype\":\"bf8\"}", "k_dtype"},
      {"{\"q_dtype\":\"f16\"}", "k_dtype"},
      {"{\"dtype\":\"f16\",\"v_dtype\":\"bf8\"}", "v_dtype"},
      {"{\"dtype\":\"fp8\",\"k_scale\":\"block\",\"k_scales\":true,"
       "\"scale_block\":64,\"cu_seqlens_kv\":true}",
       "k_scale"},
      {"{\"dtype\":\"fp8\",\"q_scale\":\"head\",\"q_scales\":true,"
       "\"v_scale\":\"block\",\"v_scales\":true,\"scale_block\":1,"
       "\"cu_seqlens_kv\":true}",
       "v_scale"},
      {"{\"k_dtype\":\"fp8\",\"v_dtype\":\"fp8\",\"quantize_q\":true,"
       "\"head_dim\":72}",
       "head_dim_qk"},
      {"{\"out_dtype\":\"fp8\"}", "out_dtype"},
      {"{\"out_dtype\":\"fp8\",\"dtype\":\"fp8\",\"head_dim\":7}",
       "head_dim_qk"},
      {"{\"page_size\":16,\"page_table\":true,\"seqlens_kv\":true,"
       "\"softcap\":1,\"schedule\":\"dualwave\"}",
       "page_size"},
      {"{\"dtype\":\"fp8\",\"k_scale\":\"token\",\"k_scales\":true,"
       "\"page_size\":16,\"page_table\":true,\"seqlens_kv\":true}",
       "k_scale"},
      {"{\"dtype\":\"fp8\",\"v_scale\":\"token\",\"v_scales\":true,"
       "\"page_size\":64,\"page_table\":true,\"seqlens_kv\":true}",
       "v_scale"},
      {"{\"split_kv\":\"auto\"}", "work"},
      {"{\"work\":\"list\",\"split_kv\":\"auto\","
       "\"schedule\":\"dualwave_narrow\",\"head_dim\":64}",
       "split_kv"},
      {"{\"splits\":4}", "splits"},
      {"{\"workspace\":1}", "workspace"},
      {"{\"dropout\":0.1,\"head_dim\":7}", "dropout"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    fmhac_support support, nearest;
    assert_int_equal(query(*state, table[i].json, &support), FMHAC_OK);
    assert_false(support.supported);
    if (table[i].field)
      assert_string_equal(support.field, table[i].field);
    assert_contains(support.reason, support.field);
    assert_int_equal(query(*state, support.nearest, &nearest), FMHAC_OK);
    assert_true(nearest.supported);
  }
}

/// Factors by token go to a schedule that has room and a place for them.
static void test_factors(void **state) {
  static const struct {
    const char *json, *schedule;
  } rows[] = {
      {"\"head_dim\":128,\"mask\":\"causal\",\"q_scale\":\"token\","
       "\"q_scales\":true",
       "generic_fp8"},
      {"\"head_dim\":128,\"k_scale\":\"token\",\"k_scales\":true",
       "generic_fp8"},
      {"\"head_dim\":128,\"v_scale\":\"block\",\"v_scales\":true,"
       "\"scale_block\":64",
       "generic_fp8"},
      {"\"head_dim\":128,\"v_scale\":\"token\",\"v_scales\":true,"
       "\"bias\":true",
       "generic_fp8_n32"},
      {"\"head_dim\":256,\"k_scale\":\"token\",\"k_scales\":true",
       "generic_fp8_n32"},
      {"\"head_dim\":256,\"k_scale\":\"head\",\"k_scales\":true",
       "generic_fp8"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char json[400];
    fmhac_support support;
    snprintf(json, sizeof json, "{\"dtype\":\"fp8\",%s}", rows[i].json);
    assert_int_equal(query(*state, json, &support), FMHAC_OK);
    assert_true(support.supported);
    assert_string_equal(support.schedule, rows[i].schedule);
  }
  // A pipeline that has the registers for those of Q's rows, or for those of
  // blocks.
  static const struct {
    const char *json;
    bool supported;
  } either[] = {
      {"\"q_scale\":\"token\",\"q_scales\":true", true},
      {"\"k_scale\":\"block\",\"k_scales\":true,\"v_scale\":\"block\","
       "\"v_scales\":true,\"scale_block\":64",
       true},
      {"\"k_scale\":\"block\",\"k_scales\":true,\"v_scale\":\"block\","
       "\"v_scales\":true,\"scale_block\":64,\"q_scale\":\"token\","
       "\"q_scales\":true",
       false},
  };
  for (size_t i = 0; i < sizeof either / sizeof *either; ++i) {
    char json[400];
    fmhac_support support;
    snprintf(json, sizeof json,
             "{\"dtype\":\"fp8\",\"head_dim\":256,\"schedule\":"
             "\"dualwave_fp8_d256\",%s}",
             either[i].json);
    assert_int_equal(query(*state, json, &support), FMHAC_OK);
    assert_int_equal(support.supported, either[i].supported);
  }
}

/// Under a Q of 16 bits K and V of 8 have every factor with every head and
/// every function of scores; a schedule that has no registers for them refuses.
static void test_converted_factors(void **state) {
  static const char *const types[] = {"bf16", "f16"};
  static const char *const granularities[] = {"tensor", "head", "token",
                                              "block"};
  static const char *const functions[] = {"", ",\"softcap\":2",
                                          ",\"bias\":true,\"alibi\":true"};
  enum {
    STEP = 16,
    MOST = 512,
    TYPES = sizeof types / sizeof *types,
    GRANULARITIES = sizeof granularities / sizeof *granularities,
    FUNCTIONS = sizeof functions / sizeof *functions
  };
  char json[400];
  fmhac_support support;
  for (int qk = STEP; qk <= MOST; qk += STEP)
    for (int v = STEP; v <= MOST; v += STEP)
      for (int i = 0; i < TYPES * GRANULARITIES * FUNCTIONS; ++i) {
        const char *granularity = granularities[i / TYPES % GRANULARITIES];
        const bool blocks = strcmp(granularity, "block") == 0;
        snprintf(json, sizeof json,
                 "{\"dtype\":\"%s\",\"k_dtype\":\"fp8\",\"v_dtype\":"
                 "\"bf8\",\"head_dim_qk\":%d,\"head_dim_v\":%d,"
                 "\"k_scale\":\"%s\",\"k_scales\":true,\"v_scale\":\"%s\","
                 "\"v_scales\":true%s%s}",
                 types[i % TYPES], qk, v, granularity, granularity,
                 blocks ? ",\"scale_block\":24" : "",
                 functions[i / TYPES / GRANULARITIES]);
        assert_int_equal(query(*state, json, &support), FMHAC_OK);
        assert_true(support.supported);
      }
  assert_int_equal(query(*state,
                         "{\"k_dtype\":\"fp8\",\"v_dtype\":\"fp8\","
                         "\"k_scale\":\"token\",\"k_scales\":true,"
                         "\"softcap\":2,\"schedule\":\"generic\"}",
                         &support),
                   FMHAC_OK);
  assert_false(support.supported);
  assert_string_equal(support.field, "k_scale");
}

/// A Q that the kernel rounds goes to schedules of 8 bits, one that K and V are
/// converted to, to others.
static void test_quantize_q(void **state) {
  static const struct {
    const char *json, *schedule;
  } rows[] = {
      {"\"head_dim\":192,\"quantize_q\":true", "generic_fp8"},
      {"\"head_dim\":192", "generic_wide"},
      {"\"head_dim_qk\":128,\"head_dim_v\":256,\"quantize_q\":true,"
       "\"softcap\":2",
       "generic_fp8_n32"},
      {"\"head_dim\":64,\"quantize_q\":true,\"bias\":true", "generic_fp8"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char json[400];
    fmhac_support support;
    snprintf(json, sizeof json,
             "{\"dtype\":\"%s\",\"k_dtype\":\"fp8\",\"v_dtype\":\"bf8\",%s}",
             i % 2 ? "f16" : "bf16", rows[i].json);
    assert_int_equal(query(*state, json, &support), FMHAC_OK);
    assert_true(support.supported);
    assert_string_equal(support.schedule, rows[i].schedule);
  }
}

/// The largest heads change their schedule when a function of scores wants
/// registers, unless one is asked for that has them.
static void test_score_functions(void **state) {
  static const char *const functions[] = {"\"softcap\":2", "\"alibi\":true",
                                          "\"bias\":\"b.npy\"",
                                          "\"score_mod\":\"f.mlir\""};
  fmhac_support plain, with;
  assert_int_equal(query(*state, "{\"head_dim\":256}", &plain), FMHAC_OK);
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
    char json[400];
    snprintf(json, sizeof json, "{\"head_dim\":256,%s}", functions[i]);
    assert_int_equal(query(*state, json, &with), FMHAC_OK);
    assert_true(with.supported);
    assert_string_not_equal(with.schedule, plain.schedule);
    snprintf(json, sizeof json, "{\"head_dim\":256,%s,\"schedule\":\"%s\"}",
             functions[i], plain.schedule);
    assert_int_equal(query(*state, json, &with), FMHAC_OK);
    if (strstr(functions[i], "bias")) { // for which it has no registers
      assert_false(with.supported);
      assert_string_equal(with.field, "bias");
    } else {
      assert_true(with.supported);
      assert_string_equal(with.schedule, plain.schedule);
    }
    snprintf(json, sizeof json, "{\"head_dim\":64,%s}", functions[i]);
    assert_int_equal(query(*state, json, &with), FMHAC_OK);
    // Long problems get dualwave where it takes the function.
    const char *semicolon = strstr(with.schedule, "; ");
    assert_string_equal(semicolon ? semicolon + 2 : with.schedule, "generic");
    if (semicolon)
      assert_contains(with.schedule, "dualwave if 257 <= Sk; ");
  }
}

static void test_schedule(void **state) {
  fmhac_support support;
  assert_int_equal(query(*state, "{\"schedule\":\"genric\"}", &support),
                   FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(*state), "did you mean \"generic\"");
  assert_int_equal(query(*state, "{\"schedule\":\"generic\"}", &support),
                   FMHAC_OK);
  assert_true(support.supported);
  // A file is the compiler's to read.
  assert_int_equal(query(*state, "{\"schedule\":\"./none.mlir\"}", &support),
                   FMHAC_OK);
  assert_true(support.supported);
  assert_string_equal(support.schedule, "./none.mlir");
  assert_int_equal(support.entry_count, 1);
}

/// Several schedules: each has to be one, and to serve.
static void test_list_of_schedules(void **state) {
  static const struct {
    const char *json, *schedule;
    size_t entries;
    const char *field; ///< that prevents it; NULL: none
  } rows[] = {
      {"{\"schedule\":\"generic if Sk<=8;dualwave\"}",
       "generic if Sk<=8; dualwave", 2, NULL},
      {"{\"schedule\":\"./a.mlir if Sk <= 8\"}", "./a.mlir if Sk <= 8", 1,
       NULL},
      {"{\"schedule\":\"generic_wide if Sq <= 1; auto\"}",
       "generic_wide if Sq <= 1; dualwave if 257 <= Sk; generic", 3, NULL},
      {"{\"schedule\":\"generic if Sk <= 8; dualwave\",\"bias\":true}", NULL, 0,
       "bias"},
      {"{\"schedule\":\"dualwave if Sk <= 8; generic\",\"bias\":true}", NULL, 0,
       "bias"},
      {"{\"schedule\":\"generic if Sk <= 8; dualwave_narrow\"}", NULL, 0,
       "head_dim_qk"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    fmhac_support support;
    assert_int_equal(query(*state, rows[i].json, &support), FMHAC_OK);
    assert_int_equal(support.supported, !rows[i].field);
    assert_int_equal(support.entry_count, rows[i].entries);
    if (rows[i].field)
      assert_string_equal(support.field, rows[i].field);
    else
      assert_string_equal(support.schedule, rows[i].schedule);
  }
  fmhac_support support;
  assert_int_equal(
      query(*state, "{\"schedule\":\"generic if Sk <= 1; genric\"}", &support),
      FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(*state), "did you mean \"generic\"");
}

/// A problem whose types a schedule has no row for is refused: it does not get
/// the row of other types.
static void test_types_without_a_row(void **state) {
  static const char *const rows[] = {
      "{\"dtype\":\"fp8\",\"schedule\":\"generic if Sk <= 1; auto\"}",
      "{\"dtype\":\"fp8\",\"schedule\":\"generic\"}",
      // dualwave_sums has a row for bf16 only.
      "{\"dtype\":\"f16\",\"schedule\":\"dualwave_sums\"}",
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    fmhac_choice choice;
    fmhac_support support;
    assert_int_equal(choose(*state, rows[i], &choice), FMHAC_UNSUPPORTED);
    assert_contains(fmhac_last_error(*state),
                    "unsupported configuration: dtype");
    assert_int_equal(choice.count, 0);
    fmhac_choice_deinit(&choice);
    assert_int_equal(query(*state, rows[i], &support), FMHAC_OK);
    assert_false(support.supported);
    assert_string_equal(support.field, "dtype");
  }
}

/// A nearest configuration that does not fit is given without the file name.
#define LATENT "{\"head_dim_qk\":576,\"head_dim_v\":512,"
#define PAGES_OF_1 "\"page_size\":1,\"page_table\":true,\"seqlens_kv\":true,"

/// Pages of one key with a function of scores, a window and a queue.
static void test_latent_decode(void **state) {
  static const char *const schedules[] = {"latent_decode", "latent_decode_m64",
                                          "latent_decode_m128"};
  for (size_t i = 0; i < sizeof schedules / sizeof *schedules; ++i) {
    char json[400];
    fmhac_support support;
    snprintf(json, sizeof json,
             LATENT PAGES_OF_1
             "\"v_in_k\":true,\"mask\":\"window:9,-1\",\"softcap\":2,"
             "\"work\":\"queue\",\"schedule\":\"%s\"}",
             schedules[i]);
    assert_int_equal(query(*state, json, &support), FMHAC_OK);
    assert_true(support.supported);
    assert_string_equal(support.schedule, schedules[i]);
  }
}

/// A schedule that there is and that does not serve the configuration: what
/// stands in the way is the other key.
static void test_schedule_that_does_not_serve(void **state) {
  static const struct {
    const char *json, *field, *reason;
  } rows[] = {
      {"{\"schedule\":\"dualwave_narrow\",\"head_dim\":128}", "head_dim_qk",
       "schedule dualwave_narrow serves head_dim_qk multiples of 8 in 8..64, "
       "found 128"},
      {"{\"schedule\":\"dualwave\",\"head_dim_qk\":64,\"head_dim_v\":192}",
       "head_dim_v",
       "schedule dualwave serves head_dim_v multiples of 8 in 8..128, found "
       "192"},
      {"{\"schedule\":\"dualwave\",\"bias\":true}", "bias",
       "schedule dualwave takes no bias"},
      {"{\"schedule\":\"dualwave_narrow\",\"head_dim\":64,\"alibi\":true}",
       "alibi", "schedule dualwave_narrow takes no alibi"},
      {"{\"schedule\":\"dualwave_sums\",\"head_dim\":64,\"lse\":true}", "lse",
       "schedule dualwave_sums takes no lse"},
      {"{\"schedule\":\"dualwave_sums\",\"dtype\":\"f16\"}", "dtype",
       "schedule dualwave_sums serves dtype bf16, found f16"},
      // What no schedule serves is not a matter of the schedule.
      {"{\"schedule\":\"dualwave\",\"head_dim_qk\":584}", "head_dim_qk",
       "head_dim_qk 584: this build compiles multiples of 8 in 8..576"},
      {"{\"head_dim_v\":520}", "head_dim_v",
       "head_dim_v 520: this build compiles multiples of 8 in 8..512"},
      {"{\"schedule\":\"dualwave\",\"rope_dim\":64}", "rope_dim",
       "schedule dualwave takes no rope_dim"},
      {"{\"head_dim_qk\":192,\"rope_dim\":56}", "rope_dim",
       "rope_dim 56: schedule generic_wide takes a multiple of 16 columns of K "
       "before those of k_rope, as many as a matrix instruction takes, found "
       "head_dim_qk - rope_dim = 136"},
      {"{\"head_dim_qk\":576,\"head_dim_v\":512,\"rope_dim\":64,\"k_dtype\":"
       "\"fp8\",\"v_dtype\":\"fp8\",\"page_size\":1,\"page_table\":true,"
       "\"seqlens_kv\":true}",
       "rope_dim",
       "schedule generic_latent takes rope_dim with K and V of 8 bits, which "
       "become bf16, in pages of at least 2 keys, found 1"},
      {"{\"page_size\":64,\"page_table\":true,\"seqlens_kv\":true,"
       "\"kv_layout\":\"vectorised\",\"v_in_k\":true}",
       "kv_layout",
       "v_in_k takes pages of kv_layout nhd or hnd: in pieces of columns, "
       "what lies past a sequence's last key cannot be left out of V"},
      {"{\"head_dim_qk\":576,\"head_dim_v\":512}", "head_dim_v",
       "in 16 bits a K of more than 512 columns and a V of more than 256 take "
       "more LDS than a workgroup has, unless V lies in K (v_in_k) or the last "
       "columns of K have a tensor of their own (rope_dim)"},
      {LATENT "\"schedule\":\"latent_decode_fp8\",\"dtype\":\"fp8\"}", "v_in_k",
       "schedule latent_decode_fp8 has no room for a V of its own: expected "
       "v_in_k, found none"},
      {LATENT "\"schedule\":\"latent_decode_fp8_m64\",\"dtype\":\"fp8\","
              "\"v_in_k\":true,\"softcap\":2}",
       "softcap", "schedule latent_decode_fp8_m64 takes no softcap"},
      {LATENT "\"page_size\":32,\"page_table\":true,\"seqlens_kv\":true,"
              "\"schedule\":\"latent_decode_fp8_m128\",\"v_in_k\":true,"
              "\"dtype\":\"fp8\",\"work\":\"queue\"}",
       "page_size",
       "schedule latent_decode_fp8_m128 takes a page_size in multiples of 64 "
       "with the other keys as given, found 32"},
      {LATENT PAGES_OF_1 "\"schedule\":\"latent_decode_fp8_m128\",\"v_in_k\":"
                         "true,\"dtype\":\"fp8\"}",
       "page_size",
       "schedule latent_decode_fp8_m128 takes a page_size in multiples of 16 "
       "with the other keys as given, found 1"},
      {LATENT "\"schedule\":\"latent_decode_fp8_m64\",\"dtype\":\"fp8\","
              "\"v_in_k\":true,\"out_dtype\":\"fp8\"}",
       "out_dtype",
       "schedule latent_decode_fp8_m64 serves out_dtype same, bf16, f16, f32, "
       "found fp8"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    fmhac_support support;
    assert_int_equal(query(*state, rows[i].json, &support), FMHAC_OK);
    assert_false(support.supported);
    assert_string_equal(support.field, rows[i].field);
    assert_string_equal(support.reason, rows[i].reason);
    // The nearest is the same problem with another schedule, where there is.
    if (strncmp(support.reason, "schedule ", 9) == 0)
      assert_non_null(strstr(support.nearest, "\"schedule\":\"auto\""));
    fmhac_support near;
    assert_int_equal(query(*state, support.nearest, &near), FMHAC_OK);
    assert_true(near.supported);
  }
}

static void test_long_schedule_name(void **state) {
  static char json[1100];
  strcpy(json, "{\"head_dim\":7,\"schedule\":\"");
  memset(json + strlen(json), 'd', 1000);
  strcat(json, "/x\"}");
  fmhac_support support, nearest;
  assert_int_equal(query(*state, json, &support), FMHAC_OK);
  assert_false(support.supported);
  assert_int_equal(query(*state, support.nearest, &nearest), FMHAC_OK);
  assert_true(nearest.supported);
}

/// Other roles than attention have no schedule, and any O.
static void test_roles(void **state) {
  static const struct {
    const char *json, *field; ///< NULL: supported
  } table[] = {{"{\"role\":\"merge\"}", NULL},
               {"{\"role\":\"combine\",\"head_dim_qk\":7}", NULL},
               {"{\"role\":\"merge\",\"out_dtype\":\"fp8\"}", NULL},
               {"{\"role\":\"merge\",\"head_dim_v\":8}", NULL},
               {"{\"role\":\"merge\",\"head_dim_v\":12}", "head_dim_v"},
               {"{\"role\":\"combine\",\"head_dim_v\":520}", "head_dim_v"},
               {"{\"role\":\"merge\",\"schedule\":\"generic\"}", "schedule"},
               {"{\"role\":\"combine\",\"dropout\":0.5}", "dropout"}};
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    fmhac_support support, nearest;
    assert_int_equal(query(*state, table[i].json, &support), FMHAC_OK);
    assert_int_equal(support.supported, !table[i].field);
    assert_int_equal(support.entry_count, 0);
    if (!table[i].field)
      continue;
    assert_string_equal(support.field, table[i].field);
    assert_contains(support.reason, support.field);
    assert_contains(support.nearest, "\"role\":");
    assert_int_equal(query(*state, support.nearest, &nearest), FMHAC_OK);
    assert_true(nearest.supported);
  }
}

/// The nearest columns of k_rope that leave K a multiple of what a matrix
/// instruction takes, 16 or 32 and 64 of 8 bits, and at least one of them.
static void test_nearest_rope(void **state) {
  static const struct {
    const char *json, *nearest;
  } rows[] = {
      // Pages of 2 keys, and the columns stay.
      {"{\"head_dim_qk\":576,\"head_dim_v\":512,\"rope_dim\":64,\"k_dtype\":"
       "\"fp8\",\"v_dtype\":\"fp8\",\"page_size\":1,\"page_table\":true,"
       "\"seqlens_kv\":true}",
       ":64}"},
      {"{\"head_dim_qk\":576,\"head_dim_v\":512,\"rope_dim\":8}", ":32}"},
      {"{\"head_dim_qk\":192,\"rope_dim\":56}", ":64}"},
      {"{\"head_dim_qk\":192,\"rope_dim\":40}", ":48}"},
      {"{\"head_dim_qk\":128,\"rope_dim\":120}", ":112}"},
      {"{\"head_dim_qk\":192,\"rope_dim\":80,\"dtype\":\"fp8\"}", ":64}"},
      {"{\"head_dim_qk\":128,\"rope_dim\":16,\"dtype\":\"fp8\"}", ":64}"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    fmhac_support support, nearest;
    assert_int_equal(query(*state, rows[i].json, &support), FMHAC_OK);
    assert_false(support.supported);
    assert_string_equal(support.field, "rope_dim");
    char expected[32];
    snprintf(expected, sizeof expected, "\"rope_dim\"%s", rows[i].nearest);
    assert_contains(support.nearest, expected);
    assert_int_equal(query(*state, support.nearest, &nearest), FMHAC_OK);
    assert_true(nearest.supported);
  }
}

/// Factors of pages of K of 8 bits beside a Q of 16, where generic_wide has too
/// few registers: "" is a refusal.
static void test_page_factors(void **state) {
#define PAGE_FACTORS                                                           \
  "{\"head_dim_qk\":256,\"k_dtype\":\"fp8\",\"k_scale\":\"block\","            \
  "\"k_scales\":true,\"page_table\":true,\"seqlens_kv\":true,"
#define OF_V                                                                   \
  "\"head_dim_v\":256,\"v_dtype\":\"fp8\",\"v_scale\":\"block\","              \
  "\"v_scales\":true,"
#define DIVIDED "\"work\":\"queue\",\"split_kv\":\"auto\","
  static const struct {
    const char *json, *schedule;
  } rows[] = {
      {PAGE_FACTORS OF_V "\"page_size\":16}", "generic_wide"},
      {PAGE_FACTORS OF_V DIVIDED "\"page_size\":16}", "generic_wide"},
      {PAGE_FACTORS OF_V "\"page_size\":1}", "generic_wide_m64"},
      {PAGE_FACTORS "\"head_dim_v\":192,\"v_in_k\":true,\"page_size\":16}",
       "generic_wide"},
      {PAGE_FACTORS DIVIDED
       "\"head_dim_v\":192,\"v_in_k\":true,\"page_size\":16}",
       "generic_latent"},
      {PAGE_FACTORS DIVIDED
       "\"head_dim_v\":192,\"v_in_k\":true,\"rope_dim\":64,"
       "\"page_size\":1}",
       "generic_latent"},
      {PAGE_FACTORS OF_V DIVIDED "\"rope_dim\":64,\"page_size\":16}", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    fmhac_support support;
    assert_int_equal(query(*state, rows[i].json, &support), FMHAC_OK);
    assert_int_equal(support.supported, rows[i].schedule[0] != '\0');
    if (support.supported)
      assert_string_equal(support.schedule, rows[i].schedule);
    else
      assert_string_equal(support.field, "k_scale");
  }
}

static void test_refused(void **state) {
  fmhac_choice choice;
  fmhac_support support;
  assert_int_equal(choose(*state, "{}", &choice), FMHAC_OK);
  fmhac_choice_deinit(&choice);
  assert_int_equal(choose(*state, "{\"head_dim_v\":7}", &choice),
                   FMHAC_UNSUPPORTED);
  fmhac_choice_deinit(&choice);
  assert_contains(fmhac_last_error(*state), "head_dim_v");
  assert_int_equal(query(*state, "{\"head_dim_v\":7}", &support), FMHAC_OK);
  assert_contains(fmhac_last_error(*state), support.nearest);
}

static void test_struct_size(void **state) {
  fmhac_config *config;
  assert_int_equal(fmhac_config_create_json(*state, "{}", &config), FMHAC_OK);
  fmhac_support support = {.size = 1};
  assert_int_equal(fmhac_query(*state, config, &support), FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(*state), "fmhac_support.size");
  fmhac_config_destroy(config);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_default_is_supported),
      TEST(test_nearest_is_supported),
      TEST(test_factors),
      TEST(test_converted_factors),
      TEST(test_quantize_q),
      TEST(test_score_functions),
      TEST(test_schedule),
      TEST(test_list_of_schedules),
      TEST(test_roles),
      TEST(test_latent_decode),
      TEST(test_schedule_that_does_not_serve),
      TEST(test_long_schedule_name),
      TEST(test_nearest_rope),
      TEST(test_page_factors),
      TEST(test_refused),
      TEST(test_struct_size),
      TEST(test_types_without_a_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
