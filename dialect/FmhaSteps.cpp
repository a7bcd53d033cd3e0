// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Verifiers of the steps: shapes, element types, and, once lane layouts are
/// there, that the operands of a product agree slot by slot.
#include "FmhaDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

LogicalResult expectShape(Operation *op, StringRef name, TileType tile,
                          ArrayRef<int64_t> shape) {
  if (tile.getShape() == shape)
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "expected " << name << " to be ";
  llvm::interleave(shape, diag, "x");
  diag << " elements, found ";
  llvm::interleave(tile.getShape(), diag, "x");
  return diag;
}

LogicalResult expectElement(Operation *op, StringRef name, Type found,
                            Type expected) {
  if (found == expected)
    return success();
  return op->emitOpError() << "expected elements of " << name << " to be "
                           << expected << ", found " << found;
}

/// A matrix instruction multiplies slot by slot: lane bits and the element bits
/// inside one operand fragment must mean the same offset of the contracted
/// dimension in both operands.
LogicalResult verifyContraction(Operation *op, StringRef aName, TileType a,
                                unsigned aDim, StringRef bName, TileType b,
                                unsigned bDim) {
  LaneLayoutAttr aLayout = a.getLayout(), bLayout = b.getLayout();
  if (!aLayout || !bLayout)
    return success();
  auto check = [&](StringRef where, unsigned bit, int64_t aOffset,
                   int64_t bOffset) -> LogicalResult {
    if (aOffset == bOffset)
      return success();
    return op->emitOpError()
           << "expected both operands to hold the same contracted index in "
           << where << " bit " << bit << ", found " << aOffset << " in "
           << aName << " and " << bOffset << " in " << bName;
  };
  if (aLayout.getFragment() != bLayout.getFragment())
    return op->emitOpError()
           << "expected fragments of the same size, found "
           << aLayout.getFragment() << " in " << aName << " and "
           << bLayout.getFragment() << " in " << bName;
  for (unsigned bit = 0; bit < aLayout.laneBits(); ++bit)
    if (failed(check("lane", bit, aLayout.laneBasis(bit, aDim),
                     bLayout.laneBasis(bit, bDim))))
      return failure();
  for (unsigned bit = 0; bit < llvm::Log2_64(aLayout.getFragment()); ++bit)
    if (failed(check("register", bit, aLayout.regBasis(bit, aDim),
                     bLayout.regBasis(bit, bDim))))
      return failure();
  return success();
}

} // namespace

LogicalResult fmha::verifyRows(Operation *op, StringRef name, TileType rows,
                               TileType tile) {
  if (failed(expectShape(op, name, rows, {tile.dim(0)})))
    return failure();
  LaneLayoutAttr rowLayout = rows.getLayout(), layout = tile.getLayout();
  if (!rowLayout || !layout)
    return success();
  auto check = [&](StringRef where, ArrayRef<int64_t> found,
                   ArrayRef<int64_t> expected) -> LogicalResult {
    if (found == expected)
      return success();
    InFlightDiagnostic diag = op->emitOpError()
                              << "expected " << where << " bits of " << name
                              << " to mean row offsets ";
    llvm::interleaveComma(expected, diag);
    diag << " as in the tile, found ";
    llvm::interleaveComma(found, diag);
    return diag;
  };
  // Rows by lane and by wave lie alike, bit for bit; register bits of the tile
  // that count columns have no counterpart.
  auto rowsOf = [](ArrayRef<int64_t> bases, unsigned rank, bool skipZero) {
    SmallVector<int64_t> rowBits;
    for (size_t bit = 0; bit < bases.size(); bit += rank)
      if (bases[bit] || !skipZero)
        rowBits.push_back(bases[bit]);
    return rowBits;
  };
  if (failed(check("lane", rowsOf(rowLayout.getLane(), 1, false),
                   rowsOf(layout.getLane(), 2, false))) ||
      failed(check("wave", rowsOf(rowLayout.getWave(), 1, false),
                   rowsOf(layout.getWave(), 2, false))))
    return failure();
  return check("register", rowsOf(rowLayout.getReg(), 1, true),
               rowsOf(layout.getReg(), 2, true));
}

