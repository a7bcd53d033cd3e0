// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM 22 counts a global load direct to LDS in lgkmcnt as well as in vmcnt
// (FLATInstructions.td, FLAT_Global_Load_LDS_Pseudo: LGKM_CNT = 1); that it is
// done, vmcnt tells (AMDGPUUsage, memory model of gfx942: loads to LDS), and so
// counts the audit. A wait that is to leave some LDS reads outstanding then
// leaves too many. This pass takes those loads out of the count: if hardware
// had them in lgkmcnt, waits would be longer than needed, never shorter.
#include "c/tighten_lds_waits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace {

/// lgkmcnt in the operand of s_waitcnt. Source: CDNA4 ISA guide, S_WAITCNT,
/// SIMM16[11:8].
enum : unsigned { kShift = 8, kNone = 15 };

class TightenLdsWaits : public MachineFunctionPass {
public:
  static char ID;
  TightenLdsWaits() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override {
    return "fmha: waits for LDS beside global loads to LDS";
  }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override;

private:
  StringRef nameOf(const MachineInstr &mi) const {
    return tii->getName(mi.getOpcode());
  }
  bool isCountedForNothing(const MachineInstr &mi) const {
    return nameOf(mi).starts_with("GLOBAL_LOAD_LDS_");
  }
  bool isCounted(const MachineInstr &mi) const {
    const StringRef name = nameOf(mi);
    return name.starts_with("DS_") || name.starts_with("S_LOAD_") ||
           name.starts_with("S_BUFFER_LOAD_") || name.starts_with("FLAT_");
  }
  unsigned leave(MachineBasicBlock::const_instr_iterator wait,
                 unsigned count) const;

  const TargetInstrInfo *tii = nullptr;
};

char TightenLdsWaits::ID = 0;

/// How many of the `count` that LLVM leaves outstanding there are. What was
/// issued before the block may have been any.
unsigned TightenLdsWaits::leave(MachineBasicBlock::const_instr_iterator wait,
                                unsigned count) const {
  const MachineBasicBlock &block = *wait->getParent();
  unsigned found = 0;
  while (count && wait != block.instr_begin()) {
    --wait;
    const bool isReal = isCounted(*wait);
    found += isReal;
    count -= isReal || isCountedForNothing(*wait);
  }
  return found;
}

bool TightenLdsWaits::runOnMachineFunction(MachineFunction &function) {
  tii = function.getSubtarget().getInstrInfo();
  const bool has = any_of(function, [&](const MachineBasicBlock &block) {
    return any_of(block.instrs(), [&](const MachineInstr &mi) {
      return isCountedForNothing(mi);
    });
  });
  if (!has)
    return false;
  bool changed = false;
  for (MachineBasicBlock &block : function)
    for (auto it = block.instr_begin(); it != block.instr_end(); ++it) {
      if (nameOf(*it) != "S_WAITCNT")
        continue;
      MachineOperand &counts = it->getOperand(0);
      const int64_t before = counts.getImm();
      const unsigned count = before >> kShift & kNone;
      if (count == kNone)
        continue;
      const int64_t left = leave(it, count);
      counts.setImm((before & ~(int64_t(kNone) << kShift)) | left << kShift);
      changed |= counts.getImm() != before;
    }
  return changed;
}

} // namespace

Pass *mlir::fmha::createTightenLdsWaits() { return new TightenLdsWaits(); }
