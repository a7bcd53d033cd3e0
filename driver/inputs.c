// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inputs.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define TWO_PI 6.28318530717958647693

static const char *const kind_names[] = {"normal", "growing", "spikes"};
enum { KIND_COUNT = sizeof kind_names / sizeof kind_names[0] };

// Spikes: so many rows of each (batch, head), within the last quarter of K.
enum { SPIKES = 4 };
static const double spike_factor = 12.0;
static const double growth = 3.0;

const char *input_kind_name(int kind) {
  return kind >= 0 && kind < KIND_COUNT ? kind_names[kind] : NULL;
}

bool input_kind_parse(const char *text, input_kind *out_kind) {
  for (int i = 0; i < KIND_COUNT; ++i)
    if (strcmp(text, kind_names[i]) == 0) {
      *out_kind = (input_kind)i;
      return true;
    }
  return false;
}

/// The finaliser of SplitMix64: 64 well-mixed bits from a counter.
static uint64_t mix(uint64_t x) {
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/// Uniform in (0, 1).
static double uniform(uint64_t bits) {
  return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

/// Unit normal, by Box and Muller.
static double normal(uint64_t stream, uint64_t index) {
  double radius = sqrt(-2.0 * log(uniform(mix(stream ^ mix(2 * index)))));
  return radius * cos(TWO_PI * uniform(mix(stream ^ mix(2 * index + 1))));
}

static bool is_spike(uint64_t stream, uint64_t slice, uint32_t row,
                     uint32_t rows) {
  uint32_t late = rows - rows / 4;
  if (late == rows)
    late = rows - 1;
  for (uint64_t i = 0; i < SPIKES; ++i)
    if (row == late + mix(stream + slice * SPIKES + i) % (rows - late))
      return true;
  return false;
}

/// What row `row` of K is multiplied by.
static double row_factor(input_kind kind, uint64_t stream, uint64_t slice,
                         uint32_t row, uint32_t rows) {
  switch (kind) {
  case INPUT_NORMAL:
    return 1.0;
  case INPUT_GROWING:
    return rows > 1 ? 1.0 + growth * row / (rows - 1) : 1.0;
  case INPUT_SPIKES:
    return is_spike(stream, slice, row, rows) ? spike_factor : 1.0;
  }
  return 1.0;
}

/// Where the elements of one tensor of one sequence come from.
typedef struct source {
  input_kind kind;
  input_tensor tensor;
  uint64_t stream;
  element_type type;
  uint32_t sequence, rows, heads, dim;
  uint64_t first_index;
} source;

/// Fills one row of one head, from element `at` of `out_rows` on.
static void fill_row(const source *s, uint32_t row, uint32_t head, size_t at,
                     void *out_rows) {
  uint64_t slice = (uint64_t)s->sequence * s->heads + head;
  uint64_t index = s->first_index + ((uint64_t)row * s->heads + head) * s->dim;
  double factor = s->tensor == INPUT_K
                      ? row_factor(s->kind, s->stream, slice, row, s->rows)
                      : 1.0;
  for (uint32_t d = 0; d < s->dim; ++d)
    element_store(s->type, out_rows, at + d,
                  factor * normal(s->stream, index + d));
}

static uint64_t stream_of(uint64_t seed, input_tensor tensor) {
  return mix(mix(seed) + (uint64_t)tensor);
}

void input_fill(input_kind kind, input_tensor tensor, uint64_t seed,
                element_type type, uint32_t sequence, uint64_t first_index,
                uint32_t rows, uint32_t heads, uint32_t dim, void *out_rows) {
  const source s = {kind,  tensor,   stream_of(seed, tensor),
                    type,  sequence, rows,
                    heads, dim,      first_index};
  size_t at = 0;
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t head = 0; head < heads; ++head, at += dim)
      fill_row(&s, row, head, at, out_rows);
}

void input_fill_head(input_kind kind, input_tensor tensor, uint64_t seed,
                     element_type type, uint32_t sequence, uint64_t first_index,
                     uint32_t rows, uint32_t heads, uint32_t head, uint32_t dim,
                     void *out_rows) {
  const source s = {kind,  tensor,   stream_of(seed, tensor),
                    type,  sequence, rows,
                    heads, dim,      first_index};
  for (uint32_t row = 0; row < rows; ++row)
    fill_row(&s, row, head, (size_t)row * dim, out_rows);
}
