// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "lower/MoveRows.h"
#include "lower/RowMath.h"

#include <limits>

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERSOFTMAXPASS
#include "Passes.h.inc"

namespace {

LogicalResult requireLayouts(Operation *op) {
  auto missing = [&](Value value) {
    return isa<TileType>(value.getType()) && failed(requireLayout(op, value));
  };
  return failure(llvm::any_of(op->getOperands(), missing) ||
                 llvm::any_of(op->getResults(), missing));
}

/// Lowers the softmax of one kernel.
class SoftmaxLowering {
public:
  explicit SoftmaxLowering(KernelOp kernel)
      : kernel(kernel), b(kernel.getContext()),
        policy(kernel.getSchedule().getRescale()),
        inPairs(kernel.getSchedule().getPacked() == PackedMath::Softmax) {}

  LogicalResult run();

private:
  LogicalResult lower(RowMaxOp op);
  LogicalResult lower(ScaleQOp op);
  LogicalResult lower(NoMaxOp op);
  LogicalResult lower(RebaseOp op);
  LogicalResult lower(SubtractOp op);
  LogicalResult lower(ExpOp op);
  LogicalResult lower(RowSumOp op);
  LogicalResult sumPairs(RowSumOp op);
  LogicalResult lower(CombineRowsOp op);
  LogicalResult lower(MoveRowsOp op);
  FailureOr<Value> scaleSums(RescaleIfOp op, ArrayRef<Value> factors);
  LogicalResult lower(ConvertOp op);
  LogicalResult lower(RescaleIfOp op);

  void at(Operation *op) {
    b.setInsertionPoint(op);
    loc = op->getLoc();
  }
  SmallVector<Value> elements(Value tile) {
    return unpack(b, loc, toLanes(b, loc, tile));
  }
  Value tileOf(TileType type, ArrayRef<Value> values) {
    return fromLanes(b, loc, type,
                     pack(b, loc, values, type.getLayout().getFragment()));
  }
  /// Applies `change` to the elements of a part, those of a row at once.
  template <typename Op>
  void change(Op op, Value tile, ArrayRef<SmallVector<size_t>> ofRows,
              function_ref<SmallVector<Value>(ArrayRef<Value>, size_t)> change);