namespace {

LogicalResult verifyFromMemory(Operation *op, StringRef from, int64_t cols,
                               Type element, TileType tile) {
  if (tile.getCols() != cols)
    return op->emitOpError() << "expected a tile of " << cols << " columns as "
                             << from << " has, found " << tile.getCols();
  return expectElement(op, "tile", tile.getElement(), element);
}

/// Numbers of pages lie where the keys of a tile are brought: in the lanes that
/// `dma` says.
LogicalResult verifyPages(Operation *op, Value rows, LaneLayoutAttr dma) {
  auto rowsOp = rows.getDefiningOp<RowsOp>();
  auto pages = rowsOp && rowsOp.getPages()
                   ? dyn_cast<TileType>(rowsOp.getPages().getType())
                   : TileType();
  if (!pages || !pages.getLayout() ||
      pages.getLayout() == LaneLayoutAttr::ofRows(dma))
    return success();
  return op->emitOpError() << "expected the numbers of pages in the lanes that "
                              "bring their keys, "
                           << LaneLayoutAttr::ofRows(dma) << ", found "
                           << pages.getLayout();
}

LogicalResult verifyCopy(Operation *op, RowsType rows, LdsType buffer,
                         LaneLayoutAttr dma) {
  if (buffer.getShape()[1] < rows.getCols())
    return op->emitOpError()
           << "expected a buffer of at least the " << rows.getCols()
           << " columns of the rows, found " << buffer.getShape()[1];
  if (buffer.getElement() != rows.getElement())
    return op->emitOpError() << "expected buffer elements " << rows.getElement()
                             << ", found " << buffer.getElement();
  if (dma.getRank() != 2)
    return op->emitOpError()
           << "expected dma to have 2 coordinates a basis, found "
           << dma.getRank();
  for (ArrayRef<int64_t> bases : {dma.getReg(), dma.getLane(), dma.getWave()})
    for (auto [i, coord] : llvm::enumerate(bases))
      if (coord >= buffer.getShape()[i % 2])
        return op->emitOpError()
               << "expected dma to stay within the buffer's "
               << buffer.getShape()[0] << "x" << buffer.getShape()[1]
               << " elements, found basis coordinate " << coord;
  return success();
}

/// V that lies in K is the first columns of what K's buffer holds.
LogicalResult verifyRead(Operation *op, LdsType buffer, TileType tile,
                         bool isShared) {
  const bool fits = isShared && tile.dim(0) == buffer.getShape()[0] &&
                    tile.dim(1) <= buffer.getShape()[1];
  if (!fits && tile.getShape() != buffer.getShape())
    return op->emitOpError()
           << "expected a tile of the buffer's shape, " << buffer.getShape()[0]
           << "x" << buffer.getShape()[1] << ", found " << tile.getShape()[0]
           << "x" << tile.getShape()[1];
  return expectElement(op, "tile", tile.getElement(), buffer.getElement());
}

} // namespace

LogicalResult LoadQOp::verify() {
  ViewType view = getView().getType();
  return verifyFromMemory(*this, "the view", view.getCols(), view.getElement(),
                          getTile().getType());
}
/// Elements keep their type on their way, or get one of more bits.
static LogicalResult verifyWidens(Operation *op, StringRef name, Type from,
                                  Type to) {
  if (from == to || (kindOf(to) && bitsOf(from) < bitsOf(to)))
    return success();
  return op->emitOpError() << "expected elements of " << name << " to be "
                           << from << ", or to have more bits, found " << to;
}

