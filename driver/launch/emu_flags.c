// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emu_flags.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac.h"
#include "fmhac_options.h"
#include "report.h"

static const char *const check_names[] = {"mem",  "wait", "race",
                                          "init", "sync", "hazard"};
static const uint32_t check_bits[] = {
    FMHAC_EMU_CHECK_MEM,  FMHAC_EMU_CHECK_WAIT, FMHAC_EMU_CHECK_RACE,
    FMHAC_EMU_CHECK_INIT, FMHAC_EMU_CHECK_SYNC, FMHAC_EMU_CHECK_HAZARD};
enum {
  CHECK_COUNT = sizeof check_names / sizeof check_names[0],
  MAX_QUANTUM = 1 << 30
};

// The emulator has one seed for --sched and --landing. Both flags contribute to
// it, as in `fmhac emu`, so that a replay with the same flags is the same run.
static const uint64_t sched_seed_factor = UINT64_C(0x9e3779b97f4a7c15);

bool emu_flags_given(const emu_flags *flags) {
  return flags->check || flags->sched || flags->landing || flags->threads ||
         flags->alignment || flags->descriptors || flags->placement ||
         flags->hazards;
}

/// A word of a comma-separated list.
static bool add_check(const char *word, uint32_t *checks,
                      char error[ERROR_BYTES]) {
  for (int i = 0; i < CHECK_COUNT; ++i)
    if (strcmp(word, check_names[i]) == 0) {
      *checks |= check_bits[i];
      return true;
    }
  const char *near = fmhac_nearest_spelling(word, check_names, CHECK_COUNT);
  return ERROR_SET(
      error,
      "--check: expected none, all, or of mem,wait,race,init,sync,hazard, "
      "found '%.40s'%s%s%s",
      word, MEANT(near));
}

static bool parse_checks(const char *text, uint32_t *checks,
                         char error[ERROR_BYTES]) {
  *checks = 0;
  if (strcmp(text, "none") == 0)
    return true;
  if (strcmp(text, "all") == 0) {
    *checks = FMHAC_EMU_CHECK_ALL;
    return true;
  }
  char *copy = strdup(text);
  if (!copy)
    return ERROR_SET(error, "--check: out of memory");
  bool ok = true;
  char *rest = copy;
  while (ok && rest)
    ok = add_check(strsep(&rest, ","), checks, error);
  free(copy);
  return ok;
}

/// The number after "PREFIX:"; false if the text is something else.
static bool parse_suffixed(const char *text, const char *prefix,
                           uint64_t *out_number) {
  size_t length = strlen(prefix);
  if (strncmp(text, prefix, length) != 0 || text[length] != ':' ||
      text[length + 1] < '0' || text[length + 1] > '9')
    return false;
  char *end;
  errno = 0;
  *out_number = strtoull(text + length + 1, &end, 10);
  return !*end && !errno;
}

static bool parse_sched(const char *text, fmhac_emu_options *options,
                        char error[ERROR_BYTES]) {
  uint64_t number = 0;
  if (strcmp(text, "rr") == 0) {
    options->sched = FMHAC_EMU_SCHED_ROUND_ROBIN;
  } else if (parse_suffixed(text, "rr", &number) && number >= 1 &&
             number <= MAX_QUANTUM) {
    options->sched = FMHAC_EMU_SCHED_ROUND_ROBIN;
    options->quantum = (uint32_t)number;
  } else if (strcmp(text, "until-blocked") == 0) {
    options->sched = FMHAC_EMU_SCHED_UNTIL_BLOCKED;
  } else if (parse_suffixed(text, "random", &number)) {
    options->sched = FMHAC_EMU_SCHED_RANDOM;
    options->seed ^= number * sched_seed_factor;
  } else {
    return ERROR_SET(
        error,
        "--sched: expected rr, rr:QUANTUM (at least 1), until-blocked or "
        "random:SEED, found '%.40s'",
        text);
  }
  return true;
}

enum { MAX_LANDING_INSTRUCTIONS = 1000000 };

