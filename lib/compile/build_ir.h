// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Configuration to IR: a module that holds one fmha.attention.
#ifndef FMHAC_LIB_BUILD_IR_H
#define FMHAC_LIB_BUILD_IR_H

#include "config.h"
#include "session.h"

/// Bytes of a kernel's symbol name, its terminator included.
#define FMHAC_KERNEL_NAME_BYTES 128

/// Writes the symbol name of a kernel, "attn_bf16_d128_causal_5a0f33c1": the
/// keys in which most kernels differ, and a hash of the rest of the
/// configuration, the schedule and the function of scores. The name does not
/// depend on how the schedule was chosen or on the path of a file. False when
/// memory is exhausted.
bool fmhac_build_kernel_name(const fmhac_config_values *values,
                             MlirAttribute schedule, const char *score_mod_text,
                             char name[FMHAC_KERNEL_NAME_BYTES]);

/// Builds the module, whose kernel gets `name`. `schedule` is null, or a
/// #fmha.schedule that comes with the problem. The caller destroys the module.
/// Errors: INTERNAL (the configuration passed fmhac_query() and yet does not
/// verify).
FMHAC_MUST_USE fmhac_status fmhac_build_problem(
    struct fmhac_session *session, const fmhac_config_values *values,
    const char *name, MlirAttribute schedule, MlirModule *out_module);

#endif // FMHAC_LIB_BUILD_IR_H
