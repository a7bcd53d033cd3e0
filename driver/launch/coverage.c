// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "coverage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "fmhac.h"
#include "fmhac_emu.h"
#include "fmhac_options.h"
#include "streams.h"

static const char *const support_names[] = {"documented", "assumed", "missing",
                                            "not-applicable"};
enum {
  SUPPORTS = sizeof support_names / sizeof support_names[0],
  MAX_ENCODINGS = 32
};

/// Instructions of one encoding, by fmhac_emu_support.
typedef struct family {
  const char *encoding;
  unsigned counts[SUPPORTS];
} family;

static unsigned total_of(const family *f) {
  unsigned total = 0;
  for (int i = 0; i < SUPPORTS; ++i)
    total += f->counts[i];
  return total;
}

/// Whether --list=`list` asks for an instruction of this support.
static bool is_listed(const char *list, fmhac_emu_support support) {
  return list && (strcmp(list, "all") == 0 ||
                  strcmp(list, support_names[support]) == 0);
}

static int check_list(const report *r, const char *list) {
  if (!list || strcmp(list, "all") == 0)
    return EXIT_DONE;
  for (int i = 0; i < SUPPORTS; ++i)
    if (strcmp(list, support_names[i]) == 0)
      return EXIT_DONE;
  const char *near = fmhac_nearest_spelling(list, support_names, SUPPORTS);
  return report_error(r, EXIT_USAGE,
                      "--list: expected all, documented, assumed, missing or "
                      "not-applicable, found '%.40s'%s%s%s",
                      list, MEANT(near));
}

//===- The emulator -------------------------------------------------------===//

/// Counts by encoding, in the order of the instruction set.
static size_t count_families(family families[MAX_ENCODINGS], family *total) {
  size_t count = 0;
  *total = (family){.encoding = "total"};
  for (size_t i = 0; i < fmhac_emu_instruction_count(); ++i) {
    fmhac_emu_instruction in = {.size = sizeof in};
    if (fmhac_emu_get_instruction(i, &in) != FMHAC_OK)
      continue;
    if (!count || strcmp(families[count - 1].encoding, in.encoding) != 0) {
      if (count == MAX_ENCODINGS)
        break;
      families[count++] = (family){.encoding = in.encoding};
    }
    families[count - 1].counts[in.support]++;
    total->counts[in.support]++;
  }
  return count;
}

static void print_family(const family *f) {
  printx("%-10s %7u %11u %9u %9u %15u\n", f->encoding, total_of(f),
         f->counts[FMHAC_EMU_SUPPORT_DOCUMENTED],
         f->counts[FMHAC_EMU_SUPPORT_ASSUMED],
         f->counts[FMHAC_EMU_SUPPORT_MISSING],
         f->counts[FMHAC_EMU_SUPPORT_NOT_APPLICABLE]);
}

static void add_counts(cJSON *object, const family *f) {
  cJSON_AddNumberToObject(object, "total", total_of(f));
  static const char *const keys[SUPPORTS] = {"documented", "assumed", "missing",
                                             "not_applicable"};
  for (int i = 0; i < SUPPORTS; ++i)
    cJSON_AddNumberToObject(object, keys[i], f->counts[i]);
}

static cJSON *instruction_object(const fmhac_emu_instruction *in) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "mnemonic", in->mnemonic);
  cJSON_AddStringToObject(object, "encoding", in->encoding);
  cJSON_AddStringToObject(object, "forms", in->forms);
  cJSON_AddStringToObject(object, "support", support_names[in->support]);
  cJSON_AddStringToObject(object, "source", in->source);
  return object;
}

static cJSON *emulator_object(const family *families, size_t count,
                              const family *total, const char *list) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "instruction_set", "CDNA4 (gfx950)");
  add_counts(object, total);
  cJSON *array = cJSON_AddArrayToObject(object, "encodings");
  for (size_t i = 0; i < count; ++i) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "encoding", families[i].encoding);
    add_counts(item, &families[i]);
    cJSON_AddItemToArray(array, item);
  }
  if (!list)
    return object;
  array = cJSON_AddArrayToObject(object, "instructions");
  for (size_t i = 0; i < fmhac_emu_instruction_count(); ++i) {
    fmhac_emu_instruction in = {.size = sizeof in};
    if (fmhac_emu_get_instruction(i, &in) == FMHAC_OK &&
        is_listed(list, in.support))
      cJSON_AddItemToArray(array, instruction_object(&in));
  }
  return object;
}

static void print_emulator(const family *families, size_t count,
                           const family *total, const char *list) {
  printx("%-10s %7s %11s %9s %9s %15s\n", "encoding", "CDNA4", "documented",
         "assumed", "missing", "not applicable");
  for (size_t i = 0; i < count; ++i)
    print_family(&families[i]);
  print_family(total);
  unsigned all = total_of(total);
  unsigned have = total->counts[FMHAC_EMU_SUPPORT_DOCUMENTED] +
                  total->counts[FMHAC_EMU_SUPPORT_ASSUMED];
  unsigned can = all - total->counts[FMHAC_EMU_SUPPORT_NOT_APPLICABLE];
  printx("implemented: %u of %u (%.1f %%); of the %u that can mean something "
         "in a compute kernel: %.1f %%\n",
         have, all, 100.0 * have / all, can, 100.0 * have / can);
  for (size_t i = 0; list && i < fmhac_emu_instruction_count(); ++i) {
    fmhac_emu_instruction in = {.size = sizeof in};
    if (fmhac_emu_get_instruction(i, &in) == FMHAC_OK &&
        is_listed(list, in.support))
      printx("%-34s %-8s %-15s%s%s\n", in.mnemonic, in.encoding,
             support_names[in.support], in.source[0] ? " " : "", in.source);
  }
}

