// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emu_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "streams.h"

void emu_places_add(cJSON *object, const char *location, const char *step,
                    const char *other_location, const char *other_step) {
  const struct {
    const char *key, *text;
  } rows[] = {{"location", location},
              {"step", step},
              {"other_location", other_location},
              {"other_step", other_step}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    cJSON_AddItemToObject(object, rows[i].key,
                          rows[i].text ? cJSON_CreateString(rows[i].text)
                                       : cJSON_CreateNull());
}

static cJSON *finding_object(const fmhac_emu_finding *f) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "check", f->check);
  cJSON_AddStringToObject(object, "message", f->message);
  if (f->instruction) {
    cJSON_AddNumberToObject(object, "pc", (double)(int64_t)f->pc);
    cJSON_AddStringToObject(object, "instruction", f->instruction);
  } else {
    cJSON_AddNullToObject(object, "pc");
    cJSON_AddNullToObject(object, "instruction");
  }
  if (f->other_instruction) {
    cJSON_AddNumberToObject(object, "other_pc", (double)(int64_t)f->other_pc);
    cJSON_AddStringToObject(object, "other_instruction", f->other_instruction);
  } else {
    cJSON_AddNullToObject(object, "other_pc");
    cJSON_AddNullToObject(object, "other_instruction");
  }
  if (f->instruction) {
    cJSON *id = cJSON_AddArrayToObject(object, "workgroup");
    for (int axis = 0; axis < 3; ++axis)
      cJSON_AddItemToArray(id, cJSON_CreateNumber(f->workgroup[axis]));
    cJSON_AddNumberToObject(object, "wave", f->wave);
  } else { // of the launch as a whole
    cJSON_AddNullToObject(object, "workgroup");
    cJSON_AddNullToObject(object, "wave");
  }
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
  const cJSON *pc = cJSON_GetObjectItem(finding, "pc");
  const cJSON *other = cJSON_GetObjectItem(finding, "other_pc");
  const cJSON *line;
  cJSON_ArrayForEach(line, cJSON_GetObjectItem(finding, "listing")) {
    double at = cJSON_GetObjectItem(line, "pc")->valuedouble;
    bool marked = at == pc->valuedouble ||
                  (cJSON_IsNumber(other) && at == other->valuedouble);
    int64_t offset = (int64_t)at;
    fprintx(stderr, "  %c %s0x%06" PRIx64 "  %s\n", marked ? '>' : ' ',
            offset < 0 ? "-" : "", (uint64_t)(offset < 0 ? -offset : offset),
            cJSON_GetObjectItem(line, "instruction")->valuestring);
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
    const cJSON *check = cJSON_GetObjectItem(finding, "check");
    const cJSON *message = cJSON_GetObjectItem(finding, "message");
    const cJSON *count = cJSON_GetObjectItem(finding, "count");
    fprintx(stderr, "fmhac %s: finding: %s: %s (%.0f times)\n", command,
            check->valuestring, message->valuestring, count->valuedouble);
    if (shown++ < LISTINGS)
      print_listing(finding);
  }
}
