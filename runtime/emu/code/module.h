// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A loaded code object: its segments at device addresses and its kernels.
#ifndef FMHAC_EMU_MODULE_H
#define FMHAC_EMU_MODULE_H

#include "lines.h"
#include "object.h"
#include "program.h"
#include "space.h"

typedef struct emu_module emu_module;
typedef struct emu_kernel emu_kernel;
/// Prepared by the hazard checker for a kernel (check/hazard.h).
typedef struct emu_hazard_plan emu_hazard_plan;

/// Hidden arguments. The emulator supplies them if the caller's bytes end
/// before them. LLVM "User Guide for AMDGPU Backend", code object V5 metadata.
enum emu_hidden {
  EMU_HIDDEN_BLOCK_COUNT_X,    ///< u32, workgroups; y and z follow
  EMU_HIDDEN_GROUP_SIZE_X = 3, ///< u16, work-items; y and z follow
  EMU_HIDDEN_REMAINDER_X = 6,  ///< u16, always 0 here; y and z follow
  EMU_HIDDEN_GRID_DIMS = 9,    ///< u16
  EMU_HIDDEN_DYNAMIC_LDS = 10, ///< u32, bytes
  EMU_HIDDEN_COUNT
};

struct emu_kernel {
  const char *name; ///< of the object
  isa_descriptor kd;
  uint64_t entry;         ///< device address
  uint32_t entry_text;    ///< byte offset in the text section
  uint32_t kernarg_bytes; ///< the larger of descriptor and metadata
  uint32_t max_block;     ///< work-items; 0 if not stated
  bool dynamic_stack;
  isa_program *program; ///< decoded at the first launch; owned
  /// Made at the first launch that checks hazards; owned, one block of memory.
  emu_hazard_plan *hazards;
  /// Offsets of hidden arguments (metadata `.args`), -1 if absent; see
  /// emu_hidden.
  int32_t hidden[EMU_HIDDEN_COUNT];
};

/// Offset of the first instruction, in bytes from .text.
static inline uint32_t emu_kernel_first(const emu_kernel *kernel) {
  return kernel->entry_text + isa_entry_skip(&kernel->kd);
}

struct emu_module {
  emu_module *next;
  uint64_t base;  ///< device address of the image
  uint8_t *image; ///< host memory of the image (owned by the address space)
  isa_object object;
  emu_kernel *kernels;
  size_t kernel_count;
  isa_lines *lines; ///< read for the first finding; NULL: not yet, or absent
};

/// Loads an ELF code object of gfx950 into `space`. Errors: INVALID_INPUT,
/// OUT_OF_MEMORY, each with `text`.
fmhac_status emu_module_load(emu_space *space, const void *code, size_t bytes,
                             char *text, size_t text_bytes,
                             emu_module **out_module);
/// The source location of the instruction at `pc`, in bytes from .text.
void emu_module_source_location(emu_module *module, uint32_t pc,
                                isa_source_location *out_place);
/// Removes the image from the address space. Decoded kernels keep their listing
/// and their lines.
void emu_module_unmap(emu_space *space, emu_module *module);
void emu_module_free(emu_space *space, emu_module *module);

#endif // FMHAC_EMU_MODULE_H
