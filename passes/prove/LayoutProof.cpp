// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chip/Chip.h"
#include "prove/Proofs.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

/// Bytes of LDS that one buffer's elements take, each taken once.
LogicalResult proveBuffer(LdsBufferOp op, llvm::BitVector &lds) {
  LdsType type = op.getBuffer().getType();
  int64_t elemBytes = bytesOf(bitsOf(type.getElement()));
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

/// How many different words a bank has to serve in a phase of a read, at worst.
int64_t waysOf(ArrayRef<int64_t> address, int64_t bytes) {
  using InPhase = std::pair<int64_t, int64_t>;
  llvm::DenseSet<InPhase> words;
  llvm::DenseMap<InPhase, int64_t> ofBank;
  int64_t most = 0;
  for (auto [lane, first] : llvm::enumerate(address))
    for (int64_t word = first / chip::kLdsBankBytes;
         word <= (first + bytes - 1) / chip::kLdsBankBytes; ++word) {
      int64_t phase = chip::ldsReadPhase(bytes, lane);
      if (words.insert({phase, word}).second)
        most = std::max(most, ++ofBank[{phase, word % chip::kLdsBanks}]);
    }
  return most;
}

/// Each element is copied once, by an instruction that is issued; `moved` are
/// these, row by row. Each lane takes neighbours in memory, and each
/// instruction writes a line, lane by lane, since they cannot do otherwise.
/// Neighbours are those of a row, or, with `ofKeys`, of a column.
LogicalResult proveCopy(LdsAccessOp op, bool ofKeys, llvm::BitVector &moved) {
  LdsType type = op.getBuffer().getType();
  LdsLayoutAttr layout = type.getLayout();
  LaneLayoutAttr dma = op.getTouchLayout();
  int64_t rows = type.getShape()[0], cols = type.getShape()[1];
  int64_t elemBytes = bytesOf(bitsOf(type.getElement()));
  int64_t laneElems = dma.getFragment(), laneBytes = laneElems * elemBytes;
  int64_t waves = op->getParentOfType<KernelOp>().getSchedule().getWaves();
  moved.resize(rows * cols);
  SmallVector<int64_t> issued = op.getTouchedFragments();
  for (int64_t wave = 0; wave < waves; ++wave)
    for (int64_t fragment = 0; fragment < dma.getFragments(); ++fragment) {
      bool isIssued = llvm::is_contained(issued, fragment);
      int64_t reg = fragment * laneElems, firstByte = 0;
      for (int64_t lane = 0; lane < chip::kWaveLanes; ++lane) {
        auto [firstRow, firstCol] = coordinatesOf(dma, reg, lane, wave);
        if (!lane)
          firstByte = layout.offsetOf(firstRow, firstCol);
        for (int64_t element = 0; element < laneElems; ++element) {
          auto [row, col] = coordinatesOf(dma, reg + element, lane, wave);
          if (row >= rows || col >= cols)
            return op->emitOpError()
                   << "copies element (" << row << ", " << col
                   << ") of a tile of " << rows << "x" << cols;
          if (row != firstRow + (ofKeys ? element : 0) ||
              col != firstCol + (ofKeys ? 0 : element))
            return op->emitOpError()
                   << "moves element (" << row << ", " << col << ") as number "
                   << element << " after (" << firstRow << ", " << firstCol
                   << "), where memory has another";
          int64_t byte = layout.offsetOf(row, col);
          int64_t written = firstByte + lane * laneBytes + element * elemBytes;
          if (byte != written)
            return op->emitOpError()
                   << "writes element (" << row << ", " << col << ") to byte "
                   << written << ", where the layout has it at " << byte;
          if (!isIssued)
            continue;
          if (moved.test(row * cols + col))
            return op->emitOpError()
                   << "copies element (" << row << ", " << col << ") twice";
          moved.set(row * cols + col);
        }
      }
    }
  if (laneBytes * chip::kWaveLanes != layout.getLineBytes())
    return op->emitOpError()
           << "expected instructions of line_bytes = " << layout.getLineBytes()
           << ", found " << laneBytes * chip::kWaveLanes;
  return success();
}

/// Of the read whose results begin at register `reg`: the lane and the register
/// that get element `e` after the address that `lane` gives. Of 16 lanes that
/// read transposed, each gives the address of n neighbours in a row, so that
/// 16 / n lanes have a row. Of row j, lane x of them has what lanes n x to
/// n x + n - 1 get in register j: n is 4 for elements of 16 bits and 8 for
/// those of 8. Source: CDNA4 ISA guide, DS_READ_B64_TR_B16 and
/// DS_READ_B64_TR_B8.
std::pair<int64_t, int64_t> takerOf(LdsRead read, int64_t lane, int64_t reg,
                                    int64_t e, int64_t n) {
  if (read == LdsRead::Row)
    return {lane, reg + e};
  constexpr int64_t kGroup = 16;
  int64_t inGroup = lane % kGroup, ofRow = kGroup / n;
  return {lane - inGroup + inGroup % ofRow * n + e, reg + inGroup / ofRow};
}

/// The exchange has room for what each lane of each wave shares: of O the part,
/// and two numbers for each of its rows.
LogicalResult proveShare(ShareOp op) {
  constexpr int64_t kF32Bytes = 4;
  auto elemsOf = [](TileType tile) { return tile.getLayout().getRegElems(); };
  int64_t elems = elemsOf(op.getO().getType());
  if (PartAttr part = op.getPartAttr())
    elems = elems * (part.getLast() - part.getFirst()) / part.getOf();
  elems += elemsOf(op.getM().getType()) + elemsOf(op.getL().getType());
  const int64_t waves =
      op->getParentOfType<KernelOp>().getSchedule().getWaves();
  const int64_t needed = waves * chip::kWaveLanes * elems * kF32Bytes;
  const int64_t bytes = op.getExchange().getType().getBytes();
  if (bytes < needed || bytes > chip::kLdsBytes)
    return op.emitOpError()
           << "expected an exchange of at least " << needed
           << " bytes and at most " << chip::kLdsBytes << ", found " << bytes;
  return success();
}

/// The operand whose buffer it is: others may be read from it, too.
Operand operandOf(Value buffer, LdsAccessOp op) {
  auto own = buffer.getDefiningOp<LdsBufferOp>();
  return own ? own.getOperand() : op.getOperand();
}

/// Elements of a buffer's tiles, row by row, that some read takes, by the
/// operand whose buffer it is.
using ReadElements = llvm::DenseMap<Operand, llvm::BitVector>;

/// The most words that a bank serves in a phase of some read of a buffer.
struct SharedWays {
  int64_t most = 1;
  bool hasParts = false;
  llvm::SmallDenseSet<Operand, 2> operands; ///< that are read from it
};
using BufferWays = llvm::MapVector<Value, SharedWays>;

/// Whether a buffer is read for another operand, too.
bool isRead(Value buffer, Operand but) {
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    auto access = dyn_cast<LdsAccessOp>(user);
    return access && !access.isCopy() && access.getOperand() != but;
  });
}

