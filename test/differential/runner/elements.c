// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elements.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const element_type k_types[] = {
    {"u8", 1, 0, false},  {"s8", 1, 0, true},   {"u16", 2, 0, false},
    {"s16", 2, 0, true},  {"u32", 4, 0, false}, {"s32", 4, 0, true},
    {"u64", 8, 0, false}, {"s64", 8, 0, true},  {"f16", 2, 10, true},
    {"bf16", 2, 7, true}, {"f32", 4, 23, true}, {"f64", 8, 52, true},
};

const element_type *element_type_find(const char *name) {
  for (size_t i = 0; i < sizeof k_types / sizeof k_types[0]; i++)
    if (strcmp(k_types[i].name, name) == 0)
      return &k_types[i];
  return NULL;
}

//===- Formats ------------------------------------------------------------===//

static unsigned width(const element_type *t) { return 8 * t->bytes; }
static uint64_t low_bits(unsigned n) {
  return n >= 64 ? ~0ull : (1ull << n) - 1;
}
static unsigned exponent_bits(const element_type *t) {
  return width(t) - 1 - t->fraction_bits;
}
static uint64_t infinity(const element_type *t) {
  return low_bits(exponent_bits(t)) << t->fraction_bits;
}
static uint64_t sign_bit(const element_type *t) {
  return 1ull << (width(t) - 1);
}
static bool is_nan(const element_type *t, uint64_t bits) {
  return t->fraction_bits && (bits & ~sign_bit(t)) > infinity(t);
}
static int64_t bias(const element_type *t) {
  return (int64_t)low_bits(exponent_bits(t) - 1);
}

static uint64_t load(const element_type *t, const void *p) {
  uint64_t bits = 0;
  memcpy(&bits, p, t->bytes);
  return bits;
}

static double value_of(const element_type *t, uint64_t bits) {
  uint64_t fraction = bits & low_bits(t->fraction_bits);
  uint64_t exponent = bits >> t->fraction_bits & low_bits(exponent_bits(t));
  double sign = bits & sign_bit(t) ? -1.0 : 1.0;
  if (exponent == low_bits(exponent_bits(t)))
    return fraction ? (double)NAN : sign * (double)INFINITY;
  int scale = (int)(1 - bias(t) - t->fraction_bits);
  if (exponent) {
    fraction |= 1ull << t->fraction_bits;
    scale += (int)exponent - 1;
  }
  return sign * ldexp((double)fraction, scale);
}

// A whole number that the format holds exactly, or the nearest below.
static uint64_t from_integer(const element_type *t, int64_t x) {
  if (!t->fraction_bits)
    return (uint64_t)x & low_bits(width(t));
  if (!x)
    return 0;
  uint64_t magnitude = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
  int top = 63 - __builtin_clzll(magnitude);
  int shift = (int)t->fraction_bits - top;
  uint64_t fraction = shift >= 0 ? magnitude << shift : magnitude >> -shift;
  uint64_t exponent = (uint64_t)(bias(t) + top);
  return (x < 0 ? sign_bit(t) : 0) | exponent << t->fraction_bits |
         (fraction & low_bits(t->fraction_bits));
}

//===- Random contents ----------------------------------------------------===//

// splitmix64 (Steele, Lea, Flood 2014).
static uint64_t next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static uint64_t special_integer(const element_type *t, uint64_t *state) {
  uint64_t r = next(state), power = 1ull << r % width(t);
  uint64_t v;
  switch (r >> 8 & 7) {
  case 0:
    v = 0;
    break;
  case 1:
    v = ~0ull;
    break;
  case 2:
    v = low_bits(width(t) - 1); // the largest signed
    break;
  case 3:
    v = sign_bit(t);
    break;
  case 4:
    v = power;
    break;
  case 5:
    v = power - 1;
    break;
  case 6:
    v = 0 - power;
    break;
  default:
    v = power + 1;
  }
  return v & low_bits(width(t));
}

static uint64_t moderate_float(const element_type *t, uint64_t *state) {
  uint64_t r = next(state);
  int64_t exponent = bias(t) + (int64_t)(r % 25) - 12;
  exponent = exponent < 1 ? 1 : exponent;
  return (r >> 8 & 1 ? sign_bit(t) : 0) |
         (uint64_t)exponent << t->fraction_bits |
         (next(state) & low_bits(t->fraction_bits));
}

static uint64_t special_float(const element_type *t, bool finite,
                              uint64_t *state) {
  uint64_t one_ulp = 1, normal = 1ull << t->fraction_bits;
  uint64_t one = (uint64_t)bias(t) << t->fraction_bits;
  const uint64_t values[] = {0,
                             one_ulp,
                             normal - 1,
                             normal,
                             normal + 1,
                             one,
                             one - 1,
                             one + 1,
                             from_integer(t, 2),
                             from_integer(t, 3),
                             one - (1ull << t->fraction_bits),
                             infinity(t) - 1,
                             normal >> 1,
                             from_integer(t, 127),
                             infinity(t),
                             infinity(t) | 1ull << (t->fraction_bits - 1)};
  size_t count = sizeof values / sizeof values[0] - (finite ? 2 : 0);
  uint64_t r = next(state);
  return values[r % count] | (r >> 32 & 1 ? sign_bit(t) : 0);
}

