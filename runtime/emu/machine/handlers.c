// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the variant of the handlers.
#include "host.h"
#include "wave.h"

extern const emu_exec_fn emu_x_table_base[];
extern const emu_exec_fn emu_x_table_avx2[];
extern const emu_exec_fn emu_x_table_avx512[];

const emu_exec_fn *emu_handlers(void) {
#ifdef EMU_HAVE_VARIANTS
  switch (emu_host_variant()) {
  case EMU_HOST_avx512:
    return emu_x_table_avx512;
  case EMU_HOST_avx2:
    return emu_x_table_avx2;
  case EMU_HOST_base:
    break;
  }
#elif defined(EMU_ONE_TABLE)
  return EMU_ONE_TABLE;
#endif
  return emu_x_table_base;
}
