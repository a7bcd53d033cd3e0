// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From bytes to decoded instructions. LLVM's disassembler gives the text, the
/// instruction table (isa.def) gives back what text drops. What either does not
/// know is listed, never guessed.
#ifndef FMHAC_EMU_DECODE_H
#define FMHAC_EMU_DECODE_H

#include <stddef.h>

#include "fmhac_status.h"
#include "insn.h"

/// Disassembler, mnemonic index and constant pool; one a program.
typedef struct emu_decoder emu_decoder;

/// Errors: OUT_OF_MEMORY, INTERNAL (LLVM knows no gfx950).
fmhac_status emu_decoder_create(emu_decoder **out_decoder);
void emu_decoder_destroy(emu_decoder *decoder);

enum { EMU_TEXT_BYTES = 256 };

/// Decodes the instruction at `bytes` (at most `available`), which lies `pc`
/// bytes into the text section. `text` (EMU_TEXT_BYTES) receives the
/// disassembly. On failure returns false, with the reason in `why`
/// (EMU_TEXT_BYTES); insn->size is then how far to skip (4 if unknown).
/// Constants point into the decoder and live as long as it does.
bool emu_decode(emu_decoder *decoder, const uint8_t *bytes, size_t available,
                uint32_t pc, emu_insn *insn, char *text, char *why);

/// Row of a mnemonic without encoding suffix, or -1.
int emu_isa_find(const emu_decoder *decoder, const char *mnemonic);

/// The instructions of one kernel and of what it may call.
typedef struct emu_program {
  emu_insn *insns; ///< by address, then one sentinel that faults
  uint32_t count;
  uint32_t *index; ///< text word → position in insns + 1, 0 if none
  uint32_t words;
  char *texts; ///< EMU_TEXT_BYTES each, parallel to insns
  emu_decoder *decoder;
} emu_program;

/// Decodes what is reachable from `entry` in `code` (a text section of
/// `bytes`); with indirect jumps, the whole section. All unknown instructions,
/// branches out of the section, reachable instructions that share bytes and an
/// entry outside the section are listed in `text`. Errors: UNSUPPORTED (one of
/// these), OUT_OF_MEMORY, INTERNAL (LLVM knows no gfx950).
fmhac_status emu_program_create(const uint8_t *code, uint32_t bytes,
                                uint32_t entry, char *text, size_t text_bytes,
                                emu_program **out_program);
void emu_program_destroy(emu_program *program);
/// False of bytes that only an indirect jump could reach, and that are no known
/// instruction: their insn faults and means nothing.
bool emu_program_knows(const emu_insn *insn);

/// Called for every instruction; `insn` is NULL if it is refused, and `why`
/// then says for what reason.
typedef void (*emu_visit_fn)(void *user, uint32_t pc, const emu_insn *insn,
                             const char *text, const char *why);

/// Decodes as emu_program_create(), from several entries at once, and reports
/// what it meets, each address once. Errors: OUT_OF_MEMORY, INTERNAL.
fmhac_status emu_program_visit(const uint8_t *code, uint32_t bytes,
                               const uint32_t *entries, size_t entry_count,
                               emu_visit_fn visit, void *user);

/// Disassembly of an instruction of the program.
static inline const char *emu_program_text(const emu_program *program,
                                           const emu_insn *insn) {
  return program->texts + (size_t)(insn - program->insns) * EMU_TEXT_BYTES;
}

//===-- operand_text.c: one operand of the disassembly
//---------------------===//

typedef enum emu_token_kind {
  EMU_TOK_REG,
  EMU_TOK_SPECIAL, ///< scc, vccz, execz: `number` is the emu_kind
  EMU_TOK_INT,     ///< inline integer
  EMU_TOK_LITERAL, ///< 0x…
  EMU_TOK_FLOAT,   ///< inline float
  EMU_TOK_OFF,
  EMU_TOK_NAME, ///< hwreg(…), gpr_idx(…), …
} emu_token_kind;

typedef struct emu_token {
  uint8_t kind;
  bool neg, abs, sext;
  uint8_t file; ///< REG: emu_kind
  uint8_t regs;
  uint16_t index;
  uint64_t number;
  double value;
} emu_token;

/// Reads one operand; false if it is of no known form.
bool emu_token_parse(const char *text, emu_token *out_token);

/// Parts of a line of disassembly: mnemonic, operands, modifiers.
typedef struct emu_line {
  char copy[EMU_TEXT_BYTES]; ///< what the pointers below point into
  char *mnemonic;
  char *operands[10];
  unsigned operand_count;
  char *modifiers[20];
  unsigned modifier_count;
} emu_line;

/// Splits; false if there are more parts than any instruction has.
bool emu_line_split(const char *text, emu_line *out_line);

/// Number of registers and constant class of a type of isa.def ("b32", "x4").
emu_type emu_type_parse(const char *name, size_t length, uint8_t *out_regs);

#endif // FMHAC_EMU_DECODE_H
