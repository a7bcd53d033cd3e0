// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "lanes/Lanes.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERSCOREMODPASS
#include "Passes.h.inc"

namespace {

/// LLVM fills the latency of the matrix instructions with the comparisons that
/// a function of scores can make ahead: one mask of two scalar registers for
/// each score and comparison. If they cannot all be kept, the kernel asks for
/// the order of instructions with the fewest live registers.
void reserveRegisters(ScoreModOp op, int64_t scores) {
  // Descriptors, strides and bounds: most that a kernel with all arguments and
  // no function was seen to take is 66.
  constexpr int64_t kKept = 70;
  auto kernel = op->getParentOfType<KernelOp>();
  int64_t masks = 0;
  for (Operation &inner : op.getBody().front())
    for (Type type : inner.getResultTypes())
      masks += type.isInteger(1);
  int64_t needed = 2 * masks * scores, left = chip::kScalarRegisters - kKept;
  if (needed <= left || kernel.getFewRegisters())
    return;
  kernel.setFewRegisters(true);
  op.emitRemark("instructions are ordered for the fewest live registers: ")
      << masks << " comparisons for each of " << scores << " scores may want "
      << needed << " scalar registers at once, of which " << left
      << " are left";
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
  reserveRegisters(op, scores.size());
  for (auto [reg, score] : llvm::enumerate(scores)) {
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