LogicalResult LoadOp::verify() {
  TileType tile = getTile().getType();
  RowsType rows = getRows().getType();
  if (failed(verifyWidens(*this, "tile", rows.getElement(), tile.getElement())))
    return failure();
  // Of V that lies in K the rows are K's.
  if (auto own = getRows().getDefiningOp<RowsOp>();
      own && own.getOperand() != getOperand() &&
      tile.getCols() <= rows.getCols())
    return success();
  return verifyFromMemory(*this, "a row", rows.getCols(), tile.getElement(),
                          tile);
}

/// Of a tile that has a lane layout, one load for each key of a lane, or for
/// those that surely lie in one page.
int64_t LookUpOp::getVectorMemoryInstructions() {
  auto tile = dyn_cast<TileType>(getPages().getType());
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!tile || !tile.getLayout() || !kernel ||
      sharePages(kernel.getProblem(), tile.getLayout()))
    return 0;
  const int64_t step = alignedRowsAPage(kernel.getProblem());
  llvm::SmallDenseSet<int64_t> loads;
  for (int64_t reg = 0; reg < tile.getLayout().getRegElems(); ++reg)
    loads.insert(tile.getLayout().regCoord(reg, 0) & -step);
  return loads.size();
}

/// A scalar load counts elsewhere.
int64_t TileFactorOp::getVectorMemoryInstructions() { return 0; }

/// What instructions take together is fetched, too: its columns are at least
/// those of the rows.
LogicalResult FetchOp::verify() {
  TileType tile = getTile().getType();
  RowsType rows = getRows().getType();
  if (tile.getCols() < rows.getCols())
    return emitOpError() << "expected a tile of at least the " << rows.getCols()
                         << " columns of the rows, found " << tile.getCols();
  if (tile.getLayout() &&
      failed(verifyPages(*this, getRows(), tile.getLayout())))
    return failure();
  return expectElement(*this, "tile", tile.getElement(), rows.getElement());
}

LogicalResult WriteOp::verify() {
  TileType tile = getTile().getType();
  LdsType buffer = getBuffer().getType();
  if (tile.getShape() != buffer.getShape())
    return emitOpError() << "expected a tile of the buffer's shape, "
                         << buffer.getShape()[0] << "x" << buffer.getShape()[1]
                         << ", found " << tile.getShape()[0] << "x"
                         << tile.getShape()[1];
  if (bitsOf(tile.getElement()) >= bitsOf(buffer.getElement()))
    return emitOpError() << "expected a tile of elements with fewer bits than "
                            "those of the buffer, "
                         << buffer.getElement() << ", found "
                         << tile.getElement();
  return success();
}

SmallVector<int64_t> WriteOp::getTouchedFragments() {
  TileType tile = getTile().getType();
  return tile.getLayout() ? tile.presentFragments() : SmallVector<int64_t>();
}

int64_t FetchOp::getVectorMemoryInstructions() {
  TileType tile = getTile().getType();
  return tile.getLayout() ? tile.presentFragments().size() : 0;
}
/// Padding that a matrix instruction takes arrives as zeros, since what LDS
/// held before may be NaN. The rest of it is in no instruction of its own.
static SmallVector<int64_t> issued(LaneLayoutAttr dma, int64_t cols) {
  // Column bits that lanes or waves change, too, may be 0 in one of them.
  int64_t varying = 0;
  for (unsigned bit = 0; bit < dma.laneBits(); ++bit)
    varying |= dma.laneBasis(bit, 1);
  for (unsigned bit = 0; bit < dma.waveBits(); ++bit)
    varying |= dma.waveBasis(bit, 1);
  SmallVector<int64_t> fragments;
  for (int64_t i = 0; i < dma.getFragments(); ++i)
    if ((dma.regCoord(i * dma.getFragment(), 1) & ~varying) < cols)
      fragments.push_back(i);
  return fragments;
}
SmallVector<int64_t> CopyOp::issuedFragments() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  return issued(getDma(),
                readColsOf(kernel.getProblem(), kernel.getSchedule(),
                           getOperand(), getRows().getType().getCols()));
}

