// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A context's own kernels: found by what they were asked for with, the ones
// that were asked for last; and the text of keys.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>

#include <cmocka.h>

#include "fmhac_inspect.h"
#include "kernel.h"
#include "key_text.h"
#include "memory_cache.h"

static fmhac_span span(const char *text) {
  return (fmhac_span){text, strlen(text)};
}

static void add(fmhac_memory_cache *cache, const char *request) {
  fmhac_claim claim;
  fmhac_kernel *kernel;
  fmhac_claim_result result =
      fmhac_memory_cache_claim(cache, span(request), NULL, &claim, &kernel);
  assert_int_equal(result, kernel ? FMHAC_CLAIM_FOUND : FMHAC_CLAIM_MADE);
  if (!kernel) {
    kernel = fmhac_kernel_create(NULL);
    assert_non_null(kernel);
    snprintf(kernel->entries[0].kernel, sizeof kernel->entries[0].kernel, "%s",
             request);
    fmhac_memory_cache_settle(cache, &claim, kernel);
  }
  fmhac_kernel_destroy(kernel);
}

/// The kernel that is kept, or NULL.
static fmhac_kernel *find(fmhac_memory_cache *cache, const char *request) {
  fmhac_claim claim;
  fmhac_kernel *kernel;
  if (fmhac_memory_cache_claim(cache, span(request), NULL, &claim, &kernel) ==
      FMHAC_CLAIM_MADE)
    fmhac_memory_cache_settle(cache, &claim, NULL);
  return kernel;
}

static bool has(fmhac_memory_cache *cache, const char *request) {
  fmhac_kernel *kernel = find(cache, request);
  if (kernel)
    assert_string_equal(fmhac_kernel_get_name(kernel), request);
  fmhac_kernel_destroy(kernel);
  return kernel != NULL;
}

static void test_finds_what_was_added(void **state) {
  (void)state;
  fmhac_memory_cache *cache =
      fmhac_memory_cache_create((fmhac_allocator){0}, 4);
  assert_false(has(cache, "a"));
  assert_false(has(cache, ""));
  add(cache, "a");
  add(cache, "");
  add(cache, "ab");
  assert_true(has(cache, "a"));
  assert_true(has(cache, ""));
  assert_true(has(cache, "ab"));
  assert_false(has(cache, "b"));
  fmhac_memory_cache_destroy(cache);
}

static void test_keeps_those_that_were_asked_for_last(void **state) {
  (void)state;
  fmhac_memory_cache *cache =
      fmhac_memory_cache_create((fmhac_allocator){0}, 3);
  add(cache, "1");
  add(cache, "2");
  add(cache, "3");
  assert_true(has(cache, "1"));
  add(cache, "4"); // in the place of 2
  assert_false(has(cache, "2"));
  add(cache, "3"); // again: nothing goes
  assert_true(has(cache, "1"));
  assert_true(has(cache, "4"));
  assert_true(has(cache, "3"));
  add(cache, "5");
  assert_false(has(cache, "1"));
  fmhac_memory_cache_destroy(cache);
  fmhac_memory_cache_destroy(NULL);
}

/// Someone who wants what another thread is about to make.
typedef struct waiter {
  fmhac_memory_cache *cache;
  fmhac_control control;
  fmhac_kernel *kernel;
  fmhac_claim_result result;
} waiter;

static void *wait_for_one(void *user) {
  waiter *w = user;
  fmhac_claim claim;
  w->result = fmhac_memory_cache_claim(w->cache, span("one"), &w->control,
                                       &claim, &w->kernel);
  if (w->result == FMHAC_CLAIM_MADE)
    fmhac_memory_cache_settle(w->cache, &claim, NULL);
  return NULL;
}

