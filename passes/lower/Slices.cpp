// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/Slices.h"

#include "lower/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

/// Where the slices of a tensor lie. Fields that a tensor has not are not
/// there.
struct TensorArgs {
  Arg base, batchStride, headStride;
  std::optional<Arg> rowStride; ///< else rows lie one after the other
  Sequence rows;
  bool kvHeads = false;
  bool packed = true; ///< takes part in varlen packing
};

TensorArgs argsOf(Operand operand) {
  switch (operand) {
  case Operand::Q:
    return {Arg::Q, Arg::QBatchStride, Arg::QHeadStride, Arg::QRowStride,
            Sequence::Q};
  case Operand::K:
    return {Arg::K,          Arg::KBatchStride, Arg::KHeadStride,
            Arg::KRowStride, Sequence::Kv,      /*kvHeads=*/true};
  case Operand::V:
    return {Arg::V,          Arg::VBatchStride, Arg::VHeadStride,
            Arg::VRowStride, Sequence::Kv,      /*kvHeads=*/true};
  case Operand::O:
    return {Arg::O, Arg::OBatchStride, Arg::OHeadStride, Arg::ORowStride,
            Sequence::Q};
  case Operand::Lse:
    return {Arg::Lse, Arg::LseBatchStride, Arg::LseHeadStride, std::nullopt,
            Sequence::Q};
  case Operand::Bias:
    return {Arg::Bias,          Arg::BiasBatchStride, Arg::BiasHeadStride,
            Arg::BiasRowStride, Sequence::Q,          /*kvHeads=*/false,
            /*packed=*/false};
  }
  llvm_unreachable("closed enum");
}

/// Emits the slice of one view.
class SliceBuilder {
public:
  explicit SliceBuilder(ViewOp op)
      : op(op), args(argsOf(op.getOperand())), b(op), loc(op.getLoc()) {}

  Slice build();

private:
  Value arg64(Arg field) {
    return ArgOp::create(b, loc, b.getI64Type(), field);
  }
  Value zext64(Value value) {
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  int64_t elemBytes() {
    return op.getView().getType().getElement().getIntOrFloatBitWidth() / 8;
  }
  Value head();
  Value rowStride();
  Value rowBytes();
  Value address();
  Value extent();

  ViewOp op;
  TensorArgs args;
  OpBuilder b;
  Location loc;
};

Value SliceBuilder::head() {
  Value head = zext64(IdOp::create(b, loc, b.getI32Type(), Id::Head));
  if (!args.kvHeads)
    return head;
  // h / (Hq / Hk) by the launcher's reciprocal of 32 fraction bits.
  constexpr int64_t kFractionBits = 32;
  head = mul(head, arg64(Arg::KvHeadReciprocal));
  return arith::ShRUIOp::create(b, loc, head,
                                constantI64(b, loc, kFractionBits));
}

Value SliceBuilder::rowStride() {
  return args.rowStride ? arg64(*args.rowStride)
                        : constantI64(b, loc, elemBytes());
}

/// Bytes of the elements of one row; a row of the bias has one for each key.
Value SliceBuilder::rowBytes() {
  if (op.getOperand() != Operand::Bias)
    return constantI64(b, loc, op.getView().getType().getCols() * elemBytes());
  Value keys = SeqLenOp::create(b, loc, b.getI32Type(), Sequence::Kv);
  return mul(zext64(keys), constantI64(b, loc, elemBytes()));
}

/// Sequences of a packed tensor begin at a row of it instead of at a batch.
Value SliceBuilder::address() {
  ProblemAttr problem = op->getParentOfType<KernelOp>().getProblem();
  bool packed =
      args.packed &&
      (args.rows == Sequence::Q ? problem.getVarlenQ() : problem.getVarlenKv());
  Value place;
  if (packed) {
    place =
        mul(SeqStartOp::create(b, loc, b.getI64Type(), args.rows), rowStride());
  } else {
    Value batch = IdOp::create(b, loc, b.getI32Type(), Id::Batch);
    place = mul(zext64(batch), arg64(args.batchStride));
  }
  return add(arg64(args.base), add(place, mul(head(), arg64(args.headStride))));
}

/// Up to the last element of the last row; 0 without rows. Launches have rows;
/// sequences with a length of their own may have none.
Value SliceBuilder::extent() {
  ProblemAttr problem = op->getParentOfType<KernelOp>().getProblem();
  Value rows = SeqLenOp::create(b, loc, b.getI32Type(), args.rows);
  Value one = constantI32(b, loc, 1);
  bool isQ = args.rows == Sequence::Q;
  if (isQ ? !problem.getVarlenQ() && !problem.getLengthsQ()
          : !problem.getVarlenKv() && !problem.getLengthsKv()) {
    Value lastRow = arith::SubIOp::create(b, loc, rows, one);
    return add(mul(zext64(lastRow), rowStride()), rowBytes());
  }
  // Neither a select nor unsigned: LLVM 22 makes a saturating subtraction of
  // them, which only vector registers have, moves the descriptor there with it
  // and loops over the lanes.
  Value most = arith::MaxSIOp::create(b, loc, rows, one);
  Value any = arith::MinSIOp::create(b, loc, rows, one);
  Value lastRow = arith::SubIOp::create(b, loc, most, one);
  return add(mul(zext64(lastRow), rowStride()), mul(zext64(any), rowBytes()));
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
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), 1), address());
  Value stride = arith::ConstantIntOp::create(b, loc, 0, 16);
  Value descriptor = ROCDL::MakeBufferRsrcOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), 8), pointer, stride,
      extent(), constantI32(b, loc, kDescriptorFlags));
  Value rowStride32 =
      arith::TruncIOp::create(b, loc, b.getI32Type(), rowStride());
  return {descriptor, rowStride32};
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

void fmha::eraseUnusedViews(KernelOp kernel) {
  kernel.walk([](ViewOp view) {
    if (view->use_empty())
      view.erase();
  });
}

Value fmha::pastEveryExtent(OpBuilder &b, Location loc) {
  // Extents stay below it by the launcher's proof.
  constexpr int64_t kPastEveryExtent = 0xFFFFFFF0;
  return constantI32(b, loc, kPastEveryExtent);
}

Value fmha::guardColumns(OpBuilder &b, Location loc, Value offset, Value lane,
                         int64_t laneMax, Value uniform, int64_t uniformMax,
                         int64_t fixed, int64_t pieceCols, int64_t cols) {
  if (laneMax + uniformMax + fixed + pieceCols <= cols)
    return offset;
  Value limit = constantI32(b, loc, cols - fixed);
  if (uniform)
    limit = arith::SubIOp::create(b, loc, limit, uniform);
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lane, limit);
  return arith::SelectOp::create(b, loc, inside, offset,
                                 pastEveryExtent(b, loc));
}

static int64_t unionOf(ArrayRef<int64_t> bases, unsigned rank, unsigned dim) {
  int64_t bits = 0;
  for (size_t i = dim; i < bases.size(); i += rank)
    bits |= bases[i];
  return bits;
}
int64_t fmha::laneExtent(LaneLayoutAttr layout, unsigned dim) {
  return unionOf(layout.getLane(), layout.getRank(), dim);
}
int64_t fmha::waveExtent(LaneLayoutAttr layout, unsigned dim) {
  return unionOf(layout.getWave(), layout.getRank(), dim);
}
