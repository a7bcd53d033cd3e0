// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "lower/Lanes.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERSEQUENCESPASS
#include "Passes.h.inc"

namespace {

class SequenceLowering {
public:
  explicit SequenceLowering(KernelOp kernel)
      : kernel(kernel), problem(kernel.getProblem()), b(kernel.getContext()),
        loc(kernel.getLoc()) {}

  void run();

private:
  bool isPacked(Sequence sequence) {
    return sequence == Sequence::Q ? problem.getVarlenQ()
                                   : problem.getVarlenKv();
  }
  bool hasLengths(Sequence sequence) {
    return sequence == Sequence::Q ? problem.getLengthsQ()
                                   : problem.getLengthsKv();
  }
  Value element(Arg array, int64_t step);
  Value length(Sequence sequence);
  Value start(Sequence sequence);
  template <typename Op>
  void replaceAll(Value (SequenceLowering::*make)(Sequence));

  KernelOp kernel;
  ProblemAttr problem;
  OpBuilder b;
  Location loc;
};

/// Element batch + `step` of an i32 array.
Value SequenceLowering::element(Arg array, int64_t step) {
  constexpr int64_t kBytes = 4;
  Value batch = IdOp::create(b, loc, b.getI32Type(), Id::Batch);
  Value index = arith::AddIOp::create(b, loc, batch, constantI32(b, loc, step));
  Value index64 = arith::ExtUIOp::create(b, loc, b.getI64Type(), index);
  Value offset =
      arith::MulIOp::create(b, loc, index64, constantI64(b, loc, kBytes));
  return LoadUniformOp::create(b, loc, b.getI32Type(), array, offset);
}

Value SequenceLowering::length(Sequence sequence) {
  bool isQ = sequence == Sequence::Q;
  if (isPacked(sequence)) {
    Arg array = isQ ? Arg::CuSeqlensQ : Arg::CuSeqlensKv;
    return arith::SubIOp::create(b, loc, element(array, 1), element(array, 0));
  }
  if (hasLengths(sequence))
    return element(isQ ? Arg::SeqlensQ : Arg::SeqlensKv, 0);
  return ArgOp::create(b, loc, b.getI32Type(),
                       isQ ? Arg::SeqlenQ : Arg::SeqlenKv);
}

Value SequenceLowering::start(Sequence sequence) {
  if (!isPacked(sequence))
    return constantI64(b, loc, 0);
  Value row =
      element(sequence == Sequence::Q ? Arg::CuSeqlensQ : Arg::CuSeqlensKv, 0);
  return arith::ExtUIOp::create(b, loc, b.getI64Type(), row);
}

/// One value a sequence, at the start of the kernel: LLVM would not move loads
/// there.
template <typename Op>
void SequenceLowering::replaceAll(Value (SequenceLowering::*make)(Sequence)) {
  SmallVector<Op> ops;
  kernel.walk([&](Op op) { ops.push_back(op); });
  llvm::SmallDenseMap<Sequence, Value> values;
  for (Op op : ops) {
    Value &value = values[op.getSequence()];
    if (!value) {
      loc = op.getLoc(); // of the first that asks
      // Anew: an op erased below may have stood first.
      b.setInsertionPointToStart(&kernel.getBody().front());
      value = (this->*make)(op.getSequence());
    }
    op.replaceAllUsesWith(value);
    op.erase();
  }
}

void SequenceLowering::run() {
  replaceAll<SeqLenOp>(&SequenceLowering::length);
  replaceAll<SeqStartOp>(&SequenceLowering::start);
  kernel.walk([&](LoadUniformOp op) {
    b.setInsertionPoint(op);
    loc = op.getLoc();
    Value base = ArgOp::create(b, loc, b.getI64Type(), op.getArray());
    Value address = arith::AddIOp::create(b, loc, base, op.getOffsetBytes());
    constexpr unsigned kConstantSpace = 4; // scalar loads
    Value pointer = LLVM::IntToPtrOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext(), kConstantSpace),
        address);
    constexpr unsigned kAlignBytes = 4;
    auto load =
        LLVM::LoadOp::create(b, loc, op.getType(), pointer, kAlignBytes);
    load.setInvariant(true);
    op.replaceAllUsesWith(load.getResult());
    op.erase();
  });
}

struct LowerSequences : impl::LowerSequencesPassBase<LowerSequences> {
  void runOnOperation() override { SequenceLowering(getOperation()).run(); }
};
} // namespace
} // namespace mlir::fmha
