// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac doctor: the machine, and checks of the parts of this build.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "commands.h"
#include "files.h"
#include "fmhac_cache.h"
#include "fmhac_emu.h"
#include "fmhac_options.h"
#include "fmhac_schedule.h"
#include "processors.h"
#include "streams.h"

/// Vector extensions that the emulator and the reference make use of.
static void add_cpu(cJSON *object) {
  char features[64] = "none";
#if defined(__x86_64__)
  snprintf(features, sizeof features, "%s%s%s%s",
           __builtin_cpu_supports("avx2") ? "avx2 " : "",
           __builtin_cpu_supports("fma") ? "fma " : "",
           __builtin_cpu_supports("f16c") ? "f16c " : "",
           __builtin_cpu_supports("avx512f") ? "avx512f " : "");
  size_t length = strlen(features);
  if (length)
    features[length - 1] = '\0';
#endif
  // The processors that this process may use; "one per processor" elsewhere
  // counts these.
  cJSON_AddNumberToObject(object, "cores", fmhac_processors());
  cJSON_AddStringToObject(object, "cpu_features", features);
  double pages = (double)sysconf(_SC_PHYS_PAGES);
  cJSON_AddNumberToObject(object, "memory_bytes",
                          pages * (double)sysconf(_SC_PAGESIZE));
}

/// A buffer that is written and read back: the least that every run needs.
static bool check_emulator(fmhac_rt_device *device, char error[ERROR_BYTES]) {
  static const uint8_t pattern[16] = {1,  2,  3,   5,   8,   13, 21,  34,
                                      55, 89, 144, 233, 121, 98, 219, 61};
  uint8_t back[sizeof pattern] = {0};
  uint64_t address = 0;
  fmhac_status status = fmhac_rt_alloc(device, sizeof pattern, &address);
  if (status == FMHAC_OK)
    status = fmhac_rt_copy_in(device, address, pattern, sizeof pattern);
  if (status == FMHAC_OK)
    status = fmhac_rt_copy_out(device, address, back, sizeof back);
  if (status == FMHAC_OK)
    status = fmhac_rt_free(device, address);
  if (status != FMHAC_OK)
    snprintf(error, ERROR_BYTES, "%s: %.400s", fmhac_status_name(status),
             fmhac_rt_last_error(device));
  else if (memcmp(pattern, back, sizeof pattern) != 0)
    snprintf(error, ERROR_BYTES,
             "device memory did not keep the written bytes");
  else
    return true;
  return false;
}

/// {available, name | reason} of a device; the emulator is also tried out.
static cJSON *describe_device(const char *uri, bool *out_works) {
  cJSON *object = cJSON_CreateObject();
  char error[ERROR_BYTES] = "";
  fmhac_rt_device *device;
  fmhac_status status =
      fmhac_rt_device_open_with_text(uri, error, sizeof error, &device);
  bool works = status == FMHAC_OK;
  fmhac_rt_device_info info = {.size = sizeof info};
  if (works && fmhac_rt_device_get_info(device, &info) == FMHAC_OK) {
    cJSON_AddStringToObject(object, "name", info.name);
    cJSON_AddStringToObject(object, "architecture", info.architecture);
    cJSON_AddNumberToObject(object, "compute_units", info.compute_units);
    cJSON_AddNumberToObject(object, "memory_bytes", (double)info.memory_bytes);
    if (info.driver[0])
      cJSON_AddStringToObject(object, "driver", info.driver);
  }
  if (works && strcmp(uri, "emu") == 0)
    works = check_emulator(device, error);
  cJSON_AddBoolToObject(object, "available", works);
  if (!works)
    cJSON_AddStringToObject(object, "reason", error);
  if (status == FMHAC_OK)
    fmhac_rt_device_close(device);
  *out_works = works;
  return object;
}

/// Whether the compiler, where the environment has it work, compiles its first
/// schedule: named, so that no table of schedules has a say.
static bool check_compiler(char error[ERROR_BYTES]) {
  const fmhac_context_options options = {.size = sizeof options,
                                         .no_cache_directories = true};
  char json[128];
  fmhac_context *context;
  fmhac_config *config = NULL;
  fmhac_kernel *kernel = NULL;
  fmhac_status status = fmhac_context_create_from_environment(
      &options, error, ERROR_BYTES, &context);
  if (status != FMHAC_OK)
    return false;
  snprintf(json, sizeof json, "{\"schedule\": \"%s\"}", fmhac_schedule_name(0));
  status = fmhac_config_create_json(context, json, &config);
  if (status == FMHAC_OK)
    status = fmhac_compile(context, config, &kernel);
  if (status != FMHAC_OK)
    snprintf(error, ERROR_BYTES, "%.500s", fmhac_last_error(context));
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
  return status == FMHAC_OK;
}

