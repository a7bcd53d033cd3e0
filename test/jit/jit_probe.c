// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// jit_probe DIRECTORY|- [-r DIRECTORY]... [-n N] [-l LIMIT_BYTES] [-m KERNELS]
// CONFIG...
//
// Compiles each configuration N times (default once) in one context with that
// cache directory
// (-: none), those read-only ones and those limits. Prints "HASH-OF-CODE BYTES"
// for each, then "compiles C memory_hits M disk_hits D"; warnings of the log go
// to stderr.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "fmhac.h"

static void on_log(void *user, fmhac_severity severity, const char *text) {
  (void)user;
  if (severity != FMHAC_SEVERITY_REMARK)
    fprintf(stderr, "log: %s\n", text);
}

static int compile(fmhac_context *context, const char *json, long times) {
  fmhac_config *config = NULL;
  unsigned long long first = 0;
  size_t bytes = 0;
  fmhac_status status = fmhac_config_create_json(context, json, &config);
  for (long i = 0; status == FMHAC_OK && i < times; ++i) {
    fmhac_kernel *kernel = NULL;
    const void *code = NULL;
    status = fmhac_compile(context, config, &kernel);
    if (status == FMHAC_OK)
      status = fmhac_kernel_get_code(kernel, &code, &bytes);
    if (status == FMHAC_OK) {
      unsigned long long hash = XXH3_64bits(code, bytes);
      if (i && hash != first) {
        fprintf(stderr, "%s: other code the second time\n", json);
        return 1;
      }
      first = hash;
    }
    fmhac_kernel_destroy(kernel);
  }
  if (status != FMHAC_OK)
    fprintf(stderr, "%s: status %d: %s\n", json, (int)status,
            fmhac_last_error(context));
  else
    printf("%016llx %zu\n", first, bytes);
  fmhac_config_destroy(config);
  return status != FMHAC_OK;
}

int main(int argc, char **argv) {
  const char *read_only[16];
  fmhac_context_options options = {.size = sizeof options, .log = on_log};
  long times = 1;
  int i = 2;
  if (argc < 3)
    return 2;
  options.cache_directory = strcmp(argv[1], "-") == 0 ? NULL : argv[1];
  options.read_only_cache_directories = read_only;
  for (; i + 1 < argc && argv[i][0] == '-'; i += 2)
    if (argv[i][1] == 'r' && options.read_only_cache_directory_count < 16)
      read_only[options.read_only_cache_directory_count++] = argv[i + 1];
    else if (argv[i][1] == 'l')
      options.cache_limit_bytes = strtoull(argv[i + 1], NULL, 10);
    else if (argv[i][1] == 'm')
      options.memory_kernels = (uint32_t)strtoul(argv[i + 1], NULL, 10);
    else
      times = strtol(argv[i + 1], NULL, 10);
  fmhac_context *context;
  if (fmhac_context_create(&options, &context) != FMHAC_OK)
    return 1;
  int failed = 0;
  for (; i < argc; ++i)
    failed |= compile(context, argv[i], times);
  fmhac_stats stats = {.size = sizeof stats};
  if (fmhac_context_get_stats(context, &stats) != FMHAC_OK)
    failed = 1;
  printf("compiles %llu memory_hits %llu disk_hits %llu\n",
         (unsigned long long)stats.compiles,
         (unsigned long long)stats.memory_hits,
         (unsigned long long)stats.disk_hits);
  fmhac_context_destroy(context);
  return failed;
}