  KernelOp kernel;
  OpBuilder b;
  Location loc = UnknownLoc::get(kernel.getContext());
  RescalePolicy policy;
  bool inPairs; ///< exponents and sums, two an instruction
};

/// Nothing in the loop needs the maximum of a whole row while none of a lane's
/// scores passes the one that is subtracted by much: the exchange with the
/// lanes that share the row stands after the branch.
LogicalResult SoftmaxLowering::lower(RowMaxOp op) {
  LaneLayoutAttr layout = op.getS().getType().getLayout();
  TileType rowType = op.getM().getType();
  LaneLayoutAttr rows = rowType.getLayout();
  FailureOr<SmallVector<unsigned>> laneBits = rowLaneBits(op, layout);
  if (failed(laneBits))
    return failure();
  Math math(b, loc);
  auto max = [&](Value x, Value y) { return math.max(x, y); };
  SmallVector<Value> scores = elements(op.getS()), m = elements(op.getM()),
                     shift = elements(op.getShift()), own;
  Value factor = op.getFactor();
  bool wide = op.getWide();
  for (ArrayRef<size_t> regs : elementsOfRows(layout, rows)) {
    SmallVector<Value> row;
    for (size_t reg : regs)
      row.push_back(scores[reg]);
    own.push_back(math.reduceInTurn(row, max));
  }
  // m, shift and correction of all rows, one after the other.
  auto follow = [&] {
    SmallVector<Value> newMax, newShift, correction;
    for (auto [before, mine] : llvm::zip(m, own)) {
      Value tileMax = mine;
      for (unsigned bit : *laneBits)
        tileMax = math.acrossLanes(tileMax, bit, max);
      newMax.push_back(math.max(before, tileMax));
      newShift.push_back(math.shiftOf(newMax.back(), factor, wide));
      correction.push_back(
          math.correction(before, newShift.back(), factor, wide));
    }
    newMax.append(newShift);
    newMax.append(correction);
    return newMax;
  };
  SmallVector<Value> results;
  Value changed;
  if (policy == RescalePolicy::Lazy) {
    Value most =
        math.mul(constantF32(b, loc, float(kernel.getSchedule().getLazyLog2())),
                 math.reciprocal(factor));
    SmallVector<Value> passed;
    for (auto [before, mine] : llvm::zip(m, own))
      passed.push_back(math.greater(mine, math.add(before, most)));
    changed = anyLane(b, loc, passed);
    SmallVector<Value> stay(m);
    stay.append(shift);
    // Nothing looks at the correction where nothing changed.
    stay.append(m.size(), LLVM::PoisonOp::create(b, loc, b.getF32Type()));
    auto branch =
        scf::IfOp::create(b, loc, ValueRange(stay).getTypes(), changed,
                          /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, stay);
    b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> moved = follow();
    scf::YieldOp::create(b, loc, moved);
    b.setInsertionPointAfter(branch);
    results.append(branch.result_begin(), branch.result_end());
  } else {
    results = follow();
    changed = arith::ConstantIntOp::create(b, loc, 1, 1);
  }
  size_t count = m.size();
  ArrayRef<Value> all(results);
  op.getMNew().replaceAllUsesWith(tileOf(rowType, all.take_front(count)));
  op.getShiftNew().replaceAllUsesWith(tileOf(rowType, all.slice(count, count)));
  op.getCorrection().replaceAllUsesWith(tileOf(rowType, all.take_back(count)));
  op.getChanged().replaceAllUsesWith(changed);
  op.erase();
  return success();
}

/// Rounds as the elements of P are rounded: pairs, one instruction each.
LogicalResult SoftmaxLowering::lower(ScaleQOp op) {
  TileType type = op.getTile().getType();
  int64_t fragment = type.getLayout().getFragment();
  auto wide = VectorType::get({fragment}, b.getF32Type());
  Value factor = vector::BroadcastOp::create(b, loc, wide, op.getFactor());
  SmallVector<Value> fragments;
  for (Value narrow : toPresentLanes(b, loc, op.getTile())) {
    Value scaled = arith::MulFOp::create(
        b, loc, arith::ExtFOp::create(b, loc, wide, narrow), factor);
    fragments.push_back(
        arith::TruncFOp::create(b, loc, narrow.getType(), scaled));
  }
  op.replaceAllUsesWith(fromPresentLanes(b, loc, type, fragments));
  op.erase();
  return success();
}

LogicalResult SoftmaxLowering::lower(NoMaxOp op) {
  TileType type = op.getBase().getType();
  auto fragment =
      VectorType::get({type.getLayout().getFragment()}, type.getElement());
  Value zero = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(fragment, b.getF32FloatAttr(0.0f)));
  SmallVector<Value> fragments(type.getLayout().getFragments(), zero);
  op.replaceAllUsesWith(fromLanes(b, loc, type, fragments));
  op.erase();
  return success();
}

