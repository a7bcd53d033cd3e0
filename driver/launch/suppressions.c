// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "suppressions.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "json_fields.h"

static const char *const keys[] = {
    "check", "instruction", "other_instruction", "message",
    "step",  "other_step",  "location",          "other_location"};
enum { KEYS = sizeof keys / sizeof *keys };

static bool is_key(const char *name) {
  for (int i = 0; i < KEYS; ++i)
    if (strcmp(name, keys[i]) == 0)
      return true;
  return false;
}

static bool is_valid(const cJSON *array, const char *path,
                     char error[ERROR_BYTES]) {
  if (!cJSON_IsArray(array))
    return ERROR_SET(error,
                     "%.200s: expected a JSON array of suppressions, found %s",
                     path, json_type_name(array));
  int number = 0;
  const cJSON *each, *member;
  cJSON_ArrayForEach(each, array) {
    if (!cJSON_IsObject(each) || !each->child)
      return ERROR_SET(
          error,
          "%.200s: [%d]: expected an object with at least one of check, "
          "instruction, other_instruction, message, step, "
          "other_step, location, other_location",
          path, number);
    cJSON_ArrayForEach(member, each) {
      if (is_key(member->string) && cJSON_IsString(member))
        continue;
      return ERROR_SET(
          error,
          "%.200s: [%d]: key \"%.40s\": expected check, instruction, "
          "other_instruction, message, step, other_step, location "
          "or other_location with a text",
          path, number, member->string);
    }
    ++number;
  }
  return true;
}

cJSON *suppressions_read(const char *path, char error[ERROR_BYTES]) {
  void *text = NULL;
  size_t bytes = 0;
  if (!file_read(path, &text, &bytes, error))
    return NULL;
  const json_fields fields = {path, error, ERROR_BYTES};
  cJSON *array = json_parse(&fields, text, bytes);
  free(text);
  if (array && is_valid(array, path, error))
    return array;
  cJSON_Delete(array);
  return NULL;
}

static bool matches(const cJSON *suppression, const cJSON *finding) {
  const cJSON *pattern;
  cJSON_ArrayForEach(pattern, suppression) {
    const cJSON *value = json_get(finding, pattern->string);
    const char *text = cJSON_IsString(value) ? value->valuestring : "";
    if (fnmatch(pattern->valuestring, text, 0) != 0)
      return false;
  }
  return true;
}

cJSON *suppressions_apply(const report *r, const cJSON *suppressions,
                          cJSON *findings) {
  cJSON *taken = cJSON_CreateArray();
  const cJSON *each;
  int number = 0;
  cJSON_ArrayForEach(each, suppressions) {
    bool used = false;
    cJSON *finding = findings->child;
    while (finding) {
      cJSON *next = finding->next;
      if (matches(each, finding)) {
        used = true;
        cJSON_AddItemToArray(taken,
                             cJSON_DetachItemViaPointer(findings, finding));
      }
      finding = next;
    }
    if (!used)
      report_message(r, MESSAGE_WARNING, "suppression [%d] matches no finding",
                     number);
    ++number;
  }
  return taken;
}
