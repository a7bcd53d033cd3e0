// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/LayoutProof.h"

#include "support/Chip.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

/// Bytes of LDS that one buffer's elements take, each taken once.
LogicalResult proveBuffer(LdsBufferOp op, llvm::BitVector &lds) {
  LdsType type = op.getBuffer().getType();
  int64_t elemBytes = type.getElement().getIntOrFloatBitWidth() / 8;
  for (int64_t row = 0; row < type.getShape()[0]; ++row)
    for (int64_t col = 0; col < type.getShape()[1]; ++col) {
      int64_t offset = type.getLayout().offsetOf(row, col);
      if (offset + elemBytes > type.getLayout().getBytes())
        return op.emitOpError()
               << "element (" << row << ", " << col << ") lies at byte "
               << offset << " of a layout of " << type.getLayout().getBytes();
      for (int64_t byte = 0; byte < elemBytes; ++byte) {
        int64_t at = type.getOffsetBytes() + offset + byte;
        if (at >= chip::kLdsBytes)
          return op.emitOpError() << "expected bytes below " << chip::kLdsBytes
                                  << " of LDS, found " << at;
        if (lds.test(at))
          return op.emitOpError()
                 << "element (" << row << ", " << col << ") overlaps byte "
                 << at << " of LDS, which another element has";
        lds.set(at);
      }
    }
  return success();
}

int64_t coordOf(int64_t index, unsigned bits,
                function_ref<int64_t(unsigned)> basis) {
  int64_t coord = 0;
  for (unsigned bit = 0; bit < bits; ++bit)
    if (index >> bit & 1)
      coord += basis(bit);
  return coord;
}

/// Every element that is read back is copied, by an instruction that is issued.
template <typename Async> LogicalResult proveCopy(Async op) {
  LdsType type = op.getBuffer().getType();
  LaneLayoutAttr dma = op.getDma();
  int64_t rows = type.getShape()[0], cols = type.getShape()[1];
  llvm::BitVector moved(rows * cols);
  SmallVector<int64_t> issued = op.issuedFragments();
  auto kernel = op->template getParentOfType<KernelOp>();
  for (int64_t wave = 0; wave < kernel.getSchedule().getWaves(); ++wave)
    for (int64_t lane = 0; lane < chip::kWaveLanes; ++lane)
      for (int64_t reg = 0; reg < dma.getRegElems(); ++reg) {
        bool isIssued = llvm::is_contained(issued, reg / dma.getFragment());
        int64_t at[2];
        for (unsigned dim = 0; dim < 2; ++dim)
          at[dim] =
              dma.regCoord(reg, dim) +
              coordOf(lane, dma.laneBits(),
                      [&](unsigned bit) { return dma.laneBasis(bit, dim); }) +
              coordOf(wave, dma.waveBits(),
                      [&](unsigned bit) { return dma.waveBasis(bit, dim); });
        if (at[0] >= rows || at[1] >= cols)
          return op.emitOpError()
                 << "copies element (" << at[0] << ", " << at[1]
                 << ") of a tile of " << rows << "x" << cols;
        if (isIssued)
          moved.set(at[0] * cols + at[1]);
      }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t col = 0; col < std::min(cols, op.readCols()); ++col)
      if (!moved.test(row * cols + col))
        return op.emitOpError()
               << "never copies element (" << row << ", " << col << ")";
  return success();
}

} // namespace

LogicalResult fmha::proveLayouts(KernelOp kernel) {
  llvm::BitVector lds(chip::kLdsBytes);
  WalkResult result = kernel.walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (auto tile = dyn_cast<TileType>(value.getType());
          tile && !tile.getLayout()) {
        op->emitOpError("expected a lane layout on every tile, found none");
        return WalkResult::interrupt();
      }
    if (isa<LoadKOp, LoadVOp>(op)) {
      op->emitOpError("expected loads of K and V to go through LDS, found one "
                      "that does not");
      return WalkResult::interrupt();
    }
    LogicalResult proof = success();
    if (auto buffer = dyn_cast<LdsBufferOp>(op))
      proof = proveBuffer(buffer, lds);
    else if (auto load = dyn_cast<LoadKAsyncOp>(op))
      proof = proveCopy(load);
    else if (auto vLoad = dyn_cast<LoadVAsyncOp>(op))
      proof = proveCopy(vLoad);
    return failed(proof) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
