// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes next to each other have a row, each kColumnsOfLane of its columns, in
// pieces of as many as one access moves: the first pieces of all lanes lie next
// to each other, then the second ones. Rows of an item, and of a batch, are
// numbered head by head: row i is row i % n of head i / n. A wave has
// neighbours in that order. Rows of an item may be those of a group of heads of
// Q, for a head of K and V.
#include "lower/ResultRows.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::fmha {

namespace {

constexpr int64_t kColumns = CombineOp::kColumnsOfLane;
constexpr unsigned kMemorySpace = 1;

} // namespace

//===- Memory -------------------------------------------------------------===//

Value ResultRows::load(Type type, Value address, int64_t alignBytes) {
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kMemorySpace), address);
  return LLVM::LoadOp::create(b, type, pointer, alignBytes);
}

/// Element batch + `step` of an i32 array.
Value ResultRows::batchField(Arg array, Value batch, int64_t step) {
  Value offset = b.mul(b.add(batch, b.i64(step)), b.i64(kI32Bytes));
  return loadUniform(b.getI32Type(), b.add(arg(array), offset));
}

/// The row of a packed tensor at which a batch begins.
Value ResultRows::startOf(Value batch) {
  if (!problem.getVarlenQ())
    return b.i64(0);
  return b.zext64(batchField(Arg::CuSeqlensQ, batch, 0));
}

/// Of the first column.
Value ResultRows::addressOf(const TensorFields &fields, const Place &place) {
  Value rowBytes = fields.rowStride ? arg(*fields.rowStride) : b.i64(kF32Bytes);
  Value uniform =
      b.add(arg(fields.base), b.mul(place.batch, arg(fields.batchStride)));
  uniform = b.add(uniform, b.mul(place.start, rowBytes));
  Value own = b.add(b.mul(place.head, arg(fields.headStride)),
                    b.mul(place.row, rowBytes));
  return b.add(uniform, own);
}

//===- Arithmetic ---------------------------------------------------------===//

/// What is subtracted of LSE: of a row without keys a difference would be NaN.
Value ResultRows::minuend(Value most) {
  Value isNone = b.cmp(arith::CmpFPredicate::OEQ, most, b.f32(-kInfinity));
  return b.select(isNone, b.f32(0), most);
}

Value ResultRows::weightOf(Value lse, Value shift) {
  return b.exp2(b.mul(b.sub(lse, shift), b.f32(llvm::numbers::log2ef)));
}

/// One over the factor by which an O of 8 bits is divided; null: nothing. The
/// reciprocal of the largest f32 would be below 2^-126, and so zero.
Value ResultRows::outputFactor() {
  if (bitsOf(problem.getO()) != kByteBits)
    return {};
  constexpr float kDown = 0x1p-24f, kMost = 0x1p100f;
  Value divisor = loadUniform(b.getF32Type(), arg(Arg::OScale));
  Value one = b.f32(1);
  Value isLarge = b.cmp(arith::CmpFPredicate::OGT, divisor, one);
  Value down = b.select(isLarge, b.f32(kDown), one);
  Value inverse = b.mul(b.reciprocal(b.mul(divisor, down)), down);
  return arith::MinNumFOp::create(b, inverse, b.f32(kMost));
}

/// One over the sum of weights; without keys that is 0, and so is O.
Value ResultRows::inverseOf(Value weights) {
  Value isNone = b.cmp(arith::CmpFPredicate::OEQ, weights, b.f32(0));
  return b.select(isNone, b.f32(0), b.reciprocal(weights));
}

/// Stores the lane's pieces of a row of O, times `factor` if there is one.
void ResultRows::storeOutputs(Value row, Type element, ArrayRef<Value> outputs,
                              Value factor) {
  const int64_t elemBytes = bytesOf(bitsOf(element));
  const int64_t align =
      std::min(kVectorAccessBytes, columns.getNumElements() * elemBytes);
  auto global = LLVM::LLVMPointerType::get(b.getContext(), kMemorySpace);
  for (auto [piece, output] : llvm::zip_equal(pieces, outputs)) {
    Value o = output;
    if (factor)
      o = b.mul(o, vector::BroadcastOp::create(b, columns, factor));
    Value words = b.packAll(wordsOf(b, b.unpack(o), element));
    Value address = b.add(row, b.zext64(b.mul(piece.column, b.i32(elemBytes))));
    Value pointer = LLVM::IntToPtrOp::create(b, global, address);
    OpBuilder::InsertionGuard guard(b);
    if (piece.isPresent)
      b.setInsertionPointToStart(
          scf::IfOp::create(b, piece.isPresent, /*withElseRegion=*/false)
              .thenBlock());
    LLVM::StoreOp::create(b, words, pointer, align);
  }
}

