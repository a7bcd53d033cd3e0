// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "fmhac_schedule.h"
#include "latent.h"
#include "operands.h"
#include "schedule_list.h"
#include "values.h"
#include "work.h"

#define MASK_BIT(kind) (1u << FMHAC_MASK_##kind)
#define ALL_MASKS                                                              \
  (MASK_BIT(NONE) | MASK_BIT(CAUSAL) | MASK_BIT(CAUSAL_TOP_LEFT) |             \
   MASK_BIT(WINDOW) | MASK_BIT(CHUNKED))

/// Types of Q, K and V that go together: of K and V what Q has, or 8 bits, each
/// fp8 or bf8, to whose 16 bits (KV8) or 8 (Q8, with quantize_q) the others are
/// brought.
typedef enum types {
  TYPES_BF16,
  TYPES_F16,
  TYPES_FP8,
  TYPES_BF16_KV8,
  TYPES_F16_KV8,
  TYPES_BF16_Q8,
  TYPES_F16_Q8,
  TYPES_COUNT
} types;

static const struct {
  fmhac_dtype q;
  bool kv8, quantize_q;
  const char *name;
} all_types[TYPES_COUNT] = {
    [TYPES_BF16] = {FMHAC_DTYPE_BF16, false, false, "bf16"},
    [TYPES_F16] = {FMHAC_DTYPE_F16, false, false, "f16"},
    [TYPES_FP8] = {FMHAC_DTYPE_FP8, false, false, "fp8"},
    [TYPES_BF16_KV8] = {FMHAC_DTYPE_BF16, true, false,
                        "bf16 with fp8 or bf8 K, V"},
    [TYPES_F16_KV8] = {FMHAC_DTYPE_F16, true, false,
                       "f16 with fp8 or bf8 K, V"},
    [TYPES_BF16_Q8] = {FMHAC_DTYPE_BF16, true, true, "bf16 with quantize_q"},
    [TYPES_F16_Q8] = {FMHAC_DTYPE_F16, true, true, "f16 with quantize_q"},
};

// The words of the first column of support.def: a set of types.
enum {
  BF16 = 1u << TYPES_BF16,
  F16 = 1u << TYPES_F16,
  FP8 = 1u << TYPES_FP8,
  BF16_KV8 = 1u << TYPES_BF16_KV8,
  F16_KV8 = 1u << TYPES_F16_KV8,
  BF16_Q8 = 1u << TYPES_BF16_Q8,
  F16_Q8 = 1u << TYPES_F16_Q8,
  Q8 = BF16_Q8 | F16_Q8
};

// The words of the column of factors: by tensor or head; by token or block of
// Q, of K, of V. With BLOCKS_OF(N) those of blocks, or of pages, of K and V
// that are a multiple of N keys.
enum {
  NO_FACTORS = 0,
  HEAD_FACTORS = 1,
  Q_FACTORS = 2,
  K_FACTORS = 4,
  V_FACTORS = 8,
  ALL_FACTORS = 15,
  BLOCKS_SHIFT = 4
};
#define BLOCKS_OF(keys) ((uint32_t)(keys) << BLOCKS_SHIFT)

// The words of the column of pages: a number that divides the size of a page,
// and one that divides it where registers are few: of work from a queue, or of
// keys in chunks of a fixed size.
enum { NO_PAGES = 0, ANY_PAGES = 1, TIGHT_SHIFT = 16 };
#define PAGES_OF(keys) (keys)
#define TIGHT_PAGES_OF(keys) ((uint32_t)(keys) << TIGHT_SHIFT)

/// Head sizes are multiples of the elements that a lane loads at once.
#define HEAD_DIM_STEP(dtypes) ((dtypes) & (BF16 | F16) ? 8 : 16)

typedef struct dim_range {
  int64_t low, high, step;
} dim_range;

typedef struct support_row {
  uint32_t dtypes; ///< set of 1 << types
  dim_range head_dim_qk, head_dim_v;
  uint32_t masks; ///< set of MASK_BIT
  enum { NO_FUNCTIONS, PLAIN_SCORES, UNBIASED_SCORES, ANY_SCORES } scores;
  enum { NO_LSE, WITH_LSE } lse;
  uint32_t factors; ///< set of NO_FACTORS, …, with BLOCKS_OF or without
  uint32_t pages; ///< NO_PAGES, or what divides the keys of a page: page_step()
  const char *schedule;
} support_row;

