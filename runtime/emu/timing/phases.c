// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lanes of an LDS access are served together (a phase), and its cycles: a
// phase takes as many cycles as the bank with the most different words has
// words, at least one. HipKittens, analysis/paper_experiments/phases, measured
// ds_read_b64, b96, b128 and ds_write_b64; the transposing reads behave as b64
// (gluon, docs/lds_throughput.md). For the other widths a phase has as many
// lanes as the banks can serve: assumed. Atomics count as writes that share no
// word. A pair of SIMDs has every other cycle: of its cycles a phase takes at
// least two, and an access at least 4 (rocRoller's model of LDS in
// ROCm/rocm-libraries, whose tests compare it with traces of gfx950).
#include "timing.h"

enum { BANKS = FMHAC_TIMING_BANKS, HALF_BANKS = 32, MOST_WORDS = EMU_LANES };
enum { PAIR_PHASE_CYCLES = 2, PAIR_LEAST_CYCLES = 4 };

/// Lanes of the phases: consecutive lanes, unless `order` gives another order.
typedef struct phases {
  uint8_t lanes; ///< of a phase
  uint8_t banks;
  const uint8_t *order; ///< of 32 lanes; the other 32 likewise. NULL: in order
} phases;

// b128: {0-3,12-15,20-27}, {4-11,16-19,28-31}, and the same + 32.
static const uint8_t k_order_b128[32] = {
    0, 1, 2, 3, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 26, 27,
    4, 5, 6, 7, 8,  9,  10, 11, 16, 17, 18, 19, 28, 29, 30, 31};
// b96: {0-3,20-23}, {4-7,16-19}, {8-11,28-31}, {12-15,24-27}, and + 32.
static const uint8_t k_order_b96[32] = {
    0, 1, 2,  3,  20, 21, 22, 23, 4,  5,  6,  7,  16, 17, 18, 19,
    8, 9, 10, 11, 28, 29, 30, 31, 12, 13, 14, 15, 24, 25, 26, 27};

static phases phases_of(uint32_t bytes, bool write) {
  if (write)
    return (phases){bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8, HALF_BANKS, NULL};
  if (bytes <= 4)
    return (phases){64, BANKS, NULL};
  if (bytes <= 8)
    return (phases){32, BANKS, NULL};
  if (bytes <= 12)
    return (phases){8, HALF_BANKS, k_order_b96};
  return (phases){16, BANKS, k_order_b128};
}

/// Different words of each bank in the current phase.
typedef struct banks {
  uint32_t words[BANKS][MOST_WORDS];
  uint8_t count[BANKS];
  uint32_t most;
} banks;

static void add_word(banks *b, uint32_t word, uint32_t bank_count, bool alone) {
  uint32_t bank = word % bank_count, n = b->count[bank];
  for (uint32_t i = 0; i < n && !alone; i++)
    if (b->words[bank][i] == word)
      return;
  b->words[bank][n] = word; // a lane of 64 has one word of a bank at most
  b->count[bank] = (uint8_t)++n;
  b->most = n > b->most ? n : b->most;
}

static bool aligned(const uint32_t *at, uint64_t exec, uint32_t bytes) {
  for (unsigned i = 0; i < EMU_LANES; i++)
    if ((exec >> i & 1) && at[i] % bytes)
      return false;
  return true;
}

// `out` may be NULL. A misaligned ds_read_b128 is served lane by lane (gluon,
// experiments/lds_throughput_validation: 64 cycles on one SIMD, 256 on four).
// For other instructions this has not been measured.
static emu_time_lds_cycles count_phases(const uint32_t *at, uint32_t bytes,
                                        uint64_t exec, emu_access_kind kind,
                                        emu_time_banks *out) {
  if (kind == EMU_ACCESS_READ && bytes == 16 && !aligned(at, exec, 16)) {
    uint16_t lanes = (uint16_t)__builtin_popcountll(exec);
    if (out)
      out->least_cycles += lanes;
    return (emu_time_lds_cycles){lanes, lanes};
  }
  const phases p = phases_of(bytes, kind != EMU_ACCESS_READ);
  uint32_t array = 0, pair = 0;
  banks b;
  for (unsigned first = 0; first < EMU_LANES; first += p.lanes) {
    memset(b.count, 0, sizeof b.count);
    b.most = 0;
    for (unsigned i = first; i < first + p.lanes; i++) {
      unsigned lane = p.order ? p.order[i % 32] + (i & 32) : i;
      if (!(exec >> lane & 1))
        continue;
      for (uint32_t word = at[lane] / 4; word <= (at[lane] + bytes - 1) / 4;
           word++)
        add_word(&b, word, p.banks, kind == EMU_ACCESS_ATOMIC);
    }
    array += b.most;
    pair += b.most > PAIR_PHASE_CYCLES ? b.most : PAIR_PHASE_CYCLES;
    if (!out)
      continue;
    out->least_cycles += b.most != 0;
    for (unsigned i = 0; i < p.banks; i++)
      if (b.count[i] > out->words[i])
        out->words[i] = b.count[i];
  }
  pair = pair > PAIR_LEAST_CYCLES ? pair : PAIR_LEAST_CYCLES;
  return (emu_time_lds_cycles){(uint16_t)array, (uint16_t)pair};
}

// If all addresses move by a multiple of 16, conflicts and alignment stay the
// same. So the cycles depend on the addresses relative to each other, for which
// a kernel has only a few patterns.
emu_time_lds_cycles emu_time_lds_phases(emu_time_pattern *known,
                                        const uint32_t *at, uint32_t bytes,
                                        uint64_t exec, emu_access_kind kind) {
  uint32_t offsets[EMU_LANES], zero = at[0] & ~15u, different = 0;
  for (unsigned i = 0; i < EMU_LANES; i++)
    offsets[i] = at[i] - zero;
  emu_time_pattern *p =
      &known[(offsets[1] / 4 + offsets[16] / 8 + bytes + kind) %
             EMU_TIME_PATTERNS];
  for (unsigned i = 0; i < EMU_LANES; i++)
    different |= offsets[i] ^ p->offsets[i];
  if (different || p->bytes != bytes || p->exec != exec || p->kind != kind) {
    *p = (emu_time_pattern){.bytes = bytes, .exec = exec, .kind = kind};
    memcpy(p->offsets, offsets, sizeof offsets);
    p->cycles = count_phases(at, bytes, exec, kind, NULL);
  }
  return p->cycles;
}

void emu_time_lds_banks(const uint32_t *at, uint32_t bytes, uint64_t exec,
                        emu_access_kind kind, emu_time_banks *out) {
  count_phases(at, bytes, exec, kind, out);
}
