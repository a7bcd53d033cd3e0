// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slow path of vector operands: scalars, modifiers, SDWA, DPP, partial
// EXEC. CDNA3 ISA 5 (operands), 12.16 (SDWA, DPP), 6.2.2 (output modifiers).
#include <math.h>

#include "dpp.h"
#include "floatop.h"

// Permutes `p` and sets the lanes that may be written.
static void apply_dpp(emu_wave *w, const isa_insn *in, uint32_t *p,
                      unsigned registers) {
  uint64_t exec = emu_exec(w), mask = 0;
  uint32_t old[EMU_LANES * 2];
  memcpy(old, p, registers * EMU_LANES * 4u);
  for (int i = 0; i < EMU_LANES; i++) {
    int from = emu_dpp_source(in->dpp, i);
    bool valid = from >= 0 && (exec >> from & 1);
    bool enabled = emu_dpp_enabled(in, i);
    for (unsigned r = 0; r < registers; r++)
      p[r * 64 + i] = valid ? old[r * 64 + from] : 0;
    if (enabled && (valid || (in->flags & ISA_FLAG_DPP_ZERO)))
      mask |= 1ull << i;
  }
  w->dpp_mask = mask;
}

static uint32_t select_bits(uint32_t x, unsigned sel, bool sext) {
  switch (sel) {
  case ISA_SEL_DWORD:
    return x;
  case ISA_SEL_W0:
  case ISA_SEL_W1:
    x = x >> (sel == ISA_SEL_W1 ? 16 : 0) & 0xffff;
    return sext ? (uint32_t)(int32_t)(int16_t)x : x;
  default:
    x = x >> 8 * sel & 0xff;
    return sext ? (uint32_t)(int32_t)(int8_t)x : x;
  }
}

// Applies neg and abs to the sign bits: of 16-bit operands after the selection,
// of packed ones after op_sel.
static void apply_signs(const isa_operand *o, uint32_t *p) {
  uint32_t sign = 0x80000000u;
  uint32_t *at = p;
  switch (o->type) {
  case ISA_TYPE_F16:
  case ISA_TYPE_B16:
    sign = 0x8000u;
    break;
  case ISA_TYPE_F64:
  case ISA_TYPE_B64:
  case ISA_TYPE_I64:
    at = p + EMU_LANES;
    break;
  default:
    break;
  }
  uint32_t keep = o->mods & ISA_MOD_ABS ? ~sign : ~0u;
  uint32_t flip = o->mods & ISA_MOD_NEG ? sign : 0;
  EMU_LANE_LOOP at[i] = (at[i] & keep) ^ flip;
}

static void packed_sources(const isa_operand *o, uint32_t *p) {
  bool lo = o->mods & ISA_MOD_OPSEL, hi = o->mods & ISA_MOD_OPSELH;
  bool nlo = o->mods & ISA_MOD_NEG, nhi = o->mods & ISA_MOD_NEGHI;
  if (o->type == ISA_TYPE_PKF32) {
    EMU_LANE_LOOP {
      uint32_t a = p[i], b = p[64 + i];
      p[i] = (lo ? b : a) ^ (nlo ? 0x80000000u : 0);
      p[64 + i] = (hi ? a : b) ^ (nhi ? 0x80000000u : 0);
    }
    return;
  }
  EMU_LANE_LOOP {
    uint32_t a = p[i] & 0xffff, b = p[i] >> 16;
    uint32_t l = (lo ? b : a) ^ (nlo ? 0x8000u : 0);
    uint32_t h = (hi ? a : b) ^ (nhi ? 0x8000u : 0);
    p[i] = l | h << 16;
  }
}

