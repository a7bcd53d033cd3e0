// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_object.h"

#include <stdlib.h>

#include "fmhac_inspect.h"
#include "schedule_facts.h"

bool kernel_object_read(const fmhac_kernel *kernel, code_object *out_object,
                        char error[ERROR_BYTES]) {
  const void *bytes;
  size_t size;
  if (fmhac_kernel_get_code(kernel, &bytes, &size) == FMHAC_OK)
    return code_object_read(bytes, size, out_object, error);
  return ERROR_SET(error, "the kernel has no code");
}

void kernel_schedule_json(cJSON *object, const fmhac_kernel *kernel) {
  char error[ERROR_BYTES];
  code_object code = {0};
  char *file = kernel_object_read(kernel, &code, error)
                   ? schedule_file_of(code.note)
                   : NULL;
  cJSON_AddStringToObject(object, "schedule",
                          fmhac_kernel_get_schedule(kernel));
  schedule_file_json(object, file);
  free(file);
  code_object_deinit(&code);
}

char *kernel_schedule_label(const fmhac_kernel *kernel) {
  cJSON *object = cJSON_CreateObject();
  kernel_schedule_json(object, kernel);
  char *label = schedule_label(object);
  cJSON_Delete(object);
  return label;
}
