// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The instructions of a kernel, found by following its control flow.
#ifndef FMHAC_ISA_PROGRAM_H
#define FMHAC_ISA_PROGRAM_H

#include "decode.h"

/// The instructions of one kernel and of the functions that it may call.
typedef struct isa_program {
  isa_insn *insns; ///< by address, then one sentinel that faults
  uint32_t count;
  uint32_t *index; ///< text word → position in insns + 1, 0 if none
  uint32_t words;
  char *texts; ///< ISA_TEXT_BYTES each, parallel to insns
  isa_decoder *decoder;
} isa_program;

/// Decodes the instructions that are reachable from `entry` in `code` (a text
/// section of `bytes`); with indirect jumps, the whole section. `text` lists
/// unknown instructions, branches out of the section, reachable instructions
/// that share bytes, and an entry outside the section. Errors: UNSUPPORTED
/// (`text` lists something), OUT_OF_MEMORY, INTERNAL (LLVM knows no gfx950).
fmhac_status isa_program_create(const uint8_t *code, uint32_t bytes,
                                uint32_t entry, char *text, size_t text_bytes,
                                isa_program **out_program);
void isa_program_destroy(isa_program *program);
/// False for bytes that only an indirect jump could reach and that are not a
/// known instruction. Their insn faults and has no other meaning.
bool isa_program_knows(const isa_insn *insn);

/// Called for every instruction. If the instruction is refused, `insn` is NULL
/// and `why` is the reason.
typedef void (*isa_visit_fn)(void *user, uint32_t pc, const isa_insn *insn,
                             const char *text, const char *why);

/// Decodes as isa_program_create(), from several entries at once, and calls
/// `visit` once for each address. Errors: OUT_OF_MEMORY, INTERNAL.
fmhac_status isa_program_visit(const uint8_t *code, uint32_t bytes,
                               const uint32_t *entries, size_t entry_count,
                               isa_visit_fn visit, void *user);

/// Disassembly of an instruction of the program.
static inline const char *isa_program_text(const isa_program *program,
                                           const isa_insn *insn) {
  return program->texts + (size_t)(insn - program->insns) * ISA_TEXT_BYTES;
}

#endif // FMHAC_ISA_PROGRAM_H
