// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "chip/Matrix.h"
#include "lanes/KeyRange.h"
#include "lanes/Lift.h"
#include "lanes/PackedRows.h"
#include "tiles/AttentionGrid.h"
#include "tiles/CheckSteps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include <limits>

namespace mlir::fmha {
#define GEN_PASS_DEF_TILEATTENTIONPASS
#include "Passes.h.inc"

namespace {

/// Magnitudes of the factor of scores in exponents. Kept above zero, so that
/// -inf times it stays -inf when the scale is 0; such a factor still makes
/// every visible key equal. Factors of Q and K may make it infinite, and 0
/// times that is NaN.
constexpr float kLeastFactor = 0x1p-100f, kMostFactor = 0x1p100f;
/// Of what O of 8 bits is multiplied by. Infinity times an O of 0 would be NaN;
/// what saturates still does.
constexpr float kMostOutputFactor = 0x1p100f;

/// Builds one kernel. Each step stands in the loop's body once, after those
/// that it needs; where a step stands in the kernel is the schedule's choice,
/// and the pipeliner's business.
class KernelBuilder {
public:
  /// `userMod` is null, or the user's function of scores.
  KernelBuilder(AttentionOp op, ScoreModOp userMod)
      : op(op), userMod(userMod), problem(op.getProblem()),
        schedule(*op.getSchedule()), b(op) {}

  LogicalResult build();

private:
  std::pair<Value, Value> keyTiles();
  std::pair<Value, Value> keepPart(Value lower, Value upper);
  Value loadUniform(Arg array, Value offset);
  /// One f32 for each row of a tile.
  Value valuesOfRows(Operand operand) {
    Type f32 = b.getF32Type();
    return LoadFactorsOp::create(b, tile({schedule.getTileM()}, f32),
                                 view(operand, 1, f32));
  }
  Value headOffset();
  Value capScore(Value score);
  Value applyUser(Value score, ArrayRef<Value> place);
  Value applyAlibi(Value score, Value row, Value key);
  void buildScoreMod();
  /// What the loop leaves of the rows.
  struct Sums {
    Value acc, rowSum;
    Value factors;         ///< that O follows; null: none
    Value ofUnit;          ///< likewise
    bool isNormal = false; ///< acc was divided by the sum
  };
  Value finish(const Sums &sums, Value factor);
  void storePart(const Sums &sums, Value logSum);
  void storeWhole(const Sums &sums, Value rowMax);
  Value logSumOf(Value rowMax, const Sums &sums);
  Sums mergeWaves(Value &rowMax, const Sums &own);
  void storeResults(Value rowMax, const Sums &sums);
  /// What the maximum of a row is multiplied by, as an exponent.
  Value factorOfMax() { return follows(Operand::K) ? b.f32(1) : factor; }
  Value scoreFactor();
  Value uniformFactor(Operand operand);
  Value scoreScale();
  Value valueFactor();
  Value outputFactor();
  /// No further from 0 than `bound`.
  Value clampTo(Value value, float bound);
  /// Why sums are not those of P, whose weights are rounded, although the
  /// schedule has sums; empty if they are. Who merges partial results, or
  /// computes a gradient, takes LSE for exact. Dot products flush subnormals of
  /// f16 (CDNA4 ISA guide, 6.4), which the product with V keeps.
  StringRef whyUnrounded() const {
    if (problem.getLse() || problem.getParts())
      return "lse asks for sums of weights that are not rounded";
    if (hasFactors(Operand::VScale) && !follows(Operand::V))
      return "the weights that are multiplied have factors of V's rows";
    if (schedule.getSums().isDot() && bitsOf(problem.getP()) == kByteBits)
      return "no dot product takes weights of 8 bits";
    if (schedule.getSums().isDot() && problem.getP().isF16())
      return "dot products take weights of f16 below 2^-14 for zero";
    return {};
  }
  /// Whether sums are those of P.
  bool sumsRounded() const {
    return schedule.getSums() && whyUnrounded().empty();
  }
  /// Whether the maximum is subtracted before the factor multiplies. By one fma
  /// the rounding of maximum times factor is in every exponent: in 16 bits it
  /// cancels, but lifted weights have no room for it, and of factors of K's
  /// rows none is too large.
  bool isWide() const {
    return problem.modifiesScores() || lift || hasFactors(Operand::KScale);
  }
  bool startsFromMax() const {
    return schedule.getScale() == ScalePolicy::Start;
  }
  /// Whether rows, or blocks of them, have factors of their own.
  bool hasFactors(Operand operand) const {
    return operand == Operand::QScale ? hasFactorsOfRows(problem, schedule)
                                      : rowsAFactor(problem, operand) != 0;
  }
  /// Whether they are followed where tiles have others: nothing multiplies each
  /// score, or each weight.
  bool follows(Operand operand) const {
    return followsTileFactor(problem, schedule, staged(operand));
  }
  Value loadTile(Operand operand, Value view, TileType type, Value &pages);
  Value pagesOf(Operand factors, Value ofTile) const;
  bool hasStep(StepKind step) const { return fmha::hasStep(schedule, step); }
  /// Whether the product of Q and K gives lifted exponents, so that nothing is
  /// left to do to scores. Its factor has to be in Q.
  bool startsFromLift() const {
    return startsFromMax() && lift && !hasStep(StepKind::Subtract);
  }
  bool sumsByMatrix() const {
    return sumsRounded() && !schedule.getSums().isDot();
  }
  /// In how many parts a matrix instruction gives a sum; null for one.
  IntegerAttr sumParts() {
    std::optional<chip::MatrixInstruction> sums =
        chip::lookupSums(schedule.getSums(), problem.getP());
    int64_t parts = sums ? chip::sumParts(*sums) : 1;
    return parts > 1 ? b.getI64IntegerAttr(parts) : IntegerAttr();
  }
  void buildScores();
  void buildUnits();
  void buildRowMax();
  void buildWeights();

