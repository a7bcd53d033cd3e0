// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `fmhac emu LAUNCH.json`: runs a code object on the embedded emulator.
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fmhac_emu.h"
#include "launch_json.h"

int cmd_emu(int argc, char **argv);

enum { EXIT_DONE, EXIT_CHECK, EXIT_INPUT, EXIT_SUPPORT, EXIT_DEVICE, EXIT_OWN };

typedef struct command {
  const char *path;
  bool json;
  fmhac_emu_options options;
  launch_description launch;
  uint64_t *addresses; ///< of the buffers
  fmhac_rt_device *device;
  struct timespec start;
  bool shown; ///< a progress line stands on the terminal
} command;

static const char k_help[] =
    "usage: fmhac emu [options] LAUNCH.json\n"
    "Runs any gfx950 code object on the embedded emulator.\n"
    "\n"
    "  --check=LIST            none, all, or of mem,sync,wait (default: all\n"
    "                          three); race, init, hazard are not built yet\n"
    "  --sched=MODE            rr[:QUANTUM] (default rr:16), until-blocked,\n"
    "                          random:SEED: how waves take turns\n"
    "  --landing=MODE          default, early, late, random:SEED: when the "
    "data\n"
    "                          of outstanding operations arrives\n"
    "  --max-instructions=N    budget of a workgroup (default 2^33)\n"
    "  --threads=N             host threads (default: one a core)\n"
    "  --json                  one JSON object on stdout\n"
    "  --help                  this text\n"
    "\n"
    "LAUNCH.json (paths relative to it):\n"
    "  { \"code_object\": \"k.hsaco\", \"kernel\": \"name\",\n"
    "    \"grid\": [workgroups x,y,z], \"block\": [work-items x,y,z],\n"
    "    \"dynamic_lds\": 0,\n"
    "    \"buffers\": { \"q\": {\"bytes\": 64, \"file\": \"q.bin\"},\n"
    "                 \"o\": {\"bytes\": 64, \"fill\": 255, \"out\": "
    "\"o.bin\",\n"
    "                       \"base\": \"0x130000000000\"} },\n"
    "    \"kernarg\": [ {\"offset\": 0, \"buffer\": \"o\", \"add\": 0},\n"
    "                 {\"offset\": 8, \"u32\": 7}, {\"offset\": 12, \"f32\": "
    "0.5},\n"
    "                 {\"offset\": 16, \"u64\": 1} ],\n"
    "    \"kernarg_bytes\": 64, \"workgroups\": [[0,0,0]] }\n"
    "  (\"kernarg_file\": raw bytes instead of \"kernarg\")\n"
    "\n"
    "exit: 0 done; 1 findings; 2 bad input; 3 unsupported; 4 the emulator "
    "could\n"
    "not go on (unknown instruction, deadlock, budget); 5 internal\n";

