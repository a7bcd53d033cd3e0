// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The form of a cell.
typedef enum cell_form {
  FORM_TEXT,  ///< of a measurement: none of the conditions below
  FORM_TYPES, ///< a set of types, each alone or as Q/K/V
  FORM_RANGE, ///< "128", "65-128", "*"
  FORM_SET    ///< "none|causal", "*"
} cell_form;

typedef struct column_info {
  const char *name;
  cell_form form;
  const char *fallback; ///< NULL: every table has the column
  int64_t low, high;    ///< of a RANGE
  const char *noun;     ///< of what a RANGE is, or NULL
  const char *size; ///< of a problem, that it bounds (launch_expr.h), or NULL
  const char *unit; ///< what bounds are multiplied by: " * Hk", or NULL
} column_info;

static const column_info columns[FMHAC_COLUMNS] = {
    [FMHAC_COLUMN_DTYPE] = {.name = "dtype", .form = FORM_TYPES},
    [FMHAC_COLUMN_HEAD_DIM_QK] = {.name = "head_dim_qk",
                                  .form = FORM_RANGE,
                                  .low = 1,
                                  .high = 1024,
                                  .noun = "head size"},
    [FMHAC_COLUMN_HEAD_DIM_V] = {.name = "head_dim_v",
                                 .form = FORM_RANGE,
                                 .low = 1,
                                 .high = 1024,
                                 .noun = "head size"},
    [FMHAC_COLUMN_MASK] = {.name = "mask", .form = FORM_SET},
    [FMHAC_COLUMN_SCORES] = {.name = "scores", .form = FORM_SET},
    [FMHAC_COLUMN_PAGE_SIZE] = {.name = "page_size",
                                .form = FORM_RANGE,
                                .fallback = "*",
                                .high = 65536,
                                .noun = "number of keys"},
    [FMHAC_COLUMN_SCALES] = {.name = "scales",
                             .form = FORM_SET,
                             .fallback = "*"},
    [FMHAC_COLUMN_QUANTIZE_Q] = {.name = "quantize_q",
                                 .form = FORM_SET,
                                 .fallback = "*"},
    [FMHAC_COLUMN_SPLIT_KV] = {.name = "split_kv",
                               .form = FORM_SET,
                               .fallback = "*"},
    // The most keys that a row sees: the mask's, or Sk, which the condition
    // asks for. (A row of causal-top-left sees min(Sq, Sk).)
    [FMHAC_COLUMN_KEYS] = {.name = "keys",
                           .form = FORM_RANGE,
                           .fallback = "*",
                           .low = 1,
                           .high = INT32_MAX,
                           .noun = "number of keys",
                           .size = "Sk"},
    [FMHAC_COLUMN_Q_ROWS] = {.name = "q_rows",
                             .form = FORM_RANGE,
                             .fallback = "*",
                             .low = 1,
                             .high = INT32_MAX,
                             .noun = "number of rows of Q",
                             .size = "Sq"},
    // Those that schedules with rows = group have in tiles.
    [FMHAC_COLUMN_GROUP_ROWS] = {.name = "group_rows",
                                 .form = FORM_RANGE,
                                 .fallback = "*",
                                 .low = 1,
                                 .high = INT32_MAX,
                                 .noun = "number of rows of Q of all heads "
                                         "that share one of K and V",
                                 .size = "Sq * Hq",
                                 .unit = " * Hk"},
    // Of one tile of rows of Q: heads of all batches.
    [FMHAC_COLUMN_WORKGROUPS] = {.name = "workgroups",
                                 .form = FORM_RANGE,
                                 .fallback = "*",
                                 .low = 1,
                                 .high = INT32_MAX,
                                 .noun = "number of heads of all batches",
                                 .size = "B * Hq"},
    [FMHAC_COLUMN_SCHEDULE] = {.name = "schedule"},
    [FMHAC_COLUMN_SECONDS] = {.name = "seconds"},
    [FMHAC_COLUMN_CYCLES] = {.name = "cycles"},
    [FMHAC_COLUMN_OTHER] = {.name = "other"},
    [FMHAC_COLUMN_OTHER_SECONDS] = {.name = "other_seconds"},
    [FMHAC_COLUMN_OTHER_CYCLES] = {.name = "other_cycles"},
    [FMHAC_COLUMN_PROBLEM] = {.name = "problem"},
};