static uint64_t any(const element_type *t, bool finite, uint64_t *state) {
  uint64_t kind = next(state) & 3;
  if (!t->fraction_bits) {
    if (kind == 0)
      return special_integer(t, state);
    if (kind == 1)
      return (next(state) % 33 - 16) & low_bits(width(t));
    return next(state) & low_bits(width(t));
  }
  if (kind == 0)
    return special_float(t, finite, state);
  if (kind != 1)
    return moderate_float(t, state);
  uint64_t bits = next(state) & low_bits(width(t));
  if (finite && (bits & infinity(t)) == infinity(t))
    bits ^= 1ull << t->fraction_bits;
  if (is_nan(t, bits))
    bits |= 1ull << (t->fraction_bits - 1);
  return bits;
}

typedef enum kind {
  ZERO,
  FILL,
  IOTA,
  BITS,
  TEXT,
  ANY,
  FINITE,
  MODERATE,
  UNIT,
  INTEGRAL,
  RANGE
} kind;

static bool parse(const char *contents, kind *out_kind, int64_t range[2]) {
  static const char *const names[] = {"zero", "fill",     "iota",   "bits",
                                      "text", "any",      "finite", "moderate",
                                      "unit", "integral", NULL};
  for (int i = 0; names[i]; i++)
    if (strcmp(contents, names[i]) == 0) {
      *out_kind = (kind)i;
      range[0] = -8;
      range[1] = 9;
      return true;
    }
  char *end = NULL;
  *out_kind = RANGE;
  range[0] = 0;
  if (strncmp(contents, "below:", 6) == 0) {
    range[1] = strtoll(contents + 6, &end, 0);
  } else if (strncmp(contents, "range:", 6) == 0) {
    range[0] = strtoll(contents + 6, &end, 0);
    if (*end != ':')
      return false;
    range[1] = strtoll(end + 1, &end, 0);
  }
  return end && !*end && range[1] > range[0];
}

static uint64_t one_element(const element_type *t, kind k,
                            const int64_t range[2], size_t index,
                            uint64_t *state) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz ABCDEFGH 0123 ,. ";
  switch (k) {
  case ZERO:
    return 0;
  case FILL:
    return 0xa5a5a5a5a5a5a5a5u;
  case IOTA:
    return from_integer(t, (int64_t)index);
  case BITS:
    return next(state);
  case TEXT:
    return (uint64_t)letters[next(state) % (sizeof letters - 1)];
  case ANY:
  case FINITE:
    return any(t, k == FINITE, state);
  case MODERATE:
    return t->fraction_bits ? moderate_float(t, state)
                            : from_integer(t, (int64_t)(next(state) % 8192) -
                                                  (t->is_signed ? 4096 : 0));
  case UNIT: {
    uint64_t one = (uint64_t)bias(t) << t->fraction_bits;
    uint64_t down = next(state) % 6; // 2^-6 and up
    return (one - ((down + 1) << t->fraction_bits)) |
           (next(state) & low_bits(t->fraction_bits));
  }
  case INTEGRAL:
  case RANGE:
    return from_integer(
        t, range[0] + (int64_t)(next(state) % (uint64_t)(range[1] - range[0])));
  }
  return 0;
}

bool element_contents(const element_type *t, const char *contents,
                      uint64_t seed, void *data, size_t count) {
  kind k;
  int64_t range[2];
  if (!parse(contents, &k, range))
    return false;
  uint64_t state = seed * 0xd1342543de82ef95u + 1;
  uint8_t *p = data;
  for (size_t i = 0; i < count; i++, p += t->bytes) {
    uint64_t bits = one_element(t, k, range, i, &state);
    memcpy(p, &bits, t->bytes);
  }
  return true;
}

//===- Comparison ---------------------------------------------------------===//

bool elements_agree(const element_type *t, const void *a, const void *b,
                    uint64_t ulps) {
  uint64_t x = load(t, a), y = load(t, b);
  if (x == y)
    return true;
  if (!t->fraction_bits)
    return false;
  bool nan_x = is_nan(t, x), nan_y = is_nan(t, y);
  if (nan_x || nan_y)
    return nan_x && nan_y;
  if (!ulps)
    return false;
  // Sign and magnitude to a scale on which neighbours differ by one.
  uint64_t s = sign_bit(t);
  int64_t i = x & s ? -(int64_t)(x & ~s) : (int64_t)x;
  int64_t j = y & s ? -(int64_t)(y & ~s) : (int64_t)y;
  return (uint64_t)(i > j ? i - j : j - i) <= ulps;
}

void element_text(const element_type *t, const void *element, char *text,
                  size_t text_bytes) {
  uint64_t bits = load(t, element);
  int digits = (int)(2 * t->bytes);
  if (t->fraction_bits)
    snprintf(text, text_bytes, "0x%0*llx (%.17g)", digits,
             (unsigned long long)bits, value_of(t, bits));
  else
    snprintf(text, text_bytes, "0x%0*llx", digits, (unsigned long long)bits);
}
