// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM allocates scalar registers first. A value that it finds none for it
// would keep in a lane of a vector register that it takes from the others,
// which it calls a spill, and which no schedule can count on. This pass makes
// it an ordinary value: a lane of a vector register that is allocated with all
// others after that. v_writelane_b32 keeps a dword where it is made,
// v_readlane_b32 takes it where it is used, and 64 dwords have one register.
// What a kernel has of vector registers is up to its schedule; where they are
// too few after that, the kernel spills, and is refused.
//
// LLVM may copy a vector register wherever it likes, in those lanes that are on
// there. So all have to be on where a value is kept, and where it is taken. One
// that is taken where some are off has registers of its own, one a dword, which
// v_mov_b32 sets in all lanes: v_readfirstlane_b32 finds it in the first one
// that is on.
#include "c/keep_scalars.h"
#include "chip/Chip.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/SlotIndexes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"

#include <optional>

using namespace llvm;

namespace {

/// Of functions that are to have it.
constexpr char kAttribute[] = "fmha-keep-scalars";

constexpr unsigned kDwordBytes = 4;

/// What LLVM leaves in the place of a value that it has no register for.
enum class Act { None, Keep, Take };

/// One dword of a value, in a lane of a register or in all of them.
struct Place {
  Register vector;
  std::optional<unsigned> lane;
};

/// The instructions of one value.
struct Kept {
  SmallVector<MachineInstr *> instructions;
  SmallVector<Place> dwords;
};

class KeepScalars : public MachineFunctionPass {
public:
  static char ID;
  KeepScalars() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override {
    return "fmha: scalar values in vector registers";
  }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<SlotIndexesWrapperPass>();
    usage.addRequired<LiveIntervalsWrapperPass>();
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override;

private:
  Act actOf(const MachineInstr &mi) const;
  unsigned opcodeOf(StringRef name) const;
  const TargetRegisterClass *classOf(StringRef name) const;
  MCRegister dwordOf(MCRegister whole, unsigned dword) const;
  unsigned depthAfter(const MachineInstr &mi, unsigned depth) const;
  void findDepths(const MachineFunction &function);
  unsigned depthAt(const MachineInstr &mi) const;
  bool isReplaceable(const MachineInstr &mi, unsigned dwords) const;
  Register createVector(MachineFunction &function);
  Place placeOfLane(MachineFunction &function);
  MachineInstr *keep(MachineInstr &mi, MCRegister own, const Place &at) const;
  MachineInstr *take(MachineInstr &mi, MCRegister own, const Place &at) const;
  void replace(MachineInstr &mi, ArrayRef<Place> dwords);
  unsigned replaceAll(MachineFunction &function, int slot, Kept &kept);

