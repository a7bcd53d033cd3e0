// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "code_object.h"

#include <stdlib.h>

static bool read_kernels(code_object *o, char error[ERROR_BYTES]) {
  const size_t count = fmhac_object_kernel_count(o->object);
  o->kernels = calloc(count, sizeof *o->kernels);
  if (!o->kernels)
    return ERROR_SET(error, "out of memory");
  for (size_t i = 0; i < count; ++i) {
    code_kernel *k = &o->kernels[o->kernel_count++];
    k->facts.size = sizeof k->facts;
    if (fmhac_object_get_kernel(o->object, i, &k->facts) != FMHAC_OK)
      return false;
    k->arguments = k->facts.arguments ? cJSON_Parse(k->facts.arguments) : NULL;
  }
  return true;
}

bool code_object_read(const void *bytes, size_t size, code_object *out_object,
                      char error[ERROR_BYTES]) {
  *out_object = (code_object){0};
  if (fmhac_object_create(bytes, size, error, ERROR_BYTES,
                          &out_object->object) != FMHAC_OK)
    return false;
  const char *note = fmhac_object_get_note(out_object->object);
  out_object->note = note ? cJSON_Parse(note) : NULL;
  if (read_kernels(out_object, error))
    return true;
  code_object_deinit(out_object);
  return false;
}

void code_object_deinit(code_object *object) {
  for (size_t i = 0; i < object->kernel_count; ++i)
    cJSON_Delete(object->kernels[i].arguments);
  free(object->kernels);
  cJSON_Delete(object->note);
  fmhac_object_destroy(object->object);
  *object = (code_object){0};
}
