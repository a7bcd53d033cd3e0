// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/Lanes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fmha;

SmallVector<Value> fmha::toPresentLanes(OpBuilder &b, Location loc,
                                        Value tile) {
  auto type = cast<TileType>(tile.getType());
  SmallVector<Type> fragments(
      type.presentFragments().size(),
      VectorType::get({type.getLayout().getFragment()}, type.getElement()));
  return ToLanesOp::create(b, loc, fragments, tile).getLanes();
}

Value fmha::fromPresentLanes(OpBuilder &b, Location loc, TileType type,
                             ValueRange fragments) {
  return FromLanesOp::create(b, loc, type, fragments);
}

SmallVector<Value> fmha::toLanes(OpBuilder &b, Location loc, Value tile) {
  auto type = cast<TileType>(tile.getType());
  SmallVector<Value> fragments(type.getLayout().getFragments());
  for (auto [at, fragment] :
       llvm::zip(type.presentFragments(), toPresentLanes(b, loc, tile)))
    fragments[at] = fragment;
  return fragments;
}

Value fmha::fromLanes(OpBuilder &b, Location loc, TileType type,
                      ArrayRef<Value> fragments) {
  SmallVector<Value> present;
  for (int64_t at : type.presentFragments())
    present.push_back(fragments[at]);
  return fromPresentLanes(b, loc, type, present);
}

SmallVector<Value> fmha::unpack(OpBuilder &b, Location loc,
                                ArrayRef<Value> fragments) {
  SmallVector<Value> elements;
  for (Value fragment : fragments)
    for (int64_t i = 0;
         i < cast<VectorType>(fragment.getType()).getNumElements(); ++i)
      elements.push_back(vector::ExtractOp::create(b, loc, fragment, i));
  return elements;
}

SmallVector<Value> fmha::pack(OpBuilder &b, Location loc,
                              ArrayRef<Value> elements, int64_t fragment) {
  SmallVector<Value> fragments;
  auto type = VectorType::get({fragment}, elements.front().getType());
  for (size_t i = 0; i < elements.size(); i += fragment)
    fragments.push_back(vector::FromElementsOp::create(
        b, loc, type, elements.slice(i, fragment)));
  return fragments;
}

Value fmha::constantI32(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}
Value fmha::constantI64(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 64);
}
Value fmha::constantF32(OpBuilder &b, Location loc, float value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}

Value fmha::emitWeightedBits(OpBuilder &b, Location loc, Value value,
                             ArrayRef<int64_t> weights) {
  Value sum;
  for (size_t first = 0; first < weights.size();) {
    size_t end = first + 1;
    while (end < weights.size() && weights[end] == 2 * weights[end - 1])
      ++end;
    if (weights[first] == 0) { // bits that contribute nothing
      first = first + 1;
      continue;
    }
    Value bits = value;
    if (first)
      bits = arith::ShRUIOp::create(b, loc, bits, constantI32(b, loc, first));
    int64_t mask = (int64_t(1) << (end - first)) - 1;
    bits = arith::AndIOp::create(b, loc, bits, constantI32(b, loc, mask));
    if (weights[first] != 1)
      bits = arith::MulIOp::create(b, loc, bits,
                                   constantI32(b, loc, weights[first]));
    sum = sum ? arith::AddIOp::create(b, loc, sum, bits).getResult() : bits;
    first = end;
  }
  return sum ? sum : constantI32(b, loc, 0);
}

bool fmha::areDisjoint(ArrayRef<int64_t> masks) {
  int64_t seen = 0;
  for (int64_t mask : masks) {
    if (seen & mask)
      return false;
    seen |= mask;
  }
  return true;
}

Value fmha::emitXorBits(OpBuilder &b, Location loc, Value value,
                        ArrayRef<int64_t> masks) {
  if (areDisjoint(masks))
    return emitWeightedBits(b, loc, value, masks);
  // Bits that move by the same distance, up or down, go together.
  constexpr int64_t kBits = 32;
  Value all;
  for (int64_t distance = 1 - kBits; distance < kBits; ++distance) {
    int64_t moved = 0; // bits of the result
    for (auto [bit, mask] : llvm::enumerate(masks))
      if (int64_t to = int64_t(bit) + distance; to >= 0 && to < kBits)
        moved |= mask & int64_t(1) << to;
    if (!moved)
      continue;
    Value term = value;
    if (distance > 0)
      term = arith::ShLIOp::create(b, loc, term, constantI32(b, loc, distance));
    else if (distance < 0)
      term =
          arith::ShRUIOp::create(b, loc, term, constantI32(b, loc, -distance));
    term = arith::AndIOp::create(b, loc, term, constantI32(b, loc, moved));
    all = all ? arith::XOrIOp::create(b, loc, all, term).getResult() : term;
  }
  return all;
}

static Value emitCoord(OpBuilder &b, Location loc, Id id, unsigned rank,
                       ArrayRef<int64_t> bases, unsigned dim, int64_t within) {
  SmallVector<int64_t> masks;
  for (size_t i = dim; i < bases.size(); i += rank)
    masks.push_back(bases[i] & within);
  Value value = IdOp::create(b, loc, b.getI32Type(), id);
  return emitXorBits(b, loc, value, masks);
}

Value fmha::emitLaneCoord(OpBuilder &b, Location loc, LaneLayoutAttr layout,
                          unsigned dim, int64_t within) {
  return emitCoord(b, loc, Id::Lane, layout.getRank(), layout.getLane(), dim,
                   within);
}

Value fmha::emitWaveCoord(OpBuilder &b, Location loc, LaneLayoutAttr layout,
                          unsigned dim, int64_t within) {
  return emitCoord(b, loc, Id::Wave, layout.getRank(), layout.getWave(), dim,
                   within);
}

std::pair<Value, Value> fmha::emitPermlaneSwap(OpBuilder &b, Location loc,
                                               Value x, Value y,
                                               unsigned laneBit) {
  Type i32 = b.getI32Type();
  auto pair = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32});
  Value swapped =
      laneBit == 5
          ? ROCDL::Permlane32SwapOp::create(b, loc, pair, x, y, false, false)
                .getResult()
          : ROCDL::Permlane16SwapOp::create(b, loc, pair, x, y, false, false)
                .getResult();
  Value first = LLVM::ExtractValueOp::create(b, loc, swapped, 0);
  Value second = LLVM::ExtractValueOp::create(b, loc, swapped, 1);
  return {first, second};
}

Value fmha::emitFirstRow(OpBuilder &b, Location loc, KernelOp kernel) {
  Value tile = IdOp::create(b, loc, b.getI32Type(), Id::QTile);
  return arith::MulIOp::create(
      b, loc, tile, constantI32(b, loc, kernel.getSchedule().getTileM()));
}

LogicalResult fmha::requireLayout(Operation *op, Value tile) {
  if (cast<TileType>(tile.getType()).getLayout())
    return success();
  return op->emitOpError("expected tiles with lane layouts, found none; run "
                         "fmha-assign-lane-layouts");
}