static const support_row support_rows[] = {
#define FMHAC_SUPPORT(dtypes, qk_low, qk_high, v_low, v_high, masks, scores,   \
                      lse, factors, pages, schedule)                           \
  {dtypes,                                                                     \
   {qk_low, qk_high, HEAD_DIM_STEP(dtypes)},                                   \
   {v_low, v_high, HEAD_DIM_STEP(dtypes)},                                     \
   masks,                                                                      \
   scores,                                                                     \
   lse,                                                                        \
   factors,                                                                    \
   pages,                                                                      \
   schedule},
#include "support.def"
};

enum { SUPPORT_ROW_COUNT = sizeof support_rows / sizeof support_rows[0] };

// The fields that a row decides, in the order of the option table. A message
// names the first one that does not match.
typedef enum support_field {
  FIELD_DTYPE,
  FIELD_HEAD_DIM_QK,
  FIELD_HEAD_DIM_V,
  FIELD_MASK,
  FIELD_SCORES, ///< of several keys: found by function_key()
  FIELD_LSE,
  FIELD_OUT_DTYPE,
  FIELD_FACTORS, ///< of several keys: found by factor_key()
  FIELD_PAGES,   ///< of several keys: found by pages_key()
  FIELD_ROPE_DIM,
  FIELD_V_IN_K,
  FIELD_SCHEDULE,
  FIELD_COUNT
} support_field;

static const char *const field_keys[FIELD_COUNT] = {
    "dtype", "head_dim_qk", "head_dim_v", "mask",    "", "lse", "out_dtype", "",
    "",      "rope_dim",    "v_in_k",     "schedule"};

static bool in_range(const dim_range *range, int64_t dim) {
  return dim >= range->low && dim <= range->high && dim % range->step == 0;
}

/// The size in the range that is nearest to `dim`; a larger one rather than a
/// smaller, since padding loses nothing.
static int64_t nearest_in_range(const dim_range *range, int64_t dim) {
  int64_t up = (dim + range->step - 1) / range->step * range->step;
  if (up < range->low)
    return range->low;
  return up > range->high ? range->high : up;
}

/// The key of a function of scores that is in use and that a row does not take;
/// NULL: the row takes all.
static const char *function_key(const support_row *row,
                                const fmhac_config_values *values) {
  bool any =
      row->scores == NO_FUNCTIONS ||
      (row->scores == PLAIN_SCORES && fmhac_schedule_is_auto(values->schedule));
  if (values->bias && (any || row->scores != ANY_SCORES))
    return "bias";
  if (!any)
    return NULL;
  return values->softcap > 0    ? "softcap"
         : values->alibi        ? "alibi"
         : values->score_mod[0] ? "score_mod"
                                : NULL;
}

/// Whether a row takes factors of K's or V's blocks, as whole tiles share one.
static bool takes_blocks(uint32_t taken, const fmhac_config_values *values) {
  const int64_t keys = taken >> BLOCKS_SHIFT;
  const int64_t block =
      values->page_size ? values->page_size : values->scale_block;
  return keys && block % keys == 0;
}

/// The key of factors that a row does not take; NULL: it takes all. Which
/// factors a schedule file takes, the compiler decides.
static const char *factor_key(const support_row *row,
                              const fmhac_config_values *values) {
  const struct {
    const char *key;
    fmhac_granularity scale;
    uint32_t of_rows;
  } all[] = {{"q_scale", values->q_scale, Q_FACTORS},
             {"k_scale", values->k_scale, K_FACTORS},
             {"v_scale", values->v_scale, V_FACTORS}};
  const char *unsupported = fmhac_unsupported_factors(values);
  if (!fmhac_schedule_is_path(values->schedule) &&
      fmhac_support_lacks_page_factors(row->schedule, values))
    unsupported = "k_scale";
  const uint32_t taken =
      row->factors && fmhac_schedule_is_path(values->schedule) ? ALL_FACTORS
                                                               : row->factors;
  for (size_t i = 0; i < sizeof all / sizeof all[0] && !unsupported; ++i) {
    const uint32_t asked = all[i].scale == FMHAC_GRANULARITY_NONE ? NO_FACTORS
                           : all[i].scale <= FMHAC_GRANULARITY_HEAD
                               ? HEAD_FACTORS
                               : all[i].of_rows;
    const bool by_block =
        all[i].of_rows != Q_FACTORS && all[i].scale == FMHAC_GRANULARITY_BLOCK;
    const bool whole = by_block && values->split_kv == FMHAC_SPLIT_KV_NONE;
    if ((asked & ~taken) && !(whole && takes_blocks(taken, values)))
      unsupported = all[i].key;
  }
  return unsupported;
}

