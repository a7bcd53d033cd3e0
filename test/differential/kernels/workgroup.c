// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LDS and barriers: reductions, scans, sorts, tiles, several waves.
#include "kernel.h"

//| for size in 64, 256, 512:
//|     launch("reduce", [inp("u32", 3 * size), out("u32", 9)], block=size, grid=3, lds=0)
KERNEL(reduce, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  SHARED u32 sum[512], least[512], bits[512];
  u32 l = local_id(0), x = in[global_linear()];
  sum[l] = x;
  least[l] = x;
  bits[l] = x;
  barrier();
  for (u32 span = local_size(0) / 2; span; span /= 2) {
    if (l < span) {
      sum[l] += sum[l + span];
      least[l] = least[l] < least[l + span] ? least[l] : least[l + span];
      bits[l] ^= bits[l + span];
    }
    barrier();
  }
  if (l < 3)
    out[3 * group_id(0) + l] = l == 0 ? sum[0] : l == 1 ? least[0] : bits[0];
}

// A size that is no multiple of the wave, an order that floats depend on.
//| launch("reduce_f32", [inp("f32", 400, "moderate"), out("f32", 4), val("I", 391)],
//|        block=100, grid=4)
KERNEL(reduce_f32, (GLOBAL const f32 *, in), (GLOBAL f32 *, out), (u32, n)) {
  SHARED f32 part[128];
  u32 l = local_id(0), i = global_linear();
  part[l] = i < n ? in[i] : 0.0f;
  if (l < 28)
    part[100 + l] = 0;
  barrier();
  for (u32 span = 64; span; span >>= 1) {
    if (l < span)
      part[l] = part[l] + part[l + span];
    barrier();
  }
  if (!l)
    out[group_id(0)] = part[0];
}

//| launch("scan_inclusive", [inp("u64", 600), out("u64", 600)], block=300, grid=2)
KERNEL(scan_inclusive, (GLOBAL const u64 *, in), (GLOBAL u64 *, out)) {
  SHARED u64 t[2][512];
  u32 l = local_id(0), n = local_size(0), from = 0;
  t[0][l] = in[global_linear()];
  barrier();
  for (u32 span = 1; span < n; span *= 2) {
    t[1 - from][l] = l >= span ? t[from][l] + t[from][l - span] : t[from][l];
    from = 1 - from;
    barrier();
  }
  out[global_linear()] = t[from][l];
}

//| launch("scan_exclusive", [inp("s32", 1024), out("s32", 1024)], block=256, grid=2)
KERNEL(scan_exclusive, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  SHARED u32 t[512];
  u32 l = local_id(0), base = group_id(0) * 512, n = 512, step = 1;
  t[2 * l] = in[base + 2 * l];
  t[2 * l + 1] = in[base + 2 * l + 1];
  for (u32 d = n / 2; d; d /= 2, step *= 2) {
    barrier();
    if (l < d)
      t[step * (2 * l + 2) - 1] += t[step * (2 * l + 1) - 1];
  }
  if (!l)
    t[n - 1] = 0;
  for (u32 d = 1; d < n; d *= 2) {
    step /= 2;
    barrier();
    if (l < d) {
      u32 a = step * (2 * l + 1) - 1, b = step * (2 * l + 2) - 1, x = t[a];
      t[a] = t[b];
      t[b] += x;
    }
  }
  barrier();
  out[base + 2 * l] = t[2 * l];
  out[base + 2 * l + 1] = t[2 * l + 1];
}

#define BITONIC(T)                                                             \
  KERNEL(bitonic_##T, (GLOBAL const T *, in), (GLOBAL T *, out)) {             \
    SHARED T key[256];                                                         \
    u32 l = local_id(0);                                                       \
    key[l] = in[global_linear()];                                              \
    barrier();                                                                 \
    for (u32 size = 2; size <= 256; size *= 2)                                 \
      for (u32 step = size / 2; step; step /= 2) {                             \
        u32 other = l ^ step;                                                  \
        if (other > l) {                                                       \
          T a = key[l], b = key[other];                                        \
          if ((a > b) == ((l & size) == 0)) {                                  \
            key[l] = b;                                                        \
            key[other] = a;                                                    \
          }                                                                    \
        }                                                                      \
        barrier();                                                             \
      }                                                                        \
    out[global_linear()] = key[l];                                             \
  }
