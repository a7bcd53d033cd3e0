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

size_t plan_attention(const fmhac_plan *plan) {
  const fmhac_kernel *kernel = fmhac_plan_get_kernel(plan);
  for (size_t i = 0; i < fmhac_plan_launch_count(plan); ++i) {
    fmhac_kernel_info info = {.size = sizeof info};
    if (fmhac_kernel_get_info(kernel, fmhac_plan_get_entry(plan, i), &info) ==
            FMHAC_OK &&
        info.schedule && info.schedule[0])
      return i;
  }
  return 0;
}

fmhac_kernel_info plan_entry(const fmhac_plan *plan) {
  fmhac_kernel_info info = {.size = sizeof info};
  if (fmhac_kernel_get_info(fmhac_plan_get_kernel(plan),
                            fmhac_plan_get_entry(plan, plan_attention(plan)),
                            &info) != FMHAC_OK)
    info = (fmhac_kernel_info){.size = sizeof info, .name = "", .schedule = ""};
  return info;
}

void kernel_schedule_json(cJSON *object, const fmhac_kernel *kernel,
                          const char *name) {
  char error[ERROR_BYTES];
  code_object code = {0};
  (void)kernel_object_read(kernel, &code, error); // else there is no note
  if (name) {
    char *file = schedule_file_of(code.note, name);
    cJSON_AddStringToObject(object, "schedule",
                            text_in(note_entry(code.note, name), "schedule"));
    schedule_file_json(object, file);
    free(file);
  } else {
    schedule_entries_json(object, schedule_entries_of_note(code.note));
  }
  code_object_deinit(&code);
}

char *kernel_schedule_label(const fmhac_kernel *kernel, const char *name) {
  cJSON *object = cJSON_CreateObject();
  kernel_schedule_json(object, kernel, name);
  char *label = schedule_label(object);
  cJSON_Delete(object);
  return label;
}
