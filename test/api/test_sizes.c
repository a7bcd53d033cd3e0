// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structs of the compiler's headers that begin with their size, as callers
// with an earlier and with a later header hold them: one table, one rule.
// argv[1]: a directory to write in.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fmhac_cache.h"
#include "fmhac_inspect.h"
#include "fmhac_jobs.h"
#include "fmhac_merge.h"
#include "fmhac_schedule.h"
#include "fmhac_work.h"

/// What the calls need.
static fmhac_context *context;
static fmhac_config *config;
static fmhac_kernel *kernel;
static fmhac_plan *plan;
static fmhac_merge *merge;
static fmhac_rt_device *device;
static const char *folder;

static fmhac_status create_context(void *given) {
  fmhac_context *other;
  fmhac_status status = fmhac_context_create(given, &other);
  fmhac_context_destroy(other);
  return status;
}

static fmhac_status create_from_environment(void *given) {
  char text[256];
  fmhac_context *other;
  fmhac_status status =
      fmhac_context_create_from_environment(given, text, sizeof text, &other);
  fmhac_context_destroy(other);
  // Here is no context that could have the text.
  if (status != FMHAC_OK)
    assert_non_null(strstr(text, "fmhac_context_options"));
  return status;
}

static fmhac_status get_stats(void *given) {
  return fmhac_context_get_stats(context, given);
}

static fmhac_status query(void *given) {
  return fmhac_query(context, config, given);
}

static fmhac_status start(void *given) {
  fmhac_job *job;
  fmhac_status status = fmhac_compile_start(context, config, given, &job);
  fmhac_job_destroy(job);
  return status;
}

static fmhac_status get_progress(void *given) {
  fmhac_job *job;
  assert_int_equal(fmhac_compile_start(context, config, NULL, &job), FMHAC_OK);
  fmhac_status status = fmhac_job_get_progress(job, given);
  fmhac_job_destroy(job);
  return status;
}

static fmhac_status prune(void *given) {
  return fmhac_cache_prune(context, 0, given);
}

static fmhac_status clean(void *given) {
  return fmhac_cache_clean(context, false, given);
}

static void fill_row(void *given) {
  fmhac_schedule_row *row = given;
  row->config = config;
  row->schedule = "generic";
  row->seconds = row->cycles = 1;
  row->problem = "B1";
}

static fmhac_status put(void *given) {
  char *text;
  fmhac_status status =
      fmhac_schedule_table_put(context, "", "table", given, &text);
  fmhac_free(text);
  return status;
}

static fmhac_status query_schedule(void *given) {
  return fmhac_query_schedule(context, config, 0, given);
}

static fmhac_status get_info(void *given) {
  return fmhac_kernel_get_info(kernel, 0, given);
}

static void fill_problem(void *given) {
  fmhac_problem *problem = given;
  problem->batch = problem->heads_q = problem->heads_kv = 1;
  problem->seqlen_q = problem->seqlen_kv = 16;
}

static fmhac_status plan_create(void *given) {
  fmhac_plan *other;
  fmhac_status status = fmhac_plan_create(kernel, given, &other);
  fmhac_plan_destroy(other);
  return status;
}

/// Addresses that nothing is read from: tensors are packed, not launched.
static void fill_tensors(void *given) {
  fmhac_problem problem = {.size = sizeof problem};
  fill_problem(&problem);
  fmhac_tensors dense = FMHAC_TENSORS_INIT;
  assert_int_equal(
      fmhac_tensors_dense(plan, &problem, 4096, 8192, 16384, 32768, 0, &dense),
      FMHAC_OK);
  dense.size = ((fmhac_tensors *)given)->size;
  memcpy(given, &dense, sizeof dense);
}

static fmhac_status dense_of_problem(void *given) {
  fmhac_tensors tensors = FMHAC_TENSORS_INIT;
  return fmhac_tensors_dense(plan, given, 16, 16, 16, 16, 0, &tensors);
}

