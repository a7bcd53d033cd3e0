// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prove/Proofs.h"

#include "lanes/Lift.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fmha;

/// Binary orders up to the largest number that a type of elements has.
static double mostLog2(Type element) {
  const llvm::fltSemantics &type = cast<FloatType>(element).getFloatSemantics();
  llvm::APFloat largest = llvm::APFloat::getLargest(type);
  bool loses;
  largest.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &loses);
  return std::log2(largest.convertToDouble());
}

/// What an op that lifts exponents, or takes the lift back, has of it.
static std::optional<int64_t> liftAt(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<NoMaxOp, RebaseOp, SubtractOp, LogSumOp>(
          [](auto lifts) { return lifts.getLift().value_or(0); })
      .Default(std::nullopt);
}

LogicalResult fmha::proveLift(KernelOp kernel) {
  ScheduleAttr schedule = kernel.getSchedule();
  Type p = kernel.getProblem().getP();
  const double late = schedule.getRescale() == RescalePolicy::Lazy
                          ? lazyLog2Of(kernel.getProblem(), schedule)
                          : 0;
  // Scores start from the one, and get the other when they become exponents.
  Operation *start = nullptr, *subtract = nullptr;
  auto expect = [](Operation *op, Operation *as, int64_t lift) -> WalkResult {
    if (liftAt(op) == lift)
      return WalkResult::advance();
    InFlightDiagnostic diag = op->emitOpError()
                              << "expected the lift of all weights, " << lift
                              << ", found " << *liftAt(op);
    diag.attachNote(as->getLoc()) << "weights are lifted here";
    return diag;
  };
  auto fits = [&](Operation *op, int64_t lift) -> WalkResult {
    if (double(lift) + late <= mostLog2(p))
      return WalkResult::advance();
    return op->emitOpError()
           << "expected a lift and a late rescale of at most " << mostLog2(p)
           << " binary orders, as " << p << " reaches no further, found "
           << lift << " and " << late;
  };
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    int64_t atStart = start ? *liftAt(start) : 0;
    // Factors of V's rows make weights less than they are, and lift them.
    if (auto fold = dyn_cast<FoldKeysOp>(op))
      return fits(op, atStart + (subtract ? *liftAt(subtract) : 0) +
                          int64_t(fold.getLift().value_or(0)));
    if (!liftAt(op))
      return WalkResult::advance();
    if (isa<NoMaxOp>(op)) {
      start = op;
      return fits(op, *liftAt(op));
    }
    if (isa<RebaseOp>(op))
      return expect(op, start ? start : op, atStart);
    if (isa<LogSumOp>(op))
      return subtract || start
                 ? expect(op, subtract ? subtract : start,
                          atStart + (subtract ? *liftAt(subtract) : 0))
                 : WalkResult::advance();
    if (subtract)
      return expect(op, subtract, *liftAt(subtract));
    subtract = op;
    return fits(op, atStart + *liftAt(op));
  });
  return failure(result.wasInterrupted());
}
