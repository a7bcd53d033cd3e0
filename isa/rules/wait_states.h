// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Wait states that software must leave between two instructions (wait_states.def).
/// The rules know instructions, not executions: the dynamic check
/// (check/hazard.c) and a dataflow over code ask the same function.
#ifndef FMHAC_EMU_HAZARD_H
#define FMHAC_EMU_HAZARD_H

#include "insn.h"

/// Classes of instructions that the rules name; a set of bits.
#define EMU_HAZARD_CLASSES(X)                                                  \
  X(VALU)              /* vector ALU; no matrix instruction */                 \
  X(VALU_NOT_DOT)      /* of these, no dot product */                          \
  X(NON_TRANS)         /* vector ALU and matrix, not transcendental */         \
  X(TRANS)             /* transcendental */                                    \
  X(DOT)               /* v_dot* */                                            \
  X(MATRIX)            /* v_mfma*, v_smfmac* */                                \
  X(XDL)               /* matrix: 8 and 16 bits, fp4, fp6 */                   \
  X(SGEMM)             /* matrix: f32 */                                       \
  X(DGEMM)             /* matrix: f64 */                                       \
  X(DGEMM4)            /* matrix: f64, 4x4x4 */                                \
  X(DGEMM16)           /* matrix: f64, 16x16x4 */                              \
  X(FMA64)             /* v_fma_f64, v_fmac_f64 */                             \
  X(PARTIAL)           /* writes a part of a register, shifted into place */   \
  X(DPP)               /* lanes permuted */                                    \
  X(PERMLANE)          /* v_permlane*_swap */                                  \
  X(READLANE)          /* v_readlane, v_readfirstlane */                       \
  X(ANY_LANE)          /* these and v_writelane */                             \
  X(DIV_FMAS)          /* v_div_fmas */                                        \
  X(WRITES_EXEC)       /* vector ALU that writes EXEC */                       \
  X(WRITES_VCC)        /* vector ALU that writes VCC */                        \
  X(READS_VCCZ)        /* vector ALU with src_vccz or src_execz */             \
  X(VMEM)              /* buffer, flat, global, scratch */                     \
  X(DS)                /* LDS */                                               \
  X(LDS_DMA)           /* of VMEM: direct to LDS */                            \
  X(WIDE_STORE)        /* of VMEM: reads its data late */                      \
  X(WIDE_STORE_OFFSET) /* the same, with a register as scalar offset */        \
  X(ADDTID)            /* of DS: address from M0 */                            \
  X(WRITES_M0)         /* scalar ALU that writes M0 */                         \
  X(MESSAGE)           /* s_sendmsg and its kin */                             \
  X(MOVREL)            /* s_movrel* */                                         \
  X(SETREG)            /* s_setreg */                                          \
  X(SETREG_VSKIP)      /* of these: MODE.VSKIP */                              \
  X(SETREG_TRAPSTS)    /* of these: TRAPSTS */                                 \
  X(SETVSKIP)          /* s_setvskip */                                        \
  X(GETREG)            /* s_getreg */                                          \
  X(GETREG_MODE)       /* of these: MODE */                                    \
  X(RFE)               /* s_rfe */

enum {
#define X(name) EMU_HC_BIT_##name,
  EMU_HAZARD_CLASSES(X)
#undef X
};
#define EMU_HC(name) (UINT64_C(1) << EMU_HC_BIT_##name)

/// What producer and consumer must have in common.
typedef enum emu_hazard_overlap {
  EMU_HO_NOTHING, ///< the classes are enough
  // vector registers that the producer writes:
  EMU_HO_READ,           ///< the consumer reads them
  EMU_HO_SRC_AB,         ///< as any source but C
  EMU_HO_SRC_C_SAME,     ///< as C, exactly D of the producer
  EMU_HO_SRC_C_OTHER,    ///< as C, overlapping D otherwise
  EMU_HO_SRC_C_OTHER_OP, ///< as C, exactly D of the producer, another opcode
  EMU_HO_OLD,            ///< as what lanes without a source keep (DPP)
  EMU_HO_WRITE,          ///< the consumer writes them
  EMU_HO_TOUCH,          ///< reads or writes them
  EMU_HO_SAME_OP_AB,     ///< SRC_AB, and both have the same opcode
  EMU_HO_OTHER_OP_READ,  ///< READ, and they have not
  EMU_HO_OTHER_OP_WRITE, ///< WRITE, and they have not
  // vector registers that the producer reads:
  EMU_HO_C_WRITE,    ///< as C; the consumer writes them
  EMU_HO_DATA_WRITE, ///< as data of a store; the consumer writes them
  // scalar registers that the producer writes:
  EMU_HO_SGPR_READ, ///< the consumer names them as a source
  EMU_HO_SGPR_MASK, ///< as carry or mask
  EMU_HO_SGPR_LANE, ///< as the number of a lane
  EMU_HO_SGPR_ANY,  ///< reads them in any way, M0 included
  EMU_HO_HWREG,     ///< the same hardware register
} emu_hazard_overlap;