const char *fmhac_column_name(fmhac_column column) {
  return columns[column].name;
}

const char *fmhac_column_default(fmhac_column column) {
  return columns[column].fallback;
}

//===- Words --------------------------------------------------------------===//

static const char *const no_words[] = {NULL};
// The numbers of fmhac_mask_kind.
static const char *const mask_words[] = {"none",   "causal",  "causal-top-left",
                                         "window", "chunked", NULL};
// The last stands for all but the first.
static const char *const score_words[] = {
    "plain", "softcap", "alibi", "bias", "score_mod", "functions", NULL};
static const char *const switch_words[] = {"no", "yes", NULL};
enum { SCORES_BYTES = 40 }; // for every function
enum { PLAIN = 1, FUNCTIONS = 2 | 4 | 8 | 16, ALL_FUNCTIONS = 32 };

/// The words of a set, ended by NULL.
static const char *const *words_of(fmhac_column column) {
  switch (column) {
  case FMHAC_COLUMN_DTYPE: // without "same"
    return fmhac_option_choices(FMHAC_KIND_KV_DTYPE) + 1;
  case FMHAC_COLUMN_MASK:
    return mask_words;
  case FMHAC_COLUMN_SCORES:
    return score_words;
  case FMHAC_COLUMN_SCALES:
    return fmhac_option_choices(FMHAC_KIND_GRANULARITY);
  case FMHAC_COLUMN_QUANTIZE_Q:
    return switch_words;
  case FMHAC_COLUMN_SPLIT_KV:
    return fmhac_option_choices(FMHAC_KIND_SPLIT_KV);
  default:
    return no_words;
  }
}

static size_t count_of(const char *const *words) {
  size_t count = 0;
  while (words[count])
    ++count;
  return count;
}

/// The number of a word among `words`; -1 if it is none of them.
static int find_word(const char *const *words, const char *text,
                     size_t length) {
  for (int i = 0; words[i]; ++i)
    if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0)
      return i;
  return -1;
}

/// The bit of "bf16", of Q, K and V alike, or of "bf16/fp8/fp8"; 0: of neither.
static uint64_t type_bit(const char *const *words, const char *text,
                         size_t length) {
  enum { OPERANDS = 3 };
  const uint32_t types = (uint32_t)count_of(words);
  uint32_t number = 0;
  for (int operand = 0; operand < OPERANDS; ++operand) {
    const char *slash = memchr(text, '/', length);
    const size_t bytes = slash ? (size_t)(slash - text) : length;
    const int type = find_word(words, text, bytes);
    // A type alone is that of all three.
    const bool alone = operand == 0 && !slash;
    if (type < 0 || (!alone && !slash != (operand == OPERANDS - 1)))
      return 0;
    if (alone)
      return 1ull << ((uint32_t)type * (types * types + types + 1));
    number = number * types + (uint32_t)type;
    text += bytes + (slash != NULL);
    length -= bytes + (slash != NULL);
  }
  return 1ull << number;
}

/// A set of the column's words; 0 if the cell has another word.
static uint64_t read_set(fmhac_column column, const char *cell) {
  enum { SET_BITS = 64 };
  const char *const *words = words_of(column);
  const bool of_types = columns[column].form == FORM_TYPES;
  const size_t count = count_of(words);
  const size_t bits = of_types ? count * count * count : count;
  if (strcmp(cell, "*") == 0)
    return UINT64_MAX >> (SET_BITS - bits);
  uint64_t set = 0;
  for (const char *bar; cell; cell = bar ? bar + 1 : NULL) {
    bar = strchr(cell, '|');
    const char *word = cell;
    size_t length = bar ? (size_t)(bar - cell) : strlen(cell);
    fmhac_trim(&word, &length);
    const int number = of_types ? 0 : find_word(words, word, length);
    const uint64_t bit = of_types     ? type_bit(words, word, length)
                         : number < 0 ? 0
                                      : 1ull << number;
    if (!bit)
      return 0;
    set |= bit;
  }
  return set;
}

//===- Cells --------------------------------------------------------------===//