static int fail(int code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int fail(int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("fmhac emu: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return code;
}

static int exit_code(fmhac_status status) {
  switch (status) {
  case FMHAC_OK:
    return EXIT_DONE;
  case FMHAC_CHECK_FAILED:
    return EXIT_CHECK;
  case FMHAC_INVALID_INPUT:
  case FMHAC_IO_ERROR:
    return EXIT_INPUT;
  case FMHAC_UNSUPPORTED:
    return EXIT_SUPPORT;
  case FMHAC_LAUNCH_FAILED:
  case FMHAC_DEVICE_UNAVAILABLE:
  case FMHAC_OUT_OF_MEMORY:
    return EXIT_DEVICE;
  default:
    return EXIT_OWN;
  }
}

//===-- options
//------------------------------------------------------------------===//

static bool number(const char *text, uint64_t *out) {
  char *end;
  errno = 0;
  *out = strtoull(text, &end, 0);
  return *text >= '0' && *text <= '9' && !*end && !errno;
}

static int parse_checks(const char *list, uint32_t *out) {
  static const char *const names[] = {"mem",    "sync", "wait", "race", "init",
                                      "hazard", "none", "all",  NULL};
  static const uint32_t bits[] = {FMHAC_EMU_CHECK_MEM,
                                  FMHAC_EMU_CHECK_SYNC,
                                  FMHAC_EMU_CHECK_WAIT,
                                  FMHAC_EMU_CHECK_RACE,
                                  FMHAC_EMU_CHECK_INIT,
                                  FMHAC_EMU_CHECK_HAZARD,
                                  0,
                                  FMHAC_EMU_CHECK_IMPLEMENTED};
  *out = 0;
  char word[32];
  for (const char *p = list;; p++) {
    size_t n = strcspn(p, ",");
    snprintf(word, sizeof word, "%.*s", (int)(n < 31 ? n : 31), p);
    int i = 0;
    while (names[i] && strcmp(names[i], word) != 0)
      i++;
    if (!names[i]) {
      const char *near = nearest_word(word, names);
      return fail(EXIT_INPUT, "--check: unknown checker \"%s\"%s%s%s", word,
                  near ? "; did you mean \""
                       : "; known are none, all, mem, "
                         "sync, wait, race, init, hazard",
                  near ? near : "", near ? "\"?" : "");
    }
    if (i >= 6 && (p != list || p[n]))
      return fail(EXIT_INPUT, "--check: \"%s\" stands alone", word);
    *out |= bits[i];
    p += n;
    if (!*p)
      return 0;
  }
}

static int parse_mode(command *c, const char *option, const char *value) {
  const char *colon = strchr(value, ':');
  size_t n = colon ? (size_t)(colon - value) : strlen(value);
  uint64_t x = 0;
  if (colon && !number(colon + 1, &x))
    return fail(EXIT_INPUT, "--%s=%s: expected a number after \":\"", option,
                value);
#define IS(word) (n == strlen(word) && strncmp(value, word, n) == 0)
  if (strcmp(option, "sched") == 0) {
    if (IS("rr") && (!colon || (x >= 1 && x <= 1u << 30))) {
      c->options.sched = FMHAC_EMU_SCHED_ROUND_ROBIN;
      c->options.quantum = (uint32_t)x;
      return 0;
    }
    if (IS("until-blocked") && !colon) {
      c->options.sched = FMHAC_EMU_SCHED_UNTIL_BLOCKED;
      return 0;
    }
    if (IS("random") && colon) {
      c->options.sched = FMHAC_EMU_SCHED_RANDOM;
      c->options.seed ^= x * 0x9e3779b97f4a7c15u;
      return 0;
    }
    return fail(EXIT_INPUT,
                "--sched=%s: expected rr, rr:QUANTUM (1 to 2^30), "
                "until-blocked or random:SEED",
                value);
  }
  if (IS("random") && colon) {
    c->options.landing = FMHAC_EMU_LANDING_RANDOM;
    c->options.seed ^= x;
    return 0;
  }
  if (!colon && (IS("default") || IS("early") || IS("late"))) {
    c->options.landing = IS("default") ? FMHAC_EMU_LANDING_DEFAULT
                         : IS("early") ? FMHAC_EMU_LANDING_EARLY
                                       : FMHAC_EMU_LANDING_LATE;
    return 0;
  }
#undef IS
  return fail(EXIT_INPUT,
              "--landing=%s: expected default, early, late or "
              "random:SEED",
              value);
}

// Returns 0 to go on, an exit code + 1 to stop.
static int parse_options(command *c, int argc, char **argv) {
  static const char *const names[] = {
      "check", "sched", "landing",          "threads",
      "json",  "help",  "max-instructions", NULL};
  for (int i = 1; i < argc; i++) {
    const char *arg = argv[i];
    if (arg[0] != '-') {
      if (c->path)
        return 1 + fail(EXIT_INPUT, "one LAUNCH.json, found \"%s\" and \"%s\"",
                        c->path, arg);
      c->path = arg;
      continue;
    }
    if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
      fputs(k_help, stdout);
      return 1 + EXIT_DONE;
    }
    if (strcmp(arg, "--json") == 0) {
      c->json = true;
      continue;
    }
    char name[64] = "";
    const char *value = strchr(arg, '=');
    if (strncmp(arg, "--", 2) == 0)
      snprintf(name, sizeof name, "%.*s",
               (int)(value ? value - arg - 2 : (long)strlen(arg) - 2), arg + 2);
    bool known = false;
    for (int k = 0; names[k]; k++)
      known |= strcmp(name, names[k]) == 0;
    if (!known) {
      const char *near = nearest_word(name, names);
      return 1 + fail(EXIT_INPUT, "unknown option %s%s%s%s", arg,
                      near ? "; did you mean --" : "; see fmhac emu --help",
                      near ? near : "", near ? "?" : "");
    }
    if (value)
      value++;
    else if (i + 1 < argc)
      value = argv[++i];
    else
      return 1 + fail(EXIT_INPUT, "option %s wants a value", arg);
    uint64_t x = 0;
    int code = 0;
    if (strcmp(name, "check") == 0)
      code = parse_checks(value, &c->options.checks);
    else if (strcmp(name, "sched") == 0 || strcmp(name, "landing") == 0)
      code = parse_mode(c, name, value);
    else if (!number(value, &x) || !x ||
             (strcmp(name, "threads") == 0 && x > 256))
      code = fail(EXIT_INPUT, "--%s=%s: expected a number from 1%s", name,
                  value, strcmp(name, "threads") == 0 ? " to 256" : "");
    else if (strcmp(name, "threads") == 0)
      c->options.threads = (uint32_t)x;
    else
      c->options.max_instructions = x;
    if (code)
      return 1 + code;
  }
  if (!c->path)
    return 1 + fail(EXIT_INPUT, "no LAUNCH.json given; see fmhac emu --help");
  return 0;
}

//===-- files
//----------------------------------------------------------------------===//

static int read_file(const char *path, char **out, size_t *out_bytes) {
  FILE *f = fopen(path, "rb");
  if (!f)
    return fail(EXIT_INPUT, "cannot open %s: %s", path, strerror(errno));
  size_t bytes = 0, capacity = 1 << 16;
  char *data = malloc(capacity);
  while (data) {
    size_t n = fread(data + bytes, 1, capacity - bytes, f);
    bytes += n;
    if (bytes < capacity)
      break;
    char *more = realloc(data, capacity *= 2);
    if (!more)
      free(data);
    data = more;
  }
  bool bad = ferror(f);
  fclose(f);
  if (!data)
    return fail(EXIT_DEVICE, "%s: out of memory", path);
  if (bad) {
    free(data);
    return fail(EXIT_INPUT, "cannot read %s: %s", path, strerror(errno));
  }
  *out = data;
  *out_bytes = bytes;
  return 0;
}

static int device_failure(command *c, fmhac_status status) {
  return fail(exit_code(status), "%s", fmhac_rt_last_error(c->device));
}

static int map_buffer(command *c, launch_buffer *b, uint64_t *address) {
  char *data = NULL;
  size_t bytes = 0;
  if (b->file) {
    int code = read_file(b->file, &data, &bytes);
    if (code)
      return code;
    if (!b->has_bytes)
      b->bytes = bytes;
    if (bytes != b->bytes) {
      free(data);
      return fail(EXIT_INPUT,
                  "buffer \"%s\": expected %llu bytes, file %s has %zu",
                  b->name, (unsigned long long)b->bytes, b->file, bytes);
    }
  }
  fmhac_emu_buffer buffer = {.size = sizeof buffer,
                             .name = b->name,
                             .bytes = b->bytes,
                             .base = b->base,
                             .contents = b->has_fill
                                             ? FMHAC_EMU_CONTENTS_FILL
                                             : FMHAC_EMU_CONTENTS_UNINITIALISED,
                             .fill = b->fill};
  fmhac_status status = fmhac_emu_map(c->device, &buffer, address);
  if (status == FMHAC_OK && data)
    status = fmhac_rt_copy_in(c->device, *address, data, bytes);
  free(data);
  return status == FMHAC_OK ? 0 : device_failure(c, status);
}

static int write_outputs(command *c) {
  enum { CHUNK = 1 << 20 };
  char *chunk = malloc(CHUNK);
  int code = chunk ? 0 : fail(EXIT_DEVICE, "out of memory");
  for (size_t i = 0; i < c->launch.buffer_count && !code; i++) {
    const launch_buffer *b = &c->launch.buffers[i];
    if (!b->out)
      continue;
    FILE *f = fopen(b->out, "wb");
    if (!f) {
      code = fail(EXIT_INPUT, "cannot write %s: %s", b->out, strerror(errno));
      break;
    }
    for (uint64_t at = 0; at < b->bytes && !code; at += CHUNK) {
      size_t n = b->bytes - at < CHUNK ? (size_t)(b->bytes - at) : CHUNK;
      fmhac_status status =
          fmhac_rt_copy_out(c->device, c->addresses[i] + at, chunk, n);
      if (status != FMHAC_OK)
        code = device_failure(c, status);
      else if (fwrite(chunk, 1, n, f) != n)
        code = fail(EXIT_INPUT, "cannot write %s: %s", b->out, strerror(errno));
    }
    if (fclose(f) != 0 && !code)
      code = fail(EXIT_INPUT, "cannot write %s: %s", b->out, strerror(errno));
  }
  free(chunk);
  return code;
}

static int build_kernarg(command *c, char **out, size_t *out_bytes) {
  const launch_description *l = &c->launch;
  if (l->kernarg_file)
    return read_file(l->kernarg_file, out, out_bytes);
  size_t bytes = l->has_kernarg_bytes ? l->kernarg_bytes : 0;
  for (size_t i = 0; i < l->argument_count; i++)
    if (l->arguments[i].offset + l->arguments[i].bytes > bytes)
      bytes = l->arguments[i].offset + l->arguments[i].bytes;
  char *data = calloc(bytes + 1, 1);
  if (!data)
    return fail(EXIT_DEVICE, "out of memory");
  for (size_t i = 0; i < l->argument_count; i++) {
    const launch_argument *a = &l->arguments[i];
    uint64_t value = a->bits;
    if (a->kind == LAUNCH_BUFFER)
      value += c->addresses[a->index];
    memcpy(data + a->offset, &value, a->bytes);
  }
  *out = data;
  *out_bytes = bytes;
  return 0;
}

//===-- reports
//---------------------------------------------------------------------===//

static void progress(void *user, uint64_t done, uint64_t total) {
  command *c = user;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double seconds = (double)(now.tv_sec - c->start.tv_sec) +
                   1e-9 * (double)(now.tv_nsec - c->start.tv_nsec);
  if (seconds < 1.0 || !isatty(STDERR_FILENO))
    return;
  fprintf(stderr, "\rfmhac emu: %llu of %llu workgroups, %.0f s",
          (unsigned long long)done, (unsigned long long)total, seconds);
  c->shown = true;
}

static void add_finding(cJSON *list, const fmhac_emu_finding *f) {
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "check", f->check);
  cJSON_AddStringToObject(o, "message", f->message);
  cJSON_AddNumberToObject(o, "pc", (double)(int64_t)f->pc);
  cJSON_AddStringToObject(o, "instruction", f->instruction);
  if (f->other_instruction) {
    cJSON_AddNumberToObject(o, "other_pc", (double)(int64_t)f->other_pc);
    cJSON_AddStringToObject(o, "other_instruction", f->other_instruction);
  } else {
    cJSON_AddNullToObject(o, "other_pc");
    cJSON_AddNullToObject(o, "other_instruction");
  }
  cJSON *id = cJSON_AddArrayToObject(o, "workgroup");
  for (int k = 0; k < 3; k++)
    cJSON_AddItemToArray(id, cJSON_CreateNumber(f->workgroup[k]));
  cJSON_AddNumberToObject(o, "wave", f->wave);
  cJSON_AddNumberToObject(o, "count", (double)f->count);
  cJSON_AddItemToArray(list, o);
}

