// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Lanes.h"

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

static Value emitCoord(OpBuilder &b, Location loc, Id id, unsigned rank,
                       ArrayRef<int64_t> bases, unsigned dim) {
  SmallVector<int64_t> weights;
  for (size_t i = dim; i < bases.size(); i += rank)
    weights.push_back(bases[i]);
  Value value = IdOp::create(b, loc, b.getI32Type(), id);
  return emitWeightedBits(b, loc, value, weights);
}

Value fmha::emitLaneCoord(OpBuilder &b, Location loc, LaneLayoutAttr layout,
                          unsigned dim) {
  return emitCoord(b, loc, Id::Lane, layout.getRank(), layout.getLane(), dim);
}

Value fmha::emitWaveCoord(OpBuilder &b, Location loc, LaneLayoutAttr layout,
                          unsigned dim) {
  return emitCoord(b, loc, Id::Wave, layout.getRank(), layout.getWave(), dim);
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
