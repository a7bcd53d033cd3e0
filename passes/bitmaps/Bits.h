// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sets of bits.
#ifndef FMHA_BITMAPS_BITS_H
#define FMHA_BITMAPS_BITS_H

#include "FmhaDialect.h"

namespace mlir::fmha {

/// The bits that some of the vectors have.
inline int64_t unionOf(ArrayRef<int64_t> vectors) {
  return llvm::accumulate(vectors, int64_t(0), std::bit_or<>());
}

} // namespace mlir::fmha

#endif // FMHA_BITMAPS_BITS_H
