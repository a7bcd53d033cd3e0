// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_INSERTWAITSPASS
#include "Passes.h.inc"

namespace {

/// Something that happens in a stream of stages.
struct Event {
  Operation *op;
  enum Kind { Issue, Read, End, Barrier, Stagger } kind;
  /// Barriers that the waves of each group went through before.
  int64_t barriers[2] = {0, 0};
  int64_t issued = 0;    ///< vector-memory instructions of a wave so far
  size_t copy = kNoCopy; ///< of a read: the event that issued what it reads
  static constexpr size_t kNoCopy = SIZE_MAX;
  int64_t most() const { return std::max(barriers[0], barriers[1]); }
  int64_t least() const { return std::min(barriers[0], barriers[1]); }
};

/// Waits at the ends of stages. What a wave waited for is
/// visible to all once every wave has waited and then met a barrier; the groups
/// count barriers differently where they are staggered.
class StageWaits {
public:
  explicit StageWaits(KernelOp kernel) : kernel(kernel) {}

  LogicalResult insert() {
    // A round of the loop follows the prologue, or another round; so does the
    // epilogue. Three rounds are enough. The groups are no further apart than a
    // round has barriers (PipelineAttr), so that the place of a wait is two
    // rounds before its read at most: from the third round on it is in the loop
    // and the same. A copy may be in flight for longer, but then the first
    // rounds give the smallest count: a sweep of the prologue issues a subset
    // of the copies of a sweep of the loop, so a count taken across the
    // prologue is never larger than one taken in the steady state.
    constexpr int kRounds = 3;
    for (int rounds = 0; rounds <= kRounds; ++rounds) {
      events.clear();
      copyOf.clear();
      flatten(*kernel.getItemBlock(), rounds);
      count();
      for (size_t i = 0; i < events.size(); ++i)
        if (events[i].kind == Event::Read && failed(certify(i)))
          return failure();
      WorkOp work = kernel.getWork();
      if ((work && work.repeats()) || exchanges())
        waitForLast();
    }
    // Of the exchange each wave waits for what it did before the next barrier.
    kernel.walk([&](ROCDL::SBarrierOp barrier) {
      Operation *before = barrier->getPrevNode();
      if (!isa_and_nonnull<ShareOp, GatherOp>(before))
        return;
      OpBuilder b(barrier);
      IntegerAttr none;
      amdgpu::MemoryCounterWaitOp::create(b, before->getLoc(), /*load=*/none,
                                          /*store=*/none,
                                          /*ds=*/b.getI32IntegerAttr(0),
                                          /*exp=*/none, /*tensor=*/none);
    });
    kernel.walk([&](StageOp stageOp) {
      OpBuilder b(stageOp->getBlock(), std::next(stageOp->getIterator()));
      IntegerAttr load, ds, none;
      if (std::optional<int64_t> left = leftAt(stageOp))
        load = b.getI32IntegerAttr(std::min(*left, kMaxOutstandingLoads));
      if (stageOp.waitsForLds())
        ds = b.getI32IntegerAttr(0);
      if (load || ds)
        amdgpu::MemoryCounterWaitOp::create(b, stageOp.getLoc(), load,
                                            /*store=*/none, ds, /*exp=*/none,
                                            /*tensor=*/none);
    });
    return success();
  }

private:
  void flatten(Block &block, int rounds) {
    for (Operation &op : block) {
      if (auto access = dyn_cast<LdsAccessOp>(op)) {
        bool isCopy = access.isCopy();
        if (isCopy)
          copyOf[access.getToken()] = events.size();
        events.push_back({&op, isCopy ? Event::Issue : Event::Read});
        if (!isCopy)
          events.back().copy = copyFor(access.getToken());
      } else if (isa<VectorMemoryOp>(op)) {
        events.push_back({&op, Event::Issue});
      } else if (isa<ROCDL::SBarrierOp>(op)) {
        events.push_back({&op, Event::Barrier});
      } else if (isa<StaggerOp>(op)) {
        events.push_back({&op, Event::Stagger});
      } else if (auto stageOp = dyn_cast<StageOp>(op)) {
        Block &body = stageOp.getBody().front();
        flatten(body, rounds);
        follow(body.getTerminator()->getOperands(), op.getResults());
        events.push_back({&op, Event::End});
      } else if (auto loop = dyn_cast<KvLoopOp>(op)) {
        Block &body = *loop.getBodyBlock();
        ValueRange carried = loop.getInits();
        for (int round = 0; round < rounds; ++round) {
          follow(carried, body.getArguments().drop_front());
          flatten(body, rounds);
          carried = body.getTerminator()->getOperands();
        }
        follow(carried, op.getResults());
      }
    }
  }

