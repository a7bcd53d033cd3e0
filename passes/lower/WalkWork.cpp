// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workgroup of number w in the grid has the records work_indptr[w] to
// work_indptr[w + 1] of work_items, and of each its heads, one after the other:
//
//   for (i = work_indptr[w]; i < work_indptr[w + 1]; ++i)
//     for (head = work_items[i].heads & 0xffff; head < heads >> 16; ++head)
//       the item
//
// What an item computes from arguments, lanes and its place is computed in each
// anew: LLVM would keep all of it in registers from item to item, where the KV
// loop has none to spare. So arguments are loaded through a pointer, lanes
// counted, and places taken that LLVM cannot follow to where they come from.
#include "Passes.h"
#include "chip/Chip.h"
#include "lanes/Lanes.h"
#include "lower/EmptyAsm.h"
#include "lower/UniformLoad.h"
#include "work_list.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cstddef>

namespace mlir::fmha {
#define GEN_PASS_DEF_WALKWORKPASS
#include "Passes.h.inc"

namespace {

/// Words of a record.
enum Word : int64_t {
#define FMHA_WORD(field) offsetof(fmhac_work_item, field) / sizeof(int32_t)
  kBatch = FMHA_WORD(batch),
  kPart = FMHA_WORD(part),
  kRowBegin = FMHA_WORD(row_begin),
  kRowEnd = FMHA_WORD(row_end),
  kKeyBegin = FMHA_WORD(key_begin),
  kKeyEnd = FMHA_WORD(key_end),
  kHeads = FMHA_WORD(heads)
#undef FMHA_WORD
};

class Walk {
public:
  explicit Walk(WorkOp work)
      : work(work), kernel(work->getParentOfType<KernelOp>()), b(work) {}

  void run();

private:
  Value arg(Arg field) {
    return ArgOp::create(b, typeOfArg(field, b.getContext()), field);
  }
  /// Again in every item, whatever LLVM knows of it.
  Value anew(Value number, RegisterKind kind) {
    return hide(b, number, kind, /*always=*/true);
  }
  Value waveNumber();
  void loop(Value first, Value end, function_ref<void(Value)> body);
  void buildItem(ArrayRef<Value> record, Value head);
  void replaceArguments();
  void replaceIds();

  WorkOp work;
  KernelOp kernel;
  LaneBuilder b;
  Value wave, firstHead;
};

/// The wave's number in the workgroup, in a scalar register.
Value Walk::waveNumber() {
  int64_t threads = kernel.getSchedule().getWaves() * chip::kWaveLanes;
  auto range = LLVM::ConstantRangeAttr::get(b.getContext(), 32, 0, threads);
  Value thread = ROCDL::ThreadIdXOp::create(b, b.getI32Type(), range);
  Value number = arith::ShRUIOp::create(b, thread, b.i32(chip::kWaveLaneBits));
  return ROCDL::ReadfirstlaneOp::create(b, b.getI32Type(), number);
}

/// From `first` up to `end`. The test is at the end, after one that there is
/// anything at all, as in loops over keys.
void Walk::loop(Value first, Value end, function_ref<void(Value)> body) {
  constexpr auto kLess = arith::CmpIPredicate::slt;
  Type i32 = b.getI32Type();
  auto guard = scf::IfOp::create(b, TypeRange(), b.cmp(kLess, first, end),
                                 /*withElseRegion=*/false);
  b.setInsertionPointToStart(guard.thenBlock());
  auto rounds = scf::WhileOp::create(b, i32, first);
  Block *round = b.createBlock(&rounds.getBefore(), {}, i32, b.getLoc());
  body(round->getArgument(0));
  Value next = b.add(round->getArgument(0), b.i32(1));
  scf::ConditionOp::create(b, b.cmp(kLess, next, end), next);
  Block *after = b.createBlock(&rounds.getAfter(), {}, i32, b.getLoc());
  scf::YieldOp::create(b, after->getArguments());
  b.setInsertionPointAfter(guard);
}

/// Each that the item asks for, once.
void Walk::replaceArguments() {
  SmallVector<ArgOp> ops;
  work.walk([&](ArgOp op) { ops.push_back(op); });
  if (ops.empty())
    return;
  constexpr unsigned kConstantSpace = 4;
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), kConstantSpace);
  Value block =
      LLVM::CallIntrinsicOp::create(
          b, pointer, b.getStringAttr("llvm.amdgcn.kernarg.segment.ptr"),
          ValueRange())
          .getResult(0);
  block = LLVM::PtrToIntOp::create(b, b.getI64Type(), block);
  block = anew(block, RegisterKind::Scalar);
  llvm::SmallDenseMap<Arg, Value> values;
  for (ArgOp op : ops) {
    Value &value = values[op.getField()];
    if (!value)
      value = loadUniform(b, op.getType(),
                          b.add(block, b.i64(offsetOfArg(op.getField()))),
                          bytesOf(bitsOf(op.getType())));
    op.replaceAllUsesWith(value);
    op.erase();
  }
}

