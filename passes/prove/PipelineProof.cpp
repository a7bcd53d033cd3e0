// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prove/Proofs.h"

#include "mlir/Analysis/SliceWalk.h"

using namespace mlir;
using namespace mlir::fmha;

/// Whether both are the same buffer, or may be: which one of a ring a tile has
/// when the kernel runs is for the proof of the rung after.
static bool mayBeSame(Value x, Value y) {
  auto ringOf = [](Value buffer) -> SmallVector<Value> {
    if (auto slot = buffer.getDefiningOp<RingSlotOp>())
      return llvm::to_vector(slot.getBuffers());
    return {buffer};
  };
  SmallVector<Value> ring = ringOf(x);
  return llvm::any_of(ringOf(y),
                      [&](Value z) { return llvm::is_contained(ring, z); });
}

/// Follows the token of a read through stages, and through loops by both ways
/// in, to what gives it.
static LogicalResult proveRead(LdsAccessOp read) {
  auto proveToken = [&](Value token) -> WalkContinuation {
    if (auto stageOp = token.getDefiningOp<StageOp>())
      return WalkContinuation::advanceTo(
          stageOp.getBody().front().getTerminator()->getOperand(
              cast<OpResult>(token).getResultNumber()));
    auto carried = dyn_cast<BlockArgument>(token);
    Operation *owner =
        carried ? carried.getOwner()->getParentOp() : token.getDefiningOp();
    if (auto loop = dyn_cast<LoopLikeOpInterface>(owner)) {
      if (!carried)
        carried = loop.getTiedLoopRegionIterArg(cast<OpResult>(token));
      return WalkContinuation::advanceTo(
          {loop.getTiedLoopInit(carried)->get(),
           loop.getTiedLoopYieldedValue(carried)->get()});
    }
    auto copy = token.getDefiningOp<LdsAccessOp>();
    if (copy && mayBeSame(copy.getBuffer(), read.getBuffer()))
      return WalkContinuation::skip();
    InFlightDiagnostic diag =
        read->emitOpError("expected its token to be that of a load into the "
                          "buffer that it reads, found ");
    diag << (copy ? "another's" : "one that no load gives");
    diag.attachNote(token.getLoc())
        << (copy ? "the load" : "where it comes from");
    return WalkContinuation::interrupt();
  };
  return failure(walkSlice(read.getToken(), proveToken).wasInterrupted());
}

LogicalResult fmha::provePipelined(KernelOp kernel) {
  int64_t tiles = kernel.getSchedule().getPipeline().getTiles();
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto loop = dyn_cast<KvLoopOp>(op); loop && loop.getStep() != tiles)
      return loop.emitOpError()
             << "expected a round of the " << tiles
             << " tiles of the schedule's pipeline, found " << loop.getStep();
    auto access = dyn_cast<LdsAccessOp>(op);
    if (!access)
      return WalkResult::advance();
    if (!op->getParentOfType<StageOp>())
      return op->emitOpError("expected LDS traffic of a pipeline in stages, "
                             "found some outside; run fmha-software-pipeline");
    return access.isCopy() ? success() : proveRead(access);
  });
  return failure(result.wasInterrupted());
}
