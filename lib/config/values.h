// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The values of the option table, one by one: text and numbers to values,
/// defaults, spelling of masks.
#ifndef FMHAC_LIB_VALUES_H
#define FMHAC_LIB_VALUES_H

#include "config.h"

/// The largest bound of a window, and chunk.
enum { FMHAC_MAX_MASK_KEYS = INT32_MAX };

/// Room for a value of any kind.
typedef union fmhac_any_value {
  fmhac_mask mask;
  double real;
  int64_t integer;
  int choice;
  bool on;
  fmhac_value_TEXT text;
} fmhac_any_value;

/// Stores the value that a text means; false if it means none.
bool fmhac_value_parse_text(const fmhac_option_row *row, const char *text,
                            void *place);
/// Stores a number; false if it is out of the row's bounds.
bool fmhac_value_parse_number(const fmhac_option_row *row, double number,
                              void *place);
/// The first reserved key that is not at its default, or NULL.
const fmhac_option_row *fmhac_find_reserved(const fmhac_config_values *values);
/// Whether a value is its row's default; one that is not stored counts so.
bool fmhac_value_is_default(const fmhac_config_values *values,
                            const fmhac_option_row *row);

#endif // FMHAC_LIB_VALUES_H
