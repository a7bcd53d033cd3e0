// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffer loads and stores that convert: MTBUF with a format of its own, MUBUF
// with the descriptor's. CDNA4 ISA 9.1.2, 9.1.4, 9.1.8. Names of data formats
// list fields from the highest bits down. Assumed, because no document says so:
// stores round to nearest even and saturate integers; components that a store
// does not give are 0; D16 integers are cut to 16 bits.
#include <math.h>

#include "floatop.h"
#include "vmem.h"

/// Widths of the components x, y, z, w in bits, from the lowest bits up.
typedef struct data_format {
  uint8_t bits[4];
  uint8_t bytes;
} data_format;
static const data_format k_data_formats[16] = {
    [1] = {{8}, 1},
    [2] = {{16}, 2},
    [3] = {{8, 8}, 2},
    [4] = {{32}, 4},
    [5] = {{16, 16}, 4},
    [6] = {{11, 11, 10}, 4},
    [7] = {{10, 11, 11}, 4},
    [8] = {{2, 10, 10, 10}, 4},
    [9] = {{10, 10, 10, 2}, 4},
    [10] = {{8, 8, 8, 8}, 4},
    [11] = {{32, 32}, 8},
    [12] = {{16, 16, 16, 16}, 8},
    [13] = {{32, 32, 32}, 12},
    [14] = {{32, 32, 32, 32}, 16},
};

enum number_format {
  UNORM,
  SNORM,
  USCALED,
  SSCALED,
  UINT,
  SINT,
  RESERVED,
  FLOAT
};
enum { SELECT_0, SELECT_1, SELECT_X = 4 };

/// How an instruction converts.
typedef struct conversion {
  const data_format *data;
  enum number_format number;
  uint8_t select[4]; ///< which component each register gets
} conversion;

static conversion of_instruction(const isa_insn *in) {
  return (conversion){&k_data_formats[in->imm & 15],
                      (enum number_format)(in->imm >> 4 & 7),
                      {SELECT_X, SELECT_X + 1, SELECT_X + 2, SELECT_X + 3}};
}
static conversion of_descriptor(const emu_wave *w, const isa_insn *in) {
  uint32_t word = w->s[in->src[1].index + 3];
  conversion c = {&k_data_formats[word >> 15 & 15],
                  (enum number_format)(word >> 12 & 7),
                  {0}};
  for (int k = 0; k < 4; k++)
    c.select[k] = word >> 3 * k & 7;
  return c;
}

static bool is_integer(enum number_format n) { return n == UINT || n == SINT; }

//===-- one component -----------------------------------------------------===//

// Floats without sign, 5 bits of exponent: 10 and 11 bits wide.
static const emu_small_format k_e5m5 = {5, 5, 15, 0x3df, 0x3e0, 0x3f0};
static const emu_small_format k_e5m6 = {5, 6, 15, 0x7bf, 0x7c0, 0x7e0};

static float small_float(uint32_t x, int bits) {
  return bits == 16   ? emu_f32(emu_f16_to_f32(x))
         : bits == 11 ? emu_f32(emu_small_to_f32(&k_e5m6, x))
                      : emu_f32(emu_small_to_f32(&k_e5m5, x));
}

// 32 bits are not converted.
static uint32_t from_memory(uint32_t x, int bits, enum number_format n) {
  if (bits == 32)
    return x;
  int32_t s = (int32_t)(x << (32 - bits)) >> (32 - bits);
  switch (n) {
  case UNORM:
    return emu_u32((float)x / (float)((1u << bits) - 1));
  case SNORM:
    return emu_u32(fmaxf((float)s / (float)((1 << (bits - 1)) - 1), -1.0f));
  case USCALED:
    return emu_u32((float)x);
  case SSCALED:
    return emu_u32((float)s);
  case UINT:
    return x;
  case SINT:
    return (uint32_t)s;
  case FLOAT:
    return bits >= 10 ? emu_u32(small_float(x, bits)) : 0;
  default:
    return 0;
  }
}