//| for t in "u8", "s16", "u32", "f32", "s64":
//|     launch(f"bitonic_{t}", [inp(t, 512, "moderate"), out(t, 512)], block=256, grid=2)
BITONIC(u8)
BITONIC(s16)
BITONIC(u32)
BITONIC(f32)
BITONIC(s64)

//| launch("transpose", [inp("u16", 48 * 40), out("u16", 48 * 40), val("I", 48), val("I", 40)],
//|        block=(16, 8), grid=(3, 3))
KERNEL(transpose, (GLOBAL const u16 *, in), (GLOBAL u16 *, out), (u32, width),
       (u32, height)) {
  SHARED u16 tile[16][17];
  u32 x = group_id(0) * 16 + local_id(0), y0 = group_id(1) * 16;
  for (u32 r = local_id(1); r < 16; r += local_size(1))
    if (x < width && y0 + r < height)
      tile[r][local_id(0)] = in[(y0 + r) * width + x];
  barrier();
  u32 tx = y0 + local_id(0), ty0 = group_id(0) * 16;
  for (u32 r = local_id(1); r < 16; r += local_size(1))
    if (tx < height && ty0 + r < width)
      out[(ty0 + r) * height + tx] = tile[local_id(0)][r];
}

//| launch("stencil_3d", [inp("f32", 8 * 8 * 6, "moderate"), out("f32", 8 * 8 * 6)],
//|        block=(4, 4, 3), grid=(2, 2, 2))
KERNEL(stencil_3d, (GLOBAL const f32 *, in), (GLOBAL f32 *, out)) {
  SHARED f32 t[5][6][6];
  u32 lx = local_id(0), ly = local_id(1), lz = local_id(2);
  // Load the tile with a border, wrapping at the edges.
  for (u32 k = local_linear(); k < 180; k += 48) {
    u32 x = (group_id(0) * 4 + k % 6 + 7) % 8;
    u32 y = (group_id(1) * 4 + k / 6 % 6 + 7) % 8;
    u32 z = (group_id(2) * 3 + k / 36 + 5) % 6;
    t[k / 36][k / 6 % 6][k % 6] = in[(z * 8 + y) * 8 + x];
  }
  barrier();
  f32 s = t[lz + 1][ly + 1][lx + 1] * -6.0f;
  s += t[lz][ly + 1][lx + 1] + t[lz + 2][ly + 1][lx + 1];
  s += t[lz + 1][ly][lx + 1] + t[lz + 1][ly + 2][lx + 1];
  s += t[lz + 1][ly + 1][lx] + t[lz + 1][ly + 1][lx + 2];
  u32 x = group_id(0) * 4 + lx, y = group_id(1) * 4 + ly,
      z = group_id(2) * 3 + lz;
  out[(z * 8 + y) * 8 + x] = s;
}

//| launch("union_in_lds", [inp("u64", 128), out("u32", 256), out("f32", 128)], block=128)
KERNEL(union_in_lds, (GLOBAL const u64 *, in), (GLOBAL u32 *, out),
       (GLOBAL f32 *, numbers)) {
  typedef union {
    u64 whole[128];
    u32 word[256];
    u16 half[512];
    u8 byte[1024];
    f32 number[256];
    u32x4 quad[64];
  } shape;
  SHARED shape t;
  u32 l = local_id(0);
  t.whole[l] = in[l];
  barrier();
  u32 a = t.word[255 - l] + t.half[3 * l] + t.byte[7 * l];
  u32 b = t.quad[l / 2].z ^ (u32)(s8)t.byte[l];
  barrier();
  t.number[l] = (f32)(a & 0xffff) * 0.25f;
  t.byte[512 + l] = (u8)b;
  t.half[320 + l] = (u16)b;
  barrier();
  out[l] = a + t.word[128 + l / 4];
  out[128 + l] = b ^ t.half[320 + (l * 5) % 128];
  numbers[l] = t.number[l ^ 1] + t.number[127 - l];
}