static fmhac_status dense_tensors(void *given) {
  fmhac_problem problem = {.size = sizeof problem};
  fill_problem(&problem);
  return fmhac_tensors_dense(plan, &problem, 16, 16, 16, 16, 0, given);
}

static fmhac_status pack_tensors(void *given) {
  unsigned char kernarg[1024];
  fmhac_rt_launch launch = {.size = sizeof launch};
  return fmhac_plan_pack(plan, 0, given, 0, kernarg, sizeof kernarg, &launch);
}

static fmhac_status pack_launch(void *given) {
  static unsigned char kernarg[1024];
  fmhac_tensors tensors = FMHAC_TENSORS_INIT;
  fill_tensors(&tensors);
  return fmhac_plan_pack(plan, 0, &tensors, 0, kernarg, sizeof kernarg, given);
}

/// One row of one head: O of 128 columns of 2 bytes.
static void fill_merge(void *given) {
  static fmhac_device_ptr memory;
  enum { ROW_BYTES = 256, BYTES = 4 * ROW_BYTES };
  if (!memory) {
    assert_int_equal(fmhac_rt_alloc(device, BYTES, &memory), FMHAC_OK);
    assert_int_equal(fmhac_rt_fill(device, memory, 0, BYTES), FMHAC_OK);
  }
  fmhac_merge_tensors *t = given;
  t->batch = t->heads_q = t->seqlen_q = 1;
  t->o = memory;
  t->other_o = memory + ROW_BYTES;
  t->lse = memory + 2 * ROW_BYTES;
  t->other_lse = memory + 3 * ROW_BYTES;
}

static fmhac_status merge_launch(void *given) {
  return fmhac_merge_launch(merge, device, given, NULL);
}

static fmhac_status work_room(void *given) {
  return fmhac_plan_work_room(plan, 1, given);
}

static fmhac_status work_places(void *given) {
  return fmhac_plan_work_places(plan, given);
}

/// Lists of one workgroup that has one item.
static fmhac_status plan_work(const fmhac_problem *problem,
                              const fmhac_work_lengths *lengths,
                              const fmhac_work_lists *lists) {
  fmhac_work_room room = {.size = sizeof room};
  assert_int_equal(fmhac_plan_work_room(plan, 1, &room), FMHAC_OK);
  void *scratch = malloc(room.scratch_bytes);
  assert_non_null(scratch);
  fmhac_status status =
      fmhac_plan_work(plan, problem, 1, lengths, lists, scratch);
  free(scratch);
  return status;
}

static void fill_lists(void *given) {
  static int32_t indptr[2];
  static fmhac_work_item items[1];
  fmhac_work_lists *lists = given;
  lists->indptr = indptr;
  lists->items = items;
}

static fmhac_status work_of_problem(void *given) {
  const fmhac_work_lengths lengths = {.size = sizeof lengths};
  fmhac_work_lists lists = {.size = sizeof lists};
  fill_lists(&lists);
  return plan_work(given, &lengths, &lists);
}

static fmhac_status work_of_lengths(void *given) {
  fmhac_problem problem = {.size = sizeof problem};
  fmhac_work_lists lists = {.size = sizeof lists};
  fill_problem(&problem);
  fill_lists(&lists);
  return plan_work(&problem, given, &lists);
}

static fmhac_status work_of_lists(void *given) {
  const fmhac_work_lengths lengths = {.size = sizeof lengths};
  fmhac_problem problem = {.size = sizeof problem};
  fill_problem(&problem);
  return plan_work(&problem, &lengths, given);
}

/// Size of a struct that ended with a field.
#define THROUGH(type, field)                                                   \
  (offsetof(type, field) + sizeof(((type *)0)->field))

