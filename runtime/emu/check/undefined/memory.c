// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global memory that is read before it is written. The maps are changed
// atomically, because workgroups on other host threads mark the same bytes. A
// workgroup that reads data which another one writes in the same launch has a
// race, which the race checker reports.
#include <stdio.h>

#include "findings.h"
#include "tensor.h"
#include "undefined.h"

void emu_bytes_mark(uint8_t *map, uint64_t offset, uint64_t bytes) {
  if (!map || !bytes)
    return;
  uint64_t end = offset + bytes;
  for (uint64_t k = offset / 4; k <= (end - 1) / 4; k++) {
    uint8_t bits = emu_dword_bits(offset, end, k);
    if (bits == 15)
      __atomic_store_n(&map[k], 15, __ATOMIC_RELAXED);
    else
      __atomic_fetch_or(&map[k], bits, __ATOMIC_RELAXED);
  }
}

void emu_bytes_copy(uint8_t *to_map, uint64_t to, const uint8_t *from_map,
                    uint64_t from, uint64_t bytes) {
  if (!from_map)
    emu_bytes_mark(to_map, to, bytes);
  if (!to_map || !from_map)
    return;
  if ((to | from | bytes) % 4 == 0) {
    memcpy(to_map + to / 4, from_map + from / 4, bytes / 4);
    return;
  }
  for (uint64_t i = 0; i < bytes; i++) {
    const bool is_set = from_map[(from + i) / 4] >> (from + i) % 4 & 1;
    const uint8_t bit = (uint8_t)(1u << (to + i) % 4);
    uint8_t *word = &to_map[(to + i) / 4];
    *word = (uint8_t)(is_set ? *word | bit : *word & ~bit);
  }
}

uint64_t emu_bytes_missing(const uint8_t *map, uint64_t offset, uint64_t bytes,
                           uint64_t *out_first) {
  uint64_t missing = 0, end = offset + bytes;
  if (!map || !bytes)
    return 0;
  if ((offset | bytes) % 4 == 0) {
    unsigned all = 15;
    for (uint64_t k = offset / 4; k < end / 4; k++)
      all &= __atomic_load_n(&map[k], __ATOMIC_RELAXED);
    if (all == 15)
      return 0;
  }
  for (uint64_t k = offset / 4; k <= (end - 1) / 4; k++) {
    unsigned lost = emu_dword_bits(offset, end, k) &
                    ~(unsigned)__atomic_load_n(&map[k], __ATOMIC_RELAXED);
    if (lost && !missing)
      *out_first = 4 * k + (unsigned)__builtin_ctz(lost);
    missing += (unsigned)__builtin_popcount(lost);
  }
  return missing;
}

static __attribute__((noinline)) void report(emu_wave *w, const isa_insn *in,
                                             const emu_access_range *range,
                                             uint64_t first) {
  if (emu_report_again(w, FMHAC_EMU_CHECK_INIT, in, NULL))
    return;
  char place[EMU_ADDRESS_TEXT], who[32] = "";
  emu_segment_describe(range->segment, first, place, sizeof place);
  if (range->lane >= 0)
    snprintf(who, sizeof who, "lane %d ", emu_access_range_lane(range, first));
  emu_report(w, FMHAC_EMU_CHECK_INIT, in, NULL,
             "%sreads %u bytes; nothing has written %s", who, range->lane_bytes,
             place);
}

void emu_init_touch_memory(emu_wave *w, const isa_insn *in,
                           const emu_access_range *ranges, unsigned count,
                           emu_access_kind kind) {
  bool reported = kind == EMU_ACCESS_WRITE;
  for (unsigned i = 0; i < count; i++) {
    const emu_access_range *s = &ranges[i];
    uint64_t first;
    if (!reported &&
        emu_bytes_missing(s->segment->init, s->offset, s->bytes, &first)) {
      report(w, in, s, first);
      reported = true;
    }
    if (kind != EMU_ACCESS_READ) {
      emu_bytes_mark(s->segment->init, s->offset, s->bytes);
      emu_bytes_mark(s->segment->written, s->offset, s->bytes);
    }
  }
}
