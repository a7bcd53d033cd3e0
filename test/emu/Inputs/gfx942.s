// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An empty kernel for another chip.
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.text
.globl test_kernel
.p2align 8
.type test_kernel,@function
test_kernel:
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel test_kernel
  .amdhsa_next_free_vgpr 4
  .amdhsa_accum_offset 4
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
