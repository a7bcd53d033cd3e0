// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "Schedules.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_SELECTSCHEDULEPASS
#include "Passes.h.inc"

namespace {
struct SelectSchedule : impl::SelectSchedulePassBase<SelectSchedule> {
  using SelectSchedulePassBase::SelectSchedulePassBase;

  void runOnOperation() override {
    for (AttentionOp op : getOperation().getOps<AttentionOp>()) {
      if (op.getSchedule()) {
        op.emitRemark("kept the schedule that came with the problem");
        continue;
      }
      llvm::StringRef name = schedule;
      if (name.empty())
        name = scheduleServing(op.getProblem());
      if (name.empty()) {
        op.emitOpError() << "expected a problem that a built-in schedule serves, "
                            "found "
                         << op.getProblem()
                         << "; name a schedule to try it all the same";
        return signalPassFailure();
      }
      ScheduleAttr attr = parseBuiltinSchedule(name, op.getLoc());
      if (!attr)
        return signalPassFailure();
      op.setScheduleAttr(attr);
    }
  }
};
} // namespace
} // namespace mlir::fmha
