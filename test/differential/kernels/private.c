// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Private memory: arrays with dynamic index, structures, unions, the stack.
#include "kernel.h"

//| launch("private_array", [inp("u32", 256), out("u32", 256)], block=128, grid=2)
KERNEL(private_array, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  u32 i = global_linear(), x = in[i], t[16], r = 0;
  for (u32 j = 0; j < 16; j++)
    t[j] = x >> j & 0xff;
  for (u32 j = 0; j < 16; j++) {
    u32 k = (t[j] + i) % 16, s = t[j];
    t[j] = t[k];
    t[k] = s;
  }
  for (u32 j = 0; j < 16; j++)
    r += t[j] << j % 24;
  out[i] = r;
}

#define INSERTION_SORT(T)                                                      \
  KERNEL(insertion_sort_##T, (GLOBAL const T *, in), (GLOBAL T *, out),        \
         (u32, n)) {                                                           \
    enum { COUNT = 24 };                                                       \
    u32 i = global_linear();                                                   \
    if (i >= n)                                                                \
      return;                                                                  \
    T t[COUNT];                                                                \
    for (u32 j = 0; j < COUNT; j++)                                            \
      t[j] = in[i * COUNT + j];                                                \
    for (u32 j = 1; j < COUNT; j++) {                                          \
      T x = t[j];                                                              \
      u32 k = j;                                                               \
      while (k && t[k - 1] > x) {                                              \
        t[k] = t[k - 1];                                                       \
        k--;                                                                   \
      }                                                                        \
      t[k] = x;                                                                \
    }                                                                          \
    for (u32 j = 0; j < COUNT; j++)                                            \
      out[i * COUNT + j] = t[j];                                               \
  }
//| for t in "u8", "s16", "u32", "f64":
//|     contents = "any" if t != "f64" else "finite"
//|     launch(f"insertion_sort_{t}", [inp(t, 24 * 100, contents), out(t, 24 * 100),
//|            val("I", 100)], block=64, grid=2)
INSERTION_SORT(u8)
INSERTION_SORT(s16)
INSERTION_SORT(u32)
INSERTION_SORT(f64)

struct particle {
  u8 kind;
  u16 count;
  f32 mass;
  u64 key;
  s8 tag[3];
  f64 energy;
};
NOINLINE static struct particle advance(struct particle p, u32 step) {
  p.kind = (u8)(p.kind + step);
  p.count ^= (u16)(step * 257);
  p.mass = p.mass * 1.5f + (f32)step;
  p.key = p.key * 6364136223846793005ul + step;
  p.tag[step % 3] = (s8)(p.tag[(step + 1) % 3] - 3);
  p.energy = p.energy + (f64)p.mass * (f64)p.mass;
  return p;
}
//| launch("struct_by_value", [inp("u64", 192), inp("f32", 192, "moderate"), out("u64", 576),
//|        out("f64", 384)], block=96, grid=2)
KERNEL(struct_by_value, (GLOBAL const u64 *, in), (GLOBAL const f32 *, mass),
       (GLOBAL u64 *, out), (GLOBAL f64 *, energy)) {
  u32 i = global_linear();
  struct particle all[4], sum = {0};
  for (u32 j = 0; j < 4; j++) {
    struct particle p = {.kind = (u8)in[i],
                         .count = (u16)(in[i] >> 8),
                         .mass = mass[i],
                         .key = in[i] + j,
                         .tag = {(s8)j, 2, -1},
                         .energy = 0.25};
    all[j] = advance(p, j);
  }
  struct particle pick = advance(all[in[i] % 4], (u32)(in[i] >> 61));
  all[(in[i] >> 3) % 4] = pick;
  for (u32 j = 0; j < 4; j++) {
    sum.kind ^= all[j].kind;
    sum.count = (u16)(sum.count + all[j].count);
    sum.key += all[j].key;
    sum.tag[j % 3] = (s8)(sum.tag[j % 3] ^ all[j].tag[j % 3]);
    sum.energy += all[j].energy;
  }
  out[3 * i] = sum.key;
  out[3 * i + 1] = sum.kind | (u64)sum.count << 8;
  out[3 * i + 2] =
      (u8)sum.tag[0] | (u32)(u8)sum.tag[1] << 8 | (u32)(u8)sum.tag[2] << 16;
  energy[2 * i] = sum.energy;
  energy[2 * i + 1] = (f64)pick.mass;
}

union bits {
  u64 whole;
  u32 word[2];
  u16 half[4];
  u8 byte[8];
  f64 number;
};
//| launch("union_bytes", [inp("u64", 256), out("u64", 512)], block=256)
KERNEL(union_bytes, (GLOBAL const u64 *, in), (GLOBAL u64 *, out)) {
  u32 i = global_linear();
  union bits a = {in[i]}, b = {0};
  for (u32 j = 0; j < 8; j++)
    b.byte[(j * 3 + i) % 8] = a.byte[j];
  b.half[i % 4] ^= a.half[(i / 4) % 4];
  b.word[a.byte[0] & 1] += a.word[0];
  out[2 * i] = b.whole;
  b.half[3] = (u16)((b.half[3] & 0x800f) | 0x3ff0); // the number is finite
  b.number *= 3.0;
  out[2 * i + 1] = b.whole;
}

