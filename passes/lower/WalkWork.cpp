// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// List l has the records work_indptr[l] to work_indptr[l + 1] of work_items,
// and of each its heads, one after the other:
//
//   for (i = work_indptr[l]; i < work_indptr[l + 1]; ++i)
//     for (head = work_items[i].heads & 0xffff; head < heads >> 16; ++head)
//       the item
//
// A workgroup of number w in the grid has list w. With a queue of V lists for W
// workgroups it has more after that one:
//
//   for (l = w; l < V; l = W + fetched)
//     list l, with: fetched = asked++, modulo V (fmhac_work_queue)
//
// Whoever gets a list beyond the last fetches no more: in all V numbers are
// fetched, one for each of the V - W lists that follow the first W, and one by
// each workgroup at its end (if V is less than W, one by each that had a list).
// So `asked`, which wraps, is 0 again after the launch, and the kernel can be
// launched once more.
//
// With runs nothing is listed: a workgroup finds its items (work_find.h), each
// of one head, one after the other, until there is none.
//
// Of a queue, one lane fetches, in the last item of the list, after the item's
// last barrier and before its stores: the number comes while these are under
// way, and no copy is. The others find it in LDS, which nobody uses then.
//
// What an item computes from arguments, lanes and its place is computed in each
// anew: LLVM would keep all of it in registers from item to item, where the KV
// loop has none to spare. So arguments are loaded through a pointer, lanes
// counted, and places taken that LLVM cannot follow to where they come from.
#include "Passes.h"
#include "chip/Chip.h"
#include "lanes/Lanes.h"
#include "lower/Anew.h"
#include "lower/UniformLoad.h"
#include "work_find.h"
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
      : work(work), kernel(work->getParentOfType<KernelOp>()), b(work),
        isQueue(work.getForm() == WorkForm::Queue) {}

  void run();

private:
  Value arg(Arg field) {
    return ArgOp::create(b, typeOfArg(field, b.getContext()), field);
  }
  Value anew(Value number, RegisterKind kind) {
    return fmha::anew(b, number, kind);
  }
  Value waveNumber();
  Value loadQueue(int64_t offset);
  scf::IfOp branch(Value condition, TypeRange results = {});
  void loop(Value first, Value end, function_ref<Value(Value)> body);
  void count(Value first, Value end, function_ref<void(Value)> body);
  void buildList(Value list);
  template <typename Op> Values find(int64_t count, ValueRange operands);
  void joinParts(ArrayRef<Value> words, ValueRange item);
  void buildRun();
  void buildItem(ArrayRef<Value> record, Value head);
  Value fetch();
  void leaveInLds(Value fetched);
  Value takeFromLds();
  Value findLds();

  WorkOp work;
  KernelOp kernel;
  LaneBuilder b;
  const bool isQueue;
  Value wave;
  Value firstHead;                ///< of the record; null: it has one
  Value isLast;                   ///< of the list, this item is
  Value lds;                      ///< its first bytes
  Value queue, lists, workgroups; ///< of a queue: where it is, and its sizes
};

/// The wave's number in the workgroup, in a scalar register.
Value Walk::waveNumber() {
  int64_t threads = kernel.getSchedule().getWaves() * chip::kWaveLanes;
  auto range = LLVM::ConstantRangeAttr::get(b.getContext(), 32, 0, threads);
  Value thread = ROCDL::ThreadIdXOp::create(b, b.getI32Type(), range);
  Value number = arith::ShRUIOp::create(b, thread, b.i32(chip::kWaveLaneBits));
  return ROCDL::ReadfirstlaneOp::create(b, b.getI32Type(), number);
}

/// What no kernel writes that takes lists.
Value Walk::loadQueue(int64_t offset) {
  constexpr unsigned kBytes = sizeof(uint32_t);
  return loadUniform(b, b.getI32Type(), b.add(queue, b.i64(offset)), kBytes);
}

/// What follows is built in it.
scf::IfOp Walk::branch(Value condition, TypeRange results) {
  auto op = scf::IfOp::create(b, results, condition,
                              /*withElseRegion=*/!results.empty());
  b.setInsertionPointToStart(op.thenBlock());
  return op;
}

