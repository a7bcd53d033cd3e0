// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "Schedules.h"
#include "support/DispatchTable.h"

#include "llvm/Support/MemoryBuffer.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_SELECTSCHEDULEPASS
#include "Passes.h.inc"

namespace {
struct SelectSchedule : impl::SelectSchedulePassBase<SelectSchedule> {
  using SelectSchedulePassBase::SelectSchedulePassBase;

  /// Tables are read where a problem asks for one.
  LogicalResult readTables(Location loc) {
    if (!tables.empty())
      return success();
    std::string error;
    auto take = [&](StringRef text, StringRef name) -> LogicalResult {
      std::optional<DispatchTable> read =
          DispatchTable::parse(text, name, error);
      if (!read)
        return emitError(loc) << "reading the table of schedules: " << error;
      tables.push_back(std::move(*read));
      return success();
    };
    if (!table.empty()) {
      auto file = llvm::MemoryBuffer::getFile(table, /*IsText=*/true);
      if (!file)
        return emitError(loc) << "reading the table of schedules '" << table
                              << "': " << file.getError().message();
      if (failed(take((*file)->getBuffer(), table)))
        return failure();
    }
    return take(builtinDispatchText(), builtinDispatchName());
  }

  /// The name of the candidate that a table has for the problem, or the first.
  FailureOr<std::string> choose(AttentionOp op) {
    if (failed(readTables(op.getLoc())))
      return failure();
    SmallVector<const DispatchTable *> list;
    for (const DispatchTable &read : tables)
      list.push_back(&read);
    DispatchChoice choice = chooseSchedule(
        list, dispatchKeyOf(op.getProblem(), lengths),
        [&](StringRef name) { return llvm::is_contained(candidates, name); });
    for (const std::string &declined : choice.declined)
      op.emitRemark(declined);
    if (choice.row) {
      op.emitRemark(choice.why);
      return choice.row->best.schedule;
    }
    op.emitRemark("schedule ")
        << candidates.front() << ", the usual one: no row of a table has one "
        << "for this problem that compiles it";
    return candidates.front();
  }

  void runOnOperation() override {
    tables.clear();
    for (AttentionOp op : getOperation().getOps<AttentionOp>()) {
      if (op.getSchedule()) {
        op.emitRemark("kept the schedule that came with the problem");
        continue;
      }
      if (schedule.empty() && candidates.empty()) {
        op.emitOpError("expected the option schedule=NAME or candidates=NAMES, "
                       "or a schedule that comes with the problem, found none "
                       "of them");
        return signalPassFailure();
      }
      std::string name = schedule;
      if (name.empty()) {
        FailureOr<std::string> chosen = choose(op);
        if (failed(chosen))
          return signalPassFailure();
        name = *chosen;
      }
      ScheduleAttr attr = parseBuiltinSchedule(name, op.getLoc());
      if (!attr)
        return signalPassFailure();
      op.setScheduleAttr(attr);
    }
  }

private:
  /// The user's, if there is one, and the built-in.
  std::vector<DispatchTable> tables;
};
} // namespace
} // namespace mlir::fmha
