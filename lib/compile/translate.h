// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From a module of llvm and rocdl ops, or from the text of the rung `llvm`, to
/// LLVM IR that is ready for code generation.
#ifndef FMHAC_LIB_TRANSLATE_H
#define FMHAC_LIB_TRANSLATE_H

#include "llvm-c/Types.h"

#include "order.h"
#include "session.h"

/// Code object version, pinned: V6 (ELF ABI version 4).
#define FMHAC_CODE_OBJECT_VERSION 600

/// LLVM IR ready for code generation: named kernel arguments, code object
/// version, data layout, and `note` (the bytes of an ELF note section) inside.
/// The caller disposes module, then context. Errors: CODEGEN_FAILED.
FMHAC_MUST_USE fmhac_status fmhac_translate_module(
    struct fmhac_session *session, MlirModule module, const void *note,
    size_t note_bytes, LLVMContextRef *out_context, LLVMModuleRef *out_module);

/// The same from the text of the rung `llvm`, in which `note` takes the place
/// of the one that it has. Errors: INVALID_INPUT at a line of the text, also if
/// the functions that it defines are not `kernels`, of `kernel_count`, in
/// order.
FMHAC_MUST_USE fmhac_status fmhac_translate_text(
    struct fmhac_session *session, const fmhac_rung_text *text,
    const char *const *kernels, size_t kernel_count, const void *note,
    size_t note_bytes, LLVMContextRef *out_context, LLVMModuleRef *out_module);

#endif // FMHAC_LIB_TRANSLATE_H
