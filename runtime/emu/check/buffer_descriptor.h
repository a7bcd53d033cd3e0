// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Buffer descriptors of vector memory instructions: the address of an access,
/// its range check, and behaviour of hardware beyond the ISA guide, for
/// fmhac_emu_options.descriptors. ERRATA.md has the sources.
#ifndef FMHAC_EMU_BUFFER_DESCRIPTOR_H
#define FMHAC_EMU_BUFFER_DESCRIPTOR_H

#include "wave.h"

/// The range check of an access against num_records. CDNA4 ISA 9.1.5.1.
typedef enum emu_buffer_check {
  EMU_BUFFER_UNCHECKED, ///< private: the lane number counts and no index does
  EMU_BUFFER_BY_INDEX,  ///< as a whole, by the index alone
  EMU_BUFFER_BY_BYTE,   ///< dword by dword, by offset and soffset
} emu_buffer_check;

/// A descriptor as one instruction uses it. CDNA4 ISA 9.1.5, 9.1.8.
typedef struct emu_buffer {
  uint64_t base, records;
  uint32_t stride;  ///< bytes from one index to the next
  uint32_t indices; ///< that a swizzled buffer interleaves; 0: linear
  bool add_lane;    ///< the lane number is added to the index
  emu_buffer_check check;
} emu_buffer;

/// Bytes of an element of a swizzled buffer. A descriptor with swizzling is
/// swizzled only if ADD_TID_ENABLE is set, too. In a linear buffer an access with
/// an index does not add the lane number (ROCm/rocm-systems pull request 10928).
enum { EMU_SWIZZLE_ELEMENT_BYTES = 4 };
/// `formatted` matters with ADD_TID_ENABLE only.
emu_buffer emu_buffer_of(const uint32_t rsrc[4], bool idxen, bool formatted);

/// Bytes from the base to `within`, which is voffset + instruction offset.
/// soffset is not included.
static inline uint64_t emu_buffer_offset(const emu_buffer *b, uint32_t index,
                                         uint32_t within) {
  if (!b->indices)
    return (uint64_t)index * b->stride + within;
  const uint32_t byte = within % EMU_SWIZZLE_ELEMENT_BYTES;
  return ((uint64_t)(index / b->indices) * b->stride + (within - byte)) *
             b->indices +
         index % b->indices * EMU_SWIZZLE_ELEMENT_BYTES + byte;
}

/// Reports that voffset + instruction offset of a lane wraps, and the resulting
/// access of `bytes` at `offset` of the buffer.
void emu_check_offset_wrap(emu_wave *wave, const isa_insn *insn, int lane,
                           uint32_t voffset, const emu_buffer *buffer,
                           uint64_t offset, uint32_t bytes, const char *verb);

/// The range of a descriptor: `records` bytes or, with `record_bytes` > 1,
/// records from `base` on.
typedef struct emu_range {
  uint64_t base;
  uint64_t records;
  uint32_t record_bytes;
} emu_range;

/// FMHAC_EMU_DESCRIPTORS_MAPPED: reports a range that is not mapped as a whole.
void emu_check_range_mapped(emu_wave *wave, const isa_insn *insn,
                            const emu_range *range);

/// FMHAC_EMU_DESCRIPTORS_CARRY: true if base + offset carries out of the low
/// half of the address.
static inline bool emu_carry_is_lost(uint64_t base, uint64_t offset) {
  return ((uint32_t)base + offset) >> 32 != 0;
}
/// The resulting address; reports the lost carry if check mem is on.
uint64_t emu_address_without_carry(emu_wave *wave, const isa_insn *insn,
                                   int lane, uint64_t base, uint64_t offset,
                                   uint32_t bytes, const char *verb);

#endif // FMHAC_EMU_BUFFER_DESCRIPTOR_H
