// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "support/Chip.h"
#include "support/LdsAccess.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_PLANLDSPASS
#include "Passes.h.inc"

namespace {

/// One way to cut a tile into lines. A line is what a wave writes with one
/// direct-to-LDS load: `colBits` low bits of the column and `rowBits` bits of
/// the row from `firstRowBit` on; the remaining bits count lines.
struct LineShape {
  unsigned colBits, rowBits, firstRowBit;
};

/// A candidate: LDS layout and the copy that goes with it.
struct Candidate {
  LdsLayoutAttr layout;
  LaneLayoutAttr dma;
  int64_t runBytes; ///< contiguous in memory that one line takes of a row
  /// Smaller is better.
  auto cost() const {
    return std::tuple(layout.getConflictWays(),
                      std::max<int64_t>(0, chip::kCacheLineBytes - runBytes),
                      layout.getBytes(), -runBytes);
  }
};

class Planner {
public:
  Planner(TileType tile, StagingAttr staging, int64_t waves)
      : tile(tile), staging(staging), waves(waves),
        elemBytes(tile.getElement().getIntOrFloatBitWidth() / 8),
        tileRowBits(llvm::Log2_64(tile.dim(0))),
        tileColBits(llvm::Log2_64(tile.dim(1))),
        laneElemBits(llvm::Log2_64(laneBytes() / elemBytes)),
        lineBytes(laneBytes() * chip::kWaveLanes) {}

  /// The best candidate: fewest conflicts, then whole cache lines from memory,
  /// then fewest bytes of LDS, then the longest run of columns.
  FailureOr<Candidate> plan(Operation *op);

private:
  int64_t tileBytes() const { return tile.dim(0) * tile.dim(1) * elemBytes; }

  /// The widest copy of which there is one for each wave: two waves must not
  /// write the same bytes, even if they write the same into them.
  int64_t laneBytes() const {
    for (int64_t bytes : chip::kDmaLaneBytes)
      if (tileBytes() >= bytes * chip::kWaveLanes * waves)
        return bytes;
    return *std::prev(std::end(chip::kDmaLaneBytes));
  }

  Candidate build(LineShape shape, int64_t padBytes, const LdsAccess &access);

