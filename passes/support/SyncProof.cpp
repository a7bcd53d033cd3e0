// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SyncProof.h"

#include "support/StaggerProof.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <deque>

using namespace mlir;
using namespace mlir::fmha;

namespace {

/// How far the copy into a buffer has come, as seen by one wave.
enum class Copy { None, InFlight, OwnLanded, Visible };
/// How far the reads out of a buffer have come.
enum class Reads { None, Issued, Delivered };

struct Buffer {
  Copy copy = Copy::None;
  Reads reads = Reads::None;
  Operation *lastRead = nullptr;
};

class Replay {
public:
  LogicalResult block(Block &block) {
    for (Operation &op : block)
      if (failed(step(&op)))
        return failure();
    return success();
  }

private:
  LogicalResult step(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<LoadKAsyncOp, LoadVAsyncOp>([&](auto load) {
          return issue(load, load.getBuffer(), load.issuedFragments().size());
        })
        .Case<ReadKOp, ReadVOp>(
            [&](auto read) { return this->read(read, read.getBuffer()); })
        .Case<LoadQOp>([&](LoadQOp load) {
          TileType tile = load.getTile().getType();
          if (tile.getLayout())
            inFlight.insert(inFlight.end(), tile.presentFragments().size(),
                            Value());
          return success();
        })
        .Case<WaitLoadsOp>([&](WaitLoadsOp wait) {
          while (inFlight.size() > wait.getOutstanding())
            inFlight.pop_front();
          for (auto &[value, buffer] : buffers)
            if (buffer.copy == Copy::InFlight &&
                !llvm::is_contained(inFlight, value))
              buffer.copy = Copy::OwnLanded;
          return success();
        })
        .Case<WaitLdsOp>([&](WaitLdsOp) {
          for (auto &[value, buffer] : buffers)
            if (buffer.reads == Reads::Issued)
              buffer.reads = Reads::Delivered;
          return success();
        })
        .Case<BarrierOp>([&](BarrierOp) {
          for (auto &[value, buffer] : buffers) {
            if (buffer.copy == Copy::OwnLanded)
              buffer.copy = Copy::Visible;
            if (buffer.reads == Reads::Delivered)
              buffer.reads = Reads::None;
          }
          return success();
        })
        .Case<KvLoopOp>([&](KvLoopOp loop) {
          // Twice: the second round starts from what the first leaves behind.
          for (int round = 0; round < 2; ++round)
            if (failed(block(*loop.getBodyBlock())))
              return failure();
          return success();
        })
        .Default([](Operation *) { return success(); });
  }

  LogicalResult issue(Operation *op, Value value, size_t instructions) {
    Buffer &buffer = buffers[value];
    if (buffer.copy == Copy::InFlight || buffer.copy == Copy::OwnLanded)
      return op->emitOpError("copies into a buffer whose last copy was never "
                             "made visible: expected a read between them");
    if (buffer.reads != Reads::None) {
      InFlightDiagnostic diag =
          op->emitOpError() << "overwrites a buffer that may still be read: "
                               "expected "
                            << (buffer.reads == Reads::Issued
                                    ? "fmha.wait_lds and fmha.barrier"
                                    : "fmha.barrier after fmha.wait_lds")
                            << " since its last read, found none";
      diag.attachNote(buffer.lastRead->getLoc()) << "last read";
      return diag;
    }
    buffer.copy = Copy::InFlight;
    inFlight.insert(inFlight.end(), instructions, value);
    return success();
  }

  LogicalResult read(Operation *op, Value value) {
    Buffer &buffer = buffers[value];
    switch (buffer.copy) {
    case Copy::None:
      return op->emitOpError("reads a buffer that nothing was copied into");
    case Copy::InFlight: {
      size_t last = 0;
      for (auto [i, owner] : llvm::enumerate(inFlight))
        if (owner == value)
          last = i;
      return op->emitOpError()
             << "reads a buffer before its copy has landed: expected "
                "fmha.wait_loads "
             << inFlight.size() - 1 - last << " or less, found "
             << inFlight.size() << " loads outstanding";
    }
    case Copy::OwnLanded:
      return op->emitOpError("reads what other waves copied: expected "
                             "fmha.barrier after the wait, found none");
    case Copy::Visible:
      break;
    }
    buffer.reads = Reads::Issued;
    buffer.lastRead = op;
    return success();
  }

  llvm::MapVector<Value, Buffer> buffers;
  /// Vector-memory instructions of one wave in issue order; null: not to LDS.
  std::deque<Value> inFlight;
};

} // namespace

LogicalResult fmha::proveSynced(KernelOp kernel) {
  auto hasClusters =
      kernel.walk([](ClusterOp) { return WalkResult::interrupt(); });
  if (hasClusters.wasInterrupted())
    return proveStaggered(kernel);
  return Replay().block(kernel.getBody().front());
}