  /// Whether waves exchange tiles through the LDS of the buffers.
  bool exchanges() {
    return kernel.walk([](ShareOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  size_t copyFor(Value token) const {
    auto it = copyOf.find(token);
    return it == copyOf.end() ? Event::kNoCopy : it->second;
  }

  /// The copies that tokens stand for, by another name; all at once.
  void follow(ValueRange from, ValueRange to) {
    SmallVector<size_t> copies;
    for (Value value : from)
      copies.push_back(copyFor(value));
    for (auto [name, copy] : llvm::zip(to, copies))
      copyOf[name] = copy;
  }

  void count() {
    int64_t barriers[2] = {0, 0}, issued = 0;
    for (Event &event : events) {
      if (event.kind == Event::Barrier) {
        ++barriers[0];
        ++barriers[1];
      } else if (auto stagger = dyn_cast<StaggerOp>(event.op)) {
        barriers[stagger.getGroup() == WaveGroup::Second] +=
            stagger.getBarriers();
      }
      if (auto memory = dyn_cast<VectorMemoryOp>(event.op))
        issued += memory.getVectorMemoryInstructions();
      event.barriers[0] = barriers[0];
      event.barriers[1] = barriers[1];
      event.issued = issued;
    }
  }

  using Waits = llvm::DenseMap<StageOp, int64_t>;

  /// The end of a stage waits for a copy, and leaves what was issued after it.
  void waitAt(size_t end, size_t copy, Waits &waits) {
    auto stageOp = dyn_cast<StageOp>(events[end].op);
    if (!stageOp)
      return;
    int64_t later = events[end].issued - events[copy].issued;
    auto [it, isNew] = waits.try_emplace(stageOp, later);
    it->second = std::min(it->second, later);
  }

  /// Vector-memory instructions that the end of a stage leaves in flight;
  /// nothing: it does not wait.
  std::optional<int64_t> leftAt(StageOp stageOp) {
    auto read = outstanding.find(stageOp), last = ofItems.find(stageOp);
    const bool hasRead = read != outstanding.end();
    if (last == ofItems.end() || (hasRead && read->second <= last->second))
      return hasRead ? read->second : std::optional<int64_t>();
    stageOp.emitRemark("the end of @")
        << stageOp.getStage()
        << " waits for what was copied last, whether it is read or not: "
        << (exchanges() ? "waves exchange tiles in the same places"
                        : "the next work item copies to the same places");
    return last->second;
  }

  /// Copies that nothing reads any more: the next work item copies to the same
  /// places, or waves exchange tiles there.
  void waitForLast() {
    auto last = [&](auto is) {
      size_t i = events.size();
      while (i > 0 && !is(events[i - 1]))
        --i;
      return i;
    };
    size_t end = last([](const Event &e) { return e.kind == Event::End; });
    size_t copy = last([](const Event &e) {
      auto access = dyn_cast<LdsAccessOp>(e.op);
      return access && access.isCopy() && isa<VectorMemoryOp>(e.op);
    });
    if (copy && copy < end)
      waitAt(end - 1, copy - 1, ofItems);
  }

  /// The latest end of a stage at which a wait makes a copy visible before a
  /// read: a barrier that all waves pass after it and before the read. Memory
  /// stages first: a wait would hold up a compute stage.
  LogicalResult certify(size_t read) {
    size_t copy = events[read].copy;
    if (copy == Event::kNoCopy)
      return events[read].op->emitOpError(
          "reads a buffer that nothing was copied into");
    if (!isa<VectorMemoryOp>(events[copy].op))
      return certifyWrite(read);
    for (bool memoryOnly : {true, false})
      for (size_t end = read; end-- > copy + 1;) {
        auto stageOp = dyn_cast<StageOp>(events[end].op);
        if (!stageOp || events[end].most() >= events[read].least() ||
            (memoryOnly && stageOp.getKind() != StageKind::Memory))
          continue;
        waitAt(end, copy, outstanding);
        return success();
      }
    // The proof of the rung refuses what comes of it, and names both.
    size_t end = read;
    while (--end > copy && events[end].kind != Event::End)
      ;
    waitAt(end, copy, outstanding);
    remark(read);
    return success();
  }

  /// A write from registers is waited for at the end of its own stage, as reads
  /// are.
  LogicalResult certifyWrite(size_t read) {
    size_t end = events[read].copy;
    while (end < read && events[end].kind != Event::End)
      ++end;
    if (end == read || events[end].most() >= events[read].least())
      remark(read);
    return success();
  }

  void remark(size_t read) {
    if (remarked.insert(events[read].op).second)
      events[read].op->emitRemark(
          "no place for a wait that makes its copy visible to all: there is "
          "no end of a stage between them with a barrier after it that "
          "every wave goes through before the read");
  }

  KernelOp kernel;
  SmallVector<Event> events;
  llvm::DenseMap<Value, size_t> copyOf; ///< event, by token
  Waits outstanding;                    ///< that reads ask for
  Waits ofItems;                        ///< that the next work item asks for
  llvm::DenseSet<Operation *> remarked;
};

struct InsertWaits : impl::InsertWaitsPassBase<InsertWaits> {
  LogicalResult run(KernelOp kernel) override {
    return StageWaits(kernel).insert();
  }
};
} // namespace
} // namespace mlir::fmha