/// The library's variables and their values; then those that look like them
/// and that nobody reads.
static cJSON *describe_environment(void) {
  cJSON *list = cJSON_CreateArray();
  const fmhac_environment_variable *v;
  for (size_t i = 0; (v = fmhac_environment_get(i)); ++i) {
    cJSON *object = cJSON_CreateObject();
    const char *value = getenv(v->name);
    cJSON_AddStringToObject(object, "name", v->name);
    json_add_text(object, "value", value);
    cJSON_AddStringToObject(object, "expects", v->metavar);
    cJSON_AddStringToObject(object, "default", v->fallback);
    cJSON_AddStringToObject(object, "help", v->help);
    cJSON_AddItemToArray(list, object);
  }
  static const char prefix[] = "FMHAC_";
  for (char **each = environ; *each; ++each) {
    bool known = strncmp(*each, prefix, sizeof prefix - 1) != 0;
    for (size_t i = 0; !known && (v = fmhac_environment_get(i)); ++i) {
      size_t n = strlen(v->name);
      known = strncmp(*each, v->name, n) == 0 && (*each)[n] == '=';
    }
    if (known)
      continue;
    cJSON *object = cJSON_CreateObject();
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(*each, "="), *each);
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddBoolToObject(object, "unknown", true);
    cJSON_AddItemToArray(list, object);
  }
  return list;
}

static void print_environment(const cJSON *list) {
  const cJSON *each;
  cJSON_ArrayForEach(each, list) {
    const char *name = text_in(each, "name");
    const char *value = cJSON_GetStringValue(json_get(each, "value"));
    if (json_get(each, "unknown"))
      printx("%-21s  read by nothing: a misspelling?\n", name);
    else
      printx("%-21s  %s%s: %s\n", name,
             value ? value : text_in(each, "default"),
             value ? "" : " (not set)", text_in(each, "help"));
  }
}

static bool stop_at_once(void *user, const fmhac_cache_entry *entry) {
  (void)user;
  (void)entry;
  return false;
}

/// Whether the environment's variables have values of their own, the table of
/// schedules that they name is one, and the cache directory can be used.
static bool check_environment(char error[ERROR_BYTES]) {
  fmhac_context *context;
  fmhac_config *config = NULL;
  fmhac_status status =
      fmhac_context_create_from_environment(NULL, error, ERROR_BYTES, &context);
  if (status != FMHAC_OK)
    return false;
  // Reads the table, as every configuration does that names no schedule.
  status = fmhac_config_create_json(context, "{}", &config);
  if (status != FMHAC_OK)
    snprintf(error, ERROR_BYTES, "FMHAC_DISPATCH: %.480s",
             fmhac_last_error(context));
  if (status == FMHAC_OK && fmhac_cache_get_directory(context)) {
    status = fmhac_cache_visit(context, stop_at_once, NULL);
    if (status != FMHAC_OK)
      snprintf(error, ERROR_BYTES, "%.500s", fmhac_last_error(context));
  }
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
  return status == FMHAC_OK;
}

static void print_device(const char *title, const cJSON *device) {
  const char *driver = text_in(device, "driver");
  if (json_get(device, "reason"))
    printx("%-10s  not available: %s\n", title, text_in(device, "reason"));
  else
    printx("%-10s  ok: %s%s%s\n", title, text_in(device, "name"),
           driver[0] ? ", through " : "", driver);
}

static void print_findings(const cJSON *o, const char *compiler_error) {
  printx("%-10s  %s\n", "version", text_in(o, "version"));
  printx("%-10s  %.0f cores, %s, %.1f GiB\n", "machine", number_in(o, "cores"),
         text_in(o, "cpu_features"), number_in(o, "memory_bytes") / 0x1p30);
  printx("%-10s  %s%s\n", "compiler", compiler_error[0] ? "FAILS: " : "ok",
         compiler_error);
  print_device("emulator", json_get(o, "emu"));
  print_device("GPU", json_get(o, "hip"));
  print_environment(json_get(o, "environment"));
}

int cmd_doctor(int argc, char **argv) {
  const command cmd = {
      .name = "doctor",
      .synopsis = "",
      .summary = "Shows the processors, GPU and HIP runtime of this machine "
                 "and tries the compiler and the\nemulator. Without a GPU "
                 "everything but --device=hip works.",
  };
  report r = {0};
  args a;
  int code = args_parse(&cmd, argc, argv, &r, &a);
  args_deinit(&a);
  if (code != ARGS_CONTINUE)
    return code;
  cJSON *object = cJSON_CreateObject();
  char compiler_error[ERROR_BYTES] = "";
  char environment_error[ERROR_BYTES] = "";
  bool compiler = check_compiler(compiler_error), emulator, hip;
  bool environment = check_environment(environment_error);
  cJSON_AddStringToObject(object, "version", fmhac_version_text());
  add_cpu(object);
  cJSON_AddBoolToObject(object, "compiler", compiler);
  cJSON_AddItemToObject(object, "emu", describe_device("emu", &emulator));
  cJSON_AddItemToObject(object, "hip", describe_device("hip", &hip));
  cJSON_AddItemToObject(object, "environment", describe_environment());
  if (!environment) {
    report_message(&r, MESSAGE_ERROR, "%s", environment_error);
    cJSON_AddStringToObject(object, "environment_error", environment_error);
  }
  // A missing GPU is no defect; a compiler or an emulator that does not work is
  // one.
  bool ok = compiler && emulator && environment;
  int exit_code = ok ? EXIT_DONE : EXIT_CHECK;
  cJSON_AddBoolToObject(object, "ok", ok);
  if (r.json)
    return report_json(object, exit_code);
  print_findings(object, compiler_error);
  cJSON_Delete(object);
  return exit_code;
}
