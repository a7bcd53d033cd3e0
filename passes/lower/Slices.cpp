// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/Slices.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

bool isPacked(ProblemAttr problem, Sequence sequence) {
  return sequence == Sequence::Q ? problem.getVarlenQ() : problem.getVarlenKv();
}

/// Emits the slice of one view.
class SliceBuilder {
public:
  explicit SliceBuilder(ViewOp op)
      : op(op), args(tensorArgs(op.getOperand())), b(op),
        problem(b.kernel().getProblem()) {}

  Slice build();

private:
  Value arg64(Arg field) { return ArgOp::create(b, b.getI64Type(), field); }
  int64_t elemBytes() {
    return bytesOf(bitsOf(op.getView().getType().getElement()));
  }
  Value rowStride();
  Value rowBytes();
  Value address();
  Value extent();

  ViewOp op;
  TensorArgs args;
  LaneBuilder b;
  ProblemAttr problem;
};

Value SliceBuilder::rowStride() {
  return args.rowStride ? arg64(*args.rowStride) : b.i64(elemBytes());
}

/// Bytes of the elements of one row.
Value SliceBuilder::rowBytes() {
  if (!args.byKey)
    return b.i64(op.getView().getType().getCols() * elemBytes());
  Value keys = SeqLenOp::create(b, b.getI32Type(), Sequence::Kv);
  return b.mul(b.zext64(keys), b.i64(elemBytes()));
}

/// Sequences of a packed tensor begin at a row of it instead of at a batch.
Value SliceBuilder::address() {
  Value place;
  if (!args.byKey && isPacked(problem, args.rows))
    place =
        b.mul(SeqStartOp::create(b, b.getI64Type(), args.rows), rowStride());
  else
    place = b.mul(b.zext64(b.id(Id::Batch)), arg64(args.batchStride));
  return b.add(arg64(args.base), b.add(place, b.mul(b.head(args.kvHeads),
                                                    arg64(args.headStride))));
}

/// Up to the last element of the last row; 0 without rows. Launches have rows;
/// sequences with a length of their own may have none.
Value SliceBuilder::extent() {
  Value rows = SeqLenOp::create(b, b.getI32Type(), args.rows);
  Value one = b.i32(1);
  bool hasLengths =
      args.rows == Sequence::Q ? problem.getLengthsQ() : problem.getLengthsKv();
  if (!isPacked(problem, args.rows) && !hasLengths)
    return b.add(b.mul(b.zext64(b.sub(rows, one)), rowStride()), rowBytes());
  // Neither a select nor unsigned: LLVM 22 makes a saturating subtraction of
  // them, which only vector registers have, moves the descriptor there with it
  // and loops over the lanes.
  Value most = arith::MaxSIOp::create(b, rows, one);
  Value any = arith::MinSIOp::create(b, rows, one);
  Value lastRow = b.sub(most, one);
  return b.add(b.mul(b.zext64(lastRow), rowStride()),
               b.mul(b.zext64(any), rowBytes()));
}

// Rows past the end of a slice are kept out by the range check of raw buffers:
// out of range iff register offset + immediate, which wraps at 32 bits, +
// uniform offset, in 64 bits, plus the access passes the extent. gfx950 does so
// (ROCm/rocm-systems pull request 10928), although LLVM documents the uniform
// offset as excluded; shipped attention kernels (AITER, FlyDSL) rely on it for
// their tails.
Slice SliceBuilder::build() {
  // Word 3 of the descriptor: DATA_FORMAT 32, raw buffer. Source: CDNA3/4 ISA
  // guide, buffer resource; LLVM AMDGPUUsage, make.buffer.rsrc.
  constexpr int64_t kDescriptorFlags = 0x27000;
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), 1), address());
  Value stride = arith::ConstantIntOp::create(b, 0, 16);
  Value descriptor = ROCDL::MakeBufferRsrcOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), 8), pointer, stride,
      extent(), b.i32(kDescriptorFlags));
  return {descriptor, arith::TruncIOp::create(b, b.getI32Type(), rowStride())};
}

} // namespace

FailureOr<Slice> Slices::get(Operation *op, Value view) {
  auto viewOp = view.getDefiningOp<ViewOp>();
  if (!viewOp)
    return op->emitOpError("expected the view to come from fmha.view");
  auto [it, isNew] = slices.try_emplace(view);
  if (isNew)
    it->second = SliceBuilder(viewOp).build();
  return it->second;
}

Value Slice::load(LaneBuilder &b, Type type, Value offset,
                  Value uniform) const {
  return ROCDL::RawPtrBufferLoadOp::create(b, type, descriptor, offset, uniform,
                                           /*aux=*/b.i32(0), ArrayAttr(),
                                           ArrayAttr(), ArrayAttr());
}

void Slice::store(LaneBuilder &b, Value value, Value offset,
                  Value uniform) const {
  ROCDL::RawPtrBufferStoreOp::create(b, value, descriptor, offset, uniform,
                                     /*aux=*/b.i32(0), ArrayAttr(), ArrayAttr(),
                                     ArrayAttr());
}

Value fmha::pastEveryExtent(LaneBuilder &b) {
  // Extents stay below it by the launcher's proof.
  constexpr int64_t kPastEveryExtent = 0xFFFFFFF0;
  return b.i32(kPastEveryExtent);
}

Value fmha::guardColumns(LaneBuilder &b, Value offset, Value lane,
                         int64_t laneMax, Value uniform, int64_t uniformMax,
                         int64_t fixed, int64_t pieceCols, int64_t cols) {
  if (laneMax + uniformMax + fixed + pieceCols <= cols)
    return offset;
  Value limit = b.i32(cols - fixed);
  if (uniform)
    limit = b.sub(limit, uniform);
  Value inside = b.cmp(arith::CmpIPredicate::slt, lane, limit);
  return b.select(inside, offset, pastEveryExtent(b));
}
