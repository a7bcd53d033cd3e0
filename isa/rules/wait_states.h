// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Wait states that software must leave between two instructions
/// (wait_states.def). The rules depend on instructions, not on executions: the
/// dynamic check (runtime/emu/check/hazard.c) and the dataflow analysis of the
/// audit call the same function.
#ifndef FMHAC_ISA_WAIT_STATES_H
#define FMHAC_ISA_WAIT_STATES_H

#include <stddef.h>

#include "insn.h"

/// Classes of instructions that the rules name; a set of bits.
#define ISA_HAZARD_CLASSES(X)                                                  \
  X(VALU)              /* vector ALU; no matrix instruction */                 \
  X(VALU_NOT_DOT)      /* vector ALU without dot products */                   \
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
  X(PARTIAL)           /* writes a part of a register, shifted */              \
  X(DPP)               /* lanes permuted */                                    \
  X(PERMLANE)          /* v_permlane*_swap */                                  \
  X(READLANE)          /* v_readlane, v_readfirstlane */                       \
  X(ANY_LANE)          /* READLANE and v_writelane */                          \
  X(DIV_FMAS)          /* v_div_fmas */                                        \
  X(WRITES_EXEC)       /* vector ALU that writes EXEC */                       \
  X(WRITES_VCC)        /* vector ALU that writes VCC */                        \
  X(READS_VCCZ)        /* vector ALU with src_vccz or src_execz */             \
  X(VMEM)              /* buffer, flat, global, scratch */                     \
  X(DS)                /* LDS */                                               \
  X(LDS_DMA)           /* VMEM direct to LDS */                                \
  X(WIDE_STORE)        /* VMEM that reads its data late */                     \
  X(WIDE_STORE_OFFSET) /* WIDE_STORE with a register as scalar offset */       \
  X(ADDTID)            /* DS with its address from M0 */                       \
  X(WRITES_M0)         /* scalar ALU that writes M0 */                         \
  X(MESSAGE)           /* s_sendmsg and similar */                             \
  X(MOVREL)            /* s_movrel* */                                         \
  X(SETREG)            /* s_setreg */                                          \
  X(SETREG_VSKIP)      /* s_setreg of MODE.VSKIP */                            \
  X(SETREG_TRAPSTS)    /* s_setreg of TRAPSTS */                               \
  X(SETVSKIP)          /* s_setvskip */                                        \
  X(GETREG)            /* s_getreg */                                          \
  X(GETREG_MODE)       /* s_getreg of MODE */                                  \
  X(RFE)               /* s_rfe */

enum {
#define X(name) ISA_HAZARD_CLASS_BIT_##name,
  ISA_HAZARD_CLASSES(X)
#undef X
};
#define ISA_HAZARD_CLASS(name) (UINT64_C(1) << ISA_HAZARD_CLASS_BIT_##name)

/// The registers or properties that producer and consumer must have in common.
typedef enum isa_hazard_overlap {
  ISA_OVERLAP_NOTHING, ///< the classes are enough
  // vector registers that the producer writes:
  ISA_OVERLAP_READ,           ///< the consumer reads them
  ISA_OVERLAP_SRC_AB,         ///< as any source but C
  ISA_OVERLAP_SRC_C_SAME,     ///< as C, exactly D of the producer
  ISA_OVERLAP_SRC_C_OTHER,    ///< as C, overlapping D otherwise
  ISA_OVERLAP_SRC_C_OTHER_OP, ///< as C, exactly D of the producer, another
                              ///< opcode
  ISA_OVERLAP_OLD,            ///< as old value of lanes without source (DPP)
  ISA_OVERLAP_WRITE,          ///< the consumer writes them
  ISA_OVERLAP_TOUCH,          ///< reads or writes them
  ISA_OVERLAP_SAME_OP_AB,     ///< SRC_AB, and both have the same opcode
  ISA_OVERLAP_OTHER_OP_READ,  ///< READ, and the opcodes differ
  ISA_OVERLAP_OTHER_OP_WRITE, ///< WRITE, and the opcodes differ
  // vector registers that the producer reads:
  ISA_OVERLAP_C_WRITE,    ///< as C; the consumer writes them
  ISA_OVERLAP_DATA_WRITE, ///< as data of a store; the consumer writes them
  // scalar registers that the producer writes:
  ISA_OVERLAP_SGPR_READ, ///< the consumer names them as a source
  ISA_OVERLAP_SGPR_MASK, ///< as carry or mask
  ISA_OVERLAP_SGPR_LANE, ///< as the number of a lane
  ISA_OVERLAP_SGPR_ANY,  ///< reads them in any way, M0 included
  ISA_OVERLAP_HWREG,     ///< the same hardware register
} isa_hazard_overlap;