/// Every lane finds what its read should give it, on end and aligned; and the
/// conflicts of all reads are those that the layout states: those of a part may
/// be fewer.
LogicalResult proveRead(LdsAccessOp op, LdsRead read, bool ofKeys,
                        ReadElements &elements, BufferWays &ofBuffers) {
  // Keys that lie on end are a column without transposing.
  if (ofKeys)
    read = LdsRead::Row;
  LdsType type = op.getBuffer().getType();
  LdsLayoutAttr layout = type.getLayout();
  LaneLayoutAttr lanes = op.getTouchLayout();
  int64_t elemBytes = bytesOf(bitsOf(type.getElement()));
  int64_t bytes = read == LdsRead::Row ? 16 : 8, ways = 1;
  // Of keys no more than a fragment has.
  if (ofKeys)
    bytes = std::min(bytes, lanes.getFragment() * elemBytes);
  int64_t elems = bytes / elemBytes, cols = type.getShape()[1];
  llvm::BitVector &taken = elements[operandOf(op.getBuffer(), op)];
  taken.resize(type.getShape()[0] * cols);
  // Waves that read the same are one.
  const bool isShared =
      llvm::all_of(lanes.getWave(), [](int64_t at) { return at == 0; });
  const int64_t waves =
      isShared ? 1 : op->getParentOfType<KernelOp>().getSchedule().getWaves();
  for (int64_t fragment : op.getTouchedFragments())
    for (int64_t at = 0; at < waves * lanes.getFragment(); at += elems) {
      const int64_t wave = at / lanes.getFragment();
      const int64_t reg =
          fragment * lanes.getFragment() + at % lanes.getFragment();
      SmallVector<int64_t> address;
      for (int64_t lane = 0; lane < chip::kWaveLanes; ++lane)
        for (int64_t e = 0; e < elems; ++e) {
          auto [taker, slot] = takerOf(read, lane, reg, e, elems);
          auto [row, col] = coordinatesOf(lanes, slot, taker, wave);
          if (row >= type.getShape()[0] || col >= cols)
            return op->emitOpError()
                   << "reads element (" << row << ", " << col
                   << ") of a tile of " << type.getShape()[0] << "x" << cols;
          taken.set(row * cols + col);
          int64_t byte = layout.offsetOf(row, col);
          if (!e)
            address.push_back(byte);
          if (byte != address.back() + e * elemBytes || address.back() % bytes)
            return op->emitOpError()
                   << "needs element (" << row << ", " << col << ") at byte "
                   << llvm::alignDown(address.back(), bytes) + e * elemBytes
                   << " for a read of " << bytes
                   << " bytes on end, where the layout has it at " << byte;
        }
      ways = std::max(ways, waysOf(address, bytes));
    }
  // What several operands are read from states those of all.
  bool isPart = cast<StepOp>(*op).getPartAttr() != nullptr;
  SharedWays &shared = ofBuffers[op.getBuffer()];
  shared.most = std::max(shared.most, ways);
  shared.operands.insert(op.getOperand());
  shared.hasParts |= isPart;
  if (isPart || isRead(op.getBuffer(), op.getOperand())
          ? ways > layout.getConflictWays()
          : ways != layout.getConflictWays())
    return op->emitOpError()
           << "expected the layout to state the bank conflicts of its reads, "
           << ways << " ways, found " << layout.getConflictWays();
  return success();
}

} // namespace

