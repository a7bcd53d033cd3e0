// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prove/Proofs.h"

#include "llvm/ADT/APFloat.h"

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

LogicalResult fmha::proveLift(KernelOp kernel) {
  ScheduleAttr schedule = kernel.getSchedule();
  Type p = kernel.getProblem().getP();
  const int64_t late =
      schedule.getRescale() == RescalePolicy::Lazy ? schedule.getLazyLog2() : 0;
  SubtractOp first;
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    auto subtract = dyn_cast<SubtractOp>(op);
    auto logSum = dyn_cast<LogSumOp>(op);
    if (!subtract && !logSum)
      return WalkResult::advance();
    std::optional<int64_t> lift =
        subtract ? subtract.getLift() : logSum.getLift();
    if (subtract && double(lift.value_or(0) + late) > mostLog2(p))
      return op->emitOpError()
             << "expected a lift and a late rescale of at most " << mostLog2(p)
             << " binary orders, as " << p << " reaches no further, found "
             << lift.value_or(0) << " and " << late;
    if (subtract && !first)
      first = subtract;
    if (first && lift != first.getLift()) {
      InFlightDiagnostic diag = op->emitOpError()
                                << "expected the lift of all weights, "
                                << first.getLift().value_or(0) << ", found "
                                << lift.value_or(0);
      diag.attachNote(first.getLoc()) << "weights are lifted here";
      return diag;
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
