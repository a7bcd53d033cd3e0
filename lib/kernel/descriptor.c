// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "descriptor.h"

#include "object.h"

enum { TEXT_BYTES = 512 };

static uint32_t saturated_sum(uint32_t a, uint32_t b) {
  return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

fmhac_status fmhac_descriptor_read(fmhac_context *context, const void *code,
                                   size_t code_bytes, const char *name,
                                   fmhac_descriptor *out_descriptor) {
  *out_descriptor = (fmhac_descriptor){0};
  char text[TEXT_BYTES];
  isa_object object;
  fmhac_status status =
      isa_object_read(code, code_bytes, text, sizeof text, &object);
  if (status != FMHAC_OK)
    return fmhac_fail(
        context, status == FMHAC_OUT_OF_MEMORY ? status : FMHAC_CODEGEN_FAILED,
        "reading the code object: %s", text);
  const isa_kernel *kernel = isa_object_find_kernel(&object, name);
  if (!kernel || !kernel->has_descriptor)
    status = fmhac_fail(context, FMHAC_CODEGEN_FAILED,
                        "reading the code object: expected the symbol '%s.kd' "
                        "in a loaded segment, found none",
                        name);
  else if (!kernel->has_counts)
    status = fmhac_fail(context, FMHAC_CODEGEN_FAILED,
                        "reading the code object: expected spilled registers "
                        "and workgroup size of kernel '%s' in its AMDGPU "
                        "metadata, found none",
                        name);
  else
    *out_descriptor = (fmhac_descriptor){
        .lds_bytes = kernel->descriptor.lds_bytes,
        .vgprs = isa_allocated_vgprs(&kernel->descriptor),
        .scratch_bytes = kernel->descriptor.scratch_bytes,
        .spills = saturated_sum(kernel->vgpr_spills, kernel->sgpr_spills),
        .max_threads = kernel->max_threads};
  isa_object_deinit(&object);
  return status;
}
