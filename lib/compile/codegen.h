// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From a module of llvm and rocdl ops to LLVM IR, assembly, a gfx950 object
/// and a linked code object, all in this process.
#ifndef FMHAC_LIB_CODEGEN_H
#define FMHAC_LIB_CODEGEN_H

#include "llvm-c/Types.h"

#include "order.h"
#include "session.h"

/// Code object version, pinned: V6 (ELF ABI version 4).
#define FMHAC_CODE_OBJECT_VERSION 600

/// LLVM IR ready for code generation: named kernel arguments, code object
/// version, data layout, and `note` (the bytes of an ELF note section) inside.
/// The caller disposes module, then context. Errors: CODEGEN_FAILED.
FMHAC_MUST_USE fmhac_status fmhac_codegen_translate(
    struct fmhac_session *session, MlirModule module, const void *note,
    size_t note_bytes, LLVMContextRef *out_context, LLVMModuleRef *out_module);

/// The same from the text of the rung `llvm`, in which `note` takes the place
/// of the one that it has. Errors: INVALID_INPUT at a line of the text, also if
/// the functions that it defines are not `kernels`, of `kernel_count`, in
/// order.
FMHAC_MUST_USE fmhac_status fmhac_codegen_parse(
    struct fmhac_session *session, const fmhac_rung_text *text,
    const char *const *kernels, size_t kernel_count, const void *note,
    size_t note_bytes, LLVMContextRef *out_context, LLVMModuleRef *out_module);

typedef enum fmhac_codegen_kind {
  FMHAC_CODEGEN_ASSEMBLY,
  FMHAC_CODEGEN_OBJECT
} fmhac_codegen_kind;

/// Generates code; leaves `module` as it is. The caller frees the bytes with
/// free(). Errors: CODEGEN_FAILED.
FMHAC_MUST_USE fmhac_status fmhac_codegen_emit(struct fmhac_session *session,
                                               LLVMModuleRef module,
                                               fmhac_codegen_kind kind,
                                               void **out_bytes,
                                               size_t *out_size_bytes);

/// Asks LLVM to order the instructions of a kernel for the fewest live
/// registers, at the price of latency that it would else hide.
void fmhac_codegen_save_registers(LLVMModuleRef module, const char *kernel);

/// Links an object to a code object. The caller frees the bytes with free().
/// Errors: CODEGEN_FAILED, with lld's text.
FMHAC_MUST_USE fmhac_status fmhac_codegen_link(struct fmhac_session *session,
                                               const void *object,
                                               size_t object_bytes,
                                               void **out_code,
                                               size_t *out_code_bytes);

#endif // FMHAC_LIB_CODEGEN_H
