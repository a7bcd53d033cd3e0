// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The init checker: registers (a lane each), LDS and memory that are read
/// before anything was written there. What vector and scalar instructions and
/// LDS make of such a value is followed; a finding is only where something
/// depends on it that stays: memory that is written, an address, a branch,
/// EXEC, a mode. What is read and dropped, as compilers have it in predicated
/// loads, is none. Memory itself must be written before it is read.
#ifndef FMHAC_EMU_INIT_H
#define FMHAC_EMU_INIT_H

#include "access.h"

/// What of a wave's registers is known.
struct emu_init {
  uint64_t v[ISA_VGPRS]; ///< a bit a lane
  uint32_t s[ISA_SGPRS]; ///< bits: masks of lanes are built up lane by lane
  bool scc;
  /// Where what is not known comes from: an origin (init_origin.c), or 0 if
  /// nothing has been made of it yet.
  uint16_t v_from[ISA_VGPRS], s_from[ISA_SGPRS], scc_from;
};

/// How something that nothing has written got into an instruction.
typedef enum emu_origin_kind {
  EMU_ORIGIN_V, ///< vector register `index`
  EMU_ORIGIN_S,
  EMU_ORIGIN_SCC,
  EMU_ORIGIN_LDS, ///< `bytes` at LDS address `index`; `first` is the first byte
} emu_origin_kind;

struct emu_origin {
  const isa_insn *read; ///< the instruction
  emu_origin_kind kind;
  uint32_t index, first, bytes;
  uint32_t wave;
  int lane;
  bool reported; ///< in a finding
};
typedef struct emu_origin emu_origin;

/// What an instruction makes of operands that are not known.
typedef struct emu_taint {
  uint64_t lanes; ///< in which the result is not known; scalar: all
  uint16_t from;
} emu_taint;

/// What is written is kept in a byte a dword, a bit for each of its bytes: the
/// bits of [first, end) in dword `word`, which it touches.
static inline uint8_t emu_dword_bits(uint64_t first, uint64_t end,
                                     uint64_t word) {
  unsigned from = first > 4 * word ? (unsigned)(first - 4 * word) : 0;
  unsigned to = end < 4 * word + 4 ? (unsigned)(end - 4 * word) : 4;
  return (uint8_t)((1u << to) - (1u << from));
}

/// A wave begins; the first `user_sgprs` scalar registers are set, and v0 of
/// the lanes in EXEC.
void emu_init_start(emu_wave *wave, uint32_t user_sgprs);
/// `insn` is about to execute.
void emu_check_init(emu_wave *wave, const isa_insn *insn);

/// Where what is read from LDS goes: from this register of the destination on,
/// or one of these.
enum {
  EMU_LDS_KEPT = -1,  ///< to something that stays
  EMU_LDS_MIXED = -2, ///< to all of it, mixed within 16 lanes
};

/// The active lanes read (write) `bytes` each at LDS addresses `at`, as far as
/// they lie inside the allocation. `data` is what is written; NULL: is known.
void emu_init_lds_read(emu_wave *wave, const isa_insn *insn, const uint32_t *at,
                       uint32_t bytes, uint64_t exec, int first);
void emu_init_lds_write(emu_wave *wave, const uint32_t *at, uint32_t bytes,
                        uint64_t exec, const isa_operand *data);

/// The origin of what the instruction at hand reads there, which nothing has
/// written; `o->wave` and `o->read` are filled in. 0 when memory is exhausted.
uint16_t emu_origin_of(emu_wave *wave, emu_origin o);
/// The instruction that read it.
const isa_insn *emu_origin_reader(const emu_wave *wave, uint16_t from);
/// A finding, unless the origin has one: what the instruction at hand keeps
/// depends on it in these lanes.
void emu_report_origin(emu_wave *wave, uint16_t from, uint64_t lanes);
/// The same of a register itself, which counts as written from here on.
void emu_report_unwritten_v(emu_wave *wave, const isa_operand *o,
                            uint64_t lanes);
void emu_report_unwritten_s(emu_wave *wave, unsigned r);
void emu_report_unwritten_scc(emu_wave *wave);

/// Accesses to memory (init_memory.c).
void emu_init_touch_memory(emu_wave *wave, const isa_insn *insn,
                           const emu_access_range *ranges, unsigned count,
                           emu_access_kind kind);
/// These bytes have been written: in the map of a segment, `init` or `written`;
/// NULL is allowed.
void emu_bytes_mark(uint8_t *map, uint64_t offset, uint64_t bytes);
/// `bytes` bytes were copied: the destination is written where the source was.
/// Of a source without a map, all is.
void emu_bytes_copy(uint8_t *to_map, uint64_t to, const uint8_t *from_map,
                    uint64_t from, uint64_t bytes);
/// How many of these bytes have not, and the first of them; 0 without a map.
uint64_t emu_bytes_missing(const uint8_t *map, uint64_t offset, uint64_t bytes,
                           uint64_t *out_first);

/// A finding for each output of which the launch, now over, has not written
/// every element (init_outputs.c).
void emu_init_check_outputs(const emu_launch *launch, emu_findings *findings);

#endif // FMHAC_EMU_INIT_H