  Value length(Sequence sequence) {
    return SeqLenOp::create(b, b.getI32Type(), sequence);
  }
  Value arg(Arg field, Type type) { return ArgOp::create(b, type, field); }
  TileType tile(ArrayRef<int64_t> shape, Type element) {
    return TileType::get(b.getContext(), shape, element, shape.back(),
                         LaneLayoutAttr());
  }
  /// A tile whose columns are a head: padded to the power of two that matrix
  /// instructions of `step` columns can walk.
  TileType headTile(int64_t rows, int64_t headDim, int64_t step, Type element) {
    int64_t cols = std::max<int64_t>(step, llvm::PowerOf2Ceil(headDim));
    return TileType::get(b.getContext(), {rows, cols}, element, headDim,
                         LaneLayoutAttr());
  }
  TileType qkTile(int64_t rows, int64_t cols, Type element) {
    return headTile(rows, cols, schedule.getQk().getK(), element);
  }
  TileType vTile(int64_t rows, Type element) {
    return headTile(rows, problem.getHeadDimV(), schedule.getPv().getM(),
                    element);
  }
  /// Of K's or V's tiles.
  Type heldElement(Operand operand) {
    return staged(operand).getElement(problem);
  }
  Value view(Operand operand, int64_t cols, Type element,
             int64_t firstCol = 0) {
    return ViewOp::create(
        b, ViewType::get(b.getContext(), cols, element), operand,
        firstCol ? b.getI64IntegerAttr(firstCol) : IntegerAttr());
  }
  Value init(float value, TileType type) {
    return InitOp::create(b, type, b.getF32FloatAttr(value));
  }

