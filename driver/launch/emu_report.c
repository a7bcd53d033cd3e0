// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emu_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "report.h"
#include "streams.h"

void emu_places_add(cJSON *object, const char *location, const char *step,
                    const char *other_location, const char *other_step) {
  json_add_text(object, "location", location);
  json_add_text(object, "step", step);
  json_add_text(object, "other_location", other_location);
  json_add_text(object, "other_step", other_step);
}

static cJSON *finding_object(const fmhac_emu_finding *f) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "check", f->check);
  cJSON_AddStringToObject(object, "message", f->message);
  // A finding of the launch as a whole has no instruction.
  json_add_known(object, "pc", f->instruction, (double)(int64_t)f->pc);
  json_add_text(object, "instruction", f->instruction);
  json_add_known(object, "other_pc", f->other_instruction,
                 (double)(int64_t)f->other_pc);
  json_add_text(object, "other_instruction", f->other_instruction);
  const double id[] = {f->workgroup[0], f->workgroup[1], f->workgroup[2]};
  cJSON_AddItemToObject(object, "workgroup",
                        f->instruction ? cJSON_CreateDoubleArray(id, 3)
                                       : cJSON_CreateNull());
  json_add_known(object, "wave", f->instruction, f->wave);
  cJSON_AddNumberToObject(object, "count", (double)f->count);
  return object;
}

/// The code around a finding's instructions: [{pc, instruction}], both places
/// once if they are near each other.
static cJSON *listing(const fmhac_rt_device *device,
                      const fmhac_emu_finding *f) {
  enum { REACH = 2 };
  cJSON *lines = cJSON_CreateArray();
  if (!f->instruction)
    return lines;
  bool swap = f->other_instruction && (int64_t)f->other_pc < (int64_t)f->pc;
  const uint64_t places[2] = {swap ? f->other_pc : f->pc,
                              swap ? f->pc : f->other_pc};
  uint64_t listed[2 * (2 * REACH + 1)];
  int count = 0;
  for (int k = 0; k < (f->other_instruction ? 2 : 1); ++k)
    for (int distance = -REACH; distance <= REACH; ++distance) {
      uint64_t pc;
      const char *text;
      if (fmhac_emu_get_listing(device, places[k], distance, &pc, &text) !=
          FMHAC_OK)
        continue;
      bool known = false;
      for (int i = 0; i < count; ++i)
        known |= listed[i] == pc;
      if (known)
        continue;
      listed[count++] = pc;
      cJSON *line = cJSON_CreateObject();
      cJSON_AddNumberToObject(line, "pc", (double)(int64_t)pc);
      cJSON_AddStringToObject(line, "instruction", text);
      cJSON_AddItemToArray(lines, line);
    }
  return lines;
}

cJSON *emu_findings(const fmhac_rt_device *device) {
  cJSON *findings = cJSON_CreateArray();
  for (size_t i = 0; i < fmhac_emu_finding_count(device); ++i) {
    fmhac_emu_finding f = {.size = sizeof f};
    if (fmhac_emu_get_finding(device, i, &f) == FMHAC_OK) {
      cJSON *object = finding_object(&f);
      cJSON_AddItemToObject(object, "listing", listing(device, &f));
      emu_places_add(object, f.location, f.step, f.other_location,
                     f.other_step);
      cJSON_AddItemToArray(findings, object);
    }
  }
  return findings;
}

/// Indented; the finding's own instructions are marked.
static void print_listing(const cJSON *finding) {
  const cJSON *pc = json_get(finding, "pc");
  const cJSON *other = json_get(finding, "other_pc");
  const cJSON *line;
  cJSON_ArrayForEach(line, json_get(finding, "listing")) {
    double at = number_in(line, "pc");
    bool marked = at == pc->valuedouble ||
                  (cJSON_IsNumber(other) && at == other->valuedouble);
    int64_t offset = (int64_t)at;
    fprintx(stderr, "  %c %s0x%06" PRIx64 "  %s\n", marked ? '>' : ' ',
            offset < 0 ? "-" : "", (uint64_t)(offset < 0 ? -offset : offset),
            text_in(line, "instruction"));
  }
}

void emu_dropped_print(const char *command, const fmhac_emu_stats *stats) {
  if (stats->dropped)
    fprintx(stderr,
            "fmhac %s: other findings came %" PRIu64 " times; more different "
            "ones are not kept\n",
            command, stats->dropped);
}

void emu_findings_print(const char *command, const cJSON *findings) {
  enum { LISTINGS = 10 }; // of further findings only the first lines are of use
  const cJSON *finding;
  int shown = 0;
  cJSON_ArrayForEach(finding, findings) {
    fprintx(stderr, "fmhac %s: finding: ", command);
    const cJSON *launch = json_get(finding, "launch");
    if (launch)
      fprintx(stderr, "launch %.0f: ", launch->valuedouble);
    fprintx(stderr, "%s: %s (%.0f times)\n", text_in(finding, "check"),
            text_in(finding, "message"), number_in(finding, "count"));
    if (shown++ < LISTINGS)
      print_listing(finding);
  }
}

void emu_stats_add(cJSON *object, const fmhac_emu_stats *stats) {
  cJSON_AddNumberToObject(object, "dropped", (double)stats->dropped);
  cJSON_AddNumberToObject(object, "workgroups", (double)stats->workgroups);
  cJSON_AddNumberToObject(object, "instructions", (double)stats->instructions);
  cJSON_AddNumberToObject(object, "matrix_instructions",
                          (double)stats->matrix_instructions);
}

void emu_joined_stats_add(cJSON *object, const fmhac_emu_stats *stats) {
  fmhac_emu_stats all = *stats;
  all.workgroups = stats->joined_workgroups;
  all.instructions = stats->joined_instructions;
  all.matrix_instructions = stats->joined_matrix_instructions;
  emu_stats_add(object, &all);
  cJSON_AddNumberToObject(object, "launches", (double)stats->joined_launches);
}
