// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Code that fits: it is generated, read back, generated again if registers
/// spilled, and compared with the promises of its schedule.
#ifndef FMHAC_LIB_FIT_H
#define FMHAC_LIB_FIT_H

#include <stdbool.h>

#include "llvm-c/Types.h"

#include "descriptor.h"
#include "entry.h"
#include "session.h"

/// The result of code generation.
typedef struct fmhac_fit {
  void *object; ///< relocatable; owned
  size_t object_bytes;
  void *code; ///< linked; owned
  size_t code_bytes;
  fmhac_descriptor descriptors[FMHAC_MOST_ENTRIES]; ///< of its kernels
} fmhac_fit;

void fmhac_fit_deinit(fmhac_fit *fit);

/// Generates and links the code of the kernels of `module`. If registers of one
/// spill in LLVM's usual order of instructions, `module` is asked for the order
/// with the fewest live registers there (and keeps that request), and the code
/// is generated again. Errors: CODEGEN_FAILED, OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status fmhac_fit_generate(struct fmhac_session *session,
                                               LLVMModuleRef module,
                                               const char *const *kernels,
                                               size_t kernel_count,
                                               fmhac_fit *out_fit);

/// The configuration's part of messages about registers and LDS.
typedef struct fmhac_fit_promise {
  const char *schedule; ///< its label in messages
  long long waves, waves_per_simd;
  uint32_t block_threads; ///< of its launch
  bool is_users; ///< schedule or function of scores is the user's choice
  const char *score_mod; ///< path of the user's function of scores, or ""
} fmhac_fit_promise;

/// No spill, no scratch, `waves_per_simd` waves resident, the work-items of the
/// launch. Errors, with numbers:
/// INVALID_INPUT if schedule or function of scores is the user's choice, else
/// CODEGEN_FAILED.
FMHAC_MUST_USE fmhac_status fmhac_fit_check(fmhac_context *context,
                                            const fmhac_descriptor *descriptor,
                                            const fmhac_fit_promise *promise);

#endif // FMHAC_LIB_FIT_H