/// What divides the keys of a page; 0: there are no pages.
static uint32_t page_step(const support_row *row,
                          const fmhac_config_values *values) {
  const uint32_t tight = row->pages >> TIGHT_SHIFT;
  const bool is_tight = values->work == FMHAC_WORK_QUEUE ||
                        values->work == FMHAC_WORK_RUNS ||
                        values->split_kv == FMHAC_SPLIT_KV_FIXED;
  return tight && is_tight ? tight : row->pages & ((1u << TIGHT_SHIFT) - 1);
}

/// The key of pages that a row does not take; NULL: it takes them. Whether a
/// schedule file has a place for their look-ups, the compiler decides.
static const char *pages_key(const support_row *row,
                             const fmhac_config_values *values) {
  if (!values->page_size || fmhac_schedule_is_path(values->schedule))
    return NULL;
  const uint32_t step = page_step(row, values);
  return step && values->page_size % step == 0 ? NULL : "page_size";
}

/// Whether keys are divided: parts are combined by their LSE.
static bool splits(const fmhac_config_values *values) {
  return values->split_kv != FMHAC_SPLIT_KV_NONE;
}

/// The set with the types of a configuration; 0: no row has them.
static uint32_t types_of(const fmhac_config_values *values) {
  const fmhac_operand_dtype same = FMHAC_OPERAND_DTYPE_SAME;
  const bool kv8 = fmhac_operand_is_8_bit(values->k_dtype, values->dtype) &&
                   fmhac_operand_is_8_bit(values->v_dtype, values->dtype);
  const bool alike = values->k_dtype == same && values->v_dtype == same;
  for (int i = 0; i < TYPES_COUNT; ++i)
    if (values->dtype == all_types[i].q &&
        values->quantize_q == all_types[i].quantize_q &&
        (all_types[i].kv8 ? kv8 && !alike : alike))
      return 1u << i;
  return 0;
}

static bool matches(const support_row *row, const fmhac_config_values *values,
                    support_field field) {
  switch (field) {
  case FIELD_DTYPE:
    return row->dtypes & types_of(values);
  case FIELD_HEAD_DIM_QK:
    return in_range(&row->head_dim_qk, values->head_dim_qk);
  case FIELD_HEAD_DIM_V:
    return in_range(&row->head_dim_v, values->head_dim_v);
  case FIELD_MASK:
    return row->masks & (1u << values->mask.kind);
  case FIELD_SCORES:
    return fmhac_schedule_is_path(values->schedule) ||
           !function_key(row, values);
  case FIELD_LSE:
    return fmhac_schedule_is_path(values->schedule) || row->lse == WITH_LSE ||
           !(values->lse || splits(values));
  case FIELD_OUT_DTYPE:
    return values->out_dtype != FMHAC_OUT_DTYPE_FP8 ||
           ((row->dtypes & types_of(values) & (FP8 | Q8)) &&
            (fmhac_schedule_is_path(values->schedule) ||
             fmhac_support_stores_fp8(row->schedule)));
  case FIELD_FACTORS:
    return !factor_key(row, values);
  case FIELD_PAGES:
    return !pages_key(row, values);
  case FIELD_ROPE_DIM:
    return fmhac_schedule_is_path(values->schedule) ||
           fmhac_support_takes_rope(row->schedule, values);
  case FIELD_V_IN_K:
    return fmhac_schedule_is_path(values->schedule) || values->v_in_k ||
           fmhac_support_takes_own_v(row->schedule);
  case FIELD_SCHEDULE:
    return fmhac_schedule_is_path(values->schedule) ||
           fmhac_schedule_is_auto(values->schedule) ||
           strcmp(row->schedule, values->schedule) == 0;
  case FIELD_COUNT:
    break;
  }
  return false;
}

