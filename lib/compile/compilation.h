// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One compilation from configuration to any rung.
#ifndef FMHAC_LIB_COMPILATION_H
#define FMHAC_LIB_COMPILATION_H

#include "order.h"

/// Does an order; the compiler of the context is the caller's. Errors: as
/// fmhac_order_run().
FMHAC_MUST_USE fmhac_status fmhac_compilation_run(fmhac_context *context,
                                                  const fmhac_order *order,
                                                  fmhac_product *product);

#endif // FMHAC_LIB_COMPILATION_H
