// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A code object in the memory of the device: segments, relocations, kernels and
// their hidden arguments.
#include "module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Copies the segments to the device and applies the relocations.
static fmhac_status load_image(emu_space *space, emu_module *m, char *text,
                               size_t text_bytes) {
  const isa_object *o = &m->object;
  fmhac_status status = emu_space_map(space, "code object", 0, o->image_bytes,
                                      text, text_bytes, &m->base);
  if (status != FMHAC_OK)
    return status;
  m->image = emu_space_host(space, m->base, o->image_bytes);
  for (size_t i = 0; i < o->segment_count; i++)
    memcpy(m->image + o->segments[i].address,
           o->bytes + o->segments[i].file_offset, o->segments[i].file_bytes);
  for (size_t i = 0; i < o->relocation_count; i++) {
    uint64_t value = m->base + o->relocations[i].value;
    memcpy(m->image + o->relocations[i].at, &value, sizeof value);
  }
  return FMHAC_OK;
}

static void find_hidden(emu_kernel *kernel, const isa_kernel *from) {
  static const char *const names[EMU_HIDDEN_COUNT] = {
      "hidden_block_count_x", "hidden_block_count_y",   "hidden_block_count_z",
      "hidden_group_size_x",  "hidden_group_size_y",    "hidden_group_size_z",
      "hidden_remainder_x",   "hidden_remainder_y",     "hidden_remainder_z",
      "hidden_grid_dims",     "hidden_dynamic_lds_size"};
  for (int k = 0; k < EMU_HIDDEN_COUNT; k++) {
    kernel->hidden[k] = -1;
    for (size_t i = 0; i < from->argument_count; i++)
      if (strcmp(from->arguments[i].kind, names[k]) == 0)
        kernel->hidden[k] = (int32_t)from->arguments[i].offset;
  }
}

static fmhac_status load_kernels(emu_module *m, char *text, size_t text_bytes) {
  const isa_object *o = &m->object;
  m->kernels = calloc(o->kernel_count, sizeof *m->kernels);
  if (!m->kernels) {
    snprintf(text, text_bytes, "out of memory for %zu kernels",
             o->kernel_count);
    return FMHAC_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < o->kernel_count; i++) {
    const isa_kernel *from = &o->kernels[i];
    if (!from->has_descriptor)
      continue;
    emu_kernel *k = &m->kernels[m->kernel_count++];
    *k = (emu_kernel){.name = from->name,
                      .kd = from->descriptor,
                      .entry = m->base + from->entry,
                      .entry_text = isa_kernel_entry_text(o, from),
                      .kernarg_bytes = from->kernarg_bytes,
                      .max_block = from->max_threads,
                      .dynamic_stack = from->dynamic_stack};
    find_hidden(k, from);
  }
  return FMHAC_OK;
}

fmhac_status emu_module_load(emu_space *space, const void *code, size_t bytes,
                             char *text, size_t text_bytes,
                             emu_module **out_module) {
  enum { REASON_BYTES = 384 };
  char reason[REASON_BYTES] = "out of memory";
  *out_module = NULL;
  emu_module *m = calloc(1, sizeof *m);
  if (!m) {
    snprintf(text, text_bytes, "loading the code object: %s", reason);
    return FMHAC_OUT_OF_MEMORY;
  }
  fmhac_status status =
      isa_object_load(code, bytes, text, text_bytes, &m->object);
  if (status == FMHAC_OK) {
    status = load_image(space, m, reason, sizeof reason);
    if (status == FMHAC_OK)
      status = load_kernels(m, reason, sizeof reason);
    if (status != FMHAC_OK)
      snprintf(text, text_bytes, "loading the code object: %s", reason);
  }
  if (status != FMHAC_OK) {
    emu_module_free(space, m);
    return status;
  }
  *out_module = m;
  return FMHAC_OK;
}

void emu_module_source_location(emu_module *m, uint32_t pc,
                                isa_source_location *out) {
  if (m->object.has_lines && !m->lines) {
    m->lines = isa_lines_open(m->object.bytes, m->object.size);
    m->object.has_lines = m->lines; // a failure is not tried again
  }
  isa_lines_find(m->lines, m->object.text_address + pc, out);
}

void emu_module_unmap(emu_space *space, emu_module *m) {
  if (m->base)
    emu_space_unmap(space, m->base);
  m->base = 0;
  m->image = NULL;
}

void emu_module_free(emu_space *space, emu_module *m) {
  emu_module_unmap(space, m);
  for (size_t i = 0; i < m->kernel_count; i++) {
    free(m->kernels[i].hazards);
    isa_program_destroy(m->kernels[i].program);
  }
  free(m->kernels);
  isa_lines_close(m->lines);
  isa_object_deinit(&m->object);
  free(m);
}