/// The first types of a row that have Q's type, else its first.
static types nearest_types(const support_row *row, fmhac_dtype q) {
  int first = 0;
  while (!(row->dtypes >> first & 1))
    ++first;
  for (int i = first; i < TYPES_COUNT; ++i)
    if ((row->dtypes >> i & 1) && all_types[i].q == q)
      return (types)i;
  return (types)first;
}

/// Changes `values` so that the row matches it in `field`, by as little as it
/// can.
static void adopt(const support_row *row, support_field field,
                  fmhac_config_values *values) {
  switch (field) {
  case FIELD_DTYPE: {
    const types near = nearest_types(row, values->dtype);
    values->dtype = all_types[near].q;
    values->quantize_q = all_types[near].quantize_q;
    values->k_dtype = values->v_dtype = all_types[near].kv8
                                            ? FMHAC_OPERAND_DTYPE_FP8
                                            : FMHAC_OPERAND_DTYPE_SAME;
    break;
  }
  case FIELD_HEAD_DIM_QK:
    values->head_dim_qk =
        nearest_in_range(&row->head_dim_qk, values->head_dim_qk);
    break;
  case FIELD_HEAD_DIM_V:
    values->head_dim_v = nearest_in_range(&row->head_dim_v, values->head_dim_v);
    break;
  case FIELD_MASK: {
    // Every mask but none looks back only; causal is the one nearest to it.
    bool causal = row->masks & MASK_BIT(CAUSAL);
    values->mask =
        (fmhac_mask){.kind = causal ? FMHAC_MASK_CAUSAL : FMHAC_MASK_NONE};
    break;
  }
  case FIELD_SCORES:
    values->bias = false;
    if (function_key(row, values)) {
      values->softcap = 0;
      values->alibi = false;
      values->score_mod[0] = '\0';
    }
    break;
  case FIELD_LSE:
    values->lse = false;
    fmhac_support_drop_parts(values);
    break;
  case FIELD_OUT_DTYPE:
    values->out_dtype = FMHAC_OUT_DTYPE_SAME;
    break;
  case FIELD_FACTORS:
    fmhac_support_drop_factors(values);
    break;
  case FIELD_PAGES:
    values->kv_layout = FMHAC_KV_LAYOUT_NHD;
    if (pages_key(row, values))
      fmhac_support_drop_pages(values);
    break;
  case FIELD_ROPE_DIM:
    fmhac_support_adopt_rope(row->schedule, values);
    break;
  case FIELD_V_IN_K:
    fmhac_support_put_v_in_k(values);
    break;
  case FIELD_SCHEDULE:
    snprintf(values->schedule, sizeof values->schedule, "auto");
    break;
  case FIELD_COUNT:
    break;
  }
}

/// How far a row is: fields that differ, then head sizes.
static int64_t distance(const support_row *row,
                        const fmhac_config_values *values) {
  int64_t fields = 0;
  // Another type of elements is further away than other sizes of heads, and
  // one of Q furthest.
  for (int field = 0; field < FIELD_COUNT; ++field)
    if (!matches(row, values, (support_field)field))
      fields +=
          field != FIELD_DTYPE ? 1
          : all_types[nearest_types(row, values->dtype)].q == values->dtype
              ? FIELD_COUNT
              : FIELD_COUNT + 1;
  int64_t qk = nearest_in_range(&row->head_dim_qk, values->head_dim_qk);
  int64_t v = nearest_in_range(&row->head_dim_v, values->head_dim_v);
  return fields * 100000 + llabs(qk - values->head_dim_qk) +
         llabs(v - values->head_dim_v);
}

bool fmhac_support_serves(const fmhac_config_values *values,
                          const char *schedule) {
  for (int i = 0; i < SUPPORT_ROW_COUNT; ++i)
    if (strcmp(support_rows[i].schedule, schedule) == 0 &&
        distance(&support_rows[i], values) == 0)
      return true;
  return false;
}

