// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "lower/FactorUnits.h"
#include "lower/RowMath.h"

#include <limits>

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERSOFTMAXPASS
#include "Passes.h.inc"

namespace {

Values valuesAt(ArrayRef<Value> values, ArrayRef<size_t> places) {
  return llvm::map_to_vector(places, [&](size_t at) { return values[at]; });
}

/// Exponents and sums two an instruction.
bool isInPairs(LaneBuilder &b) {
  return b.schedule().getPacked() == PackedMath::Softmax;
}

/// Nothing in the loop needs the maximum of a whole row while none of a lane's
/// scores passes the one that is subtracted by much: the exchange with the
/// lanes that share the row stands after the branch.
FailureOr<Values> lower(RowMaxOp op, LaneBuilder &b) {
  LaneLayoutAttr layout = op.getS().getType().getLayout();
  TileType rowType = op.getM().getType();
  FailureOr<SmallVector<unsigned>> laneBits = rowLaneBits(op, layout);
  if (failed(laneBits))
    return failure();
  Values scores = b.elements(op.getS()), m = b.elements(op.getM()),
         shift = b.elements(op.getShift()), own;
  const Values factors = factorsOfRows(b, op.getFactor(), m.size());
  bool wide = op.getWide();
  for (ArrayRef<size_t> regs : elementsOfRows(layout, rowType.getLayout()))
    own.push_back(maxOf(b, valuesAt(scores, regs)));
  // m, shift and correction of all rows, one after the other.
  auto follow = [&] {
    Values newMax, newShift, correction;
    for (auto [before, mine, factor] : llvm::zip(m, own, factors)) {
      newMax.push_back(b.max(before, maxOfRow(b, mine, *laneBits)));
      newShift.push_back(shiftOf(b, newMax.back(), factor, wide));
      correction.push_back(
          correctionOf(b, before, newShift.back(), factor, wide));
    }
    newMax.append(newShift);
    newMax.append(correction);
    return newMax;
  };
  Values results;
  Value changed;
  if (b.schedule().getRescale() == RescalePolicy::Lazy) {
    const Values limits = lazyLimits(b, op.getFactor(), m.size());
    Values passed;
    for (auto [before, mine, most] : llvm::zip(m, own, limits))
      passed.push_back(
          b.cmp(arith::CmpFPredicate::OGT, mine, b.add(before, most)));
    changed = anyLane(b, passed);
    Values stay(m);
    stay.append(shift);
    // Nothing looks at the correction where nothing changed.
    stay.append(m.size(), LLVM::PoisonOp::create(b, b.getF32Type()));
    results = b.changeIf(changed, stay, follow);
  } else {
    results = follow();
    changed = arith::ConstantIntOp::create(b, 1, 1);
  }
  Values tiles;
  for (size_t i = 0; i < results.size(); i += m.size())
    tiles.push_back(b.tileOf(rowType, ArrayRef(results).slice(i, m.size())));
  tiles.push_back(changed);
  return tiles;
}

/// Rounds as the elements of P are rounded: pairs, one instruction each.
FailureOr<Value> lower(ScaleQOp op, LaneBuilder &b) {
  TileType type = op.getTile().getType();
  if (failed(requireLowered(op, "q", type.getElement())))
    return failure();
  if (bitsOf(type.getElement()) == kByteBits)
    return op.emitOpError() << "expected elements of 16 bits, since Q is "
                               "rounded again, found "
                            << type.getElement();
  auto wide = VectorType::get({type.getLayout().getFragment()}, b.getF32Type());
  Value factor = vector::BroadcastOp::create(b, wide, op.getFactor());
  Values fragments = b.toPresentLanes(op.getTile());
  for (Value &fragment : fragments) {
    Value scaled = b.mul(arith::ExtFOp::create(b, wide, fragment), factor);
    fragment = arith::TruncFOp::create(b, fragment.getType(), scaled);
  }
  return b.fromPresentLanes(type, fragments);
}

FailureOr<Value> lower(NoMaxOp op, LaneBuilder &b) {
  return b.filled(op.getBase().getType(), double(op.getLift().value_or(0)));
}

/// Scores are stored relative to an earlier maximum. Only if a score exceeds
/// that maximum by more than the threshold, find the new maximum and rebase
/// everything that is stored relative to it.
FailureOr<Values> lower(RebaseOp op, LaneBuilder &b) {
  TileType type = op.getS().getType(), baseType = op.getBase().getType(),
           rowType = op.getLimit().getType();
  LaneLayoutAttr rows = rowType.getLayout();
  FailureOr<SmallVector<unsigned>> laneBits = rowLaneBits(op, type.getLayout());
  if (failed(laneBits))
    return failure();
  Values s = b.elements(op.getS()), limit = b.elements(op.getLimit()),
         m = b.elements(op.getM()), own, passed;
  auto ofRows = elementsOfRows(type.getLayout(), rows);
  for (auto [regs, most] : llvm::zip(ofRows, limit)) {
    own.push_back(maxOf(b, valuesAt(s, regs)));
    passed.push_back(b.cmp(arith::CmpFPredicate::OGT, own.back(), most));
  }
  Value changed = anyLane(b, passed);
  auto results = [&](Value base, ArrayRef<Value> correction) {
    Values all = b.pack(s, type.getLayout().getFragment());
    all.append(b.toPresentLanes(base));
    all.append(b.pack(limit, rows.getFragment()));
    all.append(b.pack(m, rows.getFragment()));
    all.append(correction.begin(), correction.end());
    return all;
  };
  // As fragments: MLIR 22 folds a vector of poison elements to one of whatever
  // lies after them (FromElementsOp::fold takes their attributes for numbers).
  Values stay =
      results(op.getBase(), b.toPresentLanesSoFar(rowType, /*partial=*/{}));
  auto clean = success();
  Values all = b.changeIf(changed, stay, [&] {
    Values correction, back;
    Value none = b.f32(-std::numeric_limits<float>::infinity());
    Value zero = b.f32(0), one = b.f32(1);
    const int64_t lifted = op.getLift().value_or(0);
    Values limits = lazyLimits(b, op.getFactor(), limit.size());
    for (Value &most : limits)
      if (lifted)
        most = b.add(most, b.f32(float(lifted)));
    Values factors;
    if (op.getFactor())
      factors = factorsOfRows(b, op.getFactor(), limit.size());
    for (size_t row = 0; row < limit.size(); ++row) {
      Value tileMax = maxOfRow(b, own[row], *laneBits);
      if (lifted)
        tileMax = b.sub(tileMax, b.f32(float(lifted)));
      Value isNew = b.cmp(arith::CmpFPredicate::OEQ, limit[row], none);
      Value isEmpty = b.cmp(arith::CmpFPredicate::OEQ, tileMax, none);
      // A row's first keys set its maximum, wherever they lie; from then on it
      // only grows.
      Value move = b.select(isNew, b.select(isEmpty, zero, tileMax),
                            b.max(tileMax, zero));
      for (size_t reg : ofRows[row])
        s[reg] = b.sub(s[reg], move);
      m[row] = b.add(m[row], op.getScaled() ? b.mul(move, factors[row]) : move);
      Value away = back.emplace_back(arith::NegFOp::create(b, move));
      if (!factors.empty())
        away = b.mul(away, factors[row]);
      correction.push_back(b.select(isNew, one, b.exp2(away)));
      limit[row] =
          b.select(isNew, b.select(isEmpty, none, limits[row]), limit[row]);
    }
    FailureOr<Value> base = addToRows(op, b, op.getBase(), back, rows);
    clean = success(succeeded(base));
    return succeeded(base)
               ? results(*base, b.pack(correction, rows.getFragment()))
               : stay;
  });
  if (failed(clean))
    return failure();
  Values tiles = b.tilesOf({type, baseType, rowType, rowType, rowType}, all);
  tiles.push_back(changed);
  return tiles;
}

FailureOr<Value> lower(SubtractOp op, LaneBuilder &b) {
  TileType type = op.getS().getType();
  Values shift = b.elements(op.getShift()), scores = b.elements(op.getS());
  auto ofRows = elementsOfRows(
      type.getLayout(), op.getShift().getType().getLayout(), op.getPartAttr());
  const Values factors = factorsOfRows(b, op.getFactor(), shift.size());
  for (auto [regs, ofRow, factor] : llvm::zip(ofRows, shift, factors)) {
    Values own =
        exponents(b, valuesAt(scores, regs), ofRow, factor, op.getWide(),
                  float(op.getLift().value_or(0)), isInPairs(b));
    for (auto [reg, value] : llvm::zip(regs, own))
      scores[reg] = value;
  }
  return b.tileOf(type, scores);
}

FailureOr<Value> lower(ExpOp op, LaneBuilder &b) {
  Values x = b.elements(op.getX());
  auto [first, last] = PartAttr::rangeOf(op.getPartAttr(), x.size());
  for (int64_t i = first; i < last; ++i)
    x[i] = b.exp2(x[i]);
  return b.tileOf(op.getX().getType(), x);
}

/// The sums that a step adds to: of earlier parts, of earlier tiles.
SmallVector<Values, 2> sumsBefore(RowSumOp op, LaneBuilder &b) {
  SmallVector<Values, 2> sums;
  for (Value before : {op.getPartial(), op.getL()})
    if (before)
      sums.push_back(b.elements(before));
  return sums;
}

/// l plus pairs of weights times ones, each pair an instruction, a chain for
/// each of two halves: the next in a chain waits for the one before.
FailureOr<Value> sumPairs(RowSumOp op, LaneBuilder &b) {
  constexpr size_t kPair = 2, kChains = 2;
  TileType pType = op.getX().getType(), rowType = op.getSum().getType();
  LaneLayoutAttr p = pType.getLayout();
  auto pairType = VectorType::get({kPair}, pType.getElement());
  Value ones = b.splat(pairType, 1);
  Value noClamp = arith::ConstantIntOp::create(b, 0, 1);
  StringAttr name = b.getStringAttr("llvm.amdgcn.fdot2.f32.bf16");
  Values fragments = b.toLanes(op.getX());
  auto [first, last] = PartAttr::rangeOf(op.getPartAttr(), p.getRegElems());
  if (first % kPair || last % kPair)
    return op.emitOpError()
           << "expected parts of whole pairs of weights, found "
              "elements "
           << first << " to " << last;
  auto wordsType =
      VectorType::get({p.getFragment() / int64_t(kPair)}, b.getI32Type());
  SmallVector<Values, 2> before = sumsBefore(op, b);
  Values sums;
  for (auto [row, regs] : llvm::enumerate(
           elementsOfRows(p, rowType.getLayout(), op.getPartAttr()))) {
    Values chains;
    for (size_t n = 0; n < regs.size() / kPair; ++n) {
      int64_t fragment = regs[n * kPair] / p.getFragment(),
              at = regs[n * kPair] % p.getFragment();
      Value words = b.bitcast(wordsType, fragments[fragment]);
      Value word = vector::ExtractOp::create(b, words, at / kPair);
      Value pair = b.bitcast(pairType, word);
      if (n < kChains)
        chains.push_back(n == 0 && !before.empty() ? before[0][row] : b.f32(0));
      Value &sum = chains[n % kChains];
      sum = LLVM::CallIntrinsicOp::create(b, b.getF32Type(), name,
                                          ValueRange{pair, ones, sum, noClamp})
                .getResult(0);
    }
    Value sum = chains.empty() ? b.f32(0) : chains[0];
    for (Value chain : ArrayRef(chains).drop_front(!chains.empty()))
      sum = b.add(sum, chain);
    for (ArrayRef<Value> rows : ArrayRef(before).drop_front(!chains.empty()))
      sum = b.add(rows[row], sum);
    sums.push_back(sum);
  }
  return b.tileOf(rowType, sums);
}

FailureOr<Value> lower(RowSumOp op, LaneBuilder &b) {
  TileType type = op.getX().getType(), rowType = op.getSum().getType();
  if (!type.getElement().isF32())
    return sumPairs(op, b);
  Values x = b.elements(op.getX()), sums;
  SmallVector<Values, 2> before = sumsBefore(op, b);
  for (auto [row, regs] : llvm::enumerate(elementsOfRows(
           type.getLayout(), rowType.getLayout(), op.getPartAttr()))) {
    Value sum =
        regs.empty() ? b.f32(0) : sumOf(b, valuesAt(x, regs), isInPairs(b));
    for (ArrayRef<Value> rows : before)
      sum = b.add(rows[row], sum);
    sums.push_back(sum);
  }
  return b.tileOf(rowType, sums);
}

FailureOr<Value> lower(CombineRowsOp op, LaneBuilder &b) {
  TileType type = op.getL().getType();
  FailureOr<SmallVector<unsigned>> laneBits = rowLaneBits(op, type.getLayout());
  if (failed(laneBits))
    return failure();
  Values l = b.elements(op.getL());
  for (unsigned bit : *laneBits)
    for (Value &sum : l) {
      auto [x, y] = b.permlaneSwap(sum, sum, bit);
      sum = b.add(x, y);
    }
  return b.tileOf(type, l);
}

FailureOr<Value> lower(MoveRowsOp op, LaneBuilder &b) {
  TileType to = op.getResult().getType();
  Values rows = b.elements(op.getRows());
  if (int64_t parts = op.getParts().value_or(1); parts > 1) {
    Values sums;
    for (size_t at = 0; at < rows.size(); at += parts)
      sums.append(parts, sumOf(b, ArrayRef(rows).slice(at, parts),
                               /*inPairs=*/false));
    rows = sums;
  }
  FailureOr<Values> moved =
      moveRows(op, b, rows, op.getRows().getType().getLayout(), to.getLayout());
  if (failed(moved))
    return failure();
  return b.tileOf(to, *moved);
}

FailureOr<Value> lower(ConvertOp op, LaneBuilder &b) {
  TileType type = op.getP().getType();
  if (failed(requireLowered(op, "p", type.getElement())))
    return failure();
  int64_t fragment = type.getLayout().getFragment();
  Values fragments = b.toPresentLanesSoFar(type, op.getPartial());
  Values x = b.elements(op.getX());
  auto [first, last] = PartAttr::rangeOf(op.getPartAttr(), fragments.size());
  const int64_t ofWord = chip::kRegisterBits / bitsOf(type.getElement());
  for (int64_t i = first; i < last; ++i) {
    Values words;
    for (int64_t at = 0; at < fragment; at += ofWord)
      words.push_back(roundToWord(
          b, type.getElement(), ArrayRef(x).slice(i * fragment + at, ofWord)));
    fragments[i] = b.bitcast(fragmentType(type), b.packAll(words));
  }
  return b.fromPresentLanes(type, fragments);
}

/// l times the correction of its rows, wherever a lane has them.
FailureOr<Value> scaleSums(RescaleIfOp op, LaneBuilder &b,
                           ArrayRef<Value> factors) {
  LaneLayoutAttr rows = op.getCorrection().getType().getLayout();
  TileType type = op.getL().getType();
  if (type == op.getCorrection().getType())
    return scaleRows(op, b, op.getL(), factors, rows);
  FailureOr<Values> moved = moveRows(op, b, factors, rows, type.getLayout());
  if (failed(moved))
    return failure();
  Values l = b.elements(op.getL());
  for (auto [sum, factor] : llvm::zip(l, *moved))
    sum = b.mul(sum, factor);
  return b.tileOf(type, l);
}

FailureOr<Values> lower(RescaleIfOp op, LaneBuilder &b) {
  auto parts = [&](Value o, Value l) {
    Values fragments = b.toPresentLanes(o);
    fragments.append(b.toPresentLanes(l));
    return fragments;
  };
  auto clean = success();
  // All of it inside of the branch: one that follows the branch in which the
  // maximum moved, on the same condition, becomes a part of that.
  auto scale = [&] {
    Values factors = b.elements(op.getCorrection());
    FailureOr<Value> o = scaleRows(op, b, op.getO(), factors,
                                   op.getCorrection().getType().getLayout());
    FailureOr<Value> l = scaleSums(op, b, factors);
    clean = success(succeeded(o) && succeeded(l));
    return succeeded(clean) ? parts(*o, *l) : Values();
  };
  Values values =
      b.schedule().getRescale() == RescalePolicy::Eager
          ? scale()
          : b.changeIf(op.getChanged(), parts(op.getO(), op.getL()), scale);
  if (failed(clean))
    return failure();
  return b.tilesOf({op.getO().getType(), op.getL().getType()}, values);
}

FailureOr<Values> lower(ScoreUnitOp op, LaneBuilder &b) {
  return followFactor(op, b);
}

FailureOr<Values> lower(OutputUnitOp op, LaneBuilder &b) {
  return followFactor(op, b);
}

struct LowerSoftmax : impl::LowerSoftmaxPassBase<LowerSoftmax> {
  LogicalResult run(KernelOp kernel) override {
    return lowerEach<ScaleQOp, NoMaxOp, RebaseOp, RowMaxOp, SubtractOp, ExpOp,
                     RowSumOp, CombineRowsOp, MoveRowsOp, ConvertOp,
                     RescaleIfOp, ScoreUnitOp, OutputUnitOp>(
        kernel, [](auto op, LaneBuilder &b) { return lower(op, b); });
  }
};
} // namespace
} // namespace mlir::fmha
