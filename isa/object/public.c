// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_object.h: the reader for programs.
#include <stdio.h>
#include <stdlib.h>

#include "fmhac_object.h"
#include "need.h"
#include "object.h"
#include "sized_struct.h"

struct fmhac_object {
  isa_object object;
  size_t kernel_count; ///< of the metadata: they come first
  char **arguments;    ///< of each, as JSON; owned
  char *note;          ///< owned
};

/// Checks that the object has metadata and a descriptor for each of its
/// kernels.
static fmhac_status check(fmhac_object *o, char *text, size_t text_bytes) {
  if (!o->object.has_metadata) {
    snprintf(text, text_bytes,
             "expected a metadata note (NT_AMDGPU_METADATA), found none: is it "
             "linked?");
    return FMHAC_INVALID_INPUT;
  }
  for (size_t i = 0; i < o->object.kernel_count; i++) {
    const isa_kernel *k = &o->object.kernels[i];
    o->kernel_count += k->has_metadata;
    if (!k->has_metadata || k->has_descriptor)
      continue;
    snprintf(text, text_bytes,
             "expected the descriptor of kernel '%.100s' at the symbol "
             "'%.100s.kd', found none",
             k->name, k->name);
    return FMHAC_INVALID_INPUT;
  }
  if (o->kernel_count)
    return FMHAC_OK;
  snprintf(text, text_bytes, "the metadata lists no kernel");
  return FMHAC_INVALID_INPUT;
}

fmhac_status fmhac_object_create(const void *code, size_t bytes, char *text,
                                 size_t text_bytes, fmhac_object **out) {
  char none[1];
  fmhac_status status =
      fmhac_begin_with_text(&text, &text_bytes, none, "reading the code object",
                            "out_object", out, "code", code);
  if (status != FMHAC_OK)
    return status;
  fmhac_object *o = calloc(1, sizeof *o);
  if (!o) {
    snprintf(text, text_bytes, "out of memory");
    return FMHAC_OUT_OF_MEMORY;
  }
  status = isa_object_read(code, bytes, text, text_bytes, &o->object);
  if (status == FMHAC_OK)
    status = check(o, text, text_bytes);
  if (status != FMHAC_OK) {
    fmhac_object_destroy(o);
    return status;
  }
  o->arguments = calloc(o->kernel_count, sizeof *o->arguments);
  if (!o->arguments || !isa_object_arguments_json(&o->object, o->arguments) ||
      !isa_object_note_json(&o->object, &o->note)) {
    fmhac_object_destroy(o);
    snprintf(text, text_bytes, "out of memory");
    return FMHAC_OUT_OF_MEMORY;
  }
  *out = o;
  return FMHAC_OK;
}

void fmhac_object_destroy(fmhac_object *o) {
  if (!o)
    return;
  for (size_t i = 0; o->arguments && i < o->kernel_count; i++)
    free(o->arguments[i]);
  free(o->arguments);
  isa_object_deinit(&o->object);
  free(o->note);
  free(o);
}

size_t fmhac_object_kernel_count(const fmhac_object *o) {
  return o ? o->kernel_count : 0;
}

fmhac_status fmhac_object_get_kernel(const fmhac_object *o, size_t index,
                                     fmhac_object_kernel *out) {
  if (!o || index >= o->kernel_count)
    return FMHAC_INVALID_INPUT;
  const isa_kernel *k = &o->object.kernels[index];
  const fmhac_object_kernel kernel = {
      .name = k->name,
      .arguments = o->arguments[index],
      .vgprs = k->vgprs,
      .agprs = k->agprs,
      .allocated_vgprs = isa_allocated_vgprs(&k->descriptor),
      .sgprs = k->sgprs,
      .vgpr_spills = k->vgpr_spills,
      .sgpr_spills = k->sgpr_spills,
      .scratch_bytes = k->descriptor.scratch_bytes,
      .lds_bytes = k->descriptor.lds_bytes,
      .kernarg_bytes = k->kernarg_bytes,
      .max_threads = k->max_threads,
      .dynamic_lds = k->dynamic_lds};
  return FMHAC_STRUCT_OUT(out, &kernel, fmhac_object_kernel, dynamic_lds);
}

const char *fmhac_object_get_note(const fmhac_object *o) {
  return o ? o->note : NULL;
}

const char *fmhac_object_get_target(const fmhac_object *o) {
  return o && o->object.target ? o->object.target : "";
}