static const support_row *nearest_row(const fmhac_config_values *values) {
  const support_row *best = &support_rows[0];
  for (int i = 1; i < SUPPORT_ROW_COUNT; ++i)
    if (distance(&support_rows[i], values) < distance(best, values))
      best = &support_rows[i];
  return best;
}

static const char *usual_of(const fmhac_config_values *values) {
  fmhac_config_values open = *values;
  snprintf(open.schedule, sizeof open.schedule, "auto");
  return nearest_row(&open)->schedule;
}

/// The value of a field as it is written in a configuration; of factors that
/// of the key that `row` does not take.
static void print_value(const support_row *row,
                        const fmhac_config_values *values, support_field field,
                        char *text, size_t bytes) {
  text[0] = '\0';
  switch (field) {
  case FIELD_DTYPE:
    if (types_of(values) & (BF16 | F16 | FP8))
      snprintf(text, bytes, "%s", fmhac_dtype_name(values->dtype));
    else
      snprintf(text, bytes, "%s Q, %s K and %s V%s",
               fmhac_dtype_name(values->dtype),
               fmhac_operand_dtype_name(values->k_dtype, values->dtype),
               fmhac_operand_dtype_name(values->v_dtype, values->dtype),
               values->quantize_q ? " with quantize_q" : "");
    return;
  case FIELD_HEAD_DIM_QK:
    snprintf(text, bytes, "%" PRId64, values->head_dim_qk);
    return;
  case FIELD_HEAD_DIM_V:
    snprintf(text, bytes, "%" PRId64, values->head_dim_v);
    return;
  case FIELD_MASK:
    fmhac_mask_print(&values->mask, text, bytes);
    return;
  case FIELD_SCHEDULE:
    snprintf(text, bytes, "%.60s", values->schedule);
    return;
  case FIELD_OUT_DTYPE:
    snprintf(text, bytes, "%s", fmhac_config_values_out_name(values));
    return;
  case FIELD_FACTORS: {
    const char *key = factor_key(row, values);
    fmhac_granularity scale = !key            ? FMHAC_GRANULARITY_NONE
                              : key[0] == 'q' ? values->q_scale
                              : key[0] == 'k' ? values->k_scale
                                              : values->v_scale;
    if (key)
      snprintf(text, bytes, "%s",
               fmhac_option_choices(FMHAC_KIND_GRANULARITY)[scale]);
    return;
  }
  case FIELD_PAGES:
  case FIELD_SCORES:
  case FIELD_LSE:
  case FIELD_ROPE_DIM:
  case FIELD_V_IN_K:
  case FIELD_COUNT:
    return;
  }
}

/// Adds a word to a list, unless it is there.
static void add_word(char *list, size_t bytes, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at += length)
    if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ','))
      return;
  size_t used = strlen(list);
  snprintf(list + used, bytes - used, "%s%s", used ? ", " : "", word);
}

/// The values of a field that a row takes, as words of a list.
static void list_row(const support_row *row, support_field field, char *list,
                     size_t bytes) {
  char word[80];
  fmhac_config_values values = {0};
  const dim_range *range = NULL;
  switch (field) {
  case FIELD_DTYPE:
    for (int i = 0; i < TYPES_COUNT; ++i)
      if (row->dtypes >> i & 1)
        add_word(list, bytes, all_types[i].name);
    return;
  case FIELD_HEAD_DIM_QK:
    range = &row->head_dim_qk;
    break;
  case FIELD_HEAD_DIM_V:
    range = &row->head_dim_v;
    break;
  case FIELD_MASK:
    for (int kind = 0; kind <= FMHAC_MASK_CHUNKED; ++kind) {
      if (!(row->masks & (1u << kind)))
        continue;
      values.mask.kind = (fmhac_mask_kind)kind;
      print_value(row, &values, field, word, sizeof word);
      if (kind == FMHAC_MASK_WINDOW)
        snprintf(word, sizeof word, "window:L,R");
      if (kind == FMHAC_MASK_CHUNKED)
        snprintf(word, sizeof word, "chunked:N");
      add_word(list, bytes, word);
    }
    return;
  case FIELD_SCHEDULE:
    add_word(list, bytes, row->schedule);
    return;
  case FIELD_OUT_DTYPE:
    for (const char *const *names = fmhac_option_choices(FMHAC_KIND_OUT_DTYPE);
         *names; ++names)
      if ((row->dtypes & FP8 && fmhac_support_stores_fp8(row->schedule)) ||
          strcmp(*names, "fp8") != 0)
        add_word(list, bytes, *names);
    return;
  default: // no list
    return;
  }
  snprintf(word, sizeof word,
           "multiples of %" PRId64 " in %" PRId64 "..%" PRId64, range->step,
           range->low, range->high);
  add_word(list, bytes, word);
}

