// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel tells of itself, fmhac_kernel_get_text(): compiled in this
// process and in one of its own, and from a cache directory.
// argv[1]: a directory to write in.
#include "jit_test.h"

#include "fmhac.h"
#include "fmhac_cache.h"
#include "fmhac_inspect.h"
#include "fmhac_schedule.h"

static fmhac_context *open_context(const fmhac_context_options *options) {
  fmhac_context *context;
  assert_int_equal(fmhac_context_create(options, &context), FMHAC_OK);
  return context;
}

static fmhac_config *config_of(fmhac_context *context, const char *json) {
  fmhac_config *config;
  assert_int_equal(fmhac_config_create_json(context, json, &config), FMHAC_OK);
  return config;
}

static void test_each_text(void **state) {
  (void)state;
  fmhac_context *context = open_context(NULL);
  fmhac_config *config = config_of(
      context,
      "{\"dtype\":\"f16\",\"head_dim\":128,\"mask\":\"causal\",\"lse\":true}");
  fmhac_kernel *kernel;
  assert_int_equal(fmhac_compile(context, config, &kernel), FMHAC_OK);
  static char buffer[1 << 20];
  size_t bytes, again;
  assert_int_equal(fmhac_kernel_get_text(kernel, "config", NULL, 0, &bytes),
                   FMHAC_OK);
  assert_int_equal(bytes, strlen(fmhac_config_get_canonical(config)) + 1);
  buffer[0] = 'x';
  assert_int_equal(
      fmhac_kernel_get_text(kernel, "config", buffer, bytes - 1, &again),
      FMHAC_INVALID_INPUT);
  assert_int_equal(buffer[0], 'x');
  assert_int_equal(
      fmhac_kernel_get_text(kernel, "config", buffer, bytes, &again), FMHAC_OK);
  assert_string_equal(buffer, fmhac_config_get_canonical(config));
  assert_int_equal(fmhac_kernel_get_text(kernel, "statistics", buffer,
                                         sizeof buffer, &bytes),
                   FMHAC_OK);
  const void *code;
  size_t code_bytes;
  assert_int_equal(fmhac_kernel_get_code(kernel, &code, &code_bytes), FMHAC_OK);
  char part[64];
  snprintf(part, sizeof part, "\"code_object_bytes\":%zu,", code_bytes);
  assert_non_null(strstr(buffer, part));
  const char *const first = strstr(buffer, "\"spills\":0,");
  assert_non_null(first);
  assert_non_null(strstr(first + 1, "\"spills\":0,")); // of both entries
  assert_int_equal(
      fmhac_kernel_get_text(kernel, "log", buffer, sizeof buffer, &bytes),
      FMHAC_OK);
  assert_int_equal(bytes, strlen(buffer) + 1);
  for (size_t r = 0; fmhac_rung_name(r); ++r) {
    const char *rung = fmhac_rung_name(r);
    bool is_text = strcmp(rung, "obj") != 0 && strcmp(rung, "hsaco") != 0;
    void *emitted;
    size_t emitted_bytes;
    assert_int_equal(
        fmhac_emit(context, config, rung, &emitted, &emitted_bytes), FMHAC_OK);
    assert_int_equal(
        fmhac_kernel_get_text(kernel, rung, buffer, sizeof buffer, &bytes),
        FMHAC_OK);
    assert_int_equal(bytes, emitted_bytes + is_text);
    assert_memory_equal(buffer, emitted, emitted_bytes);
    if (is_text)
      assert_int_equal(buffer[emitted_bytes], '\0');
    fmhac_free(emitted);
  }
  assert_int_equal(fmhac_kernel_get_text(kernel, "poem", NULL, 0, &bytes),
                   FMHAC_INVALID_INPUT);
  assert_non_null(strstr(fmhac_last_error(context), "found 'poem'"));
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
}

//===- The log ------------------------------------------------------------===//

typedef struct text {
  char bytes[4096];
} text;

/// Gathers lines as fmhac.h says that the kernel has them.
static void on_log(void *user, fmhac_severity severity, const char *line) {
  text *t = user;
  const size_t length = strlen(t->bytes);
  assert_in_range(severity, FMHAC_SEVERITY_WARNING, FMHAC_SEVERITY_REMARK);
  assert_in_range(
      snprintf(t->bytes + length, sizeof t->bytes - length, "%s: %s\n",
               severity == FMHAC_SEVERITY_REMARK ? "remark" : "warning", line),
      1, sizeof t->bytes - length - 1);
}

