// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sync/InstructionCounts.h"

#include "bitmaps/LdsAccess.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fmha;

/// How many of `count` an op takes.
template <typename Op> static int64_t share(Op op, int64_t count) {
  auto [first, last] = PartAttr::rangeOf(op.getPartAttr(), count);
  return last - first;
}

static int64_t elementsOf(TileType tile) {
  return tile.getLayout().getRegElems();
}

/// Matrix instructions of a product of `result` that contracts the columns of
/// `data` in steps of `shape`.
static int64_t products(TileType result, int64_t contracted, MfmaAttr shape) {
  return result.presentFragments().size() *
         llvm::divideCeil(contracted, shape.getK());
}

static int64_t reads(ReadOp op, KernelOp kernel) {
  TileType tile = op.getTile().getType();
  int64_t elemBits = bitsOf(tile.getElement());
  // There is one, as the tile was planned with it.
  auto instruction = *lookupLdsRead(
      tile, staged(op.getOperand()).getStaging(kernel.getSchedule()).getRead(),
      dimOnEnd(kernel.getProblem(), op.getOperand()));
  return share(op, tile.presentFragments().size()) *
         (tile.getLayout().getFragment() * elemBits / instruction.laneBits);
}

ClassCounts fmha::countAsked(ArrayRef<SchedGroupAttr> groups) {
  ClassCounts asked{};
  for (SchedGroupAttr group : groups)
    group.forEach(
        [&](SchedClass kind, int64_t count) { asked[size_t(kind)] += count; });
  return asked;
}

ClassCounts fmha::countInstructions(StageOp stageOp, const ClassCounts &asked) {
  ClassCounts counts{};
  auto at = [&](SchedClass kind) -> int64_t & { return counts[size_t(kind)]; };
  auto kernel = stageOp->getParentOfType<KernelOp>();
  ScheduleAttr schedule = kernel.getSchedule();
  // Three values a v_max3_f32, two results a v_cvt_pk or v_cvt_scalef32_pk.
  constexpr int64_t kMaxReduces = 2, kConverts = 2, kPair = 2;
  const int64_t atOnce =
      schedule.getPacked() == PackedMath::Softmax ? kPair : 1;
  for (Operation &op : stageOp.getBody().front())
    llvm::TypeSwitch<Operation *>(&op)
        .Case<ProductOp>([&](ProductOp op) {
          const StagedOperand &by = staged(op.getOperand());
          TileType contracted =
              by.sumsKeys() ? op.getA().getType() : op.getB().getType();
          at(SchedClass::Mfma) +=
              share(op, products(op.getResult().getType(), contracted.getCols(),
                                 by.getInstruction(schedule)));
        })
        .Case<MatrixSumOp>([&](MatrixSumOp sum) {
          at(SchedClass::Mfma) +=
              share(sum, sum.getP().getType().getLayout().getFragments());
        })
        .Case<SubtractOp>([&](SubtractOp subtract) {
          at(SchedClass::Valu) +=
              llvm::divideCeil(
                  share(subtract, elementsOf(subtract.getS().getType())),
                  atOnce) *
              (subtract.getWide() ? 2 : 1);
        })
        .Case<ExpOp>([&](ExpOp exp) {
          at(SchedClass::Trans) += share(exp, elementsOf(exp.getX().getType()));
        })
        .Case<RowSumOp>([&](RowSumOp sum) {
          TileType x = sum.getX().getType();
          int64_t elements = share(sum, elementsOf(x));
          // Two sums of pairs are one more to add; a dot product adds its pair
          // to the sum.
          at(SchedClass::Valu) +=
              x.getElement().isF32()
                  ? llvm::divideCeil(elements, atOnce) + atOnce - 1
                  : elements / kPair;
        })
        .Case<RowMaxOp, RebaseOp>([&](auto max) {
          at(SchedClass::Valu) +=
              elementsOf(max.getS().getType()) / kMaxReduces;
          // Corrections, one a row; those of a lazy rescale are in a branch.
          if (schedule.getRescale() == RescalePolicy::Eager)
            at(SchedClass::Trans) += elementsOf(max.getM().getType());
        })
        .Case<RescaleIfOp>([&](RescaleIfOp rescale) {
          if (schedule.getRescale() == RescalePolicy::Lazy)
            return;
          TileType o = rescale.getO().getType();
          at(SchedClass::Valu) +=
              o.presentFragments().size() * o.getLayout().getFragment() /
                  (schedule.getPacked() == PackedMath::Off ? 1 : kPair) +
              elementsOf(rescale.getL().getType());
        })
        .Case<ConvertOp>([&](ConvertOp convert) {
          TileType p = convert.getP().getType();
          at(SchedClass::Valu) += share(convert, p.getLayout().getFragments()) *
                                  p.getLayout().getFragment() / kConverts;
        })
        .Case<WriteOp>([&](WriteOp write) {
          TileType tile = write.getTile().getType();
          at(SchedClass::Valu) += write.getTouchedFragments().size() *
                                  tile.getLayout().getFragment() / kConverts;
        })
        .Case<ReadOp>(
            [&](ReadOp read) { at(SchedClass::DsRead) += reads(read, kernel); })
        .Case<VectorMemoryOp>([&](VectorMemoryOp memory) {
          at(SchedClass::Vmem) += memory.getVectorMemoryInstructions();
        });
  // Which scalar instructions there are is known to LLVM only, and what a
  // function of scores becomes.
  counts[size_t(SchedClass::Salu)] = asked[size_t(SchedClass::Salu)];
  if (!stageOp.getBody().front().getOps<ScoreModOp>().empty())
    counts[size_t(SchedClass::Trans)] = std::max(
        counts[size_t(SchedClass::Trans)], asked[size_t(SchedClass::Trans)]);
  return counts;
}
