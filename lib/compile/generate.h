// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From LLVM IR to assembly, or to a linked code object that fits: it is
/// generated, read back, generated again if registers spilled, and compared
/// with the promises of its schedule.
#ifndef FMHAC_LIB_GENERATE_H
#define FMHAC_LIB_GENERATE_H

#include <stdbool.h>

#include "llvm-c/Types.h"

#include "descriptor.h"
#include "entry.h"
#include "session.h"

/// The result of code generation.
typedef struct fmhac_code {
  void *object; ///< relocatable; owned
  size_t object_bytes;
  void *linked; ///< the code object; owned
  size_t linked_bytes;
  fmhac_descriptor descriptors[FMHAC_MOST_ENTRIES]; ///< of its kernels
} fmhac_code;

void fmhac_code_deinit(fmhac_code *code);

/// Generates and links the code of the kernels of `module`. If registers of one
/// spill in LLVM's usual order of instructions, `module` is asked for the order
/// with the fewest live registers there (and keeps that request), and the code
/// is generated again. Errors: CODEGEN_FAILED, OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status fmhac_generate(struct fmhac_session *session,
                                           LLVMModuleRef module,
                                           const char *const *kernels,
                                           size_t kernel_count,
                                           fmhac_code *out_code);

/// The assembly of `module`, which stays as it is. The caller frees the text
/// with free(). Errors: CODEGEN_FAILED, OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status
fmhac_generate_assembly(struct fmhac_session *session, LLVMModuleRef module,
                        void **out_text, size_t *out_text_bytes);

/// What a schedule promises of its code, for messages about registers and LDS,
/// too.
typedef struct fmhac_promise {
  const char *schedule; ///< its label in messages
  long long waves, waves_per_simd;
  uint32_t block_threads; ///< of its launch
  bool is_users; ///< schedule or function of scores is the user's choice
  const char *score_mod; ///< path of the user's function of scores, or ""
} fmhac_promise;

/// No spill, no scratch, `waves_per_simd` waves resident, the work-items of the
/// launch. Errors, with numbers: INVALID_INPUT if schedule or function of
/// scores is the user's choice, else CODEGEN_FAILED.
FMHAC_MUST_USE fmhac_status
fmhac_promise_check(fmhac_context *context, const fmhac_descriptor *descriptor,
                    const fmhac_promise *promise);

#endif // FMHAC_LIB_GENERATE_H
