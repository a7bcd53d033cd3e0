// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How many registers a kernel needs at least, from the types of its tiles.
/// LLVM's register allocator finds out, too, but not in a time that grows with
/// the tile.
#ifndef FMHA_PROVE_REGISTERBOUND_H
#define FMHA_PROVE_REGISTERBOUND_H

#include "FmhaDialect.h"

namespace mlir::fmha {

/// Fails if a wave has to hold more through its loop over keys than its
/// schedule's waves_per_simd leaves it: the tiles that the loop carries and
/// those that it takes from in front of it. What lives within one round is not
/// counted, as LLVM may order that anew. Tiles without a lane layout are left
/// out.
LogicalResult proveRegisters(KernelOp kernel);

} // namespace mlir::fmha

#endif // FMHA_PROVE_REGISTERBOUND_H
