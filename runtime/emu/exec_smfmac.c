// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions with A of 4:2 structured sparsity: of four neighbouring
// k of a row A holds two elements, and two bits each in an index register say
// which. The destination is also C.
//
// A: as a dense operand of K / 2 elements a row (matrix.h); B: dense, K. The
// index register of a lane holds 2 bits for each element of A in that lane, in
// order; those shapes whose lanes hold few elements have room for several sets,
// of which abid selects one if cbsz is 0, else the first is used. CDNA3: "AMD
// matrix instruction calculator"; the doubled shapes of gfx950 are assumed to
// follow the same rule with half as many sets.
#include "matrix.h"

typedef const uint32_t (*registers)[EMU_LANES];

// Where the elements of A stand: [element of K / 2][row].
typedef struct places {
  uint8_t k[EMU_MAX_K / 2][EMU_MAX_M];
} places;

static bool read_places(emu_wave *w, const emu_insn *in, int n, int count,
                        places *p) {
  uint32_t cbsz = in->imm & 7, abid = in->imm >> 4 & 15;
  int sets = 16 / count, set = cbsz ? 0 : (int)abid;
  if (set >= sets) {
    emu_fault(w, in, "abid %u: the index register holds %d set(s)", abid, sets);
    return false;
  }
  for (int l = 0; l < EMU_LANES; l++) {
    uint32_t bits = w->v[in->src[2].index][l] >> 2 * count * set;
    for (int e = 0; e < count; e++) {
      int element = l / n * count + e;
      p->k[element][l % n] =
          (uint8_t)(element / 2 * 4 + (int)(bits >> 2 * e & 3));
    }
  }
  return true;
}

static inline __attribute__((always_inline)) void
smfmac(emu_wave *w, const emu_insn *in, const int n, const int k, emu_elem fa,
       emu_elem fb) {
  emu_matrix a, b;
  places p;
  const int count = k / 2 * n / EMU_LANES;
  if (!read_places(w, in, n, count, &p))
    return;
  emu_fetch((registers)w->v[in->src[0].index], fa, n, count, &a);
  emu_fetch((registers)w->v[in->src[1].index], fb, n, 2 * count, &b);
  emu_round_nearest(w);
  for (int r = 0; r < n * n / EMU_LANES; r++) {
    emu_row *d = (emu_row *)w->v[in->dst[0].index + r];
    for (int g = 0; g < EMU_LANES / n; g++) {
      int m = emu_row_of(n, r, g);
      emu_row *sum = d + g * n;
      for (int e = 0; e < k / 2; e++)
        for (int i = 0; i < n; i++)
          sum[i] = fmaf(a.x[e][m], b.x[p.k[e][m]][i], sum[i]);
    }
    for (int l = 0; l < EMU_LANES; l++)
      d[l] = d[l] != d[l] ? emu_f32(0x7fc00000u) : d[l];
  }
  emu_round_f32(w);
}

#define SMFMAC(name, n, k, fa, fb)                                             \
  EMU_HANDLER(v_smfmac_f32_##name) { smfmac(w, in, n, k, fa, fb); }
SMFMAC(16x16x32_f16, 16, 32, EMU_F16, EMU_F16)
SMFMAC(32x32x16_f16, 32, 16, EMU_F16, EMU_F16)
SMFMAC(16x16x32_bf16, 16, 32, EMU_BF16, EMU_BF16)
SMFMAC(32x32x16_bf16, 32, 16, EMU_BF16, EMU_BF16)
SMFMAC(16x16x64_f16, 16, 64, EMU_F16, EMU_F16)
SMFMAC(32x32x32_f16, 32, 32, EMU_F16, EMU_F16)
SMFMAC(16x16x64_bf16, 16, 64, EMU_BF16, EMU_BF16)
SMFMAC(32x32x32_bf16, 32, 32, EMU_BF16, EMU_BF16)
SMFMAC(16x16x64_fp8_fp8, 16, 64, EMU_FP8, EMU_FP8)
SMFMAC(16x16x64_fp8_bf8, 16, 64, EMU_FP8, EMU_BF8)
SMFMAC(16x16x64_bf8_fp8, 16, 64, EMU_BF8, EMU_FP8)
SMFMAC(16x16x64_bf8_bf8, 16, 64, EMU_BF8, EMU_BF8)
SMFMAC(32x32x32_fp8_fp8, 32, 32, EMU_FP8, EMU_FP8)
SMFMAC(32x32x32_fp8_bf8, 32, 32, EMU_FP8, EMU_BF8)
SMFMAC(32x32x32_bf8_fp8, 32, 32, EMU_BF8, EMU_FP8)
SMFMAC(32x32x32_bf8_bf8, 32, 32, EMU_BF8, EMU_BF8)
SMFMAC(16x16x128_fp8_fp8, 16, 128, EMU_FP8, EMU_FP8)
SMFMAC(16x16x128_fp8_bf8, 16, 128, EMU_FP8, EMU_BF8)
SMFMAC(16x16x128_bf8_fp8, 16, 128, EMU_BF8, EMU_FP8)
SMFMAC(16x16x128_bf8_bf8, 16, 128, EMU_BF8, EMU_BF8)
SMFMAC(32x32x64_fp8_fp8, 32, 64, EMU_FP8, EMU_FP8)
SMFMAC(32x32x64_fp8_bf8, 32, 64, EMU_FP8, EMU_BF8)
SMFMAC(32x32x64_bf8_fp8, 32, 64, EMU_BF8, EMU_FP8)
SMFMAC(32x32x64_bf8_bf8, 32, 64, EMU_BF8, EMU_BF8)

//===-- i8 → i32: exact, sums wrap ---------------------------------------===//

static int32_t byte_of(registers v, int lane, int e) {
  return (int8_t)(v[e / 4][lane] >> 8 * (e % 4));
}

static void smfmac_int(emu_wave *w, const emu_insn *in, int n, int k) {
  places p;
  const int count = k / 2 * n / EMU_LANES;
  registers a = (registers)w->v[in->src[0].index];
  registers b = (registers)w->v[in->src[1].index];
  if (!read_places(w, in, n, count, &p))
    return;
  uint32_t result[16][EMU_LANES];
  const int regs = n * n / EMU_LANES;
  for (int r = 0; r < regs; r++)
    for (int l = 0; l < EMU_LANES; l++) {
      int m = emu_row_of(n, r, l / n);
      uint32_t sum = w->v[in->dst[0].index + r][l];
      for (int e = 0; e < k / 2; e++) {
        int j = p.k[e][m];
        int x = byte_of(a, e / count * n + m, e % count);
        int y = byte_of(b, j / (2 * count) * n + l % n, j % (2 * count));
        sum += (uint32_t)(x * y);
      }
      result[r][l] = sum;
    }
  for (int r = 0; r < regs; r++)
    memcpy(w->v[in->dst[0].index + r], result[r], sizeof result[r]);
}
#define SMFMAC_INT(name, n, k)                                                 \
  EMU_HANDLER(v_smfmac_i32_##name) { smfmac_int(w, in, n, k); }
SMFMAC_INT(16x16x64_i8, 16, 64)
SMFMAC_INT(32x32x32_i8, 32, 32)
SMFMAC_INT(16x16x128_i8, 16, 128)
SMFMAC_INT(32x32x64_i8, 32, 64)
