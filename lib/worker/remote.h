// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Who does an order: the compiler of this process or one in its own.
#ifndef FMHAC_LIB_REMOTE_H
#define FMHAC_LIB_REMOTE_H

#include "order.h"

/// Has an order done, in this process or by one of the context's compiler
/// processes as its options say. Errors: as fmhac_compile(), and CANCELLED;
/// COMPILER_DIED, with how the process ended and its last message.
FMHAC_MUST_USE fmhac_status fmhac_order_run(fmhac_context *context,
                                            const fmhac_order *order,
                                            fmhac_product *product);

#endif // FMHAC_LIB_REMOTE_H
