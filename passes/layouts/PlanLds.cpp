// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "bitmaps/LdsLayouts.h"
#include "chip/Chip.h"
#include "lanes/Exchange.h"
#include "lanes/Lanes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_PLANLDSPASS
#include "Passes.h.inc"

namespace {

LogicalResult refuseSize(KernelOp kernel, int64_t bytes) {
  return kernel.emitOpError()
         << "LDS plan needs " << bytes << " bytes, a gfx950 workgroup has "
         << chip::kLdsBytes << "; reduce tile_n or padding";
}

/// The layout that the schedule gives, or the cheapest that it leaves to
/// choose, and why.
FailureOr<LdsPlan> choose(LoadOp op, const LdsRequest &request) {
  StringRef operand = stringifyOperand(op.getOperand());
  StagingAttr staging = request.staging;
  TileType tile = request.tile;
  FailureOr<LdsAccess> access = planLdsReads(op, tile, op.getOperand());
  if (failed(access))
    return failure();
  int64_t lineBytes = dmaLaneBytes(request) * chip::kWaveLanes;
  if (bytesOf(tile) < lineBytes * request.waves)
    return op.emitOpError()
           << "expected a tile of at least a line of " << lineBytes
           << " bytes for each of " << request.waves << " waves, found "
           << bytesOf(tile) << "; fewer waves or a larger tile_n";
  auto plans = planLdsLayouts(request, *access);
  if (!plans)
    return op.emitOpError()
           << "expected a tile that LDS layout "
           << stringifyLdsFamily(staging.getLayout())
           << " can hold: " << toString(plans.takeError()) << ", found " << tile
           << "; another layout in the schedule";
  const LdsPlan &best = plans->front();
  StringRef family = stringifyLdsFamily(best.family);
  auto withCycles = [](const LdsPlan &plan) {
    return describe(plan.cost) + ", " + std::to_string(plan.conflictCycles) +
           " cycles of bank conflicts";
  };
  if (staging.getMap()) {
    auto given = planGivenLds(request, *access);
    if (!given)
      return op.emitOpError()
             << "expected an LDS map of " << operand
             << " that fits the tile and its copies and reads: "
             << toString(given.takeError()) << ", found " << staging.getMap();
    op.emitRemark() << operand << " has the LDS map that the schedule gives: "
                    << withCycles(*given) << " a wave and tile; in its place "
                    << family << " would be chosen: " << withCycles(best);
    return *given;
  }
  auto remark = op.emitRemark();
  remark << operand << " has LDS layout " << family << ": "
         << describe(best.cost);
  if (request.further)
    remark << ", of its own reads and those of what else it holds";
  if (plans->size() == 1)
    remark << "; the schedule asks for it";
  else
    remark << "; before " << stringifyLdsFamily((*plans)[1].family) << " for "
           << advantage(best.cost, (*plans)[1].cost) << ": "
           << describe((*plans)[1].cost);
  return best;
}

/// The numbers of pages of the keys of a load, a tile; null: it has none.
Value pagesOf(LoadOp load) {
  auto rows = load.getRows().getDefiningOp<RowsOp>();
  Value pages = rows ? rows.getPages() : Value();
  return pages && isa<TileType>(pages.getType()) ? pages : Value();
}

/// Brings tiles into `buffer` where `load` stands: by loads direct to LDS, or,
/// where elements are converted, by a load to registers and a write.
Value copyInto(ImplicitLocOpBuilder &b, LoadOp load, Value buffer,
               const LdsPlan &plan, int64_t readCols) {
  Operand operand = load.getOperand();
  TileType tile = load.getTile().getType();
  Type inMemory = load.getRows().getType().getElement();
  if (inMemory == tile.getElement())
    return CopyOp::create(b, TokenType::get(b.getContext()), operand,
                          load.getRows(), buffer, plan.dma);
  auto fetched = TileType::get(b.getContext(), tile.getShape(), inMemory,
                               readCols, plan.dma);
  Value pieces = FetchOp::create(b, fetched, operand, load.getRows());
  return WriteOp::create(b, TokenType::get(b.getContext()), operand, pieces,
                         buffer);
}

/// The load of another operand from the same rows; null: none.
LoadOp sharerOf(LoadOp load) {
  for (Operation *user : load.getRows().getUsers())
    if (auto other = dyn_cast<LoadOp>(user); other && other != load)
      return other;
  return {};
}

/// Reads what `load` is of from `buffer`, before its first use.
LogicalResult readFrom(ImplicitLocOpBuilder &b, LoadOp load, Value buffer,
                       Value token) {
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
    Value read = ReadOp::create(b, load.getTile().getType(), load.getOperand(),
                                buffer, token, Value(), PartAttr());
    load.getTile().replaceAllUsesWith(read);
  }
  load.erase();
  return success();
}

