// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the launches of a job file on the emulator and on the host, and compares
// every buffer afterwards.
//
//   differential-runner JOBS
//
// A job file names a code object (`module PATH`) and a shared object with the
// oracles of its kernels (`oracle PATH`); then, for each launch, `case LABEL`,
// the lines of case.c, and `run`. One line is printed before each launch and
// one after: "start LABEL", then "ok LABEL INSTRUCTIONS" or "fail LABEL" with
// details in lines that begin with a space. Exit code 0: all agree, 1: not all,
// 2: the job file or its files cannot be used.
#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case.h"
#include "run_oracle.h"

enum {
  REPORTED_ELEMENTS = 4,
  CANARY_BYTES = 64,
  TIMEOUT_SECONDS = 120, ///< for one launch on both sides
  FINDINGS_SHOWN = 5
};
static const uint64_t k_most_instructions = 1ull << 25;

typedef struct runner {
  fmhac_rt_device *device;
  fmhac_rt_module *module;
  void *library;
  oracle *host;
  char error[4096];
  uint64_t instructions; ///< of the last launch
  size_t failures;
} runner;

typedef struct buffer {
  uint64_t address; ///< in the emulator
  uint8_t *host;    ///< of the oracle, with a canary after it
  uint8_t *result;  ///< of the emulator, copied back
  size_t bytes;
} buffer;

typedef struct run_state {
  const test_case *test;
  buffer buffers[MAX_ARGUMENTS];
  uint8_t device_arguments[KERNARG_BYTES];
  _Alignas(64) uint8_t host_arguments[KERNARG_BYTES];
  size_t kernarg_bytes;
} run_state;