/// Scores are stored relative to an earlier maximum. Only if a score exceeds
/// that maximum by more than the threshold, find the new maximum and rebase
/// everything that is stored relative to it.
LogicalResult SoftmaxLowering::lower(RebaseOp op) {
  TileType type = op.getS().getType(), baseType = op.getBase().getType(),
           rowType = op.getLimit().getType();
  LaneLayoutAttr rows = rowType.getLayout();
  FailureOr<SmallVector<unsigned>> laneBits = rowLaneBits(op, type.getLayout());
  if (failed(laneBits))
    return failure();
  Math math(b, loc);
  auto max = [&](Value x, Value y) { return math.max(x, y); };
  SmallVector<Value> s = elements(op.getS()), base = elements(op.getBase()),
                     limit = elements(op.getLimit()), m = elements(op.getM()),
                     own, passed;
  auto ofRows = elementsOfRows(type.getLayout(), rows);
  auto baseOfRows = elementsOfRows(baseType.getLayout(), rows);
  for (auto [row, regs] : llvm::enumerate(ofRows)) {
    SmallVector<Value> scores;
    for (size_t reg : regs)
      scores.push_back(s[reg]);
    own.push_back(math.reduceInTurn(scores, max));
    passed.push_back(math.greater(own.back(), limit[row]));
  }
  Value changed = anyLane(b, loc, passed);
  auto results = [&](ArrayRef<Value> correction) {
    SmallVector<Value> all = pack(b, loc, s, type.getLayout().getFragment());
    all.append(pack(b, loc, base, baseType.getLayout().getFragment()));
    all.append(pack(b, loc, limit, rows.getFragment()));
    all.append(pack(b, loc, m, rows.getFragment()));
    all.append(correction.begin(), correction.end());
    return all;
  };
  // As fragments: MLIR 22 folds a vector of poison elements to one of whatever
  // lies after them (FromElementsOp::fold takes their attributes for numbers).
  auto fragment = VectorType::get({rows.getFragment()}, b.getF32Type());
  SmallVector<Value> stay = results(SmallVector<Value>(
      rows.getFragments(), LLVM::PoisonOp::create(b, loc, fragment)));
  auto branch = scf::IfOp::create(b, loc, ValueRange(stay).getTypes(), changed,
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, stay);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> correction;
  Value none = math.constant(-std::numeric_limits<float>::infinity());
  Value zero = math.constant(0.0f), one = math.constant(1.0f);
  Value most = math.constant(float(kernel.getSchedule().getLazyLog2()));
  for (size_t row = 0; row < limit.size(); ++row) {
    Value tileMax = own[row];
    for (unsigned bit : *laneBits)
      tileMax = math.acrossLanes(tileMax, bit, max);
    Value isNew = math.equals(limit[row], none);
    Value isEmpty = math.equals(tileMax, none);
    // A row's first keys set its maximum, wherever they lie; from then on it
    // only grows.
    Value move = math.select(isNew, math.select(isEmpty, zero, tileMax),
                             math.max(tileMax, zero));
    for (size_t reg : ofRows[row])
      s[reg] = math.sub(s[reg], move);
    m[row] = math.add(m[row], move);
    Value moved = math.sub(base[baseOfRows[row].front()], move);
    for (size_t reg : baseOfRows[row])
      base[reg] = moved;
    correction.push_back(math.select(isNew, one, math.exp2(math.neg(move))));
    limit[row] =
        math.select(isNew, math.select(isEmpty, none, most), limit[row]);
  }
  scf::YieldOp::create(b, loc,
                       results(pack(b, loc, correction, rows.getFragment())));
  b.setInsertionPointAfter(branch);
  ValueRange all = branch.getResults();
  size_t at = 0;
  auto next = [&](TileType of) {
    size_t count = of.getLayout().getFragments();
    at += count;
    return fromLanes(b, loc, of,
                     SmallVector<Value>(all.slice(at - count, count)));
  };
  op.getSNew().replaceAllUsesWith(next(type));
  op.getBaseNew().replaceAllUsesWith(next(baseType));
  op.getLimitNew().replaceAllUsesWith(next(rowType));
  op.getMNew().replaceAllUsesWith(next(rowType));
  op.getCorrection().replaceAllUsesWith(next(rowType));
  op.getChanged().replaceAllUsesWith(changed);
  op.erase();
  return success();
}

