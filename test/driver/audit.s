// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two kernels for audit.sh: `waits` does, and jumps nowhere unknown; `missing` lacks one
// wait (taken from its line by a switch of the script). WAIT and LEAVE are set there.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5

.macro DESCRIPTOR name
  .rodata
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_kernarg_size 16
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 8
    .amdhsa_accum_offset 8
    .amdhsa_next_free_sgpr 16
  .end_amdhsa_kernel
  .text
.endm

  .text
  .globl waits
  .p2align 8
  .type waits,@function
waits:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7]
  .if LEAVE
  s_setpc_b64 s[8:9]
  .endif
  s_endpgm
.Lwaits:
  .size waits, .Lwaits-waits
DESCRIPTOR waits

  .globl missing
  .p2align 8
  .type missing,@function
missing:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  .if WAIT
  s_waitcnt vmcnt(0)
  .endif
  global_store_dword v1, v2, s[6:7]
  s_endpgm
.Lmissing:
  .size missing, .Lmissing-missing
DESCRIPTOR missing
