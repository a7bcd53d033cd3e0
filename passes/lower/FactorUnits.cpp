// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/FactorUnits.h"

#include "lower/RowMath.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mlir::fmha;

/// Units of scores. A score of 256 products, of e4m3 and e5m2 2^33 at most, is
/// below 2^-27 in the least: no weight tells it from zero.
static constexpr float kLeastUnit = 0x1p-60f, kMostUnit = 0x1p100f;
/// Of what scores start from, so that nothing becomes infinite.
static constexpr float kMostStart = 0x1p120f;
/// Of the greatest unit of O so far, that to which it may fall: O of 2^22 keys
/// with values of e5m2 is then 2^107 at most. The least has a reciprocal.
static constexpr float kLeastOfMost = 0x1p-60f, kLeast = 0x1p-125f;
static constexpr float kMostRatio = 0x1p126f;

/// Of two of which one may be NaN the number.
static Value greater(LaneBuilder &b, Value x, Value y) {
  return arith::MaxNumFOp::create(b, x, y);
}

static Value within(LaneBuilder &b, Value x, float least, float most) {
  return arith::MinNumFOp::create(b, greater(b, x, b.f32(least)), b.f32(most));
}

static Value isNegative(LaneBuilder &b, Value x) {
  return b.cmp(arith::CmpFPredicate::OLT, x, b.f32(0));
}

/// `number`, which a bound made of NaN, too, is NaN again where `x` is.
static Value keepNaN(LaneBuilder &b, Value x, Value number) {
  return b.select(b.cmp(arith::CmpFPredicate::UNO, x, x), x, number);
}

/// Bit for bit, which takes no vector instruction.
static Value isAnother(LaneBuilder &b, Value own, Value before) {
  Type bits = b.getI32Type();
  return b.cmp(arith::CmpIPredicate::ne, b.bitcast(bits, own),
               b.bitcast(bits, before));
}

/// The factor that was loaded for a tile; without a key in the sequence that is
/// anything, and zero times it has to be zero.
static Value factorOfKeys(LaneBuilder &b, Value loaded) {
  Value keys = SeqLenOp::create(b, b.getI32Type(), Sequence::Kv);
  return b.select(b.cmp(arith::CmpIPredicate::sgt, keys, b.i32(0)), loaded,
                  b.f32(1));
}

FailureOr<Values> fmha::followFactor(ScoreUnitOp op, LaneBuilder &b) {
  TileType baseType = op.getBase().getType(), rowType = op.getLimit().getType(),
           qType = op.getQ().getType();
  LaneLayoutAttr rows = rowType.getLayout();
  auto factorType = dyn_cast<TileType>(op.getFactor().getType());
  const size_t count = rows.getRegElems();
  auto results = [&](Value base, ArrayRef<Value> limit, Value q,
                     ArrayRef<Value> factors) {
    Values all = b.toPresentLanes(base);
    all.append(b.pack(limit, rows.getFragment()));
    all.append(b.toPresentLanes(q));
    all.append(factors.begin(), factors.end());
    return all;
  };
  const Values before =
      factorType ? b.elements(op.getFactor()) : Values{op.getFactor()};
  const Values limit = b.elements(op.getLimit());
  Values stay = results(op.getBase(), limit, op.getQ(), before);
  auto clean = success();
  Value changed = isAnother(b, op.getOwn(), op.getBefore());
  Values all = b.changeIf(changed, stay, [&] {
    Value own = factorOfKeys(b, op.getOwn());
    Value magnitude = math::AbsFOp::create(b, own);
    Values units;
    for (Value scale : factorsOfRows(b, op.getScale(), before.size()))
      units.push_back(
          within(b, b.mul(scale, magnitude), kLeastUnit, kMostUnit));
    Value unit = factorType ? Value(b.tileOf(factorType, units)) : units[0];
    Value none = b.f32(-std::numeric_limits<float>::infinity());
    Values newLimit = lazyLimits(b, unit, count), starts;
    for (auto [most, old, m, ofRow] :
         llvm::zip(newLimit, limit, b.elements(op.getM()),
                   factorsOfRows(b, unit, count))) {
      most = b.select(b.cmp(arith::CmpFPredicate::OEQ, old, none), none, most);
      Value start = b.mul(arith::NegFOp::create(b, m), b.reciprocal(ofRow));
      starts.push_back(
          keepNaN(b, own, within(b, start, -kMostStart, kMostStart)));
    }
    FailureOr<Value> base = setRows(op, b, op.getBase(), starts, rows);
    Value turned = arith::XOrIOp::create(
        b, isNegative(b, own), isNegative(b, factorOfKeys(b, op.getBefore())));
    FailureOr<Value> q =
        negateRows(op, b, op.getQ(), turned, /*rows=*/LaneLayoutAttr());
    clean = success(succeeded(base) && succeeded(q));
    return succeeded(clean) ? results(*base, newLimit, *q, units) : stay;
  });
  if (failed(clean))
    return failure();
  ArrayRef<Value> factors = ArrayRef(all).take_back(before.size());
  Values tiles = b.tilesOf({baseType, rowType, qType}, all);
  tiles.push_back(factorType ? Value(b.tileOf(factorType, factors))
                             : factors.front());
  return tiles;
}