/// after:N or after:N:L.
static bool parse_after(const char *text, fmhac_emu_options *options) {
  char loads[32];
  uint64_t n = 0, lds = 0;
  const char *colon = strrchr(text, ':');
  if (colon && strchr(text, ':') != colon) {
    size_t length = (size_t)(colon - text);
    if (length >= sizeof loads || !parse_suffixed(colon, "", &lds) || lds < 1 ||
        lds > MAX_LANDING_INSTRUCTIONS)
      return false;
    memcpy(loads, text, length);
    loads[length] = 0;
    text = loads;
  }
  if (!parse_suffixed(text, "after", &n) || n < 1 ||
      n > MAX_LANDING_INSTRUCTIONS)
    return false;
  options->landing_instructions = (uint32_t)n;
  options->landing_lds_instructions = (uint32_t)lds;
  return true;
}

static bool parse_landing(const char *text, fmhac_emu_options *options,
                          char error[ERROR_BYTES]) {
  uint64_t number = 0;
  if (strcmp(text, "default") == 0) {
    options->landing = FMHAC_EMU_LANDING_DEFAULT;
  } else if (strcmp(text, "early") == 0) {
    options->landing = FMHAC_EMU_LANDING_EARLY;
  } else if (strcmp(text, "late") == 0) {
    options->landing = FMHAC_EMU_LANDING_LATE;
  } else if (parse_suffixed(text, "random", &number)) {
    options->landing = FMHAC_EMU_LANDING_RANDOM;
    options->seed ^= number;
  } else if (parse_after(text, options)) {
    options->landing = FMHAC_EMU_LANDING_AFTER;
  } else {
    return ERROR_SET(error,
                     "--landing: expected default, early, late, random:SEED or "
                     "after:N[:L] (1 to %d instructions), found '%.40s'",
                     MAX_LANDING_INSTRUCTIONS, text);
  }
  return true;
}

/// Place of `text` in `names`, which are the values of `flag`; -1 with a text.
static int choose(const char *flag, const char *text, const char *const *names,
                  size_t count, char error[ERROR_BYTES]) {
  char all[100] = "";
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(text, names[i]) == 0)
      return (int)i;
    const size_t length = strlen(all);
    snprintf(all + length, sizeof all - length, "%s%s",
             i == 0           ? ""
             : i == count - 1 ? " or "
                              : ", ",
             names[i]);
  }
  const char *near = fmhac_nearest_spelling(text, names, count);
  snprintf(error, ERROR_BYTES, "--%s: expected %s, found '%.40s'%s%s%s", flag,
           all, text, MEANT(near));
  return -1;
}

// In the order of the enumerations.
static const char *const alignment_names[] = {"hardware", "natural"};
static const char *const descriptors_names[] = {"exact", "mapped", "carry"};
static const char *const placement_names[] = {"default", "adversarial"};
static const char *const hazards_names[] = {"report", "effect"};

static bool parse_machine(const emu_flags *flags, fmhac_emu_options *options,
                          char error[ERROR_BYTES]) {
  int alignment = 0, descriptors = 0, placement = 0, hazards = 0;
#define CHOICE(flag)                                                           \
  {                                                                            \
#flag, flags->flag, flag##_names,                                          \
        sizeof flag##_names / sizeof *flag##_names, &flag                      \
  }
  const struct {
    const char *flag, *text;
    const char *const *names;
    size_t count;
    int *out;
  } choices[] = {CHOICE(alignment), CHOICE(descriptors), CHOICE(placement),
                 CHOICE(hazards)};
#undef CHOICE
  for (size_t i = 0; i < sizeof choices / sizeof *choices; ++i)
    if (choices[i].text && (*choices[i].out = choose(
                                choices[i].flag, choices[i].text,
                                choices[i].names, choices[i].count, error)) < 0)
      return false;
  options->alignment = (fmhac_emu_alignment)alignment;
  options->descriptors = (fmhac_emu_descriptors)descriptors;
  options->placement = (fmhac_emu_placement)placement;
  options->hazards = (fmhac_emu_hazards)hazards;
  return true;
}

bool emu_flags_apply(const emu_flags *flags, fmhac_emu_options *out_options,
                     char error[ERROR_BYTES]) {
  fmhac_emu_options_init(out_options);
  if (flags->threads > FMHAC_EMU_MOST_THREADS)
    return ERROR_SET(error, "--threads: expected at most %d, found %lld",
                     FMHAC_EMU_MOST_THREADS, (long long)flags->threads);
  out_options->threads = (uint32_t)flags->threads;
  return (!flags->check ||
          parse_checks(flags->check, &out_options->checks, error)) &&
         (!flags->sched || parse_sched(flags->sched, out_options, error)) &&
         (!flags->landing ||
          parse_landing(flags->landing, out_options, error)) &&
         parse_machine(flags, out_options, error);
}
