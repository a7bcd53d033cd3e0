// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/Rows.h"

#include "chip/Chip.h"
#include "lower/EmptyAsm.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace mlir::fmha;

static Value keysOf(LaneBuilder &b) {
  return SeqLenOp::create(b, b.getI32Type(), Sequence::Kv);
}

static Value pageSize(LaneBuilder &b) {
  return b.i32(b.kernel().getProblem().getPageSize());
}

static Value pageStride(LaneBuilder &b, Operand operand) {
  return ArgOp::create(b, b.getI64Type(), *tensorArgs(operand).pageStride);
}

FailureOr<TileRows> TileRows::get(Operation *op, Value rows, int64_t count,
                                  int64_t laneElems, Slices &slices) {
  auto rowsOp = rows.getDefiningOp<RowsOp>();
  if (!rowsOp)
    return op->emitOpError("expected the rows to come from fmha.rows");
  FailureOr<Slice> slice = slices.get(op, rowsOp.getView());
  if (failed(slice))
    return failure();
  return TileRows(rowsOp, *slice, count, laneElems, slices);
}

Value TileRows::firstRow(LaneBuilder &b) {
  return b.mul(op.getIndex(), b.i32(count));
}

void TileRows::begin(LaneBuilder &b) {
  descriptor = slice.descriptor;
  if (!op.getPages())
    first = firstRow(b);
  else if (!pagesTile())
    descriptor = enterPage(b, op.getPages(), firstRow(b), count);
}

/// Bytes to element `index` of those that pieces divide, which are so many
/// bytes apart.
Value TileRows::inPieces(LaneBuilder &b, Value index, int64_t pieceBytes) {
  const int64_t piece = pieceElems();
  if (laneElems % piece == 0)
    return b.mul(index, b.i32(pieceBytes / piece));
  Value number = arith::ShRUIOp::create(b, index, b.i32(llvm::Log2_64(piece)));
  Value within = arith::AndIOp::create(b, index, b.i32(piece - 1));
  return b.add(b.mul(number, b.i32(pieceBytes)),
               b.mul(within, b.i32(elemBytes())));
}

/// From the first row of a page, or of the slice, to `row`, or to as many
/// further than one with which it shares no bit of a piece.
Value TileRows::rowBytes(LaneBuilder &b, Value row) {
  if (!pieceElems())
    return b.mul(row, slice.rowStride);
  if (onEnd())
    return b.mul(row, b.i32(kVectorAccessBytes));
  return inPieces(b, row, cols() * kVectorAccessBytes);
}

Value TileRows::columnBytes(LaneBuilder &b, Value column) {
  if (!pieceElems())
    return b.mul(column, b.i32(elemBytes()));
  if (!onEnd())
    return b.mul(column, b.i32(kVectorAccessBytes));
  return inPieces(b, column, problem().getPageSize() * kVectorAccessBytes);
}

/// From the first byte to the last of so many rows of a page, from the first
/// of a piece on; rows that lie on end have `between` before the next.
Value TileRows::bytesOfRows(LaneBuilder &b, Value rows, Value between) {
  const int64_t piece = pieceElems();
  if (!piece)
    return b.sub(b.mul(rows, slice.rowStride), between);
  if (onEnd()) {
    const int64_t before =
        (cols() / piece - 1) * problem().getPageSize() * kVectorAccessBytes;
    return b.add(b.mul(rows, b.i32(kVectorAccessBytes)), b.i32(before));
  }
  Value pieces = arith::ShRUIOp::create(b, b.add(rows, b.i32(piece - 1)),
                                        b.i32(llvm::Log2_64(piece)));
  return b.mul(pieces, b.i32(cols() * kVectorAccessBytes));
}

/// Bytes of row `inPage` of page `page`, from the first of page 0 on: a product
/// of 32 bits by 32 and one of 32 bits, as the launcher has checked the
/// strides.
Value TileRows::placeOf(LaneBuilder &b, Value page, Value inPage) {
  Value stride =
      arith::TruncIOp::create(b, b.getI32Type(), pageStride(b, slice.operand));
  return b.add(b.mul(b.zext64(page), b.zext64(stride)),
               b.zext64(rowBytes(b, inPage)));
}

