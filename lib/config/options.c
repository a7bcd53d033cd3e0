// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The option table: config.def as data, for the parser and for the callers that
// build flags and help from it.
#include <float.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "fmhac_options.h"
#include "values.h"

static const char *const dtype_names[] = {"bf16", "f16", "fp8", NULL};
static const char *const operand_dtype_names[] = {"same", "bf16", "f16",
                                                  "fp8",  "bf8",  NULL};
// As those of K and V, without the last.
static const char *const q_dtype_names[] = {"same", "bf16", "f16", "fp8", NULL};
static const char *const out_dtype_names[] = {"same", "bf16", "f16",
                                              "f32",  "fp8",  NULL};
static const char *const layout_names[] = {"bshd", "bhsd", "packed-qkv",
                                           "interleaved-kv", NULL};
static const char *const granularity_names[] = {"none",  "tensor", "head",
                                                "token", "block",  NULL};
static const char *const split_kv_names[] = {"none", "auto", "fixed", NULL};
static const char *const kv_layout_names[] = {"nhd", "hnd", "vectorised", NULL};
static const char *const work_names[] = {"grid", "list", "queue",
                                         "auto", "runs", NULL};
static const char *const kv_lengths_names[] = {"all", "cached", NULL};
static const char *const role_names[] = {"attention", "combine", "merge",
                                         "plan", NULL};

// Of a row of the problem, by `works`; see config.h.
#define OFFSET_0(key) offsetof(fmhac_config_values, key)
#define OFFSET_1(key) FMHAC_NOT_STORED

#define IS_SWITCH(kind) (FMHAC_KIND_##kind == FMHAC_KIND_SWITCH)

// A row of the table. Its last arguments are the keys that a shorthand sets.
#define ROW(key_, kind_, fallback_, low_, high_, unit_, metavar_, works_,      \
            help_, is_problem_, offset_, shorthand_for_, ...)                  \
  {.info = {.key = #key_,                                                      \
            .metavar = metavar_,                                               \
            .help = help_,                                                     \
            .fallback = fallback_,                                             \
            .shorthand_for = shorthand_for_,                                   \
            .is_switch = IS_SWITCH(kind_),                                     \
            .is_integer = FMHAC_KIND_##kind_ == FMHAC_KIND_INTEGER,            \
            .is_real = FMHAC_KIND_##kind_ == FMHAC_KIND_REAL,                  \
            .is_problem = is_problem_,                                         \
            .works = works_},                                                  \
   .kind = FMHAC_KIND_##kind_,                                                 \
   .offset = offset_,                                                          \
   .low = low_,                                                                \
   .high = high_,                                                              \
   .unit = unit_,                                                              \
   .shorthand = {__VA_ARGS__}},

static const fmhac_option_row option_rows[] = {
#define FMHAC_OPTION(key_, kind_, fallback_, low_, high_, unit_, metavar_,     \
                     works_, help_)                                            \
  ROW(key_, kind_, IS_SWITCH(kind_) ? "" : fallback_, low_, high_, unit_,      \
      metavar_, works_, help_, false, offsetof(fmhac_config_values, key_), "", \
      NULL)
#define FMHAC_PROBLEM(key_, kind_, fallback_, low_, high_, unit_, metavar_,    \
                      works_, help_)                                           \
  ROW(key_, kind_, fallback_, low_, high_, unit_, metavar_, works_, help_,     \
      true, OFFSET_##works_(key_), "", NULL)
#define FMHAC_SHORTHAND(key_, first_, second_, low_, high_, unit_, metavar_,   \
                        is_problem_, help_)                                    \
  ROW(key_, INTEGER, "", low_, high_, unit_, metavar_, true, help_,            \
      is_problem_, FMHAC_NOT_STORED, #first_ " " #second_, #first_, #second_)
#include "config.def"
};

static const size_t option_row_count =
    sizeof option_rows / sizeof option_rows[0];

