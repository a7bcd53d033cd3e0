// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inputs.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "prescribed_scores.h"
#include "processors.h"

#define TWO_PI 6.28318530717958647693

static const char *const kind_names[] = {"normal", "growing", "spikes",
                                         "rising", "fixture", "sink"};
enum {
  KIND_COUNT = sizeof kind_names / sizeof kind_names[0],
  LEAST_FOR_THREADS = 1 << 18, ///< elements
  ROWS_A_TURN = 16,
  MAX_THREADS = 256
};

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

/// The factor of row `row` of K.
static double row_factor(input_kind kind, uint64_t stream, uint64_t slice,
                         uint32_t row, uint32_t rows) {
  if (kind == INPUT_GROWING && rows > 1)
    return 1.0 + growth * row / (rows - 1);
  return kind == INPUT_SPIKES && is_spike(stream, slice, row, rows)
             ? spike_factor
             : 1.0;
}

/// A request, and the wanted heads.
typedef struct source {
  const input_request *request;
  uint64_t stream, stream_of_k;
  uint32_t first_head, wanted_heads;
  void *out; ///< [rows, wanted_heads, dim]
  atomic_uint_fast64_t next_row;
} source;

static void fill_row(const source *s, uint32_t row) {
  const input_request *r = s->request;
  size_t at = (size_t)row * s->wanted_heads * r->dim;
  for (uint32_t h = 0; h < s->wanted_heads; ++h, at += r->dim) {
    uint32_t head = s->first_head + h;
    if (prescribes_scores(r, row, head, uniform(mix(s->stream + row)), s->out,
                          at))
      continue;
    uint64_t slice = (uint64_t)r->sequence * r->heads + head;
    uint64_t index =
        r->first_index + ((uint64_t)row * r->heads + head) * r->dim;
    const bool is_k = r->tensor == INPUT_K || r->tensor == INPUT_K_ROPE;
    double factor =
        is_k ? row_factor(r->kind, s->stream_of_k, slice, row, r->rows) : 1.0;
    for (uint32_t d = 0; d < r->dim; ++d)
      element_store(r->type, s->out, at + d,
                    factor * normal(s->stream, index + d));
  }
}

static void *fill_rows(void *user) {
  source *s = user;
  const uint32_t rows = s->request->rows;
  uint64_t first;
  while ((first = atomic_fetch_add(&s->next_row, ROWS_A_TURN)) < rows)
    for (uint64_t row = first; row < first + ROWS_A_TURN && row < rows; ++row)
      fill_row(s, (uint32_t)row);
  return NULL;
}

/// On one thread a processor, where it is worth them.
static void fill(source *s) {
  const input_request *r = s->request;
  s->stream = mix(mix(r->seed) + (uint64_t)r->tensor);
  s->stream_of_k = mix(mix(r->seed) + (uint64_t)INPUT_K);
  uint64_t elements = (uint64_t)r->rows * s->wanted_heads * r->dim;
  uint32_t threads = elements < LEAST_FOR_THREADS ? 1 : fmhac_processors();
  // A thread that does not start is no failure: the others do its rows.
  pthread_t workers[MAX_THREADS];
  uint32_t started = 0;
  while (started + 1 < threads && started < MAX_THREADS &&
         pthread_create(&workers[started], NULL, fill_rows, s) == 0)
    ++started;
  fill_rows(s);
  for (uint32_t i = 0; i < started; ++i)
    pthread_join(workers[i], NULL);
}

void input_fill_head(const input_request *request, uint32_t head,
                     void *out_rows) {
  source s = {.request = request,
              .first_head = head,
              .wanted_heads = 1,
              .out = out_rows};
  fill(&s);
}

void input_fill(const input_request *request, void *out_rows) {
  source s = {
      .request = request, .wanted_heads = request->heads, .out = out_rows};
  fill(&s);
}
