// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of each instruction of a program, computed once per launch.
#include <stdlib.h>

#include "timing.h"
#include "wait_states.h"

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static bool any(const char *name, const char *const *stems) {
  for (; *stems; stems++)
    if (begins(name, *stems))
      return true;
  return false;
}

/// Conversions of LLVM's quarter-rate class. `v_cvt_pk_bf16_f32`,
/// `v_cvt_pk_u8_f32` and the scaled conversions are not in this class.
static const char *const k_converts[] = {
    "v_cvt_pk_fp8_", "v_cvt_pk_bf8_", "v_cvt_sr_fp8_", "v_cvt_sr_bf8_",
    "v_cvt_u32_f32", "v_cvt_i32_f32", "v_cvt_f32_i32", "v_cvt_f32_u32",
    "v_cvt_f32_fp8", "v_cvt_f32_bf8", "v_cvt_pk_f32_", NULL};
static const char *const k_multiplies[] = {"v_mul_lo_", "v_mul_hi_",
                                           "v_mad_u64_", "v_mad_i64_", NULL};
static const char *const k_packed[] = {"v_pk_mul_f32", "v_pk_add_f32",
                                       "v_pk_fma_f32", NULL};

static uint16_t cycles(double value) {
  return value <= 0 ? 0 : value < UINT16_MAX ? (uint16_t)value : UINT16_MAX;
}

static void matrix(const char *name, const isa_hazard_traits *t,
                   const emu_time_constants *k, emu_time_op *op) {
  const unsigned pass_cycles = 4; // CDNA4 ISA 7.6
  op->act = EMU_ACT_MATRIX;
  op->kind = FMHAC_TIMING_CLASS_MFMA;
  op->port_cycles = cycles(k->mfma_port_cycles);
  op->matrix_cycles = (uint16_t)(pass_cycles * t->passes);
  op->result_cycles =
      (uint16_t)(pass_cycles * (t->passes + (unsigned)k->mfma_result_passes));
  if (strstr(name, "fp8") || strstr(name, "bf8") || strstr(name, "f8f6f4") ||
      begins(name, "v_mfma_i32_") || begins(name, "v_smfmac_i32_"))
    op->operands = EMU_OPERANDS_NARROW;
  else if (strstr(name, "_f16"))
    op->operands = EMU_OPERANDS_F16;
}

static void vector(const char *name, const isa_hazard_traits *t,
                   const emu_time_constants *k, emu_time_op *op) {
  const double beyond_port_cycles = k->valu_result_cycles - k->valu_cycles;
  op->kind = FMHAC_TIMING_CLASS_VALU;
  op->port_cycles = cycles(k->valu_cycles);
  if (t->classes & ISA_HAZARD_CLASS(TRANS)) {
    op->kind = FMHAC_TIMING_CLASS_TRANS;
    op->port_cycles = cycles(k->trans_cycles);
  } else if (t->classes & ISA_HAZARD_CLASS(PERMLANE)) {
    op->port_cycles = cycles(k->swap_cycles);
  } else if (any(name, k_packed)) {
    op->kind = FMHAC_TIMING_CLASS_PACKED;
    op->act = EMU_ACT_PACKED;
  } else if (any(name, k_multiplies)) {
    op->port_cycles = cycles(k->mul_cycles);
  } else if (any(name, k_converts)) {
    op->port_cycles = cycles(k->convert_cycles);
  } else if (strstr(name, "_f64")) {
    op->port_cycles = cycles(k->f64_cycles);
  }
  op->result_cycles = cycles(op->port_cycles + beyond_port_cycles);
}

