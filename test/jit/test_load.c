// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler is loaded when it is needed and not before, and what is said
// where it cannot be. Each scenario is a process of its own, as what is loaded
// stays. argv[1]: a directory to write in.
#include "jit_test.h"

#include <pthread.h>
#include <unistd.h>

#include "fmhac.h"
#include "fmhac_cache.h"
#include "fmhac_schedule.h"

static const char k_config[] = "{\"dtype\":\"bf16\",\"head_dim\":64}";
static const char k_other[] = "{\"dtype\":\"f16\",\"head_dim\":64}";

//===- The scenarios, each in a process -----------------------------------===//

#define REQUIRE(condition)                                                     \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/// Whether the process has a file whose path has this part in memory.
static bool is_loaded(const char *part) {
  char line[4096];
  bool found = false;
  FILE *maps = fopen("/proc/self/maps", "r");
  REQUIRE(maps);
  while (fgets(line, sizeof line, maps))
    found |= strstr(line, part) != NULL;
  fclose(maps);
  return found;
}

static bool has_compiler(void) { return is_loaded("/compiler.so"); }
static bool has_mlir(void) { return is_loaded("/libMLIR.so"); }
static bool has_llvm(void) { return is_loaded("/libLLVM.so"); }
static bool has_any(void) { return has_compiler() || has_mlir() || has_llvm(); }
/// The compiler has MLIR for itself.
static bool has_all(void) {
  return has_compiler() && has_llvm() && !has_mlir();
}

static char last_warning[4096];

static void on_log(void *user, fmhac_severity severity, const char *line) {
  (void)user;
  if (severity == FMHAC_SEVERITY_WARNING)
    snprintf(last_warning, sizeof last_warning, "%s", line);
}

static fmhac_context *open_context(const char *cache, bool in_process) {
  const fmhac_context_options options = {.size = sizeof options,
                                         .cache_directory = cache,
                                         .compile_in_process = in_process,
                                         .log = on_log};
  fmhac_context *context;
  REQUIRE(fmhac_context_create(&options, &context) == FMHAC_OK);
  return context;
}

static fmhac_kernel *compile(fmhac_context *context, const char *json) {
  fmhac_config *config;
  fmhac_kernel *kernel;
  REQUIRE(fmhac_config_create_json(context, json, &config) == FMHAC_OK);
  if (fmhac_compile(context, config, &kernel) != FMHAC_OK) {
    fprintf(stderr, "%s\n", fmhac_last_error(context));
    exit(1);
  }
  fmhac_config_destroy(config);
  return kernel;
}

/// A real compilation here, which fills the cache.
static void fill(const char *cache) {
  fmhac_context *context = open_context(cache, true);
  REQUIRE(!has_any());
  fmhac_kernel_destroy(compile(context, k_config));
  REQUIRE(has_all());
  fmhac_context_destroy(context);
}

static void launch(const fmhac_kernel *kernel, fmhac_rt_device *device) {
  enum { S = 16, D = 64, BYTES = S * D * 2 };
  static const char zeros[BYTES];
  const fmhac_problem most = {sizeof most, 1, 1, 1, S, S, 0, 0};
  fmhac_tensors t = FMHAC_TENSORS_INIT;
  fmhac_plan *plan;
  uint64_t at[4];
  for (int i = 0; i < 4; ++i)
    REQUIRE(fmhac_rt_alloc(device, BYTES, &at[i]) == FMHAC_OK &&
            fmhac_rt_copy_in(device, at[i], zeros, BYTES) == FMHAC_OK);
  REQUIRE(fmhac_plan_create(kernel, &most, &plan) == FMHAC_OK);
  REQUIRE(fmhac_tensors_dense(plan, &most, at[0], at[1], at[2], at[3], 0, &t) ==
          FMHAC_OK);
  REQUIRE(fmhac_plan_load(plan, device) == FMHAC_OK);
  REQUIRE(fmhac_launch(plan, device, &t, NULL, NULL) == FMHAC_OK);
  REQUIRE(fmhac_rt_synchronize(device) == FMHAC_OK);
  fmhac_plan_destroy(plan);
  for (int i = 0; i < 4; ++i)
    REQUIRE(fmhac_rt_free(device, at[i]) == FMHAC_OK);
}

