// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Configuration to IR: a module that holds an op for each kernel,
/// fmha.attention or fmha.combine.
#ifndef FMHAC_LIB_BUILD_IR_H
#define FMHAC_LIB_BUILD_IR_H

#include "config.h"
#include "entry.h"
#include "session.h"

/// Writes the symbol name of a kernel, "attn_bf16_d128_causal_5a0f33c1": the
/// keys in which most kernels differ, and a hash of the rest of the
/// configuration, the schedule and the function of scores. The name does not
/// depend on how the schedule was chosen or on the path of a file. False when
/// memory is exhausted.
bool fmhac_build_kernel_name(const fmhac_config_values *values,
                             MlirAttribute schedule, const char *score_mod_text,
                             char name[FMHAC_KERNEL_NAME_BYTES]);

/// The name of one that is not of attention, "combine_bf16_d128_5a0f33c1": its
/// O's type, and a hash of the configuration.
bool fmhac_build_role_name(const fmhac_config_values *values, fmhac_role role,
                           char name[FMHAC_KERNEL_NAME_BYTES]);

/// A kernel of the module.
typedef struct fmhac_problem_kernel {
  const char *name;
  fmhac_role role;
  const char *when;       ///< the sizes that it is for; "": all
  MlirAttribute schedule; ///< that comes with the problem, or null
  bool has_grid; ///< its work comes from the grid, whatever the key `work` says
} fmhac_problem_kernel;

/// Builds the module. The caller destroys it. Errors: INTERNAL (the
/// configuration passed fmhac_query() and yet does not verify).
FMHAC_MUST_USE fmhac_status fmhac_build_problem(
    struct fmhac_session *session, const fmhac_config_values *values,
    const fmhac_problem_kernel *kernels, size_t count, MlirModule *out_module);

#endif // FMHAC_LIB_BUILD_IR_H
