// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Configuration to IR: a module that holds one fmha.attention.
#ifndef FMHAC_LIB_BUILD_IR_H
#define FMHAC_LIB_BUILD_IR_H

#include "config.h"
#include "fmha_dialect_c.h"
#include "session.h"

/// Bytes of a kernel's symbol name, its terminator included.
#define FMHAC_KERNEL_NAME_BYTES 128

/// Writes the symbol name of the kernel of a configuration,
/// "attn_bf16_d128_causal".
void fmhac_build_kernel_name(const fmhac_config_values *values,
                             char name[FMHAC_KERNEL_NAME_BYTES]);

/// The dialect's word for a mask.
fmha_mask_kind fmhac_build_mask_kind(fmhac_mask_kind kind);

/// Builds the module. `schedule` is null, or a #fmha.schedule that comes with
/// the problem. The caller destroys the module. Errors: INTERNAL (the
/// configuration passed fmhac_query() and yet does not verify).
FMHAC_MUST_USE fmhac_status fmhac_build_problem(
    struct fmhac_session *session, const fmhac_config_values *values,
    MlirAttribute schedule, MlirModule *out_module);

#endif // FMHAC_LIB_BUILD_IR_H