  const TargetInstrInfo *tii = nullptr;
  const TargetRegisterInfo *tri = nullptr;
  LiveIntervals *intervals = nullptr;
  DenseMap<const MachineBasicBlock *, unsigned> depths; ///< at their beginning
  SmallVector<Register> vectors;                        ///< all
  Register shared;                                      ///< the last of lanes
  unsigned lanes = 0;                                   ///< of it, in use
};

char KeepScalars::ID = 0;

Act KeepScalars::actOf(const MachineInstr &mi) const {
  StringRef name = tii->getName(mi.getOpcode());
  if (!name.starts_with("SI_SPILL_S"))
    return Act::None;
  return name.ends_with("_SAVE")      ? Act::Keep
         : name.ends_with("_RESTORE") ? Act::Take
                                      : Act::None;
}

/// LLVM's own numbers are in no header that it installs.
unsigned KeepScalars::opcodeOf(StringRef name) const {
  for (unsigned opcode = 0; opcode < tii->getNumOpcodes(); ++opcode)
    if (tii->getName(opcode) == name)
      return opcode;
  return 0;
}

const TargetRegisterClass *KeepScalars::classOf(StringRef name) const {
  for (const TargetRegisterClass *own : tri->regclasses())
    if (name == tri->getRegClassName(own))
      return own;
  return nullptr;
}

/// Of a register of several dwords, or of one; none if it is not made of such.
MCRegister KeepScalars::dwordOf(MCRegister whole, unsigned dword) const {
  const std::string name = ("sub" + Twine(dword)).str();
  for (unsigned index = 1; index < tri->getNumSubRegIndices(); ++index)
    if (name == tri->getSubRegIndexName(index)) {
      MCRegister part = tri->getSubReg(whole, index);
      return part || dword ? part : whole;
    }
  return {};
}

//===- Lanes --------------------------------------------------------------===//

/// Branches that lanes are in, counted as LLVM writes them: exec is moved where
/// one begins, and is or'ed with what it was where it ends. LLVM leaves the
/// latter out where two end at once, which makes the count too large after
/// that, never too small.
constexpr unsigned kUnknown = 100;

unsigned KeepScalars::depthAfter(const MachineInstr &mi, unsigned depth) const {
  auto isExec = [&](const MachineOperand &operand) {
    const Register own = operand.getReg();
    return own.isPhysical() &&
           StringRef(tri->getName(own.asMCReg())).starts_with("EXEC");
  };
  if (none_of(mi.all_defs(), isExec))
    return depth;
  // One that is read before a branch, with a mark that it will be set.
  if (mi.isCopy() && !isExec(mi.getOperand(0)))
    return depth;
  StringRef name = tii->getName(mi.getOpcode());
  if (name == "S_MOV_B64_term" || name == "S_AND_SAVEEXEC_B64")
    return std::min(depth + 1, kUnknown);
  return name == "S_OR_B64" && depth && depth < kUnknown ? depth - 1 : kUnknown;
}

/// All lanes are on at the beginning of a kernel.
void KeepScalars::findDepths(const MachineFunction &function) {
  depths.clear();
  depths[&function.front()] = 0;
  SmallVector<const MachineBasicBlock *> open{&function.front()};
  while (!open.empty()) {
    const MachineBasicBlock *block = open.pop_back_val();
    unsigned depth = depths[block];
    for (const MachineInstr &mi : *block)
      depth = depthAfter(mi, depth);
    for (const MachineBasicBlock *next : block->successors()) {
      auto [it, isNew] = depths.try_emplace(next, depth);
      if (!isNew && it->second >= depth)
        continue;
      it->second = depth;
      open.push_back(next);
    }
  }
}

unsigned KeepScalars::depthAt(const MachineInstr &mi) const {
  auto block = depths.find(mi.getParent());
  if (block == depths.end())
    return kUnknown; // no path leads there
  unsigned depth = block->second;
  for (const MachineInstr &before : *mi.getParent()) {
    if (&before == &mi)
      break;
    depth = depthAfter(before, depth);
  }
  return depth;
}

//===- Values -------------------------------------------------------------===//

/// Whether `mi`, of so many dwords, may have vector registers instead: of
/// registers that their reads may write, and kept where all lanes are on.
bool KeepScalars::isReplaceable(const MachineInstr &mi, unsigned dwords) const {
  const Register whole = mi.getOperand(0).getReg();
  if (!whole.isPhysical() || (actOf(mi) == Act::Keep && depthAt(mi)))
    return false;
  for (unsigned i = 0; i < dwords; ++i) {
    MCRegister own = dwordOf(whole.asMCReg(), i);
    if (!own || StringRef(tri->getName(own)).starts_with("M0"))
      return false;
  }
  return true;
}

Register KeepScalars::createVector(MachineFunction &function) {
  vectors.push_back(
      function.getRegInfo().createVirtualRegister(classOf("VGPR_32")));
  return vectors.back();
}

/// The next lane. Others of its register are kept when one is, so that it has
/// to be there from the beginning.
Place KeepScalars::placeOfLane(MachineFunction &function) {
  if (lanes == mlir::fmha::chip::kWaveLanes || !shared) {
    lanes = 0;
    shared = createVector(function);
    MachineBasicBlock &entry = function.front();
    intervals->InsertMachineInstrInMaps(
        *BuildMI(entry, entry.begin(), DebugLoc(),
                 tii->get(TargetOpcode::IMPLICIT_DEF), shared));
  }
  return {shared, lanes++};
}

MachineInstr *KeepScalars::keep(MachineInstr &mi, MCRegister own,
                                const Place &at) const {
  const unsigned opcode =
      opcodeOf(at.lane ? "V_WRITELANE_B32" : "V_MOV_B32_e32");
  auto made = BuildMI(*mi.getParent(), mi, mi.getDebugLoc(), tii->get(opcode),
                      at.vector)
                  .addReg(own);
  if (at.lane)
    made.addImm(*at.lane).addReg(at.vector);
  return made;
}

MachineInstr *KeepScalars::take(MachineInstr &mi, MCRegister own,
                                const Place &at) const {
  const unsigned opcode =
      opcodeOf(at.lane ? "V_READLANE_B32" : "V_READFIRSTLANE_B32");
  auto made =
      BuildMI(*mi.getParent(), mi, mi.getDebugLoc(), tii->get(opcode), own)
          .addReg(at.vector);
  if (at.lane)
    made.addImm(*at.lane);
  return made;
}

void KeepScalars::replace(MachineInstr &mi, ArrayRef<Place> dwords) {
  const MCRegister whole = mi.getOperand(0).getReg().asMCReg();
  const bool isKept = actOf(mi) == Act::Keep;
  for (auto [i, at] : enumerate(dwords)) {
    MCRegister own = dwordOf(whole, i);
    intervals->InsertMachineInstrInMaps(isKept ? *keep(mi, own, at)
                                               : *take(mi, own, at));
  }
  intervals->RemoveMachineInstrFromMaps(mi);
  mi.eraseFromParent();
  intervals->removeAllRegUnitsForPhysReg(whole);
}

/// All instructions of a value, unless that cannot be; how many dwords.
unsigned KeepScalars::replaceAll(MachineFunction &function, int slot,
                                 Kept &kept) {
  MachineFrameInfo &frame = function.getFrameInfo();
  const unsigned dwords = frame.getObjectSize(slot) / kDwordBytes;
  if (!all_of(kept.instructions, [&](const MachineInstr *mi) {
        return isReplaceable(*mi, dwords);
      }))
    return 0;
  const bool isOfLanes = all_of(
      kept.instructions, [&](const MachineInstr *mi) { return !depthAt(*mi); });
  for (unsigned i = 0; i < dwords; ++i)
    kept.dwords.push_back(isOfLanes ? placeOfLane(function)
                                    : Place{createVector(function), {}});
  for (MachineInstr *mi : kept.instructions)
    replace(*mi, kept.dwords);
  frame.RemoveStackObject(slot);
  return dwords;
}

bool KeepScalars::runOnMachineFunction(MachineFunction &function) {
  if (!function.getFunction().hasFnAttribute(kAttribute))
    return false;
  tii = function.getSubtarget().getInstrInfo();
  tri = function.getSubtarget().getRegisterInfo();
  MapVector<int, Kept> slots;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &mi : block)
      if (actOf(mi) != Act::None)
        for (const MachineOperand &operand : mi.operands())
          if (operand.isFI())
            slots[operand.getIndex()].instructions.push_back(&mi);
  constexpr const char *kInstructions[] = {"V_WRITELANE_B32", "V_MOV_B32_e32",
                                           "V_READLANE_B32",
                                           "V_READFIRSTLANE_B32"};
  // Of an LLVM that calls them otherwise spills stay what they are.
  if (slots.empty() || !classOf("VGPR_32") ||
      any_of(kInstructions, [&](StringRef name) { return !opcodeOf(name); }))
    return false;
  intervals = &getAnalysis<LiveIntervalsWrapperPass>().getLIS();
  findDepths(function);
  vectors.clear();
  shared = {};
  unsigned dwords = 0;
  for (auto &[slot, kept] : slots)
    dwords += replaceAll(function, slot, kept);
  for (Register vector : vectors) {
    // What is kept in several places may be several values.
    SmallVector<LiveInterval *> parts;
    intervals->splitSeparateComponents(
        intervals->createAndComputeVirtRegInterval(vector), parts);
  }
  if (dwords)
    function.getFunction().getContext().diagnose(
        DiagnosticInfoGeneric(function.getName() + ": " + Twine(dwords) +
                                  " dwords of scalar values are kept in " +
                                  Twine(vectors.size()) + " vector registers",
                              DS_Note));
  return dwords;
}

} // namespace

Pass *mlir::fmha::createKeepScalars() { return new KeepScalars(); }