/// The descriptor of `rows` rows, from `row` of the sequence on, which lie in
/// one page: an address of 64 bits, and as many rows as the sequence has there.
/// Where scores hide what is past the last key, all of them, which the page
/// has.
Value TileRows::enterPage(LaneBuilder &b, Value page, Value row, int64_t rows) {
  Value inPage = arith::RemUIOp::create(b, row, pageSize(b));
  Value address = b.add(slice.address, placeOf(b, page, inPage));
  return makeDescriptor(b, address, [&] {
    Value keys = keysOf(b), zero = b.i32(0);
    Value between;
    if (!pieceElems())
      between = b.sub(slice.rowStride, b.i32(cols() * elemBytes()));
    Value all = bytesOfRows(b, b.i32(rows), between);
    if (!bringsZeros()) {
      Value any = b.cmp(arith::CmpIPredicate::sgt, keys, zero);
      return b.zext64(b.select(any, all, zero));
    }
    // All but the last with a key have them all: what those and it have does
    // not change from tile to tile.
    Value one = b.i32(1);
    Value before = arith::AndIOp::create(b, b.sub(keys, one), b.i32(rows - 1));
    Value ofLast = bytesOfRows(b, b.add(before, one), between);
    Value left = b.sub(keys, row);
    Value isWhole = b.cmp(arith::CmpIPredicate::sge, left, b.i32(rows));
    Value any = b.cmp(arith::CmpIPredicate::sgt, left, zero);
    return b.zext64(b.select(any, b.select(isWhole, all, ofLast), zero));
  });
}

/// The number of the page of the row that an instruction makes `row` of.
Value TileRows::numberAt(LaneBuilder &b, int64_t row) {
  LaneLayoutAttr layout = pagesTile().getLayout();
  const int64_t page = -alignedRowsAPage(problem());
  int64_t reg = 0;
  while ((layout.regCoord(reg, 0) & page) != (row & page))
    ++reg; // the verifier of what brings them has checked that there is one
  return b.elements(op.getPages())[reg];
}

Value TileRows::lane(LaneBuilder &b, Value row, int64_t fixed, Value column,
                     int64_t most) {
  if (isByLane())
    return laneAddress(b, row, fixed, column, most + laneCols() > cols());
  Value ofRow = rowBytes(b, row);
  return b.add(ofRow, columnBytes(b, column));
}

/// Of a row past the last key, and of a column past those of the rows, that of
/// zeros; where scores hide the row, one of the last page, or of page 0, whose
/// number is read past those of the sequence.
Value TileRows::laneAddress(LaneBuilder &b, Value row, int64_t fixed,
                            Value column, bool mayPass) {
  const int64_t page = problem().getPageSize();
  Value firstKey = firstRow(b);
  Value key = count % page == 0 ? row : b.add(firstKey, row);
  Value inPage = arith::RemUIOp::create(b, key, pageSize(b));
  // One multiplication that adds 64 bits, which are the lane's own: where tiles
  // hold whole pages, the same in all of them.
  Value own = b.add(slice.address, b.zext64(columnBytes(b, column)));
  own = b.add(own, b.zext64(rowBytes(b, inPage)));
  Value address = b.add(placeOf(b, numberAt(b, fixed), b.i32(0)), own);
  Value isThere;
  if (bringsZeros())
    isThere = b.cmp(arith::CmpIPredicate::slt, row, b.sub(keysOf(b), firstKey));
  if (mayPass) {
    Value isColumn = b.cmp(arith::CmpIPredicate::slt, column, b.i32(cols()));
    isThere = isThere ? arith::AndIOp::create(b, isThere, isColumn).getResult()
                      : isColumn;
  }
  return isThere ? b.select(isThere, address, slices.zeros(b)) : address;
}

