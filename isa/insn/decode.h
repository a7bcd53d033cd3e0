// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From bytes to decoded instructions. LLVM's disassembler gives the text; the
/// instruction table (isa.def) adds what the text omits. An instruction that
/// one of the two does not know is listed, never guessed.
#ifndef FMHAC_ISA_DECODE_H
#define FMHAC_ISA_DECODE_H

#include <stddef.h>

#include "fmhac_status.h"
#include "insn.h"

/// Disassembler, mnemonic index and constant pool; one per program.
typedef struct isa_decoder isa_decoder;

/// Errors: OUT_OF_MEMORY, INTERNAL (LLVM knows no gfx950).
fmhac_status isa_decoder_create(isa_decoder **out_decoder);
void isa_decoder_destroy(isa_decoder *decoder);

/// Decodes the instruction at `bytes` (at most `available`), which lies `pc`
/// bytes into the text section. `text` (ISA_TEXT_BYTES) receives the
/// disassembly. On failure returns false, with the reason in `why`
/// (ISA_TEXT_BYTES); insn->size is then the number of bytes to skip (4 if
/// unknown).
/// Constants point into the decoder and live as long as it does.
bool isa_decode(isa_decoder *decoder, const uint8_t *bytes, size_t available,
                uint32_t pc, isa_insn *insn, char *text, char *why);

/// Row of a mnemonic without encoding suffix, or -1.
int isa_row_find(const isa_decoder *decoder, const char *mnemonic);

/// Derives kind, data_class, the touched registers and flags from the row and
/// the operands (effects.c).
void isa_classify(isa_insn *insn);

#endif // FMHAC_ISA_DECODE_H
