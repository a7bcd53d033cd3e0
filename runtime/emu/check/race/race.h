// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The race checker. Two accesses to a byte by different waves of a workgroup,
/// at least one of them a write, need a barrier between them; by different
/// workgroups, a release and an acquire (order.h, sync.c). Until an s_waitcnt
/// covers it, an LDS access counts as happening in every barrier epoch since
/// its issue.
#ifndef FMHAC_EMU_RACE_H
#define FMHAC_EMU_RACE_H

#include "access.h"
#include "order.h"

/// Epochs of a workgroup, and facts about the latest epoch.
typedef struct emu_epochs {
  uint32_t now, first; ///< current epoch; first epoch of the workgroup
  uint32_t atomic;     ///< last one with an atomic
  uint32_t split;      ///< last one in which a dword was split
} emu_epochs;

/// State of a host thread.
typedef struct emu_race {
  emu_epochs epochs;
  struct emu_race_lds *lds;
  struct emu_race_memory *memory;
  struct emu_race_sync *sync;
} emu_race;

/// State of a launch: the accesses of its workgroups to memory.
typedef struct emu_race_launch emu_race_launch;

/// For `workgroups` of a launch on the buffers of `space`, which must not
/// change until the launch is over. NULL if out of memory.
emu_race_launch *emu_race_launch_create(const emu_space *space,
                                        uint64_t workgroups);
/// NULL is allowed.
void emu_race_launch_destroy(emu_race_launch *race);

/// Calls `visit` for each dword that the launch has read, or written, as a
/// whole, with one of the instructions.
typedef void emu_race_visit(void *user, const emu_segment *segment, size_t word,
                            bool write, const isa_insn *insn);
void emu_race_launch_visit(const emu_race_launch *race,
                           const emu_launch *launch, emu_race_visit *visit,
                           void *user);

/// State of a host thread, for workgroups of `waves`. NULL if out of memory.
emu_race *emu_race_create(uint32_t waves, const emu_space *space,
                          emu_race_launch *launch);
/// NULL is allowed.
void emu_race_destroy(emu_race *race);

/// Start of a workgroup, opening of a barrier, and end of the workgroup, the
/// `index`th of the launch. emu_race_end() compares it with the workgroups of
/// lower index; false if not all of these have been compared yet. So findings
/// do not depend on the number of threads.
void emu_race_start(emu_workgroup *wg);
void emu_race_barrier(emu_workgroup *wg);
bool emu_race_end(emu_workgroup *wg, uint64_t index);

/// The active lanes access `bytes` each at LDS addresses `at`, as part of the
/// operation with this serial number in the queue of lgkmcnt. Accesses outside
/// the allocation are left to the memory checker.
void emu_race_lds(emu_wave *wave, const isa_insn *insn, uint64_t serial,
                  const uint32_t *at, uint32_t bytes, uint64_t exec,
                  emu_access_kind kind);
/// A load direct to LDS has been issued.
void emu_race_lds_dma(emu_wave *wave, const emu_pending *load);

/// Accesses to memory (race/memory.c).
void emu_race_touch_memory(emu_wave *wave, const isa_insn *insn,
                           const emu_access_range *ranges, unsigned count,
                           emu_access_kind kind);

/// buffer_wbl2 sc1 and buffer_inv sc1; an s_waitcnt for all of vmcnt.
void emu_race_write_back(emu_wave *wave);
void emu_race_invalidate(emu_wave *wave);
void emu_race_waited(emu_wave *wave);

//===-- The parts; for each other -----------------------------------------===//

/// Whether an access goes past the caches that workgroups do not share. Two
/// such accesses need no order.
static inline bool emu_race_is_coherent(const isa_insn *insn,
                                        emu_access_kind kind) {
  return kind == EMU_ACCESS_ATOMIC ||
         insn->flags & (insn->family == ISA_SMEM ? ISA_FLAG_SC0 : ISA_FLAG_SC1);
}

struct emu_race_sync *emu_race_sync_create(uint32_t waves);
void emu_race_sync_start(struct emu_race_sync *sync);
/// A coherent access, or a write, is about to be made.
void emu_race_sync_access(emu_wave *wave, const isa_insn *insn,
                          const emu_access_range *ranges, unsigned count,
                          emu_access_kind kind);
/// Places that a wave has read without an acquire, at most 64.
size_t emu_race_sync_left(const struct emu_race_sync *sync, uint32_t wave,
                          uint64_t *out);

struct emu_race_lds *emu_race_lds_create(uint32_t waves);
void emu_race_lds_destroy(struct emu_race_lds *lds);
void emu_race_lds_start(struct emu_race_lds *lds);
/// Forgets all records.
void emu_race_lds_clear(struct emu_race_lds *lds);
/// Outstanding LDS accesses of the wave happen in the new epoch, too.
void emu_race_lds_held(emu_wave *wave);

struct emu_race_memory *emu_race_memory_create(const emu_space *space,
                                               emu_race_launch *launch);
void emu_race_memory_destroy(struct emu_race_memory *memory);
void emu_race_memory_start(struct emu_race_memory *memory);
void emu_race_memory_clear(struct emu_race_memory *memory);
/// The wave writes places, which releases what the workgroup has done so far,
/// but for `why`.
void emu_race_memory_release(emu_wave *wave, const isa_insn *insn,
                             emu_unreleased why, const uint64_t *places,
                             size_t count, bool adds);
/// The workgroup comes after what was left at the places.
void emu_race_memory_acquire(emu_wave *wave, const uint64_t *places,
                             size_t count);
/// Whether something was left at one of the places.
bool emu_race_memory_knows(emu_wave *wave, const uint64_t *places,
                           size_t count);
/// Compares the accesses of the workgroup with those of earlier workgroups.
bool emu_race_memory_end(emu_workgroup *wg, uint64_t index);

#endif // FMHAC_EMU_RACE_H