/// Hides `number` from LLVM anew in every tile, if a wave has more than
/// kMostHeld instructions that use it. LLVM would hold the row of each copy,
/// and the key of each look-up, in a scalar register through the loop, where a
/// scalar instruction costs no time.
static Value hideInLoop(LaneBuilder &b, Value number, int64_t uses) {
  constexpr int64_t kMostHeld = 4;
  return uses <= kMostHeld || holdsLookUps(b.schedule())
             ? number
             : hide(b, number, RegisterKind::Scalar, /*always=*/true);
}

Value TileRows::inLoop(LaneBuilder &b, Value row) {
  Value &own = hidden[row];
  const int64_t elems = laneElems * chip::kWaveLanes * b.schedule().getWaves();
  if (!own)
    own =
        hideInLoop(b, row, count * int64_t(llvm::PowerOf2Ceil(cols())) / elems);
  return own;
}

TileRows::Uniform TileRows::uniform(LaneBuilder &b, Value row, int64_t fixed,
                                    int64_t ofInstruction) {
  if (isByLane())
    return {};
  if (!pagesTile()) {
    row = inLoop(b, row);
    if (first)
      row = b.add(first, row);
    return {descriptor, rowBytes(b, b.add(row, b.i32(fixed)))};
  }
  const int64_t page = alignedRowsAPage(problem());
  Value &own = descriptors[ofInstruction & -page];
  if (!own) {
    Value ofPage =
        arith::AndIOp::create(b, b.add(row, b.i32(fixed)), b.i32(-page));
    own = enterPage(b, numberAt(b, ofInstruction), b.add(firstRow(b), ofPage),
                    std::min(page, count));
  }
  row = b.add(inLoop(b, row), b.i32(fixed));
  Value below = arith::AndIOp::create(b, row, b.i32(page - 1));
  return {own, rowBytes(b, below)};
}

static Value pointerAt(LaneBuilder &b, Value address) {
  constexpr unsigned kGlobalSpace = 1;
  return LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace), address);
}

void TileRows::copy(LaneBuilder &b, Uniform common, Value lane, Value colBytes,
                    Value lds, int64_t laneBytes, ArrayAttr scopes,
                    ArrayAttr noScopes) {
  if (isByLane()) {
    ROCDL::GlobalLoadLDSOp::create(b, pointerAt(b, lane), lds, laneBytes,
                                   /*offset=*/0,
                                   slice.caches->bitsOf(b, slice.operand),
                                   scopes, noScopes, ArrayAttr());
    return;
  }
  ROCDL::RawPtrBufferLoadLdsOp::create(
      b, common.descriptor, lds, b.i32(laneBytes), lane,
      b.add(common.offset, colBytes), /*offset=*/b.i32(0), slice.aux(b), scopes,
      noScopes, ArrayAttr());
}

Value TileRows::load(LaneBuilder &b, Uniform common, Value lane, Value colBytes,
                     Type type, int64_t laneBytes) {
  if (isByLane())
    return LLVM::LoadOp::create(b, type, pointerAt(b, lane), laneBytes,
                                /*isVolatile=*/false,
                                slice.caches->isNonTemporal(b, slice.operand));
  return loadFrom(b, common.descriptor, type, lane,
                  b.add(common.offset, colBytes), slice.aux(b));
}

Value TileRows::cutsPiece(LaneBuilder &b) {
  // Lengths that cut no piece have no such tile; what they are does not change
  // from tile to tile.
  Value keys = keysOf(b);
  Value inPiece = arith::AndIOp::create(b, keys, b.i32(pieceElems() - 1));
  Value isWhole = b.cmp(arith::CmpIPredicate::eq, inPiece, b.i32(0));
  Value end = b.select(isWhole, b.i32(-1), keys);
  return b.cmp(arith::CmpIPredicate::ult, b.sub(end, firstRow(b)),
               b.i32(count));
}

