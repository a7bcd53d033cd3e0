// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The one reader of gfx950 code objects: ELF through libelf (object.c), kernel
/// descriptors, and the metadata note and fmhac's own note through msgpack-c
/// (notes.c). It takes any bytes. Layouts: LLVM "User Guide for AMDGPU
/// Backend", "Code Object".
#ifndef FMHAC_ISA_OBJECT_H
#define FMHAC_ISA_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fmhac_status.h"

/// More are refused: each is compared with those before it.
enum { ISA_MOST_KERNELS = 16384 };

/// The 64-byte kernel descriptor. LLVM "User Guide for AMDGPU Backend",
/// "Code Object V3+ Kernel Descriptor".
typedef struct isa_descriptor {
  uint32_t lds_bytes;       ///< bytes 0..3: group segment, static
  uint32_t scratch_bytes;   ///< 4..7: private segment of a lane
  uint32_t kernarg_bytes;   ///< 8..11; may be 0 in older objects
  int64_t entry_offset;     ///< 16..23, from the descriptor
  uint32_t rsrc3;           ///< 44..47
  uint32_t rsrc1;           ///< 48..51
  uint32_t rsrc2;           ///< 52..55
  uint16_t properties;      ///< 56..57
  uint16_t kernarg_preload; ///< 58..59: length 6:0, offset 15:7, dwords
} isa_descriptor;

/// An argument of a kernel, as the metadata describes it.
typedef struct isa_argument {
  char *kind; ///< ".value_kind"; owned
  uint32_t offset, bytes;
} isa_argument;

/// A kernel of a code object. A field that the metadata does not give is 0.
typedef struct isa_kernel {
  char *name;
  size_t name_bytes;   ///< without its terminator
  bool has_descriptor; ///< `descriptor`, `address` and `entry` are valid
  bool has_metadata;   ///< the metadata lists the kernel
  bool has_counts;     ///< it gives spills and the workgroup size
  isa_descriptor descriptor;
  uint64_t address; ///< link-time, of the descriptor
  uint64_t entry;   ///< link-time, of the code
  uint32_t vgprs;   ///< architectural
  uint32_t agprs;   ///< accumulation
  uint32_t sgprs;
  uint32_t vgpr_spills, sgpr_spills;
  uint32_t kernarg_bytes; ///< the larger of descriptor and metadata
  uint32_t max_threads;   ///< of a workgroup
  bool dynamic_stack;
  /// Metadata or symbols say that a launch adds LDS.
  bool dynamic_lds;
  isa_argument *arguments; ///< owned
  size_t argument_count;
} isa_kernel;

/// VGPRs that are allocated to a wave, both files together, rounded up to the
/// granule (rsrc1, bits 5:0: granules of 8 less one).
static inline uint32_t isa_allocated_vgprs(const isa_descriptor *d) {
  return ((d->rsrc1 & 63) + 1) * 8;
}
/// Bytes from the entry to the first executed instruction. In a kernel with
/// preloaded arguments the first 256 bytes are code for firmware that cannot
/// preload (LLVM "User Guide for AMDGPU Backend", "Preloaded Kernel
/// Arguments").
static inline uint32_t isa_entry_skip(const isa_descriptor *d) {
  return d->kernarg_preload & 127 ? 256 : 0;
}

/// A loadable segment. Its first bytes are in the file; the rest is zero.
typedef struct isa_segment {
  uint64_t address;      ///< link-time
  uint64_t memory_bytes; ///< in memory
  uint64_t file_offset, file_bytes;
} isa_segment;

/// 64 bits at link-time address `at` become the load address plus `value`.
typedef struct isa_relocation {
  uint64_t at, value;
} isa_relocation;

/// A part of the file.
typedef struct isa_range {
  uint64_t offset, bytes;
} isa_range;

