// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prove/PipelineProof.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

/// What a token may come from: through stages, and through loops by both ways
/// in. Anything but a load is what gives it.
void collectSources(Value token, llvm::SmallPtrSetImpl<void *> &seen,
                    SmallVectorImpl<Value> &sources) {
  if (!seen.insert(token.getAsOpaquePointer()).second)
    return;
  auto throughLoop = [&](LoopLikeOpInterface loop, BlockArgument carried) {
    collectSources(loop.getTiedLoopInit(carried)->get(), seen, sources);
    collectSources(loop.getTiedLoopYieldedValue(carried)->get(), seen, sources);
  };
  if (auto arg = dyn_cast<BlockArgument>(token)) {
    if (auto loop =
            dyn_cast<LoopLikeOpInterface>(arg.getOwner()->getParentOp()))
      throughLoop(loop, arg);
    else // an argument of the kernel
      sources.push_back(token);
    return;
  }
  auto result = cast<OpResult>(token);
  Operation *def = result.getOwner();
  if (auto stageOp = dyn_cast<StageOp>(def))
    collectSources(stageOp.getBody().front().getTerminator()->getOperand(
                       result.getResultNumber()),
                   seen, sources);
  else if (auto loop = dyn_cast<LoopLikeOpInterface>(def))
    throughLoop(loop, loop.getTiedLoopRegionIterArg(result));
  else
    sources.push_back(token);
}

/// The buffer that is filled by the load whose token it is, or null.
Value bufferOf(Value token) {
  auto copy = token.getDefiningOp<LdsAccessOp>();
  return copy ? copy.getBuffer() : Value();
}

/// Whether both are the same buffer, or may be: which one of a ring a tile has
/// when the kernel runs is for the proof of the rung after.
bool mayBeSame(Value x, Value y) {
  auto ringOf = [](Value buffer) -> SmallVector<Value> {
    if (auto slot = buffer.getDefiningOp<RingSlotOp>())
      return SmallVector<Value>(slot.getBuffers());
    return {buffer};
  };
  SmallVector<Value> ring = ringOf(x);
  return llvm::any_of(ringOf(y),
                      [&](Value z) { return llvm::is_contained(ring, z); });
}

LogicalResult proveRead(LdsAccessOp read) {
  llvm::SmallPtrSet<void *, 8> seen;
  SmallVector<Value> sources;
  collectSources(read.getToken(), seen, sources);
  for (Value source : sources) {
    Value filled = bufferOf(source);
    if (filled && mayBeSame(filled, read.getBuffer()))
      continue;
    InFlightDiagnostic diag =
        read->emitOpError("expected its token to be that of a load into the "
                          "buffer that it reads, found ");
    diag << (filled ? "another's" : "one that no load gives");
    diag.attachNote(source.getLoc())
        << (filled ? "the load" : "where it comes from");
    return diag;
  }
  return success();
}

} // namespace

LogicalResult fmha::provePipelined(KernelOp kernel) {
  PipelineAttr pipeline = kernel.getSchedule().getPipeline();
  WalkResult result = kernel.walk([&](Operation *op) {
    auto access = dyn_cast<LdsAccessOp>(op);
    if (access && !op->getParentOfType<StageOp>()) {
      op->emitOpError("expected LDS traffic of a pipeline in stages, found "
                      "some outside; run fmha-software-pipeline");
      return WalkResult::interrupt();
    }
    if (auto loop = dyn_cast<KvLoopOp>(op);
        loop && int64_t(loop.getStep()) != pipeline.getTiles()) {
      loop.emitOpError() << "expected a round of the " << pipeline.getTiles()
                         << " tiles of the schedule's pipeline, found "
                         << loop.getStep();
      return WalkResult::interrupt();
    }
    return access && !access.isCopy() && failed(proveRead(access))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