  TileType tile;
  StagingAttr staging;
  int64_t waves, elemBytes;
  unsigned tileRowBits, tileColBits, laneElemBits;
  int64_t lineBytes;
};

Candidate Planner::build(LineShape shape, int64_t padBytes,
                         const LdsAccess &access) {
  MLIRContext *context = tile.getContext();
  SmallVector<int64_t> row(tileRowBits), col(tileColBits), reg, lane, wave;
  auto push = [](SmallVector<int64_t> &bases, int64_t r, int64_t c) {
    bases.append({r, c});
  };
  // Inside a line: the elements of a lane, then columns, then rows over the
  // lanes.
  int64_t weight = elemBytes;
  for (unsigned bit = 0; bit < shape.colBits; ++bit, weight *= 2) {
    col[bit] = weight;
    push(bit < laneElemBits ? reg : lane, 0, int64_t(1) << bit);
  }
  for (unsigned bit = 0; bit < shape.rowBits; ++bit, weight *= 2) {
    row[shape.firstRowBit + bit] = weight;
    push(lane, int64_t(1) << (shape.firstRowBit + bit), 0);
  }
  // Lines: the rows left over, then the columns left over; the first of these
  // bits go to waves, the rest are further instructions of a wave.
  int64_t lineStride = lineBytes + padBytes, lines = 1;
  auto addLineBit = [&](int64_t &bitWeight, int64_t r, int64_t c) {
    bitWeight = lineStride * lines;
    push(lines < waves ? wave : reg, r, c);
    lines *= 2;
  };
  for (unsigned bit = 0; bit < tileRowBits; ++bit)
    if (!row[bit])
      addLineBit(row[bit], int64_t(1) << bit, 0);
  for (unsigned bit = shape.colBits; bit < tileColBits; ++bit)
    addLineBit(col[bit], 0, int64_t(1) << bit);
  int64_t bytes = lines * lineStride;
  auto layout = LdsLayoutAttr::get(context, row, col, lineBytes, bytes,
                                   /*conflict_ways=*/1);
  layout = LdsLayoutAttr::get(context, row, col, lineBytes, bytes,
                              conflictWays(access, layout));
  auto dma = LaneLayoutAttr::get(context, /*rank=*/2,
                                 int64_t(1) << laneElemBits, reg, lane, wave);
  return {layout, dma, elemBytes << shape.colBits};
}

FailureOr<Candidate> Planner::plan(Operation *op) {
  std::string reason;
  FailureOr<LdsAccess> access = planLdsReads(tile, staging.getRead(), reason);
  if (failed(access))
    return op->emitOpError()
           << "expected a lane layout that "
           << stringifyLdsRead(staging.getRead()) << " can read: " << reason
           << ", found " << tile.getLayout();
  unsigned lineBits = llvm::Log2_64(lineBytes / elemBytes);
  if (tileBytes() < lineBytes * waves)
    return op->emitOpError()
           << "expected a tile of at least a line of " << lineBytes
           << " bytes for each of " << waves << " waves, found " << tileBytes()
           << "; fewer waves or a larger tile_n";

  std::optional<Candidate> best;
  constexpr int64_t kPadStep = 16; // keeps every access aligned
  for (unsigned colBits = std::min(tileColBits, lineBits);
       colBits >= laneElemBits; --colBits) {
    unsigned rowBits = lineBits - colBits;
    if (rowBits > tileRowBits)
      break;
    for (unsigned first = 0; first + rowBits <= tileRowBits; ++first)
      for (int64_t pad = 0; pad <= staging.getMaxPadBytes(); pad += kPadStep) {
        Candidate candidate = build({colBits, rowBits, first}, pad, *access);
        if (!best || candidate.cost() < best->cost())
          best = candidate;
      }
  }
  if (best->layout.getConflictWays() > 1)
    op->emitRemark() << "no LDS layout free of bank conflicts within "
                     << staging.getMaxPadBytes() << " bytes of padding a line: "
                     << best->layout.getConflictWays() << " ways remain";
  return *best;
}

/// Splits one load into copy and read. `offsetBytes` advances past its buffer.
template <typename Load, typename Async, typename Read>
LogicalResult split(Load load, Operand operand, StagingAttr staging,
                    int64_t waves, int64_t &offsetBytes) {
  TileType tile = load.getTile().getType();
  if (!tile.getLayout())
    return load.emitOpError("expected a tile with a lane layout, found none; "
                            "run fmha-assign-lane-layouts");
  FailureOr<Candidate> plan = Planner(tile, staging, waves).plan(load);
  if (failed(plan))
    return failure();

  auto kernel = load->template getParentOfType<KernelOp>();
  Location loc = load.getLoc();
  Block &entry = kernel.getBody().front();
  auto after = entry.begin(); // behind the buffers planned before
  while (after != entry.end() && isa<LdsBufferOp>(*after))
    ++after;
  OpBuilder b(&entry, after);
  constexpr int64_t kBufferAlignBytes = 256; // bank 0
  Value buffer; // the first; tiles take turns once they overlap
  for (int64_t i = 0; i < staging.getBuffers(); ++i) {
    auto type = LdsType::get(b.getContext(), tile.getShape(), tile.getElement(),
                             offsetBytes, plan->layout);
    Value next = LdsBufferOp::create(b, loc, type, operand);
    buffer = buffer ? buffer : next;
    offsetBytes =
        llvm::alignTo(offsetBytes + plan->layout.getBytes(), kBufferAlignBytes);
  }

  b.setInsertionPoint(load);
  Value token =
      Async::create(b, loc, TokenType::get(b.getContext()), load.getView(),
                    load.getIndex(), buffer, plan->dma);
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
    Value read = Read::create(b, loc, tile, buffer, token, Value(), PartAttr());
    load.getTile().replaceAllUsesWith(read);
  }
  load.erase();
  return success();
}

struct PlanLds : impl::PlanLdsPassBase<PlanLds> {
  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (failed(plan(kernel)))
        return signalPassFailure();
  }

  LogicalResult plan(KernelOp kernel) {
    ScheduleAttr schedule = kernel.getSchedule();
    SmallVector<Operation *> loads;
    kernel.walk([&](Operation *op) {
      if (isa<LoadKOp, LoadVOp>(op))
        loads.push_back(op);
    });
    int64_t bytes = 0;
    for (Operation *op : loads) {
      LogicalResult result =
          isa<LoadKOp>(op) ? split<LoadKOp, LoadKAsyncOp, ReadKOp>(
                                 cast<LoadKOp>(op), Operand::K, schedule.getK(),
                                 schedule.getWaves(), bytes)
                           : split<LoadVOp, LoadVAsyncOp, ReadVOp>(
                                 cast<LoadVOp>(op), Operand::V, schedule.getV(),
                                 schedule.getWaves(), bytes);
      if (failed(result))
        return failure();
    }
    if (bytes > chip::kLdsBytes)
      return kernel.emitOpError()
             << "LDS plan needs " << bytes << " bytes, a gfx950 workgroup has "
             << chip::kLdsBytes << "; reduce tile_n or padding";
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
