// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Who does an order: the compiler of this process or one in its own.
#ifndef FMHAC_LIB_ORDER_RUN_H
#define FMHAC_LIB_ORDER_RUN_H

#include "order.h"

/// Has an order done, in this process or in another one as the context's
/// options say. Errors: as fmhac_compile(), and CANCELLED.
FMHAC_MUST_USE fmhac_status fmhac_order_run(fmhac_context *context,
                                            const fmhac_order *order,
                                            fmhac_product *product);

#endif // FMHAC_LIB_ORDER_RUN_H
