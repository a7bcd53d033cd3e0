// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tensors in the memory of the device, as the caller of a launch declares
/// them. Findings name elements by their coordinates, and the init checker
/// knows which elements a launch must write.
#ifndef FMHAC_EMU_TENSOR_H
#define FMHAC_EMU_TENSOR_H

#include "space.h"

/// Adds a tensor to the segment that holds it. Errors: INVALID_INPUT,
/// OUT_OF_MEMORY, each with `text`.
fmhac_status emu_tensor_declare(emu_space *space, const fmhac_emu_tensor *from,
                                char *text, size_t text_bytes);
/// Writes ", k[b=0,s=12,h=3,d=64]" for the byte at `offset` of the segment, or
/// "" if no tensor holds it.
void emu_tensors_name(const emu_segment *segment, uint64_t offset, char *text,
                      size_t text_bytes);
/// Likewise ", where k[b=0,s=513,h=0,d=0] would be" for a byte past the end.
void emu_tensors_name_beyond(const emu_segment *segment, uint64_t offset,
                             char *text, size_t text_bytes);

/// "k[b=0,s=12,h=3,d=64]".
void emu_tensor_element(const emu_tensor *tensor,
                        const uint64_t at[FMHAC_EMU_TENSOR_AXES], char *text,
                        size_t text_bytes);

/// Steps through the elements in use, in the order of the axes. For the first
/// step `at` is all zeros and `first` is true. False after the last element.
/// `*out_offset` is the element's offset in the segment. `*out_run` is the
/// number of elements of the last axis, this one included, that are in use and
/// contiguous in memory; the next step continues after them.
bool emu_tensor_step(const emu_tensor *tensor, bool first,
                     uint64_t at[FMHAC_EMU_TENSOR_AXES], uint64_t *out_offset,
                     uint64_t *out_run);

enum { EMU_ADDRESS_TEXT = 320 }; ///< bytes for the two texts below
/// Writes the names of the buffer and the tensor, and the byte in them.
void emu_segment_describe(const emu_segment *segment, uint64_t offset,
                          char *text, size_t text_bytes);
/// Writes the position of `address` relative to the nearest buffer.
void emu_space_describe(const emu_space *space, uint64_t address, char *text,
                        size_t text_bytes);

#endif // FMHAC_EMU_TENSOR_H