/// From `first` on, while what the body gives is less than `end`. The test is
/// at the end, after one that there is anything at all, as in loops over keys.
void Walk::loop(Value first, Value end, function_ref<Value(Value)> body) {
  constexpr auto kLess = arith::CmpIPredicate::slt;
  Type i32 = b.getI32Type();
  auto guard = branch(b.cmp(kLess, first, end));
  auto rounds = scf::WhileOp::create(b, i32, first);
  Block *round = b.createBlock(&rounds.getBefore(), {}, i32, b.getLoc());
  Value next = body(round->getArgument(0));
  scf::ConditionOp::create(b, b.cmp(kLess, next, end), next);
  Block *after = b.createBlock(&rounds.getAfter(), {}, i32, b.getLoc());
  scf::YieldOp::create(b, after->getArguments());
  b.setInsertionPointAfter(guard);
}

/// From `first` up to `end`.
void Walk::count(Value first, Value end, function_ref<void(Value)> body) {
  loop(first, end, [&](Value i) {
    body(i);
    return b.add(i, b.i32(1));
  });
}

//===- Queue --------------------------------------------------------------===//

/// In one lane of the workgroup, if the item is the last: how many lists were
/// asked for before. LLVM would have one lane fetch for all, and wait for it at
/// once, did it know that all have the same address.
Value Walk::fetch() {
  Type i32 = b.getI32Type();
  constexpr unsigned kGlobalSpace = 1;
  Value isFirst = b.cmp(arith::CmpIPredicate::eq, wave, b.i32(0));
  auto ofWave = branch(arith::AndIOp::create(b, isLast, isFirst), i32);
  Value isLane = b.cmp(arith::CmpIPredicate::eq, laneNumber(b), b.i32(0));
  auto ofLane = branch(isLane, i32);
  Value counter = anew(b.add(queue, b.i64(offsetof(fmhac_work_queue, asked))),
                       RegisterKind::Vector);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace);
  Value fetched = LLVM::AtomicRMWOp::create(
      b, LLVM::AtomicBinOp::uinc_wrap,
      LLVM::IntToPtrOp::create(b, pointer, counter), b.sub(lists, b.i32(1)),
      LLVM::AtomicOrdering::monotonic, "agent");
  scf::YieldOp::create(b, fetched);
  for (scf::IfOp op : {ofLane, ofWave}) {
    b.setInsertionPointToStart(op.elseBlock());
    scf::YieldOp::create(b, b.i32(0));
    b.setInsertionPointAfter(op);
    if (op == ofLane)
      scf::YieldOp::create(b, op.getResult(0));
  }
  return ofWave.getResult(0);
}

/// At the end of the last item.
void Walk::leaveInLds(Value fetched) {
  auto last = branch(isLast);
  // No wave reads anything else from there any more.
  ROCDL::SBarrierOp::create(b);
  branch(b.cmp(arith::CmpIPredicate::eq, wave, b.i32(0)));
  branch(b.cmp(arith::CmpIPredicate::eq, laneNumber(b), b.i32(0)));
  LLVM::StoreOp::create(b, b.add(workgroups, fetched), lds);
  b.setInsertionPointAfter(last);
}

/// The number of the next list, alike in all lanes.
Value Walk::takeFromLds() {
  Type i32 = b.getI32Type();
  const IntegerAttr none, zero = b.getI32IntegerAttr(0);
  auto meet = [&] {
    amdgpu::MemoryCounterWaitOp::create(b, none, none, /*ds=*/zero, none, none);
    ROCDL::SBarrierOp::create(b);
  };
  meet();
  Value number = LLVM::LoadOp::create(b, i32, lds);
  meet(); // the next item copies to there
  return ROCDL::ReadfirstlaneOp::create(b, i32, number);
}

