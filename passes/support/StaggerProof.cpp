// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/StaggerProof.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

#include <deque>

using namespace mlir;
using namespace mlir::fmha;

namespace {

constexpr int kHalves = 2;
constexpr int64_t kNever = -1;

/// A copy into a buffer or a read out of it, one time that it is executed. An
/// *epoch* is the number of barriers that a wave has gone through: what happens
/// in epoch e of any wave is over before what happens in epoch e + 1 of any
/// other begins, and unordered with all that happens in epoch e.
struct Access {
  Operation *op;
  Value buffer;
  bool isCopy;
  int64_t begins[kHalves]; ///< epoch in which it is issued
  int64_t ends[kHalves];   ///< in which a wait of the wave covered it, or never
};

/// Walks what a wave of each half executes, with the loop so many times and so
/// many branches to their else.
class Execution {
public:
  Execution(int rounds, int elses) : rounds(rounds), elses(elses) {}

  void run(Block &block) {
    for (half = 0; half < kHalves; ++half) {
      epoch = 0;
      next = 0;
      elsesLeft = elses;
      inFlight.clear();
      reading.clear();
      walk(block);
      total[half] = epoch;
    }
  }

  SmallVector<Access> accesses;
  int64_t total[kHalves] = {0, 0};

private:
  void walk(Block &block) {
    for (Operation &op : block)
      llvm::TypeSwitch<Operation *>(&op)
          .Case<LoadKAsyncOp, LoadVAsyncOp>([&](auto load) {
            size_t access = issue(load, load.getBuffer(), true);
            inFlight.insert(inFlight.end(), load.issuedFragments().size(),
                            access);
          })
          .Case<ReadKOp, ReadVOp>([&](auto read) {
            reading.push_back(issue(read, read.getBuffer(), false));
          })
          .Case<LoadQOp>([&](LoadQOp load) {
            if (load.getTile().getType().getLayout())
              inFlight.insert(
                  inFlight.end(),
                  load.getTile().getType().presentFragments().size(), kOther);
          })
          .Case<WaitLoadsOp>([&](WaitLoadsOp wait) {
            while (inFlight.size() > wait.getOutstanding()) {
              size_t done = inFlight.front();
              inFlight.pop_front();
              if (done != kOther && !llvm::is_contained(inFlight, done))
                accesses[done].ends[half] = epoch;
            }
          })
          .Case<WaitLdsOp>([&](WaitLdsOp) {
            for (size_t read : reading)
              accesses[read].ends[half] = epoch;
            reading.clear();
          })
          .Case<BarrierOp>([&](BarrierOp) { ++epoch; })
          .Case<StaggerOp>([&](StaggerOp stagger) {
            if (int(stagger.getGroup()) == half)
              epoch += stagger.getBarriers();
          })
          .Case<ClusterOp>(
              [&](ClusterOp cluster) { walk(cluster.getBody().front()); })
          .Case<scf::IfOp>([&](scf::IfOp branch) {
            if (elsesLeft-- > 0)
              walk(*branch.elseBlock());
            else
              walk(*branch.thenBlock());
          })
          .Case<KvLoopOp>([&](KvLoopOp loop) {
            for (int round = 0; round < rounds; ++round)
              walk(*loop.getBodyBlock());
          });
  }

  size_t issue(Operation *op, Value buffer, bool isCopy) {
    if (half == 0)
      accesses.push_back({op, buffer, isCopy, {}, {kNever, kNever}});
    accesses[next].begins[half] = epoch;
    return next++;
  }

  static constexpr size_t kOther = SIZE_MAX; ///< a load that is not to LDS
  int rounds, elses, elsesLeft = 0, half = 0;
  int64_t epoch = 0;
  size_t next = 0;
  std::deque<size_t> inFlight; ///< instructions of the wave, by access
  SmallVector<size_t> reading;
};

StringRef nameOf(int half) { return half == 0 ? "first" : "second"; }

/// `before` has ended in every wave before `after` begins in any.
LogicalResult ordered(const Access &before, const Access &after,
                      StringRef what) {
  for (int early = 0; early < kHalves; ++early)
    for (int late = 0; late < kHalves; ++late) {
      if (before.ends[early] != kNever &&
          before.ends[early] < after.begins[late])
        continue;
      InFlightDiagnostic diag =
          after.op->emitOpError()
          << what << ": expected a barrier between the wait of the "
          << nameOf(early) << " half of the waves for the one and the "
          << nameOf(late) << " half's other, found ";
      if (before.ends[early] == kNever)
        diag << "no wait";
      else
        diag << "the wait behind " << before.ends[early]
             << " barriers and the other behind " << after.begins[late];
      diag.attachNote(before.op->getLoc())
          << "'" << before.op->getName().getStringRef() << "' before it";
      return diag;
    }
  return success();
}

LogicalResult proveWay(KernelOp kernel, int rounds, int elses) {
  Execution walk(rounds, elses);
  walk.run(kernel.getBody().front());
  if (walk.total[0] != walk.total[1])
    return kernel.emitOpError()
           << "expected both halves of the waves to go through as many "
              "barriers, found "
           << walk.total[0] << " and " << walk.total[1];
  for (size_t i = 0; i < walk.accesses.size(); ++i) {
    const Access &access = walk.accesses[i];
    bool wasRead = false, wasCopied = false;
    // Back to the copy that this one reads, or that it replaces.
    for (size_t j = i; j-- > 0;) {
      const Access &before = walk.accesses[j];
      if (before.buffer != access.buffer)
        continue;
      if (!before.isCopy) {
        wasRead = true;
        if (access.isCopy &&
            failed(
                ordered(before, access, "overwrites what may still be read")))
          return failure();
        continue;
      }
      if (!access.isCopy &&
          failed(ordered(before, access, "reads what may not be there yet")))
        return failure();
      if (access.isCopy && !wasRead)
        return access.op->emitOpError(
            "copies into a buffer that nothing was read from since the last "
            "copy");
      wasCopied = true;
      break;
    }
    if (!access.isCopy && !wasCopied)
      return access.op->emitOpError(
          "reads a buffer that nothing was copied into");
  }
  return success();
}

} // namespace

LogicalResult fmha::proveStaggered(KernelOp kernel) {
  // No access is concerned with one that is further away than the others of its
  // buffer, and each buffer is copied into in every round.
  constexpr int kRounds = 3;
  int branches = 0;
  kernel.walk([&](scf::IfOp) { ++branches; });
  for (int rounds = 0; rounds <= kRounds; ++rounds)
    for (int elses = 0; elses <= branches; ++elses)
      if (failed(proveWay(kernel, rounds, elses)))
        return failure();
  return success();
}
