// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A decoded instruction: what decode.c makes of LLVM's disassembly once per
/// code object and what the handlers (exec/) read at run time. Nothing here
/// changes while a kernel runs.
#ifndef FMHAC_EMU_INSN_H
#define FMHAC_EMU_INSN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct emu_wave emu_wave;
typedef struct emu_insn emu_insn;
typedef void (*emu_exec_fn)(emu_wave *wave, const emu_insn *insn);

/// Instruction families; one exec/ serves one or a few of them.
typedef enum emu_family {
  EMU_SOP, ///< scalar ALU and program control (SOP1/2/C/K/P)
  EMU_SMEM,
  EMU_VALU, ///< VOP1/2/3/3P and VOPC with explicit destinations
  EMU_MFMA,
  EMU_DS,
  EMU_BUF,
  EMU_FLAT, ///< flat, global and scratch
} emu_family;

/// What a destination or source of the instruction table is: how many
/// registers it takes and what a constant in its place means.
typedef enum emu_type {
  EMU_T_NONE,
  EMU_T_B32,   ///< 32 bits; a float constant is its f32 pattern
  EMU_T_F32,   ///< as B32, with neg/abs on bit 31
  EMU_T_B16,   ///< low 16 bits of a register; op_sel picks the half
  EMU_T_F16,   ///< as B16, with neg/abs on bit 15; float constants are f16
  EMU_T_PK16,  ///< two 16-bit integers
  EMU_T_PKF16, ///< two halves; neg_lo/neg_hi
  EMU_T_PKF32, ///< two f32 in two registers; op_sel picks registers
  EMU_T_B64,   ///< two registers; literals zero extended
  EMU_T_I64,   ///< two registers; literals sign extended
  EMU_T_F64,   ///< two registers; literals are the high half
  EMU_T_MIX,   ///< source of v_fma_mix: f32, or f16 by op_sel_hi
  EMU_T_S16,   ///< 16-bit immediate, sign extended
  EMU_T_U16,   ///< 16-bit immediate, zero extended
  EMU_T_VEC,   ///< `regs` consecutive registers
  EMU_T_RAW,   ///< as B32; the handler reads op_sel (insn->imm)
} emu_type;

typedef enum emu_kind {
  EMU_K_NONE,
  EMU_K_VGPR,  ///< index 0..255 v, 256..511 a
  EMU_K_SGPR,  ///< index as encoded: 0..101 s, 106 vcc, 124 m0, 126 exec
  EMU_K_CONST, ///< `lanes`
  EMU_K_SCC,
  EMU_K_VCCZ,
  EMU_K_EXECZ,
  EMU_K_OFF, ///< the word "off"
} emu_kind;

/// Encoded numbers of special scalar registers ("AMD Instinct MI300 ISA",
/// section 5.1, scalar operand encodings; the same on CDNA4).
enum {
  EMU_S_FLAT_SCRATCH = 102,
  EMU_S_XNACK_MASK = 104,
  EMU_S_VCC = 106,
  EMU_S_TTMP = 108,
  EMU_S_M0 = 124,
  EMU_S_EXEC = 126,
};

/// Apertures that flat addresses of private memory and LDS lie in. Any values
/// outside 48-bit user space serve; these are ours.
#define EMU_SHARED_BASE 0x0001000000000000u
#define EMU_PRIVATE_BASE 0x0002000000000000u

enum {
  EMU_MOD_NEG = 1u << 0,
  EMU_MOD_ABS = 1u << 1,
  EMU_MOD_SEXT = 1u << 2,
  EMU_MOD_SEL = 1u << 3,    ///< SDWA: `sel` applies
  EMU_MOD_OPSEL = 1u << 4,  ///< op_sel bit of this source
  EMU_MOD_OPSELH = 1u << 5, ///< op_sel_hi bit of this source
  EMU_MOD_NEGHI = 1u << 6,
  EMU_MOD_DPP = 1u << 7, ///< lanes permuted by insn->dpp
};

/// SDWA selections ("CDNA3 ISA", 12.16.1).
enum {
  EMU_SEL_B0,
  EMU_SEL_B1,
  EMU_SEL_B2,
  EMU_SEL_B3,
  EMU_SEL_W0,
  EMU_SEL_W1,
  EMU_SEL_DWORD
};

