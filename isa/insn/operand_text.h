// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// LLVM's spelling of instructions and operands.
#ifndef FMHAC_ISA_OPERAND_TEXT_H
#define FMHAC_ISA_OPERAND_TEXT_H

#include <stddef.h>

#include "insn.h"

typedef enum isa_token_kind {
  ISA_TOKEN_REG,
  ISA_TOKEN_SPECIAL, ///< scc, vccz, execz: `number` is the isa_operand_kind
  ISA_TOKEN_INT,     ///< inline integer
  ISA_TOKEN_LITERAL, ///< 0x…
  ISA_TOKEN_FLOAT,   ///< inline float
  ISA_TOKEN_OFF,
  ISA_TOKEN_NAME, ///< hwreg(…), gpr_idx(…), …
} isa_token_kind;

typedef struct isa_token {
  uint8_t kind;
  bool neg, abs, sext;
  uint8_t file; ///< REG: isa_operand_kind
  uint8_t regs;
  uint16_t index;
  uint64_t number;
  double value;
} isa_token;

/// Reads one operand; false if its form is unknown.
bool isa_token_parse(const char *text, isa_token *out_token);

/// Parts of a line of disassembly: mnemonic, operands, modifiers.
typedef struct isa_line {
  char copy[ISA_TEXT_BYTES]; ///< memory of the strings below
  char *mnemonic;
  char *operands[10];
  unsigned operand_count;
  char *modifiers[20];
  unsigned modifier_count;
} isa_line;

/// Splits a line; false if it has more parts than any instruction.
bool isa_line_split(const char *text, isa_line *out_line);

/// Number of registers and constant class of a type of isa.def ("b32", "x4").
isa_type isa_type_parse(const char *name, size_t length, uint8_t *out_regs);

/// Writes the name of a vector register or a scalar register.
void isa_register_text(char *text, size_t bytes, bool scalar, unsigned index);

enum { ISA_PC_TEXT_BYTES = 24 };
/// Converts an offset in the text section to an offset from the kernel's entry,
/// negative for functions before the entry. Writes and returns `text`.
const char *isa_pc_text(uint32_t pc, uint32_t entry_text,
                        char text[ISA_PC_TEXT_BYTES]);

#endif // FMHAC_ISA_OPERAND_TEXT_H
