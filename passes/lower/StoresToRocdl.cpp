// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "lower/Lanes.h"
#include "lower/Slices.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_STORESTOROCDLPASS
#include "Passes.h.inc"

namespace {

/// Lowers the stores of one kernel.
class StoreLowering {
public:
  explicit StoreLowering(KernelOp kernel)
      : kernel(kernel), b(kernel.getContext()) {}

  LogicalResult run();

private:
  /// How the pieces that one store moves lie in the lanes.
  struct Pieces {
    int64_t cols;                            ///< columns of a piece
    std::optional<unsigned> laneBit, regBit; ///< swapped, where both are there
    SmallVector<int64_t> rowWeights, colWeights; ///< of lane bits
  };

  LogicalResult lower(StoreOOp op);
  LogicalResult lower(StoreLseOp op);
  FailureOr<Pieces> planPieces(StoreOOp op, int64_t elemBytes);
  SmallVector<Value> words(ArrayRef<Value> elements, Type element);
  void store(ArrayRef<Value> data, const Slice &slice, Value offset);

  Value i32(int64_t value) { return constantI32(b, loc, value); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  void at(Operation *op) {
    b.setInsertionPoint(op);
    loc = op->getLoc();
  }

  KernelOp kernel;
  OpBuilder b;
  Location loc = UnknownLoc::get(kernel.getContext());
  Slices slices;
};

/// A lane holds runs of neighbouring columns. Where a run is what a store
/// moves, it is stored as it lies. Where it is half of that, the lane that
/// differs in one bit, 4 or 5, holds the neighbouring run of the same row: a
/// permlane swap of two of the lane's runs gives it both halves of one and its
/// partner both halves of the other.
FailureOr<StoreLowering::Pieces> StoreLowering::planPieces(StoreOOp op,
                                                           int64_t elemBytes) {
  LaneLayoutAttr layout = op.getTile().getType().getLayout();
  unsigned runBits = 0;
  while (runBits < layout.regBits() &&
         layout.regBasis(runBits, 1) == int64_t(1) << runBits)
    ++runBits;
  int64_t run = int64_t(1) << runBits;
  Pieces pieces;
  pieces.cols = kVectorAccessBytes / elemBytes;
  for (unsigned bit : {4u, 5u})
    if (layout.laneBasis(bit, 1) == run)
      pieces.laneBit = bit;
  for (unsigned bit = runBits; bit < layout.regBits() && !pieces.regBit; ++bit)
    if (layout.regBasis(bit, 1))
      pieces.regBit = bit;
  if (run >= pieces.cols) {
    pieces.laneBit = pieces.regBit = std::nullopt;
  } else if (!pieces.laneBit || !pieces.regBit || 2 * run != pieces.cols) {
    return op.emitOpError()
           << "expected runs of " << pieces.cols / 2
           << " columns, the next run in lane bit 4 or 5 and another in a "
              "register bit, found runs of "
           << run << " in " << layout;
  }
  for (unsigned bit = 0; bit < layout.laneBits(); ++bit) {
    pieces.rowWeights.push_back(layout.laneBasis(bit, 0));
    // After the swap the lane bit counts what the register bit counted.
    pieces.colWeights.push_back(pieces.laneBit == bit
                                    ? layout.regBasis(*pieces.regBit, 1)
                                    : layout.laneBasis(bit, 1));
  }
  return pieces;
}

/// Elements, rounded to `element`, as 32-bit words.
SmallVector<Value> StoreLowering::words(ArrayRef<Value> elements,
                                        Type element) {
  int64_t count = elements.size();
  Value vector = pack(b, loc, elements, count).front();
  if (!element.isF32())
    vector = arith::TruncFOp::create(b, loc, VectorType::get({count}, element),
                                     vector);
  int64_t bits = count * element.getIntOrFloatBitWidth();
  constexpr int64_t kWordBits = 32;
  return unpack(
      b, loc,
      LLVM::BitcastOp::create(
          b, loc, VectorType::get({bits / kWordBits}, b.getI32Type()), vector)
          .getResult());
}

/// All of the offset is a vector register: hardware reads the data of a wide
/// store late, and with a scalar register as offset LLVM 22 lets the next
/// instruction overwrite it (llvm/llvm-project pull request 197267, seen on
/// MI350X). The launcher's proof keeps the sum below 2^32.
void StoreLowering::store(ArrayRef<Value> data, const Slice &slice,
                          Value offset) {
  ROCDL::RawPtrBufferStoreOp::create(
      b, loc, pack(b, loc, data, data.size()).front(), slice.descriptor, offset,
      i32(0), i32(0), ArrayAttr(), ArrayAttr(), ArrayAttr());
}

LogicalResult StoreLowering::lower(StoreOOp op) {
  if (failed(requireLayout(op, op.getTile())))
    return failure();
  FailureOr<Slice> slice = slices.get(op, op.getView());
  if (failed(slice))
    return failure();
  at(op);
  TileType type = op.getTile().getType();
  LaneLayoutAttr layout = type.getLayout();
  Type element = op.getView().getType().getElement();
  int64_t elemBytes = element.getIntOrFloatBitWidth() / 8;
  FailureOr<Pieces> pieces = planPieces(op, elemBytes);
  if (failed(pieces))
    return failure();

  SmallVector<Value> elements(layout.getRegElems());
  SmallVector<Value> fragments = toLanes(b, loc, op.getTile());
  for (int64_t i : type.presentFragments())
    llvm::copy(unpack(b, loc, fragments[i]),
               elements.begin() + i * layout.getFragment());
  Value lane = IdOp::create(b, loc, b.getI32Type(), Id::Lane);
  Value laneCol = emitWeightedBits(b, loc, lane, pieces->colWeights);
  Value firstWaveRow =
      add(emitFirstRow(b, loc, kernel), emitWaveCoord(b, loc, layout, 0));
  Value laneOffset =
      add(add(mul(emitWeightedBits(b, loc, lane, pieces->rowWeights),
                  slice->rowStride),
              mul(laneCol, i32(elemBytes))),
          mul(firstWaveRow, slice->rowStride));
  int64_t laneMax = 0;
  for (int64_t weight : pieces->colWeights)
    laneMax += weight;

  bool swaps = pieces->laneBit.has_value();
  int64_t run = swaps ? pieces->cols / 2 : pieces->cols;
  auto wordsOfRun = [&](int64_t first) {
    SmallVector<Value> values(ArrayRef(elements).slice(first, run));
    if (!values.front()) // padding: what a swap brings from it is not stored
      values.assign(run, constantF32(b, loc, 0));
    return words(values, element);
  };
  for (int64_t reg = 0; reg < layout.getRegElems(); reg += run) {
    int64_t col = layout.regCoord(reg, 1);
    // The other half of a swap; columns that padding leaves out.
    if ((swaps && reg >> *pieces->regBit & 1) || !elements[reg] ||
        col >= type.getCols())
      continue;
    SmallVector<Value> data = wordsOfRun(reg);
    if (swaps) {
      SmallVector<Value> second;
      for (auto [x, y] :
           llvm::zip(data, wordsOfRun(reg | int64_t(1) << *pieces->regBit))) {
        auto [a, c] = emitPermlaneSwap(b, loc, x, y, *pieces->laneBit);
        x = a;
        second.push_back(c);
      }
      data.append(second);
    }
    Value offset = laneOffset;
    if (int64_t row = layout.regCoord(reg, 0))
      offset = add(offset, mul(i32(row), slice->rowStride));
    offset =
        guardColumns(b, loc, add(offset, i32(col * elemBytes)), laneCol,
                     laneMax, Value(), 0, col, pieces->cols, type.getCols());
    store(data, *slice, offset);
  }
  op.erase();
  return success();
}

LogicalResult StoreLowering::lower(StoreLseOp op) {
  if (failed(requireLayout(op, op.getLogSum())))
    return failure();
  FailureOr<Slice> slice = slices.get(op, op.getView());
  if (failed(slice))
    return failure();
  at(op);
  LaneLayoutAttr layout = op.getLogSum().getType().getLayout();
  // Lanes that differ in these bits hold the same rows.
  int64_t replicas = 0;
  for (unsigned bit = 0; bit < layout.laneBits(); ++bit)
    if (!layout.laneBasis(bit, 0))
      replicas |= int64_t(1) << bit;
  Value lane = IdOp::create(b, loc, b.getI32Type(), Id::Lane);
  Value isFirst = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq,
      arith::AndIOp::create(b, loc, lane, i32(replicas)), i32(0));
  Value laneOffset = arith::SelectOp::create(
      b, loc, isFirst, mul(emitLaneCoord(b, loc, layout, 0), slice->rowStride),
      pastEveryExtent(b, loc));
  Value firstWaveRow =
      add(emitFirstRow(b, loc, kernel), emitWaveCoord(b, loc, layout, 0));
  for (auto [reg, lse] :
       llvm::enumerate(unpack(b, loc, toLanes(b, loc, op.getLogSum())))) {
    Value uniform =
        mul(add(firstWaveRow, i32(layout.regCoord(reg, 0))), slice->rowStride);
    ROCDL::RawPtrBufferStoreOp::create(b, loc, lse, slice->descriptor,
                                       laneOffset, uniform, i32(0), ArrayAttr(),
                                       ArrayAttr(), ArrayAttr());
  }
  op.erase();
  return success();
}

LogicalResult StoreLowering::run() {
  if (failed(lowerEach<StoreOOp, StoreLseOp>(
          kernel, [&](auto op) { return lower(op); })))
    return failure();
  eraseUnusedViews(kernel);
  return success();
}

struct StoresToRocdl : impl::StoresToRocdlPassBase<StoresToRocdl> {
  void runOnOperation() override {
    if (failed(StoreLowering(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::fmha
