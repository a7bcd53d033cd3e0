// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL C, as its compiler reads it: f32 division and square root to the
// accuracy of the OpenCL C specification (2.5 and 3 ulp) take other sequences
// than those of C.
#include "kernel.h"

//| for contents in "moderate", "finite":
//|     launch("opencl_division", [inp("f32", 512, contents), out("f32", 1024, ulps=3),
//|            val("f", 1.7)], block=256)
KERNEL(opencl_division, (GLOBAL const f32 *, in), (GLOBAL f32 *, out),
       (f32, scalar)) {
  u32 i = global_linear();
  f32 a = in[i], b = in[256 + i];
  // The specification lets quotients outside the normal numbers be anything.
  f32 size = a / b < 0 ? -(a / b) : a / b;
  _Bool normal = size > 0x1p-120f && size < 0x1p120f && b * b > 0x1p-120f;
  out[i] = normal ? a / b : 0;
  out[256 + i] = b * b > 0x1p-120f && b * b < 0x1p120f ? 1.0f / b : 0;
  out[512 + i] = b * b > 0x1p-120f && b * b < 0x1p120f ? scalar / b : 0;
  out[768 + i] = a > 0x1p-60f ? __builtin_sqrtf(a) : 0;
}

//| launch("opencl_vectors", [inp("u8", 1024), inp("s16", 512), inp("f32", 512, "moderate"),
//|        out("u8", 1024), out("s16", 512), out("f32", 512)], block=128)
KERNEL(opencl_vectors, (GLOBAL const uchar4 *, bytes),
       (GLOBAL const short4 *, words), (GLOBAL const float4 *, numbers),
       (GLOBAL uchar4 *, out8), (GLOBAL short4 *, out16),
       (GLOBAL float4 *, out32)) {
  u32 i = global_linear();
  uchar4 a = bytes[i], b = bytes[128 + i];
  short4 w = words[i];
  float4 f = numbers[i];
  out8[i] = a.wzyx + (uchar4)(b.x, 1, a.y, 2);
  out8[128 + i] = a > b ? a & b : a ^ b;
  out16[i] = (w >> (short4)3) ^ w.s1032;
  out32[i] = f.xxyy * (float4)(0.5f) + f.odd.xyxy - f.lo.yyxx;
}

//| launch("opencl_workgroup", [inp("u32", 512), out("u32", 514)], block=256, grid=2)
KERNEL(opencl_workgroup, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  SHARED u32 keys[256];
  SHARED u32 sum;
  u32 l = local_id(0), x = in[global_linear()];
  keys[l] = x;
  if (!l)
    sum = 0;
  barrier();
  __opencl_atomic_fetch_add((LOCAL atomic_uint *)&sum, x, __ATOMIC_RELAXED,
                            __OPENCL_MEMORY_SCOPE_WORK_GROUP);
  for (u32 size = 2; size <= 256; size *= 2)
    for (u32 step = size / 2; step; step /= 2) {
      u32 other = l ^ step;
      if (other > l) {
        u32 p = keys[l], q = keys[other];
        if ((p > q) == ((l & size) == 0)) {
          keys[l] = q;
          keys[other] = p;
        }
      }
      barrier();
    }
  out[global_linear()] = keys[l];
  if (!l)
    out[512 + group_id(0)] = sum;
}

static u32 weight(const u32 *p, u32 count) {
  u32 r = 0;
  for (u32 j = 0; j < count; j++)
    r = r * 31 + p[j];
  return r;
}
//| launch("opencl_generic", [inp("u32", 256), out("u32", 128)], block=128)
KERNEL(opencl_generic, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  u32 l = local_id(0), own[4] = {l, in[l], 3, in[l + 7]};
  // The choice differs from lane to lane: the accesses stay flat.
  const u32 *p = in[l] & 1 ? (const u32 *)(in + l) : (const u32 *)own;
  out[l] = weight(p, 4) ^ p[in[l] >> 1 & 3];
}

//| launch("opencl_half", [inp("f16", 512), out("f16", 256 * 4), out("f32", 256)], block=256)
KERNEL(opencl_half, (GLOBAL const f16 *, in), (GLOBAL f16 *, out),
       (GLOBAL f32 *, wide)) {
#pragma OPENCL FP_CONTRACT OFF
  u32 i = global_linear();
  f16 a = in[i], b = in[256 + i];
  out[i] = a * b + (f16)1;
  out[256 + i] = a < b ? a : b;
  out[512 + i] = (f16)((f32)a + (f32)b);
  out[768 + i] = -a - b;
  wide[i] = (f32)a * (f32)b;
}
