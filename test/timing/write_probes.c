// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the assembly of the kernels of all probes.
#include <stdio.h>
#include <string.h>

#include "probes.h"

static void part(const char *text, int length, uint32_t repeats) {
  printf(".rept %u\n%.*s.endr\n", repeats, length, text);
}

// Copies of each of the parts between "|".
static void body(const char *text, uint32_t repeats) {
  for (const char *end; (end = strchr(text, '|')); text = end + 1)
    part(text, (int)(end - text), repeats);
  part(text, (int)strlen(text), repeats);
}

static void kernel(const probe *p, uint32_t times) {
  uint32_t repeats = (p->repeats ? p->repeats : 64) * times;
  printf("KERNEL %s_%u\n%s", p->name, times, p->setup ? p->setup : "");
  printf("s_and_b32 s6, s3, 0x%x\ns_cbranch_scc1 1f\n", p->waves_b);
  printf("s_and_b32 s6, s3, 0x%x\ns_cbranch_scc0 9f\n",
         p->waves_a ? p->waves_a : 1);
  body(p->a, repeats);
  printf("s_endpgm\n1:\n");
  if (p->b)
    body(p->b, repeats);
  printf("9:\nEND %s_%u\n", p->name, times);
}

int main(void) {
  puts(".amdgcn_target \"amdgcn-amd-amdhsa--gfx950\"\n"
       ".amdhsa_code_object_version 5\n"
       ".macro KERNEL name\n"
       ".text\n.globl \\name\n.p2align 8\n.type \\name,@function\n\\name:\n"
       "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
       "v_lshrrev_b32_e32 v1, 6, v0\n"
       "v_and_b32_e32 v0, 63, v0\n"
       "v_readfirstlane_b32 s3, v1\n"
       "s_lshl_b32 s3, 1, s3\n"
       "v_lshlrev_b32_e32 v1, 2, v0\n"
       "v_lshlrev_b32_e32 v2, 3, v0\n"
       "v_lshlrev_b32_e32 v3, 4, v0\n"
       "v_lshlrev_b32_e32 v4, 5, v0\n"
       "v_lshlrev_b32_e32 v5, 6, v0\n"
       "v_lshlrev_b32_e32 v6, 7, v0\n"
       "v_mul_u32_u24_e32 v7, 12, v0\n"
       "s_mov_b32 m0, 0\n"
       "s_waitcnt lgkmcnt(0)\n"
       "s_mov_b32 s8, s4\n"
       "s_and_b32 s9, s5, 0xffff\n"
       "s_mov_b32 s10, 0x100000\n"
       "s_mov_b32 s11, 0x20000\n"
       ".endm\n"
       ".macro END name\n"
       "s_endpgm\n"
       ".L\\name\\()_end:\n.size \\name, .L\\name\\()_end-\\name\n"
       ".rodata\n.p2align 6\n.amdhsa_kernel \\name\n"
       ".amdhsa_kernarg_size 8\n"
       ".amdhsa_group_segment_fixed_size 65536\n"
       ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
       ".amdhsa_next_free_vgpr 128\n"
       ".amdhsa_accum_offset 128\n"
       ".amdhsa_next_free_sgpr 32\n"
       ".end_amdhsa_kernel\n.endm");
  for (size_t i = 0; i < k_probe_count; i++)
    for (uint32_t times = 1; times <= 2; times++)
      kernel(&k_probes[i], times);
  return fflush(stdout) ? 1 : 0;
}
