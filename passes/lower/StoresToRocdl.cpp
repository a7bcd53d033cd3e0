// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "lower/RowMath.h"
#include "lower/RowPlaces.h"
#include "lower/Slices.h"

#include <numeric>

namespace mlir::fmha {
#define GEN_PASS_DEF_STORESTOROCDLPASS
#include "Passes.h.inc"

namespace {

/// How a lane comes by twice as many neighbouring columns: it has both halves
/// in registers that differ in bit `reg`, or, with a lane bit, the lane that
/// differs in that has the other half.
struct Doubling {
  unsigned reg;
  std::optional<unsigned> lane;
};

/// How the pieces that one store moves lie in the lanes.
struct Pieces {
  int64_t run;                                 ///< columns that a lane has
  int64_t cols;                                ///< columns of a piece
  SmallVector<Doubling> doublings;             ///< from a run to a piece
  SmallVector<int64_t> rowWeights, colWeights; ///< of lane bits
};

/// The bit of register numbers that counts columns in steps of `cols`.
std::optional<unsigned> regBitOf(LaneLayoutAttr layout, int64_t cols) {
  for (unsigned bit = 0; bit < layout.regBits(); ++bit)
    if (layout.regBasis(bit, 1) == cols)
      return bit;
  return std::nullopt;
}

/// A lane holds runs of neighbouring columns. Where a run is what a store
/// moves, it is stored as it lies. Where it is less, the run beside it is in
/// other registers of the lane, or in the lane that differs in one bit, 4 or 5:
/// a permlane swap of two of the lane's runs gives it both halves of one and
/// its partner both halves of the other.
FailureOr<Pieces> planPieces(StoreOOp op, int64_t elemBytes) {
  LaneLayoutAttr layout = op.getTile().getType().getLayout();
  unsigned runBits = 0;
  while (runBits < layout.regBits() &&
         layout.regBasis(runBits, 1) == int64_t(1) << runBits)
    ++runBits;
  Pieces pieces;
  pieces.cols = kVectorAccessBytes / elemBytes;
  pieces.run = std::min(int64_t(1) << runBits, pieces.cols);
  for (unsigned bit = 0; bit < layout.laneBits(); ++bit) {
    pieces.rowWeights.push_back(layout.laneBasis(bit, 0));
    pieces.colWeights.push_back(layout.laneBasis(bit, 1));
  }
  // Columns beyond a piece, by register: they change places with lanes.
  int64_t beyond = pieces.cols;
  for (int64_t half = pieces.run; half < pieces.cols; half *= 2) {
    if (std::optional<unsigned> reg = regBitOf(layout, half)) {
      pieces.doublings.push_back({*reg, std::nullopt});
      continue;
    }
    std::optional<unsigned> lane, reg;
    for (unsigned bit : {4u, 5u})
      if (layout.laneBasis(bit, 1) == half)
        lane = bit;
    int64_t most = op.getTile().getType().dim(1);
    for (; !reg && beyond < most; beyond *= 2)
      reg = regBitOf(layout, beyond);
    if (lane && !reg) {
      // No others to exchange: there are none, or they are those of other
      // waves.
      pieces.cols = half;
      break;
    }
    if (!lane || !reg)
      return op.emitOpError()
             << "expected runs of " << pieces.cols / 2
             << " columns, the next run in lane bit 4 or 5 and another in a "
                "register bit, found runs of "
             << half << " in " << layout;
    pieces.doublings.push_back({*reg, *lane});
    // After the swap the lane bit counts what the register bit counted.
    pieces.colWeights[*lane] = layout.regBasis(*reg, 1);
  }
  return pieces;
}

/// Past every extent in lanes, and in waves, that hold the same as others: one
/// of them stores it.
Value dropCopies(LaneBuilder &b, LaneLayoutAttr layout, Value offset) {
  auto copies = [&](ArrayRef<int64_t> bases) {
    int64_t bits = 0;
    for (size_t bit = 0; bit * layout.getRank() < bases.size(); ++bit)
      if (llvm::all_of(bases.slice(bit * layout.getRank(), layout.getRank()),
                       [](int64_t at) { return at == 0; }))
        bits |= int64_t(1) << bit;
    return bits;
  };
  for (auto [id, bits] : {std::pair(Id::Lane, copies(layout.getLane())),
                          {Id::Wave, copies(layout.getWave())}}) {
    if (!bits)
      continue;
    Value copy = arith::AndIOp::create(b, b.id(id), b.i32(bits));
    Value isFirst = b.cmp(arith::CmpIPredicate::eq, copy, b.i32(0));
    offset = b.select(isFirst, offset, pastEveryExtent(b));
  }
  return offset;
}

/// The wave's first row in the view: of a part the item's rows are the first.
Value firstWaveRow(LaneBuilder &b, Value view, LaneLayoutAttr layout) {
  Operand operand = view.getDefiningOp<ViewOp>().getOperand();
  return tensorArgs(operand).isOfItem() ? b.waveCoord(layout, 0)
                                        : b.waveRow(layout);
}

FailureOr<Values> lower(StoreOOp op, LaneBuilder &b, Slices &slices) {
  FailureOr<Slice> slice = slices.get(op, op.getView());
  if (failed(slice))
    return failure();
  TileType type = op.getTile().getType();
  LaneLayoutAttr layout = type.getLayout();
  Type element = op.getView().getType().getElement();
  int64_t elemBytes = bytesOf(bitsOf(element));
  FailureOr<Pieces> pieces = planPieces(op, elemBytes);
  if (failed(pieces))
    return failure();
  if (bitsOf(element) == kByteBits)
    saturateConversions(b);

  Values elements(layout.getRegElems());
  for (auto [i, fragment] :
       llvm::zip(type.presentFragments(), b.toPresentLanes(op.getTile())))
    llvm::copy(b.unpack(fragment), elements.begin() + i * layout.getFragment());
  Value lane = b.id(Id::Lane);
  Value laneCol = b.weightedBits(lane, pieces->colWeights);
  Value firstRow = firstWaveRow(b, op.getView(), layout);
  Value laneRow = b.weightedBits(lane, pieces->rowWeights);
  RowPlaces places(b, *slice, laneRow);
  places.addColumns(b, b.mul(laneCol, b.i32(elemBytes)));
  places.begin(firstRow);
  if (!places.areOfLanes())
    (void)places.whole(b, 0); // before the data, whose order is kept
  Value waveCol;
  const int64_t waveMax = waveExtent(layout, 1);
  if (waveMax) {
    waveCol = b.waveCoord(layout, 1);
    places.addToWhole(b, b.mul(waveCol, b.i32(elemBytes)));
  }
  int64_t laneMax = std::accumulate(pieces->colWeights.begin(),
                                    pieces->colWeights.end(), int64_t(0));

  int64_t others = 0; // registers that a piece has beside its first
  for (const Doubling &doubling : pieces->doublings)
    others |= int64_t(1) << doubling.reg;
  auto wordsOfRun = [&](int64_t first) {
    Values values(ArrayRef(elements).slice(first, pieces->run));
    if (!values.front()) // padding: what a swap brings from it is not stored
      values.assign(pieces->run, b.f32(0));
    return wordsOf(b, values, element);
  };
  /// Words of the piece that begins with register `first`, as far as the
  /// `doublings` lead.
  auto gather = [&](auto &gather, int64_t first,
                    ArrayRef<Doubling> doublings) -> Values {
    if (doublings.empty())
      return wordsOfRun(first);
    const Doubling &last = doublings.back();
    Values data = gather(gather, first, doublings.drop_back());
    Values second =
        gather(gather, first | int64_t(1) << last.reg, doublings.drop_back());
    if (last.lane)
      for (auto [x, y] : llvm::zip(data, second))
        std::tie(x, y) = b.permlaneSwap(x, y, *last.lane);
    data.append(second);
    return data;
  };
  for (int64_t reg = 0; reg < layout.getRegElems(); reg += pieces->run) {
    int64_t col = layout.regCoord(reg, 1);
    // Of another piece; columns that padding leaves out.
    if (reg & others || !elements[reg] || col >= type.getCols())
      continue;
    Values data = gather(gather, reg, pieces->doublings);
    Value offset = places.whole(b, layout.regCoord(reg, 0));
    offset =
        guardColumns(b, b.add(offset, b.i32(col * elemBytes)), laneCol, laneMax,
                     waveCol, waveMax, col, pieces->cols, type.getCols());
    // Last, as an addition may pass every extent and begin anew.
    offset = dropCopies(b, layout, offset);
    // All of the offset is a vector register: hardware reads the data of a wide
    // store late, and with a scalar register as offset LLVM 22 lets the next
    // instruction overwrite it (llvm/llvm-project pull request 197267, seen on
    // MI350X). The launcher's proof keeps the sum below 2^32.
    slice->store(b, data.size() == 1 ? data.front() : b.packAll(data), offset,
                 b.i32(0));
  }
  return Values();
}

FailureOr<Values> lower(StoreLseOp op, LaneBuilder &b, Slices &slices) {
  FailureOr<Slice> slice = slices.get(op, op.getView());
  if (failed(slice))
    return failure();
  LaneLayoutAttr layout = op.getLogSum().getType().getLayout();
  RowPlaces places(b, *slice, b.laneCoord(layout, 0));
  llvm::SmallDenseMap<Value, Value> offsets; // of lanes that store, by place
  auto offsetOf = [&](int64_t row) {
    Value place = places.ofLane(b, row);
    Value &offset = offsets[place];
    if (!offset)
      offset = dropCopies(b, layout, place);
    return offset;
  };
  if (!places.areOfLanes())
    (void)offsetOf(0);
  places.begin(firstWaveRow(b, op.getView(), layout));
  for (auto [reg, lse] : llvm::enumerate(b.elements(op.getLogSum()))) {
    const int64_t row = layout.regCoord(reg, 0);
    Value offset = offsetOf(row);
    slice->store(b, lse, offset, places.uniform(b, row));
  }
  return Values();
}

struct StoresToRocdl : impl::StoresToRocdlPassBase<StoresToRocdl> {
  LogicalResult run(KernelOp kernel) override {
    Slices slices;
    if (failed(lowerEach<StoreOOp, StoreLseOp>(
            kernel,
            [&](auto op, LaneBuilder &b) { return lower(op, b, slices); })))
      return failure();
    slices.getCaches().remark(
        kernel, {Operand::O, Operand::Lse, Operand::PartO, Operand::PartLse});
    eraseUnused<ViewOp>(kernel);
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