/// The values of a field that some row takes: "none, causal". Of head sizes the
/// widest range of rows with this type.
static void list_values(const fmhac_config_values *values, support_field field,
                        char *list, size_t bytes) {
  list[0] = '\0';
  bool is_size = field == FIELD_HEAD_DIM_QK || field == FIELD_HEAD_DIM_V;
  int widest = -1;
  for (int i = 0; i < SUPPORT_ROW_COUNT && is_size; ++i)
    if (matches(&support_rows[i], values, FIELD_DTYPE) &&
        (widest < 0 || support_rows[i].head_dim_qk.high >
                           support_rows[widest].head_dim_qk.high))
      widest = i;
  for (int i = 0; i < SUPPORT_ROW_COUNT; ++i)
    if (!is_size || i == widest)
      list_row(&support_rows[i], field, list, bytes);
}

/// True if some row takes the value of the field, whatever else it asks for.
static bool is_listed(const fmhac_config_values *values, support_field field) {
  const bool is_size = field == FIELD_HEAD_DIM_QK || field == FIELD_HEAD_DIM_V;
  for (int i = 0; i < SUPPORT_ROW_COUNT; ++i)
    if (field == FIELD_SCHEDULE
            ? strcmp(support_rows[i].schedule, values->schedule) == 0
            : matches(&support_rows[i], values, field) &&
                  (!is_size || matches(&support_rows[i], values, FIELD_DTYPE)))
      return true;
  return false;
}

/// The first field that keeps a row from a configuration; FIELD_COUNT: none.
static support_field first_obstacle(const support_row *row,
                                    const fmhac_config_values *values) {
  int field = 0;
  while (field < FIELD_COUNT && matches(row, values, (support_field)field))
    ++field;
  return (support_field)field;
}

/// What a message calls a field that has the name `key`: several types go
/// together.
static const char *spoken(const char *key) {
  return strcmp(key, "k_dtype") == 0   ? "types (k_dtype)"
         : strcmp(key, "v_dtype") == 0 ? "types (v_dtype)"
                                       : key;
}

static void name_field(const support_row *row,
                       const fmhac_config_values *values, support_field field,
                       fmhac_support *out_support) {
  const fmhac_operand_dtype same = FMHAC_OPERAND_DTYPE_SAME;
  const char *key = field == FIELD_SCORES    ? function_key(row, values)
                    : field == FIELD_FACTORS ? factor_key(row, values)
                    : field == FIELD_PAGES   ? pages_key(row, values)
                    : field == FIELD_LSE && !values->lse ? "split_kv"
                                                         : field_keys[field];
  if (field == FIELD_DTYPE && values->k_dtype != same)
    key = "k_dtype";
  else if (field == FIELD_DTYPE && values->v_dtype != same)
    key = "v_dtype";
  snprintf(out_support->field, sizeof out_support->field, "%s", key ? key : "");
}