static uint32_t clamp_to(double x, double low, double high) {
  x = x != x ? 0 : x < low ? low : x > high ? high : x;
  return (uint32_t)(int64_t)rint(x);
}

static uint32_t to_memory(uint32_t v, int bits, enum number_format n) {
  if (bits == 32)
    return v;
  double f = (double)emu_f32(v), s = (double)(int32_t)v, u = (double)v;
  double umax = (double)((1u << bits) - 1),
         smax = (double)(1 << (bits - 1)) - 1;
  emu_rounding nearest = {0};
  switch (n) {
  case UNORM:
    return clamp_to(f * umax, 0, umax);
  case SNORM:
    return clamp_to(f * smax, -smax, smax);
  case USCALED:
    return clamp_to(f, 0, umax);
  case SSCALED:
    return clamp_to(f, -smax - 1, smax);
  case UINT:
    return clamp_to(u, 0, umax);
  case SINT:
    return clamp_to(s, -smax - 1, smax);
  case FLOAT:
    if (bits == 16)
      return emu_f32_to_f16(v);
    if (bits < 10)
      return 0;
    if (v >> 31 && !emu_isnan32(v))
      return 0; // these have no sign
    return emu_round_to(bits == 11 ? &k_e5m6 : &k_e5m5, v & 0x7fffffffu, 0, 23,
                        nearest);
  default:
    return 0;
  }
}

static uint32_t to_16_bits(uint32_t x, enum number_format n) {
  return is_integer(n) ? x & 0xffff : emu_f32_to_f16(x);
}
static uint32_t from_16_bits(uint32_t x, enum number_format n) {
  return n == UINT   ? x
         : n == SINT ? (uint32_t)(int32_t)(int16_t)x
                     : emu_f16_to_f32(x);
}

//===-- a lane ------------------------------------------------------------===//

/// Bits [at, at + bits) of an element.
static uint32_t field(const uint32_t *element, int at, int bits) {
  uint32_t x = element[at / 32] >> at % 32;
  return bits == 32 ? x : x & ((1u << bits) - 1);
}

static void unpack(const conversion *c, const uint8_t *host, uint32_t out[4]) {
  uint32_t element[4] = {0}, found[4] = {0};
  memcpy(element, host, c->data->bytes);
  for (int k = 0, at = 0; k < 4 && c->data->bits[k]; at += c->data->bits[k++])
    found[k] = from_memory(field(element, at, c->data->bits[k]),
                           c->data->bits[k], c->number);
  for (int k = 0; k < 4; k++) {
    int select = c->select[k];
    out[k] = select >= SELECT_X   ? found[select - SELECT_X]
             : select == SELECT_1 ? (is_integer(c->number) ? 1 : 0x3f800000u)
                                  : 0;
  }
}

static void pack(const conversion *c, const uint32_t given[4], int count,
                 uint8_t *host) {
  uint32_t element[4] = {0};
  for (int k = 0, at = 0; k < 4 && c->data->bits[k]; at += c->data->bits[k++]) {
    uint32_t value = 0;
    for (int r = 0; r < count; r++)
      if (c->select[r] == SELECT_X + k)
        value = given[r];
    int bits = c->data->bits[k];
    uint32_t x = to_memory(value, bits, c->number);
    if (bits < 32)
      x &= (1u << bits) - 1;
    element[at / 32] |= x << at % 32;
  }
  memcpy(host, element, c->data->bytes);
}

//===-- instructions ------------------------------------------------------===//

typedef enum half { FULL, HALVES, UPPER_HALF } half;

// An element is accessed as a whole or not at all (9.1.5.1). Without a format
// there is no access, and loads give 0.
static bool lanes_of(emu_wave *w, const isa_insn *in, const conversion *c,
                     emu_access_kind kind, emu_access *a) {
  if (c->data->bytes)
    return EMU_FN(buffer_lanes)(w, in, c->data->bytes, kind, a);
  memset(a, 0, sizeof *a);
  return true;
}

