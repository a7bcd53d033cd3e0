// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The static checkers. They work on the decoded program of a kernel and
/// execute nothing. They find registers that are used, on some path, before an
/// s_waitcnt covers the memory operation that writes them, and instructions
/// with too few wait states between them. The rules are those of
/// runtime/emu/check/wait.c, which checks a run, and of wait_states.def.
///
///   flow.c     control flow graph
///   state.c    what may be outstanding at a point
///   waits.c    missing waits: fixed point and findings
///   hazards.c  wait states, backwards from every instruction
///   path.c     the branches of a finding's path
///   result.c   lists of findings and notes
///   suspects.c compiled code that is known to be at fault
///   survey.c   the instructions of a code object
///   text.c     texts of findings
///   audit.c    all kernels of a code object; the public calls
#ifndef FMHAC_ISA_AUDIT_H
#define FMHAC_ISA_AUDIT_H

#include "object.h"
#include "overlap.h"
#include "program.h"
#include "wait_states.h"

//===-- flow.c ------------------------------------------------------------===//

enum { AUDIT_NOWHERE = UINT32_MAX };

/// A basic block: instructions that are executed one after the other.
typedef struct audit_block {
  uint32_t first, end; ///< positions in the program; `end` is after the last
  uint32_t next;       ///< block that follows in the code, or AUDIT_NOWHERE
  uint32_t taken;      ///< target of the last instruction, or AUDIT_NOWHERE
  /// Control reaches `next` from elsewhere (the end of a call): the outstanding
  /// operations at its start are unknown.
  bool next_unknown;
} audit_block;

typedef struct audit_flow {
  const isa_program *program;
  uint32_t *block_of;  ///< of each instruction; AUDIT_NOWHERE: not reached
  audit_block *blocks; ///< by address
  uint32_t block_count;
  uint32_t *order;  ///< blocks in reverse postorder
  uint32_t reached; ///< instructions in blocks
  bool unknown;     ///< some of them are not a known instruction
} audit_flow;

/// Builds the flow graph of the instructions that direct control flow reaches
/// from position `entry`. False: out of memory. Call audit_flow_free() in
/// either case.
bool audit_flow_build(const isa_program *program, uint32_t entry,
                      audit_flow *out_flow);
void audit_flow_free(audit_flow *flow);

//===-- state.c -----------------------------------------------------------===//

/// Orders of completion. A flat operation is in two orders: it may complete
/// early in either of its counters, so that only a count of zero covers it, and
/// it proves nothing about other operations (LLVM, SIInsertWaitcnts.cpp:
/// hasPendingFlat). Scalar loads complete in any order (CDNA3 ISA 4.4).
typedef enum audit_clock {
  AUDIT_VM,      ///< vmcnt, in order
  AUDIT_VM_ANY,  ///< vmcnt: flat
  AUDIT_LDS_IN,  ///< lgkmcnt, in order: LDS
  AUDIT_LGKM_ANY ///< lgkmcnt: scalar memory, flat
} audit_clock;

enum {
  AUDIT_CLOCKS = 4,
  AUDIT_SGPR_SLOT = ISA_VGPRS,
  AUDIT_SLOTS = ISA_VGPRS + ISA_SGPRS,
  AUDIT_WORDS = AUDIT_SLOTS / 64,
};

/// The operation that will still write a register: the youngest operation of a
/// clock on any path.
typedef struct audit_owner {
  uint32_t stamp; ///< of its issue; compare with audit_state.floor
  uint32_t insn;  ///< position in the program
} audit_owner;

/// State while walking a block. Ages are differences of stamps, so nothing is
/// renumbered when the counters change.
typedef struct audit_state {
  uint32_t now[AUDIT_CLOCKS];   ///< stamp of the youngest operation
  uint32_t floor[AUDIT_CLOCKS]; ///< stamps up to this one have completed
  uint8_t indexed; ///< operands that VGPR indexing may apply to (M0[15:12])
  bool index_on;   ///< VGPR indexing may be on
  uint8_t most_vm, most_lgkm; ///< upper bounds of the counters
  /// Slots that have an owner, or had one.
  uint64_t held[AUDIT_CLOCKS][AUDIT_WORDS];
  audit_owner owner[AUDIT_CLOCKS][AUDIT_SLOTS];
} audit_state;

typedef struct audit_saved_owner {
  uint16_t slot;
  uint8_t clock, age;
  uint32_t insn;
} audit_saved_owner;

/// The state at the start of a block: the least age of every register.
typedef struct audit_saved {
  audit_saved_owner *list; ///< by clock, then slot
  uint32_t count;
  uint8_t indexed, most_vm, most_lgkm;
  bool index_on, reached;
} audit_saved;