/// A kernel of the cache, launched on a GPU; then one that is not there.
static void hit(const char *cache) {
  fmhac_context *context = open_context(cache, true);
  fmhac_rt_device *device;
  fmhac_stats stats = {.size = sizeof stats};
  fmhac_kernel *kernel = compile(context, k_config);
  REQUIRE(fmhac_context_get_stats(context, &stats) == FMHAC_OK);
  REQUIRE(stats.disk_hits == 1 && stats.compiles == 0);
  REQUIRE(fmhac_rt_device_open("hip", &device) == FMHAC_OK);
  REQUIRE(is_loaded("/libamdhip64.so"));
  launch(kernel, device);
  REQUIRE(!has_any());
  fmhac_kernel_destroy(compile(context, k_other));
  REQUIRE(has_all());
  fmhac_kernel_destroy(kernel);
  fmhac_rt_device_close(device);
  fmhac_context_destroy(context);
}

static void run_on_emulator(const char *cache) {
  fmhac_context *context = open_context(cache, true);
  fmhac_rt_device *device;
  fmhac_kernel *kernel = compile(context, k_config);
  REQUIRE(fmhac_rt_device_open("emu", &device) == FMHAC_OK);
  launch(kernel, device);
  fmhac_kernel_destroy(kernel);
  fmhac_rt_device_close(device);
  fmhac_context_destroy(context);
}

/// The same on the emulator, which decodes what it runs.
static void emulate(const char *cache) {
  run_on_emulator(cache);
  REQUIRE(has_llvm() && !has_mlir() && !has_compiler());
}

/// A compilation in a process of its own.
static void remote(const char *cache) {
  (void)cache;
  fmhac_context *context = open_context(NULL, false);
  fmhac_kernel_destroy(compile(context, k_config));
  REQUIRE(!has_any());
  fmhac_context_destroy(context);
}

static void *compile_there(void *unused) {
  fmhac_context *context = open_context(NULL, true);
  fmhac_kernel_destroy(compile(context, k_config));
  fmhac_context_destroy(context);
  return unused;
}

/// Contexts that need the compiler at once, beside one that needs the decoder.
static void many(const char *cache) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    REQUIRE(pthread_create(&threads[i], NULL, compile_there, NULL) == 0);
  run_on_emulator(cache);
  for (int i = 0; i < THREADS; ++i)
    REQUIRE(pthread_join(threads[i], NULL) == 0);
  REQUIRE(has_all());
}

/// A copy of the library without a compiler, with one of another build, with
/// a file that is none; at last with its own.
static void alone(const char *path) {
  static const struct {
    const char *file; ///< what is put in the compiler's place; NULL: nothing
    fmhac_status status;
    const char *says;
  } cases[] = {{NULL, FMHAC_IO_ERROR, "cannot open shared object"},
               {FMHAC_TEST_OTHER_COMPILER, FMHAC_INTERNAL,
                "of another build than the library"},
               {"/proc/self/status", FMHAC_IO_ERROR, "install libfmhac as a"},
               {FMHAC_TEST_COMPILER, FMHAC_OK, ""}};
  int64_t rows, keys;
  fmhac_context *context = open_context(NULL, true);
  // The identity of the compiler, which kernels are kept by, is not known
  // either until there is one.
  char cache[4096];
  REQUIRE(snprintf(cache, sizeof cache, "%s.cache", path) < (int)sizeof cache);
  fmhac_context *keeper = open_context(cache, true);
  fmhac_config *config;
  fmhac_kernel *kernel;
  REQUIRE(fmhac_config_create_json(keeper, k_config, &config) == FMHAC_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    (void)unlink(path);
    REQUIRE(!cases[i].file || symlink(cases[i].file, path) == 0);
    if (cases[i].status == FMHAC_IO_ERROR) {
      REQUIRE(fmhac_compile(keeper, config, &kernel) == FMHAC_IO_ERROR);
      REQUIRE(strstr(last_warning, "cache directories are left alone: "));
      REQUIRE(strstr(last_warning, cases[i].says));
    }
    fmhac_status status = fmhac_schedule_get_tile(
        context, fmhac_schedule_text("generic"), "generic", &rows, &keys);
    const char *said = status == FMHAC_OK ? "" : fmhac_last_error(context);
    if (status != cases[i].status || !strstr(said, cases[i].says) ||
        (status != FMHAC_OK && !strstr(said, path))) {
      fprintf(stderr, "case %zu: status %d: %s\n", i, (int)status, said);
      exit(1);
    }
  }
  REQUIRE(rows > 0 && keys > 0);
  fmhac_kernel_destroy(compile(keeper, k_config));
  fmhac_config_destroy(config);
  fmhac_context_destroy(keeper);
  fmhac_context_destroy(context);
}

