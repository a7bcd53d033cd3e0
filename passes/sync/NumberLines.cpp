// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_NUMBERLINESPASS
#include "Passes.h.inc"

namespace {

/// Whether the op is a step of attention: something that tiles or LDS buffers
/// go through.
bool isStep(Operation *op) {
  if (!isa_and_nonnull<FmhaDialect>(op->getDialect()) ||
      isa<KernelOp, KvLoopOp, StageOp, YieldOp, LdsBufferOp, RingSlotOp>(op))
    return false;
  auto isData = [](Type type) { return isa<TileType, LdsType>(type); };
  return llvm::any_of(op->getOperandTypes(), isData) ||
         llvm::any_of(op->getResultTypes(), isData);
}

struct NumberLines : impl::NumberLinesPassBase<NumberLines> {
  using NumberLinesPassBase::NumberLinesPassBase;

  LogicalResult run(ModuleOp module) override {
    // As fmhac prints it: only then is a line here the same line there.
    AsmState::LocationMap places;
    AsmState state(module, OpPrintingFlags(), &places);
    module->print(llvm::nulls(), state);

    StringAttr file;
    for (EntryOp kernel : module.getOps<EntryOp>()) {
      // One file has all kernels of the module; the first one names it.
      if (!file)
        file = StringAttr::get(&getContext(),
                               kernel.getSymNameAttr().getValue() + "." +
                                   stringifyRung(rung) + ".mlir");
      auto lineOf = [&](Operation *op) -> Location {
        return FileLineColLoc::get(file, places.lookup(op).first, 0);
      };
      kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
        Operation *step = op;
        while (step != kernel && !isStep(step))
          step = step->getParentOp();
        Location line = lineOf(op);
        if (step != kernel)
          line = CallSiteLoc::get(
              NameLoc::get(StringAttr::get(&getContext(), labelOf(step)), line),
              lineOf(step));
        op->setLoc(line);
      });
    }
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
