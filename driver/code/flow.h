// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The control flow graph of a kernel and its natural loops: a loop is a header
/// that dominates the sources of its back edges, and all blocks that reach such
/// a source without passing the header, wherever they lie.
#ifndef FMHAC_DRIVER_FLOW_H
#define FMHAC_DRIVER_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLOW_NONE = UINT32_MAX };

/// An instruction as the graph needs it.
typedef struct flow_insn {
  uint64_t pc;
  uint64_t target; ///< of its branch, if it has one
  bool branches;   ///< to `target`
  bool ends;       ///< the next instruction in memory is not executed next
} flow_insn;

typedef struct flow_block {
  uint32_t first, end;    ///< instructions [first, end)
  uint32_t successors[2]; ///< blocks, or FLOW_NONE
  uint32_t position;      ///< in `order`
  uint32_t loop;          ///< innermost, or FLOW_NONE
  uint32_t dominator;     ///< immediate, or FLOW_NONE
  uint32_t first_before;  ///< in `before`: blocks that lead to this one
  uint32_t before_count;
} flow_block;

typedef struct flow_loop {
  uint32_t header; ///< block
  uint32_t parent; ///< loop around it, or FLOW_NONE
  uint32_t depth;  ///< 1: not inside another
  uint32_t back_edges;
} flow_loop;

typedef struct flow {
  flow_block *blocks; ///< by address; owned, as all here
  uint32_t block_count;
  uint32_t *order; ///< blocks in reverse postorder
  uint32_t *before;
  flow_loop *loops; ///< an inner one before those around it
  uint32_t loop_count;
  /// Jumps backwards into code that is entered elsewhere too: no loop has a
  /// single header there. The first of them, as instructions.
  uint32_t irreducible, irreducible_from, irreducible_to;
} flow;

/// Code that no branch reaches is taken to be entered where it begins. False
/// when memory is exhausted; flow_deinit() is due in any case.
bool flow_build(const flow_insn *insns, uint32_t count, flow *out_flow);
void flow_deinit(flow *f);

/// Whether a block is in a loop or in one inside it.
bool flow_loop_has(const flow *f, uint32_t loop, uint32_t block);

/// For `count` numbers per block (none negative, `weights[block * count + n]`):
/// the least and the most that a way through the loop adds up, each number for
/// itself; inner loops once. False when memory is exhausted.
bool flow_loop_sums(const flow *f, uint32_t loop, const double *weights,
                    size_t count, double *out_least, double *out_most);

#endif // FMHAC_DRIVER_FLOW_H
