// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products in plain C. The order of the sums is that of the source.
#include "kernel.h"

// One element a work-item; A is m × k, B is k × n.
#define PRODUCT(name, T, ACC)                                                  \
  KERNEL(product_##name, (GLOBAL const T *, a), (GLOBAL const T *, b),         \
         (GLOBAL ACC *, c), (u32, m), (u32, n), (u32, k)) {                    \
    u32 col = group_id(0) * local_size(0) + local_id(0);                       \
    u32 row = group_id(1) * local_size(1) + local_id(1);                       \
    if (row >= m || col >= n)                                                  \
      return;                                                                  \
    ACC sum = 0;                                                               \
    for (u32 j = 0; j < k; j++)                                                \
      sum += (ACC)a[row * k + j] * (ACC)b[j * n + col];                        \
    c[row * n + col] = sum;                                                    \
  }
//| m, n, k = 19, 37, 23
//| for name, t, acc, contents in (("s8", "s8", "s32", "any"), ("u8", "u8", "u32", "any"),
//|         ("s16", "s16", "s64", "any"), ("f16", "f16", "f16", "moderate"),
//|         ("f16_f32", "f16", "f32", "moderate"), ("bf16", "bf16", "f32", "moderate"),
//|         ("f32", "f32", "f32", "any"), ("f64", "f64", "f64", "any")):
//|     launch(f"product_{name}", [inp(t, m * k, contents), inp(t, k * n, contents),
//|            out(acc, m * n), val("I", m), val("I", n), val("I", k)],
//|            block=(16, 4), grid=(3, 5))
PRODUCT(s8, s8, s32)
PRODUCT(u8, u8, u32)
PRODUCT(s16, s16, s64)
PRODUCT(f16, f16, f16)
PRODUCT(f16_f32, f16, f32)
PRODUCT(bf16, bf16, f32)
PRODUCT(f32, f32, f32)
PRODUCT(f64, f64, f64)

// Tiles in LDS, four results a work-item, fused multiply-add.
//| launch("tiled_f32", [inp("f32", 48 * 32, "moderate"), inp("f32", 32 * 64, "moderate"),
//|        out("f32", 48 * 64)], block=(16, 4), grid=(4, 3))
KERNEL(tiled_f32, (GLOBAL const f32 *, a), (GLOBAL const f32 *, b),
       (GLOBAL f32 *, c)) {
  enum { N = 64, K = 32 };
  SHARED f32 ta[16][16], tb[16][16];
  u32 x = local_id(0), y = local_id(1);
  u32 row0 = group_id(1) * 16, col = group_id(0) * 16 + x;
  f32 sum[4] = {0};
  for (u32 k0 = 0; k0 < K; k0 += 16) {
    for (u32 r = y; r < 16; r += 4) {
      ta[r][x] = a[(row0 + r) * K + k0 + x];
      tb[r][x] = b[(k0 + r) * N + col];
    }
    barrier();
    for (u32 j = 0; j < 16; j++)
      for (u32 r = 0; r < 4; r++)
        sum[r] = fma_f32(ta[y * 4 + r][j], tb[j][x], sum[r]);
    barrier();
  }
  for (u32 r = 0; r < 4; r++)
    c[(row0 + y * 4 + r) * N + col] = sum[r];
}

// Four bytes a step, as dot-product instructions take them.
//| launch("dot_bytes", [inp("s8", 64 * 32), inp("s8", 64 * 32), inp("u8", 64 * 32),
//|        out("s32", 128)], block=64)
KERNEL(dot_bytes, (GLOBAL const s8x4 *, a), (GLOBAL const s8x4 *, b),
       (GLOBAL const u8x4 *, c), (GLOBAL s32 *, out)) {
  u32 i = global_linear();
  s32 sum = 0;
  u32 usum = 0;
  for (u32 j = 0; j < 8; j++) {
    s8x4 x = a[i * 8 + j], y = b[i * 8 + j];
    u8x4 z = c[i * 8 + j], w = c[(i * 8 + j + 3) % 512];
    sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    usum += (u32)z.x * w.x + (u32)z.y * w.y + (u32)z.z * w.z + (u32)z.w * w.w;
  }
  out[i] = sum;
  out[64 + i] = (s32)usum;
}

// Gaussian elimination with pivoting, a system a work-item.
//| launch("solve_f64", [inp("f64", 64 * 20, "moderate"), out("f64", 64 * 4)], block=64)
KERNEL(solve_f64, (GLOBAL const f64 *, in), (GLOBAL f64 *, out)) {
  u32 i = global_linear();
  f64 m[4][5];
  for (u32 r = 0; r < 4; r++)
    for (u32 c = 0; c < 5; c++)
      m[r][c] = in[i * 20 + r * 5 + c];
  for (u32 p = 0; p < 4; p++) {
    u32 best = p;
    for (u32 r = p + 1; r < 4; r++)
      if (__builtin_fabs(m[r][p]) > __builtin_fabs(m[best][p]))
        best = r;
    for (u32 c = 0; c < 5; c++) {
      f64 t = m[p][c];
      m[p][c] = m[best][c];
      m[best][c] = t;
    }
    for (u32 r = p + 1; r < 4; r++) {
      f64 f = m[r][p] / m[p][p];
      for (u32 c = p; c < 5; c++)
        m[r][c] -= f * m[p][c];
    }
  }
  for (s32 r = 3; r >= 0; r--) {
    f64 x = m[r][4];
    for (s32 c = r + 1; c < 4; c++)
      x -= m[r][c] * out[i * 4 + (u32)c];
    out[i * 4 + (u32)r] = x / m[r][r];
  }
}