/// The rules, in the order of wait_states.def.
typedef enum isa_hazard_rule {
#define HAZARD(id, name, producer, consumer, overlap, states, effect, llvm,    \
               isa, note)                                                      \
  ISA_HAZARD_##id,
#include "wait_states.def"
#undef HAZARD
  ISA_HAZARD_RULES
} isa_hazard_rule;

/// The effect of missing wait states.
typedef enum isa_hazard_outcome {
  ISA_HAZARD_OUTCOME_NONE, ///< no source says
  ISA_HAZARD_OUTCOME_OLD,  ///< the consumer reads the previous value
  ISA_HAZARD_OUTCOME_LATE, ///< the producer stores the consumer's result
} isa_hazard_outcome;

typedef struct isa_hazard_row {
  const char *name;
  uint64_t producer, consumer; ///< ISA_HAZARD_CLASS()
  isa_hazard_overlap overlap;
  uint8_t states[4]; ///< producers of 2, 4, 8, 16 passes; others: all equal
  isa_hazard_outcome outcome;
  const char *llvm, *isa, *note;
} isa_hazard_row;

extern const isa_hazard_row isa_hazard_rows[ISA_HAZARD_RULES];

/// Registers of an operand: vector registers are 0..511 as in isa_operand;
/// scalar registers are ISA_HAZARD_SGPR + the encoded number.
enum { ISA_HAZARD_SGPR = 512 };
typedef struct isa_hazard_registers {
  uint16_t first;
  uint8_t count;
  uint8_t role; ///< wait_states.c
} isa_hazard_registers;

enum { ISA_HAZARD_READS = 10, ISA_HAZARD_WRITES = 3, ISA_HAZARD_REACH = 20 };

/// The properties of an instruction that the rules use, implicit registers
/// included.
typedef struct isa_hazard_traits {
  uint64_t classes;  ///< ISA_HAZARD_CLASS()
  uint64_t produces; ///< rules in which it may be first, one bit each
  uint64_t consumes; ///< rules in which it may be second
  uint8_t states;    ///< wait states that it counts as
  uint8_t reach;     ///< most states that a rule requires after it, or 0
  uint8_t passes;    ///< of a matrix instruction, else 0
  uint8_t hwreg;     ///< of s_setreg, s_getreg
  /// Of f8f6f4: bits of an element of A, shifted by 4, and of B; else 0. To
  /// LLVM other numbers of bits are other opcodes.
  uint8_t formats;
  uint16_t row; ///< of the instruction table
  uint8_t read_count, write_count;
  isa_hazard_registers reads[ISA_HAZARD_READS], writes[ISA_HAZARD_WRITES];
} isa_hazard_traits;

/// Derives the traits of an instruction.
void isa_hazard_traits_of(const isa_insn *insn, isa_hazard_traits *out_traits);

/// A violated rule.
typedef struct isa_hazard {
  isa_hazard_rule rule;
  unsigned required; ///< wait states
  /// The registers in common: first, as in isa_hazard_registers, and number; 0
  /// if the classes are enough.
  unsigned first, count;
} isa_hazard;

/// Operands of a consumer that a nearer matrix instruction writes or reads, one
/// bit each. Farther matrix instructions do not matter to these operands,
/// because the matrix unit works in order (and LLVM looks no further). Zero
/// before the nearest producer.
typedef uint32_t isa_hazard_settled;

/// Whether `consumer`, issued `states` wait states after `producer` (0: next to
/// it), violates a rule. `out` then says which rule; of several, the one that
/// requires the most states. Call it along one path backwards, with the same
/// `settled`, from the nearest producer to the last one that is less than
/// ISA_HAZARD_REACH states away; instructions without `reach` may be left out.
/// `settled` may be NULL for a single producer.
bool isa_hazard_between(const isa_hazard_traits *producer,
                        const isa_hazard_traits *consumer, unsigned states,
                        isa_hazard_settled *settled, isa_hazard *out);

/// "v4", "v[0:3]", "vcc", …; registers as in isa_hazard_registers.
void isa_hazard_registers_text(char *text, size_t bytes, unsigned first,
                               unsigned count);

/// "missing wait states: reads v4 …", for `states` wait states after
/// `producer`, of which at most `most` bytes are shown, at `pc`. `remark`
/// follows the name of the rule.
void isa_hazard_text(const isa_hazard *hazard, unsigned states,
                     const char *producer, int most, const char *pc,
                     const char *remark, char *text, size_t text_bytes);

#endif // FMHAC_ISA_WAIT_STATES_H