/// Reads a number of `length` digits; false if it is none, or not in the range.
static bool read_integer(const char *text, size_t length,
                         const column_info *info, int64_t *out) {
  enum { MOST_DIGITS = 10 };
  fmhac_trim(&text, &length);
  if (!length || length > MOST_DIGITS)
    return false;
  *out = 0;
  for (size_t i = 0; i < length; ++i) {
    if (text[i] < '0' || text[i] > '9')
      return false;
    *out = *out * 10 + (text[i] - '0');
  }
  return *out >= info->low && *out <= info->high;
}

static bool read_range(const column_info *info, const char *cell,
                       fmhac_condition *out) {
  out->range.low = info->low;
  out->range.high = info->high;
  if (strcmp(cell, "*") == 0)
    return true;
  const char *dash = strchr(cell, '-');
  const char *high = dash ? dash + 1 : cell;
  return read_integer(cell, dash ? (size_t)(dash - cell) : strlen(cell), info,
                      &out->range.low) &&
         read_integer(high, strlen(high), info, &out->range.high) &&
         out->range.low <= out->range.high;
}

bool fmhac_condition_read(fmhac_column column, const char *cell,
                          fmhac_condition *out) {
  *out = (fmhac_condition){0};
  switch (columns[column].form) {
  case FORM_RANGE:
    return read_range(&columns[column], cell, out);
  case FORM_TYPES:
  case FORM_SET:
    out->set = read_set(column, cell);
    if (column == FMHAC_COLUMN_SCORES && (out->set & ALL_FUNCTIONS))
      out->set = (out->set & PLAIN) | FUNCTIONS;
    return out->set != 0;
  case FORM_TEXT:
    break;
  }
  return false;
}

void fmhac_condition_describe(fmhac_column column, fmhac_str *out) {
  const cell_form form = columns[column].form;
  if (form == FORM_RANGE) {
    fmhac_str_appendf(out,
                      "*, a %s or two of them, LOW-HIGH with %" PRId64
                      " <= LOW <= HIGH <= %" PRId64,
                      columns[column].noun, columns[column].low,
                      columns[column].high);
    return;
  }
  const char *const *words = words_of(column);
  fmhac_str_append(out, "* or some of ");
  for (size_t i = 0; words[i]; ++i)
    fmhac_str_appendf(out, "%s%s", i ? "|" : "", words[i]);
  if (form == FORM_TYPES)
    fmhac_str_append(out, ", each alone or as Q/K/V");
}

/// The granularities of the factors in use, with | between them; or "none".
static void print_scales(const fmhac_config_values *values, fmhac_str *out) {
  const char *const *words = words_of(FMHAC_COLUMN_SCALES);
  const fmhac_granularity scales[] = {values->q_scale, values->k_scale,
                                      values->v_scale};
  uint32_t set = 0;
  for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i)
    set |= 1u << scales[i];
  const char *before = "";
  for (size_t i = 1; words[i]; ++i) {
    if (!(set >> i & 1))
      continue;
    fmhac_str_appendf(out, "%s%s", before, words[i]);
    before = "|";
  }
  if (!before[0])
    fmhac_str_append(out, words[FMHAC_GRANULARITY_NONE]);
}

/// The functions that scores pass through before the softmax: "plain", or
/// "softcap|alibi".
static void print_scores(const fmhac_config_values *values,
                         char out_words[SCORES_BYTES]) {
  snprintf(out_words, SCORES_BYTES, "%s%s%s%s",
           values->softcap > 0 ? "|softcap" : "", values->alibi ? "|alibi" : "",
           values->bias ? "|bias" : "",
           values->score_mod[0] ? "|score_mod" : "");
  if (out_words[0])
    memmove(out_words, out_words + 1, strlen(out_words));
  else
    strcpy(out_words, "plain");
}

