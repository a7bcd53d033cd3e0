// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A decoded instruction. decode.c makes it from LLVM's disassembly once per
/// code object; the static audit and the emulator read it. It does not change
/// while a kernel runs.
#ifndef FMHAC_ISA_INSN_H
#define FMHAC_ISA_INSN_H

#include <stdbool.h>
#include <stdint.h>

/// Instruction families: which part of the decoder reads the operands.
typedef enum isa_family {
  ISA_SOP, ///< scalar ALU and program control (SOP1/2/C/K/P)
  ISA_SMEM,
  ISA_VALU, ///< VOP1/2/3/3P and VOPC with explicit destinations
  ISA_MFMA,
  ISA_DS,
  ISA_BUF,
  ISA_FLAT, ///< flat, global and scratch
} isa_family;

/// Type of a destination or source in the instruction table: the number of
/// registers, and the meaning of a constant operand.
typedef enum isa_type {
  ISA_TYPE_NONE,
  ISA_TYPE_B32,   ///< 32 bits; a float constant is its f32 pattern
  ISA_TYPE_F32,   ///< as B32, with neg/abs on bit 31
  ISA_TYPE_B16,   ///< low 16 bits of a register; op_sel picks the half
  ISA_TYPE_F16,   ///< as B16, with neg/abs on bit 15; float constants are f16
  ISA_TYPE_PK16,  ///< two 16-bit integers
  ISA_TYPE_PKF16, ///< two halves; neg_lo/neg_hi
  ISA_TYPE_PKF32, ///< two f32 in two registers; op_sel picks registers
  ISA_TYPE_B64,   ///< two registers; literals zero extended
  ISA_TYPE_I64,   ///< two registers; literals sign extended
  ISA_TYPE_F64,   ///< two registers; literals are the high half
  ISA_TYPE_MIX,   ///< source of v_fma_mix: f32, or f16 by op_sel_hi
  ISA_TYPE_S16,   ///< 16-bit immediate, sign extended
  ISA_TYPE_U16,   ///< 16-bit immediate, zero extended
  ISA_TYPE_VEC,   ///< `regs` consecutive registers
  ISA_TYPE_RAW,   ///< as B32; the handler reads op_sel (insn->imm)
} isa_type;

typedef enum isa_operand_kind {
  ISA_OPERAND_NONE,
  ISA_OPERAND_VGPR,  ///< index 0..255 v, 256..511 a
  ISA_OPERAND_SGPR,  ///< index as encoded: 0..101 s, 106 vcc, 124 m0, 126 exec
  ISA_OPERAND_CONST, ///< `lanes`
  ISA_OPERAND_SCC,
  ISA_OPERAND_VCCZ,
  ISA_OPERAND_EXECZ,
  ISA_OPERAND_OFF, ///< the word "off"
} isa_operand_kind;

/// Register files. Vector registers: v[256], then a[256], which are separate.
enum { ISA_VGPRS = 512, ISA_SGPRS = 128 };

enum {
  ISA_MAX_VM = 63,   ///< vmcnt has 6 bits
  ISA_MAX_LGKM = 15, ///< lgkmcnt has 4 bits
};

/// Encoded numbers of special scalar registers ("AMD Instinct MI300 ISA",
/// section 5.1, scalar operand encodings; the same on CDNA4).
enum {
  ISA_SGPR_FLAT_SCRATCH = 102,
  ISA_SGPR_XNACK_MASK = 104,
  ISA_SGPR_VCC = 106,
  ISA_SGPR_TTMP = 108,
  ISA_SGPR_M0 = 124,
  ISA_SGPR_EXEC = 126,
};

/// Apertures for flat addresses of LDS and private memory. Any values outside
/// 48-bit user space work; these are our choice.
#define ISA_SHARED_BASE 0x0001000000000000u
#define ISA_PRIVATE_BASE 0x0002000000000000u

enum {
  ISA_MOD_NEG = 1u << 0,
  ISA_MOD_ABS = 1u << 1,
  ISA_MOD_SEXT = 1u << 2,
  ISA_MOD_SEL = 1u << 3,    ///< SDWA: `sel` applies
  ISA_MOD_OPSEL = 1u << 4,  ///< op_sel bit of this source
  ISA_MOD_OPSELH = 1u << 5, ///< op_sel_hi bit of this source
  ISA_MOD_NEGHI = 1u << 6,
  ISA_MOD_DPP = 1u << 7, ///< lanes permuted by insn->dpp
};

/// SDWA selections ("CDNA3 ISA", 12.16.1).
enum {
  ISA_SEL_B0,
  ISA_SEL_B1,
  ISA_SEL_B2,
  ISA_SEL_B3,
  ISA_SEL_W0,
  ISA_SEL_W1,
  ISA_SEL_DWORD
};

