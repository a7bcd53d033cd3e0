// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the probes on the emulator with timing on and prints a table of the
// model's cycles against the source's. Exit code 1: they differ where they
// should not.
//   run_probes CODE_OBJECT [NAME…]
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac_timing.h"
#include "probes.h"
#include "read_file.h"

enum { BUFFER_BYTES = 1 << 20, LANES = 64 };

typedef struct run {
  fmhac_rt_device *device;
  fmhac_rt_module *module;
  uint64_t buffer;
} run;

static bool start(run *r, const char *path) {
  size_t bytes;
  void *code = read_file(path, &bytes);
  bool ok =
      code && fmhac_rt_device_open("emu", &r->device) == FMHAC_OK &&
      fmhac_rt_module_load(r->device, code, bytes, &r->module) == FMHAC_OK &&
      fmhac_rt_alloc(r->device, BUFFER_BYTES, &r->buffer) == FMHAC_OK;
  if (!ok)
    fprintf(stderr, "cannot load %s: %s\n", path,
            r->device ? fmhac_rt_last_error(r->device) : "no such file");
  free(code);
  return ok;
}

// Cycles of the kernel with `times` × repeats copies.
static bool cycles_of(run *r, const probe *p, int times, uint64_t *out_cycles) {
  char name[128];
  snprintf(name, sizeof name, "%s_%d", p->name, times);
  uint32_t waves = p->waves;
  for (uint32_t all = p->waves_a | p->waves_b | 8; !p->waves && all; all >>= 1)
    waves++;
  fmhac_rt_launch launch = {.size = sizeof launch,
                            .kernel = name,
                            .grid = {p->grid ? p->grid : 1, 1, 1},
                            .block = {waves * LANES, 1, 1},
                            .kernarg = &r->buffer,
                            .kernarg_bytes = sizeof r->buffer};
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.checks = FMHAC_EMU_CHECK_MEM | FMHAC_EMU_CHECK_SYNC;
  options.timing = 1;
  options.timing_constants = p->constants;
  fmhac_timing_workgroup w = {.size = sizeof w};
  const uint32_t first[1][3] = {{0, 0, 0}};
  if (fmhac_emu_configure(r->device, &options) != FMHAC_OK ||
      fmhac_emu_select_workgroups(r->device, first, 1) != FMHAC_OK ||
      fmhac_rt_launch_kernel(r->device, r->module, &launch) != FMHAC_OK ||
      fmhac_timing_get_workgroup(r->device, 0, &w) != FMHAC_OK) {
    printf("%-26s cannot be run: %s\n", name, fmhac_rt_last_error(r->device));
    return false;
  }
  *out_cycles = w.cycles;
  return true;
}

// Cycles of one unit.
static bool measure(run *r, const probe *p, double *out_cycles) {
  uint64_t once, twice;
  if (!cycles_of(r, p, 1, &once) || !cycles_of(r, p, 2, &twice))
    return false;
  double units =
      (double)(p->repeats ? p->repeats : 64) * (p->units ? p->units : 1);
  *out_cycles = ((double)twice - (double)once) / units;
  return true;
}

static bool double_constant(const char *name, char *text, size_t text_bytes) {
  for (size_t i = 0; i < fmhac_timing_constant_count(); i++) {
    fmhac_timing_constant c = {.size = sizeof c};
    if (fmhac_timing_get_constant(i, &c) == FMHAC_OK &&
        strcmp(c.name, name) == 0) {
      snprintf(text, text_bytes, "%s=%g", name, 2 * c.value);
      return true;
    }
  }
  return false;
}

// False: the row, which takes `cycles`, does not say again what it claims to.
static bool restates(run *r, const probe *p, double cycles) {
  if (p->constants) {
    printf("%50s%s: a row with constants of its own restates none\n", "",
           p->name);
    return false;
  }
  bool passes = strcmp(p->restates, PASSES) == 0;
  // With PASSES, all constants of issue at twice their values at once.
  static const char *const issue[] = {"slot_cycles", "valu_cycles",
                                      "mfma_port_cycles"};
  char changed[128] = "";
  for (size_t i = 0; i < (passes ? sizeof issue / sizeof *issue : 1); i++) {
    char one[64];
    const char *name = passes ? issue[i] : p->restates;
    if (!double_constant(name, one, sizeof one)) {
      printf("%50s%s: no such constant\n", "", name);
      return false;
    }
    size_t at = strlen(changed);
    snprintf(changed + at, sizeof changed - at, "%s%s", at ? "," : "", one);
  }
  probe other = *p;
  other.constants = changed;
  double found, expected = passes ? cycles : 2 * cycles;
  if (!measure(r, &other, &found))
    return false;
  if (found != expected)
    printf("%50srestates %s no more: %g cycles with %s, expected %g\n", "",
           p->restates, found, changed, expected);
  return found == expected;
}

// Prints the probe's row. False: it is not as it should be.
static bool check(run *r, const probe *p) {
  double cycles;
  if (!measure(r, p, &cycles))
    return false;
  bool fits = cycles >= p->low && cycles <= p->high;
  char source[32];
  snprintf(source, sizeof source, p->low < p->high ? "%g to %g" : "%g", p->low,
           p->high);
  bool expected = fits == !p->differs;
  printf("%-26s %9.2f %11s  %s\n", p->name, cycles, source, p->source);
  if (!expected || p->differs)
    printf("%50s%s: %s\n", "",
           expected ? "differs"
           : fits   ? "DIFFERS NO MORE"
                    : "DIFFERS",
           p->differs ? p->differs : "nobody has said why");
  return (!p->restates || restates(r, p, cycles)) && expected;
}

static bool wanted(const char *name, int count, char **names) {
  for (int i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0)
      return true;
  return count == 0;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s CODE_OBJECT [NAME...]\n", argv[0]);
    return 2;
  }
  run r = {0};
  size_t rows = 0, bad = 0, again = 0;
  bool ok = start(&r, argv[1]);
  if (ok)
    printf("%-26s %9s %11s\n", "probe", "model cycles", "source cycles");
  for (size_t i = 0; ok && i < k_probe_count; i++) {
    if (!wanted(k_probes[i].name, argc - 2, argv + 2))
      continue;
    rows++;
    again += k_probes[i].restates != NULL;
    bad += !check(&r, &k_probes[i]);
  }
  if (ok)
    printf("%zu probes, %zu not as they should be. %zu say a constant or the "
           "passes of an instruction again; as evidence count %zu\n",
           rows, bad, again, rows - again);
  fmhac_rt_module_unload(r.device, r.module);
  fmhac_rt_device_close(r.device);
  return ok && rows && !bad ? 0 : 1;
}