/// Splits one load into copy and read, and with it one of the same rows, which
/// is read from the same buffer. `offsetBytes` advances past its buffer.
LogicalResult split(LoadOp load, int64_t &offsetBytes) {
  TileType tile = load.getTile().getType();
  if (failed(requireLayouts(load)))
    return failure();
  auto kernel = load->getParentOfType<KernelOp>();
  ScheduleAttr schedule = kernel.getSchedule();
  Operand operand = load.getOperand();
  StagingAttr staging = staged(operand).getStaging(schedule);
  RowsType rows = load.getRows().getType();
  int64_t readCols =
      readColsOf(kernel.getProblem(), schedule, operand, rows.getCols());
  Value pages = pagesOf(load);
  LdsRequest request{tile,
                     rows.getElement(),
                     staging,
                     schedule.getWaves(),
                     readCols,
                     pages ? alignedRowsAPage(kernel.getProblem()) : 0,
                     dimOnEnd(kernel.getProblem(), operand),
                     pieceElems(kernel.getProblem(), operand)};
  LoadOp sharer = sharerOf(load);
  FailureOr<LdsAccess> further;
  if (sharer) {
    TileType own = sharer.getTile().getType();
    if (failed(requireLayouts(sharer)) ||
        failed(further = planLdsReads(sharer, own, sharer.getOperand())))
      return failure();
    request.further = &*further;
    request.furtherCols =
        staged(sharer.getOperand()).getReadCols(schedule, own.getCols());
  }
  FailureOr<LdsPlan> plan = choose(load, request);
  if (failed(plan))
    return failure();
  if (pages)
    pages.setType(cast<TileType>(pages.getType())
                      .withLayout(LaneLayoutAttr::ofRows(plan->dma)));

  // After the buffers planned before.
  Block &entry = kernel.getBody().front();
  auto after = llvm::find_if_not(entry, llvm::IsaPred<LdsBufferOp>);
  ImplicitLocOpBuilder b(load.getLoc(), &entry, after);
  Value buffer; // the first; tiles take turns once they overlap
  for (int64_t i = 0; i < staging.getBuffers(); ++i) {
    auto type = LdsType::get(b.getContext(), tile.getShape(), tile.getElement(),
                             offsetBytes, plan->layout);
    Value next = LdsBufferOp::create(b, type, operand);
    buffer = buffer ? buffer : next;
    offsetBytes += bufferBytes(plan->layout.getBytes());
  }

  b.setInsertionPoint(load);
  Value token = copyInto(b, load, buffer, *plan, readCols);
  if (sharer && failed(readFrom(b, sharer, buffer, token)))
    return failure();
  return readFrom(b, load, buffer, token);
}

/// Through the LDS of the buffers, in as many parts as that asks for. `bytes`
/// are those of the buffers, and in the end those that the kernel has.
LogicalResult split(MergeWavesOp merge, int64_t &bytes) {
  if (failed(requireLayouts(merge)))
    return failure();
  auto kernel = merge->getParentOfType<KernelOp>();
  TileType merged = merge.getONew().getType(), rows = merge.getM().getType();
  Exchange plan(kernel.getSchedule(), merged, rows);
  const int64_t parts = plan.partsWithin(bytes);
  bytes = std::max(bytes, plan.bytesOf(parts));
  ImplicitLocOpBuilder b(merge.getLoc(), merge);
  Value exchange;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    exchange = LdsExchangeOp::create(
        b, ExchangeType::get(b.getContext(), plan.bytesOf(parts)));
  }
  GatherOp last;
  for (int64_t i = 0; i < parts; ++i) {
    PartAttr part =
        parts > 1 ? PartAttr::get(b.getContext(), i, i + 1, parts) : PartAttr();
    Value token =
        ShareOp::create(b, TokenType::get(b.getContext()), merge.getO(),
                        merge.getM(), merge.getL(), exchange, part);
    last = GatherOp::create(b, merged, rows, rows, exchange, token,
                            merge.getFactor(), merge.getWide(),
                            merge.getNormalized(), last ? last.getO() : Value(),
                            part);
  }
  merge.emitRemark() << "waves exchange O in " << parts
                     << (parts == 1 ? " part" : " parts") << " of "
                     << plan.bytesOf(parts) << " bytes of LDS";
  merge->replaceAllUsesWith(last);
  merge.erase();
  return success();
}

struct PlanLds : impl::PlanLdsPassBase<PlanLds> {
  LogicalResult run(KernelOp kernel) override {
    ScheduleAttr schedule = kernel.getSchedule();
    SmallVector<LoadOp> loads;
    kernel.walk([&](LoadOp load) {
      // One of the rows of a load before comes with that.
      LoadOp other = sharerOf(load);
      if (!other || load->isBeforeInBlock(other))
        loads.push_back(load);
    });
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
    for (MergeWavesOp merge : llvm::make_early_inc_range(
             kernel.getItemBlock()->getOps<MergeWavesOp>()))
      if (failed(split(merge, bytes)))
        return failure();
    return bytes > chip::kLdsBytes ? refuseSize(kernel, bytes) : success();
  }
};
} // namespace
} // namespace mlir::fmha