/// Where the item has passed its last barrier.
Block::iterator afterBarriers(Block &item) {
  auto meets = [](Operation &op) {
    return op
        .walk([](Operation *inner) {
          return isa<ROCDL::SBarrierOp, StaggerOp, amdgpu::MemoryCounterWaitOp>(
                     inner)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  };
  auto last = llvm::find_if(llvm::reverse(item), meets);
  return last == item.rend() ? item.begin() : std::next(last->getIterator());
}

//===- Items --------------------------------------------------------------===//

void Walk::buildItem(ArrayRef<Value> record, Value head) {
  auto scalar = [&](Value number) {
    return anew(number, RegisterKind::Scalar);
  };
  replaceArguments(b, work);
  replaceIds(b, work, wave);
  work.getRow().replaceAllUsesWith(scalar(record[kRowBegin]));
  work.getBatch().replaceAllUsesWith(scalar(record[kBatch]));
  work.getHead().replaceAllUsesWith(head);
  if (kernel.getProblem().getParts()) {
    work.getFirstKey().replaceAllUsesWith(scalar(record[kKeyBegin]));
    work.getEndKey().replaceAllUsesWith(scalar(record[kKeyEnd]));
    Value part = record[kPart];
    if (firstHead) { // the next head's rows follow
      Value rows = b.sub(record[kRowEnd], record[kRowBegin]);
      Value ofHead = b.add(part, b.mul(b.sub(head, firstHead), rows));
      Value none = b.i32(-1);
      part =
          b.select(b.cmp(arith::CmpIPredicate::eq, part, none), none, ofHead);
    }
    work.getPart().replaceAllUsesWith(scalar(part));
  }
  Block &item = work.getBody().front();
  Value fetched;
  if (isQueue) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(&item, afterBarriers(item));
    fetched = fetch();
  }
  b.getInsertionBlock()->getOperations().splice(b.getInsertionPoint(),
                                                item.getOperations());
  if (isQueue)
    leaveInLds(fetched);
}

void Walk::buildList(Value list) {
  constexpr int64_t kWordBytes = sizeof(int32_t);
  constexpr int64_t kRecordBytes = FMHAC_WORK_WORDS * kWordBytes;
  constexpr int64_t kHalfBits = 16;
  constexpr auto kEqual = arith::CmpIPredicate::eq;
  Type i32 = b.getI32Type();
  Value begin =
      b.add(arg(Arg::WorkIndptr), b.mul(b.zext64(list), b.i64(kWordBytes)));
  Value first = loadUniform(b, i32, begin, kWordBytes);
  Value end = loadUniform(b, i32, b.add(begin, b.i64(kWordBytes)), kWordBytes);
  Value items = arg(Arg::WorkItems);
  count(first, end, [&](Value index) {
    Value at = b.add(items, b.mul(b.zext64(index), b.i64(kRecordBytes)));
    auto type = VectorType::get(FMHAC_WORK_WORDS, i32);
    Value words = loadUniform(b, type, at, kRecordBytes);
    SmallVector<Value> record;
    for (int64_t i = 0; i < FMHAC_WORK_WORDS; ++i)
      record.push_back(vector::ExtractOp::create(b, words, i));
    firstHead =
        arith::AndIOp::create(b, record[kHeads], b.i32((1 << kHalfBits) - 1));
    Value endHead = arith::ShRUIOp::create(b, record[kHeads], b.i32(kHalfBits));
    count(firstHead, endHead, [&](Value head) {
      auto isEnd = [&](Value i, Value past) {
        return b.cmp(kEqual, b.add(i, b.i32(1)), past);
      };
      if (isQueue)
        isLast =
            arith::AndIOp::create(b, isEnd(index, end), isEnd(head, endHead));
      buildItem(record, head);
    });
  });
  if (!isQueue)
    return;
  // A list without items has not fetched.
  auto isEmpty = branch(b.cmp(arith::CmpIPredicate::sge, first, end));
  isLast = arith::ConstantOp::create(b, b.getBoolAttr(true));
  leaveInLds(fetch());
  b.setInsertionPointAfter(isEmpty);
}

/// `count` words that `Op` finds. LLVM 22 makes some in vector registers, and
/// then everything that follows from them, up to loops over the lanes of
/// descriptors; or it finds no way back ("illegal VGPR to SGPR copy").
template <typename Op> Values Walk::find(int64_t count, ValueRange operands) {
  SmallVector<Type> types(count, b.getI32Type());
  Values words(Op::create(b, types, operands).getWords());
  for (Value &word : words)
    word = ROCDL::ReadfirstlaneOp::create(b, b.getI32Type(), word);
  return words;
}

/// After an item that is a part of its unit.
void Walk::joinParts(ArrayRef<Value> words, ValueRange item) {
  auto isPart = branch(b.cmp(arith::CmpIPredicate::ne, words[FMHAC_FIND_PARTS],
                             b.i32(FMHAC_FIND_PARTS_ALL)));
  Values parts = find<FindPartsOp>(FMHAC_PARTS_WORDS, item);
  JoinPartsOp::create(b, wave, parts[FMHAC_PARTS_COUNT], parts[FMHAC_PARTS_OWN],
                      parts[FMHAC_PARTS_TILE], parts[FMHAC_PARTS_ROWS],
                      parts[FMHAC_PARTS_IS_LATER], words[FMHAC_FIND_ROW_BEGIN],
                      words[FMHAC_FIND_HEAD], words[FMHAC_FIND_BATCH]);
  b.setInsertionPointAfter(isPart);
}

/// All items of the workgroup's run.
void Walk::buildRun() {
  auto found = [&](ValueRange after) {
    return find<FindItemOp>(FMHAC_FIND_WORDS, after);
  };
  auto isItem = [&](ValueRange words) {
    return b.cmp(arith::CmpIPredicate::sge, words[FMHAC_FIND_BATCH], b.i32(0));
  };
  Values first = found({});
  branch(isItem(first));
  TypeRange types = ValueRange(first).getTypes();
  SmallVector<Location> locations(first.size(), b.getLoc());
  auto rounds = scf::WhileOp::create(b, types, first);
  Block *round = b.createBlock(&rounds.getBefore(), {}, types, locations);
  Values words(round->getArguments());
  SmallVector<Value> record(FMHAC_WORK_WORDS);
  record[kBatch] = words[FMHAC_FIND_BATCH];
  record[kPart] = words[FMHAC_FIND_PART];
  record[kRowBegin] = words[FMHAC_FIND_ROW_BEGIN];
  record[kKeyBegin] = words[FMHAC_FIND_KEY_BEGIN];
  record[kKeyEnd] = words[FMHAC_FIND_KEY_END];
  buildItem(record, anew(words[FMHAC_FIND_HEAD], RegisterKind::Scalar));
  Values after(ArrayRef<Value>(words).take_front(FMHAC_FIND_KEY_BEGIN));
  llvm::append_range(after, ArrayRef<Value>(words).drop_front(FMHAC_FIND_UNIT));
  if (kernel.getProblem().getParts())
    joinParts(words, after);
  Values next = found(after);
  scf::ConditionOp::create(b, isItem(next), next);
  Block *end = b.createBlock(&rounds.getAfter(), {}, types, locations);
  scf::YieldOp::create(b, end->getArguments());
}

/// Before all items.
Value Walk::findLds() {
  Value base;
  work.walk([&](LdsBaseOp op) {
    op->moveBefore(work);
    base = op;
  });
  constexpr unsigned kLdsSpace = 3;
  if (!base)
    base = LdsBaseOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext(), kLdsSpace),
        sizeof(int32_t));
  return base;
}

void Walk::run() {
  wave = waveNumber();
  LLVM::ConstantRangeAttr any;
  Value own = ROCDL::BlockIdXOp::create(b, b.getI32Type(), any);
  if (work.getForm() == WorkForm::Runs) {
    buildRun();
  } else if (!isQueue) {
    buildList(own);
  } else {
    lds = findLds();
    queue = arg(Arg::WorkCounter);
    lists = loadQueue(offsetof(fmhac_work_queue, lists));
    workgroups = loadQueue(offsetof(fmhac_work_queue, workgroups));
    loop(own, lists, [&](Value list) {
      buildList(list);
      return takeFromLds();
    });
  }
  work.erase();
}
struct WalkWork : impl::WalkWorkPassBase<WalkWork> {
  LogicalResult run(KernelOp kernel) override {
    WorkOp work = kernel.getWork();
    if (!work || !work.repeats())
      return success();
    Walk(work).run();
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