/// The obstacle for a schedule that the user named, if another one serves the
/// configuration.
static void explain_schedule(const fmhac_config_values *values,
                             fmhac_support *out_support) {
  const support_row *row = NULL;
  for (int i = 0; i < SUPPORT_ROW_COUNT; ++i)
    if (strcmp(support_rows[i].schedule, values->schedule) == 0 &&
        (!row || distance(&support_rows[i], values) < distance(row, values)))
      row = &support_rows[i];
  if (!row)
    return;
  support_field field = first_obstacle(row, values);
  if (field == FIELD_COUNT)
    return;
  name_field(row, values, field, out_support);
  char found[64], list[112] = "";
  print_value(row, values, field, found, sizeof found);
  if (field == FIELD_PAGES && page_step(row, values) > ANY_PAGES &&
      strcmp(out_support->field, "page_size") == 0) {
    snprintf(out_support->reason, sizeof out_support->reason,
             "schedule %s takes a page_size in multiples of %" PRIu32
             " with the other keys as given, found %" PRId64,
             row->schedule, page_step(row, values), values->page_size);
    return;
  }
  if (field == FIELD_FACTORS && splits(values) &&
      row->factors >> BLOCKS_SHIFT && strcmp(found, "block") == 0) {
    snprintf(out_support->reason, sizeof out_support->reason,
             "schedule %s takes %s by block only without split_kv: parts of "
             "keys beside it need more registers than there are",
             row->schedule, out_support->field);
    return;
  }
  if (field == FIELD_FACTORS && row->factors >> BLOCKS_SHIFT &&
      out_support->field[0] != 'q' && strcmp(found, "block") == 0 &&
      !takes_blocks(row->factors, values)) {
    snprintf(out_support->reason, sizeof out_support->reason,
             "schedule %s takes %s by %s only of a multiple of %" PRIu32
             " keys, found %" PRId64,
             row->schedule, out_support->field,
             values->page_size ? "page" : "block", row->factors >> BLOCKS_SHIFT,
             values->page_size ? values->page_size : values->scale_block);
    return;
  }
  if (field == FIELD_ROPE_DIM) {
    fmhac_support_explain_rope(row->schedule, values, out_support->reason,
                               sizeof out_support->reason);
    return;
  }
  if (field == FIELD_SCORES || field == FIELD_LSE || field == FIELD_FACTORS ||
      field == FIELD_PAGES) {
    snprintf(out_support->reason, sizeof out_support->reason,
             "schedule %s takes no %s%s%s%s", row->schedule, out_support->field,
             found[0] ? " by " : "", found,
             field == FIELD_PAGES ? " with the other keys as given" : "");
    return;
  }
  if (field == FIELD_V_IN_K) {
    snprintf(out_support->reason, sizeof out_support->reason,
             "schedule %s has no room for a V of its own: expected v_in_k, "
             "found none",
             row->schedule);
    return;
  }
  for (int i = 0; i < SUPPORT_ROW_COUNT; ++i)
    if (field == FIELD_DTYPE
            ? strcmp(support_rows[i].schedule, row->schedule) == 0
            : &support_rows[i] == row)
      list_row(&support_rows[i], field, list, sizeof list);
  snprintf(out_support->reason, sizeof out_support->reason,
           "schedule %.40s serves %.20s %.90s, found %.60s", row->schedule,
           spoken(out_support->field), list, found);
}

/// The obstacle if `row` is the nearest row.
static void explain_row(const support_row *row,
                        const fmhac_config_values *values,
                        fmhac_support *out_support) {
  support_field field = first_obstacle(row, values);
  if (field == FIELD_COUNT)
    return;
  char found[64], list[112];
  print_value(row, values, field, found, sizeof found);
  list_values(values, field, list, sizeof list);
  name_field(row, values, field, out_support);
  if (field == FIELD_ROPE_DIM)
    fmhac_support_explain_rope(row->schedule, values, out_support->reason,
                               sizeof out_support->reason);
  else if (field == FIELD_SCORES || field == FIELD_LSE ||
           field == FIELD_FACTORS || field == FIELD_PAGES)
    snprintf(out_support->reason, sizeof out_support->reason,
             "%s%s%s: no schedule takes it with the other keys as given",
             out_support->field, found[0] ? " by " : "", found);
  else
    snprintf(out_support->reason, sizeof out_support->reason,
             "%.20s %s: this build compiles %s%s", spoken(out_support->field),
             found, list,
             field == FIELD_OUT_DTYPE ? ", the last with fp8 Q or quantize_q"
             : is_listed(values, field)
                 ? ", but not with the other keys as given"
                 : "");
}

/// The obstacle for a configuration that no row serves.
static void explain(const fmhac_config_values *values,
                    fmhac_support *out_support) {
  fmhac_config_values open = *values;
  if (!fmhac_schedule_is_path(values->schedule))
    snprintf(open.schedule, sizeof open.schedule, "auto");
  const support_row *row = nearest_row(&open);
  if (distance(row, &open) == 0)
    explain_schedule(values, out_support);
  else
    explain_row(row, &open, out_support);
}

