// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of probes.def, and the words that it is written in.
#include "probes.h"

#define CLK(...) CLK_(__VA_ARGS__, __VA_ARGS__, )
#define CLK_(first, last, ...) .low = (first), .high = (last)

#define MFMA(what, d, a, b, c)                                                 \
  "v_mfma_f32_" what " " d ", " A##a ", " B##b ", " c "\n"
#define F8F6F4_TO(shape, d, c, a, b, a_format, b_format)                       \
  "v_mfma_f32_" shape "_f8f6f4 " d ", " A##a ", " B##b                         \
      ", " c " cbsz:" #a_format " blgp:" #b_format "\n"
#define F8F6F4(shape, d, a, b, a_format, b_format)                             \
  F8F6F4_TO(shape, d, d, a, b, a_format, b_format)
#define SCALED(shape, d, a, b, a_format, b_format)                             \
  "v_mfma_scale_f32_" shape "_f8f6f4 " d ", " A##a ", " B##b                   \
      ", " d ", v24, v25 cbsz:" #a_format " blgp:" #b_format "\n"
#define A2 "v[8:9]"
#define A4 "v[8:11]"
#define A6 "v[8:13]"
#define A8 "v[8:15]"
#define B2 "v[16:17]"
#define B4 "v[16:19]"
#define B6 "v[16:21]"
#define B8 "v[16:23]"
#define D0 "v[32:47]"
#define D1 "v[48:63]"
#define D2 "v[64:79]"
#define D3 "v[80:95]"
#define S0 "v[32:35]"

#define M32 MFMA("32x32x16_bf16", D0, 4, 4, D0)
#define M32_OTHERS                                                             \
  M32 MFMA("32x32x16_bf16", D1, 4, 4, D1) MFMA("32x32x16_bf16", D2, 4, 4, D2)  \
      MFMA("32x32x16_bf16", D3, 4, 4, D3)
#define M16 MFMA("16x16x32_bf16", S0, 4, 4, S0)
#define V1 "v_add_f32_e32 v96, v24, v25\n"
#define V2 V1 "v_add_f32_e32 v97, v26, v27\n"
#define V4 V2 V2
#define V6 V4 V2
#define E1 "v_exp_f32_e32 v98, v28\n"
#define P1 "v_pk_fma_f32 v[96:97], v[24:25], v[26:27], v[28:29]\n"
#define CVT "v_cvt_pk_bf16_f32 v99, v24, v25\n"
#define SWAP "v_permlane32_swap_b32 v100, v101\n"
#define S1 "s_add_u32 s6, s6, 1\n"

#define B32 "ds_read_b32 v104, v1\n"
#define B64 "ds_read_b64 v[104:105], v2\n"
#define TR "ds_read_b64_tr_b16 v[104:105], v2\n"
#define B128 "ds_read_b128 v[104:107], v3\n"
#define B128_2 "ds_read_b128 v[104:107], v4\n"
#define B128_4 "ds_read_b128 v[104:107], v5\n"
#define B128_8 "ds_read_b128 v[104:107], v6\n"
#define W(width, data, at) "ds_write_" width " " at ", " data "\n"
// v102: ((l >> 3) & 3) * 64 + (l & 3) * 16 + ((l >> 2) & 1) * 256
//       + (l >> 5) * 512
#define IN_GROUPS                                                              \
  "v_bfe_u32 v100, v0, 3, 2\nv_and_b32_e32 v101, 3, v0\n"                      \
  "v_lshl_add_u32 v100, v100, 2, v101\nv_bfe_u32 v101, v0, 2, 1\n"             \
  "v_lshl_add_u32 v100, v101, 4, v100\nv_bfe_u32 v101, v0, 5, 1\n"             \
  "v_lshl_add_u32 v100, v101, 5, v100\nv_lshlrev_b32_e32 v102, 4, v100\n"
// v102: ((l + 12 * ((l >> 4) & 1)) & 15) * 16 + (l >> 4) * 256
#define IN_A_ROW                                                               \
  "v_bfe_u32 v100, v0, 4, 1\nv_mul_u32_u24_e32 v100, 12, v100\n"               \
  "v_add_u32_e32 v100, v100, v0\nv_and_b32_e32 v100, 15, v100\n"               \
  "v_lshrrev_b32_e32 v101, 4, v0\nv_lshl_add_u32 v100, v101, 4, v100\n"        \
  "v_lshlrev_b32_e32 v102, 4, v100\n"
#define LGKM "s_waitcnt lgkmcnt(0)\n"

#define LOAD1 "buffer_load_dword v108, v1, s[8:11], 0 offen\n"
#define LOAD4 "buffer_load_dwordx4 v[108:111], v3, s[8:11], 0 offen\n"
#define DMA "buffer_load_dwordx4 v3, s[8:11], 0 offen lds\n"
#define WARM LOAD4 VM "s_barrier\n"
#define FAR "v_mov_b32_e32 v100, 0\nv_mov_b32_e32 v101, v3\n"
#define LOAD_FAR                                                               \
  "buffer_load_dword v96, v100, s[8:11], 0 offen\n"                            \
  "v_add_u32_e32 v100, 0x1000, v100\n"
#define VM "s_waitcnt vmcnt(0)\n"

const probe k_probes[] = {
#define PROBE(...) {__VA_ARGS__},
#include "probes.def"
#undef PROBE
};
const size_t k_probe_count = sizeof k_probes / sizeof *k_probes;
