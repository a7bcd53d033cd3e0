// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The static checkers: over the decoded program of a kernel, and without
/// executing it, they find registers that are used, on some path, before an
/// s_waitcnt certifies the memory operation that writes them, and instructions
/// that follow each other too soon. The rules are those of queues.c, which
/// checks a run, and of wait_states.def.
///
///   flow.c     control flow graph
///   state.c    what may be outstanding at a point
///   waits.c    fixed point, and what is reported
///   hazards.c  wait states, backwards from every instruction
///   path.c     by which branches a finding comes about
///   result.c   the lists of what is found
///   text.c     findings in words
///   audit.c          all kernels of a code object; the public calls
#ifndef FMHAC_ISA_AUDIT_H
#define FMHAC_ISA_AUDIT_H

#include "object.h"
#include "program.h"
#include "wait_states.h"

//===-- flow.c ------------------------------------------------------------===//

enum { AUDIT_NOWHERE = UINT32_MAX };

/// Instructions that are executed one after the other.
typedef struct audit_block {
  uint32_t first, end; ///< positions in the program; `end` is behind the last
  uint32_t next;       ///< block that follows in the code, or AUDIT_NOWHERE
  uint32_t taken;      ///< block that the last instruction jumps to, or …
  /// Control comes to `next` from elsewhere (the end of a call): nothing is
  /// known of what is outstanding there.
  bool next_unknown;
} audit_block;

typedef struct audit_flow {
  const isa_program *program;
  uint32_t *block_of;  ///< of each instruction; AUDIT_NOWHERE: not reached
  audit_block *blocks; ///< by address
  uint32_t block_count;
  uint32_t *order;  ///< blocks in reverse postorder
  uint32_t reached; ///< instructions in blocks
  bool unknown;     ///< of which some are no known instruction
} audit_flow;

/// What direct control flow reaches from position `entry`. False: out of
/// memory. audit_flow_free() in either case.
bool audit_flow_build(const isa_program *program, uint32_t entry,
                      audit_flow *out_flow);
void audit_flow_free(audit_flow *flow);

//===-- state.c -----------------------------------------------------------===//

/// Orders in which operations come back. A flat operation is in two: it may
/// come back early in either of its counters, so that only zero is certain of
/// it, and it says nothing of the others (LLVM, SIInsertWaitcnts.cpp:
/// hasPendingFlat). Scalar loads come back in any order (CDNA3 ISA 4.4).
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

/// Who will still write a register: the youngest operation of a clock on any
/// path, as the age below is that of the latest.
typedef struct audit_owner {
  uint32_t stamp; ///< of its issue; compare with audit_state.floor
  uint32_t insn;  ///< position in the program
} audit_owner;

/// While walking a block. Ages are differences of stamps: nothing is renumbered
/// as the counters move.
typedef struct audit_state {
  uint32_t now[AUDIT_CLOCKS];   ///< stamp of the youngest operation
  uint32_t floor[AUDIT_CLOCKS]; ///< stamps up to this one are certified
  uint8_t indexed; ///< operands that VGPR indexing may apply to (M0[15:12])
  bool index_on;   ///< VGPR indexing may be on
  uint8_t most_vm, most_lgkm; ///< what the counters may stand at, at most
  uint64_t held[AUDIT_CLOCKS][AUDIT_WORDS]; ///< slots with an owner, or had
  audit_owner owner[AUDIT_CLOCKS][AUDIT_SLOTS];
} audit_state;

typedef struct audit_saved_owner {
  uint16_t slot;
  uint8_t clock, age;
  uint32_t insn;
} audit_saved_owner;

/// The state where a block begins: of every register the least ages.
typedef struct audit_saved {
  audit_saved_owner *list; ///< by clock, then slot
  uint32_t count;
  uint8_t indexed, most_vm, most_lgkm;
  bool index_on, reached;
} audit_saved;

/// Whether operations of the clock come back in the order of their issue.
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
/// The largest count that certifies the owner of a slot.
static inline uint32_t audit_need(const audit_state *s, unsigned clock,
                                  unsigned slot) {
  return audit_in_order(clock) ? s->now[clock] - s->owner[clock][slot].stamp
                               : 0;
}

/// Whether a register of the scalar or the vector files may be outstanding.
bool audit_any_owned(audit_state *state, bool scalar);
/// After `insn` at position `at`: what it issues, certifies, changes.
void audit_step(audit_state *state, const isa_insn *insn, isa_kind op,
                uint32_t at);
/// Whether an s_waitcnt of these counts waits for nothing, on any path.
bool audit_is_idle(const audit_state *state, uint32_t vm, uint32_t lgkm);
/// An s_waitcnt of these counts.
void audit_wait(audit_state *state, uint32_t vm, uint32_t lgkm);

/// A fresh state, with nothing outstanding; `known` says that the counters are
/// zero indeed.
void audit_state_init(audit_state *state, bool known);
/// Takes up `saved`.
void audit_state_load(audit_state *state, const audit_saved *saved);
/// Joins the state into `saved`; `out_changed` says whether that grew. False:
/// out of memory.
bool audit_state_join(const audit_state *state, audit_saved *saved,
                      bool *out_changed);

//===-- What is found -----------------------------------------------------===//

enum { AUDIT_NAMED_BRANCHES = 3 };
/// Taken branches of a path: blocks left and entered, the first of them.
typedef struct audit_path {
  uint32_t from[AUDIT_NAMED_BRANCHES], to[AUDIT_NAMED_BRANCHES];
  uint32_t count; ///< of all
} audit_path;

/// A use that comes too early on some path.
typedef struct audit_finding {
  uint32_t check;     ///< FMHAC_EMU_CHECK_*
  uint32_t at, other; ///< positions: the use, what it depends on
  // Of waits:
  uint8_t clock;
  bool overwrites;
  uint16_t slot; ///< first register
  uint32_t need; ///< the count that would do
  // Of hazards:
  isa_hazard hazard;
  uint8_t states; ///< wait states between the two, on the shortest path
  // Of suspects:
  const char *reason; ///< a format with one %s, or none: the other instruction
  audit_path path;
} audit_finding;

/// A place that is not certain.
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
  bool memory; ///< ran out of it
} audit_result;

void audit_result_free(audit_result *result);
void audit_add_finding(audit_result *result, audit_finding finding);
void audit_add_note(audit_result *result, uint32_t at, const char *reason);
void audit_add_idle(audit_result *result, uint32_t at);

/// Names the places of the flow that are not certain. False: out of memory.
bool audit_flow_notes(const audit_flow *flow, audit_result *result);

//===-- waits.c, hazards.c, suspects.c ------------------------------------===//

/// Finds missing waits. False: out of memory.
bool audit_waits(const audit_flow *flow, audit_result *result);
/// Finds missing wait states. False: out of memory.
bool audit_hazards(const audit_flow *flow, audit_result *result);
/// Finds what a compiler is known to get wrong, or hardware. False: out of
/// memory.
bool audit_suspects(const audit_flow *flow, audit_result *result);

//===-- path.c ------------------------------------------------------------===//

/// By which taken branches control comes from the operation of a missing wait
/// to the use. Empty if there are none, or none was found.
void audit_find_path(const audit_flow *flow, const audit_finding *finding,
                     audit_path *out_path);

//===-- text.c ------------------------------------------------------------===//

/// "pc 0x28, `…`: reads v1 before …", without the kernel.
void audit_finding_text(const audit_flow *flow, uint32_t entry_text,
                        const audit_finding *finding, char *text, size_t bytes);

#endif // FMHAC_ISA_AUDIT_H
