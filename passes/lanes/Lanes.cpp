// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lanes/Lanes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fmha;

VectorType fmha::fragmentType(TileType tile) {
  return VectorType::get({tile.getLayout().getFragment()},
                         laneElement(tile.getElement()));
}

//===- Scalars and vectors ------------------------------------------------===//

Value LaneBuilder::i32(int64_t value) {
  return arith::ConstantIntOp::create(*this, getI32Type(), value);
}
Value LaneBuilder::i64(int64_t value) {
  return arith::ConstantIntOp::create(*this, getI64Type(), value);
}
Value LaneBuilder::f32(float value) {
  return arith::ConstantOp::create(*this, getF32FloatAttr(value));
}
Value LaneBuilder::splat(VectorType type, double value) {
  return arith::ConstantOp::create(
      *this, DenseElementsAttr::get(
                 type, Attribute(getFloatAttr(type.getElementType(), value))));
}

template <typename Integer, typename Float>
static Value arithmetic(LaneBuilder &b, Value x, Value y) {
  if (isa<FloatType>(getElementTypeOrSelf(x)))
    return Float::create(b, x, y);
  return Integer::create(b, x, y);
}
Value LaneBuilder::add(Value x, Value y) {
  return arithmetic<arith::AddIOp, arith::AddFOp>(*this, x, y);
}
Value LaneBuilder::sub(Value x, Value y) {
  return arithmetic<arith::SubIOp, arith::SubFOp>(*this, x, y);
}
Value LaneBuilder::mul(Value x, Value y) {
  return arithmetic<arith::MulIOp, arith::MulFOp>(*this, x, y);
}
Value LaneBuilder::cmp(arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(*this, predicate, x, y);
}
Value LaneBuilder::cmp(arith::CmpFPredicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(*this, predicate, x, y);
}
Value LaneBuilder::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(*this, condition, x, y);
}
Value LaneBuilder::xorWith(Value x, int64_t bits) {
  if (!bits)
    return x;
  return arith::XOrIOp::create(*this, x, i32(bits));
}
Value LaneBuilder::zext64(Value value) {
  return arith::ExtUIOp::create(*this, getI64Type(), value);
}
Value LaneBuilder::max(Value x, Value y) {
  return arith::MaxNumFOp::create(*this, x, y, arith::FastMathFlags::nnan);
}
Value LaneBuilder::exp2(Value x) {
  return ROCDL::ROCDLExp2::create(*this, getF32Type(), x);
}
Value LaneBuilder::reciprocal(Value x) {
  return ROCDL::ROCDLRcp::create(*this, getF32Type(), x);
}
Value LaneBuilder::bitcast(Type type, Value value) {
  if (value.getType() == type)
    return value;
  return LLVM::BitcastOp::create(*this, type, value);
}

Value LaneBuilder::weightedBits(Value value, ArrayRef<int64_t> weights) {
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
      bits = arith::ShRUIOp::create(*this, bits, i32(first));
    int64_t mask = (int64_t(1) << (end - first)) - 1;
    bits = arith::AndIOp::create(*this, bits, i32(mask));
    if (weights[first] != 1)
      bits = mul(bits, i32(weights[first]));
    sum = sum ? add(sum, bits) : bits;
    first = end;
  }
  return sum ? sum : i32(0);
}

bool fmha::areDisjoint(ArrayRef<int64_t> masks) {
  return unionOf(masks) ==
         std::accumulate(masks.begin(), masks.end(), int64_t(0));
}

Value LaneBuilder::xorBits(Value value, ArrayRef<int64_t> masks) {
  if (areDisjoint(masks))
    return weightedBits(value, masks);
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
      term = arith::ShLIOp::create(*this, term, i32(distance));
    else if (distance < 0)
      term = arith::ShRUIOp::create(*this, term, i32(-distance));
    term = arith::AndIOp::create(*this, term, i32(moved));
    all = all ? arith::XOrIOp::create(*this, all, term).getResult() : term;
  }
  return all;
}

Value LaneBuilder::id(Id kind) {
  if (WorkOp own = work()) {
    if (kind == Id::Head)
      return own.getHead();
    if (kind == Id::Batch)
      return own.getBatch();
  }
  return IdOp::create(*this, getI32Type(), kind);
}

Value LaneBuilder::firstRow() {
  if (WorkOp own = work())
    return own.getRow();
  return mul(id(Id::QTile), i32(schedule().getTileM()));
}

Value LaneBuilder::head(bool ofKv) {
  Value head = zext64(id(Id::Head));
  if (schedule().packsHeads() && !ofKv)
    return mul(head,
               zext64(ArgOp::create(*this, getI32Type(), Arg::GroupSize)));
  if (schedule().packsHeads() || !ofKv)
    return head;
  // h / (Hq / Hk) by the launcher's reciprocal of 32 fraction bits.
  constexpr int64_t kFractionBits = 32;
  head = mul(head, ArgOp::create(*this, getI64Type(), Arg::KvHeadReciprocal));
  return arith::ShRUIOp::create(*this, head, i64(kFractionBits));
}

std::pair<Value, Value> LaneBuilder::permlaneSwap(Value x, Value y,
                                                  unsigned laneBit) {
  Type type = x.getType(), word = getI32Type();
  bool isOne = x == y;
  x = bitcast(word, x);
  y = isOne ? x : bitcast(word, y);
  auto pair = LLVM::LLVMStructType::getLiteral(getContext(), {word, word});
  Value swapped =
      laneBit == 5
          ? ROCDL::Permlane32SwapOp::create(*this, pair, x, y, false, false)
                .getResult()
          : ROCDL::Permlane16SwapOp::create(*this, pair, x, y, false, false)
                .getResult();
  Value first = LLVM::ExtractValueOp::create(*this, swapped, 0);
  Value second = LLVM::ExtractValueOp::create(*this, swapped, 1);
  return {bitcast(type, first), bitcast(type, second)};
}

