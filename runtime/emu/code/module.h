// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A loaded code object: its segments at device addresses and its kernels.
#ifndef FMHAC_EMU_MODULE_H
#define FMHAC_EMU_MODULE_H

#include "decode.h"
#include "device.h"
#include "wave.h"

/// The 64-byte kernel descriptor. LLVM "User Guide for AMDGPU Backend",
/// "Code Object V3+ Kernel Descriptor".
typedef struct emu_descriptor {
  uint32_t group_segment_bytes;   ///< bytes 0..3
  uint32_t private_segment_bytes; ///< 4..7
  uint32_t kernarg_bytes;         ///< 8..11; may be 0 in older objects
  int64_t entry_offset;           ///< 16..23, from the descriptor
  uint32_t rsrc3, rsrc1, rsrc2;   ///< 44..47, 48..51, 52..55
  uint16_t properties;            ///< 56..57
  uint16_t kernarg_preload;       ///< 58..59: length 6:0, offset 15:7, dwords
} emu_descriptor;

/// Hidden arguments that the emulator supplies where the caller's bytes end
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
  char *name;
  emu_descriptor kd;
  uint64_t entry;         ///< device address
  uint32_t entry_text;    ///< byte offset in the text section
  uint32_t kernarg_bytes; ///< larger of descriptor and metadata
  uint32_t max_block;     ///< work-items; 0 if not stated
  bool dynamic_stack;
  emu_program *program;     ///< decoded at the first launch
  emu_hazard_plan *hazards; ///< made at the first launch that checks them
  /// Offsets of hidden arguments (metadata `.args`), -1 if absent; see
  /// emu_hidden.
  int32_t hidden[EMU_HIDDEN_COUNT];
};

/// Where the first instruction lies, in bytes from .text. With preloaded
/// arguments the entry is preceded by 256 bytes of code for firmware that
/// cannot preload (LLVM "User Guide for AMDGPU Backend", "Preloaded Kernel
/// Arguments").
static inline uint32_t emu_kernel_first(const emu_kernel *kernel) {
  return kernel->entry_text + (kernel->kd.kernarg_preload & 127 ? 256 : 0);
}

struct emu_module {
  fmhac_rt_device *device;
  emu_module *next;
  uint64_t base; ///< device address of the image
  uint64_t image_bytes;
  uint8_t *image; ///< host memory of the image (owned by the address space)
  uint64_t text_offset, text_bytes; ///< in the image
  emu_kernel *kernels;
  size_t kernel_count;
  /// The file, if it has line tables, and what was read of them: by the first
  /// finding.
  void *file;
  size_t file_bytes;
  emu_lines *lines;
};

/// Loads an ELF code object of gfx950 into `space`. Errors: INVALID_INPUT,
/// OUT_OF_MEMORY, each with `text`.
fmhac_status emu_module_load(emu_space *space, const void *code, size_t bytes,
                             char *text, size_t text_bytes,
                             emu_module **out_module);
/// Writes the hidden arguments that lie at or after `given` bytes.
void emu_module_hidden_arguments(const emu_kernel *kernel,
                                 const emu_launch *launch, size_t given,
                                 uint8_t *kernarg);
/// Where the instruction at `pc`, bytes from .text, comes from.
void emu_module_place(emu_module *module, uint32_t pc, emu_place *out_place);
/// Takes the image from the address space. Kernels that were decoded keep their
/// listing and their lines.
void emu_module_unmap(emu_space *space, emu_module *module);
void emu_module_free(emu_space *space, emu_module *module);

#endif // FMHAC_EMU_MODULE_H