LogicalResult RingSlotOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           ValueRange operands, DictionaryAttr,
                                           OpaqueProperties, RegionRange,
                                           SmallVectorImpl<Type> &types) {
  if (operands.size() < 2)
    return failure();
  types.push_back(operands[1].getType());
  return success();
}

int64_t RingSlotOp::strideBytes() {
  auto offset = [&](unsigned i) {
    return cast<LdsType>(getBuffers()[i].getType()).getOffsetBytes();
  };
  return getBuffers().size() > 1 ? offset(1) - offset(0) : 0;
}

LogicalResult RingSlotOp::verify() {
  LdsType first = getBuffer().getType();
  for (auto [i, buffer] : llvm::enumerate(getBuffers())) {
    if (!buffer.getDefiningOp<LdsBufferOp>())
      return emitOpError() << "expected each buffer to be that of a "
                              "fmha.lds_buffer, found another at "
                           << i;
    auto type = cast<LdsType>(buffer.getType());
    int64_t offset = first.getOffsetBytes() + int64_t(i) * strideBytes();
    auto expected = LdsType::get(getContext(), first.getShape(),
                                 first.getElement(), offset, first.getLayout());
    if (type != expected)
      return emitOpError() << "expected buffer " << i << " to be " << expected
                           << ", like the first and at equal distances, found "
                           << type;
  }
  return success();
}

LogicalResult CopyOp::verify() {
  if (failed(verifyCopy(*this, getRows().getType(), getBuffer().getType(),
                        getDma())))
    return failure();
  return verifyPages(*this, getRows(), getDma());
}
LogicalResult ReadOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  const bool isShared =
      kernel &&
      sharesBuffer(kernel.getProblem(), kernel.getSchedule(), getOperand());
  return verifyRead(*this, getBuffer().getType(), getTile().getType(),
                    isShared);
}

SmallVector<int64_t> ReadOp::getTouchedFragments() {
  TileType tile = getTile().getType();
  if (!tile.getLayout())
    return {};
  SmallVector<int64_t> present = tile.presentFragments();
  auto [first, last] = PartAttr::rangeOf(getPartAttr(), present.size());
  return SmallVector<int64_t>(ArrayRef(present).slice(first, last - first));
}

/// Instructions that each move `bytes` of what a lane holds of a tile.
static int64_t accessesOf(TileType tile, int64_t bytes) {
  LaneLayoutAttr layout = tile.getLayout();
  if (!layout)
    return 0;
  int64_t bits = tile.presentFragments().size() * layout.getFragment() *
                 bitsOf(tile.getElement());
  return llvm::divideCeil(bits, kByteBits * bytes);
}

int64_t LoadQOp::getVectorMemoryInstructions() {
  return accessesOf(getTile().getType(), kVectorAccessBytes);
}
int64_t AddBiasOp::getVectorMemoryInstructions() {
  return accessesOf(getS().getType(), kScalarAccessBytes);
}
int64_t LoadFactorsOp::getVectorMemoryInstructions() {
  return accessesOf(getFactors().getType(), kScalarAccessBytes);
}

/// One load for each key that a lane has scores of, or for those that surely
/// share a factor; none where a scalar load gives that of the whole tile.
static int64_t loadsOfKeys(Operation *op, Value view, TileType tile) {
  LaneLayoutAttr layout = tile.getLayout();
  auto viewOp = view.getDefiningOp<ViewOp>();
  auto kernel = op->getParentOfType<KernelOp>();
  if (!layout || !viewOp || !kernel ||
      sharesFactor(kernel.getProblem(), viewOp.getOperand(), tile.dim(1)))
    return 0;
  int64_t step = alignedRowsAFactor(kernel.getProblem(), viewOp.getOperand());
  llvm::SmallDenseSet<int64_t> loads;
  for (int64_t reg = 0; reg < layout.getRegElems(); ++reg)
    loads.insert(layout.regCoord(reg, 1) & -step);
  // Those of pages come after the numbers of these.
  return loads.size() *
         (hasFactorsOfPages(kernel.getProblem(), viewOp.getOperand()) ? 2 : 1);
}
int64_t ScaleKeysOp::getVectorMemoryInstructions() {
  return loadsOfKeys(*this, getView(), getS().getType());
}
int64_t FoldKeysOp::getVectorMemoryInstructions() {
  return loadsOfKeys(*this, getView(), getX().getType());
}