/// Compiles; what the kernel says of its log, and the context its callback.
static fmhac_stats ask(fmhac_context_options options, const char *json,
                       text *kernels, text *callbacks) {
  memset(kernels, 0, sizeof *kernels);
  memset(callbacks, 0, sizeof *callbacks);
  options.log = on_log;
  options.log_user = callbacks;
  fmhac_context *context = open_context(&options);
  fmhac_config *config = config_of(context, json);
  fmhac_kernel *kernel;
  size_t bytes;
  if (fmhac_compile(context, config, &kernel) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(context));
  assert_int_equal(fmhac_kernel_get_text(kernel, "log", kernels->bytes,
                                         sizeof kernels->bytes, &bytes),
                   FMHAC_OK);
  assert_int_equal(bytes, strlen(kernels->bytes) + 1);
  fmhac_stats stats = {.size = sizeof stats};
  assert_int_equal(fmhac_context_get_stats(context, &stats), FMHAC_OK);
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
  return stats;
}

/// Whatever an earlier run left is removed.
static void empty(const fmhac_context_options *options) {
  fmhac_context *context = open_context(options);
  fmhac_cache_usage usage = {.size = sizeof usage};
  assert_int_equal(fmhac_cache_prune(context, 0, &usage), FMHAC_OK);
  assert_int_equal(usage.entries, 0);
  fmhac_context_destroy(context);
}

/// The user's schedule gives a remark; a comparison for each score another.
static void test_log(void **state) {
  (void)state;
  static text kernels, callbacks, from_disk, silence;
  char directory[2048], json[8400], schedule[4096];
  snprintf(directory, sizeof directory, "%s/cache", folder);
  snprintf(schedule, sizeof schedule, "%s",
           write_file("own.mlir", fmhac_schedule_text("generic")));
  snprintf(json, sizeof json,
           "{\"head_dim\":64,\"schedule\":\"%s\",\"score_mod\":\"%s\"}",
           schedule,
           write_file("later.mlir",
                      "fmha.score_mod @later(%s: f32, %row: i32, %key: i32, "
                      "%head: i32, %batch: i32) {\n"
                      "  %zero = arith.constant 0.0 : f32\n"
                      "  %later = arith.cmpi slt, %row, %key : i32\n"
                      "  %x = arith.select %later, %zero, %s : f32\n"
                      "  fmha.yield %x : f32\n"
                      "}\n"));
  for (int in_process = 0; in_process < 2; ++in_process) {
    fmhac_context_options options = {.size = sizeof options,
                                     .cache_directory = directory,
                                     .compile_in_process = in_process};
    empty(&options);
    fmhac_stats stats = ask(options, json, &kernels, &callbacks);
    assert_int_equal(stats.compiles, 1);
    assert_string_equal(kernels.bytes, callbacks.bytes);
    static const char first[] =
        "remark: kept the schedule that came with the problem\n";
    static const char second[] = "remark: instructions are ordered for the "
                                 "fewest live registers: 1 comparisons ";
    // In the order of the passes; what other passes decline may stand between.
    const char *kept = strstr(kernels.bytes, first);
    assert_non_null(kept);
    assert_non_null(strstr(kept, second));
    // Nothing is compiled, so nothing is said, but the kernel has it.
    options.compile_in_process = false;
    options.compiler_program = "/no/compiler";
    stats = ask(options, json, &from_disk, &silence);
    assert_int_equal(stats.disk_hits, 1);
    assert_int_equal(stats.compiles, 0);
    assert_string_equal(from_disk.bytes, kernels.bytes);
    assert_string_equal(silence.bytes, "");
  }
}