const uint32_t *EMU_FN(read_slow)(emu_wave *w, const isa_insn *in,
                                  const isa_operand *o) {
  uint32_t *p = w->scratch[o->slot];
  unsigned registers = o->type == ISA_TYPE_B64 || o->type == ISA_TYPE_I64 ||
                               o->type == ISA_TYPE_F64 ||
                               o->type == ISA_TYPE_PKF32
                           ? 2
                           : 1;
  if (o->kind == ISA_OPERAND_VGPR) {
    int index = o->index;
    if (o->slot < 3 && (emu_gpr_idx(w, in) >> o->slot & 1)) {
      index = emu_gpr_indexed(w, o->index, o->regs);
      index = index < 0 ? 0 : index; // out of range: v0 (CDNA4 ISA 3.6.1)
    }
    if (!o->mods)
      return w->v[index];
    if (!(o->mods & ~(ISA_MOD_NEG | ISA_MOD_ABS)) &&
        (o->type == ISA_TYPE_F32 || o->type == ISA_TYPE_B32)) {
      const uint32_t *v = w->v[index];
      uint32_t keep = o->mods & ISA_MOD_ABS ? 0x7fffffffu : ~0u;
      uint32_t flip = o->mods & ISA_MOD_NEG ? 0x80000000u : 0;
      EMU_LANE_LOOP p[i] = (v[i] & keep) ^ flip;
      return p;
    }
    memcpy(p, w->v[index], registers * 256u);
  } else {
    uint64_t x = registers == 2 ? emu_s64(w, o) : emu_s32(w, o);
    for (unsigned r = 0; r < registers; r++) {
      uint32_t value = (uint32_t)(x >> 32 * r);
      EMU_LANE_LOOP p[64 * r + i] = value;
    }
    if (!o->mods)
      return p;
  }
  if (o->mods & ISA_MOD_DPP)
    apply_dpp(w, in, p, registers);
  if (o->type == ISA_TYPE_PK16 || o->type == ISA_TYPE_PKF16 ||
      o->type == ISA_TYPE_PKF32) {
    packed_sources(o, p);
    return p;
  }
  if (o->mods & ISA_MOD_SEL)
    for (int i = 0; i < EMU_LANES; i++)
      p[i] = select_bits(p[i], o->sel, o->mods & ISA_MOD_SEXT);
  if (o->type == ISA_TYPE_MIX) {
    // op_sel_hi means f16 and op_sel chooses the half; neg and abs act on the
    // f32.
    if (o->mods & ISA_MOD_OPSELH)
      for (int i = 0; i < EMU_LANES; i++)
        p[i] =
            emu_f16_to_f32(p[i] >> (o->mods & ISA_MOD_OPSEL ? 16 : 0) & 0xffff);
  } else if (o->mods & ISA_MOD_OPSEL) {
    EMU_LANE_LOOP p[i] >>= 16;
  }
  if (o->mods & (ISA_MOD_NEG | ISA_MOD_ABS))
    apply_signs(o, p);
  return p;
}

static uint32_t scale_f32(uint32_t x, unsigned omod, bool clamp,
                          const emu_wave *w) {
  float f = emu_f32(x);
  static const float factor[4] = {1.0f, 2.0f, 4.0f, 0.5f};
  if (omod) {
    f *= factor[omod];
    f = fabsf(f) < 0x1p-126f ? 0.0f : f; // zeros become positive
  }
  if (clamp) {
    if (f != f)
      f = w->mode >> 8 & 1 ? 0.0f : f; // DX10_CLAMP
    else
      f = f < 0.0f ? 0.0f : f > 1.0f ? 1.0f : f;
  }
  return emu_u32(f);
}

// The omod that acts: 0 in IEEE mode and where denormal results are enabled
// (CDNA4 ISA 6.2.2).
static unsigned active_omod(const emu_wave *w, const isa_insn *in) {
  bool f32 =
      in->dst[0].type == ISA_TYPE_F32 || in->dst[0].type == ISA_TYPE_PKF32;
  return w->mode >> 9 & 1 || (f32 ? w->f32_out : w->f16_out) ? 0 : in->omod;
}