static void load(emu_wave *w, const isa_insn *in, conversion c, int count,
                 half h) {
  emu_access a;
  if (!lanes_of(w, in, &c, EMU_ACCESS_READ, &a))
    return;
  emu_pending *p = emu_begin_vm(w, in);
  emu_round_nearest(w);
  for (int i = 0; i < EMU_LANES; i++) {
    uint32_t out[4] = {0};
    if (a.host[i] && !a.part[i])
      unpack(&c, a.host[i], out);
    else // out of range: a component that is selected as 1 is still 1
      for (int k = 0; k < 4; k++)
        out[k] = c.select[k] != SELECT_1 ? 0
                 : is_integer(c.number)  ? 1
                                         : 0x3f800000u;
    for (int k = 0; k < count; k++) {
      if (h == FULL) {
        p->data[k][i] = out[k];
        continue;
      }
      uint32_t x = to_16_bits(out[k], c.number);
      if (k & 1)
        p->data[k / 2][i] |= x << 16;
      else
        p->data[k / 2][i] = h == UPPER_HALF ? x << 16 : x;
    }
  }
  emu_round_f32(w);
  if (in->flags & ISA_FLAG_LDS) {
    EMU_FN(commit_lds)(w, in, p, 4);
    return;
  }
  p->kind = EMU_PENDING_VGPR;
  p->reg = in->dst[0].index;
  p->regs = (uint8_t)(h == FULL ? count : (count + 1) / 2);
  if (h != FULL && count % 2) { // the last register: one half of it
    p->keep_half = true;
    for (int r = 0; r < p->regs; r++)
      p->mask[r] = ~0u;
    p->mask[p->regs - 1] = h == UPPER_HALF ? 0xffff0000u : 0xffffu;
  }
  emu_commit_vm(w, p);
}

static void store(emu_wave *w, const isa_insn *in, conversion c, int count,
                  half h) {
  emu_access a;
  if (!lanes_of(w, in, &c, EMU_ACCESS_WRITE, &a))
    return;
  const uint32_t *v = w->v[in->src[3].index];
  emu_round_nearest(w);
  for (int i = 0; i < EMU_LANES; i++) {
    if (!a.host[i] || a.part[i])
      continue;
    uint32_t given[4];
    for (int k = 0; k < count; k++) {
      uint32_t x = v[64 * (h == FULL ? k : k / 2) + i];
      if (h != FULL)
        x = from_16_bits(k & 1 || h == UPPER_HALF ? x >> 16 : x & 0xffff,
                         c.number);
      given[k] = x;
    }
    pack(&c, given, count, a.host[i]);
  }
  emu_round_f32(w);
  EMU_FN(vm_commit)(w, in, emu_begin_vm(w, in));
}

#define FORMAT(suffix, count, h)                                               \
  EMU_HANDLER(tbuffer_load_##suffix) {                                         \
    load(w, in, of_instruction(in), count, h);                                 \
  }                                                                            \
  EMU_HANDLER(tbuffer_store_##suffix) {                                        \
    store(w, in, of_instruction(in), count, h);                                \
  }                                                                            \
  FORMAT_OF_DESCRIPTOR(suffix, count, h)
#define FORMAT_OF_DESCRIPTOR(suffix, count, h)                                 \
  EMU_HANDLER(buffer_load_##suffix) {                                          \
    load(w, in, of_descriptor(w, in), count, h);                               \
  }                                                                            \
  EMU_HANDLER(buffer_store_##suffix) {                                         \
    store(w, in, of_descriptor(w, in), count, h);                              \
  }
FORMAT(format_x, 1, FULL)
FORMAT(format_xy, 2, FULL)
FORMAT(format_xyz, 3, FULL)
FORMAT(format_xyzw, 4, FULL)
FORMAT(format_d16_x, 1, HALVES)
FORMAT(format_d16_xy, 2, HALVES)
FORMAT(format_d16_xyz, 3, HALVES)
FORMAT(format_d16_xyzw, 4, HALVES)
FORMAT_OF_DESCRIPTOR(format_d16_hi_x, 1, UPPER_HALF)
