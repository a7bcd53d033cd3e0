// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which keys of K and V in pages go together.
#ifndef FMHAC_LIB_PAGES_H
#define FMHAC_LIB_PAGES_H

#include "config.h"

/// Refuses what contradicts itself: pages without a table or with two, a table
/// without pages or without the lengths that belong to it, a size that pages do
/// not have. Errors: INVALID_INPUT with the text in the context. Asked for as
/// fmhac_check_operands() is.
FMHAC_MUST_USE fmhac_status
fmhac_check_pages(fmhac_context *context, const fmhac_config_values *values);

#endif // FMHAC_LIB_PAGES_H
