// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune_check.h"

#include <stdio.h>

#include "args.h"
#include "fill_data.h"
#include "fmhac_inspect.h"
#include "mask.h"
#include "run_compare.h"
#include "run_features.h"

//===- The runs -----------------------------------------------------------===//

static void set_integer(cJSON *options, const char *key, int64_t value) {
  cJSON_DeleteItemFromObjectCaseSensitive(options, key);
  cJSON_AddNumberToObject(options, key, (double)value);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

typedef struct sizes {
  int64_t heads, kv_heads, rows, keys;
} sizes;

static sizes sizes_of(const cJSON *options) {
  return (sizes){option_integer(options, "heads"),
                 option_integer(options, "kv_heads"),
                 option_integer(options, "seqlen_q"),
                 option_integer(options, "seqlen_kv")};
}

/// One batch with these lengths.
static cJSON *with_sizes(const cJSON *options, const sizes *s) {
  cJSON *small = cJSON_Duplicate(options, true);
  set_integer(small, "batch", 1);
  set_integer(small, "heads", s->heads);
  set_integer(small, "kv_heads", s->kv_heads);
  set_integer(small, "seqlen_q", s->rows);
  set_integer(small, "seqlen_kv", s->keys);
  return small;
}

/// Whether other sizes can be given to the problem.
static bool has_free_sizes(const cJSON *options) {
  static const char *const sized[] = {
      "cu_seqlens_q", "cu_seqlens_kv", "seqlens_q", "seqlens_kv",
      "kv_indptr",    "sink",          "bias",      "q_strides",
      "k_strides",    "v_strides",     "o_strides"};
  for (size_t i = 0; i < sizeof sized / sizeof sized[0]; ++i)
    if (cJSON_HasObjectItem(options, sized[i]))
      return false;
  return true;
}

/// Whether the reference of the problem takes long, and other sizes can be
/// given to it.
static bool is_large(const cJSON *options) {
  enum { MOST_SCORES = 1 << 21 };
  if (!has_free_sizes(options))
    return false;
  const sizes s = sizes_of(options);
  return (double)option_integer(options, "batch") * (double)s.heads *
             (double)s.rows * (double)s.keys >
         MOST_SCORES;
}

static attention_mask mask_of(const cJSON *options) {
  attention_mask mask = {.kind = MASK_NONE};
  (void)attention_mask_parse(option_text(options, "mask"), &mask);
  return mask;
}

/// Keys on the left and on the right of a row's diagonal that a mask leaves;
/// 0 where it does not bound them.
static void bounds_of(const attention_mask *mask, int64_t *out_left,
                      int64_t *out_right) {
  *out_left = mask->kind == MASK_WINDOW    ? most(mask->left, 0)
              : mask->kind == MASK_CHUNKED ? mask->chunk
                                           : 0;
  *out_right = mask->kind == MASK_WINDOW ? most(mask->right, 0) : 0;
}

/// A problem of the same kind: some tiles of any schedule, the last of them not
/// whole, and some rows that a bound of the mask cuts keys from.
static cJSON *shrink(const cJSON *options) {
  enum { ROWS = 600, KEYS = 840, MOST_CUT = 1 << 24 };
  const sizes all = sizes_of(options);
  const attention_mask mask = mask_of(options);
  int64_t left, right;
  bounds_of(&mask, &left, &right);
  sizes s = {.heads = least(all.heads, 2),
             // Masks start from the difference of the two.
             .rows = least(all.rows, all.rows == all.keys ? KEYS : ROWS),
             .keys = least(all.keys, KEYS)};
  s.kv_heads =
      all.kv_heads && all.kv_heads < all.heads ? 1 : least(all.heads, 2);
  // Rows on either side of the first that a bound cuts keys from; a bound that
  // no row of the whole problem meets is none.
  const int64_t keys = left + right + ROWS / 2, rows = right + ROWS / 2;
  if (keys <= s.keys || left + right >= all.keys)
    return with_sizes(options, &s);
  s = (sizes){.heads = 1,
              .kv_heads = 1,
              .rows = least(all.rows, ROWS),
              .keys = least(all.keys, keys)};
  // Those on the right cut the keys of rows that far from the end.
  if ((double)rows * (double)(left + right) <= MOST_CUT)
    s.rows = least(all.rows, most(rows, s.rows));
  return with_sizes(options, &s);
}

/// Some rows that see as many keys as the problem's, up to those that inputs
/// have soon been made for. NULL where `small` has as many.
static cJSON *lengthen(const cJSON *options, const cJSON *small) {
  enum { ROWS = 40, KEYS = 1 << 16, SQUARE = 2048 };
  const sizes all = sizes_of(options);
  sizes s = {.heads = 1,
             .kv_heads = 1,
             .rows = least(all.rows, ROWS),
             .keys = least(all.keys, KEYS)};
  // Here a row sees at most as many keys as rows come before it.
  if (mask_of(options).kind == MASK_CAUSAL_TOP_LEFT)
    s.rows = s.keys = least(least(all.rows, all.keys), SQUARE);
  return s.keys > sizes_of(small).keys ? with_sizes(options, &s) : NULL;
}

/// Some rows that see as many keys as `fixture` and `sink` have. NULL where
/// weights have 16 bits, or the two do not fit the problem.
static cJSON *for_fixtures(const cJSON *options, const fmhac_config *config) {
  enum { ROWS = 40 };
  if (!has_free_sizes(options))
    return NULL;
  char text[ERROR_BYTES];
  run_data data;
  const bool fits = run_data_init(options, config, &data, text) &&
                    element_bytes(run_data_type(&data, TENSOR_Q)) == 1 &&
                    !run_data_hindrance_of_fixtures(&data);
  run_data_deinit(&data);
  const sizes s = {
      .heads = 1, .kv_heads = 1, .rows = ROWS, .keys = INPUT_FIXTURE_KEYS};
  return fits ? with_sizes(options, &s) : NULL;
}

//===- A run --------------------------------------------------------------===//

/// The fault of the results, if any.
static fmhac_status judge(const tune_bench *b, const fmhac_config *config,
                          const run_data *data, const fmhac_plan *plan,
                          const run_device *device, char why[ERROR_BYTES]) {
  comparison o, lse = {.pass = true};
  char stray[ERROR_BYTES];
  cJSON *findings = run_device_findings(device);
  int count = cJSON_GetArraySize(findings);
  const char *message = cJSON_GetStringValue(
      json_get(cJSON_GetArrayItem(findings, 0), "message"));
  fmhac_status status = FMHAC_CHECK_FAILED;
  if (count)
    snprintf(why, ERROR_BYTES, "%d findings of the checkers: %.400s", count,
             message ? message : "");
  else if (run_data_find_stray(data, stray))
    snprintf(why, ERROR_BYTES, "%.500s", stray);
  else
    status = run_compare(data, b->context, config, plan, &o, &lse, why);
  if (status == FMHAC_OK && !(o.pass && lse.pass)) {
    snprintf(why, ERROR_BYTES, "%s: %s", o.pass ? "LSE" : "O",
             o.pass ? lse.reason : o.reason);
    status = FMHAC_CHECK_FAILED;
  }
  cJSON_Delete(findings);
  return status;
}

/// A plan of the kernel for the problem, with the context's text.
static fmhac_status plan(const tune_bench *b, const fmhac_config *config,
                         run_data *data, fmhac_kernel **out_kernel,
                         fmhac_plan **out_plan, char why[ERROR_BYTES]) {
  fmhac_status status = fmhac_compile(b->context, config, out_kernel);
  if (status == FMHAC_OK)
    return run_plan_create(b->context, *out_kernel, data, out_plan, why);
  snprintf(why, ERROR_BYTES, "%.500s", fmhac_last_error(b->context));
  return status;
}

static fmhac_status read_score_mod(run_data *data, char why[ERROR_BYTES]) {
  return run_features_read_score_mod(data, why) ? FMHAC_OK : FMHAC_UNSUPPORTED;
}

/// Inputs, launch, comparison.
static fmhac_status launch(const tune_bench *b, const fmhac_config *config,
                           const fmhac_plan *plan, run_data *data,
                           run_device *device, char why[ERROR_BYTES]) {
  fmhac_status status = read_score_mod(data, why);
  if (status != FMHAC_OK)
    return status;
  if (!run_data_fill(data, NULL, why))
    return FMHAC_INVALID_INPUT;
  status = run_device_upload(device, data, plan, why);
  if (status != FMHAC_OK)
    return status;
  status = run_device_launch(device, b->context, plan, data, why);
  // A kernel that does not come to its end is wrong.
  if (status == FMHAC_LAUNCH_FAILED)
    return FMHAC_CHECK_FAILED;
  return status == FMHAC_OK || status == FMHAC_CHECK_FAILED
             ? judge(b, config, data, plan, device, why)
             : status;
}

/// Runs a kernel with one kind of inputs and compares.
static fmhac_status run_once(const tune_bench *b, const cJSON *options,
                             const fmhac_config *config, input_kind input,
                             char why[ERROR_BYTES]) {
  const emu_flags emu = {.check = b->check, .threads = b->flags.threads};
  run_data data;
  run_device device;
  fmhac_kernel *kernel = NULL;
  fmhac_plan *planned = NULL;
  char wrong[ERROR_BYTES] = "";
  if (!run_data_init(options, config, &data, why)) {
    run_data_deinit(&data);
    return FMHAC_INVALID_INPUT;
  }
  data.input = input;
  fmhac_status status = run_device_open("emu", &emu, &device, wrong);
  if (status == FMHAC_OK)
    status = plan(b, config, &data, &kernel, &planned, wrong);
  if (status == FMHAC_OK)
    status = launch(b, config, planned, &data, &device, wrong);
  if (status != FMHAC_OK)
    snprintf(why, ERROR_BYTES, "%.16s inputs: %.480s", input_kind_name(input),
             wrong);
  // The plan's modules live on the device: it goes first.
  fmhac_plan_destroy(planned);
  run_device_close(&device);
  fmhac_kernel_destroy(kernel);
  run_data_deinit(&data);
  return status;
}

fmhac_status tune_check_possible(const tune_bench *b,
                                 const fmhac_config *config,
                                 char why[ERROR_BYTES]) {
  run_data data;
  fmhac_status status = FMHAC_OK;
  if (!run_data_init(b->options, config, &data, why)) {
    status = FMHAC_INVALID_INPUT;
  } else if (data.score_mod_file) {
    // If the file holds no function, the compiler's message is the better one.
    void *text;
    size_t bytes;
    status = fmhac_emit(b->context, config, "problem", &text, &bytes);
    fmhac_free(text);
    if (status == FMHAC_OK)
      status = read_score_mod(&data, why);
    else
      snprintf(why, ERROR_BYTES, "%.500s", fmhac_last_error(b->context));
  }
  run_data_deinit(&data);
  return status;
}

fmhac_status tune_check(const tune_bench *b, const char *name, const char *text,
                        tune_checked *out, char why[ERROR_BYTES]) {
  static const input_kind kinds[] = {INPUT_NORMAL, INPUT_GROWING, INPUT_SPIKES,
                                     INPUT_RISING};
  static const input_kind of_fixtures[] = {INPUT_FIXTURE, INPUT_SINK};
  *out = (tune_checked){0};
  why[0] = '\0';
  const bool large = is_large(b->options);
  cJSON *options =
      large ? shrink(b->options) : cJSON_Duplicate(b->options, true);
  cJSON *longer = large ? lengthen(b->options, options) : NULL;
  fmhac_config *config;
  fmhac_status status = tune_point_config(b, options, name, text, &config, why);
  tune_problem_words(options, out->problem);
  for (size_t i = 0; status == FMHAC_OK && i < sizeof kinds / sizeof kinds[0];
       ++i)
    status = run_once(b, options, config, kinds[i], why);
  if (longer)
    tune_problem_words(longer, out->growing);
  if (longer && status == FMHAC_OK)
    status = run_once(b, longer, config, INPUT_GROWING, why);
  cJSON *fixtures =
      status == FMHAC_OK ? for_fixtures(b->options, config) : NULL;
  if (fixtures)
    tune_problem_words(fixtures, out->fixtures);
  for (size_t i = 0; fixtures && status == FMHAC_OK &&
                     i < sizeof of_fixtures / sizeof of_fixtures[0];
       ++i)
    status = run_once(b, fixtures, config, of_fixtures[i], why);
  cJSON_Delete(fixtures);
  fmhac_config_destroy(config);
  cJSON_Delete(longer);
  cJSON_Delete(options);
  return status;
}
