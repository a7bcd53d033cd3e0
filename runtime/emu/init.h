// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The init checker: registers (a lane each), LDS and memory that are read
/// before anything was written there.
#ifndef FMHAC_EMU_INIT_H
#define FMHAC_EMU_INIT_H

#include "shadow.h"
#include "wave.h"

/// What of a wave's registers has been written.
struct emu_init {
  uint64_t v[EMU_VGPRS]; ///< a bit a lane
  uint32_t s[EMU_SGPRS]; ///< bits: masks of lanes are built up lane by lane
  bool scc;
};

/// How an instruction treats what is not initialised (emu_insn.init_class).
typedef enum emu_init_class {
  EMU_INIT_USE,        ///< reading it is a finding
  EMU_INIT_USE_M0,     ///< the same, and M0 is an operand that goes unnamed
  EMU_INIT_COPY,       ///< passes it on: moves
  EMU_INIT_SELECT,     ///< passes on the one it selects: v_cndmask
  EMU_INIT_SELECT_SCC, ///< the same by SCC: s_cselect, s_cmov
  EMU_INIT_PRODUCT,    ///< 0 * x is known
  EMU_INIT_SWAP,       ///< exchanges two registers
  EMU_INIT_SWAP_ROWS,  ///< odd rows of one and even rows of the other
  EMU_INIT_SWAP_PAIRS, ///< upper and lower 32 lanes
  EMU_INIT_MATRIX,     ///< reads and writes all lanes whatever EXEC says
  EMU_INIT_READ_LANE,  ///< moves, to one
  EMU_INIT_READ_FIRST_LANE, ///< and from one
  EMU_INIT_WRITE_LANE,      ///< lane
  /// v_mad_u64_u32: the low half of the sum needs that of the addend only.
  /// Compilers leave the high one to chance where they want 32 bits.
  EMU_INIT_WIDE_SUM,
  EMU_INIT_LOW_HALF, ///< s_bfe of 64 bits: compilers cut fields of the low half
  EMU_INIT_AND,      ///< scalar logic, bit by bit: 0 & x is known, …
  EMU_INIT_AND_NOT,
  EMU_INIT_OR, ///< 1 | x is known
  EMU_INIT_OR_NOT,
  EMU_INIT_XOR,
  EMU_INIT_AND_EXEC, ///< s_and_saveexec: needs the bits where EXEC is 1
  EMU_INIT_OR_EXEC,  ///< and where it is 0
  /// Stores to private memory, which is not watched: compilers save registers
  /// there that nothing was written to.
  EMU_INIT_SPILL,
} emu_init_class;

/// What is written is kept in a byte a dword, a bit for each of its bytes: the
/// bits of [first, end) in dword `word`, which it touches.
static inline uint8_t emu_dword_bits(uint64_t first, uint64_t end,
                                     uint64_t word) {
  unsigned from = first > 4 * word ? (unsigned)(first - 4 * word) : 0;
  unsigned to = end < 4 * word + 4 ? (unsigned)(end - 4 * word) : 4;
  return (uint8_t)((1u << to) - (1u << from));
}

/// Fills in insn->init_class, EMU_F_DST_READ and EMU_F_SCC_*; for the decoder.
void emu_init_classify(emu_insn *insn);

/// A wave begins; the first `user_sgprs` scalar registers are set, and v0 of
/// the lanes in EXEC.
void emu_init_start(emu_wave *wave, uint32_t user_sgprs);
/// `insn` is about to execute.
void emu_check_init(emu_wave *wave, const emu_insn *insn);

/// The active lanes read (write) `bytes` each at LDS addresses `at`, as far as
/// they lie inside the allocation.
void emu_init_lds_read(emu_wave *wave, const emu_insn *insn, const uint32_t *at,
                       uint32_t bytes, uint64_t exec);
void emu_init_lds_write(emu_wave *wave, const uint32_t *at, uint32_t bytes,
                        uint64_t exec);

/// Accesses to memory (init_memory.c).
void emu_init_touch_memory(emu_wave *wave, const emu_insn *insn,
                           const emu_spot *spots, unsigned count,
                           emu_touch kind);
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