  AttentionOp op;
  ScoreModOp userMod;
  ProblemAttr problem;
  ScheduleAttr schedule;
  LaneBuilder b;
  IntegerAttr lift;    ///< of exponents; null: none
  int64_t further = 0; ///< columns of K that have tiles of their own
  // Outside the loop.
  Value q, exponentsOfQ, kView, ropeView, vView, pagesView, biasView, limit,
      firstKey, scale, factor, slope, sinkOfRows, diagonalShift, oFactor,
      rowScale, kFactors, vFactors;
  // Inside the loop.
  Value index, kPages, ropePages, vPages, k, rope, v, s, p, m, shift, base,
      limitOfScores, l, o, correction, changed, most;
  // Carried where factors of tiles are followed. Q has the sign of K's, and
  // scores are in units of its magnitude and the scale.
  Value qOfTile, unitOfScores, kFactor, unitOfO, mostOfV, vFactor;
};

/// Range of key tiles that some row of the workgroup sees.
std::pair<Value, Value> KernelBuilder::keyTiles() {
  Value zero = b.i32(0), tileN = b.i32(schedule.getTileN());
  Value rows = rowsOfSequence(b);
  Value firstRow = b.firstRow();
  Value end = b.add(firstRow, b.i32(schedule.getTileM()));
  end = arith::MinSIOp::create(b, end, rows);
  Value lastRow = b.sub(end, b.i32(1));
  Value keys = emitKeyLimit(b, problem, queryRow(b, lastRow));
  keys = arith::MaxSIOp::create(b, keys, zero);
  if (problem.getVarlenQ() || problem.getLengthsQ()) {
    // The grid is that of the longest sequence.
    Value any = b.cmp(arith::CmpIPredicate::slt, firstRow, rows);
    keys = b.select(any, keys, zero);
  }
  Value rounded = b.add(keys, b.i32(schedule.getTileN() - 1));
  Value upper = arith::DivUIOp::create(b, rounded, tileN);
  Value lower = zero;
  if (problem.hasFirstKey())
    lower = arith::DivUIOp::create(
        b, emitFirstKey(b, problem, queryRow(b, firstRow)), tileN);
  if (problem.getParts())
    return keepPart(lower, upper);
  return {lower, upper};
}

/// Of these tiles, which end where the work item's part does, those of it. If
/// it has none of them, a tile past every key, in which no row sees any.
std::pair<Value, Value> KernelBuilder::keepPart(Value lower, Value upper) {
  Value tileN = b.i32(schedule.getTileN());
  Value first = arith::DivUIOp::create(b, b.work().getFirstKey(), tileN);
  lower = arith::MaxSIOp::create(b, lower, first);
  Value any = b.cmp(arith::CmpIPredicate::slt, lower, upper);
  Value upTo = b.i32(schedule.getTileN() - 1);
  Value past =
      arith::DivUIOp::create(b, b.add(length(Sequence::Kv), upTo), tileN);
  return {b.select(any, lower, past), b.select(any, upper, past)};
}

//===- Factors ------------------------------------------------------------===//

/// The one f32 of a head, of its batch or of all that it holds, as strides say.
Value KernelBuilder::uniformFactor(Operand operand) {
  Type i64 = b.getI64Type();
  TensorArgs args = tensorArgs(operand);
  Value batch = b.mul(b.zext64(b.id(Id::Batch)), arg(*args.batchStride, i64));
  Value head = b.mul(b.head(args.kvHeads), arg(*args.headStride, i64));
  return loadUniform(args.base, b.add(batch, head));
}

/// What scores are multiplied by before anything else is done to them: the
/// scale times the factors of Q and K that all scores share.
Value KernelBuilder::scoreScale() {
  Value product;
  for (auto [factors, operand] :
       {std::pair(problem.getQScale(), Operand::QScale),
        {problem.getKScale(), Operand::KScale}}) {
    if (factors != Factors::Head || hasFactors(operand))
      continue;
    Value own = uniformFactor(operand);
    product = product ? b.mul(product, own) : own;
  }
  Value ofLaunch = arg(Arg::Scale, b.getF32Type());
  return product ? b.mul(product, ofLaunch) : ofLaunch;
}

Value KernelBuilder::clampTo(Value value, float bound) {
  value = arith::MaxNumFOp::create(b, value, b.f32(-bound));
  return arith::MinNumFOp::create(b, value, b.f32(bound));
}

/// V's, of all that a head has; null: none.
Value KernelBuilder::valueFactor() {
  return problem.getVScale() == Factors::Head ? uniformFactor(Operand::VScale)
                                              : Value();
}

/// What O is multiplied by in the end: V's factor over O's; null: nothing.
Value KernelBuilder::outputFactor() {
  Value product = valueFactor();
  if (bitsOf(problem.getO()) != kByteBits)
    return product;
  // The reciprocal of the largest f32 would be below 2^-126, and so zero.
  constexpr float kDown = 0x1p-24f;
  Value divisor = loadUniform(Arg::OScale, b.i64(0)), one = b.f32(1);
  Value isLarge = b.cmp(arith::CmpFPredicate::OGT, divisor, one);
  Value down = b.select(isLarge, b.f32(kDown), one);
  Value inverse = b.reciprocal(b.mul(divisor, down));
  product = b.mul(product ? b.mul(product, inverse) : inverse, down);
  return clampTo(product, kMostOutputFactor);
}

/// Magnitude of scale * log2(e).
Value KernelBuilder::scoreFactor() {
  Value log2e = b.f32(llvm::numbers::log2ef);
  if (rowScale)
    return MagnitudeOp::create(b, ScaleRowsOp::create(b, rowScale, log2e),
                               b.getF32FloatAttr(kLeastFactor),
                               b.getF32FloatAttr(kMostFactor));
  Value product = b.mul(scale, log2e);
  Value magnitude = math::AbsFOp::create(b, product);
  magnitude = arith::MaxNumFOp::create(b, magnitude, b.f32(kLeastFactor));
  if (problem.getQScale() == Factors::None &&
      problem.getKScale() == Factors::None)
    return magnitude;
  return arith::MinNumFOp::create(b, magnitude, b.f32(kMostFactor));
}

//===- Scores -------------------------------------------------------------===//

Value KernelBuilder::loadUniform(Arg array, Value offset) {
  return LoadUniformOp::create(b, b.getF32Type(), array, offset);
}

/// Bytes from the first of an f32 array over heads to the workgroup's.
Value KernelBuilder::headOffset() {
  Type i64 = b.getI64Type();
  Value head = arith::ExtUIOp::create(b, i64, b.id(Id::Head));
  constexpr int64_t kBytes = 4;
  return b.mul(head, b.i64(kBytes));
}

/// c * tanh(x / c).
Value KernelBuilder::capScore(Value score) {
  auto cap = float(problem.getSoftcap().getValueAsDouble());
  Value part = b.mul(score, b.f32(1.0f / cap));
  part = math::TanhOp::create(b, part);
  return b.mul(part, b.f32(cap));
}

/// The user's region, with its arguments as given.
Value KernelBuilder::applyUser(Value score, ArrayRef<Value> place) {
  IRMapping values;
  Block &body = userMod.getBody().front();
  values.map(body.getArgument(0), score);
  values.map(body.getArguments().drop_front(), ValueRange(place));
  for (Operation &inner : body.without_terminator())
    b.clone(inner, values);
  return values.lookupOrDefault(body.back().getOperand(0));
}

/// x - slope * |distance from the diagonal|.
Value KernelBuilder::applyAlibi(Value score, Value row, Value key) {
  Value on = b.add(row, diagonalShift);
  Value away = b.sub(on, key);
  Value distance = arith::SIToFPOp::create(b, b.getF32Type(), away);
  distance = math::AbsFOp::create(b, distance);
  Value bias = b.mul(slope, distance);
  return b.sub(score, bias);
}

void KernelBuilder::buildScoreMod() {
  if (kFactors && !unitOfScores)
    s = ScaleKeysOp::create(b, s, kFactors, index,
                            pagesOf(Operand::KScale, kPages));
  if (!problem.modifiesScores())
    return;
  if (rowScale)
    s = ScaleScoresOp::create(b, s, rowScale);
  auto mod = ScoreModOp::create(b, s.getType(), StringAttr(), s, index);
  {
    OpBuilder::InsertionGuard guard(b);
    Type f32 = b.getF32Type(), i32 = b.getI32Type();
    Block *body = b.createBlock(&mod.getBody(), {}, {f32, i32, i32, i32, i32},
                                SmallVector<Location>(5, b.getLoc()));
    auto place = llvm::to_vector_of<Value>(body->getArguments().drop_front());
    Value score = body->getArgument(0);
    if (!rowScale)
      score = b.mul(score, scale);
    if (problem.getSoftcap())
      score = capScore(score);
    if (problem.getScoreMod())
      score = applyUser(score, place);
    if (problem.getAlibi() && !schedule.packsHeads())
      score = applyAlibi(score, place[0], place[1]);
    YieldOp::create(b, score);
  }
  s = mod.getResult();
  if (problem.getAlibi() && schedule.packsHeads())
    s = SubtractAlibiOp::create(b, s, slope, index);
  if (problem.getBias())
    s = AddBiasOp::create(b, s, biasView, index);
}

//===- Loop and its surroundings ------------------------------------------===//

void KernelBuilder::buildScores() {
  TileType scores =
      tile({schedule.getTileM(), schedule.getTileN()}, b.getF32Type());
  Value rows = qOfTile ? qOfTile : q;
  s = ProductOp::create(b, scores, Operand::K, rows, k, exponentsOfQ, base,
                        Value(), PartAttr(), IntegerAttr());
  if (rope)
    s = ProductOp::create(
        b, scores, Operand::KRope, rows, rope, exponentsOfQ, Value(), s,
        PartAttr(), b.getI64IntegerAttr(problem.getHeadDimQk() - further));
  buildScoreMod();
  s = MaskOp::create(b, s, limit, index, firstKey);
}

/// Scores and O follow the factors of the tile.
void KernelBuilder::buildUnits() {
  // What the operation gives replaces `carried`, its factor `before`.
  auto follow = [&](Operand operand, Value view, Value page, Value &before,
                    ArrayRef<Value *> carried,
                    llvm::function_ref<Operation *(Value own)> build) {
    const bool ofPages = hasFactorsOfPages(problem, staged(operand).factors);
    Value own =
        TileFactorOp::create(b, operand, view, index, ofPages ? page : Value());
    for (auto [to, result] : llvm::zip_equal(carried, build(own)->getResults()))
      *to = result;
    before = own;
  };
  if (unitOfScores)
    follow(Operand::K, kFactors, kPages, kFactor,
           {&base, &limitOfScores, &qOfTile, &unitOfScores}, [&](Value own) {
             return ScoreUnitOp::create(b, base, limitOfScores, m, qOfTile,
                                        factor, unitOfScores, kFactor, own);
           });
  if (unitOfO)
    follow(Operand::V, vFactors, vPages, vFactor, {&o, &unitOfO, &mostOfV},
           [&](Value own) {
             return OutputUnitOp::create(b, o, unitOfO, mostOfV, vFactor, own,
                                         limit, index, firstKey);
           });
}

void KernelBuilder::buildRowMax() {
  if (startsFromMax()) {
    Value own = unitOfScores                    ? unitOfScores
                : lift && !problem.quantizesQ() ? factor
                                                : Value();
    auto rebase = RebaseOp::create(b, s, base, limitOfScores, m, own,
                                   /*scaled=*/bool(unitOfScores),
                                   startsFromLift() ? lift : IntegerAttr());
    s = rebase.getSNew();
    base = rebase.getBaseNew();
    limitOfScores = rebase.getLimitNew();
    m = rebase.getMNew();
    correction = rebase.getCorrection();
    changed = rebase.getChanged();
    return;
  }
  auto max = RowMaxOp::create(b, s, m, shift, factor, isWide());
  m = max.getMNew();
  shift = max.getShiftNew();
  correction = max.getCorrection();
  changed = max.getChanged();
}

/// P, and the sum of what it was rounded from, or of what it is.
void KernelBuilder::buildWeights() {
  auto rescale = RescaleIfOp::create(b, changed, o, l, correction);
  o = rescale.getONew();
  l = rescale.getLNew();
  // Scores that start from the maximum are exponents, but for the factor where
  // Q could not take it.
  if (!startsFromMax() || (lift && !startsFromLift()))
    s = SubtractOp::create(b, s, shift, unitOfScores ? unitOfScores : factor,
                           isWide() && !startsFromMax(), lift, PartAttr());
  s = ExpOp::create(b, s, PartAttr());
  Value weights = s, follow;
  if (most) {
    const int64_t up = liftWithFactors(problem, schedule);
    auto fold = FoldKeysOp::create(
        b, s, vFactors, index, most, pagesOf(Operand::VScale, vPages),
        up ? b.getI64IntegerAttr(up) : IntegerAttr());
    weights = fold.getFolded();
    most = fold.getMostNew();
    follow = fold.getCorrection();
  }
  p = ConvertOp::create(
      b, tile(cast<TileType>(s.getType()).getShape(), problem.getP()), weights,
      Value(), PartAttr());
  l = sumsByMatrix() ? MatrixSumOp::create(b, p, l, PartAttr()).getResult()
                     : RowSumOp::create(b, l.getType(), sumsRounded() ? p : s,
                                        l, Value(), PartAttr())
                           .getResult();
  if (follow)
    o = FollowOp::create(b, o, follow);
}

/// O, times `ofAll` if there is any.
Value KernelBuilder::finish(const Sums &sums, Value ofAll) {
  // Weights were folded relative to twice the power of two that is carried.
  const auto down = float(-liftWithFactors(problem, schedule));
  Value factors = sums.factors, out = sums.acc;
  if (!sums.isNormal)
    out = NormalizeOp::create(b, out, sums.rowSum,
                              factors ? b.f32(2 * std::exp2(down)) : ofAll);
  else if (ofAll)
    factors = init(1.0f, tile({schedule.getTileM()}, b.getF32Type()));
  if (sums.ofUnit)
    out = RescaleOp::create(b, out, sums.ofUnit);
  if (factors) {
    if (ofAll)
      factors = MagnitudeOp::create(b, ScaleRowsOp::create(b, factors, ofAll),
                                    b.getF32FloatAttr(0),
                                    b.getF32FloatAttr(kMostOutputFactor));
    out = RescaleOp::create(b, out, factors);
  }
  return out;
}

/// What comes of a part of the keys, to be combined: neither the sink nor the
/// factor of O is in it.
void KernelBuilder::storePart(const Sums &sums, Value logSum) {
  Type f32 = b.getF32Type();
  StoreOOp::create(b, finish(sums, valueFactor()),
                   view(Operand::PartO, problem.getHeadDimV(), f32));
  StoreLseOp::create(b, logSum, view(Operand::PartLse, 1, f32));
}

Value KernelBuilder::logSumOf(Value rowMax, const Sums &sums) {
  return LogSumOp::create(b, rowMax, sums.rowSum, factorOfMax(), lift);
}

/// Where each wave has factors of V's rows, O has them before it is merged.
KernelBuilder::Sums KernelBuilder::mergeWaves(Value &rowMax, const Sums &own) {
  const bool isNormal = own.factors || own.ofUnit;
  Value acc = isNormal ? finish(own, /*ofAll=*/Value()) : own.acc;
  auto merged = MergeWavesOp::create(
      b, acc.getType(), rowMax.getType(), own.rowSum.getType(), acc, rowMax,
      own.rowSum, factorOfMax(), isWide(), isNormal);
  rowMax = merged.getMNew();
  return {merged.getONew(), merged.getLNew(), {}, {}, isNormal};
}

void KernelBuilder::storeResults(Value rowMax, const Sums &sums) {
  if (!problem.getParts()) {
    storeWhole(sums, rowMax);
    return;
  }
  Value isPart = b.cmp(arith::CmpIPredicate::sge, b.work().getPart(), b.i32(0));
  auto branch = scf::IfOp::create(b, isPart, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  storePart(sums, logSumOf(rowMax, sums));
  b.setInsertionPointToStart(branch.elseBlock());
  oFactor = outputFactor();
  storeWhole(sums, rowMax);
}

void KernelBuilder::storeWhole(const Sums &sums, Value rowMax) {
  Value out = finish(sums, oFactor), logSum;
  if (problem.getLse() || problem.getSink())
    logSum = logSumOf(rowMax, sums);
  if (problem.getSink()) {
    auto sink = AddSinkOp::create(
        b, logSum,
        sinkOfRows ? sinkOfRows : loadUniform(Arg::Sink, headOffset()));
    logSum = sink.getResult();
    out = RescaleOp::create(b, out, sink.getWeight());
  }
  StoreOOp::create(b, out,
                   view(Operand::O, problem.getHeadDimV(), problem.getO()));
  if (problem.getLse())
    StoreLseOp::create(b, logSum, view(Operand::Lse, 1, b.getF32Type()));
}

/// Tile `index` of an operand; of one in pages these are looked up, that of the
/// tile, or that of each key.
Value KernelBuilder::loadTile(Operand operand, Value view, TileType type,
                              Value &pages) {
  const int64_t keys = schedule.getTileN();
  if (problem.getPages() != Pages::None) {
    Type ofTile = problem.hasTilesInPages(keys)
                      ? b.getI32Type()
                      : Type(tile({keys}, b.getI32Type()));
    const bool hasOwn = operand == Operand::V
                            ? !takesPagesOfK(problem, schedule)
                            : operand == Operand::K || !ofTile.isInteger();
    pages =
        hasOwn
            ? LookUpOp::create(b, ofTile, operand, pagesView, index).getResult()
            : kPages;
  }
  Value rows = RowsOp::create(b, RowsType::of(cast<ViewType>(view.getType())),
                              operand, view, index, pages);
  return LoadOp::create(b, type, operand, rows);
}

/// Where factors of pages are found: by the number of the tile's, or by those
/// that the table has for its keys; nothing for other factors.
Value KernelBuilder::pagesOf(Operand factors, Value ofTile) const {
  if (!hasFactorsOfPages(problem, factors))
    return {};
  return ofTile.getType().isInteger() ? ofTile : pagesView;
}

LogicalResult KernelBuilder::build() {
  if (failed(checkLift(op)) || failed(checkSteps(op)))
    return failure();
  if (isLifted(problem))
    lift = b.getI64IntegerAttr(liftOf(schedule));
  if (schedule.getSums() && !sumsRounded())
    op.emitRemark("declined: sums are not followed: ")
        << whyUnrounded() << "; vector instructions add them";
  Type f32 = b.getF32Type();
  int64_t M = schedule.getTileM();
  LaunchAttr launch = launchOf(op);
  if (!launch)
    return failure();
  auto kernel = KernelOp::create(b, op.getSymNameAttr(), problem, schedule,
                                 launch, /*few_registers=*/false);
  b.setInsertionPointToStart(&kernel.getBody().emplaceBlock());
  auto work = WorkOp::create(b, problem.getWork());
  Block &item = work.getBody().emplaceBlock();
  for (int i = 0; i < (problem.getParts() ? 6 : 3); ++i)
    item.addArgument(b.getI32Type(), b.getLoc());
  b.setInsertionPointToStart(&item);

  Value qView = view(Operand::Q, problem.getHeadDimQk(), problem.getQ());
  further = furtherCols(problem, schedule);
  const int64_t before = problem.getHeadDimQk() - further;
  kView = view(Operand::K, before, problem.getK());
  if (const Operand last = tensorOf(problem, Operand::KRope); further)
    ropeView =
        view(last, further, problem.getK(), last == Operand::K ? before : 0);
  if (!sharesBuffer(problem, schedule, Operand::V))
    vView = view(tensorOf(problem, Operand::V), problem.getHeadDimV(),
                 problem.getV());
  if (problem.getPages() != Pages::None)
    pagesView = view(Operand::Pages, 1, b.getI32Type());
  if (problem.getBias())
    biasView = view(Operand::Bias, schedule.getTileN(), f32);
  scale = scoreScale();
  if (!problem.getParts())
    oFactor = outputFactor();
  q = LoadQOp::create(b, qkTile(M, problem.getHeadDimQk(), problem.getQ()),
                      qView);
  if (hasFactors(Operand::QScale)) {
    rowScale = ScaleRowsOp::create(b, valuesOfRows(Operand::QScale), scale);
  }
  if (hasFactors(Operand::KScale))
    kFactors = view(Operand::KScale, 1, f32);
  if (hasFactors(Operand::VScale))
    vFactors = view(Operand::VScale, 1, f32);
  if (problem.quantizesQ()) {
    // Rows of Q carry the factor of scores but for a power of two, which the
    // matrix instruction has room for.
    bool natural = problem.modifiesScores();
    Value all = natural ? scale : b.mul(scale, b.f32(llvm::numbers::log2ef));
    if (problem.getKScale() != Factors::None)
      all = clampTo(all, std::numeric_limits<float>::max());
    exponentsOfQ = RowExponentsOp::create(b, tile({M}, b.getI32Type()), q, all,
                                          problem.getHeldQ());
    // The scale alone may have few digits.
    q = QuantizeOp::create(
        b, qkTile(M, problem.getHeadDimQk(), problem.getHeldQ()), q, all,
        exponentsOfQ, natural);
    scale = b.f32(1.0f);
    factor = natural ? b.f32(llvm::numbers::log2ef) : scale;
  } else if (problem.modifiesScores()) {
    // The function scales them, and the softmax takes them as they are.
    if (schedule.getScale() == ScalePolicy::Q)
      op.emitRemark(
          "declined: scale = q is not followed: a soft cap, ALiBi, a bias or "
          "a function of scores takes scores times the scale, which "
          "it multiplies each by; Q stays as it is");
    factor = b.f32(llvm::numbers::log2ef);
  } else if (schedule.getScale() != ScalePolicy::Fma && !lift) {
    q = ScaleQOp::create(b, q, b.mul(scale, b.f32(llvm::numbers::log2ef)));
    factor = b.f32(1.0f);
  } else {
    factor = scoreFactor();
    q = ApplySignOp::create(b, q, rowScale ? rowScale : scale);
  }
  if (problem.getAlibi() && schedule.packsHeads()) {
    slope = valuesOfRows(Operand::AlibiSlopes);
  } else if (problem.getAlibi()) {
    Type i64 = b.getI64Type();
    Value batch = arith::ExtUIOp::create(b, i64, b.id(Id::Batch));
    Value offset = b.mul(batch, arg(Arg::AlibiBatchStride, i64));
    diagonalShift = b.sub(length(Sequence::Kv), length(Sequence::Q));
    slope = loadUniform(Arg::AlibiSlopes, b.add(offset, headOffset()));
  }
  // Ahead of the loop, whose time hides the latency.
  if (problem.getSink() && schedule.packsHeads())
    sinkOfRows = valuesOfRows(Operand::Sink);
  limit = KeyLimitOp::create(b, tile({M}, b.getI32Type()));
  if (problem.hasFirstKey())
    firstKey = KeyFirstOp::create(b, limit.getType());
  auto [lower, upper] = keyTiles();
  Value rowMax = init(-std::numeric_limits<float>::infinity(), tile({M}, f32));
  Value rowSum = init(0.0f, tile({M}, f32));
  Value acc = init(0.0f, vTile(M, f32));

  // What is subtracted is carried as well, and l is that of each lane until the
  // end.
  SmallVector<Value> inits{rowMax, rowSum, acc};
  SmallVector<Value *> carried{&m, &l, &o};
  if (startsFromMax()) {
    // Without a key the maximum is 0; log2 of no weights is -inf of itself.
    inits[0] = init(0.0f, tile({M}, f32));
    inits.push_back(rowMax);
    carried.push_back(&limitOfScores);
    inits.push_back(NoMaxOp::create(b, tile({M, schedule.getQk().getM()}, f32),
                                    startsFromLift() ? lift : IntegerAttr()));
    carried.push_back(&base);
    shift = lift && !startsFromLift() ? init(0.0f, tile({M}, f32)) : Value();
  } else {
    inits.push_back(init(0.0f, tile({M}, f32)));
    carried.push_back(&shift);
  }
  if (hasFactors(Operand::VScale) && !follows(Operand::V)) {
    inits.push_back(init(0.0f, tile({M}, f32)));
    carried.push_back(&most);
  }
  auto carry = [&](Value &value, Value init) {
    inits.push_back(init);
    carried.push_back(&value);
  };
  if (follows(Operand::K)) {
    carry(qOfTile, q);
    carry(unitOfScores, factor);
    carry(kFactor, b.f32(1));
  }
  if (follows(Operand::V)) {
    Value none = init(0.0f, tile({M}, f32));
    carry(unitOfO, none);
    carry(mostOfV, none);
    // That of the first tile is another, whatever it is: bits that no
    // arithmetic gives.
    carry(vFactor, b.f32(llvm::bit_cast<float>(0xffc0ffeeu)));
  }
  auto loop = KvLoopOp::create(b, ValueRange(inits).getTypes(), lower, upper,
                               inits, /*step=*/1);
  Block &body = loop.getBody().emplaceBlock();
  index = body.addArgument(b.getI32Type(), b.getLoc());
  for (auto [value, init] : llvm::zip(carried, inits))
    *value = body.addArgument(init.getType(), b.getLoc());
  b.setInsertionPointToStart(&body);
  int64_t keys = schedule.getTileN();
  Type ofK = heldElement(Operand::K), ofV = heldElement(Operand::V);
  k = loadTile(Operand::K, kView, qkTile(keys, before, ofK), kPages);
  if (further)
    rope = loadTile(Operand::KRope, ropeView, qkTile(keys, further, ofK),
                    ropePages);
  if (sharesBuffer(problem, schedule, Operand::V)) {
    v = LoadOp::create(b, vTile(keys, ofV), Operand::V,
                       k.getDefiningOp<LoadOp>().getRows());
    vPages = kPages;
  } else {
    v = loadTile(Operand::V, vView, vTile(keys, ofV), vPages);
  }
  buildUnits();
  buildScores();
  buildRowMax();
  buildWeights();
  o = ProductOp::create(b, o.getType(), Operand::V, p, v, Value(), Value(), o,
                        PartAttr(), IntegerAttr());
  SmallVector<Value> next;
  for (Value *value : carried)
    next.push_back(*value);
  YieldOp::create(b, next);

  b.setInsertionPointAfter(loop);
  Value sum = loop.getResult(1);
  sum = sumsByMatrix()
            ? MoveRowsOp::create(b, sum.getType(), sum, sumParts()).getResult()
            : CombineRowsOp::create(b, sum).getResult();
  auto resultOf = [&](Value &value) -> Value {
    auto *at = llvm::find(carried, &value);
    return at == carried.end() ? Value() : loop.getResult(at - carried.begin());
  };
  Value greatest = loop.getResult(0);
  Sums sums{loop.getResult(2), sum, resultOf(most), resultOf(unitOfO)};
  if (schedule.getKeyWaves() > 1)
    sums = mergeWaves(greatest, sums);
  storeResults(greatest, sums);
  op.erase();
  return success();
}

struct TileAttention : impl::TileAttentionPassBase<TileAttention> {
  LogicalResult run(ModuleOp module) override {
    SmallVector<ScoreModOp> mods(module.getOps<ScoreModOp>());
    if (mods.size() > 1)
      return mods[1].emitOpError(
          "expected one function of scores, found a second");
    for (AttentionOp op :
         llvm::make_early_inc_range(module.getOps<AttentionOp>())) {
      if (!op.getSchedule())
        return op.emitOpError("expected a schedule, found none; run "
                              "fmha-select-schedule");
      if (op.getProblem().getScoreMod() != !mods.empty())
        return op.emitOpError(
            mods.empty() ? "expected a fmha.score_mod beside it, as its "
                           "problem has score_mod, found none"
                         : "expected score_mod in its problem, as the module "
                           "has a fmha.score_mod, found none");
      if (failed(KernelBuilder(op, mods.empty() ? ScoreModOp() : mods.front())
                     .build()))
        return failure();
    }
    for (ScoreModOp mod : mods)
      mod.erase();
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