/// What four threads get who ask while a claim is open that ends with a kernel,
/// or with none.
static void ask_while_claimed(bool has_kernel) {
  enum { THREADS = 4 };
  fmhac_memory_cache *cache =
      fmhac_memory_cache_create((fmhac_allocator){0}, 2);
  fmhac_claim claim, other, again;
  fmhac_kernel *none;
  assert_int_equal(
      fmhac_memory_cache_claim(cache, span("one"), NULL, &claim, &none),
      FMHAC_CLAIM_MADE);
  // Another request is not in the way, and who would wait for itself does not.
  assert_int_equal(
      fmhac_memory_cache_claim(cache, span("two"), NULL, &other, &none),
      FMHAC_CLAIM_MADE);
  assert_int_equal(
      fmhac_memory_cache_claim(cache, span("one"), NULL, &again, &none),
      FMHAC_CLAIM_OWN);
  pthread_t threads[THREADS];
  waiter waiters[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    waiters[i] = (waiter){.cache = cache};
    fmhac_control_init(&waiters[i].control);
    assert_int_equal(
        pthread_create(&threads[i], NULL, wait_for_one, &waiters[i]), 0);
  }
  fmhac_control_cancel(&waiters[0].control);
  fmhac_memory_cache_wake(cache);
  pthread_join(threads[0], NULL); // before the claim is settled
  assert_null(waiters[0].kernel);
  assert_int_equal(waiters[0].result, FMHAC_CLAIM_CANCELLED);
  fmhac_kernel *kernel = has_kernel ? fmhac_kernel_create(NULL) : NULL;
  fmhac_memory_cache_settle(cache, &claim, kernel);
  fmhac_memory_cache_settle(cache, &other, NULL);
  for (int i = 1; i < THREADS; ++i) {
    pthread_join(threads[i], NULL);
    assert_ptr_equal(waiters[i].kernel, kernel);
    // Without a kernel each has a claim in turn.
    assert_int_equal(waiters[i].result,
                     has_kernel ? FMHAC_CLAIM_FOUND : FMHAC_CLAIM_MADE);
    fmhac_kernel_destroy(waiters[i].kernel);
  }
  for (int i = 0; i < THREADS; ++i)
    fmhac_control_deinit(&waiters[i].control);
  fmhac_kernel_destroy(kernel);
  fmhac_memory_cache_destroy(cache);
}

static void test_one_thread_makes_what_several_want(void **state) {
  (void)state;
  ask_while_claimed(true);
  ask_while_claimed(false);
}

static void test_a_kernel_outlives_the_cache(void **state) {
  (void)state;
  fmhac_memory_cache *cache =
      fmhac_memory_cache_create((fmhac_allocator){0}, 1);
  add(cache, "1");
  fmhac_kernel *kernel = find(cache, "1");
  fmhac_kernel *again = find(cache, "1");
  assert_ptr_equal(kernel, again);
  add(cache, "2");
  fmhac_memory_cache_destroy(cache);
  fmhac_kernel_destroy(again);
  assert_string_equal(fmhac_kernel_get_name(kernel), "1");
  fmhac_kernel_destroy(kernel);
}

static void test_parts_of_a_key_are_found(void **state) {
  (void)state;
  fmhac_str text = {0};
  fmhac_key_text_append(&text, "build", "one\ntwo 3\n");
  fmhac_key_text_append(&text, "empty", NULL);
  fmhac_key_text_append(&text, "config", "{\"a\": 1}");
  const fmhac_span key = {text.text, text.length};
  fmhac_span part;
  assert_true(fmhac_key_text_find(key, "build", &part));
  assert_int_equal(part.bytes, 10);
  assert_memory_equal(part.text, "one\ntwo 3\n", 10);
  assert_true(fmhac_key_text_find(key, "empty", &part));
  assert_int_equal(part.bytes, 0);
  assert_true(fmhac_key_text_find(key, "config", &part));
  assert_int_equal(part.bytes, 8);
  assert_false(fmhac_key_text_find(key, "two", &part));
  assert_false(fmhac_key_text_find(key, "con", &part));
  // Cut anywhere, nothing outside is read and no part is half of one.
  for (size_t n = 0; n < key.bytes; ++n) {
    char *copy = malloc(n ? n : 1);
    memcpy(copy, key.text, n);
    if (fmhac_key_text_find((fmhac_span){copy, n}, "config", &part))
      fail_msg("a part of %zu bytes in %zu", part.bytes, n);
    free(copy);
  }
  static const char *const bad[] = {
      "config 99999999999999999999\nx\n", "config -1\nx\n", "config x\nx\n",
      "config\nx\n", "config 18446744073709551615\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    assert_false(fmhac_key_text_find(span(bad[i]), "config", &part));
  fmhac_str_deinit(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_finds_what_was_added),
      cmocka_unit_test(test_keeps_those_that_were_asked_for_last),
      cmocka_unit_test(test_one_thread_makes_what_several_want),
      cmocka_unit_test(test_a_kernel_outlives_the_cache),
      cmocka_unit_test(test_parts_of_a_key_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
