// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "lanes/Lanes.h"
#include "lower/EmptyAsm.h"

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

FailureOr<Value> lowerScoreMod(ScoreModOp op, LaneBuilder &b) {
  TileType type = op.getS().getType();
  LaneLayoutAttr layout = type.getLayout();
  Value row = b.add(b.waveRow(layout), b.laneCoord(layout, 0));
  Value firstKey = b.mul(op.getIndex(), b.i32(type.dim(1)));
  Value key =
      b.add(b.add(firstKey, b.waveCoord(layout, 1)), b.laneCoord(layout, 1));
  Value head = b.id(Id::Head), batch = b.id(Id::Batch);

  Block &body = op.getBody().front();
  Values scores = b.elements(op.getS());
  const int64_t atOnce = reserveRegisters(op, scores.size());
  for (auto [reg, score] : llvm::enumerate(scores)) {
    // There is no key before a score is done: no mask of it, either.
    if (static_cast<int64_t>(reg) >= atOnce)
      key = createEmptyAsm(b, key.getType(), {key, scores[reg - atOnce]},
                           "=v,0,v", /*hasEffects=*/false)
                .getResult(0);
    IRMapping values;
    values.map(body.getArguments(),
               ValueRange{score, b.add(row, b.i32(layout.regCoord(reg, 0))),
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
    return lowerEach<ScoreModOp>(kernel, lowerScoreMod);
  }
};
} // namespace
} // namespace mlir::fmha
