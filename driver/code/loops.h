// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The loops of a kernel and their instructions by class.
#ifndef FMHAC_DRIVER_LOOPS_H
#define FMHAC_DRIVER_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files.h"
#include "flow.h"

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

typedef struct mix {
  uint64_t instructions;
  uint64_t counts[MIX_CLASS_COUNT];
} mix;

/// A natural loop (flow.h), inner loops included. Its blocks need not lie one
/// after the other.
typedef struct kernel_loop {
  uint64_t header_pc;         ///< where every way through it begins
  uint64_t first_pc, last_pc; ///< lowest and highest of its instructions
  uint32_t depth;             ///< 1: not inside another
  uint32_t back_edges;        ///< branches and falls to the header
  uint32_t flow_loop;         ///< in kernel_code.flow
  mix mix;                    ///< all its code, inner loops once
  mix least; ///< the least of a path through it, each class for itself
} kernel_loop;

typedef struct kernel_code {
  mix mix;            ///< the whole kernel
  size_t unknown;     ///< words that are no instruction
  bool touches_lds;   ///< reads, writes or copies to LDS
  size_t indirect;    ///< jumps and calls that are not followed
  kernel_loop *loops; ///< owned; by first_pc, an outer one before those inside
  size_t loop_count;
  flow flow;        ///< owned
  flow_insn *insns; ///< owned; those of `flow`
  /// Owned, parallel to `insns`: their classes, and the vector memory
  /// instructions that a wait leaves on their way; -1: it waits for none.
  mix_class *classes;
  int8_t *vmcnts;
} kernel_code;

/// Disassembles a kernel and finds its loops. False with a text on failure.
bool kernel_code_read(const void *code, size_t code_bytes, const char *kernel,
                      kernel_code *out_code, char error[ERROR_BYTES]);
void kernel_code_deinit(kernel_code *code);

/// The loop with this header, else the innermost one that contains the
/// instruction at `pc`; NULL if no loop does.
const kernel_loop *kernel_code_loop_at(const kernel_code *code, uint64_t pc);
/// The block of the instruction at `pc`, or FLOW_NONE.
uint32_t kernel_code_block_at(const kernel_code *code, uint64_t pc);

#endif // FMHAC_DRIVER_LOOPS_H