Value TileRows::clearPast(LaneBuilder &b, Value brought, Value row) {
  constexpr int64_t kWordBits = 32;
  Value zero = b.i32(0), all = b.i32(-1), most = b.i32(kWordBits);
  Value keys = b.sub(b.sub(keysOf(b), firstRow(b)), row);
  Value bits = b.mul(keys, b.i32(elemBytes() * kByteBits));
  auto maskOf = [&](int64_t firstBit) -> Value {
    Value own = b.sub(bits, b.i32(firstBit));
    own = arith::MinSIOp::create(b, arith::MaxSIOp::create(b, own, zero), most);
    Value low = arith::ShRUIOp::create(b, all, b.sub(most, own));
    return b.select(b.cmp(arith::CmpIPredicate::eq, own, zero), zero, low);
  };
  auto words = dyn_cast<VectorType>(brought.getType());
  if (!words)
    return arith::AndIOp::create(
        b, brought, arith::TruncIOp::create(b, brought.getType(), maskOf(0)));
  Values masks;
  for (int64_t i = 0; i < words.getNumElements(); ++i)
    masks.push_back(maskOf(i * kWordBits));
  return arith::AndIOp::create(b, brought, b.packAll(masks));
}

//===- Numbers of pages ---------------------------------------------------===//

/// A scalar load has no bounds: of a key past the last it is the last number.
static Value lookUpKey(LaneBuilder &b, const Slice &table, Value key) {
  Value one = b.i32(1);
  Value last = b.sub(arith::MaxSIOp::create(b, keysOf(b), one), one);
  key = arith::MinSIOp::create(b, key, last);
  Value entry = arith::DivUIOp::create(b, key, pageSize(b));
  constexpr int64_t kBytes = 4;
  constexpr unsigned kConstantSpace = 4; // scalar loads
  Value address = b.add(table.address, b.mul(b.zext64(entry), b.i64(kBytes)));
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kConstantSpace), address);
  auto load = LLVM::LoadOp::create(b, b.getI32Type(), pointer, kBytes);
  const bool isHeld = holdsLookUps(b.schedule());
  load.setVolatile_(isHeld);
  load.setInvariant(!isHeld);
  return load;
}

/// A vector load is kept within the numbers of the sequence by its descriptor.
static Value lookUpKeys(LaneBuilder &b, const Slice &table, Value keys) {
  constexpr int64_t kBytes = 4;
  Value entry = arith::DivUIOp::create(b, keys, pageSize(b));
  return table.load(b, b.getI32Type(), b.mul(entry, b.i32(kBytes)), b.i32(0));
}

FailureOr<Value> fmha::lookUpPages(LookUpOp op, LaneBuilder &b,
                                   Slices &slices) {
  FailureOr<Slice> table = slices.get(op, op.getTable());
  if (failed(table))
    return failure();
  auto type = dyn_cast<TileType>(op.getPages().getType());
  if (!type)
    return lookUpKey(b, *table,
                     b.mul(op.getIndex(), b.i32(b.schedule().getTileN())));
  ProblemAttr problem = b.kernel().getProblem();
  LaneLayoutAttr layout = type.getLayout();
  const bool isShared = sharePages(problem, layout);
  Value firstKey = b.mul(op.getIndex(), b.i32(type.dim(0)));
  Value ofWave = b.waveCoord(layout, 0);
  Values numbers;
  const int64_t step = alignedRowsAPage(problem);
  auto firstAlike = [&](int64_t reg) {
    return layout.regCoord(reg, 0) & -step;
  };
  llvm::SmallDenseMap<int64_t, Value> loaded;
  for (int64_t reg = 0; reg < layout.getRegElems(); ++reg)
    loaded[firstAlike(reg)] = Value();
  if (isShared)
    ofWave = hideInLoop(b, ofWave, loaded.size());
  for (int64_t reg = 0; reg < layout.getRegElems(); ++reg) {
    const int64_t fixed = firstAlike(reg);
    Value &number = loaded[fixed];
    if (!number && isShared)
      number = lookUpKey(b, *table, b.add(firstKey, b.xorWith(ofWave, fixed)));
    else if (!number)
      number = lookUpKeys(
          b, *table,
          b.add(b.add(b.add(firstKey, ofWave), b.laneCoord(layout, 0)),
                b.i32(fixed)));
    numbers.push_back(number);
  }
  return b.tileOf(type, numbers);
}
