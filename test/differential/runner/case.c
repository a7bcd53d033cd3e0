// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void case_begin(test_case *c, const char *label) {
  memset(c, 0, sizeof *c);
  snprintf(c->label, sizeof c->label, "%s", label);
  for (int i = 0; i < 3; i++)
    c->grid[i] = c->block[i] = 1;
}

// buffer TYPE CONTENTS COUNT ULPS
static bool read_buffer(const char *text, argument *a) {
  char type[16];
  unsigned long long ulps;
  if (sscanf(text, "%15s %47s %zu %llu", type, a->contents, &a->count, &ulps) !=
      4)
    return false;
  a->ulps = ulps;
  a->type = element_type_find(type);
  return a->type;
}

// value ALIGNMENT HEX…
static bool read_value(const char *text, argument *a) {
  char *end;
  a->alignment = strtoul(text, &end, 10);
  while (*end == ' ')
    end++;
  unsigned byte;
  while (a->value_bytes < sizeof a->value && sscanf(end, "%2x", &byte) == 1) {
    a->value[a->value_bytes++] = (uint8_t)byte;
    end += 2;
  }
  return a->alignment && a->value_bytes && !*end;
}

// sched rr[:TURN]|until-blocked|random:SEED; without TURN the default's
static bool read_sched(const char *text, test_case *c) {
  unsigned long long n = 0;
  if (strcmp(text, "until-blocked") == 0)
    c->sched = FMHAC_EMU_SCHED_UNTIL_BLOCKED;
  else if (strcmp(text, "rr") == 0 || sscanf(text, "rr:%llu", &n) == 1)
    c->sched = FMHAC_EMU_SCHED_ROUND_ROBIN;
  else if (sscanf(text, "random:%llu", &n) == 1)
    c->sched = FMHAC_EMU_SCHED_RANDOM;
  else
    return false;
  c->quantum = (uint32_t)n;
  c->sched_seed = n;
  return true;
}

static bool read_landing(const char *text, test_case *c) {
  static const char *const names[] = {"default", "early", "late", "random"};
  for (int i = 0; i < 4; i++)
    if (strcmp(text, names[i]) == 0) {
      c->landing = (fmhac_emu_landing)i;
      return true;
    }
  c->landing = FMHAC_EMU_LANDING_AFTER;
  return sscanf(text, "after:%u", &c->landing_instructions) == 1;
}

static bool read_argument(test_case *c, const char *text,
                          bool (*read)(const char *, argument *)) {
  return c->argument_count < MAX_ARGUMENTS &&
         read(text, &c->arguments[c->argument_count++]);
}

bool case_read_line(test_case *c, const char *line, char *error,
                    size_t error_bytes) {
  const char *space = strchr(line, ' ');
  size_t n = space ? (size_t)(space - line) : strlen(line);
  const char *rest = space ? space + 1 : "";
  unsigned long long seed;
  bool ok = false;
  if (n == 6 && !memcmp(line, "kernel", n))
    ok = sscanf(rest, "%127s", c->kernel) == 1;
  else if (n == 4 && !memcmp(line, "grid", n))
    ok = sscanf(rest, "%u %u %u", &c->grid[0], &c->grid[1], &c->grid[2]) == 3;
  else if (n == 5 && !memcmp(line, "block", n))
    ok =
        sscanf(rest, "%u %u %u", &c->block[0], &c->block[1], &c->block[2]) == 3;
  else if (n == 3 && !memcmp(line, "lds", n))
    ok = sscanf(rest, "%u", &c->lds_bytes) == 1;
  else if (n == 4 && !memcmp(line, "seed", n)) {
    ok = sscanf(rest, "%llu", &seed) == 1;
    c->seed = ok ? seed : 0;
  } else if (n == 5 && !memcmp(line, "sched", n))
    ok = read_sched(rest, c);
  else if (n == 7 && !memcmp(line, "landing", n))
    ok = read_landing(rest, c);
  else if (n == 6 && !memcmp(line, "buffer", n))
    ok = read_argument(c, rest, read_buffer);
  else if (n == 5 && !memcmp(line, "value", n))
    ok = read_argument(c, rest, read_value);
  if (!ok)
    snprintf(error, error_bytes, "cannot read the job line \"%s\"", line);
  return ok;
}
