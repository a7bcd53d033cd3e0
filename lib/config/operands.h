// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which types, factors and quantisations of the operands go together.
#ifndef FMHAC_LIB_OPERANDS_H
#define FMHAC_LIB_OPERANDS_H

#include "config.h"

/// True for types whose elements have factors.
bool fmhac_operand_is_8_bit(fmhac_operand_dtype own, fmhac_dtype dtype);

/// Refuses what contradicts itself: factors of an operand of 16 bits, a
/// granularity without values and values without one, blocks without a size and
/// a size without blocks, quantize_q where Q has 8 bits or K or V 16. Errors:
/// INVALID_INPUT with the text in the context.
///
/// The parser asks unless a reserved key is in use, which fmhac_query()
/// refuses; so does who computes with such a configuration all the same.
FMHAC_MUST_USE fmhac_status
fmhac_check_operands(fmhac_context *context, const fmhac_config_values *values);

/// The key of factors that nothing here computes with: by block of packed K and
/// V, by token or block of K and V in pages. NULL: none.
const char *fmhac_unsupported_factors(const fmhac_config_values *values);

#endif // FMHAC_LIB_OPERANDS_H
