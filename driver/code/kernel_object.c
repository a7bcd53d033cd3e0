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

fmhac_kernel_info plan_launch_entry(const fmhac_plan *plan, size_t index) {
  fmhac_kernel_info info = {.size = sizeof info};
  if (fmhac_kernel_get_info(fmhac_plan_get_kernel(plan),
                            fmhac_plan_get_entry(plan, index),
                            &info) != FMHAC_OK)
    info = (fmhac_kernel_info){.size = sizeof info, .name = "", .schedule = ""};
  return info;
}

bool plan_attends(const fmhac_plan *plan, size_t index) {
  const char *schedule = plan_launch_entry(plan, index).schedule;
  return schedule && schedule[0];
}

size_t plan_attention(const fmhac_plan *plan) {
  for (size_t i = fmhac_plan_launch_count(plan); i > 0; --i)
    if (plan_attends(plan, i - 1))
      return i - 1;
  return 0;
}

size_t plan_first_attention(const fmhac_plan *plan) {
  for (size_t i = 0; i < fmhac_plan_launch_count(plan); ++i)
    if (plan_attends(plan, i))
      return i;
  return 0;
}

fmhac_kernel_info plan_entry(const fmhac_plan *plan) {
  return plan_launch_entry(plan, plan_attention(plan));
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
