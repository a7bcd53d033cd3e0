// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From a module of llvm and rocdl ops, or from the text of the rung `llvm`, to
/// LLVM IR that is ready for code generation.
#ifndef FMHAC_LIB_TRANSLATE_H
#define FMHAC_LIB_TRANSLATE_H

#include "llvm-c/Types.h"

#include "order.h"
#include "session.h"
#include "work_plan.h"

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

/// Adds a planner to a module, as the kernel `name` (work_code.c): of `count`
/// kernels of attention, of one configuration. It takes
/// the argument block and requires the groups CORE, PLAN, WORK and TOTALS; with
/// divided keys COMBINE; with lengths of rows LIST_SETS; and those of the
/// lengths. Its grid is a workgroup of FMHAC_WORK_KERNEL_THREADS for each
/// kernel. Errors: CODEGEN_FAILED, INTERNAL, OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status fmhac_translate_planner(
    struct fmhac_session *session, const fmhac_work_rules *rules, size_t count,
    const char *name, LLVMModuleRef module);

/// Puts what finds its work (lib/abi/work_find.h) into a kernel of attention of
/// a module (find_code.c). Errors: CODEGEN_FAILED, INTERNAL, OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status fmhac_translate_finder(
    struct fmhac_session *session, const fmhac_work_rules *rules,
    const char *kernel, LLVMModuleRef module);

#endif // FMHAC_LIB_TRANSLATE_H
