// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emulator's conversions to and from e4m3 and e5m2 and the oracle's, which
// share no code, agree: on all codes, and on all f32 numbers of bf16, the ties
// between two codes and the numbers beside them among others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "float8.h"
#include "numeric.h"

static const struct {
  const char *name;
  const emu_small_format *format;
  float (*to_float)(uint8_t);
  uint8_t (*from_double)(double, float8_overflow);
} types[] = {{"e4m3", &emu_e4m3, e4m3_to_float, e4m3_from_double},
             {"e5m2", &emu_e5m2, e5m2_to_float, e5m2_from_double}};
enum { TYPES = sizeof types / sizeof types[0], F32_FRACTION_BITS = 23 };

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void test_codes(void **state) {
  (void)state;
  for (int t = 0; t < TYPES; ++t)
    for (uint32_t code = 0; code < 256; ++code) {
      const float ours = types[t].to_float((uint8_t)code);
      const float theirs = float_of(emu_small_to_f32(types[t].format, code));
      // NaN has no one pattern.
      if (!(ours != ours && theirs != theirs))
        assert_int_equal(bits_of(ours), bits_of(theirs));
    }
}

static void check(int t, uint32_t bits) {
  for (int saturates = 0; saturates < 2; ++saturates) {
    const emu_rounding rounding = {.saturate = saturates};
    const uint32_t theirs =
        emu_round_to(types[t].format, bits, 0, F32_FRACTION_BITS, rounding);
    const uint8_t ours =
        types[t].from_double((double)float_of(bits),
                             saturates ? FLOAT8_SATURATES : FLOAT8_OVERFLOWS);
    if (ours != theirs)
      fail_msg("%s of f32 0x%08x, saturating %d: 0x%02x, the emulator has "
               "0x%02x",
               types[t].name, bits, saturates, ours, theirs);
  }
}

static void test_numbers(void **state) {
  (void)state;
  for (int t = 0; t < TYPES; ++t)
    for (uint32_t high = 0; high < 65536; ++high) {
      check(t, high << 16);
      check(t, high << 16 | 1);
      check(t, high << 16 | 0xffff);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_codes),
      cmocka_unit_test(test_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
