// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which variant of the handlers this host runs fastest. A build that compiles
/// one variant alone asks this at configuration, too.

#ifndef FMHAC_EMU_HOST_H
#define FMHAC_EMU_HOST_H

typedef enum emu_host {
  EMU_HOST_base,
  EMU_HOST_avx2,
  EMU_HOST_avx512
} emu_host;

static inline emu_host emu_host_variant(void) {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
    return EMU_HOST_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return EMU_HOST_avx2;
#endif
  return EMU_HOST_base;
}

#endif // FMHAC_EMU_HOST_H
