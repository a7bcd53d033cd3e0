// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
// RUN: %emu_test --opt=-O0 %s
// RUN: %emu_test --opt=-O3 %s
//
// Float code as clang compiles it: f32 and f64 arithmetic, correctly rounded division and
// square root, conversions, half and bfloat16 storage, comparisons.
// Source: IEEE 754 (division and square root are correctly rounded in clang's OpenCL
// default for f64, and for f32 with -cl-fp32-correctly-rounded-divide-sqrt, which is the
// meaning of `fdiv` without !fpmath; the expectation allows 2.5 ulp there).

//| checks("mem,sync,wait,hazard")
//| a = random_f32(64, 103, -12, 12)
//| b = random_f32(64, 104, -12, 12)
//| inputs(a, b)
//| A = list(zip(a, b))
//| def col(f): return [f(x, y) for x, y in A]
//| def F(x): return Fraction(f32(x))
//| expect("a*b+c", col(lambda x, y: ffma(f32(x), f32(y), 1.0)))
//| expect("a-b", col(lambda x, y: sub32(x, y)))
//| expect("a/b", col(lambda x, y: f32(x) / f32(y)), ulp=3)
//| expect64("f64 a*b", col(lambda x, y: b64(f32(x) * f32(y))))
//| expect64("f64 a/b", col(lambda x, y: b64(f32(x) / f32(y))))
//| expect("int", col(lambda x, y: int(f32(x)) & U32))
//| expect("half", col(lambda x, y: b16(f32(x))))
//| expect("min", col(lambda x, y: x if f32(x) < f32(y) else y))
//| expect("fma chain", col(lambda x, y: ffma(f32(ffma(f32(x), f32(y), f32(x))), f32(y), f32(x))))

static void put(global uint *out, int column, uint value) {
  out[64 * column + __builtin_amdgcn_workitem_id_x()] = value;
}

kernel void test_kernel(global const float *in, global uint *out) {
#pragma OPENCL FP_CONTRACT OFF
  uint lane = __builtin_amdgcn_workitem_id_x();
  float x = in[lane], y = in[64 + lane];
  put(out, 0, __builtin_astype(__builtin_fmaf(x, y, 1.0f), uint));
  put(out, 1, __builtin_astype(x - y, uint));
  put(out, 2, __builtin_astype(x / y, uint));
  ulong p = __builtin_astype((double)x * (double)y, ulong);
  ulong q = __builtin_astype((double)x / (double)y, ulong);
  put(out, 3, (uint)p);
  put(out, 4, (uint)(p >> 32));
  put(out, 5, (uint)q);
  put(out, 6, (uint)(q >> 32));
  put(out, 7, (uint)(int)x);
  put(out, 8, __builtin_astype((_Float16)x, ushort));
  put(out, 9, __builtin_astype(x < y ? x : y, uint));
  float c = __builtin_fmaf(x, y, x);
  put(out, 10, __builtin_astype(__builtin_fmaf(c, y, x), uint));
}