//| launch("private_matrix", [inp("f32", 64 * 16, "moderate"), out("f32", 64 * 4)], block=64)
KERNEL(private_matrix, (GLOBAL const f32 *, in), (GLOBAL f32 *, out)) {
  u32 i = global_linear();
  f32 m[4][4], v[4] = {1, -2, 3, 0.5f};
  for (u32 r = 0; r < 4; r++)
    for (u32 c = 0; c < 4; c++)
      m[(r + i) % 4][(c * 3 + i) % 4] = in[i * 16 + r * 4 + c];
  for (u32 turn = 0; turn < 3; turn++) {
    f32 t[4];
    for (u32 r = 0; r < 4; r++) {
      t[r] = 0;
      for (u32 c = 0; c < 4; c++)
        t[r] += m[r][c] * v[c];
    }
    for (u32 r = 0; r < 4; r++)
      v[r] = t[(r + turn) % 4] * 0.125f;
  }
  for (u32 r = 0; r < 4; r++)
    out[i * 4 + r] = v[r];
}

// More live values than a small budget of registers holds.
#define MANY(X)                                                                \
  X(0)                                                                         \
  X(1)                                                                         \
  X(2)                                                                         \
  X(3)                                                                         \
  X(4)                                                                         \
  X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17)     \
      X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29)  \
          X(30) X(31) X(32) X(33) X(34) X(35) X(36) X(37) X(38) X(39)
#define LOAD(j) u32 x##j = in[(i + j * 7) % 320] ^ j;
#define MIX(j) x##j = x##j * 2654435761u + (x##j >> 15) + acc, acc ^= x##j;
#define STORE(j) acc += x##j * (2 * j + 1);
//| for name in "spills_32", "spills_agpr", "spills_none":
//|     launch(name, [inp("u32", 320), out("u32", 128)], block=64, grid=2)
#define SPILLS(name, ...)                                                      \
  KERNEL_WITH((__VA_ARGS__), name, (GLOBAL const u32 *, in),                   \
              (GLOBAL u32 *, out)) {                                           \
    u32 i = global_linear(), acc = i;                                          \
    MANY(LOAD)                                                                 \
    for (u32 turn = 0; turn < 3; turn++) {                                     \
      MANY(MIX)                                                                \
    }                                                                          \
    MANY(STORE)                                                                \
    out[i] = acc;                                                              \
  }
SPILLS(spills_32, amdgpu_num_vgpr(24))
SPILLS(spills_agpr, amdgpu_waves_per_eu(8, 8), amdgpu_num_vgpr(32))
SPILLS(spills_none, amdgpu_flat_work_group_size(1, 64))

// Scalars that do not fit the scalar registers go to lanes of a vector one.
#define UNIFORM(j) u32 x##j = in[(group_id(0) + j * 7) % 320] ^ j;
//| launch("spills_scalar", [inp("u32", 320), out("u32", 128)], block=64, grid=2)
KERNEL_WITH((amdgpu_num_sgpr(32)), spills_scalar, (GLOBAL const u32 *, in),
            (GLOBAL u32 *, out)) {
  u32 acc = group_id(0);
  MANY(UNIFORM)
  for (u32 turn = 0; turn < 3; turn++) {
    MANY(MIX)
    if (acc & 1)
      x3 ^= x30;
  }
  MANY(STORE)
  out[global_linear()] = acc + local_id(0);
}

//| launch("variable_length", [inp("u32", 128), out("u32", 128), val("I", 11)], block=64,
//|        grid=2)
KERNEL(variable_length, (GLOBAL const u32 *, in), (GLOBAL u32 *, out),
       (u32, length)) {
  u32 i = global_linear(), r = 0;
  u32 t[length];
  for (u32 j = 0; j < length; j++)
    t[j] = in[(i + j) % 128] * (j + 1);
  for (u32 j = 0; j < length; j++)
    r = r * 31 + t[(j * 5 + i) % length];
  out[i] = r;
}

//| launch("vectors_in_private", [inp("f32", 512, "moderate"), out("f32", 512)], block=128)
KERNEL(vectors_in_private, (GLOBAL const f32x4 *, in), (GLOBAL f32x4 *, out)) {
  u32 i = global_linear();
  f32x4 t[6], a = in[i];
  for (u32 j = 0; j < 6; j++)
    t[j] = a * (f32)(j + 1) + (f32)j;
  t[i % 6].zw = t[(i + 1) % 6].xy;
  t[(i + 2) % 6][i % 4] = 5.0f;
  f32x4 r = t[0];
  for (u32 j = 1; j < 6; j++)
    r = r * 0.5f + t[(j + i) % 6].wxyz;
  out[i] = r;
}
