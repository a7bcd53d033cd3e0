// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bounds.h"

#include <stdio.h>

#include "findings.h"
#include "tensor.h"

void emu_report_out_of_bounds(emu_wave *w, const isa_insn *insn, int lane,
                              const char *verb, uint64_t address,
                              uint32_t bytes) {
  if (!w->wg->launch->check_mem ||
      emu_report_again(w, FMHAC_EMU_CHECK_MEM, insn, NULL))
    return;
  char where[EMU_ADDRESS_TEXT], who[32] = "";
  // Name the first byte that is outside, not the first byte accessed.
  const emu_space *space = w->wg->launch->space;
  uint64_t first = address;
  while (first < address + bytes && emu_space_find(space, first, 1))
    first++;
  emu_space_describe(space, first, where, sizeof where);
  if (lane >= 0)
    snprintf(who, sizeof who, "lane %d ", lane);
  emu_report(w, FMHAC_EMU_CHECK_MEM, insn, NULL,
             "%s%s %u bytes at 0x%llx; byte 0x%llx is %s", who, verb, bytes,
             (unsigned long long)address, (unsigned long long)first, where);
}

void emu_report_out_of_bounds_lds(emu_wave *w, const isa_insn *insn, int lane,
                                  const char *verb, uint64_t address,
                                  uint32_t bytes) {
  if (!w->wg->launch->check_mem ||
      emu_report_again(w, FMHAC_EMU_CHECK_MEM, insn, NULL))
    return;
  uint32_t limit = w->wg->launch->lds_bytes;
  emu_report(w, FMHAC_EMU_CHECK_MEM, insn, NULL,
             "lane %d %s %u bytes at LDS address 0x%llx; the workgroup has %u "
             "bytes of LDS, so byte 0x%llx is %llu bytes past the end",
             lane, verb, bytes, (unsigned long long)address, limit,
             (unsigned long long)(address > limit ? address : limit),
             (unsigned long long)(address > limit ? address - limit : 0));
}