static const struct {
  const char *name;
  bool is_out;
  bool has_text; ///< in the context
  size_t least;  ///< of the first release
  size_t known;  ///< of this one
  void (*fill)(void *given);
  fmhac_status (*call)(void *given);
} structs[] = {
    {"fmhac_context_options", false, false,
     THROUGH(fmhac_context_options, log_user), sizeof(fmhac_context_options),
     NULL, create_context},
    {"fmhac_context_options", false, false,
     THROUGH(fmhac_context_options, log_user), sizeof(fmhac_context_options),
     NULL, create_from_environment},
    {"fmhac_stats", true, true, THROUGH(fmhac_stats, disk_hits),
     sizeof(fmhac_stats), NULL, get_stats},
    {"fmhac_support", true, true, THROUGH(fmhac_support, entry_count),
     sizeof(fmhac_support), NULL, query},
    {"fmhac_job_options", false, true, THROUGH(fmhac_job_options, user),
     sizeof(fmhac_job_options), NULL, start},
    {"fmhac_job_progress", true, true, THROUGH(fmhac_job_progress, stage),
     sizeof(fmhac_job_progress), NULL, get_progress},
    {"fmhac_cache_usage", true, true, THROUGH(fmhac_cache_usage, removed_bytes),
     sizeof(fmhac_cache_usage), NULL, prune},
    {"fmhac_cache_usage", true, true, THROUGH(fmhac_cache_usage, removed_bytes),
     sizeof(fmhac_cache_usage), NULL, clean},
    {"fmhac_schedule_row", false, true, THROUGH(fmhac_schedule_row, workgroups),
     sizeof(fmhac_schedule_row), fill_row, put},
    {"fmhac_schedule_choice", true, true, THROUGH(fmhac_schedule_choice, when),
     sizeof(fmhac_schedule_choice), NULL, query_schedule},
    {"fmhac_kernel_info", true, true, THROUGH(fmhac_kernel_info, when),
     sizeof(fmhac_kernel_info), NULL, get_info},
    {"fmhac_problem", false, true, THROUGH(fmhac_problem, seqlen_kv),
     sizeof(fmhac_problem), fill_problem, plan_create},
    {"fmhac_problem", false, true, THROUGH(fmhac_problem, seqlen_kv),
     sizeof(fmhac_problem), fill_problem, dense_of_problem},
    {"fmhac_tensors", false, true, THROUGH(fmhac_tensors, bias_strides),
     sizeof(fmhac_tensors), fill_tensors, pack_tensors},
    {"fmhac_tensors", true, true, THROUGH(fmhac_tensors, bias_strides),
     sizeof(fmhac_tensors), NULL, dense_tensors},
    {"fmhac_merge_tensors", false, true,
     THROUGH(fmhac_merge_tensors, seqlens_q), sizeof(fmhac_merge_tensors),
     fill_merge, merge_launch},
    {"fmhac_work_room", true, true, THROUGH(fmhac_work_room, scratch_bytes),
     sizeof(fmhac_work_room), NULL, work_room},
    {"fmhac_work_places", true, true,
     THROUGH(fmhac_work_places, combine_count_offset_bytes),
     sizeof(fmhac_work_places), NULL, work_places},
    {"fmhac_problem", false, true, THROUGH(fmhac_problem, seqlen_kv),
     sizeof(fmhac_problem), fill_problem, work_of_problem},
    {"fmhac_work_lengths", false, true,
     THROUGH(fmhac_work_lengths, kv_last_page_len), sizeof(fmhac_work_lengths),
     NULL, work_of_lengths},
    {"fmhac_work_lists", false, true, THROUGH(fmhac_work_lists, combine_count),
     sizeof(fmhac_work_lists), fill_lists, work_of_lists},
    {"fmhac_rt_launch", true, true, THROUGH(fmhac_rt_launch, stream),
     sizeof(fmhac_rt_launch), NULL, pack_launch},
};
enum { STRUCTS = sizeof structs / sizeof structs[0], TAIL = 24, GUARD = 64 };

