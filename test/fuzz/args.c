// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: a command line and the file of --config. The input is one argument a
// line up to the first byte 0; what follows it is the file, under the name
// FUZZ_FILE.
#include "args.h"

#include <string.h>

#include "captured.h"
#include "emu_flags.h"
#include "fuzz.h"

enum { MAX_ARGUMENTS = 64 };

/// Splits `text` into lines, after the name of the sub-command and --json.
static int split(char *text, char **argv) {
  int argc = 0;
  argv[argc++] = "run";
  argv[argc++] = "--json";
  char *rest = text;
  for (char *line; argc < MAX_ARGUMENTS && (line = strsep(&rest, "\n"));)
    if (*line)
      argv[argc++] = line;
  argv[argc] = NULL;
  return argc;
}

static int load_config(const args *a, const report *r, fmhac_context *context) {
  cJSON *options = NULL;
  fmhac_config *config = NULL;
  int code = args_load_config(a, r, context, &options, &config);
  FUZZ_CHECK(code == ARGS_CONTINUE || code == EXIT_USAGE ||
                 code == EXIT_UNSUPPORTED,
             "exit code %d", code);
  FUZZ_CHECK((code == ARGS_CONTINUE) == (config && options), "exit code %d",
             code);
  if (code == ARGS_CONTINUE) {
    // What a run asks for next.
    int64_t batch = option_integer(options, "batch");
    FUZZ_CHECK(batch >= 1 && batch <= 65535, "batch %lld", (long long)batch);
    int64_t rows = option_integer(options, "seqlen_kv");
    FUZZ_CHECK(rows >= 1 && rows <= INT32_MAX, "rows %lld", (long long)rows);
    double scale = option_real(options, "scale");
    FUZZ_CHECK(scale >= -65536 && scale <= 65536, "scale %g", scale);
    FUZZ_CHECK(option_text(options, "layout"), "no layout");
  }
  fmhac_config_destroy(config);
  cJSON_Delete(options);
  return code;
}

/// What a sub-command does before its own work; ARGS_CONTINUE or an exit code.
static int begin(int argc, char **argv) {
  const char *output = NULL;
  emu_flags emu = {0};
  const flag flags[] = {
      {"o", "FILE", "result", FLAG_TEXT, &output},
      EMU_FLAGS(emu),
  };
  const command cmd = {.name = "run",
                       .synopsis = "CONFIG PROBLEM",
                       .summary = "Stands for every sub-command.",
                       .flags = flags,
                       .flag_count = sizeof flags / sizeof *flags,
                       .takes_config = true,
                       .takes_problem = true,
                       .most_positionals = 2};
  report r = {.command = "run"};
  args a = {0};
  fmhac_context *context = NULL;
  if (fmhac_context_create(NULL, &context) != FMHAC_OK)
    abort();
  int code = args_parse(&cmd, argc, argv, &r, &a);
  FUZZ_CHECK(code == ARGS_CONTINUE || code == EXIT_DONE || code == EXIT_USAGE,
             "exit code %d", code);
  if (code == ARGS_CONTINUE) {
    char error[ERROR_BYTES] = "";
    fmhac_emu_options options;
    FUZZ_CHECK(emu_flags_apply(&emu, &options, error) || error[0],
               "no reason is given");
    code = load_config(&a, &r, context);
  }
  args_deinit(&a);
  fmhac_context_destroy(context);
  return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text)
    abort();
  if (size)
    memcpy(text, data, size);
  text[size] = '\0';
  size_t length = strlen(text);
  if (length < size)
    fuzz_files_set(data + length + 1, size - length - 1);
  char *argv[MAX_ARGUMENTS + 1];
  int argc = split(text, argv);
  char *printed;
  int code = fuzz_captured(begin, argc, argv, &printed);
  if (code == ARGS_CONTINUE)
    FUZZ_CHECK(!printed[0], "printed before the work: %s", printed);
  else if (code != EXIT_DONE)
    fuzz_check_json(printed);
  free(printed);
  fuzz_files_reset();
  free(text);
  return 0;
}