static void output_modifiers(const emu_wave *w, const isa_insn *in,
                             uint32_t *p) {
  bool clamp = in->flags & ISA_FLAG_CLAMP;
  unsigned omod = active_omod(w, in);
  if (!omod && !clamp)
    return;
  const emu_half_mode half = emu_half(w);
  for (int i = 0; i < EMU_LANES; i++)
    switch (in->dst[0].type) {
    case ISA_TYPE_F32:
      p[i] = scale_f32(p[i], omod, clamp, w);
      break;
    case ISA_TYPE_PKF32:
      p[i] = scale_f32(p[i], omod, clamp, w);
      p[64 + i] = scale_f32(p[64 + i], omod, clamp, w);
      break;
    case ISA_TYPE_F16:
      p[i] =
          emu_half_out(scale_f32(emu_f16_to_f32(p[i]), omod, clamp, w), half);
      break;
    case ISA_TYPE_PKF16:
      p[i] =
          emu_half_out(scale_f32(emu_f16_to_f32(p[i] & 0xffff), omod, clamp, w),
                       half) |
          emu_half_out(scale_f32(emu_f16_to_f32(p[i] >> 16), omod, clamp, w),
                       half)
              << 16;
      break;
    case ISA_TYPE_F64: {
      static const double factor[4] = {1, 2, 4, 0.5};
      double d = emu_f64(p[i] | (uint64_t)p[64 + i] << 32) * factor[omod];
      d = omod && fabs(d) < 0x1p-1022 ? 0.0 : d;
      if (clamp)
        d = d != d ? (w->mode >> 8 & 1 ? 0 : d) : d < 0 ? 0 : d > 1 ? 1 : d;
      uint64_t x = emu_u64(d);
      p[i] = (uint32_t)x;
      p[64 + i] = (uint32_t)(x >> 32);
      break;
    }
    default:
      break; // integer clamp is the handler's: it needs the exact result
    }
}

static uint32_t place_bits(uint32_t old, uint32_t x, unsigned sel,
                           unsigned unused) {
  if (sel == ISA_SEL_DWORD)
    return x;
  unsigned bits = sel >= ISA_SEL_W0 ? 16 : 8;
  unsigned at = sel >= ISA_SEL_W0 ? 16 * (sel - ISA_SEL_W0) : 8 * sel;
  uint32_t field = (1u << bits) - 1;
  x = (x & field) << at;
  if (unused == ISA_UNUSED_PRESERVE)
    return (old & ~(field << at)) | x;
  if (unused == ISA_UNUSED_SEXT && (x >> (at + bits - 1) & 1) && at + bits < 32)
    return x | ~0u << (at + bits);
  return x;
}

void EMU_FN(write_slow)(emu_wave *w, const isa_insn *in, uint32_t *from,
                        const isa_operand *o) {
  uint64_t mask = emu_exec(w);
  if (in->flags & ISA_FLAG_SLOW_DST) {
    output_modifiers(w, in, from);
    if (in->src[0].mods & ISA_MOD_DPP)
      mask &= w->dpp_mask;
  }
  unsigned index = o->index;
  if (emu_gpr_idx(w, in) & 8 && o == &in->dst[0]) {
    int indexed = emu_gpr_indexed(w, index, o->regs);
    if (indexed < 0)
      return; // out of range: nothing is written (CDNA4 ISA 3.6.1)
    index = (unsigned)indexed;
  }
  for (unsigned r = 0; r < o->regs; r++) {
    uint32_t *d = w->v[(index + r) & 511];
    const uint32_t *s = from + 64 * r;
    if (in->flags & ISA_FLAG_SDWA) {
      for (int i = 0; i < EMU_LANES; i++)
        if (mask >> i & 1)
          d[i] = place_bits(d[i], s[i], in->dst_sel, in->dst_unused);
    } else if (in->flags & ISA_FLAG_DST_HI) {
      for (int i = 0; i < EMU_LANES; i++)
        if (mask >> i & 1)
          d[i] = (d[i] & 0xffff) | s[i] << 16;
    } else {
      EMU_LANE_LOOP d[i] = mask >> i & 1 ? s[i] : d[i];
    }
  }
}
