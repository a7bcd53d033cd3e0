// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The order of the workgroups of a launch, as far as they make one. The model
/// is LLVM's "Memory Model gfx942" (User Guide for AMDGPU Backend) at agent
/// scope.
///
/// The accesses of a workgroup fall into parts, numbered from 1. A part ends
/// where the workgroup releases what it has done, or acquires what others have.
/// A release leaves at a place of memory, a counter or a flag, up to which part
/// the workgroup, and those that it has acquired from, are done. Who reads the
/// place and then acquires comes after these parts.
///
/// Functions are called by one thread at a time.
#ifndef FMHAC_EMU_RACE_ORDER_H
#define FMHAC_EMU_RACE_ORDER_H

#include "access.h"

typedef struct emu_order emu_order;

/// Why a write to a place released less than all that was done before.
typedef enum emu_unreleased {
  EMU_RELEASED,
  EMU_STORE_OUTSTANDING,      ///< its wave had not waited for a store
  EMU_NOT_WRITTEN_BACK,       ///< no buffer_wbl2 since a store that stays in L2
  EMU_WRITE_BACK_OUTSTANDING, ///< its wave had not waited for buffer_wbl2
} emu_unreleased;

/// For workgroups 0 to `workgroups` - 1. NULL: out of memory.
emu_order *emu_order_create(uint64_t workgroups);
/// NULL is allowed.
void emu_order_destroy(emu_order *order);

/// The number, from 1, that stands for a part of a workgroup. 0: out of memory,
/// after which every two parts count as ordered.
uint32_t emu_order_part(emu_order *order, uint32_t workgroup, uint32_t number);
/// The workgroup of such a number.
uint32_t emu_order_workgroup(const emu_order *order, uint32_t part);
/// Whether one of two parts comes after the other.
bool emu_order_holds(const emu_order *order, uint32_t part, uint32_t other);

/// The workgroup leaves at a place that it is done up to the part `number`, 0:
/// with none. `adds`: what was there remains, as of an atomic.
void emu_order_release(emu_order *order, uint32_t workgroup, uint32_t number,
                       uint64_t place, bool adds);
/// The write `insn` should have released more, but for `why`.
void emu_order_note_unreleased(emu_order *order, uint32_t workgroup,
                               const isa_insn *insn, emu_unreleased why);
/// Whether anything was left at a place.
bool emu_order_knows(const emu_order *order, uint64_t place);
/// The workgroup's parts from `number` on come after what was left at the
/// places. False: they did before.
bool emu_order_acquire(emu_order *order, uint32_t workgroup, uint32_t number,
                       const uint64_t *places, size_t count);
/// The workgroup has read the places, and acquires nothing from them.
void emu_order_note_unacquired(emu_order *order, uint32_t workgroup,
                               const uint64_t *places, size_t count);

/// What is missing between two parts that are not ordered, of which `writer`
/// should come first.
typedef struct emu_missing {
  const isa_insn *release; ///< NULL: `why` does not count
  emu_unreleased why;
  bool acquire; ///< the other has read what it left, without an acquire
} emu_missing;
emu_missing emu_order_missing(const emu_order *order, uint32_t writer,
                              uint32_t other);

#endif // FMHAC_EMU_RACE_ORDER_H