/// Whether operations of the clock complete in the order of their issue.
static inline bool audit_in_order(unsigned clock) {
  return clock == AUDIT_VM || clock == AUDIT_LDS_IN;
}
static inline const char *audit_counter(unsigned clock) {
  return clock <= AUDIT_VM_ANY ? "vmcnt" : "lgkmcnt";
}

static inline bool audit_owned(const audit_state *s, unsigned clock,
                               unsigned slot) {
  return (s->held[clock][slot / 64] >> slot % 64 & 1) &&
         s->owner[clock][slot].stamp > s->floor[clock];
}
/// The largest count that covers the owner of a slot.
static inline uint32_t audit_need(const audit_state *s, unsigned clock,
                                  unsigned slot) {
  return audit_in_order(clock) ? s->now[clock] - s->owner[clock][slot].stamp
                               : 0;
}

/// Whether a register of the scalar or the vector files may be outstanding.
bool audit_any_owned(audit_state *state, bool scalar);
/// Applies `insn` at position `at`: operations that it issues or waits for, and
/// indexing modes that it changes.
void audit_step(audit_state *state, const isa_insn *insn, isa_kind op,
                uint32_t at);
/// Whether an s_waitcnt of these counts waits for nothing, on any path.
bool audit_is_idle(const audit_state *state, uint32_t vm, uint32_t lgkm);
/// Applies an s_waitcnt of these counts.
void audit_wait(audit_state *state, uint32_t vm, uint32_t lgkm);

/// A fresh state without outstanding operations; `known` says that the counters
/// are known to be zero.
void audit_state_init(audit_state *state, bool known);
/// Loads `saved`.
void audit_state_load(audit_state *state, const audit_saved *saved);
/// Joins the state into `saved`; `out_changed` says whether `saved` grew.
/// False: out of memory.
bool audit_state_join(const audit_state *state, audit_saved *saved,
                      bool *out_changed);

//===-- Findings ----------------------------------------------------------===//

enum { AUDIT_NAMED_BRANCHES = 3 };
/// Taken branches of a path: blocks left and entered; only the first branches
/// are kept.
typedef struct audit_path {
  uint32_t from[AUDIT_NAMED_BRANCHES], to[AUDIT_NAMED_BRANCHES];
  uint32_t count; ///< of all taken branches
} audit_path;

/// A use that comes too early on some path.
typedef struct audit_finding {
  uint32_t check;     ///< FMHAC_EMU_CHECK_*
  uint32_t at, other; ///< positions: the use, and the one it depends on
  // For waits:
  uint8_t clock;
  bool overwrites;
  uint16_t slot; ///< first register
  uint32_t need; ///< the count that suffices
  // For hazards:
  isa_hazard hazard;
  uint8_t states;      ///< wait states between the two, on the shortest path
  isa_overlap overlap; ///< if it has a row: of one instruction, no wait states
  // For suspects:
  const char *reason; ///< a format; %s, if any, is the other instruction
  audit_path path;
} audit_finding;

/// An instruction where the analysis is incomplete.
typedef struct audit_note {
  uint32_t at;
  const char *reason; ///< a constant
} audit_note;

typedef struct audit_result {
  audit_finding *findings;
  size_t finding_count, finding_capacity;
  audit_note *notes;
  size_t note_count, note_capacity;
  uint32_t *idle; ///< positions of s_waitcnt that never wait
  size_t idle_count, idle_capacity;
  bool memory; ///< out of memory
} audit_result;

void audit_result_free(audit_result *result);
void audit_add_finding(audit_result *result, audit_finding finding);
void audit_add_note(audit_result *result, uint32_t at, const char *reason);
void audit_add_idle(audit_result *result, uint32_t at);

/// Adds notes for places where the flow is incomplete. False: out of memory.
bool audit_flow_notes(const audit_flow *flow, audit_result *result);

//===-- waits.c, hazards.c, suspects.c ------------------------------------===//

/// Finds missing waits. False: out of memory.
bool audit_waits(const audit_flow *flow, audit_result *result);
/// Finds missing wait states, and results that overlap sources. False: out of
/// memory.
bool audit_hazards(const audit_flow *flow, audit_result *result);
/// Finds instructions that a compiler is known to generate wrongly, or hardware
/// to execute wrongly. False: out of memory.
bool audit_suspects(const audit_flow *flow, audit_result *result);

//===-- path.c ------------------------------------------------------------===//

/// The taken branches between the operation of a missing wait and the use.
/// Empty if no branch is taken, or no path was found.
void audit_find_path(const audit_flow *flow, const audit_finding *finding,
                     audit_path *out_path);

//===-- text.c ------------------------------------------------------------===//

/// "pc 0x28, `…`: missing wait: reads v1 before …", without the kernel.
void audit_finding_text(const audit_flow *flow, uint32_t entry_text,
                        const audit_finding *finding, char *text, size_t bytes);

#endif // FMHAC_ISA_AUDIT_H
