// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dense matrix instructions on signed bytes: i8 → i32, exact, sums wrap. A sum
// of at most 64 products of bytes is at most 2^20 and so exact in f32. matrix.h
// forms it; then it is added to C as an integer. That addition saturates if
// FP16_OVFL is set in MODE (CDNA4 ISA 7.1.2).
#include "broadcast.h"
#include "matrix.h"

static inline __attribute__((always_inline)) void
product(emu_wave *w, const isa_insn *in, emu_registers va, emu_registers vb,
        const int n, const int k, const int blocks) {
  emu_matrix a, b;
  emu_addend zero;
  _Alignas(64) float sums[32 * EMU_LANES];
  const isa_operand *c = &in->src[2];
  const int count = k * blocks * n / EMU_LANES;
  const int regs = n == 4 ? 4 : blocks * n * n / EMU_LANES;
  memset(zero.constant, 0, sizeof zero.constant);
  zero.rows = (const emu_row *)zero.constant;
  zero.pitch = 0;
  emu_fetch(va, EMU_I8, n, count, false, &a);
  emu_fetch(vb, EMU_I8, n, count, false, &b);
  emu_multiply(&a, &b, &zero, n, k, blocks, sums);
  for (int r = 0; r < regs; r++) {
    const uint32_t *from =
        c->kind == ISA_OPERAND_VGPR ? w->v[c->index + r] : c->lanes;
    uint32_t *to = w->v[in->dst[0].index + r];
    if (emu_overflow_clamps(w))
      for (int i = 0; i < EMU_LANES; i++)
        to[i] = emu_clamp_i32((int64_t)(int32_t)from[i] +
                              (int64_t)sums[64 * r + i]);
    else
      EMU_LANE_LOOP to[i] = from[i] + (uint32_t)(int32_t)sums[64 * r + i];
  }
}

static inline __attribute__((always_inline)) void mfma(emu_wave *w,
                                                       const isa_insn *in,
                                                       const int n, const int k,
                                                       const int blocks) {
  if (in->imm & 0xffff) {
    emu_broadcast moved;
    if (emu_broadcast_operands(w, in, blocks, blocks > 1, &moved))
      product(w, in, moved.a, moved.b, n, k, blocks);
    return;
  }
  product(w, in, (emu_registers)w->v[in->src[0].index],
          (emu_registers)w->v[in->src[1].index], n, k, blocks);
}
#define MFMA(name, n, k, blocks)                                               \
  EMU_HANDLER(v_mfma_i32_##name) { mfma(w, in, n, k, blocks); }
MFMA(32x32x32_i8, 32, 32, 1)
MFMA(16x16x64_i8, 16, 64, 1)
MFMA(32x32x16_i8, 32, 16, 1)
MFMA(16x16x32_i8, 16, 32, 1)
MFMA(32x32x4_2b_i8, 32, 4, 2)
MFMA(16x16x4_4b_i8, 16, 4, 4)
MFMA(4x4x4_16b_i8, 4, 4, 16)