static bool fail(runner *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool fail(runner *s, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(s->error, sizeof s->error, format, values);
  va_end(values);
  return false;
}

//===- Arguments ----------------------------------------------------------===//

static bool make_buffer(runner *s, run_state *r, size_t index) {
  const argument *a = &r->test->arguments[index];
  buffer *b = &r->buffers[index];
  b->bytes = a->count * a->type->bytes;
  b->host = malloc(b->bytes + CANARY_BYTES);
  b->result = malloc(b->bytes + 1);
  if (!b->host || !b->result)
    return fail(s, "no memory for %zu bytes", b->bytes);
  uint64_t seed = r->test->seed * 1000003 + index;
  if (!element_contents(a->type, a->contents, seed, b->host, a->count))
    return fail(s, "argument %zu: no contents are called \"%s\"", index,
                a->contents);
  memset(b->host + b->bytes, 0x5c, CANARY_BYTES);
  char name[32];
  snprintf(name, sizeof name, "argument %zu", index);
  const fmhac_emu_buffer mapping = {
      .size = sizeof mapping, .name = name, .bytes = b->bytes};
  fmhac_status status = fmhac_emu_map(s->device, &mapping, &b->address);
  if (status == FMHAC_OK)
    status = fmhac_rt_copy_in(s->device, b->address, b->host, b->bytes);
  return status == FMHAC_OK ? true
                            : fail(s, "%s", fmhac_rt_last_error(s->device));
}

// Places one argument in both segments.
static bool place(runner *s, run_state *r, const void *device, const void *host,
                  size_t bytes, size_t alignment) {
  size_t at = (r->kernarg_bytes + alignment - 1) / alignment * alignment;
  if (at + bytes > KERNARG_BYTES)
    return fail(s, "the arguments need more than %d bytes", KERNARG_BYTES);
  memcpy(r->device_arguments + at, device, bytes);
  memcpy(r->host_arguments + at, host, bytes);
  r->kernarg_bytes = at + bytes;
  return true;
}

static bool make_arguments(runner *s, run_state *r) {
  for (size_t i = 0; i < r->test->argument_count; i++) {
    const argument *a = &r->test->arguments[i];
    const buffer *b = &r->buffers[i];
    bool ok =
        a->type ? make_buffer(s, r, i) &&
                      place(s, r, &b->address, &b->host, sizeof b->address,
                            sizeof b->address)
                : place(s, r, a->value, a->value, a->value_bytes, a->alignment);
    if (!ok)
      return false;
  }
  return true;
}

//===- Both launches ------------------------------------------------------===//

static void add_findings(runner *s) {
  size_t count = fmhac_emu_finding_count(s->device);
  for (size_t i = 0; i < count && i < FINDINGS_SHOWN; i++) {
    fmhac_emu_finding f = {.size = sizeof f};
    size_t n = strlen(s->error);
    if (fmhac_emu_get_finding(s->device, i, &f) == FMHAC_OK)
      snprintf(s->error + n, sizeof s->error - n, "\n finding %s: %s [%s]",
               f.check, f.message, f.instruction);
  }
}

/// Whether all findings are wait states that LLVM 22 is known to leave out;
/// audited.py holds their number to what it is known to be.
static bool only_known_findings(const runner *s) {
  size_t known = 0, count = fmhac_emu_finding_count(s->device);
  for (size_t i = 0; i < count; i++) {
    fmhac_emu_finding f = {.size = sizeof f};
    known += fmhac_emu_get_finding(s->device, i, &f) == FMHAC_OK &&
             strcmp(f.check, "hazard") == 0 &&
             strstr(f.message, "required (store-data-load)");
  }
  return count && known == count;
}

static bool launch_emulator(runner *s, const run_state *r) {
  const test_case *t = r->test;
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.checks = FMHAC_EMU_CHECK_ALL;
  options.threads = 1; // the driver keeps the cores busy with processes
  options.sched = t->sched;
  options.quantum = t->quantum;
  options.landing = t->landing;
  options.landing_instructions = t->landing_instructions;
  options.seed = t->sched_seed;
  options.max_instructions = k_most_instructions;
  fmhac_rt_launch launch = {.size = sizeof launch,
                            .kernel = t->kernel,
                            .dynamic_lds_bytes = t->lds_bytes,
                            .kernarg = r->device_arguments,
                            .kernarg_bytes = r->kernarg_bytes};
  memcpy(launch.grid, t->grid, sizeof launch.grid);
  memcpy(launch.block, t->block, sizeof launch.block);
  fmhac_status status = fmhac_emu_configure(s->device, &options);
  if (status == FMHAC_OK)
    status = fmhac_rt_launch_kernel(s->device, s->module, &launch);
  fmhac_emu_stats stats = {.size = sizeof stats};
  if (fmhac_emu_get_stats(s->device, &stats) == FMHAC_OK)
    s->instructions = stats.instructions;
  if (status == FMHAC_OK ||
      (status == FMHAC_CHECK_FAILED && only_known_findings(s)))
    return true;
  fail(s, "emulator: %s", fmhac_rt_last_error(s->device));
  add_findings(s);
  return false;
}

static bool launch_oracle(runner *s, const run_state *r) {
  const test_case *t = r->test;
  char name[160];
  snprintf(name, sizeof name, "oracle_%s", t->kernel);
  void *symbol = dlsym(s->library, name);
  if (!symbol)
    return fail(s, "no function %s in the oracle", name);
  oracle_launch launch = {.arguments = r->host_arguments};
  memcpy(&launch.kernel, &symbol, sizeof symbol);
  memcpy(launch.grid, t->grid, sizeof launch.grid);
  memcpy(launch.block, t->block, sizeof launch.block);
  return oracle_run(s->host, &launch, s->error, sizeof s->error);
}

//===- Comparison ---------------------------------------------------------===//

// Appends what differs in one buffer; false if anything does.
static bool compare_buffer(runner *s, const run_state *r, size_t index) {
  const argument *a = &r->test->arguments[index];
  const buffer *b = &r->buffers[index];
  size_t different = 0;
  for (size_t i = 0; i < a->count; i++) {
    const uint8_t *expected = b->host + i * a->type->bytes;
    const uint8_t *found = b->result + i * a->type->bytes;
    if (elements_agree(a->type, expected, found, a->ulps))
      continue;
    if (different++ < REPORTED_ELEMENTS) {
      char x[64], y[64];
      element_text(a->type, expected, x, sizeof x);
      element_text(a->type, found, y, sizeof y);
      size_t n = strlen(s->error);
      snprintf(s->error + n, sizeof s->error - n,
               "\n argument %zu [%zu] %s: expected %s, found %s", index, i,
               a->type->name, x, y);
    }
  }
  size_t n = strlen(s->error);
  if (different)
    snprintf(s->error + n, sizeof s->error - n,
             "\n argument %zu: %zu of %zu elements differ", index, different,
             a->count);
  return !different;
}

static bool compare(runner *s, run_state *r) {
  bool same = true;
  fail(s, "results differ");
  for (size_t i = 0; i < r->test->argument_count; i++) {
    buffer *b = &r->buffers[i];
    if (!b->host)
      continue;
    for (size_t k = 0; k < CANARY_BYTES; k++)
      if (b->host[b->bytes + k] != 0x5c)
        return fail(s, "the oracle wrote beyond argument %zu", i);
    if (fmhac_rt_copy_out(s->device, b->address, b->result, b->bytes) !=
        FMHAC_OK)
      return fail(s, "%s", fmhac_rt_last_error(s->device));
    same &= compare_buffer(s, r, i);
  }
  return same;
}

static bool run_case(runner *s, const test_case *t) {
  run_state *r = aligned_alloc(_Alignof(run_state), sizeof *r);
  if (!r)
    return fail(s, "no memory");
  memset(r, 0, sizeof *r);
  r->test = t;
  bool ok = s->module && s->library;
  if (!ok)
    fail(s, "a case before `module` and `oracle`");
  ok = ok && make_arguments(s, r) && launch_oracle(s, r) &&
       launch_emulator(s, r) && compare(s, r);
  for (size_t i = 0; i < MAX_ARGUMENTS; i++) {
    buffer *b = &r->buffers[i];
    if (b->address && fmhac_rt_free(s->device, b->address) != FMHAC_OK)
      ok = fail(s, "%s", fmhac_rt_last_error(s->device));
    free(b->host);
    free(b->result);
  }
  free(r);
  return ok;
}

//===- The job file -------------------------------------------------------===//

static bool load_module(runner *s, const char *path) {
  fmhac_rt_module_unload(s->device, s->module);
  s->module = NULL;
  FILE *file = fopen(path, "rb");
  if (!file)
    return fail(s, "cannot open %s", path);
  fseek(file, 0, SEEK_END);
  long bytes = ftell(file);
  rewind(file);
  void *code = malloc(bytes > 0 ? (size_t)bytes : 1);
  bool ok =
      code && bytes > 0 && fread(code, 1, (size_t)bytes, file) == (size_t)bytes;
  fclose(file);
  if (!ok)
    fail(s, "cannot read %s", path);
  else if (fmhac_rt_module_load(s->device, code, (size_t)bytes, &s->module) !=
           FMHAC_OK)
    ok = fail(s, "%s: %s", path, fmhac_rt_last_error(s->device));
  free(code);
  return ok;
}

static bool load_oracle(runner *s, const char *path) {
  if (s->library)
    dlclose(s->library);
  s->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return s->library ? true : fail(s, "%s", dlerror());
}

static bool run_line(runner *s, test_case *t, const char *line) {
  if (!*line || *line == '#')
    return true;
  if (!strncmp(line, "module ", 7))
    return load_module(s, line + 7);
  if (!strncmp(line, "oracle ", 7))
    return load_oracle(s, line + 7);
  if (!strncmp(line, "case ", 5)) {
    case_begin(t, line + 5);
    return true;
  }
  if (strcmp(line, "run") != 0)
    return case_read_line(t, line, s->error, sizeof s->error);
  printf("start %s\n", t->label);
  fflush(stdout);
  alarm(TIMEOUT_SECONDS);
  bool ok = run_case(s, t);
  alarm(0);
  if (ok)
    printf("ok %s %" PRIu64 "\n", t->label, s->instructions);
  else
    printf("fail %s\n %s\n", t->label, s->error);
  fflush(stdout);
  s->failures += !ok;
  return true;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s JOBS\n", argv[0]);
    return 2;
  }
  FILE *jobs = fopen(argv[1], "r");
  runner s = {.host = oracle_create()};
  test_case *t = calloc(1, sizeof *t);
  bool ok = jobs && s.host && t;
  if (!ok)
    fail(&s, "cannot open %s, or no memory", argv[1]);
  else if (fmhac_rt_device_open_with_text("emu", s.error, sizeof s.error,
                                          &s.device) != FMHAC_OK)
    ok = false;
  char line[2048];
  while (ok && fgets(line, sizeof line, jobs)) {
    line[strcspn(line, "\n")] = 0;
    ok = run_line(&s, t, line);
  }
  if (!ok)
    fprintf(stderr, "differential-runner: %s\n", s.error);
  fmhac_rt_device_close(s.device);
  oracle_destroy(s.host);
  free(t);
  if (jobs)
    fclose(jobs);
  return !ok ? 2 : s.failures ? 1 : 0;
}
