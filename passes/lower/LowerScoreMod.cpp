// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "lanes/PackedRows.h"
#include "lower/EmptyAsm.h"
#include "lower/RowMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERSCOREMODPASS
#include "Passes.h.inc"

namespace {

/// LLVM fills the latency of the matrix instructions with the comparisons that
/// a function of scores can make ahead: one mask of two scalar registers for
/// each score and comparison. If they cannot all be kept, the kernel asks for
/// the order of instructions with the fewest live registers.
///
/// Returns how many scores may have masks at a time. In that order, too, LLVM
/// makes the masks of all scores in a row. Where K's rows have factors, whose
/// addresses and strides lie in scalar registers, and the function has a tanh,
/// which takes masks of its own, that is up to 9 too many.
int64_t reserveRegisters(ScoreModOp op, int64_t scores) {
  // Descriptors, strides and bounds: most that a kernel with all arguments and
  // no function was seen to take is 66, and 20 more with such factors.
  constexpr int64_t kKept = 70, kOfFactors = 20;
  auto kernel = op->getParentOfType<KernelOp>();
  int64_t masks = 0;
  bool hasTanh = false;
  for (Operation &inner : op.getBody().front()) {
    hasTanh |= isa<math::TanhOp>(inner);
    for (Type type : inner.getResultTypes())
      masks += type.isInteger(1);
  }
  int64_t needed = 2 * masks * scores, left = chip::kScalarRegisters - kKept;
  if (needed <= left)
    return scores;
  if (!kernel.getFewRegisters()) {
    kernel.setFewRegisters(true);
    op.emitRemark("instructions are ordered for the fewest live registers: ")
        << masks << " comparisons for each of " << scores << " scores may want "
        << needed << " scalar registers at once, of which " << left
        << " are left";
  }
  if (!hasTanh || !rowsAFactor(kernel.getProblem(), Operand::KScale))
    return scores;
  return std::max<int64_t>(1, (left - kOfFactors) / (2 * masks));
}

/// Rows of Q that a lane has scores of, and their heads.
class LaneRows {
public:
  LaneRows(LaneBuilder &b, LaneLayoutAttr layout)
      : first(b.add(b.waveRow(layout), b.laneCoord(layout, 0))) {}

  /// Where all rows have one head, asks for it.
  void begin(LaneBuilder &b) {
    if (!packsHeads(b))
      head = b.id(Id::Head);
  }

  struct Row {
    Value ofQ, head;
  };
  /// Of the registers that add so much to the row.
  Row of(LaneBuilder &b, int64_t fixed) {
    if (!packsHeads(b))
      return {b.add(first, b.i32(fixed)), head};
    Row &own = rows[fixed];
    if (!own.ofQ) {
      Value row = b.add(first, b.i32(fixed));
      own.ofQ = queryRow(b, row);
      own.head = headOfRow(b, row, own.ofQ);
    }
    return own;
  }

private:
  Value first, head;
  llvm::SmallDenseMap<int64_t, Row> rows;
};

/// The first key of a tile that a lane has scores of.
Value firstKeyOf(LaneBuilder &b, Value index, TileType type) {
  LaneLayoutAttr layout = type.getLayout();
  Value firstKey = b.mul(index, b.i32(type.dim(1)));
  return b.add(b.add(firstKey, b.waveCoord(layout, 1)), b.laneCoord(layout, 1));
}

FailureOr<Value> lower(SubtractAlibiOp op, LaneBuilder &b) {
  TileType type = op.getS().getType();
  LaneLayoutAttr layout = type.getLayout();
  LaneRows rows(b, layout);
  Value key = firstKeyOf(b, op.getIndex(), type);
  Value shift = b.sub(SeqLenOp::create(b, b.getI32Type(), Sequence::Kv),
                      SeqLenOp::create(b, b.getI32Type(), Sequence::Q));
  Values slopes = b.elements(op.getSlopes()), scores = b.elements(op.getS());
  for (auto [slope, regs] : llvm::zip_equal(
           slopes,
           elementsOfRows(layout, op.getSlopes().getType().getLayout())))
    for (size_t reg : regs) {
      Value on = b.add(rows.of(b, layout.regCoord(reg, 0)).ofQ, shift);
      Value away = b.sub(on, b.add(key, b.i32(layout.regCoord(reg, 1))));
      Value distance = arith::SIToFPOp::create(b, b.getF32Type(), away);
      distance = math::AbsFOp::create(b, distance);
      scores[reg] = b.sub(scores[reg], b.mul(slope, distance));
    }
  return b.tileOf(type, scores);
}

FailureOr<Value> lower(ScoreModOp op, LaneBuilder &b) {
  TileType type = op.getS().getType();
  LaneLayoutAttr layout = type.getLayout();
  LaneRows rows(b, layout);
  Value key = firstKeyOf(b, op.getIndex(), type);
  rows.begin(b);
  Value batch = b.id(Id::Batch);

  Block &body = op.getBody().front();
  Values scores = b.elements(op.getS());
  const int64_t atOnce = reserveRegisters(op, scores.size());
  for (auto [reg, score] : llvm::enumerate(scores)) {
    // There is no key before a score is done: no mask of it, either.
    if (static_cast<int64_t>(reg) >= atOnce)
      key = createEmptyAsm(b, key.getType(), {key, scores[reg - atOnce]},
                           "=v,0,v", /*hasEffects=*/false)
                .getResult(0);
    auto [row, head] = rows.of(b, layout.regCoord(reg, 0));
    IRMapping values;
    values.map(body.getArguments(),
               ValueRange{score, row,
                          b.add(key, b.i32(layout.regCoord(reg, 1))), head,
                          batch});
    for (Operation &inner : body.without_terminator())
      b.clone(inner, values);
    score = values.lookupOrDefault(body.back().getOperand(0));
  }
  return b.tileOf(type, scores);
}

struct LowerScoreMod : impl::LowerScoreModPassBase<LowerScoreMod> {
  LogicalResult run(KernelOp kernel) override {
    return lowerEach<ScoreModOp, SubtractAlibiOp>(
        kernel, [](auto op, LaneBuilder &b) { return lower(op, b); });
  }
};
} // namespace
} // namespace mlir::fmha