template <typename Op>
void SoftmaxLowering::change(
    Op op, Value tile, ArrayRef<SmallVector<size_t>> ofRows,
    function_ref<SmallVector<Value>(ArrayRef<Value>, size_t)> change) {
  SmallVector<Value> values = elements(tile);
  auto [first, last] = PartAttr::rangeOf(op.getPartAttr(), values.size());
  for (auto [row, regs] : llvm::enumerate(ofRows)) {
    SmallVector<size_t> places;
    SmallVector<Value> own;
    for (size_t reg : regs)
      if (int64_t(reg) >= first && int64_t(reg) < last) {
        places.push_back(reg);
        own.push_back(values[reg]);
      }
    for (auto [reg, value] : llvm::zip(places, change(own, row)))
      values[reg] = value;
  }
  op->getResult(0).replaceAllUsesWith(
      tileOf(cast<TileType>(tile.getType()), values));
  op->erase();
}

LogicalResult SoftmaxLowering::lower(SubtractOp op) {
  Math math(b, loc, inPairs);
  SmallVector<Value> shift = elements(op.getShift());
  change(op, op.getS(),
         elementsOfRows(op.getS().getType().getLayout(),
                        op.getShift().getType().getLayout()),
         [&](ArrayRef<Value> scores, size_t row) {
           return math.exponents(scores, shift[row], op.getFactor(),
                                 op.getWide());
         });
  return success();
}

LogicalResult SoftmaxLowering::lower(ExpOp op) {
  Math math(b, loc);
  size_t count = op.getX().getType().getLayout().getRegElems();
  change(op, op.getX(), {llvm::to_vector(llvm::seq(count))},
         [&](ArrayRef<Value> x, size_t) {
           return llvm::map_to_vector(x, [&](Value v) { return math.exp2(v); });
         });
  return success();
}

/// l plus pairs of weights times ones, each pair an instruction, a chain for
/// each of two halves: the next in a chain waits for the one before.
LogicalResult SoftmaxLowering::sumPairs(RowSumOp op) {
  constexpr int64_t kPair = 2, kChains = 2;
  TileType pType = op.getX().getType(), rowType = op.getSum().getType();
  LaneLayoutAttr p = pType.getLayout(), rows = rowType.getLayout();
  Type element = pType.getElement();
  auto pairType = VectorType::get({kPair}, element);
  Value ones = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(pairType,
                             b.getFloatAttr(element, 1.0).getValue()));
  Value noClamp = arith::ConstantIntOp::create(b, loc, 0, 1);
  StringAttr name = b.getStringAttr("llvm.amdgcn.fdot2.f32.bf16");
  SmallVector<Value> fragments = toLanes(b, loc, op.getX());
  auto [first, last] = PartAttr::rangeOf(op.getPartAttr(), p.getRegElems());
  if (first % kPair || last % kPair)
    return op.emitOpError()
           << "expected parts of whole pairs of weights, found "
              "elements "
           << first << " to " << last;
  SmallVector<SmallVector<Value>> more;
  for (Value before : {op.getPartial(), op.getL()})
    if (before)
      more.push_back(elements(before));
  SmallVector<Value> sums;
  for (int64_t row = 0; row < rows.getRegElems(); ++row) {
    SmallVector<Value> chains;
    int64_t next = 0;
    for (int64_t reg = first; reg < last; reg += kPair) {
      if (p.regCoord(reg, 0) != rows.regCoord(row, 0))
        continue;
      int64_t fragment = reg / p.getFragment(), at = reg % p.getFragment();
      Value words = LLVM::BitcastOp::create(
          b, loc, VectorType::get({p.getFragment() / kPair}, b.getI32Type()),
          fragments[fragment]);
      Value word = vector::ExtractOp::create(b, loc, words, at / kPair);
      Value pair = LLVM::BitcastOp::create(b, loc, pairType, word);
      if (int64_t(chains.size()) < kChains)
        chains.push_back(chains.empty() && !more.empty()
                             ? more.front()[row]
                             : Value(constantF32(b, loc, 0.0f)));
      Value &sum = chains[next++ % chains.size()];
      sum = LLVM::CallIntrinsicOp::create(b, loc, b.getF32Type(), name,
                                          ValueRange{pair, ones, sum, noClamp})
                .getResult(0);
    }
    Math math(b, loc);
    Value sum = chains.empty() ? Value(constantF32(b, loc, 0.0f)) : chains[0];
    for (Value chain : ArrayRef(chains).drop_front(chains.empty() ? 0 : 1))
      sum = math.add(sum, chain);
    for (size_t i = chains.empty() ? 0 : 1; i < more.size(); ++i)
      sum = math.add(more[i][row], sum);
    sums.push_back(sum);
  }
  op.replaceAllUsesWith(tileOf(rowType, sums));
  op.erase();
  return success();
}