/// The cache of `alone`, by a library that has no compiler any more: whoever
/// does not know its own build leaves the kernels alone.
static void unknown(const char *path) {
  char cache[4096];
  REQUIRE(snprintf(cache, sizeof cache, "%s.cache", path) < (int)sizeof cache);
  REQUIRE(unlink(path) == 0);
  fmhac_context *context = open_context(cache, true);
  fmhac_cache_usage usage = {.size = sizeof usage};
  REQUIRE(fmhac_cache_clean(context, true, &usage) == FMHAC_IO_ERROR);
  REQUIRE(strstr(fmhac_last_error(context), "this build is not known"));
  REQUIRE(strstr(fmhac_last_error(context), "cannot open shared object"));
  REQUIRE(fmhac_cache_clean(context, false, &usage) == FMHAC_OK);
  REQUIRE(usage.entries == 1 && usage.removed == 0);
  fmhac_context_destroy(context);
}

static const struct {
  const char *name;
  void (*run)(const char *path);
} scenarios[] = {{"fill", fill},      {"hit", hit},   {"emulate", emulate},
                 {"remote", remote},  {"many", many}, {"alone", alone},
                 {"unknown", unknown}};
enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

static int run_scenario(const char *name, const char *path) {
  for (size_t i = 0; i < SCENARIOS; ++i)
    if (strcmp(name, scenarios[i].name) == 0) {
      scenarios[i].run(path);
      return 0;
    }
  return 2;
}

//===- The tests ----------------------------------------------------------===//

/// Runs a scenario in a process with that environment.
static void in_process(const char *environment, const char *scenario,
                       const char *path) {
  char self[4096], command[16384];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  assert_true(length > 0);
  self[length] = '\0';
  assert_true(snprintf(command, sizeof command,
                       "%s exec '%s' --scenario %s '%s'", environment, self,
                       scenario, path) < (int)sizeof command);
  assert_int_equal(system(command), 0);
}

static const char *path_in_folder(const char *name) {
  static char path[4096];
  assert_true(snprintf(path, sizeof path, "%s/%s", folder, name) <
              (int)sizeof path);
  return path;
}

static void test_needed_only_to_compile(void **state) {
  (void)state;
  char cache[4096];
  strcpy(cache, path_in_folder("cache"));
  char clean[8192];
  snprintf(clean, sizeof clean, "rm -rf '%s'", cache);
  assert_int_equal(system(clean), 0);
  in_process("", "fill", cache);
  in_process("FMHAC_TEST_HIP_NULL_LAUNCH=1 LD_LIBRARY_PATH='" FMHAC_TEST_HIP
             "'",
             "hit", cache);
  in_process("", "emulate", cache);
  in_process("", "many", cache);
}

static void test_not_needed_for_a_process(void **state) {
  (void)state;
  in_process("", "remote", "");
}

static void test_not_there_or_of_another_build(void **state) {
  (void)state;
  char command[16384], environment[8192];
  snprintf(command, sizeof command,
           "rm -rf '%s/alone' && mkdir -p '%s/alone/fmhac' && cp '%s' "
           "'%s/alone/libfmhac.so.1'",
           folder, folder, FMHAC_TEST_LIBRARY, folder);
  assert_int_equal(system(command), 0);
  char real[4096];
  assert_non_null(realpath(folder, real));
  snprintf(environment, sizeof environment, "LD_LIBRARY_PATH='%s/alone'", real);
  char path[8192];
  snprintf(path, sizeof path, "%s/alone/fmhac/compiler.so", real);
  in_process(environment, "alone", path);
  in_process(environment, "unknown", path);
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "--scenario") == 0)
    return run_scenario(argv[2], argv[3]);
  if (!take_folder(argc, argv))
    return 2;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_needed_only_to_compile),
      cmocka_unit_test(test_not_needed_for_a_process),
      cmocka_unit_test(test_not_there_or_of_another_build)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
