// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What hardware does with buffer descriptors beyond the ISA guide, for
/// fmhac_emu_options.descriptors. ERRATA.md has the sources.
#ifndef FMHAC_EMU_DESCRIPTOR_H
#define FMHAC_EMU_DESCRIPTOR_H

#include "wave.h"

/// The range of a descriptor: `records` bytes or, with `record_bytes` > 1,
/// records from `base` on.
typedef struct emu_range {
  uint64_t base;
  uint64_t records;
  uint32_t record_bytes;
} emu_range;

/// FMHAC_EMU_DESCRIPTORS_MAPPED: reports a range that is not mapped as a whole.
void emu_check_range_mapped(emu_wave *wave, const emu_insn *insn,
                            const emu_range *range);

/// FMHAC_EMU_DESCRIPTORS_CARRY: true if base + offset carries out of the low
/// half of the address.
static inline bool emu_carry_is_lost(uint64_t base, uint64_t offset) {
  return ((uint32_t)base + offset) >> 32 != 0;
}
/// The address that comes out then; reported if check mem is on.
uint64_t emu_address_without_carry(emu_wave *wave, const emu_insn *insn,
                                   int lane, uint64_t base, uint64_t offset,
                                   uint32_t bytes, const char *verb);

#endif // FMHAC_EMU_DESCRIPTOR_H
