// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
// RUN: %emu_test --opt=-O0 %s
// RUN: %emu_test --opt=-O3 %s
//
// Integer code as clang compiles it: 32- and 64-bit division and modulo, wide multiplies,
// shifts, loops that lanes leave at different times, a switch, a function call at -O0.
// Source: the C language; clang chooses the instructions.

//| checks("mem,sync,wait,hazard")
//| a, b = pairs_u32(64, 101)
//| b = [x or 7 for x in b]
//| inputs(a, b)
//| def tdiv(x, y): return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
//| def gcd(x, y):
//|     while y: x, y = y, x % y
//|     return x
//| def mix(x, y):
//|     k = x % 5
//|     return [x + y, x ^ y, x * 3, x - y, y >> 3][k] & U32
//| def crc(x):
//|     for _ in range(32): x = x >> 1 ^ (0xedb88320 if x & 1 else 0)
//|     return x
//| A = list(zip(a, b))
//| def col(f): return [f(x, y) for x, y in A]
//| expect("u32 /", col(lambda x, y: x // y))
//| expect("u32 %", col(lambda x, y: x % y))
//| expect("i32 /", col(lambda x, y: tdiv(i32(x), i32(y)) if (x, y) != (0x80000000, U32) else 0))
//| expect64("u64 *", col(lambda x, y: x * y))
//| expect64("u64 /", col(lambda x, y: (x << 32 | y) // (y | 1)))
//| expect64("i64 >>", col(lambda x, y: i64(x << 32 | y) >> (y & 63) & U64))
//| expect("gcd", col(gcd))
//| expect("switch", col(mix))
//| expect("crc", col(lambda x, y: crc(x)))
//| expect("clz", col(lambda x, y: 32 - x.bit_length()))
//| expect("popcount", col(lambda x, y: bin(x).count("1")))
//| expect("rotate", col(lambda x, y: (x << (y & 31) | x >> (-(y & 31) & 31)) & U32))

__attribute__((noinline)) static uint gcd(uint x, uint y) {
  while (y) {
    uint t = x % y;
    x = y;
    y = t;
  }
  return x;
}

static void put(global uint *out, int column, uint value) {
  out[64 * column + __builtin_amdgcn_workitem_id_x()] = value;
}

static void put64(global uint *out, int column, ulong value) {
  put(out, column, (uint)value);
  put(out, column + 1, (uint)(value >> 32));
}

kernel void test_kernel(global const uint *in, global uint *out) {
  uint lane = __builtin_amdgcn_workitem_id_x();
  uint x = in[lane], y = in[64 + lane];
  put(out, 0, x / y);
  put(out, 1, x % y);
  put(out, 2, x == 0x80000000u && y == 0xffffffffu ? 0 : (int)x / (int)y);
  put64(out, 3, (ulong)x * y);
  put64(out, 5, ((ulong)x << 32 | y) / (y | 1));
  put64(out, 7, (ulong)((long)((ulong)x << 32 | y) >> (y & 63)));
  put(out, 9, gcd(x, y));
  uint r;
  switch (x % 5) {
  case 0: r = x + y; break;
  case 1: r = x ^ y; break;
  case 2: r = x * 3; break;
  case 3: r = x - y; break;
  default: r = y >> 3; break;
  }
  put(out, 10, r);
  uint c = x;
  for (int i = 0; i < 32; ++i)
    c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
  put(out, 11, c);
  put(out, 12, x ? __builtin_clz(x) : 32);
  put(out, 13, __builtin_popcount(x));
  put(out, 14, x << (y & 31) | x >> (-(y & 31) & 31));
}