void Walk::replaceIds() {
  Type i32 = b.getI32Type();
  Value ones = b.i32(-1);
  Value lane = ROCDL::MbcntLoOp::create(b, i32, ones, b.i32(0), ArrayAttr(),
                                        ArrayAttr());
  lane = ROCDL::MbcntHiOp::create(b, i32, ones, lane, ArrayAttr(), ArrayAttr());
  lane = anew(lane, RegisterKind::Vector);
  Value own = anew(wave, RegisterKind::Scalar);
  work.walk([&](IdOp op) {
    op.replaceAllUsesWith(op.getKind() == Id::Lane ? lane : own);
    op.erase();
  });
}

void Walk::buildItem(ArrayRef<Value> record, Value head) {
  auto scalar = [&](Value number) {
    return anew(number, RegisterKind::Scalar);
  };
  replaceArguments();
  replaceIds();
  work.getRow().replaceAllUsesWith(scalar(record[kRowBegin]));
  work.getBatch().replaceAllUsesWith(scalar(record[kBatch]));
  work.getHead().replaceAllUsesWith(head);
  if (kernel.getProblem().getParts()) {
    work.getFirstKey().replaceAllUsesWith(scalar(record[kKeyBegin]));
    work.getEndKey().replaceAllUsesWith(scalar(record[kKeyEnd]));
    // The next head's rows follow.
    Value rows = b.sub(record[kRowEnd], record[kRowBegin]);
    Value part = b.add(record[kPart], b.mul(b.sub(head, firstHead), rows));
    Value none = b.i32(-1);
    part = b.select(b.cmp(arith::CmpIPredicate::eq, record[kPart], none), none,
                    part);
    work.getPart().replaceAllUsesWith(scalar(part));
  }
  Block &item = work.getBody().front();
  Block *here = b.getInsertionBlock();
  here->getOperations().splice(b.getInsertionPoint(), item.getOperations());
}

void Walk::run() {
  wave = waveNumber();
  constexpr int64_t kWordBytes = sizeof(int32_t);
  constexpr int64_t kRecordBytes = FMHAC_WORK_WORDS * kWordBytes;
  Type i32 = b.getI32Type();
  LLVM::ConstantRangeAttr any;
  Value own = b.zext64(ROCDL::BlockIdXOp::create(b, i32, any));
  Value begin = b.add(arg(Arg::WorkIndptr), b.mul(own, b.i64(kWordBytes)));
  Value first = loadUniform(b, i32, begin, kWordBytes);
  Value end = loadUniform(b, i32, b.add(begin, b.i64(kWordBytes)), kWordBytes);
  Value items = arg(Arg::WorkItems);
  loop(first, end, [&](Value index) {
    Value at = b.add(items, b.mul(b.zext64(index), b.i64(kRecordBytes)));
    auto type = VectorType::get(FMHAC_WORK_WORDS, i32);
    Value words = loadUniform(b, type, at, kRecordBytes);
    SmallVector<Value> record;
    for (int64_t i = 0; i < FMHAC_WORK_WORDS; ++i)
      record.push_back(vector::ExtractOp::create(b, words, i));
    constexpr int64_t kHalfBits = 16;
    firstHead =
        arith::AndIOp::create(b, record[kHeads], b.i32((1 << kHalfBits) - 1));
    Value endHead = arith::ShRUIOp::create(b, record[kHeads], b.i32(kHalfBits));
    loop(firstHead, endHead, [&](Value head) { buildItem(record, head); });
  });
  work.erase();
}

struct WalkWork : impl::WalkWorkPassBase<WalkWork> {
  LogicalResult run(KernelOp kernel) override {
    WorkOp work = kernel.getWork();
    if (!work || work.getForm() != WorkForm::List)
      return success();
    Walk(work).run();
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