Values LaneBuilder::changeIf(Value condition, ValueRange stay,
                             function_ref<Values()> change) {
  auto branch = scf::IfOp::create(*this, stay.getTypes(), condition,
                                  /*withElseRegion=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(*this, stay);
  setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(*this, change());
  return Values(branch.getResults());
}

//===- Tiles --------------------------------------------------------------===//

Values LaneBuilder::toPresentLanes(Value tile) {
  auto type = cast<TileType>(tile.getType());
  SmallVector<Type> fragments(type.presentFragments().size(),
                              fragmentType(type));
  return ToLanesOp::create(*this, fragments, tile).getLanes();
}

Value LaneBuilder::fromPresentLanes(TileType type, ValueRange fragments) {
  return FromLanesOp::create(*this, type, fragments);
}

Values LaneBuilder::tilesOf(ArrayRef<TileType> types, ValueRange fragments) {
  Values tiles;
  for (TileType type : types) {
    size_t count = type.presentFragments().size();
    tiles.push_back(fromPresentLanes(type, fragments.take_front(count)));
    fragments = fragments.drop_front(count);
  }
  return tiles;
}

Values LaneBuilder::toPresentLanesSoFar(TileType type, Value partial) {
  if (partial)
    return toPresentLanes(partial);
  return Values(type.presentFragments().size(),
                LLVM::PoisonOp::create(*this, fragmentType(type)));
}

Values LaneBuilder::toLanes(Value tile) {
  auto type = cast<TileType>(tile.getType());
  Values fragments(type.getLayout().getFragments());
  for (auto [at, fragment] :
       llvm::zip(type.presentFragments(), toPresentLanes(tile)))
    fragments[at] = fragment;
  return fragments;
}

Value LaneBuilder::fromLanes(TileType type, ArrayRef<Value> fragments) {
  return fromPresentLanes(
      type, llvm::map_to_vector(type.presentFragments(),
                                [&](int64_t at) { return fragments[at]; }));
}

Values LaneBuilder::unpack(ArrayRef<Value> fragments) {
  Values elements;
  for (Value fragment : fragments)
    for (int64_t i = 0;
         i < cast<VectorType>(fragment.getType()).getNumElements(); ++i)
      elements.push_back(vector::ExtractOp::create(*this, fragment, i));
  return elements;
}

Values LaneBuilder::pack(ArrayRef<Value> elements, int64_t fragment) {
  Values fragments;
  auto type = VectorType::get({fragment}, elements.front().getType());
  for (size_t i = 0; i < elements.size(); i += fragment)
    fragments.push_back(vector::FromElementsOp::create(
        *this, type, elements.slice(i, fragment)));
  return fragments;
}

Value LaneBuilder::tileOf(TileType type, ArrayRef<Value> elements) {
  return fromLanes(type, pack(elements, type.getLayout().getFragment()));
}

Value LaneBuilder::filled(TileType type, double value) {
  return fromLanes(type, Values(type.getLayout().getFragments(),
                                splat(fragmentType(type), value)));
}

/// What each bit of the id of a lane (a wave) adds to a coordinate.
static SmallVector<int64_t> masksOf(ArrayRef<int64_t> bases, unsigned rank,
                                    unsigned dim, int64_t within = -1) {
  SmallVector<int64_t> masks;
  for (size_t i = dim; i < bases.size(); i += rank)
    masks.push_back(bases[i] & within);
  return masks;
}

Value LaneBuilder::laneCoordOf(Value lane, LaneLayoutAttr layout, unsigned dim,
                               int64_t within) {
  return xorBits(lane,
                 masksOf(layout.getLane(), layout.getRank(), dim, within));
}

Value LaneBuilder::waveCoord(LaneLayoutAttr layout, unsigned dim,
                             int64_t within) {
  return xorBits(id(Id::Wave),
                 masksOf(layout.getWave(), layout.getRank(), dim, within));
}

int64_t fmha::laneExtent(LaneLayoutAttr layout, unsigned dim) {
  return unionOf(masksOf(layout.getLane(), layout.getRank(), dim));
}

int64_t fmha::waveExtent(LaneLayoutAttr layout, unsigned dim) {
  return unionOf(masksOf(layout.getWave(), layout.getRank(), dim));
}

Value LaneBuilder::waveRow(LaneLayoutAttr layout) {
  return add(firstRow(), waveCoord(layout, 0));
}

LogicalResult fmha::requireLayouts(Operation *op) {
  auto isMissing = [](Type type) {
    auto tile = dyn_cast<TileType>(type);
    return tile && !tile.getLayout();
  };
  if (llvm::none_of(op->getOperandTypes(), isMissing) &&
      llvm::none_of(op->getResultTypes(), isMissing))
    return success();
  return op->emitOpError("expected tiles with lane layouts, found none; run "
                         "fmha-assign-lane-layouts");
}

LogicalResult fmha::requireLowered(Operation *op, StringRef what,
                                   Type element) {
  if (element.isBF16() || element.isF16() || isa<Float8E4M3FNType>(element))
    return success();
  return op->emitOpError() << "expected elements of " << what
                           << " to be bf16, f16 or f8E4M3FN, found " << element
                           << ", which no pass lowers yet";
}
