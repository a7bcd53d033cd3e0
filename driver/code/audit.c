// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu_report.h"
#include "files.h"
#include "seconds.h"
#include "streams.h"

static cJSON *finding_object(const fmhac_emu_audit_finding *f) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "check", f->check);
  cJSON_AddStringToObject(object, "message", f->message);
  cJSON_AddNumberToObject(object, "pc", (double)(int64_t)f->pc);
  cJSON_AddStringToObject(object, "instruction", f->instruction);
  cJSON_AddNumberToObject(object, "other_pc", (double)(int64_t)f->other_pc);
  cJSON_AddStringToObject(object, "other_instruction", f->other_instruction);
  cJSON_AddNullToObject(object, "workgroup");
  cJSON_AddNullToObject(object, "wave");
  cJSON_AddNumberToObject(object, "count", 1);
  cJSON_AddStringToObject(object, "kernel", f->kernel);
  cJSON_AddStringToObject(object, "counter", f->counter);
  cJSON_AddNumberToObject(object, "wait", f->wait);
  emu_places_add(object, f->location, f->step, f->other_location,
                 f->other_step);
  return object;
}

static cJSON *note_object(const fmhac_emu_audit_note *n) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "kernel", n->kernel);
  cJSON_AddStringToObject(object, "message", n->message);
  cJSON_AddNumberToObject(object, "pc", (double)(int64_t)n->pc);
  cJSON_AddStringToObject(object, "instruction", n->instruction);
  return object;
}

/// Figures, notes and findings.
static void add_audit(cJSON *object, const fmhac_emu_audit *audit,
                      double seconds) {
  fmhac_emu_audit_stats stats = {.size = sizeof stats};
  if (fmhac_emu_audit_get_stats(audit, &stats) != FMHAC_OK)
    return;
  cJSON_AddNumberToObject(object, "kernels", (double)stats.kernels);
  cJSON_AddNumberToObject(object, "instructions", (double)stats.instructions);
  cJSON_AddNumberToObject(object, "blocks", (double)stats.blocks);
  cJSON_AddNumberToObject(object, "dropped", (double)stats.dropped);
  cJSON_AddNumberToObject(object, "seconds", seconds);
  cJSON *notes = cJSON_AddArrayToObject(object, "not_analysed");
  for (size_t i = 0; i < fmhac_emu_audit_note_count(audit); ++i) {
    fmhac_emu_audit_note n = {.size = sizeof n};
    if (fmhac_emu_audit_get_note(audit, i, &n) == FMHAC_OK)
      cJSON_AddItemToArray(notes, note_object(&n));
  }
  cJSON *idle = cJSON_AddArrayToObject(object, "idle_waits");
  for (size_t i = 0; i < fmhac_emu_audit_idle_count(audit); ++i) {
    fmhac_emu_audit_note n = {.size = sizeof n};
    if (fmhac_emu_audit_get_idle(audit, i, &n) == FMHAC_OK)
      cJSON_AddItemToArray(idle, note_object(&n));
  }
  cJSON *findings = cJSON_AddArrayToObject(object, "findings");
  for (size_t i = 0; i < fmhac_emu_audit_finding_count(audit); ++i) {
    fmhac_emu_audit_finding f = {.size = sizeof f};
    if (fmhac_emu_audit_get_finding(audit, i, &f) == FMHAC_OK)
      cJSON_AddItemToArray(findings, finding_object(&f));
  }
}

static fmhac_status audit_bytes(const void *bytes, size_t size,
                                char error[ERROR_BYTES],
                                fmhac_emu_audit **out_audit,
                                double *out_seconds) {
  double start = seconds_now();
  fmhac_status status = fmhac_emu_audit_create(
      bytes, size, FMHAC_EMU_AUDIT_IMPLEMENTED, error, ERROR_BYTES, out_audit);
  *out_seconds = seconds_now() - start;
  return status;
}

/// Prints findings, and places that were not analysed, which are results too.
static void print_findings(const report *r, const fmhac_emu_audit *audit) {
  for (size_t i = 0; i < fmhac_emu_audit_note_count(audit); ++i) {
    fmhac_emu_audit_note n = {.size = sizeof n};
    if (fmhac_emu_audit_get_note(audit, i, &n) != FMHAC_OK)
      continue;
    // A note may list instructions, each in a line of its own.
    fprintx(stderr, "fmhac %s: not analysed: ", r->command);
    for (const char *line = n.message; line;) {
      const int bytes = (int)strcspn(line, "\n");
      fprintx(stderr, "%.*s\n", bytes, line);
      line = line[bytes] ? line + bytes + 1 : NULL;
    }
  }
  for (size_t i = 0; i < fmhac_emu_audit_finding_count(audit); ++i) {
    fmhac_emu_audit_finding f = {.size = sizeof f};
    if (fmhac_emu_audit_get_finding(audit, i, &f) == FMHAC_OK)
      report_message(r, MESSAGE_FINDING, "%s: %s", f.check, f.message);
  }
}

static int code_of(const fmhac_emu_audit *audit) {
  return fmhac_emu_audit_finding_count(audit) ? EXIT_CHECK
         : fmhac_emu_audit_note_count(audit)  ? EXIT_UNSUPPORTED
                                              : EXIT_DONE;
}

int audit_file(const report *r, const char *path) {
  char error[ERROR_BYTES];
  void *bytes;
  size_t size;
  if (!file_read(path, &bytes, &size, error))
    return report_error(r, EXIT_USAGE, "%s", error);
  fmhac_emu_audit *audit = NULL;
  double seconds;
  fmhac_status status = audit_bytes(bytes, size, error, &audit, &seconds);
  free(bytes);
  if (status != FMHAC_OK)
    return report_error(r, exit_code_of(status), "%s: %s", path, error);
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "file", path);
  add_audit(object, audit, seconds);
  print_findings(r, audit);
  int code = code_of(audit);
  fmhac_emu_audit_stats stats = {.size = sizeof stats};
  if (r->json) {
    code = report_json(object, code);
    object = NULL;
  } else if (fmhac_emu_audit_get_stats(audit, &stats) == FMHAC_OK) {
    printx("%s: %" PRIu64 " kernels, %" PRIu64 " instructions in %" PRIu64
           " blocks: %zu findings, %zu places not analysed, %zu idle waits",
           path, stats.kernels, stats.instructions, stats.blocks,
           fmhac_emu_audit_finding_count(audit),
           fmhac_emu_audit_note_count(audit),
           fmhac_emu_audit_idle_count(audit));
    if (stats.dropped)
      printx("; %" PRIu64 " more not kept", stats.dropped);
    printx("\n");
  }
  cJSON_Delete(object);
  fmhac_emu_audit_destroy(audit);
  return code;
}

int audit_output(const report *r, const void *bytes, size_t size,
                 cJSON *result) {
  char error[ERROR_BYTES];
  fmhac_emu_audit *audit = NULL;
  double seconds;
  fmhac_status status = audit_bytes(bytes, size, error, &audit, &seconds);
  if (status != FMHAC_OK)
    return report_error(r, exit_code_of(status), "%s", error);
  // The library has warned about places that were not analysed.
  add_audit(cJSON_AddObjectToObject(result, "audit"), audit, seconds);
  fmhac_emu_audit_destroy(audit);
  return EXIT_DONE;
}
