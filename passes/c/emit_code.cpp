// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's code generation, with four passes more and one fewer than its C face
// takes.
#include "c/check_memory_order.h"
#include "c/fmha_passes_c.h"
#include "c/keep_scalars.h"
#include "c/pad_wait_states.h"
#include "c/tighten_lds_waits.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <cstdlib>
#include <cstring>

using namespace llvm;

namespace {
class Passes : public legacy::PassManager {
public:
  void add(Pass *pass) override {
    const AnalysisID id = pass->getPassID();
    // Line tables tell of no variables. LLVM follows where they live all the
    // same, in functions that have lines at all, and notes for each instruction
    // every register that overlaps the ones it writes: hundreds for a tuple
    // (LLVM 22, VarLocBasedImpl.cpp, transferRegisterDef).
    if (id == &LiveDebugValuesID) {
      delete pass;
      return;
    }
    // The first thing after the allocation of scalar registers.
    if (id == &StackSlotColoringID && !hasScalars) {
      hasScalars = true;
      legacy::PassManager::add(mlir::fmha::createKeepScalars());
    }
    if (id == &PostRAHazardRecognizerID) {
      legacy::PassManager::add(mlir::fmha::createCheckMemoryOrder());
      legacy::PassManager::add(mlir::fmha::createTightenLdsWaits());
      legacy::PassManager::add(mlir::fmha::createPadWaitStates());
    }
    legacy::PassManager::add(pass);
  }

private:
  bool hasScalars = false; ///< their registers are allocated
};
} // namespace

bool fmhaEmitCode(LLVMTargetMachineRef machine, LLVMModuleRef module,
                  bool is_object, void **out_bytes, size_t *out_size_bytes) {
  *out_bytes = nullptr;
  *out_size_bytes = 0;
  auto *target = reinterpret_cast<TargetMachine *>(machine);
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  Passes passes;
  if (target->addPassesToEmitFile(passes, stream, nullptr,
                                  is_object ? CodeGenFileType::ObjectFile
                                            : CodeGenFileType::AssemblyFile))
    return false;
  passes.run(*unwrap(module));
  *out_bytes = std::malloc(bytes.empty() ? 1 : bytes.size());
  if (!*out_bytes)
    return true;
  std::memcpy(*out_bytes, bytes.data(), bytes.size());
  *out_size_bytes = bytes.size();
  return true;
}
