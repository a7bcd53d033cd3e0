// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Code of kernels that is written in C, and that the build makes LLVM IR of.
#ifndef FMHAC_LIB_KERNEL_CODE_H
#define FMHAC_LIB_KERNEL_CODE_H

#include "llvm-c/Types.h"

#include "session.h"
#include "work_plan.h"

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

#endif // FMHAC_LIB_KERNEL_CODE_H
