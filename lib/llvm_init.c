// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "llvm_init.h"

#include <pthread.h>

#include "llvm-c/Target.h"

// The registry of targets is process-wide state of LLVM and its initialisation
// is not safe against itself: every part of the library comes through here.
static pthread_once_t llvm_once = PTHREAD_ONCE_INIT;

static void llvm_init(void) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmPrinter();
  LLVMInitializeAMDGPUAsmParser();
  LLVMInitializeAMDGPUDisassembler();
}

void fmhac_llvm_init_once(void) { pthread_once(&llvm_once, llvm_init); }