LogicalResult SoftmaxLowering::lower(RowSumOp op) {
  if (!op.getX().getType().getElement().isF32())
    return sumPairs(op);
  Math math(b, loc, inPairs);
  TileType rowType = op.getSum().getType();
  SmallVector<Value> x = elements(op.getX()), sums;
  SmallVector<SmallVector<Value>> more;
  for (Value rows : {op.getPartial(), op.getL()})
    if (rows)
      more.push_back(elements(rows));
  auto [first, last] = PartAttr::rangeOf(op.getPartAttr(), x.size());
  for (auto [row, regs] : llvm::enumerate(elementsOfRows(
           op.getX().getType().getLayout(), rowType.getLayout()))) {
    SmallVector<Value> weights;
    for (size_t reg : regs)
      if (int64_t(reg) >= first && int64_t(reg) < last)
        weights.push_back(x[reg]);
    Value sum =
        weights.empty() ? Value(math.constant(0.0f)) : math.sum(weights);
    for (ArrayRef<Value> rows : more)
      sum = math.add(rows[row], sum);
    sums.push_back(sum);
  }
  op.replaceAllUsesWith(tileOf(rowType, sums));
  op.erase();
  return success();
}

LogicalResult SoftmaxLowering::lower(CombineRowsOp op) {
  // A lane bit that counts no rows tells lanes apart that share one.
  TileType type = op.getL().getType();
  LaneLayoutAttr layout = type.getLayout();
  Math math(b, loc);
  SmallVector<Value> l = elements(op.getL());
  for (unsigned bit = 0; bit < layout.laneBits(); ++bit) {
    if (layout.laneBasis(bit, 0))
      continue;
    if (bit < 4)
      return op.emitOpError() << "expected rows to be shared over lane bits 4 "
                                 "and 5 only, found bit "
                              << bit;
    for (Value &sum : l)
      sum = math.acrossLanes(sum, bit,
                             [&](Value x, Value y) { return math.add(x, y); });
  }
  op.replaceAllUsesWith(tileOf(type, l));
  op.erase();
  return success();
}

LogicalResult SoftmaxLowering::lower(MoveRowsOp op) {
  TileType to = op.getResult().getType();
  FailureOr<SmallVector<Value>> moved =
      moveRows(op, b, elements(op.getRows()),
               op.getRows().getType().getLayout(), to.getLayout());
  if (failed(moved))
    return failure();
  op.replaceAllUsesWith(tileOf(to, *moved));
  op.erase();
  return success();
}

LogicalResult SoftmaxLowering::lower(ConvertOp op) {
  TileType type = op.getP().getType();
  int64_t fragment = type.getLayout().getFragment();
  auto fragmentType = VectorType::get({fragment}, type.getElement());
  SmallVector<Value> fragments;
  if (op.getPartial())
    fragments = toLanes(b, loc, op.getPartial());
  else
    fragments.assign(type.getLayout().getFragments(),
                     LLVM::PoisonOp::create(b, loc, fragmentType));
  SmallVector<Value> x = elements(op.getX());
  auto [first, last] = PartAttr::rangeOf(op.getPartAttr(), fragments.size());
  // Two elements an instruction, each an op: a recipe may put others between.
  constexpr int64_t kPair = 2;
  Type pairType = VectorType::get({kPair}, type.getElement());
  Type word = b.getI32Type();
  for (int64_t i = first; i < last; ++i) {
    SmallVector<Value> words;
    for (int64_t at = 0; at < fragment; at += kPair) {
      ArrayRef<Value> pair = ArrayRef<Value>(x).slice(i * fragment + at, kPair);
      Value rounded = arith::TruncFOp::create(b, loc, pairType,
                                              pack(b, loc, pair, kPair)[0]);
      words.push_back(LLVM::BitcastOp::create(b, loc, word, rounded));
    }
    fragments[i] = LLVM::BitcastOp::create(
        b, loc, fragmentType, pack(b, loc, words, words.size())[0]);
  }
  op.replaceAllUsesWith(fromLanes(b, loc, type, fragments));
  op.erase();
  return success();
}

