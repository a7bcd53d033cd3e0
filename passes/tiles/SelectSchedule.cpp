// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "schedules/Schedules.h"

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
        ScheduleAttr whole =
            resolveRecipe(*op.getSchedule(), getOperation(), op.getLoc());
        if (!whole)
          return signalPassFailure();
        op.setScheduleAttr(whole);
        continue;
      }
      if (schedule.empty()) {
        op.emitOpError("expected the option schedule=NAME, or a schedule that "
                       "comes with the problem, found neither");
        return signalPassFailure();
      }
      ScheduleAttr attr = parseBuiltinSchedule(schedule, op.getLoc());
      if (!attr)
        return signalPassFailure();
      op.setScheduleAttr(attr);
    }
    // The schedules have what they say.
    for (RecipeOp recipe :
         llvm::make_early_inc_range(getOperation().getOps<RecipeOp>()))
      recipe.erase();
  }
};
} // namespace
} // namespace mlir::fmha