SHARED_DYNAMIC(u32, dynamic);
//| launch("dynamic_lds", [inp("u32", 320), out("u32", 320), val("I", 160)], block=160,
//|        grid=2, lds=160 * 4 + 64)
KERNEL(dynamic_lds, (GLOBAL const u32 *, in), (GLOBAL u32 *, out), (u32, n)) {
  SHARED u32 fixed[16];
  u32 l = local_id(0);
  dynamic[l] = in[global_linear()];
  if (l < 16) {
    dynamic[n + l] = l * 1000;
    fixed[l] = l;
  }
  barrier();
  out[global_linear()] =
      dynamic[(l * 7 + 3) % n] + dynamic[n + l % 16] + fixed[l % 16];
}

// The waves of a workgroup hand work round: each turn another wave writes.
//| launch("waves_in_turn", [inp("u32", 256), out("u32", 256)], block=256)
KERNEL(waves_in_turn, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  SHARED u32 t[WAVE];
  u32 l = local_id(0), wave = l / WAVE, lane = l % WAVE, r = in[l];
  for (u32 turn = 0; turn < 8; turn++) {
    if (wave == turn % 4)
      t[(lane * 5 + turn) % WAVE] = r + turn;
    barrier();
    r = r * 3 + t[lane];
    barrier();
  }
  out[l] = r;
}

//| launch("histogram", [inp("u8", 4096, "any"), out("u32", 512)], block=256, grid=2)
KERNEL(histogram, (GLOBAL const u8 *, in), (GLOBAL u32 *, out)) {
  SHARED u32 count[256];
  u32 l = local_id(0);
  count[l] = 0;
  barrier();
  for (u32 j = 0; j < 8; j++)
    __scoped_atomic_fetch_add(&count[in[group_id(0) * 2048 + j * 256 + l]], 1,
                              __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  barrier();
  out[256 * group_id(0) + l] = count[l];
}

// Radix sort, one bit a turn, stable.
//| launch("radix_sort", [inp("u32", 512), out("u32", 512)], block=512)
KERNEL(radix_sort, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  SHARED u32 key[512], place[512];
  u32 l = local_id(0);
  key[l] = in[l] & 0xffff;
  for (u32 bit = 0; bit < 16; bit++) {
    barrier();
    u32 x = key[l], zero = !(x >> bit & 1);
    place[l] = zero;
    barrier();
    for (u32 span = 1; span < 512; span *= 2) {
      u32 t = l >= span ? place[l - span] : 0;
      barrier();
      place[l] += t;
      barrier();
    }
    u32 zeros = place[511], mine = zero ? place[l] - 1 : zeros + l - place[l];
    barrier();
    key[mine] = x;
  }
  barrier();
  out[l] = key[l];
}

// Ping-pong stencil over many turns: life on a torus.
//| launch("life", [inp("u8", 1024, "below:2"), out("u8", 1024)], block=(32, 16), grid=1)
KERNEL(life, (GLOBAL const u8 *, in), (GLOBAL u8 *, out)) {
  SHARED u8 t[2][32][32];
  u32 x = local_id(0), y0 = local_id(1), now = 0;
  for (u32 y = y0; y < 32; y += 16)
    t[0][y][x] = in[y * 32 + x];
  barrier();
  for (u32 turn = 0; turn < 6; turn++) {
    for (u32 y = y0; y < 32; y += 16) {
      u32 n = 0;
      for (u32 k = 0; k < 9; k++)
        if (k != 4)
          n += t[now][(y + k / 3 + 31) % 32][(x + k % 3 + 31) % 32];
      t[1 - now][y][x] = n == 3 || (n == 2 && t[now][y][x]);
    }
    now = 1 - now;
    barrier();
  }
  for (u32 y = y0; y < 32; y += 16)
    out[y * 32 + x] = t[now][y][x];
}