typedef struct emu_operand {
  uint8_t kind; ///< emu_kind
  uint8_t type; ///< emu_type
  uint8_t regs;
  uint8_t mods; ///< EMU_MOD_*; 0 is the fast path
  uint16_t index;
  uint8_t sel;
  uint8_t slot;          ///< which scratch area a slow read fills
  const uint32_t *lanes; ///< CONST: 64 copies, and 64 of the high half
} emu_operand;

/// Bits of emu_insn.flags.
enum {
  EMU_F_OFFEN = 1u << 0,
  EMU_F_IDXEN = 1u << 1,
  EMU_F_LDS = 1u << 2,        ///< load direct to LDS
  EMU_F_SC0 = 1u << 3,        ///< for atomics: return the old value
  EMU_F_NAMED_REGS = 1u << 4, ///< register indexing does not apply
  EMU_F_SCC_KEPT = 1u << 5,   ///< known not to write SCC
  EMU_F_CLAMP = 1u << 6,
  EMU_F_DPP_ZERO = 1u << 7, ///< bound_ctrl: lanes without source read 0
  EMU_F_SDWA = 1u << 8,
  EMU_F_GDS = 1u << 9,
  EMU_F_SLOW_DST = 1u << 10, ///< clamp, omod, SDWA, DPP or op_sel on dst
  EMU_F_DST_HI = 1u << 11,   ///< op_sel: write bits 31:16, keep the rest
  EMU_F_SCRATCH = 1u << 12,
  EMU_F_DST_READ = 1u << 13, ///< accumulates: reads all of its destination
  EMU_F_SCC_READ = 1u << 14,
  EMU_F_VCC_READ = 1u << 15, ///< reads vcc without naming it
  EMU_F_FLAT = 1u << 16,
};

/// dst_unused of SDWA.
enum { EMU_UNUSED_PAD, EMU_UNUSED_SEXT, EMU_UNUSED_PRESERVE };

enum { EMU_MAX_DST = 2, EMU_MAX_SRC = 5 };

struct emu_insn {
  emu_exec_fn exec;
  uint32_t pc;     ///< byte offset in the text section
  uint32_t target; ///< direct branches: index of the instruction jumped to
  uint32_t flags;
  int32_t offset; ///< memory offset, or offset0 of two-address LDS forms
  int32_t offset1;
  /// SOPP/SOPK 16-bit field, hwreg, waitcnt, cbsz/abid/blgp; VOP3: bitop3 in
  /// bits 7:0, the encoding's OPSEL in 11:8; MTBUF: DFMT in 3:0, NFMT in 6:4.
  uint32_t imm;
  uint16_t row; ///< in the instruction table
  uint8_t size; ///< bytes: 4, 8, 12 or 16
  uint8_t family;
  uint8_t ndst, nsrc;
  uint8_t omod; ///< 0 none, 1 ×2, 2 ×4, 3 ÷2
  uint8_t dst_sel, dst_unused;
  uint8_t init_class;    ///< see undefined.h
  uint8_t bank_row_mask; ///< DPP: row_mask << 4 | bank_mask
  uint16_t dpp;          ///< DPP control as encoded
  emu_operand dst[EMU_MAX_DST];
  emu_operand src[EMU_MAX_SRC];
  /// Registers that the operands name, a bit each, for the wait checker; see
  /// emu_mark_touched().
  uint64_t touches_v[8];
  uint64_t touches_s[2];
};

/// OPSEL of a VOP3 instruction, as encoded.
#define EMU_OPSEL(imm) ((imm) >> 8 & 15u)
/// Fields of emu_insn.imm for s_waitcnt.
#define EMU_WAIT_VM(imm) (((imm)&15u) | (((imm) >> 14 & 3u) << 4))
#define EMU_WAIT_LGKM(imm) ((imm) >> 8 & 15u)

/// One row of isa.def without its handler.
typedef struct emu_isa_row {
  const char *mnemonic;
  emu_family family;
  const char *operands; ///< "dst, dst = src, src", see isa.def
  const char *counters; ///< "", "vm", "lgkm", "vm+lgkm"
  const char *status;   ///< "doc" or "assumed"
  const char *source;
} emu_isa_row;

/// The instruction table, in the order of isa.def.
extern const emu_isa_row emu_isa_rows[];
extern const unsigned emu_isa_row_count;

/// Handlers, parallel to emu_isa_rows; the variant is what the host runs best.
/// Results are the same bit by bit.
const emu_exec_fn *emu_isa_handlers(void);

#endif // FMHAC_EMU_INSN_H