typedef struct isa_object {
  uint8_t *bytes; ///< a copy of the file; owned
  size_t size;
  bool is_linked;       ///< ET_DYN; else an object file
  uint64_t image_bytes; ///< of all segments, from address 0
  isa_segment *segments;
  size_t segment_count;
  isa_relocation *relocations;
  size_t relocation_count;
  uint64_t text_address; ///< link-time, of .text
  isa_range text;        ///< .text in the file; 0 bytes: there is none
  isa_kernel *kernels;   ///< in the order of the metadata, then of the symbols
  size_t kernel_count, kernel_capacity;
  bool has_metadata;  ///< NT_AMDGPU_METADATA
  isa_range metadata; ///< its description
  char *target;       ///< "amdgcn-amd-amdhsa--gfx950"; owned; NULL: not given
  isa_range note;     ///< description of fmhac's note; 0 bytes: there is none
  bool has_lines;     ///< a section .debug_line
  void *elf;          ///< libelf's handle, for isa_object_find_function()
} isa_object;

/// Reads a code object or an object file of gfx950. `bytes` may change after
/// the call. Errors, with `text`: INVALID_INPUT, OUT_OF_MEMORY, INTERNAL
/// (libelf); `out_object` is then empty.
fmhac_status isa_object_read(const void *bytes, size_t size, char *text,
                             size_t text_bytes, isa_object *out_object);
/// An object of zeros is allowed.
void isa_object_deinit(isa_object *object);

/// Whether it can be loaded and executed: it is linked, has segments, code and
/// a kernel with a descriptor, and each of these starts inside the code.
/// Errors, with `text`: INVALID_INPUT.
fmhac_status isa_object_check_loadable(const isa_object *object, char *text,
                                       size_t text_bytes);

/// Reads and checks code that is to be executed or audited; the text begins
/// "loading the code object: ". After an error `out_object` is empty.
fmhac_status isa_object_load(const void *bytes, size_t size, char *text,
                             size_t text_bytes, isa_object *out_object);

/// Loads code for `work`, which decodes it, and takes the object back. The text
/// of a failure of `work` begins with `purpose`, as in "auditing the code
/// object".
fmhac_status
isa_object_work(const void *code, size_t bytes, const char *purpose,
                fmhac_status (*work)(void *user, const isa_object *object),
                const char *(*explain)(fmhac_status status), void *user,
                char *text, size_t text_bytes);

/// The kernel of this name, or NULL.
const isa_kernel *isa_object_find_kernel(const isa_object *object,
                                         const char *name);

/// Offset of a kernel's entry in .text, bytes; of a loadable object.
static inline uint32_t isa_kernel_entry_text(const isa_object *object,
                                             const isa_kernel *kernel) {
  return (uint32_t)(kernel->entry - object->text_address);
}
/// Offset in .text of the first instruction that is executed.
static inline uint32_t isa_kernel_first(const isa_object *object,
                                        const isa_kernel *kernel) {
  return isa_kernel_entry_text(object, kernel) +
         isa_entry_skip(&kernel->descriptor);
}

/// The code of a function, by its symbol; false if the code is not in the file.
/// A symbol without a size ends at the next symbol of its section.
bool isa_object_find_function(const isa_object *object, const char *name,
                              isa_range *out_code);

/// The arguments of each kernel as the metadata lists them, as JSON, in the
/// places of the kernels; NULL where it lists none. `out_arguments` has a NULL
/// for each; the caller frees with free(). False: out of memory.
bool isa_object_arguments_json(const isa_object *object, char **out_arguments);

/// fmhac's note as JSON; NULL if the note is missing or damaged. The caller
/// frees with free(). False: out of memory.
bool isa_object_note_json(const isa_object *object, char **out_note);

/// Bits FMHAC_ARGS_*_BIT of the argument groups that `kernel` requires, as
/// fmhac's note says; 0: no note says it.
uint64_t isa_object_required_args(const isa_object *object, const char *kernel);

/// notes.c: reads the notes. Errors as isa_object_read().
fmhac_status isa_object_read_notes(isa_object *object, char *text,
                                   size_t text_bytes);
/// object.c: the index of the kernel of this name; `kernel_count`: there is
/// none.
size_t isa_object_find_name(const isa_object *object, const char *name,
                            size_t name_bytes);
/// object.c: the kernel of this name, added if there is none. NULL: out of
/// memory.
isa_kernel *isa_object_add_kernel(isa_object *object, const char *name,
                                  size_t name_bytes);

#endif // FMHAC_ISA_OBJECT_H