/// A rung of a kernel that got the schedule in the place of one that a table
/// chose and that left too few registers is of that schedule.
static void second_schedule(const char *rows) {
  static char buffer[1 << 20];
  char json[8400];
  (void)write_file("tight.mlir",
                   "fmha.schedule @tight = @generic with <waves_per_simd = 4>");
  snprintf(json, sizeof json, "{\"score_mod\":\"%s\"}",
           write_file("half.mlir",
                      "fmha.score_mod @half(%s: f32, %row: i32, %key: i32, "
                      "%head: i32, %batch: i32) {\n"
                      "  %c = arith.constant 0.5 : f32\n"
                      "  %x = arith.mulf %s, %c : f32\n"
                      "  fmha.yield %x : f32\n"
                      "}\n"));
  char table[1024];
  snprintf(table, sizeof table,
           "dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,"
           "cycles,other,other_seconds,other_cycles,problem\n%s",
           rows);
  const fmhac_context_options options = {
      .size = sizeof options, .dispatch_table = write_file("tight.csv", table)};
  fmhac_context *context = open_context(&options);
  fmhac_config *config = config_of(context, json);
  fmhac_kernel *kernel;
  assert_int_equal(fmhac_compile(context, config, &kernel), FMHAC_OK);
  assert_string_equal(fmhac_kernel_get_schedule(kernel), "generic");
  size_t bytes;
  assert_int_equal(
      fmhac_kernel_get_text(kernel, "tiles", buffer, sizeof buffer, &bytes),
      FMHAC_OK);
  assert_non_null(strstr(buffer, "waves_per_simd = 2"));
  assert_null(strstr(buffer, "waves_per_simd = 4"));
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
}

static void test_second_schedule(void **state) {
  (void)state;
  second_schedule("*,*,*,*,*,*,tight.mlir,1,1,-,-,-,by hand\n");
  // One kernel has the problems of both rows, and those that neither has.
  second_schedule("*,*,*,*,*,1-256,tight.mlir,1,1,-,-,-,by hand\n"
                  "*,*,*,*,*,257-512,tight.mlir,1,1,-,-,-,by hand\n");
}

/// What was made from a text cannot be made from the configuration once more.
static void expect_no_rungs(const fmhac_kernel *kernel,
                            fmhac_context *context) {
  size_t bytes;
  assert_int_equal(fmhac_kernel_get_text(kernel, "synced", NULL, 0, &bytes),
                   FMHAC_UNSUPPORTED);
  assert_non_null(
      strstr(fmhac_last_error(context), "compiled from the text of a rung"));
  assert_int_equal(fmhac_kernel_get_text(kernel, "hsaco", NULL, 0, &bytes),
                   FMHAC_OK);
}

static void test_from_text(void **state) {
  (void)state;
  fmhac_context *context = open_context(NULL);
  fmhac_config *config = config_of(context, "{\"head_dim\":32}");
  void *bytes;
  size_t size;
  assert_int_equal(fmhac_emit(context, config, "tiles", &bytes, &size),
                   FMHAC_OK);
  char *printed = strndup(bytes, size);
  assert_non_null(printed);
  fmhac_free(bytes);
  fmhac_kernel *kernel, *again;
  assert_int_equal(
      fmhac_compile_from(context, config, "tile", printed, NULL, &kernel),
      FMHAC_INVALID_INPUT);
  assert_null(kernel);
  assert_non_null(strstr(fmhac_last_error(context), "did you mean 'tiles'?"));
  assert_int_equal(
      fmhac_compile_from(context, config, "tiles", "nonsense", NULL, &kernel),
      FMHAC_INVALID_INPUT);
  assert_non_null(strstr(fmhac_last_error(context), "tiles:1:1: "));
  assert_int_equal(
      fmhac_compile_from(context, config, "tiles", printed, NULL, &kernel),
      FMHAC_OK);
  expect_no_rungs(kernel, context);
  const void *code;
  assert_int_equal(fmhac_kernel_get_code(kernel, &code, &size), FMHAC_OK);
  assert_int_equal(fmhac_kernel_create_from_code(context, code, size, &again),
                   FMHAC_OK);
  expect_no_rungs(again, context);
  // The context looks nothing up that somebody may have edited.
  fmhac_kernel_destroy(again);
  assert_int_equal(fmhac_compile(context, config, &again), FMHAC_OK);
  assert_int_equal(fmhac_kernel_get_text(again, "problem", NULL, 0, &size),
                   FMHAC_OK);
  fmhac_kernel_destroy(again);
  fmhac_kernel_destroy(kernel);
  free(printed);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
}

int main(int argc, char **argv) {
  if (!take_folder(argc, argv))
    return 2;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_text),
      cmocka_unit_test(test_log),
      cmocka_unit_test(test_second_schedule),
      cmocka_unit_test(test_from_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
