// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that must be reported; detects.py says as what.
#include "kernel.h"

#ifdef __AMDGCN__
#define TARGET 1
#else
#define TARGET 0
#endif

//| launch("one_bit", [inp("u32", 64), out("u32", 64)])
KERNEL(one_bit, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  u32 i = global_linear();
  out[i] = in[i] ^ (i == 37 ? (u32)TARGET << 31 : 0u);
}

//| launch("one_ulp", [inp("f32", 64, "moderate"), out("f32", 64)])
KERNEL(one_ulp, (GLOBAL const f32 *, in), (GLOBAL f32 *, out)) {
  u32 i = global_linear();
  u32 bits = BITCAST(u32, in[i]);
  out[i] = BITCAST(f32, bits + (i == 5 ? TARGET : 0));
}

//| launch("two_ulps_of_one", [inp("f32", 64, "moderate"), out("f32", 64, ulps=1)])
KERNEL(two_ulps_of_one, (GLOBAL const f32 *, in), (GLOBAL f32 *, out)) {
  u32 i = global_linear();
  u32 bits = BITCAST(u32, in[i]);
  out[i] = BITCAST(f32, bits + (i == 5 ? 2 * TARGET : 0));
}

//| launch("zero_sign", [out("f64", 64)])
KERNEL(zero_sign, (GLOBAL f64 *, out)) {
  u32 i = global_linear();
  out[i] = i == 63 && TARGET ? -0.0 : 0.0;
}

//| launch("nan_for_number", [out("f16", 64)])
KERNEL(nan_for_number, (GLOBAL f16 *, out)) {
  u32 i = global_linear();
  out[i] = i == 1 && TARGET ? (f16)__builtin_nanf("") : (f16)1;
}

//| launch("input_changed", [inp("u8", 64), out("u8", 64)])
KERNEL(input_changed, (GLOBAL u8 *, in), (GLOBAL u8 *, out)) {
  u32 i = global_linear();
  out[i] = in[i];
  if (i == 9 && TARGET)
    in[i] ^= 1;
}

//| launch("not_written", [out("u16", 64)])
KERNEL(not_written, (GLOBAL u16 *, out)) {
  u32 i = global_linear();
  if (i != 60 || !TARGET)
    out[i] = (u16)i;
}

//| launch("past_the_end", [inp("u32", 64), out("u32", 64)])
KERNEL(past_the_end, (GLOBAL const volatile u32 *, in), (GLOBAL u32 *, out)) {
  u32 i = global_linear();
  out[i] = in[i + (i == 63 ? TARGET : 0)] & 0;
}

//| launch("endless", [out("u32", 64)])
KERNEL(endless, (GLOBAL u32 *, out)) {
  GLOBAL volatile u32 *p = out;
  p[local_id(0)] = 0;
  while (TARGET && p[local_id(0)] == 0) {
  }
}

//| launch("oracle_deadlock", [out("u32", 64)])
KERNEL(oracle_deadlock, (GLOBAL u32 *, out)) {
  if (!TARGET && local_id(0) == 3)
    wave_ballot(1);
  else if (!TARGET)
    barrier();
  out[local_id(0)] = 1;
}

//| launch("oracle_crash", [out("u32", 64)])
KERNEL(oracle_crash, (GLOBAL u32 *, out)) {
  if (!TARGET)
    __builtin_trap();
  out[local_id(0)] = 1;
}

// The last one agrees: the others must not hide it.
//| launch("right", [inp("u32", 64), out("u32", 64)])
KERNEL(right, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  out[global_linear()] = in[global_linear()] * 3;
}