int64_t StoreLseOp::getVectorMemoryInstructions() {
  return accessesOf(getLogSum().getType(), kScalarAccessBytes);
}
/// Pieces of padding alone are not stored; one that has data in some lanes only
/// counts as far as lane 0 has.
int64_t StoreOOp::getVectorMemoryInstructions() {
  TileType tile = getTile().getType();
  LaneLayoutAttr layout = tile.getLayout();
  int64_t elems = 0;
  for (int64_t i = 0; layout && i < layout.getRegElems(); ++i)
    elems += layout.regCoord(i, 1) < tile.getCols();
  return elems * bitsOf(getView().getType().getElement()) /
         (kByteBits * kVectorAccessBytes);
}

LogicalResult ProductOp::verify() {
  TileType a = getA().getType(), b = getB().getType(),
           result = getResult().getType();
  const StagedOperand &by = staged(getOperand());
  unsigned summed = by.summedDim, other = 1 - summed;
  bool sumsKeys = by.sumsKeys();
  // The last columns of K may have tiles of their own.
  auto kernel = (*this)->getParentOfType<KernelOp>();
  const int64_t further =
      kernel ? furtherCols(kernel.getProblem(), kernel.getSchedule()) : 0;
  const int64_t left = a.getCols() - further;
  const auto skip = int64_t(getSkip().value_or(0));
  if (by.isFurther && (!getAcc() || !further || skip != left))
    return emitOpError() << "expected acc, and skip " << left << " for the "
                         << further << " columns of K that have tiles of their "
                         << "own, found skip " << skip
                         << (getAcc() ? "" : " and no acc");
  if (!by.isFurther && skip)
    return emitOpError() << "expected no skip, as its columns are the first, "
                            "found "
                         << skip;
  const bool isPart = !sumsKeys && further;
  if (isPart ? b.getCols() != (by.isFurther ? further : left)
             : a.dim(1) != b.dim(summed) ||
                   (!sumsKeys && a.getCols() != b.getCols()))
    return emitOpError() << "expected columns of a and "
                         << (sumsKeys ? "rows" : "columns")
                         << " of b to be as many, found "
                         << (isPart ? by.isFurther ? further : left
                                    : a.getCols())
                         << " in " << a.dim(1) << " and "
                         << (sumsKeys ? b.dim(0) : b.getCols()) << " in "
                         << b.dim(summed);
  if (sumsKeys && result.getCols() != b.getCols())
    return emitOpError() << "expected the result to have the " << b.getCols()
                         << " columns of b, found " << result.getCols();
  if (failed(
          expectShape(*this, "the result", result, {a.dim(0), b.dim(other)})))
    return failure();
  // Matrix instructions on 8 bits take either kind on either side.
  auto isSmall = [](TileType tile) {
    return bitsOf(tile.getElement()) == kByteBits;
  };
  if (!(isSmall(a) && isSmall(b)) &&
      failed(expectElement(*this, "b", b.getElement(), a.getElement())))
    return failure();
  if (sumsKeys && !getAcc())
    return emitOpError("expected acc, the product of the tiles before, as it "
                       "sums over keys, found none");
  if (!sumsKeys && getAcc() && !getPartAttr() && !by.isFurther)
    return emitOpError("expected a part with acc, as it starts anew with each "
                       "tile, found none");
  if (getExponents() &&
      (sumsKeys || failed(expectShape(*this, "exponents",
                                      getExponents().getType(), {a.dim(0)}))))
    return sumsKeys
               ? emitOpError("expected no exponents, as it sums over keys, "
                             "which have no power of two of their own")
               : failure();
  if (getStart() && getStart().getType().dim(0) != result.dim(0))
    return emitOpError() << "expected start to have the " << result.dim(0)
                         << " rows of the result, found "
                         << getStart().getType().dim(0);
  return verifyContraction(*this, "b", b, summed, "a", a, 1);
}

