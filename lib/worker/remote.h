// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The compiler in a process of its own.
#ifndef FMHAC_LIB_REMOTE_H
#define FMHAC_LIB_REMOTE_H

#include "order.h"

/// Has an order done by one of the context's compiler processes. Errors: as
/// fmhac_order_run(); COMPILER_DIED, with how it ended and its last message.
FMHAC_MUST_USE fmhac_status fmhac_compile_remote(fmhac_context *context,
                                                 const fmhac_order *order,
                                                 fmhac_product *product);

#endif // FMHAC_LIB_REMOTE_H
