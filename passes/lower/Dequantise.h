// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Elements of few bits as elements of more, exactly.
#ifndef FMHA_LOWER_DEQUANTISE_H
#define FMHA_LOWER_DEQUANTISE_H

#include "lanes/Lanes.h"

namespace mlir::fmha {

/// A fragment of elements `from` of 8 bits, which lanes hold as bits, as
/// elements `to` of 16; an even number of them.
Value widen(LaneBuilder &b, Value fragment, Type from, Type to);

} // namespace mlir::fmha

#endif // FMHA_LOWER_DEQUANTISE_H
