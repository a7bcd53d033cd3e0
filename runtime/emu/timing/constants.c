// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of constants, as a struct and as rows; what a user changes in it.
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

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

// Times and shares may be nothing; of what there must be some, one at least.
static double least_of(const char *unit) {
  static const char *const from_zero[] = {"clk", "ns", "share", "passes",
                                          "GHz"};
  for (size_t i = 0; i < sizeof from_zero / sizeof *from_zero; i++)
    if (strcmp(unit, from_zero[i]) == 0)
      return 0;
  return 1;
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
    double least = least_of(k_rows[i].row.unit);
    if (equals && end == word + bytes && end > equals + 1 && !errno &&
        isfinite(value) && value >= least && value <= 1e9) {
      *value_of(k, i) = value;
      return true;
    }
    snprintf(
        text, text_bytes,
        "constants of the cycle model: expected %s=NUMBER (%s, %g to 1e9), "
        "found \"%.*s\"",
        name, k_rows[i].row.unit, least, (int)bytes, word);
    return false;
  }
  snprintf(text, text_bytes,
           "constants of the cycle model: there is no \"%.*s\"; timing.def "
           "lists them",
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

fmhac_status fmhac_timing_constant_get(size_t index,
                                       fmhac_timing_constant *out) {
  if (!out || out->size != sizeof *out || index >= ROWS)
    return FMHAC_INVALID_INPUT;
  *out = k_rows[index].row;
  return FMHAC_OK;
}
