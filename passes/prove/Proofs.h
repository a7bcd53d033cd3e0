// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is proved of a kernel, rung by rung. Each proof emits its error at the
/// op that breaks the promise. They share no code with the passes whose work
/// they prove.
#ifndef FMHA_PROVE_PROOFS_H
#define FMHA_PROVE_PROOFS_H

#include "FmhaDialect.h"

namespace mlir::fmha {

/// Layouts keep what they promise: every element of a tile has its own bytes in
/// LDS, buffers do not overlap and fit; a copy moves every element once, to
/// where the layout has it; reads find theirs, all copied; and bank conflicts
/// of reads are what the layout states. Enumerates.
LogicalResult proveLayouts(KernelOp kernel);

/// Exponents are lifted alike wherever weights are made, and LSE takes the same
/// lift back; the greatest weight, that of a score as far above the maximum as
/// a late rescale leaves it, is a number of P's type: conversions saturate, so
/// that a greater one would be wrong without a trace. How late a rescale comes
/// is in no op: the proof takes it from where the lowering does (lanes/Lift.h),
/// and the largest number from the type.
LogicalResult proveLift(KernelOp kernel);

/// Each read of a pipelined kernel takes the token of a copy into its buffer,
/// or into one of its ring, and nothing of LDS happens outside of stages. That
/// it is the copy of its own tile is proveSynced()'s.
LogicalResult provePipelined(KernelOp kernel);

/// From the types of its tiles: a wave has to hold no more through its loop
/// over keys than its schedule's waves_per_simd leaves it, of the tiles that
/// the loop carries and those that it takes from in front of it. What lives
/// within one round is not counted, as LLVM may order that anew. Tiles without
/// a lane layout are left out. LLVM's register allocator finds out, too, but
/// not in a time that grows with the tile.
LogicalResult proveRegisters(KernelOp kernel);

/// The LDS traffic of a kernel is safe, also where the groups of the waves are
/// barriers apart. Knows nothing of how waits were inserted: it walks what a
/// wave of each group executes and compares when what ends and begins. Names
/// the access that the unsafe one races with.
LogicalResult proveSynced(KernelOp kernel);

/// (row, col) of a slot of a layout of two dimensions.
std::pair<int64_t, int64_t> coordinatesOf(LaneLayoutAttr layout, int64_t reg,
                                          int64_t lane, int64_t wave);

} // namespace mlir::fmha

#endif // FMHA_PROVE_PROOFS_H