typedef struct isa_operand {
  uint8_t kind; ///< isa_operand_kind
  uint8_t type; ///< isa_type
  uint8_t regs;
  uint8_t mods; ///< ISA_MOD_*; 0 is the fast path
  uint16_t index;
  uint8_t sel;
  uint8_t slot;          ///< number of the scratch area for a slow read
  const uint32_t *lanes; ///< CONST: 64 copies, and 64 of the high half
} isa_operand;

/// Bits of isa_insn.flags.
enum {
  ISA_FLAG_OFFEN = 1u << 0,
  ISA_FLAG_IDXEN = 1u << 1,
  ISA_FLAG_LDS = 1u << 2,        ///< load direct to LDS
  ISA_FLAG_SC0 = 1u << 3,        ///< for atomics: return the old value
  ISA_FLAG_NAMED_REGS = 1u << 4, ///< register indexing does not apply
  ISA_FLAG_SCC_KEPT = 1u << 5,   ///< known not to write SCC
  ISA_FLAG_CLAMP = 1u << 6,
  ISA_FLAG_DPP_ZERO = 1u << 7, ///< bound_ctrl: lanes without source read 0
  ISA_FLAG_SDWA = 1u << 8,
  ISA_FLAG_GDS = 1u << 9,
  ISA_FLAG_SLOW_DST = 1u << 10, ///< clamp, omod, SDWA, DPP or op_sel on dst
  ISA_FLAG_DST_HI = 1u << 11,   ///< op_sel: write bits 31:16, keep the rest
  ISA_FLAG_SCRATCH = 1u << 12,
  ISA_FLAG_DST_READ = 1u << 13, ///< accumulates: reads all of its destination
  ISA_FLAG_SCC_READ = 1u << 14,
  ISA_FLAG_VCC_READ = 1u << 15, ///< reads vcc implicitly
  ISA_FLAG_FLAT = 1u << 16,
  ISA_FLAG_FORMAT = 1u << 17,  ///< converts to or from a format of elements
  ISA_FLAG_INVERTS = 1u << 18, ///< scalar logic that inverts its result
  ISA_FLAG_SC1 = 1u << 19,
};

/// dst_unused of SDWA.
enum { ISA_UNUSED_PAD, ISA_UNUSED_SEXT, ISA_UNUSED_PRESERVE };

enum { ISA_MAX_DST = 2, ISA_MAX_SRC = 5 };

/// Effect of an instruction on the counters, on control flow, and on the
/// meaning of register numbers.
typedef enum isa_kind {
  ISA_KIND_PLAIN,
  ISA_KIND_VMEM,           ///< counted by vmcnt, in order
  ISA_KIND_FLAT,           ///< counted by both counters
  ISA_KIND_LDS,            ///< counted by lgkmcnt, in order
  ISA_KIND_SMEM,           ///< counted by lgkmcnt, in any order
  ISA_KIND_UNSURE,         ///< caches, messages: perhaps counted, no data
  ISA_KIND_WAIT,           ///< s_waitcnt
  ISA_KIND_END,            ///< nothing follows
  ISA_KIND_JUMP,           ///< to a known target
  ISA_KIND_SPLIT,          ///< falls through, or to a known target
  ISA_KIND_CALL,           ///< to a known target; returns by an indirect jump
  ISA_KIND_INDIRECT,       ///< to an address in registers
  ISA_KIND_CALL_INDIRECT,  ///< to an address in registers, and returns
  ISA_KIND_SPLIT_TARGET,   ///< s_cbranch_i_fork: known target, or registers
  ISA_KIND_SPLIT_INDIRECT, ///< s_cbranch_g_fork
  ISA_KIND_JOIN,           ///< s_cbranch_join: to a fork, or falls through
  ISA_KIND_INDEX_ON,       ///< VGPR indexing: modes in imm
  ISA_KIND_INDEX_OFF,
  ISA_KIND_INDEX_MODE,
  ISA_KIND_SETREG,
  ISA_KIND_SKIP,         ///< vector instructions may be skipped from here on
  ISA_KIND_SGPR_INDEXED, ///< names the first of several scalar registers
} isa_kind;

