// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Between tiles and what a lane holds, for the lowerings.
#ifndef FMHA_LOWER_LANES_H
#define FMHA_LOWER_LANES_H

#include "FmhaDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::fmha {

/// Expands each op of some kinds, in the order in which they stand.
template <typename... Ops, typename Lower>
LogicalResult lowerEach(Operation *root, Lower lower) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<Ops...>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (failed(llvm::TypeSwitch<Operation *, LogicalResult>(op)
                   .template Case<Ops...>([&](auto op) { return lower(op); })))
      return failure();
  return success();
}

/// The fragments of a tile that has a lane layout, null where padding leaves
/// one out.
SmallVector<Value> toLanes(OpBuilder &b, Location loc, Value tile);
/// A tile out of fragments; those that padding leaves out are not looked at.
Value fromLanes(OpBuilder &b, Location loc, TileType type,
                ArrayRef<Value> fragments);

/// The same with the present fragments only, one after the other.
SmallVector<Value> toPresentLanes(OpBuilder &b, Location loc, Value tile);
Value fromPresentLanes(OpBuilder &b, Location loc, TileType type,
                       ValueRange fragments);

/// All elements of the fragments, in register order; none may be null.
SmallVector<Value> unpack(OpBuilder &b, Location loc,
                          ArrayRef<Value> fragments);
/// Vectors of `fragment` elements each.
SmallVector<Value> pack(OpBuilder &b, Location loc, ArrayRef<Value> elements,
                        int64_t fragment);

Value constantI32(OpBuilder &b, Location loc, int64_t value);
Value constantI64(OpBuilder &b, Location loc, int64_t value);
Value constantF32(OpBuilder &b, Location loc, float value);

/// Sum over the set bits i of `value` (i32) of `weights[i]`. Runs of doubling
/// weights become one mask and one multiplication.
Value emitWeightedBits(OpBuilder &b, Location loc, Value value,
                       ArrayRef<int64_t> weights);

/// True if no two of them have a bit in common.
bool areDisjoint(ArrayRef<int64_t> masks);

/// XOR over the set bits i of `value` (i32) of `masks[i]`.
Value emitXorBits(OpBuilder &b, Location loc, Value value,
                  ArrayRef<int64_t> masks);

/// Coordinate in `dim` that the lane (the wave) contributes, in the bits of
/// `within`; i32.
Value emitLaneCoord(OpBuilder &b, Location loc, LaneLayoutAttr layout,
                    unsigned dim, int64_t within = -1);
Value emitWaveCoord(OpBuilder &b, Location loc, LaneLayoutAttr layout,
                    unsigned dim, int64_t within = -1);

/// Swaps 32-bit values between lanes that differ in `laneBit`, 4 or 5: where
/// the bit is 0 the results are `x` of the lane and `x` of its partner, where
/// it is 1 `y` of the partner and `y` of the lane.
std::pair<Value, Value> emitPermlaneSwap(OpBuilder &b, Location loc, Value x,
                                         Value y, unsigned laneBit);

/// First row, within the slice, of the workgroup's tile of Q and O; i32.
Value emitFirstRow(OpBuilder &b, Location loc, KernelOp kernel);

/// Fails with an error if the value's tile type has no lane layout yet.
LogicalResult requireLayout(Operation *op, Value tile);

} // namespace mlir::fmha

#endif // FMHA_LOWER_LANES_H
