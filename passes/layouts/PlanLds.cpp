// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "bitmaps/LdsLayouts.h"
#include "chip/Chip.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_PLANLDSPASS
#include "Passes.h.inc"

namespace {

int64_t bytesOf(TileType tile) {
  return tile.dim(0) * tile.dim(1) * tile.getElement().getIntOrFloatBitWidth() /
         8;
}

LogicalResult refuseSize(KernelOp kernel, int64_t bytes) {
  return kernel.emitOpError()
         << "LDS plan needs " << bytes << " bytes, a gfx950 workgroup has "
         << chip::kLdsBytes << "; reduce tile_n or padding";
}

/// The map that the schedule gives, beside the layout that would be chosen.
FailureOr<LdsPlan> chooseGiven(Operation *op, Operand operand,
                               const LdsRequest &request,
                               const LdsAccess &access, const LdsPlan &best) {
  std::string reason;
  FailureOr<LdsPlan> given = planGivenLds(request, access, reason);
  if (failed(given))
    return op->emitOpError()
           << "expected an LDS map of " << stringifyOperand(operand)
           << " that fits the tile and its copies and reads: " << reason
           << ", found " << request.staging.getMap();
  op->emitRemark() << stringifyOperand(operand)
                   << " has the LDS map that the schedule gives: "
                   << describe(given->cost) << ", " << given->conflictCycles
                   << " cycles of bank conflicts a wave and tile; in its place "
                   << stringifyLdsFamily(best.family)
                   << " would be chosen: " << describe(best.cost) << ", "
                   << best.conflictCycles << " cycles of bank conflicts";
  return given;
}

/// The layout that the schedule gives, or the cheapest that it leaves to
/// choose, and why.
FailureOr<LdsPlan> choose(Operation *op, Operand operand,
                          const LdsRequest &request) {
  std::string reason;
  StagingAttr staging = request.staging;
  FailureOr<LdsAccess> access =
      planLdsReads(request.tile, staging.getRead(), reason);
  if (failed(access))
    return op->emitOpError()
           << "expected a lane layout that "
           << stringifyLdsRead(staging.getRead()) << " can read: " << reason
           << ", found " << request.tile.getLayout();
  TileType tile = request.tile;
  int64_t tileBytes = bytesOf(tile);
  int64_t lineBytes = dmaLaneBytes(request) * chip::kWaveLanes;
  if (tileBytes < lineBytes * request.waves)
    return op->emitOpError()
           << "expected a tile of at least a line of " << lineBytes
           << " bytes for each of " << request.waves << " waves, found "
           << tileBytes << "; fewer waves or a larger tile_n";
  FailureOr<SmallVector<LdsPlan>> plans =
      planLdsLayouts(request, *access, reason);
  if (failed(plans))
    return op->emitOpError()
           << "expected a tile that LDS layout "
           << stringifyLdsFamily(staging.getLayout()) << " can hold: " << reason
           << ", found " << tile << "; another layout in the schedule";
  const LdsPlan &best = plans->front();
  if (staging.getMap())
    return chooseGiven(op, operand, request, *access, best);
  auto remark = op->emitRemark();
  remark << stringifyOperand(operand) << " has LDS layout "
         << stringifyLdsFamily(best.family) << ": " << describe(best.cost);
  if (plans->size() == 1)
    remark << "; the schedule asks for it";
  else
    remark << "; before " << stringifyLdsFamily((*plans)[1].family) << " for "
           << advantage(best.cost, (*plans)[1].cost) << ": "
           << describe((*plans)[1].cost);
  return best;
}

/// Splits one load into copy and read. `offsetBytes` advances past its buffer.
LogicalResult split(LoadOp load, int64_t &offsetBytes) {
  TileType tile = load.getTile().getType();
  if (!tile.getLayout())
    return load.emitOpError("expected a tile with a lane layout, found none; "
                            "run fmha-assign-lane-layouts");
  auto kernel = load->getParentOfType<KernelOp>();
  ScheduleAttr schedule = kernel.getSchedule();
  Operand operand = load.getOperand();
  StagingAttr staging = staged(operand).getStaging(schedule);
  int64_t readCols = llvm::alignTo(load.getView().getType().getCols(),
                                   staged(operand).getColumnsAtOnce(schedule));
  FailureOr<LdsPlan> plan =
      choose(load, operand, {tile, staging, schedule.getWaves(), readCols});
  if (failed(plan))
    return failure();

  Location loc = load.getLoc();
  Block &entry = kernel.getBody().front();
  auto after = entry.begin(); // after the buffers planned before
  while (after != entry.end() && isa<LdsBufferOp>(*after))
    ++after;
  OpBuilder b(&entry, after);
  Value buffer; // the first; tiles take turns once they overlap
  for (int64_t i = 0; i < staging.getBuffers(); ++i) {
    auto type = LdsType::get(b.getContext(), tile.getShape(), tile.getElement(),
                             offsetBytes, plan->layout);
    Value next = LdsBufferOp::create(b, loc, type, operand);
    buffer = buffer ? buffer : next;
    offsetBytes += bufferBytes(plan->layout.getBytes());
  }

  b.setInsertionPoint(load);
  Value token =
      CopyOp::create(b, loc, TokenType::get(b.getContext()), operand,
                     load.getView(), load.getIndex(), buffer, plan->dma);
  Operation *firstUse = nullptr;
  for (Operation *user : load.getTile().getUsers()) {
    if (user->getBlock() != load->getBlock())
      return load.emitOpError("expected uses in the block of the load, found "
                              "one elsewhere");
    if (!firstUse || user->isBeforeInBlock(firstUse))
      firstUse = user;
  }
  if (firstUse) {
    b.setInsertionPoint(firstUse);
    Value read = ReadOp::create(b, loc, tile, operand, buffer, token, Value(),
                                PartAttr());
    load.getTile().replaceAllUsesWith(read);
  }
  load.erase();
  return success();
}

struct PlanLds : impl::PlanLdsPassBase<PlanLds> {
  void runOnOperation() override {
    if (failed(plan(getOperation())))
      signalPassFailure();
  }

  LogicalResult plan(KernelOp kernel) {
    ScheduleAttr schedule = kernel.getSchedule();
    SmallVector<LoadOp> loads;
    kernel.walk([&](LoadOp load) { loads.push_back(load); });
    // Before any layout is looked for: of a tile that LDS cannot hold, the
    // search has more candidates than anybody would wait for.
    int64_t least = 0, largest = 0;
    for (LoadOp load : loads) {
      int64_t tile = bytesOf(load.getTile().getType());
      least +=
          tile * staged(load.getOperand()).getStaging(schedule).getBuffers();
      largest = std::max(largest, tile);
    }
    if (largest > chip::kLdsBytes)
      return refuseSize(kernel, least);
    int64_t bytes = 0;
    for (LoadOp load : loads)
      if (failed(split(load, bytes)))
        return failure();
    return bytes > chip::kLdsBytes ? refuseSize(kernel, bytes) : success();
  }
};
} // namespace
} // namespace mlir::fmha