std::pair<int64_t, int64_t> fmha::coordinatesOf(LaneLayoutAttr layout,
                                                int64_t reg, int64_t lane,
                                                int64_t wave) {
  int64_t row = 0, col = 0;
  for (auto [bases, index] : {std::pair(layout.getReg(), reg),
                              {layout.getLane(), lane},
                              {layout.getWave(), wave}})
    for (size_t bit = 0; bit < bases.size() / 2; ++bit) {
      // No branch on a bit that nobody can predict: proofs ask for all slots.
      row ^= bases[2 * bit] & -(index >> bit & 1);
      col ^= bases[2 * bit + 1] & -(index >> bit & 1);
    }
  return {row, col};
}

LogicalResult fmha::proveLayouts(KernelOp kernel) {
  llvm::BitVector lds(chip::kLdsBytes);
  ReadElements elements;
  BufferWays ofBuffers;
  SmallVector<std::pair<LdsAccessOp, llvm::BitVector>> copies;
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<TileType>(type); tile && !tile.getLayout())
        return op->emitOpError("expected a lane layout on every tile, found "
                               "none");
    if (isa<LoadOp>(op))
      return op->emitOpError("expected loads of K and V to go through LDS, "
                             "found one that does not");
    if (auto buffer = dyn_cast<LdsBufferOp>(op))
      return proveBuffer(buffer, lds);
    if (isa<MergeWavesOp>(op))
      return op->emitOpError("expected waves to merge through LDS, found one "
                             "that does not say how");
    if (auto share = dyn_cast<ShareOp>(op))
      return proveShare(share);
    auto access = dyn_cast<LdsAccessOp>(op);
    if (!access)
      return WalkResult::advance();
    // Pages hold V's pieces of 16 bytes along keys.
    const bool ofKeys = kernel.getProblem().getVectorised() &&
                        access.getOperand() == Operand::V &&
                        !kernel.getProblem().getVInK();
    if (!access.isCopy())
      return proveRead(access,
                       staged(access.getOperand())
                           .getStaging(kernel.getSchedule())
                           .getRead(),
                       ofKeys, elements, ofBuffers);
    copies.push_back({access, {}});
    return proveCopy(access, ofKeys, copies.back().second);
  });
  if (result.wasInterrupted())
    return failure();
  for (auto &[buffer, ways] : ofBuffers)
    if (int64_t stated =
            cast<LdsType>(buffer.getType()).getLayout().getConflictWays();
        ways.operands.size() > 1 && !ways.hasParts && ways.most != stated)
      return kernel.emitOpError()
             << "expected the layout of a buffer of several operands to state "
                "the bank conflicts of their reads, "
             << ways.most << " ways, found " << stated;
  for (auto &[copy, moved] : copies) {
    llvm::BitVector missing = elements.lookup(copy.getOperand());
    missing.reset(moved);
    int64_t cols = copy.getBuffer().getType().getShape()[1];
    if (int first = missing.find_first(); first != -1)
      return copy->emitOpError() << "never copies element (" << first / cols
                                 << ", " << first % cols << "), which is read";
  }
  return success();
}
