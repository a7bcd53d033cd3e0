// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac_disasm.h"

/// Longer than any instruction.
enum { WINDOW_BYTES = 32 };

struct fmhac_disasm {
  LLVMDisasmContextRef llvm;
};

// LLVM's registry of targets is process-wide and not safe against itself.
static pthread_once_t llvm_once = PTHREAD_ONCE_INIT;

static void llvm_init(void) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
}

fmhac_status fmhac_disasm_create(fmhac_disasm **out_disasm) {
  if (!out_disasm)
    return FMHAC_INVALID_INPUT;
  *out_disasm = NULL;
  pthread_once(&llvm_once, llvm_init);
  fmhac_disasm *disasm = calloc(1, sizeof *disasm);
  if (!disasm)
    return FMHAC_OUT_OF_MEMORY;
  disasm->llvm =
      LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", "gfx950", NULL, 0, NULL, NULL);
  if (!disasm->llvm) {
    free(disasm);
    return FMHAC_INTERNAL;
  }
  *out_disasm = disasm;
  return FMHAC_OK;
}

void fmhac_disasm_destroy(fmhac_disasm *disasm) {
  if (!disasm)
    return;
  LLVMDisasmDispose(disasm->llvm);
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
  size_t size = LLVMDisasmInstruction(disasm->llvm, window, sizeof window, pc,
                                      text, text_bytes);
  return size <= bytes ? size : 0;
}
