// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "llvm_init.h"

#include <pthread.h>

#include "fmhac_disasm.h"
#include "llvm-c/Target.h"

// The registry of targets is process-wide state of LLVM and its initialisation
// is not safe against itself: every part of the library comes through here.
static pthread_once_t llvm_once = PTHREAD_ONCE_INIT;

static void llvm_init(void) {
  // The runtime registers the target itself, under a lock of its own; this
  // function adds the parts that only code generation needs.
  fmhac_disasm *disasm;
  if (fmhac_disasm_create(&disasm) == FMHAC_OK)
    fmhac_disasm_destroy(disasm);
  LLVMInitializeAMDGPUAsmPrinter();
  LLVMInitializeAMDGPUAsmParser();
}

void fmhac_llvm_init_once(void) { pthread_once(&llvm_once, llvm_init); }
