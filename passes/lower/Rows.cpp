// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/Rows.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::fmha;

static Value keysOf(LaneBuilder &b) {
  return SeqLenOp::create(b, b.getI32Type(), Sequence::Kv);
}

static Value pageSize(LaneBuilder &b) {
  return b.i32(b.kernel().getProblem().getPageSize());
}

static Arg pageStrideOf(Operand operand) {
  return *tensorArgs(operand).pageStride;
}

FailureOr<TileRows> TileRows::get(Operation *op, Value rows, int64_t count,
                                  Slices &slices) {
  auto rowsOp = rows.getDefiningOp<RowsOp>();
  if (!rowsOp)
    return op->emitOpError("expected the rows to come from fmha.rows");
  FailureOr<Slice> slice = slices.get(op, rowsOp.getView());
  if (failed(slice))
    return failure();
  return TileRows(rowsOp, *slice, count);
}

Value TileRows::firstRow(LaneBuilder &b) {
  return b.mul(op.getIndex(), b.i32(count));
}

void TileRows::begin(LaneBuilder &b) {
  descriptor = slice.descriptor;
  if (!op.getPages())
    first = firstRow(b);
  else if (!isSpread())
    enterPage(b);
}

/// The descriptor of the tile, which lies in one page: an address of 64 bits,
/// and as many rows as the sequence has there.
void TileRows::enterPage(LaneBuilder &b) {
  auto arg = [&](Arg field) { return ArgOp::create(b, b.getI64Type(), field); };
  Value row = firstRow(b), zero = b.i32(0), one = b.i32(1);
  Value inPage = arith::RemUIOp::create(b, row, pageSize(b));
  Value rowStride = arg(*tensorArgs(op.getOperand()).rowStride);
  Value page =
      b.mul(b.zext64(op.getPages()), arg(pageStrideOf(op.getOperand())));
  Value address =
      b.add(b.add(slice.address, page), b.mul(b.zext64(inPage), rowStride));
  descriptor = makeDescriptor(b, address, [&] {
    // Of selects, of unsigned minima and of a minimum of a maximum LLVM makes
    // vector instructions, as SliceBuilder::extent() says.
    Value left = arith::MaxSIOp::create(b, b.sub(keysOf(b), row), zero);
    Value beyond = arith::MaxSIOp::create(b, b.sub(left, b.i32(count)), zero);
    Value rows = b.sub(left, beyond);
    Value lastRow = b.sub(arith::MaxSIOp::create(b, rows, one), one);
    Value any = arith::MinSIOp::create(b, left, one);
    int64_t rowBytes = op.getRows().getType().getCols() * elemBytes();
    return b.add(b.mul(b.zext64(lastRow), rowStride),
                 b.mul(b.zext64(any), b.i64(rowBytes)));
  });
}

Value TileRows::laneOffset(LaneBuilder &b, Value row, int64_t fixed,
                           Value column) {
  if (isSpread())
    return spreadOffset(b, row, fixed, column);
  Value rowBytes = b.mul(row, slice.rowStride);
  return b.add(rowBytes, b.mul(column, b.i32(elemBytes())));
}

/// Of a row past the last key one beyond the extent, which gives zeros.
Value TileRows::spreadOffset(LaneBuilder &b, Value row, int64_t fixed,
                             Value column) {
  LaneLayoutAttr layout = pagesTile().getLayout();
  Values numbers = b.elements(op.getPages());
  int64_t reg = 0;
  while (layout.regCoord(reg, 0) != fixed)
    ++reg; // the verifier of what brings them has checked that there is one
  Value stride =
      ArgOp::create(b, b.getI64Type(), pageStrideOf(op.getOperand()));
  stride = arith::TruncIOp::create(b, b.getI32Type(), stride);
  Value key = b.add(firstRow(b), row);
  Value inPage = arith::RemUIOp::create(b, key, pageSize(b));
  Value offset =
      b.add(b.mul(numbers[reg], stride), b.mul(inPage, slice.rowStride));
  offset = b.add(offset, b.mul(column, b.i32(elemBytes())));
  Value isKey = b.cmp(arith::CmpIPredicate::slt, key, keysOf(b));
  return b.select(isKey, offset, pastEveryExtent(b));
}

Value TileRows::uniformOffset(LaneBuilder &b, Value row, int64_t fixed) {
  if (isSpread())
    return {};
  if (first)
    row = b.add(first, row);
  return b.mul(b.add(row, b.i32(fixed)), slice.rowStride);
}

//===- Numbers of pages ---------------------------------------------------===//

/// A scalar load has no bounds: of a tile past the last key it is the last
/// number.
static Value lookUpTile(LookUpOp op, LaneBuilder &b, const Slice &table) {
  Value one = b.i32(1);
  Value last = b.sub(arith::MaxSIOp::create(b, keysOf(b), one), one);
  Value key = b.mul(op.getIndex(), b.i32(b.schedule().getTileN()));
  key = arith::MinSIOp::create(b, key, last);
  Value entry = arith::DivUIOp::create(b, key, pageSize(b));
  constexpr int64_t kBytes = 4;
  constexpr unsigned kConstantSpace = 4; // scalar loads
  Value address = b.add(table.address, b.mul(b.zext64(entry), b.i64(kBytes)));
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kConstantSpace), address);
  auto load = LLVM::LoadOp::create(b, b.getI32Type(), pointer, kBytes);
  // LLVM puts loads of what does not change where their results are used.
  load.setVolatile_(true);
  return load;
}

FailureOr<Value> fmha::lookUpPages(LookUpOp op, LaneBuilder &b,
                                   Slices &slices) {
  FailureOr<Slice> table = slices.get(op, op.getTable());
  if (failed(table))
    return failure();
  auto type = dyn_cast<TileType>(op.getPages().getType());
  if (!type)
    return lookUpTile(op, b, *table);
  LaneLayoutAttr layout = type.getLayout();
  Value first =
      b.add(b.mul(op.getIndex(), b.i32(type.dim(0))), b.waveCoord(layout, 0));
  Value own = b.add(first, b.laneCoord(layout, 0));
  Values numbers;
  constexpr int64_t kBytes = 4;
  const int64_t step = alignedRowsAPage(b.kernel().getProblem());
  llvm::SmallDenseMap<int64_t, Value> loaded; // by the first key of those alike
  for (int64_t reg = 0; reg < layout.getRegElems(); ++reg) {
    const int64_t fixed = layout.regCoord(reg, 0) & -step;
    Value &number = loaded[fixed];
    if (!number) {
      Value entry =
          arith::DivUIOp::create(b, b.add(own, b.i32(fixed)), pageSize(b));
      number =
          table->load(b, b.getI32Type(), b.mul(entry, b.i32(kBytes)), b.i32(0));
    }
    numbers.push_back(number);
  }
  return b.tileOf(type, numbers);
}
