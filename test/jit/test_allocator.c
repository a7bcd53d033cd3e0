// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The caller's allocator: everything that lives in a context comes from it and
// goes back, and wherever it gives nothing, a call says so and nothing is lost.
// argv[1]: a directory to write in.
#include "jit_test.h"

#include <stdatomic.h>

#include "fmhac.h"
#include "fmhac_inspect.h"
#include "fmhac_jobs.h"

static const char k_config[] = "{\"dtype\":\"bf16\",\"head_dim\":64}";

/// Blocks carry a mark, so that those of others are not taken for ours.
enum { MARK = 0x5eed, HEADER_BYTES = 32 };
typedef struct header {
  size_t mark, size;
} header;

/// Counts what is out; from the allocation number `fails_at` on, the first is
/// refused.
typedef struct heap {
  atomic_long allocations, blocks, bytes, fails_at;
} heap;

static void *heap_reallocate(void *user, void *bytes, size_t size) {
  heap *h = user;
  header *old = bytes ? (void *)((char *)bytes - HEADER_BYTES) : NULL;
  if (old && old->mark != MARK)
    abort();
  if (!size) {
    if (old) {
      atomic_fetch_sub(&h->blocks, 1);
      atomic_fetch_sub(&h->bytes, (long)old->size);
      memset(old, 0xdd, HEADER_BYTES + old->size);
      free(old);
    }
    return NULL;
  }
  if (atomic_fetch_add(&h->allocations, 1) == atomic_load(&h->fails_at))
    return NULL;
  header *made = malloc(HEADER_BYTES + size);
  if (!made)
    return NULL;
  *made = (header){MARK, size};
  memset((char *)made + HEADER_BYTES, 0xcd, size); // nobody gets zeros by luck
  atomic_fetch_add(&h->blocks, 1);
  atomic_fetch_add(&h->bytes, (long)size);
  if (old) {
    memcpy((char *)made + HEADER_BYTES, bytes,
           old->size < size ? old->size : size);
    heap_reallocate(user, bytes, 0);
  }
  return (char *)made + HEADER_BYTES;
}

/// What a program does, up to where memory is exhausted. Every step that gave
/// nothing says why, by its status.
static fmhac_status live(heap *h, const char *cache) {
  const fmhac_context_options options = {.size = sizeof options,
                                         .cache_directory = cache,
                                         .reallocate = heap_reallocate,
                                         .reallocate_user = h};
  fmhac_context *context;
  fmhac_config *config = NULL;
  fmhac_kernel *kernel = NULL, *copy = NULL, *same = NULL;
  fmhac_plan *plan = NULL;
  fmhac_job *job = NULL;
  fmhac_status status = fmhac_context_create(&options, &context);
  if (status != FMHAC_OK) {
    assert_null(context);
    return status;
  }
  status = fmhac_config_create_json(context, k_config, &config);
  if (status == FMHAC_OK)
    status = fmhac_compile(context, config, &kernel);
  // Not for want of a compiler.
  assert_true(status == FMHAC_OK || status == FMHAC_OUT_OF_MEMORY);
  const void *code;
  size_t code_bytes, text_bytes;
  if (status == FMHAC_OK)
    status = fmhac_kernel_get_code(kernel, &code, &code_bytes);
  if (status == FMHAC_OK)
    status = fmhac_kernel_create_from_code(context, code, code_bytes, &copy);
  if (status == FMHAC_OK)
    status = fmhac_kernel_get_text(copy, "statistics", NULL, 0, &text_bytes);
  const fmhac_problem problem = {.size = sizeof problem,
                                 .batch = 1,
                                 .heads_q = 2,
                                 .heads_kv = 1,
                                 .seqlen_q = 64,
                                 .seqlen_kv = 64};
  if (status == FMHAC_OK)
    status = fmhac_plan_create(kernel, &problem, &plan);
  if (status == FMHAC_OK)
    status = fmhac_compile_start(context, config, NULL, &job);
  if (status == FMHAC_OK)
    status = fmhac_job_wait(job, -1, &same);
  // A failure for which there is room has its words.
  fmhac_config *wrong;
  if (status == FMHAC_OK) {
    status = fmhac_config_create_json(context, "{", &wrong);
    if (status == FMHAC_INVALID_INPUT)
      status = fmhac_last_error(context)[0] ? FMHAC_OK : FMHAC_OUT_OF_MEMORY;
  }
  assert_true(status == FMHAC_OK || status == FMHAC_OUT_OF_MEMORY);
  fmhac_job_destroy(job);
  fmhac_kernel_destroy(same);
  fmhac_kernel_destroy(copy);
  fmhac_plan_destroy(plan);
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
  return status;
}

static void test_everything_goes_back(void **state) {
  (void)state;
  char cache[4096];
  snprintf(cache, sizeof cache, "%s/cache", folder);
  heap h = {.fails_at = -1};
  assert_int_equal(live(&h, cache), FMHAC_OK); // compiled, if it was not there
  assert_int_equal(atomic_load(&h.blocks), 0);
  assert_int_equal(atomic_load(&h.bytes), 0);
  long cold = atomic_exchange(&h.allocations, 0);
  assert_int_equal(live(&h, cache), FMHAC_OK);
  assert_int_equal(atomic_load(&h.blocks), 0);
  assert_in_range(atomic_load(&h.allocations), 20, cold);
}

static void test_every_allocation_may_fail(void **state) {
  (void)state;
  char cache[4096];
  snprintf(cache, sizeof cache, "%s/cache", folder);
  heap h = {.fails_at = -1};
  assert_int_equal(live(&h, cache), FMHAC_OK);
  const long needed = atomic_load(&h.allocations);
  int refused = 0;
  for (long i = 0; i < needed; ++i) {
    heap poor = {.fails_at = i};
    fmhac_status status = live(&poor, cache);
    refused += status != FMHAC_OK;
    assert_int_equal(atomic_load(&poor.blocks), 0);
    assert_int_equal(atomic_load(&poor.bytes), 0);
  }
  // Only what merely saves work goes without: the key, the four parts of the
  // kernel from the cache, for which the compiler works once more, and a place
  // among the context's own.
  assert_in_range(refused, needed - 6, needed);
}

/// The same where the compiler must do it.
static void test_every_allocation_may_fail_without_a_cache(void **state) {
  (void)state;
  heap h = {.fails_at = -1};
  assert_int_equal(live(&h, NULL), FMHAC_OK);
  const long needed = atomic_load(&h.allocations);
  int refused = 0;
  for (long i = 0; i < needed; ++i) {
    heap poor = {.fails_at = i};
    refused += live(&poor, NULL) != FMHAC_OK;
    assert_int_equal(atomic_load(&poor.blocks), 0);
  }
  // A place among the context's own, and what the build is, which is asked for
  // once more, are saved work; where the library lies, only a compiler's path.
  assert_in_range(refused, needed - 3, needed);
}

int main(int argc, char **argv) {
  if (!take_folder(argc, argv))
    return 2;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_everything_goes_back),
      cmocka_unit_test(test_every_allocation_may_fail),
      cmocka_unit_test(test_every_allocation_may_fail_without_a_cache),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
