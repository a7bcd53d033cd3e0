// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated inputs have the properties that their names promise.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inputs.h"

enum { B = 2, S = 400, H = 3, D = 64, COUNT = B * S * H * D };

static float *make(input_kind kind, input_tensor tensor, uint64_t seed) {
  float *x = malloc(COUNT * sizeof *x);
  for (uint32_t b = 0; b < B; ++b)
    input_fill(&(input_request){.kind = kind,
                                .tensor = tensor,
                                .seed = seed,
                                .type = ELEMENT_F32,
                                .sequence = b,
                                .first_index = b * S * H * D,
                                .rows = S,
                                .heads = H,
                                .dim = D},
               x + b * S * H * D);
  return x;
}

static double row_rms(const float *x, int b, int row, int h) {
  double sum = 0;
  for (int d = 0; d < D; ++d) {
    double value = x[((b * S + row) * H + h) * D + d];
    sum += value * value;
  }
  return sqrt(sum / D);
}

/// Mean, variance and fourth moment within five standard errors of 0, 1 and 3.
static void test_unit_normal(void **state) {
  (void)state;
  for (int tensor = INPUT_Q; tensor <= INPUT_V; ++tensor) {
    float *x = make(INPUT_NORMAL, (input_tensor)tensor, 0);
    double mean = 0, square = 0, fourth = 0;
    for (int i = 0; i < COUNT; ++i) {
      mean += x[i];
      square += x[i] * x[i];
      fourth += pow(x[i], 4);
    }
    double n = COUNT;
    assert_true(fabs(mean / n) < 5 / sqrt(n));
    assert_true(fabs(square / n - 1) < 5 * sqrt(2 / n));
    assert_true(fabs(fourth / n - 3) < 5 * sqrt(96 / n));
    free(x);
  }
}

static void test_seeds(void **state) {
  (void)state;
  float *a = make(INPUT_NORMAL, INPUT_Q, 1),
        *b = make(INPUT_NORMAL, INPUT_Q, 1);
  float *c = make(INPUT_NORMAL, INPUT_Q, 2),
        *k = make(INPUT_NORMAL, INPUT_K, 1);
  assert_memory_equal(a, b, COUNT * sizeof *a);
  int same_seed = 0, same_tensor = 0;
  for (int i = 0; i < COUNT; ++i) {
    same_seed += a[i] == c[i];
    same_tensor += a[i] == k[i];
  }
  assert_true(same_seed < COUNT / 1000 && same_tensor < COUNT / 1000);
  free(k);
  free(c);
  free(b);
  free(a);
}

static void test_growing(void **state) {
  (void)state;
  float *plain = make(INPUT_NORMAL, INPUT_K, 5);
  float *growing = make(INPUT_GROWING, INPUT_K, 5);
  for (int h = 0; h < H; ++h) {
    assert_true(row_rms(growing, 1, 0, h) == row_rms(plain, 1, 0, h));
    assert_true(
        fabs(row_rms(growing, 1, S - 1, h) / row_rms(plain, 1, S - 1, h) - 4) <
        1e-5);
    for (int row = 1; row < S; ++row)
      assert_true(row_rms(growing, 0, row, h) > row_rms(plain, 0, row, h));
  }
  free(growing);
  // Q and V stay as they are.
  growing = make(INPUT_GROWING, INPUT_V, 5);
  float *v = make(INPUT_NORMAL, INPUT_V, 5);
  assert_memory_equal(growing, v, COUNT * sizeof *v);
  free(v);
  free(growing);
  free(plain);
}

static void test_spikes(void **state) {
  (void)state;
  float *plain = make(INPUT_NORMAL, INPUT_K, 5);
  float *spikes = make(INPUT_SPIKES, INPUT_K, 5);
  for (int b = 0; b < B; ++b)
    for (int h = 0; h < H; ++h) {
      int count = 0;
      for (int row = 0; row < S; ++row) {
        double ratio = row_rms(spikes, b, row, h) / row_rms(plain, b, row, h);
        assert_true(fabs(ratio - 1) < 1e-6 || fabs(ratio - 12) < 1e-5);
        if (ratio > 2) {
          assert_true(row >= S - S / 4);
          ++count;
        }
      }
      assert_in_range(count, 1, 4);
    }
  free(spikes);
  free(plain);
}

/// The shortest sequences have a last key too.
static void test_one_row(void **state) {
  (void)state;
  for (int kind = INPUT_NORMAL; kind <= INPUT_SINK; ++kind) {
    float x[4];
    input_fill(&(input_request){.kind = (input_kind)kind,
                                .tensor = INPUT_K,
                                .seed = 1,
                                .type = ELEMENT_F32,
                                .rows = 1,
                                .heads = 1,
                                .dim = 4},
               x);
    for (int d = 0; d < 4; ++d)
      assert_true(isfinite(x[d]));
    input_kind parsed;
    assert_true(input_kind_parse(input_kind_name(kind), &parsed));
    assert_int_equal(parsed, kind);
  }
  input_kind parsed;
  assert_null(input_kind_name(6));
  assert_false(input_kind_parse("flat", &parsed));
}

/// A head by itself is what it is among the others, in every kind.
static void test_one_head(void **state) {
  (void)state;
  for (int kind = INPUT_NORMAL; kind <= INPUT_SINK; ++kind)
    for (int tensor = INPUT_Q; tensor <= INPUT_V; ++tensor) {
      float *all = make((input_kind)kind, (input_tensor)tensor, 5);
      float *head = malloc(S * D * sizeof *head);
      for (uint32_t b = 0; b < B; ++b)
        for (uint32_t h = 0; h < H; ++h) {
          input_fill_head(&(input_request){.kind = (input_kind)kind,
                                           .tensor = (input_tensor)tensor,
                                           .seed = 5,
                                           .type = ELEMENT_F32,
                                           .sequence = b,
                                           .first_index = b * S * H * D,
                                           .rows = S,
                                           .heads = H,
                                           .dim = D},
                          h, head);
          for (int row = 0; row < S; ++row)
            assert_memory_equal(head + row * D,
                                all + ((b * S + row) * H + h) * D,
                                D * sizeof *head);
        }
      free(head);
      free(all);
    }
}

/// Many elements, which several threads make, are the same as a few of them at
/// a time.
static void test_threads(void **state) {
  (void)state;
  enum { MANY = 5000 };
  float *all = malloc((size_t)MANY * H * D * sizeof *all), row[H * D];
  input_request request = {.tensor = INPUT_V,
                           .seed = 9,
                           .type = ELEMENT_F32,
                           .first_index = 77,
                           .rows = MANY,
                           .heads = H,
                           .dim = D};
  input_fill(&request, all);
  request.rows = 1;
  for (uint32_t r = 0; r < MANY; ++r) {
    request.first_index = 77 + (uint64_t)r * H * D;
    input_fill(&request, row);
    assert_memory_equal(all + (size_t)r * H * D, row, sizeof row);
  }
  free(all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unit_normal), cmocka_unit_test(test_seeds),
      cmocka_unit_test(test_growing),     cmocka_unit_test(test_spikes),
      cmocka_unit_test(test_one_row),     cmocka_unit_test(test_one_head),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
