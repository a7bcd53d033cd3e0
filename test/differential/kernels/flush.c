// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f32 denormals flushed, as kernels that ask for it are compiled: operands and
// results become zeros of their sign; f16 and f64 keep theirs. (CDNA3 ISA 3.3,
// MODE.FP_DENORM)
#include "kernel.h"

//| gfx950("-Xclang", "-fdenormal-fp-math-f32=preserve-sign")

#ifdef __AMDGCN__
#define FLUSH(x) (x)
#else
static f32 FLUSH(f32 x) {
  return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0, x) : x;
}
#endif

//| for contents in "any", "bits":
//|     launch("flushed_f32", [inp("f32", 3 * 512, contents), out("f32", 8 * 512)], block=512)
KERNEL(flushed_f32, (GLOBAL const f32 *, in), (GLOBAL f32 *, out)) {
  u32 n = 512, i = global_linear(), k = 0;
  f32 a = FLUSH(in[i]), b = FLUSH(in[n + i]), c = FLUSH(in[2 * n + i]);
#define PUT(x) (out[n * k++ + i] = FLUSH(x))
  PUT(a + b);
  PUT(a - b);
  PUT(a * b);
  PUT(-a * c);
  PUT(fma_f32(a, b, c));
  PUT(fma_f32(-a, b, c));
  PUT(FLUSH(a * b) + c);
  PUT(a * 0.5f);
#undef PUT
}

//| launch("flushed_packed", [inp("f32", 3 * 256), out("f32", 4 * 256)], block=128)
KERNEL(flushed_packed, (GLOBAL const f32x2 *, in), (GLOBAL f32x2 *, out)) {
  u32 n = 128, i = global_linear();
  f32x2 a = in[i], b = in[n + i], c = in[2 * n + i];
#ifdef __AMDGCN__
  out[i] = a + b;
  out[n + i] = a * b;
  out[2 * n + i] = __builtin_elementwise_fma(a, b, c);
  out[3 * n + i] = a.yx * b;
#else
  for (u32 e = 0; e < 2; e++) {
    f32 x = FLUSH(a[e]), y = FLUSH(b[e]), z = FLUSH(c[e]);
    out[i][e] = FLUSH(x + y);
    out[n + i][e] = FLUSH(x * y);
    out[2 * n + i][e] = FLUSH(fma_f32(x, y, z));
    out[3 * n + i][e] = FLUSH(FLUSH(a[1 - e]) * y);
  }
#endif
}

//| launch("not_flushed", [inp("f64", 512), inp("f16", 512), out("f64", 768), out("f16", 768)],
//|        block=256)
KERNEL(not_flushed, (GLOBAL const f64 *, in), (GLOBAL const f16 *, in16),
       (GLOBAL f64 *, out), (GLOBAL f16 *, out16)) {
  u32 n = 256, i = global_linear();
  f64 a = in[i], b = in[n + i];
  f16 c = in16[i], d = in16[n + i];
  out[i] = a * b;
  out[n + i] = a * 0.25 + b;
  out[2 * n + i] = a / b;
  out16[i] = c * d;
  out16[n + i] = c + d;
  out16[2 * n + i] = fma_f16(c, d, c);
}