void ResultRows::storeLse(Value address, Value shift, Value weights) {
  Value log2 = math::Log2Op::create(b, weights);
  Value lse = b.add(shift, b.mul(log2, b.f32(llvm::numbers::ln2f)));
  auto global = LLVM::LLVMPointerType::get(b.getContext(), kMemorySpace);
  LLVM::StoreOp::create(b, lse, LLVM::IntToPtrOp::create(b, global, address),
                        kF32Bytes);
}

//===- Pieces -------------------------------------------------------------===//

/// Lanes past the last piece of a row load that, too, and do not store it.
void ResultRows::choosePieces() {
  source = areParts ? Type(b.getF32Type()) : problem.getO();
  const int64_t bytes = bytesOf(bitsOf(source));
  const int64_t width = std::min(kColumns, kVectorAccessBytes / bytes);
  const int64_t last = problem.getHeadDimV() / width - 1;
  columns = VectorType::get({width}, b.getF32Type());
  for (int64_t first = 0; first < lanes * kColumns / width; first += lanes) {
    Piece piece;
    Value number = b.add(lane, b.i32(first));
    if (first + lanes - 1 > last) {
      piece.isPresent = b.cmp(arith::CmpIPredicate::sle, number, b.i32(last));
      number = arith::MinSIOp::create(b, number, b.i32(last));
    }
    piece.column = b.mul(number, b.i32(width));
    // A constant where it can be, which loads have room for.
    piece.ahead = b.i64(first * width * bytes);
    if (first && piece.isPresent)
      piece.ahead = b.zext64(
          b.mul(b.sub(piece.column, pieces.front().column), b.i32(bytes)));
    pieces.push_back(piece);
  }
}

/// What was loaded of a piece, as f32.
Value ResultRows::widen(Value loaded) {
  if (source.isF32())
    return loaded;
  if (bitsOf(source) != kByteBits)
    return arith::ExtFOp::create(b, columns, loaded);
  auto pair = VectorType::get({2}, b.getF32Type());
  Values elements;
  for (Value word : b.unpack(loaded))
    for (bool high : {false, true}) {
      Value two = ROCDL::CvtPkF32Fp8Op::create(b, pair, word, high);
      elements.append(b.unpack(two));
    }
  return b.packAll(elements);
}

/// Bytes of what is loaded of a row before the lane's first column.
Value ResultRows::ownColumns() {
  return b.zext64(b.mul(pieces.front().column, b.i32(bytesOf(bitsOf(source)))));
}

/// The lane's pieces of the O at an address, that of its first column.
Values ResultRows::loadRow(Value address) {
  const int64_t elemBytes = bytesOf(bitsOf(source));
  const int64_t bytes = columns.getNumElements() * elemBytes;
  Type type = VectorType::get({columns.getNumElements()}, source);
  if (bitsOf(source) == kByteBits)
    type = VectorType::get({bytes / kI32Bytes}, b.getI32Type());
  Values loaded;
  for (const Piece &piece : pieces)
    loaded.push_back(widen(load(type, b.add(address, piece.ahead), bytes)));
  return loaded;
}

//===- Rows ---------------------------------------------------------------===//

/// The lane's row and columns.
void ResultRows::chooseLanes() {
  Value ofWave = b.id(Id::Lane);
  lane = arith::AndIOp::create(b, ofWave, b.i32(lanes - 1));
  team = b.i32(0);
  rowOfWorkgroup = b.id(Id::Wave);
  if (lanes < chip::kWaveLanes) {
    const int64_t teams = chip::kWaveLanes / lanes;
    team = arith::ShRUIOp::create(b, ofWave, b.i32(llvm::Log2_64(lanes)));
    rowOfWorkgroup = b.add(b.mul(rowOfWorkgroup, b.i32(teams)), team);
  }
  choosePieces();
}

/// Of rows of `group` heads, which take turns: the row of Q, and its head. Of a
/// group of one nothing changes.
void ResultRows::takeTurns(Place &place, Value group) {
  Type i32 = b.getI32Type();
  Value packed = arith::TruncIOp::create(b, i32, place.row);
  Value head = arith::TruncIOp::create(b, i32, place.head);
  Value row = arith::DivUIOp::create(b, packed, group);
  Value member = b.sub(packed, b.mul(row, group));
  place.row = b.zext64(row);
  place.head = b.zext64(b.add(b.mul(head, group), member));
}

//===- Lanes --------------------------------------------------------------===//

/// LLVM's scheduler moves nothing past this place: it would wait for what was
/// loaded before it asks for the next.
void ResultRows::keepOrder() {
  amdgpu::SchedBarrierOp::create(b, amdgpu::sched_barrier_opt_enum::none);
}

} // namespace mlir::fmha
