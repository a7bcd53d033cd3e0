// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A compilation that asks no cache.
#ifndef FMHAC_LIB_COMPILE_H
#define FMHAC_LIB_COMPILE_H

#include "sources.h"

/// Fills an empty kernel with what a supported `config` and `sources` become.
/// Errors: as fmhac_compile().
FMHAC_MUST_USE fmhac_status fmhac_compile_fresh(fmhac_context *context,
                                                const fmhac_config *config,
                                                const fmhac_support *support,
                                                const fmhac_sources *sources,
                                                fmhac_kernel *kernel);

#endif // FMHAC_LIB_COMPILE_H
