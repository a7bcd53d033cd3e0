// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_LINETABLESPASS
#include "Passes.h.inc"

namespace {

/// Where an op comes from: a line, and of which step.
struct Place {
  FileLineColLoc line; ///< null: nothing is known
  StringAttr step;     ///< null: none
  FileLineColLoc call; ///< of the step; null without one
};

/// What fmha-number-lines made of the location, if it came through.
Place placeOf(Location location) {
  if (auto line = dyn_cast<FileLineColLoc>(location))
    return {line, {}, {}};
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    auto name = dyn_cast<NameLoc>(call.getCallee());
    auto caller = dyn_cast<FileLineColLoc>(call.getCaller());
    auto line =
        name ? dyn_cast<FileLineColLoc>(name.getChildLoc()) : FileLineColLoc();
    return line && caller ? Place{line, name.getName(), caller} : Place{};
  }
  auto fused = dyn_cast<FusedLoc>(location);
  if (!fused)
    return {};
  // One instruction can not stand for both: a step says more than none.
  Place found;
  for (Location part : fused.getLocations()) {
    Place place = placeOf(part);
    if (place.line && (!found.line || (place.step && !found.step)))
      found = place;
  }
  return found;
}

/// Debug information of one function.
class FunctionLines {
public:
  FunctionLines(LLVM::LLVMFuncOp function, FileLineColLoc line)
      : function(function), line(line), context(function.getContext()) {}

  void run();

private:
  LLVM::DISubprogramAttr createSubprogram(StringAttr name, unsigned firstLine,
                                          bool isInlined);
  LLVM::DISubprogramAttr subprogramOf(const Place &place);
  Location locate(Operation *op);

  LLVM::LLVMFuncOp function;
  FileLineColLoc line; ///< of the function
  MLIRContext *context;
  LLVM::DIFileAttr file;
  LLVM::DICompileUnitAttr unit;
  llvm::DenseMap<StringAttr, LLVM::DISubprogramAttr> subprograms;
  unsigned unknown = 0; ///< ops without a line that become instructions
  Operation *firstUnknown = nullptr;
};

LLVM::DISubprogramAttr FunctionLines::createSubprogram(StringAttr name,
                                                       unsigned firstLine,
                                                       bool isInlined) {
  auto flags =
      LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized;
  if (isInlined)
    flags = flags | LLVM::DISubprogramFlags::LocalToUnit;
  return LLVM::DISubprogramAttr::get(
      context, DistinctAttr::create(UnitAttr::get(context)), unit, file, name,
      /*linkageName=*/StringAttr(), file, firstLine, /*scopeLine=*/firstLine,
      flags, LLVM::DISubroutineTypeAttr::get(context, {}), /*retainedNodes=*/{},
      /*annotations=*/{});
}

LLVM::DISubprogramAttr FunctionLines::subprogramOf(const Place &place) {
  LLVM::DISubprogramAttr &subprogram = subprograms[place.step];
  if (!subprogram)
    subprogram = createSubprogram(place.step, place.call.getLine(),
                                  /*isInlined=*/true);
  return subprogram;
}

Location FunctionLines::locate(Operation *op) {
  Place place = placeOf(op->getLoc());
  if (!place.line || place.line.getFilename() != line.getFilename()) {
    // Constants and what LLVM folds into its users are no instructions.
    if (!op->hasTrait<OpTrait::ConstantLike>() &&
        !isa<LLVM::ConstantOp, LLVM::PoisonOp, LLVM::UndefOp,
             LLVM::AddressOfOp>(op) &&
        unknown++ == 0)
      firstUnknown = op;
    // Without one it would be taken for part of what stands before it.
    return line;
  }
  if (!place.step)
    return place.line;
  return CallSiteLoc::get(
      FusedLoc::get(context, {place.line}, subprogramOf(place)), place.call);
}

void FunctionLines::run() {
  file = LLVM::DIFileAttr::get(
      context, llvm::sys::path::filename(line.getFilename().getValue()), "");
  // No language of DWARF's list is MLIR's: C has the fewest rules that a
  // debugger could apply to names.
  unit = LLVM::DICompileUnitAttr::get(
      DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C11,
      file, StringAttr::get(context, "fmhac"), /*isOptimized=*/true,
      LLVM::DIEmissionKind::LineTablesOnly, LLVM::DINameTableKind::None);
  LLVM::DISubprogramAttr own = createSubprogram(
      function.getSymNameAttr(), line.getLine(), /*isInlined=*/false);
  function.getBody().walk([&](Operation *op) { op->setLoc(locate(op)); });
  function->setLoc(FusedLoc::get(context, {line}, own));
  if (unknown)
    function.emitRemark("line tables: ")
        << unknown << " ops come from no line of " << line.getFilename()
        << "; the first is '" << firstUnknown->getName() << "'";
}

struct LineTables : impl::LineTablesPassBase<LineTables> {
  LogicalResult run(LLVM::LLVMFuncOp function) override {
    if (auto line = dyn_cast<FileLineColLoc>(function.getLoc());
        line && !function.isExternal())
      FunctionLines(function, line).run();
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
