// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "schedule_facts.h"

bool kernel_object_read(const fmhac_kernel *kernel, code_object *out_object,
                        char error[ERROR_BYTES]) {
  const void *bytes;
  size_t size;
  if (fmhac_kernel_get_code(kernel, &bytes, &size) == FMHAC_OK)
    return code_object_read(bytes, size, out_object, error);
  return ERROR_SET(error, "the kernel has no code");
}

fmhac_kernel_info plan_entry(const fmhac_plan *plan) {
  fmhac_kernel_info info = {.size = sizeof info};
  if (fmhac_kernel_get_info(fmhac_plan_get_kernel(plan),
                            fmhac_plan_get_entry(plan, 0), &info) != FMHAC_OK)
    info = (fmhac_kernel_info){.size = sizeof info, .name = "", .schedule = ""};
  return info;
}

/// The schedules of all entries in the words of the key, or the name of one;
/// malloc'ed.
static char *list_schedules(const cJSON *note, const char *name) {
  char *list = strdup("");
  const cJSON *entry;
  cJSON_ArrayForEach(entry, json_get(note, "entries")) {
    if (name && strcmp(text_in(entry, "kernel"), name) != 0)
      continue;
    const char *when = name ? "" : text_in(entry, "when");
    char *longer;
    if (asprintf(&longer, "%s%s%s%s%s", list ? list : "",
                 list && list[0] ? "; " : "", text_in(entry, "schedule"),
                 when[0] ? " if " : "", when) < 0)
      longer = NULL;
    free(list);
    list = longer;
  }
  return list;
}

void kernel_schedule_json(cJSON *object, const fmhac_kernel *kernel,
                          const char *name) {
  char error[ERROR_BYTES];
  code_object code = {0};
  const bool is_read = kernel_object_read(kernel, &code, error);
  // Of several schedules `fmhac inspect` has the files.
  const bool is_one =
      name || cJSON_GetArraySize(json_get(code.note, "entries")) == 1;
  char *file = is_read && is_one ? schedule_file_of(code.note, name) : NULL;
  char *list = is_read ? list_schedules(code.note, name) : NULL;
  cJSON_AddStringToObject(object, "schedule", list ? list : "");
  schedule_file_json(object, file);
  free(list);
  free(file);
  code_object_deinit(&code);
}

char *kernel_schedule_label(const fmhac_kernel *kernel, const char *name) {
  cJSON *object = cJSON_CreateObject();
  kernel_schedule_json(object, kernel, name);
  char *label = schedule_label(object);
  cJSON_Delete(object);
  return label;
}