LogicalResult RowExponentsOp::verify() {
  if (bitsOf(getElement()) != kByteBits)
    return emitOpError() << "expected elements of 8 bits to round to, found "
                         << getElement();
  return expectShape(*this, "exponents", getExponents().getType(),
                     {getTile().getType().dim(0)});
}

LogicalResult QuantizeOp::verify() {
  TileType tile = getTile().getType(), result = getResult().getType();
  if (failed(expectShape(*this, "the result", result, tile.getShape())) ||
      failed(expectShape(*this, "exponents", getExponents().getType(),
                         {tile.dim(0)})))
    return failure();
  if (bitsOf(result.getElement()) != kByteBits ||
      result.getCols() != tile.getCols())
    return emitOpError() << "expected a result with elements of 8 bits and the "
                         << tile.getCols() << " columns of the tile, found "
                         << result;
  return success();
}

LogicalResult KeyFirstOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (kernel && !kernel.getProblem().hasFirstKey())
    return emitOpError("expected a problem whose mask hides keys from the "
                       "first on: chunked, or a window with window_left of at "
                       "least 0");
  return success();
}

LogicalResult RowSumOp::verify() {
  TileType sum = getSum().getType();
  if (failed(verifyRows(*this, "sum", sum, getX().getType())))
    return failure();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  MfmaAttr sums = kernel ? kernel.getSchedule().getSums() : MfmaAttr();
  Type element = getX().getType().getElement();
  // Dot products flush subnormals of f16.
  bool isRounded = element.isBF16();
  if (isRounded && !(sums && sums.isDot()))
    return emitOpError() << "expected a schedule whose sums are dot products "
                            "(m = 1, n = 1, k = 2), as elements of x are "
                         << element << ", found none";
  if (!isRounded && !element.isF32())
    return emitOpError() << "expected elements of x to be f32 or bf16, found "
                         << element;
  return success();
}

LogicalResult MatrixSumOp::verify() {
  TileType p = getP().getType(), l = getL().getType();
  if (failed(expectShape(*this, "l", l, {p.dim(0)})))
    return failure();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  MfmaAttr sums = kernel ? kernel.getSchedule().getSums() : MfmaAttr();
  if (!sums || sums.isDot())
    return emitOpError("expected a schedule with sums, the matrix instruction "
                       "that it is, found none");
  return success();
}

LogicalResult MoveRowsOp::verify() {
  TileType from = getRows().getType(), to = getResult().getType();
  if (int64_t parts = getParts().value_or(1);
      parts < 1 || (from.getLayout() && from.getLayout().getRegElems() % parts))
    return emitOpError() << "expected parts that the registers of a lane are a "
                            "multiple of, found "
                         << parts;
  if (failed(expectShape(*this, "the result", to, from.getShape())))
    return failure();
  return expectElement(*this, "the result", to.getElement(), from.getElement());
}

LogicalResult ConvertOp::verify() {
  TileType x = getX().getType(), p = getP().getType();
  return expectShape(*this, "p", p, x.getShape());
}

LogicalResult RescaleIfOp::verify() {
  return expectShape(*this, "l", getL().getType(), {getO().getType().dim(0)});
}

LogicalResult StoreOOp::verify() {
  TileType tile = getTile().getType();
  if (tile.getCols() != getView().getType().getCols())
    return emitOpError() << "expected a tile of "
                         << getView().getType().getCols()
                         << " columns as the view has, found "
                         << tile.getCols();
  Type element = getView().getType().getElement();
  if (!element.isBF16() && !element.isF16() && !element.isF32() &&
      !isa<Float8E4M3FNType>(element))
    return emitOpError() << "expected a view of bf16, f16, f32 or f8E4M3FN, "
                            "found one of "
                         << element;
  return success();
}