/// l times the correction of its rows, wherever a lane has them.
FailureOr<Value> SoftmaxLowering::scaleSums(RescaleIfOp op,
                                            ArrayRef<Value> factors) {
  TileType type = op.getL().getType();
  FailureOr<SmallVector<Value>> moved =
      moveRows(op, b, factors, op.getCorrection().getType().getLayout(),
               type.getLayout());
  if (failed(moved))
    return failure();
  Math math(b, loc);
  SmallVector<Value> l = elements(op.getL());
  for (auto [sum, factor] : llvm::zip(l, *moved))
    sum = math.mul(sum, factor);
  return tileOf(type, l);
}

LogicalResult SoftmaxLowering::lower(RescaleIfOp op) {
  LaneLayoutAttr rows = op.getCorrection().getType().getLayout();
  SmallVector<Value> factors = elements(op.getCorrection());
  auto scale = [&](SmallVector<Value> &values) -> LogicalResult {
    FailureOr<Value> o = scaleRows(op, b, op.getO(), factors, rows);
    FailureOr<Value> l = op.getL().getType() == op.getCorrection().getType()
                             ? scaleRows(op, b, op.getL(), factors, rows)
                             : scaleSums(op, factors);
    if (failed(o) || failed(l))
      return failure();
    values = toPresentLanes(b, loc, *o);
    values.append(toPresentLanes(b, loc, *l));
    return success();
  };
  SmallVector<Value> values;
  if (policy == RescalePolicy::Eager) {
    if (failed(scale(values)))
      return failure();
  } else {
    SmallVector<Value> before = toPresentLanes(b, loc, op.getO());
    before.append(toPresentLanes(b, loc, op.getL()));
    auto branch = scf::IfOp::create(b, loc, ValueRange(before).getTypes(),
                                    op.getChanged(), /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, before);
    b.setInsertionPointToStart(branch.thenBlock());
    if (failed(scale(values)))
      return failure();
    scf::YieldOp::create(b, loc, values);
    b.setInsertionPointAfter(branch);
    values.assign(branch.result_begin(), branch.result_end());
  }
  size_t count = op.getO().getType().presentFragments().size();
  ArrayRef<Value> all(values);
  op.getONew().replaceAllUsesWith(
      fromPresentLanes(b, loc, op.getO().getType(), all.take_front(count)));
  op.getLNew().replaceAllUsesWith(
      fromPresentLanes(b, loc, op.getL().getType(), all.drop_front(count)));
  op.erase();
  return success();
}

LogicalResult SoftmaxLowering::run() {
  return lowerEach<ScaleQOp, NoMaxOp, RebaseOp, RowMaxOp, SubtractOp, ExpOp,
                   RowSumOp, CombineRowsOp, MoveRowsOp, ConvertOp, RescaleIfOp>(
      kernel, [&](auto op) -> LogicalResult {
        if (failed(requireLayouts(op)))
          return failure();
        at(op);
        return lower(op);
      });
}

struct LowerSoftmax : impl::LowerSoftmaxPassBase<LowerSoftmax> {
  void runOnOperation() override {
    if (failed(SoftmaxLowering(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::fmha
