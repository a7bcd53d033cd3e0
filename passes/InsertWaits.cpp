// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"

#include "llvm/ADT/SetVector.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_INSERTWAITSPASS
#include "Passes.h.inc"

namespace {

/// Vector-memory instructions that a wave issues for an op.
int64_t vectorMemoryInstructions(Operation *op) {
  if (auto load = dyn_cast<LoadKAsyncOp>(op))
    return load.issuedFragments().size();
  if (auto load = dyn_cast<LoadVAsyncOp>(op))
    return load.issuedFragments().size();
  return 0;
}

/// The buffer that an asynchronous load fills, or null.
Value filledBuffer(Operation *op) {
  if (auto load = dyn_cast<LoadKAsyncOp>(op))
    return load.getBuffer();
  if (auto load = dyn_cast<LoadVAsyncOp>(op))
    return load.getBuffer();
  return {};
}

/// The buffer and the token of a read, or nulls.
std::pair<Value, Value> readBuffer(Operation *op) {
  if (auto read = dyn_cast<ReadKOp>(op))
    return {read.getBuffer(), read.getToken()};
  if (auto read = dyn_cast<ReadVOp>(op))
    return {read.getBuffer(), read.getToken()};
  return {};
}

/// The most that a wait can leave outstanding: vmcnt has 6 bits.
constexpr int64_t kMaxOutstanding = 63;

/// What must stand before an op.
struct Guard {
  bool lds = false;   ///< reads delivered
  int64_t loads = -1; ///< loads outstanding at most, or -1
  bool barrier = false;
};

/// Walks one block. Reads that no barrier has closed yet come in from the
/// previous round of the loop and go out to the next.
class BlockWaits {
public:
  explicit BlockWaits(Block &block) : block(block) {}

  /// Fills `guards`; returns the buffers with open reads at the end.
  llvm::SetVector<Value> analyse(llvm::SetVector<Value> openReads) {
    guards.clear();
    SmallVector<Value> inFlight; // one entry an instruction: token
    llvm::DenseSet<Value> visible;
    for (Operation &op : block) {
      Guard guard;
      if (Value buffer = filledBuffer(&op);
          buffer && openReads.contains(buffer))
        guard.lds = guard.barrier = true;
      auto [buffer, token] = readBuffer(&op);
      if (token && !visible.contains(token)) {
        guard.barrier = true;
        int64_t later = 0;
        for (Value other : llvm::reverse(inFlight)) {
          if (other == token)
            break;
          ++later;
        }
        guard.loads = std::min(later, kMaxOutstanding);
      }
      if (guard.loads >= 0 && int64_t(inFlight.size()) > guard.loads)
        inFlight.erase(inFlight.begin(), inFlight.end() - guard.loads);
      if (guard.barrier) {
        if (guard.lds)
          openReads.clear();
        for (Value issued : tokens)
          if (!llvm::is_contained(inFlight, issued))
            visible.insert(issued);
        guards.push_back({&op, guard});
      }
      if (buffer)
        openReads.insert(buffer);
      if (int64_t count = vectorMemoryInstructions(&op)) {
        inFlight.append(count, op.getResult(0));
        tokens.push_back(op.getResult(0));
      }
    }
    return openReads;
  }

  void insert() {
    for (auto [op, guard] : guards) {
      OpBuilder b(op);
      Location loc = op->getLoc();
      if (guard.lds)
        WaitLdsOp::create(b, loc);
      if (guard.loads >= 0)
        WaitLoadsOp::create(b, loc, guard.loads);
      BarrierOp::create(b, loc);
    }
  }

private:
  Block &block;
  SmallVector<Value> tokens;
  SmallVector<std::pair<Operation *, Guard>> guards;
};

struct InsertWaits : impl::InsertWaitsPassBase<InsertWaits> {
  void runOnOperation() override {
    getOperation().walk([&](KvLoopOp loop) {
      BlockWaits waits(*loop.getBodyBlock());
      // More open reads at the start mean more barriers and so no more open
      // reads at the end: what a first round leaves open holds for every later
      // one.
      llvm::SetVector<Value> open = waits.analyse({});
      BlockWaits steady(*loop.getBodyBlock());
      steady.analyse(open);
      steady.insert();
    });
  }
};
} // namespace
} // namespace mlir::fmha
