// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The init checker: registers (per lane), LDS and memory that are read before
/// they are written. Such a value is undefined. The checker follows undefined
/// values through vector and scalar instructions and LDS, and reports one only
/// where a lasting effect depends on it: memory that is written, an address, a
/// branch, EXEC, a mode. A value that is read and dropped, as in predicated
/// loads of compilers, is no finding. Memory itself must be written before it
/// is read.
#ifndef FMHAC_EMU_INIT_H
#define FMHAC_EMU_INIT_H

#include "access.h"

/// Which registers of a wave are defined.
struct emu_init {
  uint64_t v[ISA_VGPRS]; ///< one bit per lane
  uint32_t s[ISA_SGPRS]; ///< one per bit: lane masks are built lane by lane
  bool scc;
  /// The origin (origin.c) of an undefined value, or 0 if no instruction has
  /// read it yet.
  uint16_t v_from[ISA_VGPRS], s_from[ISA_SGPRS], scc_from;
};

/// How an undefined value got into an instruction.
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

/// The result of an instruction with undefined operands.
typedef struct emu_taint {
  uint64_t lanes; ///< in which the result is undefined; scalar: all
  uint16_t from;
} emu_taint;

/// Maps of written bytes have one byte per dword, with one bit for each byte of
/// the dword. The bits of [first, end) in dword `word`, which it overlaps.
static inline uint8_t emu_dword_bits(uint64_t first, uint64_t end,
                                     uint64_t word) {
  unsigned from = first > 4 * word ? (unsigned)(first - 4 * word) : 0;
  unsigned to = end < 4 * word + 4 ? (unsigned)(end - 4 * word) : 4;
  return (uint8_t)((1u << to) - (1u << from));
}

/// A wave begins. The first `user_sgprs` scalar registers are defined, and v0
/// of the lanes in EXEC.
void emu_init_start(emu_wave *wave, uint32_t user_sgprs);
/// Checks `insn`, which is about to execute.
void emu_check_init(emu_wave *wave, const isa_insn *insn);

/// Destination of data that is read from LDS: the first register of the
/// destination, or one of these.
enum {
  EMU_LDS_KEPT = -1,  ///< a lasting effect
  EMU_LDS_MIXED = -2, ///< all of the destination, mixed within 16 lanes
};

/// The active lanes read (write) `bytes` each at LDS addresses `at`. Bytes
/// outside the allocation are ignored. `data` is the written operand; NULL:
/// defined.
void emu_init_lds_read(emu_wave *wave, const isa_insn *insn, const uint32_t *at,
                       uint32_t bytes, uint64_t exec, int first);
void emu_init_lds_write(emu_wave *wave, const uint32_t *at, uint32_t bytes,
                        uint64_t exec, const isa_operand *data);

/// The number of an origin for undefined data that the current instruction
/// reads; `wave` and `read` of `o` are filled in. 0 when memory is exhausted.
uint16_t emu_origin_of(emu_wave *wave, emu_origin o);
/// The instruction that read the undefined data.
const isa_insn *emu_origin_reader(const emu_wave *wave, uint16_t from);
/// Reports that an effect of the current instruction depends on the origin in
/// these lanes, unless the origin was reported before.
void emu_report_origin(emu_wave *wave, uint16_t from, uint64_t lanes);
/// The same for an unwritten register, which counts as written from here on.
void emu_report_unwritten_v(emu_wave *wave, const isa_operand *o,
                            uint64_t lanes);
void emu_report_unwritten_s(emu_wave *wave, unsigned r);
void emu_report_unwritten_scc(emu_wave *wave);

/// Accesses to memory (undefined/memory.c).
void emu_init_touch_memory(emu_wave *wave, const isa_insn *insn,
                           const emu_access_range *ranges, unsigned count,
                           emu_access_kind kind);
/// Marks bytes as written in a map of a segment, `init` or `written`; NULL is
/// allowed.
void emu_bytes_mark(uint8_t *map, uint64_t offset, uint64_t bytes);
/// `bytes` bytes were copied: marks the destination as written where the source
/// is. A source without a map counts as written.
void emu_bytes_copy(uint8_t *to_map, uint64_t to, const uint8_t *from_map,
                    uint64_t from, uint64_t bytes);
/// The number of unwritten bytes, and the first of them; 0 without a map.
uint64_t emu_bytes_missing(const uint8_t *map, uint64_t offset, uint64_t bytes,
                           uint64_t *out_first);

/// Reports each output of which the launch, now over, has not written every
/// element (undefined/outputs.c).
void emu_init_check_outputs(const emu_launch *launch, emu_findings *findings);

#endif // FMHAC_EMU_INIT_H