void fmhac_condition_print(fmhac_column column,
                           const fmhac_config_values *values, fmhac_str *out) {
  char scores[SCORES_BYTES];
  switch (column) {
  case FMHAC_COLUMN_DTYPE:
    fmhac_str_append(out, fmhac_dtype_name(values->dtype));
    if (values->k_dtype != FMHAC_OPERAND_DTYPE_SAME ||
        values->v_dtype != FMHAC_OPERAND_DTYPE_SAME)
      fmhac_str_appendf(
          out, "/%s/%s",
          fmhac_operand_dtype_name(values->k_dtype, values->dtype),
          fmhac_operand_dtype_name(values->v_dtype, values->dtype));
    break;
  case FMHAC_COLUMN_HEAD_DIM_QK:
    fmhac_str_appendf(out, "%" PRId64, values->head_dim_qk);
    break;
  case FMHAC_COLUMN_HEAD_DIM_V:
    fmhac_str_appendf(out, "%" PRId64, values->head_dim_v);
    break;
  case FMHAC_COLUMN_MASK:
    fmhac_str_append(out, mask_words[values->mask.kind]);
    break;
  case FMHAC_COLUMN_SCORES:
    print_scores(values, scores);
    fmhac_str_append(out, scores);
    break;
  case FMHAC_COLUMN_PAGE_SIZE:
    fmhac_str_appendf(out, "%" PRId64, values->page_size);
    break;
  case FMHAC_COLUMN_SCALES:
    print_scales(values, out);
    break;
  case FMHAC_COLUMN_QUANTIZE_Q:
    fmhac_str_append(out, switch_words[values->quantize_q]);
    break;
  case FMHAC_COLUMN_SPLIT_KV:
    fmhac_str_append(out, words_of(column)[values->split_kv]);
    break;
  default:
    fmhac_str_append(out, "*");
  }
}

bool fmhac_condition_takes(fmhac_column column, const fmhac_condition *row,
                           const fmhac_condition *own) {
  switch (columns[column].form) {
  case FORM_RANGE:
    return row->range.low <= own->range.low &&
           own->range.high <= row->range.high;
  default:
    return !(own->set & ~row->set);
  }
}

bool fmhac_conditions_overlap(fmhac_column column, const fmhac_condition *a,
                              const fmhac_condition *b) {
  switch (columns[column].form) {
  case FORM_RANGE:
    return a->range.low <= b->range.high && b->range.low <= a->range.high;
  default:
    return a->set & b->set;
  }
}

bool fmhac_condition_is_wider(fmhac_column column, const fmhac_condition *a,
                              const fmhac_condition *b) {
  return columns[column].size && a->range.low <= b->range.low &&
         a->range.high >= b->range.high &&
         (a->range.low < b->range.low || a->range.high > b->range.high);
}

//===- Problems -----------------------------------------------------------===//

/// The most keys that the mask leaves to a row.
static int64_t keys_of_mask(const fmhac_mask *mask) {
  switch (mask->kind) {
  case FMHAC_MASK_CHUNKED:
    return mask->chunk;
  case FMHAC_MASK_WINDOW:
    if (mask->window_left >= 0 && mask->window_right >= 0 &&
        mask->window_left + mask->window_right < INT32_MAX)
      return mask->window_left + mask->window_right + 1;
    break;
  case FMHAC_MASK_NONE:
  case FMHAC_MASK_CAUSAL:
  case FMHAC_MASK_CAUSAL_TOP_LEFT:
    break;
  }
  return INT32_MAX;
}

/// The largest size of a problem that the configuration allows.
static int64_t most_of(fmhac_column column, const fmhac_config_values *values) {
  if (column == FMHAC_COLUMN_KEYS)
    return keys_of_mask(&values->mask);
  if (column == FMHAC_COLUMN_Q_ROWS && values->max_seqlen_q)
    return values->max_seqlen_q;
  return columns[column].high;
}

bool fmhac_condition_ask(fmhac_column column, const fmhac_condition *row,
                         const fmhac_config_values *values, fmhac_str *out) {
  const column_info *info = &columns[column];
  const int64_t most = most_of(column, values);
  const char *unit = info->unit ? info->unit : "";
  if (most < row->range.low)
    return false;
  if (row->range.low > info->low)
    fmhac_str_appendf(out, "%s%" PRId64 "%s <= %s", out->length ? " and " : "",
                      row->range.low, unit, info->size);
  if (row->range.high < most)
    fmhac_str_appendf(out, "%s%s <= %" PRId64 "%s", out->length ? " and " : "",
                      info->size, row->range.high, unit);
  return true;
}
