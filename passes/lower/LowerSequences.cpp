// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "lanes/Lanes.h"
#include "lower/UniformLoad.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERSEQUENCESPASS
#include "Passes.h.inc"

namespace {

/// Element batch + `step` of an i32 array.
Value element(LaneBuilder &b, Arg array, int64_t step) {
  constexpr int64_t kBytes = 4;
  Value index = b.add(b.id(Id::Batch), b.i32(step));
  Value offset = b.mul(b.zext64(index), b.i64(kBytes));
  return LoadUniformOp::create(b, b.getI32Type(), array, offset);
}

/// Keys of the pages of a list: all of the last one but those that it lacks. A
/// sequence without pages has none, though engines may say that the last of
/// them has one, or all.
Value keysOfList(LaneBuilder &b, ProblemAttr problem) {
  Value pages =
      b.sub(element(b, Arg::KvIndptr, 1), element(b, Arg::KvIndptr, 0));
  Value whole = b.sub(arith::MaxSIOp::create(b, pages, b.i32(1)), b.i32(1));
  Value size = b.i32(problem.getPageSize());
  Value last = element(b, Arg::KvLastPageLen, 0);
  // Of all pages the product may pass 31 bits.
  Value any = arith::MinSIOp::create(b, pages, b.i32(1));
  last = arith::MinSIOp::create(b, last, b.mul(any, size));
  return b.add(b.mul(whole, size), last);
}

Value rowsOf(Sequence sequence, LaneBuilder &b) {
  ProblemAttr problem = b.kernel().getProblem();
  bool isQ = sequence == Sequence::Q;
  if (isQ ? problem.getVarlenQ() : problem.getVarlenKv()) {
    Arg array = isQ ? Arg::CuSeqlensQ : Arg::CuSeqlensKv;
    return b.sub(element(b, array, 1), element(b, array, 0));
  }
  if (!isQ && problem.getPages() == Pages::List)
    return keysOfList(b, problem);
  if (isQ ? problem.getLengthsQ() : problem.getLengthsKv()) {
    Value rows = element(b, isQ ? Arg::SeqlensQ : Arg::SeqlensKv, 0);
    return !isQ && problem.getLengthsCached()
               ? b.add(rows, rowsOf(Sequence::Q, b))
               : rows;
  }
  return ArgOp::create(b, b.getI32Type(), isQ ? Arg::SeqlenQ : Arg::SeqlenKv);
}

Value valueOf(SeqLenOp op, LaneBuilder &b) {
  return rowsOf(op.getSequence(), b);
}

Value valueOf(SeqStartOp op, LaneBuilder &b) {
  ProblemAttr problem = b.kernel().getProblem();
  bool isQ = op.getSequence() == Sequence::Q;
  if (isQ ? !problem.getVarlenQ() : !problem.getVarlenKv())
    return b.i64(0);
  return b.zext64(element(b, isQ ? Arg::CuSeqlensQ : Arg::CuSeqlensKv, 0));
}

/// One value a sequence, at the start of the kernel: LLVM would not move loads
/// there.
template <typename Op> void replaceAll(KernelOp kernel) {
  llvm::SmallDenseMap<Sequence, Value> values;
  kernel.walk([&](Op op) {
    Value &value = values[op.getSequence()];
    if (!value) {
      LaneBuilder b(op.getLoc(), // of the first that asks
                    OpBuilder::atBlockBegin(kernel.getItemBlock()));
      value = valueOf(op, b);
    }
    op.replaceAllUsesWith(value);
    op.erase();
  });
}

FailureOr<Value> lowerLoad(LoadUniformOp op, LaneBuilder &b) {
  Value base = ArgOp::create(b, b.getI64Type(), op.getArray());
  constexpr unsigned kAlignBytes = 4;
  return loadUniform(b, op.getType(), b.add(base, op.getOffsetBytes()),
                     kAlignBytes);
}

struct LowerSequences : impl::LowerSequencesPassBase<LowerSequences> {
  LogicalResult run(KernelOp kernel) override {
    replaceAll<SeqLenOp>(kernel);
    replaceAll<SeqStartOp>(kernel);
    return lowerEach<LoadUniformOp>(kernel, lowerLoad);
  }
};
} // namespace
} // namespace mlir::fmha
