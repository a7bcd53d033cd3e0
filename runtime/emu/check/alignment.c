// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Misaligned accesses: texts of the findings, and the check of all lanes.
#include "alignment.h"

#include <stdio.h>

#include "findings.h"
#include "tensor.h"

static const char *consequence_of(emu_alignment kind) {
  const char *text = "";
  switch (kind) {
#define EMU_ALIGNMENT(kind, hardware, natural, consequence, source)            \
  case EMU_ALIGN_##kind:                                                       \
    text = consequence;                                                        \
    break;
#include "alignment.def"
#undef EMU_ALIGNMENT
  }
  return text[0] ? text
                 : "hardware does it in the unaligned access mode only, and "
                   "may take longer (--alignment=natural asks for this)";
}

static bool is_in_memory(emu_alignment kind) {
  return kind == EMU_ALIGN_MEMORY || kind == EMU_ALIGN_MEMORY_ATOMIC ||
         kind == EMU_ALIGN_SCALAR || kind == EMU_ALIGN_SCALAR_ATOMIC;
}

static void describe(const emu_wave *w, emu_alignment kind, uint64_t address,
                     char *text, size_t bytes) {
  const emu_segment *s = is_in_memory(kind)
                             ? emu_space_find(w->wg->launch->space, address, 1)
                             : NULL;
  if (s)
    emu_segment_describe(s, address - s->base, text, bytes);
  else
    snprintf(text, bytes, "%s0x%llx",
             kind == EMU_ALIGN_PRIVATE ? "private address "
             : is_in_memory(kind)      ? ""
                                       : "LDS address ",
             (unsigned long long)address);
}

void emu_misaligned(emu_wave *w, const isa_insn *in, emu_alignment kind,
                    int lane, uint64_t address, uint32_t size,
                    const char *verb) {
  const uint32_t check = FMHAC_EMU_CHECK_MEM | EMU_MEM_ALIGNMENT;
  if (emu_report_again(w, check, in, NULL))
    return;
  char who[32] = "", where[160];
  if (lane >= 0)
    snprintf(who, sizeof who, "lane %d ", lane);
  describe(w, kind, address, where, sizeof where);
  const uint32_t required = emu_required_alignment(w->wg->launch, kind, size);
  const char *consequence = consequence_of(kind);
  if (kind == EMU_ALIGN_LDS_DMA_M0)
    emu_report(w, check, in, NULL,
               "takes its LDS address from M0 = 0x%llx, which is no multiple "
               "of %u: %s",
               (unsigned long long)address, required, consequence);
  else
    emu_report(w, check, in, NULL,
               "%s%s %u bytes at %s, which is no multiple of %u: %s", who, verb,
               size, where, required, consequence);
}

// A flat address may lie in an aperture.
static emu_alignment kind_of(const isa_insn *in, uint64_t address,
                             emu_access_kind kind) {
  const bool flat = in->flags & ISA_FLAG_FLAT,
             atomic = kind == EMU_ACCESS_ATOMIC;
  if (flat && address >> 48 == ISA_SHARED_BASE >> 48)
    return atomic ? EMU_ALIGN_LDS_ATOMIC : EMU_ALIGN_LDS;
  if (flat && address >> 48 == ISA_PRIVATE_BASE >> 48 && !atomic)
    return EMU_ALIGN_PRIVATE;
  return atomic ? EMU_ALIGN_MEMORY_ATOMIC : EMU_ALIGN_MEMORY;
}

void emu_check_memory_alignment(emu_wave *w, const isa_insn *in, uint64_t base,
                                const uint64_t *offset, uint64_t lanes,
                                uint32_t size, emu_access_kind touch) {
  for (int i = 0; i < EMU_LANES; i++) {
    if (!(lanes >> i & 1))
      continue;
    const uint64_t address = base + offset[i];
    const emu_alignment kind = kind_of(in, address, touch);
    if (address & (emu_required_alignment(w->wg->launch, kind, size) - 1))
      emu_misaligned(w, in, kind, i,
                     is_in_memory(kind) ? address : (uint32_t)address, size,
                     emu_access_verb(touch));
  }
}