/// The rules, in the order of wait_states.def.
typedef enum emu_hazard_rule {
#define HAZARD(id, name, producer, consumer, overlap, states, effect, llvm,    \
               isa, note)                                                      \
  EMU_HAZARD_##id,
#include "wait_states.def"
#undef HAZARD
  EMU_HAZARD_RULES
} emu_hazard_rule;

/// What happens where wait states are missing.
typedef enum emu_hazard_outcome {
  EMU_HAZARD_OUTCOME_NONE, ///< no source says
  EMU_HAZARD_OUTCOME_OLD,  ///< the consumer reads what was there before
  EMU_HAZARD_OUTCOME_LATE, ///< the producer stores what the consumer has left
} emu_hazard_outcome;

typedef struct emu_hazard_row {
  const char *name;
  uint64_t producer, consumer; ///< EMU_HC()
  emu_hazard_overlap overlap;
  uint8_t states[4]; ///< producers of 2, 4, 8, 16 passes; others: all the same
  emu_hazard_outcome outcome;
  const char *llvm, *isa, *note;
} emu_hazard_row;

extern const emu_hazard_row emu_hazard_rows[EMU_HAZARD_RULES];

/// Registers of an operand: vector registers 0..511 as in emu_operand, scalar
/// ones by encoded number behind EMU_HAZARD_SGPR.
enum { EMU_HAZARD_SGPR = 512 };
typedef struct emu_hazard_registers {
  uint16_t first;
  uint8_t count;
  uint8_t role; ///< wait_states.c
} emu_hazard_registers;

enum { EMU_HAZARD_READS = 10, EMU_HAZARD_WRITES = 3, EMU_HAZARD_REACH = 20 };

/// What the rules look at of one instruction, implicit registers included.
typedef struct emu_hazard_traits {
  uint64_t classes;  ///< EMU_HC()
  uint64_t produces; ///< rules in which it may be first, a bit each
  uint64_t consumes; ///< rules in which it may be second
  uint8_t states;    ///< wait states that it takes
  uint8_t reach;     ///< most states any rule asks for behind it, or 0
  uint8_t passes;    ///< of a matrix instruction, else 0
  uint8_t hwreg;     ///< of s_setreg, s_getreg
  uint16_t row;      ///< of the instruction table
  uint8_t read_count, write_count;
  emu_hazard_registers reads[EMU_HAZARD_READS], writes[EMU_HAZARD_WRITES];
} emu_hazard_traits;

/// Derives the traits of an instruction.
void emu_hazard_traits_of(const emu_insn *insn, emu_hazard_traits *out_traits);

/// A violated rule.
typedef struct emu_hazard {
  emu_hazard_rule rule;
  unsigned required; ///< wait states
  /// Where producer and consumer meet, as in emu_hazard_registers, and how many
  /// registers; 0 registers if the classes are enough.
  unsigned first, count;
} emu_hazard;

/// Operands of a consumer that a nearer matrix instruction has written or
/// reads, a bit each: farther ones no longer matter to them, as the matrix unit
/// works in order (and LLVM looks no further). Zero before the nearest
/// producer.
typedef uint32_t emu_hazard_settled;

/// Whether `consumer`, issued `states` wait states behind `producer` (0: next
/// to it), violates a rule; `out` then says which, of several the one that
/// wants most. Ask along one path backwards, from the nearest producer to the
/// last that is less than EMU_HAZARD_REACH states away, with the same
/// `settled`; what has no `reach` may be passed over. `settled` may be NULL for
/// a producer by itself.
bool emu_hazard_between(const emu_hazard_traits *producer,
                        const emu_hazard_traits *consumer, unsigned states,
                        emu_hazard_settled *settled, emu_hazard *out);

enum { EMU_HAZARD_TEXT_BYTES = 64 };
/// What the consumer does where it meets the producer: "reads v4", "overwrites
/// v[0:3]". Writes and returns `text`.
const char *emu_hazard_use(const emu_hazard *hazard,
                           char text[EMU_HAZARD_TEXT_BYTES]);
/// What the producer did there: "wrote", "reads as C", …
const char *emu_hazard_cause(const emu_hazard *hazard);

#endif // FMHAC_EMU_HAZARD_H
