// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM 22's hazard recogniser fills in too few wait states where paths meet. It
// looks back from an instruction over whole blocks (GCNHazardRecognizer.cpp,
// getWaitStatesSince), and so
//   - counts every branch at the end of a block, also those that a branch which
//     was taken before them has jumped over;
//   - does not walk a block again that it has met on a longer way;
//   - looks back 19 states where 16 passes want 20.
// So it is after matrix instructions, and after stores whose data is
// overwritten. This pass counts along every path forwards, what is issued and
// nothing else.
#include "c/pad_wait_states.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSchedule.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

#include <algorithm>

using namespace llvm;

namespace {

/// Wait states that any rule asks for, at most.
constexpr unsigned kReach = 20;

/// Operands of a matrix instruction, as LLVM numbers them.
enum : unsigned { kResult = 0, kAddend = 3 };

/// The operand of an s_nop, states less one, and the most that it may be.
/// Source: CDNA4 ISA guide, S_NOP, SIMM16[3:0].
enum : unsigned { kNopStates = 0, kMostNopStates = 15 };

/// States until data of a store of more than two dwords may be overwritten.
/// Source: isa/rules/wait_states.def, STORE_DATA; one suffices where a buffer's
/// offset is in a register.
constexpr unsigned kStoreStates = 2, kNarrowDwords = 2;

constexpr unsigned kDwordBits = 32;

/// Matrix instructions and stores that were issued less than kReach states ago,
/// and how many states ago at least.
using InFlight = SmallDenseMap<const MachineInstr *, unsigned, 32>;

class PadWaitStates : public MachineFunctionPass {
public:
  static char ID;
  PadWaitStates() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override {
    return "fmha: wait states after matrix instructions and stores";
  }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override;

private:
  bool isMatrix(const MachineInstr &mi) const;
  bool isStore(const MachineInstr &mi) const;
  bool overwrites(const MachineInstr &store, const MachineInstr &mi) const;
  bool isSameOperation(const MachineInstr &x, const MachineInstr &y) const;
  bool isNop(const MachineInstr &mi) const {
    return tii->getName(mi.getOpcode()) == "S_NOP";
  }
  unsigned statesOf(const MachineInstr &mi) const;
  unsigned required(const MachineInstr &producer,
                    const MachineInstr &consumer) const;
  unsigned missing(const InFlight &inFlight, const MachineInstr &mi) const;
  void issue(const MachineInstr &mi, unsigned extra, InFlight &inFlight) const;
  /// What is in flight at the end of the way from `from` to `to`.
  bool flow(const MachineBasicBlock &from, const MachineBasicBlock &to,
            InFlight inFlight);
  void addStates(MachineBasicBlock &block, MachineBasicBlock::iterator place,
                 unsigned states) const;
  bool pad(MachineBasicBlock &block);

