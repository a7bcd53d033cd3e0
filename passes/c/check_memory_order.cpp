// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wait for a copy to LDS leaves as many vector memory instructions
// outstanding as were issued after it, and was counted before LLVM ordered
// them. Where one crosses a copy, the wait is over too early, and no rule of
// the hardware is broken that the audit could find. Only instructions with lines
// can be compared; all of ours have one (fmha-line-tables).
#include "c/check_memory_order.h"

#include "llvm/ADT/Twine.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/LLVMContext.h"

#include <algorithm>

using namespace llvm;

namespace {

/// The latest lines so far, 0 where there is none.
struct Lines {
  unsigned ofCopies = 0, ofOthers = 0;
};

class CheckMemoryOrder : public MachineFunctionPass {
public:
  static char ID;
  CheckMemoryOrder() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override {
    return "fmha: order of vector memory instructions";
  }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override;
};

char CheckMemoryOrder::ID = 0;

/// What waits count, by the names of LLVM's opcodes. Spills, which they do not,
/// only make a wait longer.
bool isVectorMemory(StringRef name) {
  return name.starts_with("BUFFER_") || name.starts_with("GLOBAL_") ||
         name.starts_with("FLAT_");
}

bool isToLds(StringRef name) { return name.contains("_LDS_"); }

/// The line that `mi` should not stand after; 0 if it stands where it may.
unsigned lineCrossed(StringRef name, unsigned line, Lines &before) {
  const unsigned latest = isToLds(name)
                              ? std::max(before.ofCopies, before.ofOthers)
                              : before.ofCopies;
  unsigned &own = isToLds(name) ? before.ofCopies : before.ofOthers;
  own = std::max(own, line);
  return latest > line ? latest : 0;
}

bool CheckMemoryOrder::runOnMachineFunction(MachineFunction &function) {
  const TargetInstrInfo *tii = function.getSubtarget().getInstrInfo();
  for (const MachineBasicBlock &block : function) {
    Lines before;
    for (const MachineInstr &mi : block.instrs()) {
      const StringRef name = tii->getName(mi.getOpcode());
      if (name == "S_BARRIER")
        before = Lines();
      if (!isVectorMemory(name) || !mi.getDebugLoc())
        continue;
      const unsigned line = mi.getDebugLoc().getLine();
      const unsigned crossed = line ? lineCrossed(name, line, before) : 0;
      if (!crossed)
        continue;
      function.getFunction().getContext().emitError(
          "expected vector memory instructions in the order in which waits "
          "count them, found " +
          name.lower() + " of line " + Twine(line) + " after one of line " +
          Twine(crossed) +
          ": LLVM moved it across a copy to LDS, whose wait would be over too "
          "early");
      return false;
    }
  }
  return false;
}

} // namespace

Pass *mlir::fmha::createCheckMemoryOrder() { return new CheckMemoryOrder(); }