static int report(command *c, fmhac_status status) {
  fmhac_emu_stats stats = {.size = sizeof stats};
  fmhac_status got = fmhac_emu_get_stats(c->device, &stats);
  size_t n = fmhac_emu_finding_count(c->device);
  cJSON *root = cJSON_CreateObject();
  cJSON_AddBoolToObject(root, "ok", status == FMHAC_OK);
  if (status != FMHAC_OK && status != FMHAC_CHECK_FAILED)
    cJSON_AddStringToObject(root, "error", fmhac_rt_last_error(c->device));
  cJSON *list = cJSON_AddArrayToObject(root, "findings");
  if (status != FMHAC_OK && status != FMHAC_CHECK_FAILED)
    fail(0, "%s", fmhac_rt_last_error(c->device));
  for (size_t i = 0; i < n && got == FMHAC_OK; i++) {
    fmhac_emu_finding f = {.size = sizeof f};
    got = fmhac_emu_get_finding(c->device, i, &f);
    if (got != FMHAC_OK)
      break;
    add_finding(list, &f);
    fprintf(stderr, "fmhac emu: %s: %s (%llu times)\n", f.check, f.message,
            (unsigned long long)f.count);
  }
  cJSON_AddNumberToObject(root, "workgroups", (double)stats.workgroups);
  cJSON_AddNumberToObject(root, "instructions", (double)stats.instructions);
  cJSON_AddNumberToObject(root, "seconds", stats.seconds);
  if (c->json) {
    char *text = cJSON_Print(root);
    if (text)
      puts(text);
    cJSON_free(text);
  } else if (status == FMHAC_OK || status == FMHAC_CHECK_FAILED) {
    printf("%llu workgroups, %llu instructions, %.3f s, %zu finding%s\n",
           (unsigned long long)stats.workgroups,
           (unsigned long long)stats.instructions, stats.seconds, n,
           n == 1 ? "" : "s");
  }
  cJSON_Delete(root);
  return exit_code(status);
}

