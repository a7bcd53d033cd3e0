// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffer descriptors: their fields; offsets that wrap; ranges that must be
// mapped (ROCm/rocm-libraries pull request 6653: CDNA4 is said to check all of
// num_records) and addresses that lose their carry (pull request 9214,
// ROCm/aiter issue 3824).
#include "buffer_descriptor.h"

#include <inttypes.h>
#include <stdio.h>

#include "access.h"
#include "findings.h"
#include "tensor.h"

emu_buffer emu_buffer_of(const uint32_t rsrc[4], bool idxen, bool formatted) {
  const bool add_tid = rsrc[3] >> 23 & 1, swizzle = rsrc[1] >> 31;
  emu_buffer b = {.base = emu_get64(rsrc) & 0xffffffffffffu,
                  .records = rsrc[2],
                  .stride = rsrc[1] >> 16 & 0x3fff,
                  .indices = add_tid && swizzle ? 8u << (rsrc[3] >> 21 & 3) : 0,
                  .add_lane = add_tid && (swizzle || !idxen)};
  b.check = add_tid && !idxen   ? EMU_BUFFER_UNCHECKED
            : idxen && b.stride ? EMU_BUFFER_BY_INDEX
                                : EMU_BUFFER_BY_BYTE;
  // With the lane number, four more bits of stride stand where the data format
  // would; formatted accesses need that.
  if (b.add_lane && !formatted)
    b.stride |= (rsrc[3] >> 15 & 15) << 14;
  return b;
}

void emu_check_offset_wrap(emu_wave *w, const isa_insn *in, int lane,
                           uint32_t voffset, const emu_buffer *buffer,
                           uint64_t offset, uint32_t bytes, const char *verb) {
  const uint32_t check = FMHAC_EMU_CHECK_MEM | EMU_MEM_WRAP;
  const emu_launch *l = w->wg->launch;
  if (!l->check_mem || emu_report_again(w, check, in, NULL))
    return;
  const uint64_t address = buffer->base + offset;
  char where[200];
  const emu_segment *s = emu_space_find(l->space, address, 1);
  if (s)
    emu_segment_describe(s, address - s->base, where, sizeof where);
  else
    snprintf(where, sizeof where, "0x%" PRIx64, address);
  emu_report(w, check, in, NULL,
             "lane %d %s %u bytes at base 0x%" PRIx64 " + offset 0x%" PRIx64
             ", which is %s: voffset 0x%" PRIx32 " + offset:%" PRId32
             " wraps at 32 bits to 0x%" PRIx32 ", which num_records 0x%" PRIx64
             " does not keep out; a lane that "
             "is to be out of range needs a voffset that stays so with the "
             "offset added, such as 0x80000000",
             lane, verb, bytes, buffer->base, offset, where, voffset,
             in->offset, voffset + (uint32_t)in->offset, buffer->records);
}

void emu_check_range_mapped(emu_wave *w, const isa_insn *in,
                            const emu_range *range) {
  const uint64_t bytes = range->records * range->record_bytes;
  const emu_launch *l = w->wg->launch;
  if (!l->check_mem || !bytes || emu_find(w, range->base, bytes))
    return;
  const uint64_t mapped = emu_space_mapped(l->space, range->base, bytes);
  const uint32_t check = FMHAC_EMU_CHECK_MEM | EMU_MEM_DESCRIPTOR;
  if (mapped == bytes || emu_report_again(w, check, in, NULL))
    return;
  char where[320], advice[96];
  emu_space_describe(l->space, range->base + mapped, where, sizeof where);
  const uint64_t fitting = mapped / range->record_bytes;
  if (fitting)
    snprintf(advice, sizeof advice, "num_records 0x%" PRIx64 " would fit",
             fitting);
  else
    snprintf(advice, sizeof advice, "at this base only num_records 0 fits");
  emu_report(w, check, in, NULL,
             "uses a descriptor of %" PRIu64 " bytes from 0x%" PRIx64
             " (num_records 0x%" PRIx64 "), of which the first %" PRIu64
             " are mapped: byte 0x%" PRIx64
             " is %s; hardware that checks the whole range faults, %s",
             bytes, range->base, range->records, mapped, range->base + mapped,
             where, advice);
}

uint64_t emu_address_without_carry(emu_wave *w, const isa_insn *in, int lane,
                                   uint64_t base, uint64_t offset,
                                   uint32_t bytes, const char *verb) {
  const uint64_t high = base & ~(uint64_t)UINT32_MAX;
  const uint64_t address = high | (uint32_t)(base + offset);
  const uint32_t check = FMHAC_EMU_CHECK_MEM | EMU_MEM_CARRY;
  const emu_launch *l = w->wg->launch;
  if (!l->check_mem || emu_report_again(w, check, in, NULL))
    return address;
  char meant[200];
  const emu_segment *s = emu_space_find(l->space, base + offset, 1);
  if (s)
    emu_segment_describe(s, base + offset - s->base, meant, sizeof meant);
  else
    snprintf(meant, sizeof meant, "0x%" PRIx64, base + offset);
  emu_report(w, check, in, NULL,
             "lane %d %s %u bytes at base 0x%" PRIx64 " + offset 0x%" PRIx64
             ", which is %s; the sum's carry out of the low 32 bits is lost, "
             "so that hardware goes to 0x%" PRIx64,
             lane, verb, bytes, base, offset, meant, address);
  return address;
}
