// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// gfx950 machine code to text, one instruction at a time, by LLVM's
/// disassembler, which is loaded when the first one is created. Safe on any
/// bytes: bytes on which LLVM would abort count as no instruction.
#ifndef FMHAC_DISASM_H
#define FMHAC_DISASM_H

#include <stddef.h>
#include <stdint.h>

#include "fmhac_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A disassembler of gfx950.
typedef struct fmhac_disasm fmhac_disasm;

/// Errors: OUT_OF_MEMORY, IO_ERROR (libLLVM is not there), INTERNAL (LLVM has
/// no AMDGPU target).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_disasm_create(fmhac_disasm **out_disasm);
/// NULL is allowed.
FMHAC_API void fmhac_disasm_destroy(fmhac_disasm *disasm);

/// Writes the text of the first instruction in the `bytes` bytes at `code` into
/// `text`, as LLVM spells it (leading white space included). `pc` is its
/// address, for branch targets. Returns its size in bytes, or 0 if the bytes do
/// not begin with a whole instruction of gfx950. `text` may be NULL.
FMHAC_API size_t fmhac_disasm_one(fmhac_disasm *disasm, const void *code,
                                  size_t bytes, uint64_t pc, char *text,
                                  size_t text_bytes);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_DISASM_H