FailureOr<Values> fmha::followFactor(OutputUnitOp op, LaneBuilder &b) {
  TileType oType = op.getO().getType(), rowType = op.getUnit().getType();
  LaneLayoutAttr rows = rowType.getLayout();
  auto results = [&](Value o, ArrayRef<Value> unit, ArrayRef<Value> most) {
    Values all = b.toPresentLanes(o);
    all.append(b.pack(unit, rows.getFragment()));
    all.append(b.pack(most, rows.getFragment()));
    return all;
  };
  Values units = b.elements(op.getUnit()), most = b.elements(op.getMost());
  Values stay = results(op.getO(), units, most);
  auto clean = success();
  Value changed = isAnother(b, op.getOwn(), op.getBefore());
  Values all = b.changeIf(changed, stay, [&] {
    Value own = factorOfKeys(b, op.getOwn());
    Value magnitude = math::AbsFOp::create(b, own);
    Value negative = isNegative(b, own), zero = b.f32(0), one = b.f32(1);
    Value firstKey = b.mul(op.getIndex(), b.i32(b.schedule().getTileN()));
    Values first = op.getFirst() ? b.elements(op.getFirst()) : Values(), ratios;
    for (auto [row, limit] : llvm::enumerate(b.elements(op.getLimit()))) {
      Value unit = units[row], was = math::AbsFOp::create(b, unit), begun;
      if (!first.empty()) {
        begun = b.cmp(arith::CmpIPredicate::sgt, firstKey, first[row]);
        was = b.select(begun, was, zero);
      }
      Value greatest = greater(b, most[row], was);
      Value least =
          greater(b, b.mul(greatest, b.f32(kLeastOfMost)), b.f32(kLeast));
      Value bounded = greater(b, magnitude, least);
      Value isZero = b.cmp(arith::CmpFPredicate::OEQ,
                           greater(b, greatest, magnitude), zero);
      Value next =
          b.select(negative, arith::NegFOp::create(b, bounded), bounded);
      next = keepNaN(b, own, b.select(isZero, zero, next));
      // The reciprocal of the largest f32 would be below 2^-126, and so zero.
      constexpr float kDown = 0x1p-24f;
      Value down = b.select(b.cmp(arith::CmpFPredicate::OGT, bounded, one),
                            b.f32(kDown), one);
      Value divisor = b.select(isZero, one, b.mul(next, down));
      Value ratio = b.mul(b.mul(unit, down), b.reciprocal(divisor));
      ratio = keepNaN(b, ratio, within(b, ratio, -kMostRatio, kMostRatio));
      // Before its first key O of a row is 0, whatever the tiles in front have.
      if (begun)
        ratio = b.select(begun, ratio, one);
      Value sees = b.cmp(arith::CmpIPredicate::slt, firstKey, limit);
      ratios.push_back(b.select(sees, ratio, one));
      units[row] = b.select(sees, next, unit);
      most[row] = b.select(sees, greatest, most[row]);
    }
    FailureOr<Value> o = scaleRows(op, b, op.getO(), ratios, rows);
    clean = success(succeeded(o));
    return succeeded(clean) ? results(*o, units, most) : stay;
  });
  if (failed(clean))
    return failure();
  return b.tilesOf({oType, rowType, rowType}, all);
}