  const TargetInstrInfo *tii = nullptr;
  const TargetRegisterInfo *tri = nullptr;
  TargetSchedModel model;
  DenseMap<const MachineBasicBlock *, InFlight> atEntry;
};

char PadWaitStates::ID = 0;

bool PadWaitStates::isMatrix(const MachineInstr &mi) const {
  StringRef name = tii->getName(mi.getOpcode());
  return name.starts_with("V_MFMA_") || name.starts_with("V_SMFMAC_");
}

bool PadWaitStates::isStore(const MachineInstr &mi) const {
  StringRef name = tii->getName(mi.getOpcode());
  return any_of(ArrayRef<StringRef>{"BUFFER_STORE_", "GLOBAL_STORE_",
                                    "FLAT_STORE_", "SCRATCH_STORE_"},
                [&](StringRef of) { return name.starts_with(of); });
}

/// Whether a vector instruction writes to registers that a store has as wide
/// data. Scalar ones as wide, the descriptor, count, too: few vector instructions
/// write to those.
bool PadWaitStates::overwrites(const MachineInstr &store,
                               const MachineInstr &mi) const {
  if (!tii->getName(mi.getOpcode()).starts_with("V_"))
    return false;
  auto isData = [&](const MachineOperand &o) {
    return o.isReg() && o.getReg() && o.isUse() && !o.isImplicit() &&
           tri->getRegSizeInBits(*tri->getMinimalPhysRegClass(o.getReg())) >
               kNarrowDwords * kDwordBits;
  };
  return any_of(store.operands(), [&](const MachineOperand &data) {
    return isData(data) && any_of(mi.operands(), [&](const MachineOperand &o) {
             return o.isReg() && o.getReg() && o.isDef() &&
                    tri->regsOverlap(o.getReg(), data.getReg());
           });
  });
}

/// LLVM has opcodes of one operation for each register file, and for results
/// that are the addend.
bool PadWaitStates::isSameOperation(const MachineInstr &x,
                                    const MachineInstr &y) const {
  auto operation = [&](const MachineInstr &mi) {
    StringRef name = tii->getName(mi.getOpcode());
    for (StringRef form : {"_e64", "_vgprcd", "_mac"})
      name.consume_back(form);
    return name;
  };
  return operation(x) == operation(y);
}

/// What takes no place in the code takes no state. Inline assembly of this
/// compiler is empty; of others it counts for less than it takes.
unsigned PadWaitStates::statesOf(const MachineInstr &mi) const {
  if (mi.isMetaInstruction() || mi.isInlineAsm() || mi.isBundle() ||
      tii->getInstSizeInBytes(mi) == 0)
    return 0;
  if (isNop(mi))
    return mi.getOperand(kNopStates).getImm() + 1;
  return 1;
}

/// States between a matrix instruction, or a store, and another instruction; 0
/// if they do not meet. Source: CDNA4 ISA guide, section 7.6; LLVM pull request
/// 126132 for results that are read. The numbers are those of matrix
/// instructions on 8 and 16 bits; f32 needs no more. f64 needs more, but no
/// kernel has it, and the audit would find it. An addend that is exactly a
/// result is forwarded within one operation only (LLVM pull request 218363).
unsigned PadWaitStates::required(const MachineInstr &producer,
                                 const MachineInstr &consumer) const {
  if (!isMatrix(producer))
    return overwrites(producer, consumer) ? kStoreStates : 0;
  const MCSchedClassDesc *schedClass = model.resolveSchedClass(&producer);
  const unsigned passes =
      model.getWriteProcResBegin(schedClass)->ReleaseAtCycle;
  const unsigned result = std::min(passes + (passes <= 2 ? 3 : 4), kReach);
  const unsigned addend = passes + 2, sameAddend = passes <= 2 ? 2 : 0;
  const unsigned overwritten = passes - 1;
  const Register d = producer.getOperand(kResult).getReg();
  const MachineOperand &c = producer.getOperand(kAddend);
  const bool isConsumerMatrix = isMatrix(consumer);
  unsigned most = 0;
  for (const auto &[number, operand] : enumerate(consumer.operands())) {
    if (!operand.isReg() || !operand.getReg())
      continue;
    const Register reg = operand.getReg();
    const bool meetsResult = tri->regsOverlap(reg, d);
    if (isConsumerMatrix) {
      // Matrix instructions finish in order: that both write D is no matter.
      if (operand.isDef() || !meetsResult)
        continue;
      most = std::max(most, number != kAddend ? result
                            : reg == d && isSameOperation(producer, consumer)
                                ? sameAddend
                                : addend);
      continue;
    }
    if (meetsResult)
      most = std::max(most, result);
    else if (operand.isDef() && c.isReg() && tri->regsOverlap(reg, c.getReg()))
      most = std::max(most, overwritten);
  }
  return most;
}

unsigned PadWaitStates::missing(const InFlight &inFlight,
                                const MachineInstr &mi) const {
  unsigned states = 0;
  for (auto [producer, since] : inFlight)
    if (since + states < kReach) {
      unsigned wanted = required(*producer, mi);
      if (wanted > since + states)
        states = wanted - since;
    }
  return states;
}

/// `extra` states pass, and `mi` is issued.
void PadWaitStates::issue(const MachineInstr &mi, unsigned extra,
                          InFlight &inFlight) const {
  const unsigned states = statesOf(mi) + extra;
  SmallVector<const MachineInstr *> done;
  for (auto &[producer, since] : inFlight)
    if ((since += states) >= kReach)
      done.push_back(producer);
  for (const MachineInstr *producer : done)
    inFlight.erase(producer);
  if (isMatrix(mi) || isStore(mi))
    inFlight[&mi] = 0;
}

/// The way from one block into another. Of the branches at the end those count
/// that are issued: up to the one that leads there. True if it brings anything
/// nearer than was known.
bool PadWaitStates::flow(const MachineBasicBlock &from,
                         const MachineBasicBlock &to, InFlight inFlight) {
  for (const MachineInstr &mi : from.instrs()) {
    issue(mi, missing(inFlight, mi), inFlight);
    if (mi.isBranch() && any_of(mi.operands(), [&](const MachineOperand &o) {
          return o.isMBB() && o.getMBB() == &to;
        }))
      break;
  }
  bool nearer = false;
  InFlight &known = atEntry[&to];
  for (auto [producer, since] : inFlight) {
    auto [it, isNew] = known.try_emplace(producer, since);
    if (!isNew && it->second <= since)
      continue;
    it->second = since;
    nearer = true;
  }
  return nearer;
}

/// Wait states in front of `place`: of an s_nop that stands there, or of one
/// more. Each s_nop takes its time to issue.
void PadWaitStates::addStates(MachineBasicBlock &block,
                              MachineBasicBlock::iterator place,
                              unsigned states) const {
  auto before = place;
  while (before != block.begin() && statesOf(*std::prev(before)) == 0)
    --before;
  if (before != block.begin()) {
    MachineInstr &last = *std::prev(before);
    if (isNop(last) &&
        last.getOperand(kNopStates).getImm() + states <= kMostNopStates) {
      last.getOperand(kNopStates)
          .setImm(last.getOperand(kNopStates).getImm() + states);
      return;
    }
  }
  tii->insertNoops(block, place, states);
}

bool PadWaitStates::pad(MachineBasicBlock &block) {
  InFlight inFlight = atEntry[&block];
  bool padded = false;
  for (auto it = block.instr_begin(); it != block.instr_end(); ++it) {
    const unsigned states = missing(inFlight, *it);
    if (states) {
      // A bundle stays whole.
      addStates(block, getBundleStart(it), states);
      padded = true;
    }
    issue(*it, states, inFlight);
  }
  return padded;
}

bool PadWaitStates::runOnMachineFunction(MachineFunction &function) {
  tii = function.getSubtarget().getInstrInfo();
  tri = function.getSubtarget().getRegisterInfo();
  model.init(&function.getSubtarget());
  atEntry.clear();
  for (const MachineBasicBlock &block : function)
    atEntry[&block]; // no entry moves while another is looked at
  SmallVector<const MachineBasicBlock *> work;
  for (const MachineBasicBlock &block : function)
    work.push_back(&block);
  while (!work.empty()) {
    const MachineBasicBlock *block = work.pop_back_val();
    for (const MachineBasicBlock *next : block->successors())
      if (flow(*block, *next, atEntry[block]))
        work.push_back(next);
  }
  bool padded = false;
  for (MachineBasicBlock &block : function)
    padded |= pad(block);
  return padded;
}

} // namespace

Pass *mlir::fmha::createPadWaitStates() { return new PadWaitStates(); }