const fmhac_option_row *fmhac_option_rows(size_t *out_count) {
  *out_count = option_row_count;
  return option_rows;
}

const fmhac_option_row *fmhac_option_find(const char *key) {
  for (size_t i = 0; i < option_row_count; ++i)
    if (strcmp(option_rows[i].info.key, key) == 0)
      return &option_rows[i];
  return NULL;
}

const char *const *fmhac_option_choices(fmhac_option_kind kind) {
  static const char *const *const choices[FMHAC_KIND_STRIDES + 1] = {
      [FMHAC_KIND_DTYPE] = dtype_names,
      [FMHAC_KIND_Q_DTYPE] = q_dtype_names,
      [FMHAC_KIND_KV_DTYPE] = operand_dtype_names,
      [FMHAC_KIND_OUT_DTYPE] = out_dtype_names,
      [FMHAC_KIND_LAYOUT] = layout_names,
      [FMHAC_KIND_GRANULARITY] = granularity_names,
      [FMHAC_KIND_SPLIT_KV] = split_kv_names,
      [FMHAC_KIND_KV_LAYOUT] = kv_layout_names,
      [FMHAC_KIND_KV_LENGTHS] = kv_lengths_names,
      [FMHAC_KIND_WORK] = work_names,
      [FMHAC_KIND_ROLE] = role_names};
  return choices[kind];
}

size_t fmhac_option_count(void) { return option_row_count; }

const fmhac_option_info *fmhac_option_get(size_t index) {
  return index < option_row_count ? &option_rows[index].info : NULL;
}

const char *fmhac_dtype_name(fmhac_dtype dtype) {
  return (unsigned)dtype <= FMHAC_DTYPE_FP8 ? dtype_names[dtype] : NULL;
}

const char *fmhac_operand_dtype_name(fmhac_operand_dtype own,
                                     fmhac_dtype dtype) {
  return own == FMHAC_OPERAND_DTYPE_SAME ? fmhac_dtype_name(dtype)
                                         : operand_dtype_names[own];
}

const char *fmhac_role_name(fmhac_role role) {
  return (unsigned)role < FMHAC_ROLES ? role_names[role] : NULL;
}

const fmhac_option_row *fmhac_find_reserved(const fmhac_config_values *values) {
  size_t count;
  const fmhac_option_row *rows = fmhac_option_rows(&count);
  for (size_t i = 0; i < count; ++i)
    if (!rows[i].info.works && !fmhac_value_is_default(values, &rows[i]))
      return &rows[i];
  return NULL;
}

const char *fmhac_config_values_out_name(const fmhac_config_values *values) {
  if (values->out_dtype != FMHAC_OUT_DTYPE_SAME)
    return out_dtype_names[values->out_dtype];
  return values->dtype == FMHAC_DTYPE_FP8 ? "bf16" : dtype_names[values->dtype];
}

/// Of Q, K or V, as fmhac_operand_dtype_name().
static uint32_t operand_bytes(fmhac_operand_dtype own, fmhac_dtype dtype) {
  static const uint32_t bytes[] = {
      [FMHAC_OPERAND_DTYPE_BF16] = 2,
      [FMHAC_OPERAND_DTYPE_F16] = 2,
      [FMHAC_OPERAND_DTYPE_FP8] = 1,
      [FMHAC_OPERAND_DTYPE_BF8] = 1,
  };
  return bytes[own == FMHAC_OPERAND_DTYPE_SAME ? (int)dtype + 1 : (int)own];
}

fmhac_element_bytes
fmhac_config_values_element_bytes(const fmhac_config_values *values) {
  return (fmhac_element_bytes){
      .q = operand_bytes(values->q_dtype, values->dtype),
      .k = operand_bytes(values->k_dtype, values->dtype),
      .v = operand_bytes(values->v_dtype, values->dtype),
      .o = values->out_dtype == FMHAC_OUT_DTYPE_F32   ? 4
           : values->out_dtype == FMHAC_OUT_DTYPE_FP8 ? 1
                                                      : 2};
}
