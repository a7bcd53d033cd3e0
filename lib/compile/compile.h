// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The compiler of this process.
#ifndef FMHAC_LIB_COMPILE_H
#define FMHAC_LIB_COMPILE_H

#include "order.h"

/// Does an order here; one at a time in a context, others wait.
/// Errors: as fmhac_order_run().
FMHAC_MUST_USE fmhac_status fmhac_compile_here(fmhac_context *context,
                                               const fmhac_order *order,
                                               fmhac_product *product);

#endif // FMHAC_LIB_COMPILE_H
