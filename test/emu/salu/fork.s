// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Forks: the smaller part of the lanes goes first, join sends the other part on its way and
// then lets that through. Nested, by offset and by address; uniform forks push nothing. The
// depth stands in MODE.CSP. Conditional debug branches are never taken.
// Source: CDNA4 ISA pseudocode S_CBRANCH_I_FORK, S_CBRANCH_G_FORK, S_CBRANCH_JOIN;
// STATUS.COND_DBG_*: 3.4, set by debuggers only.

//| inputs(a=[l for l in LANE])
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  s_mov_b64 s[80:81], s[4:5]           // the stack of forks is s[0:...]
  s_mov_b64 s[82:83], s[6:7]
  v_mov_b32_e32 v10, 0
  v_mov_b32_e32 v11, 0
  s_mov_b32 s70, 0                     // order of the parts: a digit each
  s_mov_b32 s71, 0                     // CSP when the fork begins

  // 20 lanes pass: they are the smaller part and go first.
  v_cmp_gt_u32_e64 s[60:61], 20, v1
  s_cbranch_i_fork s[60:61], pass
  s_mul_i32 s70, s70, 10               // the 44 others
  s_add_u32 s70, s70, 2
  v_add_u32_e32 v10, 7, v10
  s_branch joined
pass:
  s_mul_i32 s70, s70, 10
  s_add_u32 s70, s70, 1
  s_getreg_b32 s72, hwreg(HW_REG_MODE, 29, 3)
  s_mov_b64 s[64:65], exec
  // Nested, by address: of the 20, 15 pass; the 5 others go first.
  v_cmp_gt_u32_e64 s[60:61], 15, v1
  s_getpc_b64 s[62:63]
here:
  s_add_u32 s62, s62, inner-here
  s_addc_u32 s63, s63, 0
  s_getreg_b32 s73, hwreg(HW_REG_MODE, 29, 3)
  s_cbranch_g_fork s[60:61], s[62:63]
  s_mul_i32 s70, s70, 10
  s_add_u32 s70, s70, 3
  v_add_u32_e32 v10, 100, v10
  s_branch inner_joined
inner:
  s_mul_i32 s70, s70, 10
  s_add_u32 s70, s70, 4
  v_add_u32_e32 v10, 200, v10
inner_joined:
  v_add_u32_e32 v11, 1, v11
  s_cbranch_join s73
  s_mov_b64 exec, s[64:65]             // join leaves EXEC to the program
  v_add_u32_e32 v11, 10, v11
joined:
  s_cbranch_join s71
  s_mov_b64 s[66:67], exec
  s_mov_b64 exec, -1
  s_getreg_b32 s74, hwreg(HW_REG_MODE, 29, 3)
  v_add_u32_e32 v11, 1000, v11
  // Uniform: all pass, none passes.
  s_mov_b64 s[60:61], -1
  s_cbranch_i_fork s[60:61], all
  v_mov_b32_e32 v11, 0
all:
  s_mov_b64 s[60:61], 0
  s_cbranch_i_fork s[60:61], wrong
  s_cbranch_cdbgsys wrong
  s_cbranch_cdbguser wrong
  s_cbranch_cdbgsys_or_user wrong
  s_cbranch_cdbgsys_and_user wrong
  s_branch done
wrong:
  v_mov_b32_e32 v11, 1
done:
  s_mov_b64 s[6:7], s[82:83]
  OUTPUT v10    // == 7 if lane >= 20 else 100 if lane >= 15 else 200
  OUTPUT v11    // == 1000 if lane >= 20 else 1011
  OUTPUT_S s70  // == 1342
  OUTPUT_S s72  // == 1
  OUTPUT_S s74  // == 0
  OUTPUT_S s66  // == 0xfff00000
  OUTPUT_S s67  // == 0xffffffff
END_KERNEL