/// Calls with a struct of `size`, whose last byte is `last`, and with `tail`
/// after what this library knows; checks that nothing after it changes, and
/// that the text of a failure names struct and function as the header does.
static unsigned char *call(size_t i, size_t size, unsigned char tail,
                           fmhac_status expected) {
  static unsigned char bytes[8192];
  memset(bytes, 0, sizeof bytes);
  memcpy(bytes, &size, sizeof size);
  if (structs[i].fill)
    structs[i].fill(bytes);
  const bool is_size = size >= sizeof size && size < sizeof bytes - GUARD;
  const size_t end = is_size ? size : structs[i].known;
  memset(bytes + end, 0xee, GUARD);
  if (end > structs[i].known)
    memset(bytes + structs[i].known, tail, end - structs[i].known);
  fmhac_status status = structs[i].call(bytes);
  if (status != expected)
    fail_msg("%s with size %zu: status %d, expected %d: %s", structs[i].name,
             size, (int)status, (int)expected, fmhac_last_error(context));
  for (size_t k = 0; k < GUARD; ++k)
    if (bytes[end + k] != 0xee)
      fail_msg("%s with size %zu: byte %zu changed", structs[i].name, size,
               end + k);
  size_t after;
  memcpy(&after, bytes, sizeof after);
  assert_int_equal(after, size);
  if (expected == FMHAC_OK || !structs[i].has_text)
    return bytes;
  if (!strstr(fmhac_last_error(context), structs[i].name) ||
      strncmp(fmhac_last_error(context), "fmhac_", 6) != 0)
    fail_msg("%s with size %zu: the text is '%s'", structs[i].name, size,
             fmhac_last_error(context));
  return bytes;
}

static void test_sizes_that_no_release_had(void **state) {
  (void)state;
  for (size_t i = 0; i < STRUCTS; ++i) {
    call(i, 0, 0, FMHAC_INVALID_INPUT);
    call(i, structs[i].least - 1, 0, FMHAC_INVALID_INPUT);
    call(i, 65537, 0, FMHAC_INVALID_INPUT);
  }
}

static void test_earlier_callers(void **state) {
  (void)state;
  for (size_t i = 0; i < STRUCTS; ++i)
    for (size_t size = structs[i].least; size <= structs[i].known; ++size)
      if (size % sizeof(size_t) == 0 || size == structs[i].least)
        call(i, size, 0, FMHAC_OK);
}

static void test_later_callers(void **state) {
  (void)state;
  for (size_t i = 0; i < STRUCTS; ++i) {
    const size_t size = structs[i].known + TAIL;
    call(i, size, 0, FMHAC_OK);
    const unsigned char *bytes =
        call(i, size, 1, structs[i].is_out ? FMHAC_OK : FMHAC_UNSUPPORTED);
    for (size_t k = structs[i].known; structs[i].is_out && k < size; ++k)
      assert_int_equal(bytes[k], 0);
  }
}

static int prepare(void **state) {
  (void)state;
  const fmhac_context_options options = {.size = sizeof options,
                                         .cache_directory = folder,
                                         .compile_in_process = true};
  const fmhac_problem problem = {sizeof problem, 1, 1, 1, 16, 16, 0, 0};
  return fmhac_context_create(&options, &context) != FMHAC_OK ||
         fmhac_config_create_json(context,
                                  "{\"head_dim\":64,\"schedule\":\"generic\"}",
                                  &config) != FMHAC_OK ||
         fmhac_compile(context, config, &kernel) != FMHAC_OK ||
         fmhac_plan_create(kernel, &problem, &plan) != FMHAC_OK ||
         fmhac_merge_create_json(context, "{}", &merge) != FMHAC_OK ||
         fmhac_rt_device_open("emu", &device) != FMHAC_OK;
}

static int destroy(void **state) {
  (void)state;
  fmhac_merge_destroy(merge);
  fmhac_plan_destroy(plan);
  fmhac_rt_device_close(device);
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
  return 0;
}

int main(int argc, char **argv) {
  folder = argc > 1 ? argv[1] : "sizes";
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes_that_no_release_had),
      cmocka_unit_test(test_earlier_callers),
      cmocka_unit_test(test_later_callers),
  };
  return cmocka_run_group_tests(tests, prepare, destroy);
}