/// How an instruction treats undefined data (isa_insn.data_class).
typedef enum isa_data_class {
  ISA_DATA_USE,             ///< a lasting effect depends on it: a finding
  ISA_DATA_VALUE,           ///< passes it on: arithmetic
  ISA_DATA_USE_M0,          ///< as USE, and M0 is an implicit operand
  ISA_DATA_COPY,            ///< passes it on: moves
  ISA_DATA_SELECT,          ///< passes on the selected operand: v_cndmask
  ISA_DATA_SELECT_SCC,      ///< selects by SCC: s_cselect, s_cmov
  ISA_DATA_PRODUCT,         ///< 0 * x is defined
  ISA_DATA_SWAP,            ///< exchanges two registers
  ISA_DATA_SWAP_ROWS,       ///< odd rows of one and even rows of the other
  ISA_DATA_SWAP_PAIRS,      ///< upper and lower 32 lanes
  ISA_DATA_MATRIX,          ///< reads and writes all lanes whatever EXEC says
  ISA_DATA_READ_LANE,       ///< moves from one lane, v_readlane
  ISA_DATA_READ_FIRST_LANE, ///< moves from the first active lane
  ISA_DATA_WRITE_LANE,      ///< moves to one lane
  /// v_mad_u64_u32: the low half of the sum depends on the low half of the
  /// addend only. Compilers that need 32 bits leave the high half undefined.
  ISA_DATA_WIDE_SUM,
  ISA_DATA_LOW_HALF, ///< s_bfe of 64 bits: compilers cut fields of the low half
  ISA_DATA_AND,      ///< scalar logic, bit by bit: 0 & x is defined, …
  ISA_DATA_AND_NOT,
  ISA_DATA_OR, ///< 1 | x is defined
  ISA_DATA_OR_NOT,
  ISA_DATA_XOR,
  ISA_DATA_AND_EXEC, ///< s_and_saveexec: needs the bits where EXEC is 1
  ISA_DATA_OR_EXEC,  ///< s_or_saveexec: where EXEC is 0
  /// Stores to private memory, which is not checked: compilers spill registers
  /// that were never written.
  ISA_DATA_SPILL,
  ISA_DATA_EXCHANGE,  ///< through the crossbar of LDS, from any to any lane
  ISA_DATA_LDS_WRITE, ///< passes data on to LDS; uses addresses
} isa_data_class;

typedef struct isa_insn {
  uint32_t pc;     ///< byte offset in the text section
  uint32_t target; ///< direct branches: index of the instruction jumped to
  uint32_t flags;
  int32_t offset; ///< memory offset, or offset0 of two-address LDS forms
  int32_t offset1;
  /// SOPP/SOPK 16-bit field, hwreg, waitcnt, cbsz/abid/blgp; VOP3: bitop3 in
  /// bits 7:0, the encoding's OPSEL in 11:8; MTBUF: DFMT in 3:0, NFMT in 6:4.
  uint32_t imm;
  uint16_t row; ///< in the instruction table; isa_row_count: unknown
  uint8_t size; ///< bytes: 4, 8, 12 or 16
  uint8_t family;
  uint8_t ndst, nsrc;
  uint8_t omod; ///< 0 none, 1 ×2, 2 ×4, 3 ÷2
  uint8_t dst_sel, dst_unused;
  uint8_t kind;          ///< isa_kind
  uint8_t data_class;    ///< isa_data_class
  uint8_t bank_row_mask; ///< DPP: row_mask << 4 | bank_mask
  uint16_t dpp;          ///< DPP control as encoded
  isa_operand dst[ISA_MAX_DST];
  isa_operand src[ISA_MAX_SRC];
  /// Registers that the operands name, one bit per register.
  uint64_t touches_v[8];
  uint64_t touches_s[2];
} isa_insn;

/// OPSEL of a VOP3 instruction, as encoded.
#define ISA_OPSEL(imm) ((imm) >> 8 & 15u)
/// Fields of isa_insn.imm for s_waitcnt.
#define ISA_WAIT_VM(imm) (((imm)&15u) | (((imm) >> 14 & 3u) << 4))
#define ISA_WAIT_LGKM(imm) ((imm) >> 8 & 15u)

/// The counters that count an instruction until it has completed.
typedef enum isa_counters {
  ISA_COUNTS_NONE,
  ISA_COUNTS_VM,   ///< vmcnt
  ISA_COUNTS_LGKM, ///< lgkmcnt
  ISA_COUNTS_BOTH,
} isa_counters;

enum { ISA_TEXT_BYTES = 256 }; ///< of a disassembled instruction

/// One row of isa.def without its handler.
typedef struct isa_row {
  const char *mnemonic;
  isa_family family;
  const char *operands; ///< "dst, dst = src, src", see isa.def
  isa_counters counters;
  const char *status; ///< "doc" or "assumed"
  const char *source;
} isa_row;

/// The instruction table, in the order of isa.def. One more row after the last
/// stands for bytes that are not a known instruction.
extern const isa_row isa_rows[];
extern const unsigned isa_row_count;

#endif // FMHAC_ISA_INSN_H
