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
    SmallVector<AttentionOp> open;
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
      open.push_back(op);
    }
    SmallVector<StringRef> names(schedule.begin(), schedule.end());
    if (names.size() == 1) // of all
      names.resize(open.size(), names.front());
    if (names.size() != open.size()) {
      Operation *at = getOperation();
      if (names.size() < open.size())
        at = open[names.size()];
      at->emitError("expected the option schedule=NAME, of as many names as "
                    "problems come without a schedule (")
          << open.size()
          << "), or a schedule that comes with the problem, found "
          << names.size() << " names";
      return signalPassFailure();
    }
    for (auto [name, op] : llvm::zip_equal(names, open)) {
      ScheduleAttr attr = parseBuiltinSchedule(name, op.getLoc());
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
