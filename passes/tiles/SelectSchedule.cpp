// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "schedules/Schedules.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_SELECTSCHEDULEPASS
#include "Passes.h.inc"

namespace {
struct SelectSchedule : impl::SelectSchedulePassBase<SelectSchedule> {
  using SelectSchedulePassBase::SelectSchedulePassBase;

  LogicalResult run(ModuleOp module) override {
    for (auto named : module.getOps<ScheduleOp>())
      return named.emitOpError("expected no schedule by name beside problems, "
                               "found one; give it to the problem: "
                               "schedule(…)");
    SmallVector<AttentionOp> open;
    for (AttentionOp op : module.getOps<AttentionOp>()) {
      if (op.getSchedule()) {
        op.emitRemark("kept the schedule that came with the problem");
        ScheduleAttr whole =
            resolveRecipe(*op.getSchedule(), module, op.getLoc());
        if (!whole)
          return failure();
        op.setScheduleAttr(whole);
        continue;
      }
      open.push_back(op);
    }
    SmallVector<StringRef> names(schedule.begin(), schedule.end());
    if (names.size() == 1) // of all
      names.resize(open.size(), names.front());
    if (names.size() != open.size()) {
      Operation *at = module;
      if (names.size() < open.size())
        at = open[names.size()];
      return at->emitError(
                 "expected the option schedule=NAME, of as many names as "
                 "problems come without a schedule (")
             << open.size()
             << "), or a schedule that comes with the problem, found "
             << names.size() << " names";
    }
    for (auto [name, op] : llvm::zip_equal(names, open)) {
      ScheduleAttr attr = parseBuiltinSchedule(name, op.getLoc());
      if (!attr)
        return failure();
      op.setScheduleAttr(attr);
    }
    // The schedules have what they say.
    for (RecipeOp recipe :
         llvm::make_early_inc_range(module.getOps<RecipeOp>()))
      recipe.erase();
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
