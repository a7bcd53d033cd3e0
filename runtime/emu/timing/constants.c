// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of constants, as a struct and as rows, and a user's changes to it.
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "sized_struct.h"
#include "timing.h"

#define DOCUMENTED "documented"
#define MEASURED "measured"
#define FITTED "fitted"
#define ASSUMED "assumed"

static const struct {
  fmhac_timing_constant row;
  size_t offset;
} k_rows[] = {
#define TIMING(name, value, unit, status, source)                              \
  {{sizeof(fmhac_timing_constant), #name, value, #unit, status, source},       \
   offsetof(emu_time_constants, name)},
#include "timing.def"
#undef TIMING
};
enum { ROWS = sizeof k_rows / sizeof *k_rows };

static double *value_of(emu_time_constants *k, size_t row) {
  return (double *)(void *)((char *)k + k_rows[row].offset);
}

/// The range of values of a unit. Times and shares may be 0; counts that must
/// not be 0 are at least 1. The upper bound is the capacity of the model.
static const struct {
  const char *unit;
  double least, most;
} k_ranges[] = {
    {"cycles", 0, 60000}, {"ns", 0, 1e9},         {"share", 0, 1},
    {"passes", 0, 64},    {"GHz", 0, 100},        {"SIMDs", 1, 4},
    {"waves", 1, 16},     {"XCDs", 1, 64},        {"CUs", 1, 65536},
    {"MFMAs", 0, 1},      {"atomics", 1e-3, 1e6}, {"launches", 0, 1},
    {"", 1, 1e6}}; // all others

static size_t range_of(const char *unit) {
  size_t i = 0;
  while (*k_ranges[i].unit && strcmp(unit, k_ranges[i].unit) != 0)
    i++;
  return i;
}

// Takes "name=value" of `bytes` bytes.
static bool change(emu_time_constants *k, const char *word, size_t bytes,
                   char *text, size_t text_bytes) {
  const char *equals = memchr(word, '=', bytes);
  size_t name_bytes = equals ? (size_t)(equals - word) : bytes;
  for (size_t i = 0; i < ROWS; i++) {
    const char *name = k_rows[i].row.name;
    if (strlen(name) != name_bytes || memcmp(name, word, name_bytes) != 0)
      continue;
    char *end = NULL;
    errno = 0;
    double value = equals ? strtod(equals + 1, &end) : -1;
    size_t r = range_of(k_rows[i].row.unit);
    if (equals && end == word + bytes && end > equals + 1 && !errno &&
        isfinite(value) && value >= k_ranges[r].least &&
        value <= k_ranges[r].most) {
      *value_of(k, i) = value;
      return true;
    }
    snprintf(text, text_bytes,
             "constants of the cycle model: expected %s=NUMBER (%s, %g to %g), "
             "found \"%.*s\"",
             name, k_rows[i].row.unit, k_ranges[r].least, k_ranges[r].most,
             (int)bytes, word);
    return false;
  }
  snprintf(text, text_bytes,
           "constants of the cycle model: there is no \"%.*s\"; `fmhac "
           "bench --constants` lists them",
           (int)name_bytes, word);
  return false;
}

bool emu_time_constants_init(emu_time_constants *k, const char *changes,
                             char *text, size_t text_bytes) {
  for (size_t i = 0; i < ROWS; i++)
    *value_of(k, i) = k_rows[i].row.value;
  for (const char *at = changes; at && *at;) {
    size_t bytes = strcspn(at, ",");
    if (!change(k, at, bytes, text, text_bytes))
      return false;
    at += bytes + (at[bytes] == ',');
  }
  return true;
}

size_t fmhac_timing_constant_count(void) { return ROWS; }

fmhac_status fmhac_timing_get_constant(size_t index,
                                       fmhac_timing_constant *out) {
  return index < ROWS ? FMHAC_STRUCT_OUT(out, &k_rows[index].row,
                                         fmhac_timing_constant, source)
                      : FMHAC_INVALID_INPUT;
}
