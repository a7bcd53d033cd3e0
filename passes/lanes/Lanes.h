// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Between tiles and what a lane holds, for the lowerings.
#ifndef FMHA_LANES_LANES_H
#define FMHA_LANES_LANES_H

#include "bitmaps/Bits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fmha {

using Values = SmallVector<Value>;

/// What a lane holds of a fragment of a tile that has a lane layout.
VectorType fragmentType(TileType tile);

/// Builds what one lane does in the place of an op.
class LaneBuilder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  explicit LaneBuilder(Operation *op)
      : ImplicitLocOpBuilder(op->getLoc(), op) {}

  /// The kernel that it builds in.
  KernelOp kernel() {
    return getInsertionBlock()->getParent()->getParentOfType<KernelOp>();
  }
  /// The work item that it builds in; null in a kernel that is one.
  WorkOp work() {
    return getInsertionBlock()->getParent()->getParentOfType<WorkOp>();
  }
  ScheduleAttr schedule() { return kernel().getSchedule(); }

  //===- Scalars and vectors ----------------------------------------------===//

  Value i32(int64_t value);
  Value i64(int64_t value);
  Value f32(float value);
  /// A vector with one value everywhere.
  Value splat(VectorType type, double value);
  Value id(Id kind);
  /// The work item's first row, as tiles count rows (PackedRows.h); i32.
  Value firstRow();
  /// The workgroup's head of Q, or the first one of its group; or the head of K
  /// and V that it shares; i64.
  Value head(bool ofKv);

  /// Integers or floats.
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value cmp(arith::CmpIPredicate predicate, Value x, Value y);
  Value cmp(arith::CmpFPredicate predicate, Value x, Value y);
  Value select(Value condition, Value x, Value y);
  Value xorWith(Value x, int64_t bits);
  /// Of i32, to i64.
  Value zext64(Value value);
  /// Floats, without NaN in sight, so that three of them fuse into v_max3_f32.
  Value max(Value x, Value y);
  /// Of f32, as one instruction each.
  Value exp2(Value x);
  Value reciprocal(Value x);
  /// The same bits as another type; nothing if it has that already.
  Value bitcast(Type type, Value value);

  /// Sum over the set bits i of `value` (i32) of `weights[i]`. Runs of doubling
  /// weights become one mask and one multiplication.
  Value weightedBits(Value value, ArrayRef<int64_t> weights);
  /// XOR over the set bits i of `value` (i32) of `masks[i]`.
  Value xorBits(Value value, ArrayRef<int64_t> masks);

  /// Swaps 32-bit values between lanes that differ in `laneBit`, 4 or 5: where
  /// the bit is 0 the results are `x` of the lane and `x` of its partner, where
  /// it is 1 `y` of the partner and `y` of the lane.
  std::pair<Value, Value> permlaneSwap(Value x, Value y, unsigned laneBit);

  /// What `change` gives where `condition` holds, elsewhere `stay`.
  Values changeIf(Value condition, ValueRange stay,
                  function_ref<Values()> change);

  //===- Tiles ------------------------------------------------------------===//

  /// The fragments of a tile that has a lane layout, null where padding leaves
  /// one out.
  Values toLanes(Value tile);
  /// A tile out of fragments; those that padding leaves out are not looked at.
  Value fromLanes(TileType type, ArrayRef<Value> fragments);

  /// The same with the present fragments only, one after the other.
  Values toPresentLanes(Value tile);
  Value fromPresentLanes(TileType type, ValueRange fragments);
  /// Tiles whose present fragments follow each other.
  Values tilesOf(ArrayRef<TileType> types, ValueRange fragments);
  /// The present fragments of what earlier parts gave (`partial`, null before
  /// the first of them).
  Values toPresentLanesSoFar(TileType type, Value partial);

  /// All elements of the fragments, in register order; none may be null.
  Values unpack(ArrayRef<Value> fragments);
  /// Vectors of `fragment` elements each.
  Values pack(ArrayRef<Value> elements, int64_t fragment);
  Value packAll(ArrayRef<Value> elements) {
    return pack(elements, elements.size()).front();
  }

  /// A tile without padding and its elements, in register order.
  Values elements(Value tile) { return unpack(toLanes(tile)); }
  Value tileOf(TileType type, ArrayRef<Value> elements);
  /// A tile with one value everywhere.
  Value filled(TileType type, double value);

  /// Coordinate in `dim` that the lane (the wave) contributes, in the bits of
  /// `within`; i32.
  Value laneCoord(LaneLayoutAttr layout, unsigned dim, int64_t within = -1) {
    return laneCoordOf(id(Id::Lane), layout, dim, within);
  }
  Value laneCoordOf(Value lane, LaneLayoutAttr layout, unsigned dim,
                    int64_t within = -1);
  Value waveCoord(LaneLayoutAttr layout, unsigned dim, int64_t within = -1);
  /// First row, within the slice, of the wave's part of Q and O; i32.
  Value waveRow(LaneLayoutAttr layout);
};

/// The bits of a coordinate that lanes (waves) change, which is the most that
/// they make of it.
int64_t laneExtent(LaneLayoutAttr layout, unsigned dim);
int64_t waveExtent(LaneLayoutAttr layout, unsigned dim);

/// True if no two of them, none negative, have a bit in common.
bool areDisjoint(ArrayRef<int64_t> masks);

/// Fails with an error if a tile that `op` takes or gives has no lane layout
/// yet.
LogicalResult requireLayouts(Operation *op);

/// Fails with an error at `op` if lowerings do not know elements of this type
/// of `what` yet.
LogicalResult requireLowered(Operation *op, StringRef what, Type element);

/// Expands each op of some kinds, in the order in which they stand, to what
/// `lower(op, b)` gives: the value of its result or Values of all results, or
/// failure after an error.
template <typename... Ops, typename Lower>
LogicalResult lowerEach(KernelOp kernel, Lower lower) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<Ops...>(op))
      ops.push_back(op);
  });
  auto replace = [&](auto op) -> LogicalResult {
    LaneBuilder b(op);
    auto results = lower(op, b);
    if (failed(results))
      return failure();
    op->replaceAllUsesWith(ValueRange(*results));
    op->erase();
    return success();
  };
  for (Operation *op : ops)
    if (failed(requireLayouts(op)) ||
        failed(llvm::TypeSwitch<Operation *, LogicalResult>(op)
                   .template Case<Ops...>(replace)))
      return failure();
  return success();
}

} // namespace mlir::fmha

#endif // FMHA_LANES_LANES_H
