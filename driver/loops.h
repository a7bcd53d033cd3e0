// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The loops of a kernel and what instructions they are made of.
#ifndef FMHAC_DRIVER_LOOPS_H
#define FMHAC_DRIVER_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files.h"

/// Classes of instructions, by mnemonic.
typedef enum mix_class {
  MIX_MFMA,
  MIX_TRANS, ///< exp, log, rcp, …: a quarter of the rate
  MIX_VALU,
  MIX_SALU,
  MIX_SMEM,
  MIX_LDS_READ,
  MIX_LDS_WRITE,
  MIX_LDS_OTHER,
  MIX_LDS_DMA, ///< loads from memory straight to LDS
  MIX_LOAD,
  MIX_STORE,
  MIX_SCRATCH, ///< spills and stack
  MIX_WAIT,
  MIX_BARRIER,
  MIX_BRANCH,
  MIX_OTHER,
  MIX_CLASS_COUNT
} mix_class;

/// "mfma", "lds_read", …
const char *mix_class_name(mix_class c);
/// The class of an instruction as it is disassembled.
mix_class mix_classify(const char *text);

typedef struct mix {
  uint64_t instructions;
  uint64_t counts[MIX_CLASS_COUNT];
} mix;

/// A backward branch and what it jumps over, inner loops included.
typedef struct kernel_loop {
  uint64_t first_pc, last_pc; ///< of the first instruction and of the branch
  uint32_t depth;             ///< 1: not inside another
  mix mix;
} kernel_loop;

typedef struct kernel_code {
  mix mix;            ///< the whole kernel
  size_t unknown;     ///< words that are no instruction
  kernel_loop *loops; ///< owned; by first_pc
  size_t loop_count;
} kernel_code;

/// Disassembles a kernel and finds its loops. False with a text on failure.
bool kernel_code_read(const void *code, size_t code_bytes, const char *kernel,
                      kernel_code *out_code, char error[ERROR_BYTES]);
void kernel_code_deinit(kernel_code *code);

#endif // FMHAC_DRIVER_LOOPS_H