int coverage_of_emulator(const report *r, const char *list) {
  int code = check_list(r, list);
  if (code != EXIT_DONE)
    return code;
  family families[MAX_ENCODINGS], total;
  size_t count = count_families(families, &total);
  if (r->json)
    return report_json(emulator_object(families, count, &total, list),
                       EXIT_DONE);
  print_emulator(families, count, &total, list);
  return EXIT_DONE;
}

//===- A code object ------------------------------------------------------===//

/// Sums over a survey, by support; `refused` counts occurrences.
typedef struct usage_totals {
  uint64_t instructions, refused;
  family mnemonics;
} usage_totals;

static usage_totals sum_usage(const fmhac_emu_survey *survey) {
  usage_totals t = {0};
  for (size_t i = 0; i < fmhac_emu_survey_usage_count(survey); ++i) {
    fmhac_emu_usage u = {.size = sizeof u};
    if (fmhac_emu_survey_get_usage(survey, i, &u) != FMHAC_OK)
      continue;
    t.instructions += u.count;
    t.refused += u.refused;
    t.mnemonics.counts[u.support]++;
  }
  return t;
}

/// Refused instructions are always named, the others if --list asks for them.
static bool is_shown(const fmhac_emu_usage *u, const char *list) {
  return u->refused || is_listed(list ? list : "all", u->support);
}

static void print_usage(const fmhac_emu_usage *u) {
  const char *name = u->mnemonic;
  printx("%9" PRIu64 "  %-34s %-8s %s", u->count, name[0] ? name : "(none)",
         u->encoding, support_names[u->support]);
  if (u->refused)
    printx("  %" PRIu64 " refused, pc 0x%" PRIx64 ": %s: %s", u->refused, u->pc,
           u->example, u->reason);
  printx("\n");
}

static cJSON *usage_object(const fmhac_emu_usage *u) {
  const fmhac_emu_instruction instruction = {.size = sizeof instruction,
                                             .mnemonic = u->mnemonic,
                                             .encoding = u->encoding,
                                             .forms = u->forms,
                                             .support = u->support,
                                             .source = u->source};
  cJSON *object = instruction_object(&instruction);
  cJSON_AddNumberToObject(object, "count", (double)u->count);
  cJSON_AddNumberToObject(object, "refused", (double)u->refused);
  cJSON_AddNumberToObject(object, "pc", (double)u->pc);
  cJSON_AddStringToObject(object, "example", u->example);
  cJSON_AddStringToObject(object, "reason", u->reason);
  return object;
}

static int report_survey(const report *r, const char *path,
                         const fmhac_emu_survey *survey, const char *list) {
  usage_totals t = sum_usage(survey);
  cJSON *object = r->json ? cJSON_CreateObject() : NULL;
  cJSON *array = NULL;
  if (object) {
    cJSON_AddStringToObject(object, "file", path);
    cJSON_AddNumberToObject(object, "occurrences", (double)t.instructions);
    cJSON_AddNumberToObject(object, "refused", (double)t.refused);
    add_counts(object, &t.mnemonics);
    array = cJSON_AddArrayToObject(object, "instructions");
  } else {
    printx("%s: %" PRIu64 " instructions of %u mnemonics: %u documented, %u "
           "assumed, %u missing, %u not applicable; %" PRIu64 " refused\n",
           path, t.instructions, total_of(&t.mnemonics),
           t.mnemonics.counts[FMHAC_EMU_SUPPORT_DOCUMENTED],
           t.mnemonics.counts[FMHAC_EMU_SUPPORT_ASSUMED],
           t.mnemonics.counts[FMHAC_EMU_SUPPORT_MISSING],
           t.mnemonics.counts[FMHAC_EMU_SUPPORT_NOT_APPLICABLE], t.refused);
  }
  for (size_t i = 0; i < fmhac_emu_survey_usage_count(survey); ++i) {
    fmhac_emu_usage u = {.size = sizeof u};
    if (fmhac_emu_survey_get_usage(survey, i, &u) != FMHAC_OK ||
        !is_shown(&u, list))
      continue;
    if (array)
      cJSON_AddItemToArray(array, usage_object(&u));
    else
      print_usage(&u);
  }
  const int code = t.refused ? EXIT_UNSUPPORTED : EXIT_DONE;
  return object ? report_json(object, code) : code;
}

int coverage_of_file(const report *r, const char *path, const char *list) {
  char error[ERROR_BYTES];
  void *bytes;
  size_t size;
  int code = check_list(r, list);
  if (code != EXIT_DONE)
    return code;
  if (!file_read(path, &bytes, &size, error))
    return report_error(r, EXIT_USAGE, "%s", error);
  fmhac_emu_survey *survey = NULL;
  fmhac_status status =
      fmhac_emu_survey_create(bytes, size, error, sizeof error, &survey);
  free(bytes);
  if (status != FMHAC_OK)
    return report_error(r, exit_code_of(status), "%s: %s", path, error);
  code = report_survey(r, path, survey, list);
  fmhac_emu_survey_destroy(survey);
  return code;
}