/// Writes the configuration that `values` are nearest to.
static fmhac_status print_nearest(fmhac_context *context,
                                  const support_row *row,
                                  fmhac_config_values near,
                                  fmhac_support *out_support) {
  fmhac_support_reset_reserved(&near);
  if (fmhac_work_refusal(&near))
    near.work = FMHAC_WORK_LIST;
  if (fmhac_latent_refusal(&near))
    near.kv_layout = FMHAC_KV_LAYOUT_NHD;
  for (int field = 0; field < FIELD_COUNT; ++field)
    if (!matches(row, &near, (support_field)field))
      adopt(row, (support_field)field, &near);
  near.v_in_k &= near.head_dim_v <= fmhac_columns_of_k(&near);
  fmhac_latent_make_room(&near);
  char *text = fmhac_config_values_print_changes(&near);
  if (text && strlen(text) >= sizeof out_support->nearest) {
    // Only long file names can be too long; half a JSON text helps nobody.
    snprintf(near.schedule, sizeof near.schedule, "auto");
    near.score_mod[0] = '\0';
    free(text);
    text = fmhac_config_values_print_changes(&near);
  }
  if (!text)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "query: no memory for the nearest configuration");
  snprintf(out_support->nearest, sizeof out_support->nearest, "%s", text);
  free(text);
  return FMHAC_OK;
}

/// Of values that name one schedule, or leave it open.
static fmhac_status find_one(fmhac_context *context,
                             const fmhac_config_values *values,
                             fmhac_support *out_support) {
  *out_support = (fmhac_support){.size = sizeof *out_support};
  fmhac_status status = fmhac_check_schedule_name(context, values->schedule);
  if (status != FMHAC_OK)
    return status;
  const support_row *row = nearest_row(values);
  const fmhac_option_row *reserved = fmhac_find_reserved(values);
  const bool path = fmhac_schedule_is_path(values->schedule);
  snprintf(out_support->schedule, sizeof out_support->schedule, "%.255s",
           path ? values->schedule : row->schedule);
  const char *no_work = fmhac_work_refusal(values);
  const char *why_not = no_work ? no_work : fmhac_latent_refusal(values);
  out_support->supported = !reserved && !why_not && distance(row, values) == 0;
  if (out_support->supported)
    return FMHAC_OK;
  if (reserved) {
    snprintf(out_support->field, sizeof out_support->field, "%s",
             reserved->info.key);
    snprintf(out_support->reason, sizeof out_support->reason,
             "%s is a reserved name that this build does not compile yet",
             reserved->info.key);
  } else if (why_not) {
    snprintf(out_support->field, sizeof out_support->field, "%s",
             no_work ? "work" : fmhac_latent_field(values));
    snprintf(out_support->reason, sizeof out_support->reason, "%s", why_not);
  } else {
    explain(values, out_support);
  }
  return print_nearest(context, row, *values, out_support);
}

fmhac_status fmhac_support_find(fmhac_context *context,
                                const fmhac_config_values *values,
                                const fmhac_schedule_list *schedules,
                                fmhac_support *out_support,
                                const char **out_usual) {
  if (out_usual)
    *out_usual = NULL;
  if (values->role != FMHAC_ROLE_ATTENTION)
    return fmhac_support_find_role(context, values, out_support);
  fmhac_str list = {0};
  // The first schedule that does not serve is the answer for all.
  for (size_t i = 0; i < schedules->count; ++i) {
    const fmhac_schedule_item *item = &schedules->items[i];
    fmhac_config_values one = *values;
    memset(one.schedule, 0, sizeof one.schedule);
    strcpy(one.schedule, item->name);
    fmhac_status status = find_one(context, &one, out_support);
    if (status != FMHAC_OK || !out_support->supported) {
      fmhac_str_deinit(&list);
      return status;
    }
    fmhac_schedule_list_append(item->name, item->when, &list);
  }
  if (schedules->count > 1)
    snprintf(out_support->schedule, sizeof out_support->schedule, "%.255s",
             list.text ? list.text : "");
  fmhac_str_deinit(&list);
  if (out_usual)
    *out_usual = usual_of(values);
  return FMHAC_OK;
}