static int execute(command *c) {
  launch_description *l = &c->launch;
  char *code = NULL, *kernarg = NULL;
  size_t code_bytes = 0, kernarg_bytes = 0;
  fmhac_rt_module *module = NULL;
  fmhac_status status = fmhac_emu_configure(c->device, &c->options);
  if (status != FMHAC_OK)
    return device_failure(c, status);
  int result = 0;
  c->addresses = calloc(l->buffer_count + 1, sizeof *c->addresses);
  if (!c->addresses)
    return fail(EXIT_DEVICE, "out of memory");
  // Buffers at chosen addresses first: the emulator places the rest round them.
  for (size_t i = 0; i < l->buffer_count && !result; i++)
    if (l->buffers[i].base)
      result = map_buffer(c, &l->buffers[i], &c->addresses[i]);
  if (!result)
    result = read_file(l->code_object, &code, &code_bytes);
  if (!result) {
    status = fmhac_rt_module_load(c->device, code, code_bytes, &module);
    if (status != FMHAC_OK)
      result = fail(exit_code(status), "%s: %s", l->code_object,
                    fmhac_rt_last_error(c->device));
  }
  free(code);
  for (size_t i = 0; i < l->buffer_count && !result; i++)
    if (!l->buffers[i].base)
      result = map_buffer(c, &l->buffers[i], &c->addresses[i]);
  if (!result)
    result = build_kernarg(c, &kernarg, &kernarg_bytes);
  if (!result && l->workgroup_count) {
    status = fmhac_emu_select_workgroups(
        c->device, (const uint32_t(*)[3])l->workgroups, l->workgroup_count);
    if (status != FMHAC_OK)
      result = device_failure(c, status);
  }
  if (result) {
    free(kernarg);
    return result;
  }
  fmhac_rt_launch launch = {.size = sizeof launch,
                            .kernel = l->kernel,
                            .dynamic_lds_bytes = l->dynamic_lds,
                            .kernarg = kernarg,
                            .kernarg_bytes = kernarg_bytes};
  memcpy(launch.grid, l->grid, sizeof launch.grid);
  memcpy(launch.block, l->block, sizeof launch.block);
  status = fmhac_rt_launch_kernel(c->device, module, &launch);
  free(kernarg);
  if (c->shown)
    fputs("\r\033[K", stderr);
  result = report(c, status);
  if (status == FMHAC_OK || status == FMHAC_CHECK_FAILED) {
    int written = write_outputs(c);
    result = written ? written : result;
  }
  return result;
}

int cmd_emu(int argc, char **argv) {
  command c = {0};
  fmhac_emu_options_init(&c.options);
  int stop = parse_options(&c, argc, argv);
  if (stop)
    return stop - 1;
  char *text = NULL;
  size_t bytes = 0;
  int code = read_file(c.path, &text, &bytes);
  if (code)
    return code;
  char message[1024];
  if (!launch_description_parse(c.path, text, bytes, &c.launch, message,
                                sizeof message)) {
    code = fail(EXIT_INPUT, "%s", message);
  } else {
    clock_gettime(CLOCK_MONOTONIC, &c.start);
    c.options.progress = progress;
    c.options.progress_user = &c;
    fmhac_status status = fmhac_rt_device_open_with_text(
        "emu", message, sizeof message, &c.device);
    code = status == FMHAC_OK ? execute(&c)
                              : fail(exit_code(status), "%s", message);
    fmhac_rt_device_close(c.device);
  }
  free(text);
  free(c.addresses);
  launch_description_free(&c.launch);
  return code;
}
