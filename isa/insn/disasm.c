// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM is loaded when the first disassembler is created: a program that runs a
// kernel and never asks for the text of an instruction does without it.
#include "disasm.h"

#include <dlfcn.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/// Longer than any instruction.
enum { WINDOW_BYTES = 32 };

/// What is called of LLVM. The types are those of its headers.
#define FOR_EACH_FUNCTION(F)                                                   \
  F(LLVMInitializeAMDGPUTargetInfo)                                            \
  F(LLVMInitializeAMDGPUTarget)                                                \
  F(LLVMInitializeAMDGPUTargetMC)                                              \
  F(LLVMInitializeAMDGPUDisassembler)                                          \
  F(LLVMCreateDisasmCPU)                                                       \
  F(LLVMDisasmDispose)                                                         \
  F(LLVMDisasmInstruction)

typedef struct llvm_functions {
#define MEMBER(name) __typeof__(name) *name;
  FOR_EACH_FUNCTION(MEMBER)
#undef MEMBER
} llvm_functions;

struct fmhac_disasm {
  llvm_functions call;
  LLVMDisasmContextRef llvm;
};

// LLVM's registry of targets is process-wide and not safe against itself.
static pthread_once_t llvm_once = PTHREAD_ONCE_INIT;

/// By its name, as the linker of this object would have asked for it; by its
/// path where a sanitizer's dlopen() does not see the run path of its caller.
/// It is never unloaded: what is registered in it stays.
static void *open_llvm(void) {
  enum { MODE = RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE };
  void *library = dlopen(FMHAC_LLVM_SONAME, MODE);
  return library ? library : dlopen(FMHAC_LLVM_PATH, MODE);
}

static bool find_llvm(llvm_functions *out) {
  void *library = open_llvm();
  if (!library)
    return false;
  bool found = true;
#define FIND(name)                                                             \
  {                                                                            \
    void *at = dlsym(library, #name);                                          \
    memcpy(&out->name, &at, sizeof at);                                        \
    found &= at != NULL;                                                       \
  }
  FOR_EACH_FUNCTION(FIND)
#undef FIND
  dlclose(library);
  return found;
}

/// Runs only when LLVM is there.
static void llvm_init(void) {
  llvm_functions call;
  if (!find_llvm(&call))
    return;
  call.LLVMInitializeAMDGPUTargetInfo();
  call.LLVMInitializeAMDGPUTarget();
  call.LLVMInitializeAMDGPUTargetMC();
  call.LLVMInitializeAMDGPUDisassembler();
}

fmhac_status fmhac_disasm_create(fmhac_disasm **out_disasm) {
  if (!out_disasm)
    return FMHAC_INVALID_INPUT;
  *out_disasm = NULL;
  fmhac_disasm *disasm = calloc(1, sizeof *disasm);
  if (!disasm)
    return FMHAC_OUT_OF_MEMORY;
  if (!find_llvm(&disasm->call)) {
    free(disasm);
    return FMHAC_IO_ERROR;
  }
  pthread_once(&llvm_once, llvm_init);
  disasm->llvm = disasm->call.LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", "gfx950",
                                                  NULL, 0, NULL, NULL);
  if (!disasm->llvm) {
    free(disasm);
    return FMHAC_INTERNAL;
  }
  *out_disasm = disasm;
  return FMHAC_OK;
}

const char *isa_disasm_explain(fmhac_status status) {
  switch (status) {
  case FMHAC_OUT_OF_MEMORY:
    return "out of memory";
  case FMHAC_IO_ERROR:
    return "loading LLVM's disassembler: expected " FMHAC_LLVM_SONAME
           " where the loader looks or at " FMHAC_LLVM_PATH
           ", found none that loads; install LLVM " FMHAC_LLVM_VERSION
           " again, LD_DEBUG=libs shows where it was looked for";
  default:
    return "LLVM's disassembler has no gfx950";
  }
}

void fmhac_disasm_destroy(fmhac_disasm *disasm) {
  if (!disasm)
    return;
  disasm->call.LLVMDisasmDispose(disasm->llvm);
  free(disasm);
}

static uint32_t bits(uint32_t word, int low, int count) {
  return word >> low & ((1u << count) - 1);
}

// LLVM 22 aborts on some corrupt code. These cases were found by disassembling
// random words.

/// Sub-dword operands with a selector that does not exist. Word 0 of VOP1, VOP2
/// and VOPC: bit 31 is 0, bits 8:0 are 0xf9; bits 31:25 are 0x3e in VOPC. Word
/// 1: dst_sel 10:8 and dst_unused 12:11 (not in VOPC), src0_sel 18:16, src1_sel
/// 26:24.
static bool is_corrupt_sdwa(const uint8_t code[WINDOW_BYTES]) {
  uint32_t words[2];
  memcpy(words, code, sizeof words);
  if (bits(words[0], 31, 1) != 0 || bits(words[0], 0, 9) != 0xf9)
    return false;
  bool compare = bits(words[0], 25, 7) == 0x3e;
  return bits(words[1], 16, 3) == 7 || bits(words[1], 24, 3) == 7 ||
         (!compare &&
          (bits(words[1], 8, 3) == 7 || bits(words[1], 11, 2) == 3));
}

/// v_mfma_f32_*_f8f6f4, alone or after its scales, with a format that does not
/// exist or with A or B not in registers. Word 0: bits 31:16 are 0xd3ad or
/// 0xd3ae, A's format in 10:8; word 1: A 8:0, B 17:9 (registers from 256 on),
/// B's format in 31:29. Before them, two words of scales: bits 31:16 of the
/// first are 0xd3ac.
static bool is_corrupt_f8f6f4(const uint8_t code[WINDOW_BYTES]) {
  enum { FORMATS = 5 };
  uint32_t words[2];
  memcpy(words, code, sizeof words);
  if (bits(words[0], 16, 16) == 0xd3ac)
    memcpy(words, code + sizeof words, sizeof words);
  uint32_t opcode = bits(words[0], 16, 16);
  if (opcode != 0xd3ad && opcode != 0xd3ae)
    return false;
  return bits(words[0], 8, 3) >= FORMATS || bits(words[1], 29, 3) >= FORMATS ||
         !bits(words[1], 8, 1) || !bits(words[1], 17, 1);
}

size_t fmhac_disasm_one(fmhac_disasm *disasm, const void *code, size_t bytes,
                        uint64_t pc, char *text, size_t text_bytes) {
  char none[1];
  if (!disasm || !code)
    return 0;
  if (!text || !text_bytes) { // LLVM writes at least the end of the text
    text = none;
    text_bytes = sizeof none;
  }
  // A copy with zeros after it: LLVM also aborts on an instruction that ends
  // before its literal.
  uint8_t window[WINDOW_BYTES] = {0};
  memcpy(window, code, bytes < WINDOW_BYTES ? bytes : WINDOW_BYTES);
  if (is_corrupt_sdwa(window) || is_corrupt_f8f6f4(window))
    return 0;
  size_t size = disasm->call.LLVMDisasmInstruction(
      disasm->llvm, window, sizeof window, pc, text, text_bytes);
  return size <= bytes ? size : 0;
}
