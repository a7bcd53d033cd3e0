// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel arguments of every kind, and what a work-item is told about its place.
#include "kernel.h"

//| # Arguments that the hardware puts into scalar registers before the start.
//| variant("preload", "-mllvm", "-amdgpu-kernarg-preload-count=16")
//| variant("preload-3", "-mllvm", "-amdgpu-kernarg-preload-count=3")

//| launch("argument_types", [out("u64", 64 * 16), val("b", -7), val("B", 250), val("h", -3000),
//|        val("H", 60000), val("i", -100000), val("I", 0xdeadbeef), val("q", -2**40),
//|        val("Q", 2**63 + 5), val("e", 1.5), val("H", 0x4049), val("f", 0.1), val("d", 0.1),
//|        val("?", True), val("QQ", 1, 2)])
KERNEL(argument_types, (GLOBAL u64 *, out), (s8, a), (u8, b), (s16, c),
       (u16, d), (s32, e), (u32, f), (s64, g), (u64, h), (f16, i), (bf16, j),
       (f32, k), (f64, l), (_Bool, m), (s128, w)) {
  u32 n = 64, at = 0, x = global_linear();
#define PUT(v) (out[n * at++ + x] = (u64)(v))
  PUT((s64)a + x);
  PUT(b * x);
  PUT((s64)c - x);
  PUT(d ^ x);
  PUT((s64)e);
  PUT(f >> (x & 31));
  PUT(g + x);
  PUT(h - x);
  PUT(BITCAST(u16, (f16)(i * 3)));
  PUT(BITCAST(u16, j));
  PUT(BITCAST(u32, k * (f32)x));
  PUT(BITCAST(u64, l * (f64)x));
  PUT(m ? x : 99);
  PUT((u64)w);
  PUT((u64)(w >> 64) + x);
  PUT(m);
#undef PUT
}

typedef struct {
  u8 a;
  u32 b[3];
  f64 c;
  u16 d;
} record;
//| launch("argument_structs", [val("B3x3IdH6x", 200, 1, 2, 3, 0.125, 999, alignment=8),
//|        out("f64", 64), val("4f", 1, 2, 3, 4, alignment=16), val("B", 3),
//|        val("3I4x", 5, 6, 7, alignment=16), val("2H", 8, 9, alignment=4)])
KERNEL(argument_structs, (record, r), (GLOBAL f64 *, out), (f32x4, v), (u8, z),
       (u32x3, w), (u16x2, h)) {
  u32 i = global_linear();
  out[i] = r.c * (f64)r.a + (f64)r.b[i % 3] * (f64)r.d + (f64)v[i % 4] * z +
           (f64)w[(i / 4) % 3] - (f64)h[i & 1];
}

//| launch("many_arguments", [val("I", 17 * j + 3) for j in range(14)] + [out("u64", 64)]
//|        + [val("Q", 2 ** 33 + j) for j in range(6)])
KERNEL(many_arguments, (u32, a), (u32, b), (u32, c), (u32, d), (u32, e),
       (u32, f), (u32, g), (u32, h), (u32, i), (u32, j), (u32, k), (u32, l),
       (u32, m), (u32, n), (GLOBAL u64 *, out), (u64, o), (u64, p), (u64, q),
       (u64, r), (u64, s), (u64, t)) {
  u32 x = local_id(0);
  u64 v = a * x + b * c + (d ^ e) + f * g * h + i + (j << (k & 31)) + l * m + n;
  out[x] = v + o * p - q + (r ^ s) * t;
}

//| for grid, block in ((3, 2, 2), (8, 4, 2)), ((2, 3, 1), (5, 7, 3)), ((7, 1, 1), (64, 1, 1)):
//|     items = grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]
//|     launch("places", [out("u32", items * 8)], grid=grid, block=block)
KERNEL(places, (GLOBAL u32 *, out)) {
  u32 i = global_linear() * 8;
  out[i] = local_id(0) | local_id(1) << 10 | local_id(2) << 20;
  out[i + 1] = group_id(0) | group_id(1) << 10 | group_id(2) << 20;
  out[i + 2] = local_size(0) | local_size(1) << 10 | local_size(2) << 20;
  out[i + 3] = group_count(0) | group_count(1) << 10 | group_count(2) << 20;
  out[i + 4] = grid_items(0);
  out[i + 5] = grid_items(1) * 65536 + grid_items(2);
  out[i + 6] = lane_id();
  out[i + 7] = group_id(2) * 7 + group_id(1);
}

// Only the third dimension: descriptors ask for no more than is used.
//| launch("only_z", [out("u32", 24)], grid=(1, 1, 4), block=(1, 2, 3))
KERNEL(only_z, (GLOBAL u32 *, out)) {
  out[group_id(2) * 6 + local_id(2) * 2 + local_id(1)] =
      group_id(2) * 100 + local_id(2);
}

//| launch("no_arguments_used", [out("u32", 1), val("I", 3)])
KERNEL(no_arguments_used, (GLOBAL u32 *, out), (u32, x)) {
  (void)x;
  if (!out)
    __builtin_trap();
}

//| launch("pointer_pairs", [inp("u32", 64), out("u32", 64), inp("u64", 64), val("I", 3),
//|        out("u64", 64), val("H", 7)])
KERNEL(pointer_pairs, (GLOBAL const u32 *restrict, a),
       (GLOBAL u32 *restrict, b), (GLOBAL const u64 *, c), (u32, shift),
       (GLOBAL u64 *, d), (u16, add)) {
  u32 i = global_linear();
  b[i] = a[63 - i] << shift;
  d[i] = c[i ^ 1] + add + b[i];
}