/// Program control; the other scalar instructions have a port of their own.
static void control(const isa_insn *in, const char *name,
                    const emu_time_constants *k, emu_time_op *op) {
  op->port = EMU_PORT_NONE;
  op->kind = FMHAC_TIMING_CLASS_OTHER;
  if (strcmp(name, "s_waitcnt") == 0) {
    op->act = EMU_ACT_WAIT;
    op->kind = FMHAC_TIMING_CLASS_WAIT;
    op->wave_cycles = cycles(k->waitcnt_cycles);
    op->wait_vm = ISA_WAIT_VM(in->imm);
    op->wait_lgkm = ISA_WAIT_LGKM(in->imm);
  } else if (strcmp(name, "s_barrier") == 0) {
    op->act = EMU_ACT_BARRIER;
    op->kind = FMHAC_TIMING_CLASS_BARRIER;
  } else if (strcmp(name, "s_setprio") == 0) {
    op->act = EMU_ACT_PRIORITY;
    op->priority = in->imm & 3;
  } else if (strcmp(name, "s_nop") == 0) {
    op->wave_cycles = cycles(k->slot_cycles * ((in->imm & 15) + 1));
  } else if (strcmp(name, "s_sleep") == 0) {
    op->wave_cycles =
        cycles(k->slot_cycles + k->sleep_cycles * (double)(in->imm & 127));
  } else if (begins(name, "s_endpgm")) {
    op->act = EMU_ACT_END;
  } else if (begins(name, "s_branch") || begins(name, "s_cbranch") ||
             begins(name, "s_setpc") || begins(name, "s_swappc") ||
             begins(name, "s_call")) {
    op->port = EMU_PORT_BRANCH;
    op->act = EMU_ACT_BRANCH;
    op->wave_cycles = cycles(k->branch_cycles);
    op->result_cycles = cycles(k->branch_taken_cycles);
  } else if (!begins(name, "s_sethalt") && !begins(name, "s_icache") &&
             !begins(name, "s_trap") && !begins(name, "s_sendmsg")) {
    op->port = EMU_PORT_SCALAR;
    op->kind = FMHAC_TIMING_CLASS_SCALAR;
  }
}

// Addresses and the data of writes go through a port of 64 bytes per cycle, and
// wait in a queue of limited size.
static void lds(const isa_insn *in, const emu_time_constants *k,
                emu_time_op *op) {
  unsigned words = 0;
  for (unsigned i = 1; i < in->nsrc; i++)
    words += in->src[i].kind == ISA_OPERAND_VGPR ? in->src[i].regs : 0;
  op->lds_slots = (uint8_t)(words + 1);
  op->port_cycles =
      cycles((words + 1) * EMU_LANES * 4 / k->lds_port_bytes_per_cycle);
}

static void op_of(const isa_insn *in, const emu_time_constants *k,
                  emu_time_op *op) {
  const char *name = isa_rows[in->row].mnemonic;
  isa_hazard_traits t;
  isa_hazard_traits_of(in, &t);
  op->port_cycles = op->wave_cycles = cycles(k->slot_cycles);
  op->wait_vm = ISA_MAX_VM;
  op->wait_lgkm = ISA_MAX_LGKM;
  switch ((isa_family)in->family) {
  case ISA_SOP:
    control(in, name, k, op);
    break;
  case ISA_SMEM:
    op->port = EMU_PORT_SCALAR;
    op->kind = FMHAC_TIMING_CLASS_SCALAR;
    op->act = EMU_ACT_SMEM;
    break;
  case ISA_VALU:
    op->port = EMU_PORT_VECTOR;
    vector(name, &t, k, op);
    break;
  case ISA_MFMA:
    op->port = EMU_PORT_VECTOR;
    matrix(name, &t, k, op);
    break;
  case ISA_DS:
    op->port = EMU_PORT_MEMORY;
    op->kind = FMHAC_TIMING_CLASS_LDS;
    op->act = EMU_ACT_LDS;
    lds(in, k, op);
    break;
  case ISA_BUF:
  case ISA_FLAT:
    op->port = EMU_PORT_MEMORY;
    op->kind = FMHAC_TIMING_CLASS_VMEM;
    op->act = EMU_ACT_VMEM;
    op->to_lds = in->flags & ISA_FLAG_LDS;
    op->atomic = strstr(name, "_atomic_");
    op->port_cycles =
        cycles(op->to_lds ? k->lds_dma_port_cycles : k->memory_port_cycles);
    op->load = in->ndst || op->to_lds;
    op->flat = in->flags & ISA_FLAG_FLAT;
    break;
  }
}

emu_time_op *emu_time_ops_create(const isa_program *program,
                                 const emu_time_constants *constants) {
  emu_time_op *ops = calloc(program->count + 1, sizeof *ops);
  for (uint32_t i = 0; ops && i < program->count; i++)
    op_of(&program->insns[i], constants, &ops[i]);
  return ops;
}

emu_time_sum *emu_time_sums_create(const emu_time_op *ops, uint32_t count) {
  emu_time_sum *sums = calloc((size_t)count + 1, sizeof *sums);
  for (uint32_t i = 0; sums && i < count; i++) {
    const emu_time_op *op = &ops[i];
    sums[i + 1] = sums[i];
    sums[i + 1].matrix[op->operands] += op->matrix_cycles;
    sums[i + 1].vector += op->port == EMU_PORT_VECTOR ? op->port_cycles : 0;
    sums[i + 1].issue += op->wave_cycles;
  }
  return sums;
}
