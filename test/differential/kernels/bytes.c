// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strings, bytes and hashes; tables in constant memory.
#include "kernel.h"

//| launch("strings", [inp("u8", 64 * 40, "text"), out("u8", 64 * 40), out("u32", 64 * 4)])
KERNEL(strings, (GLOBAL const u8 *, in), (GLOBAL u8 *, out),
       (GLOBAL u32 *, facts)) {
  enum { LENGTH = 40 };
  u32 i = global_linear(), words = 0, spaces = 0, number = 0, last = 0;
  GLOBAL const u8 *s = in + i * LENGTH;
  GLOBAL u8 *t = out + i * LENGTH;
  _Bool inside = 0;
  for (u32 j = 0; j < LENGTH; j++) {
    u8 c = s[j];
    if (c >= 'a' && c <= 'z')
      c = (u8)(c - 'a' + 'A');
    else if (c >= 'A' && c <= 'Z')
      c = (u8)((c - 'A' + 13) % 26 + 'a');
    else if (c >= '0' && c <= '9')
      number = number * 10 + (c - '0'), last = j;
    if (c == ' ') {
      spaces++;
      inside = 0;
    } else if (!inside) {
      words++;
      inside = 1;
    }
    t[LENGTH - 1 - j] = c;
  }
  u32 equal = 0;
  GLOBAL const u8 *other = in + (i + 1) % 64 * LENGTH;
  while (equal < LENGTH && (s[equal] & 0xe0) == (other[equal] & 0xe0))
    equal++;
  facts[4 * i] = words;
  facts[4 * i + 1] = spaces | last << 8;
  facts[4 * i + 2] = number;
  facts[4 * i + 3] = equal;
}

static CONSTANT const u8 k_base64[64] = {
    'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M',
    'N', 'O', 'P', 'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z',
    'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',
    'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', '/'};
//| launch("base64", [inp("u8", 3 * 256, "bits"), out("u8", 4 * 256)], block=128, grid=2)
KERNEL(base64, (GLOBAL const u8 *, in), (GLOBAL u8 *, out)) {
  u32 i = global_linear();
  u32 w = (u32)in[3 * i] << 16 | (u32)in[3 * i + 1] << 8 | in[3 * i + 2];
  for (u32 j = 0; j < 4; j++)
    out[4 * i + j] = k_base64[w >> (18 - 6 * j) & 63];
}

//| launch("edit_distance", [inp("u8", 32 * 32, "range:97:101"), out("u32", 32)], block=32)
KERNEL(edit_distance, (GLOBAL const u8 *, in), (GLOBAL u32 *, out)) {
  enum { LENGTH = 16 };
  u32 i = global_linear();
  GLOBAL const u8 *a = in + i * 32, *b = a + LENGTH;
  u8 row[LENGTH + 1];
  for (u32 j = 0; j <= LENGTH; j++)
    row[j] = (u8)j;
  for (u32 r = 1; r <= LENGTH; r++) {
    u8 corner = row[0];
    row[0] = (u8)r;
    for (u32 c = 1; c <= LENGTH; c++) {
      u8 cost = (u8)(corner + (a[r - 1] != b[c - 1]));
      corner = row[c];
      u8 best = row[c] < row[c - 1] ? row[c] : row[c - 1];
      row[c] = (u8)(best + 1 < cost ? best + 1 : cost);
    }
  }
  out[i] = row[LENGTH];
}

// Checksums and hashes of 32 bytes a work-item.
//| launch("hashes", [inp("u8", 128 * 32, "bits"), out("u64", 128 * 7)], block=64, grid=2)
KERNEL(hashes, (GLOBAL const u8 *, in), (GLOBAL u64 *, out)) {
  u32 n = 128, i = global_linear(), k = 0;
  GLOBAL const u8 *s = in + 32 * i;
#define PUT(v) (out[n * k++ + i] = (v))
  u32 crc = ~0u, a = 1, b = 0, fnv = 2166136261u, jenkins = 0;
  u64 fnv64 = 14695981039346656037ul, djb = 5381;
  for (u32 j = 0; j < 32; j++) {
    crc ^= s[j];
    for (u32 bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    a = (a + s[j]) % 65521;
    b = (b + a) % 65521;
    fnv = (fnv ^ s[j]) * 16777619u;
    fnv64 = (fnv64 ^ s[j]) * 1099511628211ul;
    djb = djb * 33 + s[j];
    jenkins += s[j];
    jenkins += jenkins << 10;
    jenkins ^= jenkins >> 6;
  }
  PUT(~crc);
  PUT(b << 16 | a);
  PUT(fnv);
  PUT(fnv64);
  PUT(djb);
  PUT(jenkins + (jenkins << 3));
  u32 h = 0x9747b28c; // MurmurHash3
  for (u32 j = 0; j < 8; j++) {
    u32 x = s[4 * j] | (u32)s[4 * j + 1] << 8 | (u32)s[4 * j + 2] << 16 |
            (u32)s[4 * j + 3] << 24;
    x *= 0xcc9e2d51u;
    x = __builtin_rotateleft32(x, 15) * 0x1b873593u;
    h = __builtin_rotateleft32(h ^ x, 13) * 5 + 0xe6546b64u;
  }
  h ^= 32;
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  PUT(h ^ h >> 16);
#undef PUT
}

static CONSTANT const u32 k_sha[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define ROTATE(x, n) __builtin_rotateright32(x, n)
//| launch("sha256_block", [inp("u32", 64 * 16, "bits"), out("u32", 64 * 8)], block=64)
KERNEL(sha256_block, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  u32 i = global_linear(), w[64];
  u32 h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
      s[8];
  for (u32 t = 0; t < 16; t++)
    w[t] = __builtin_bswap32(in[16 * i + t]);
  for (u32 t = 16; t < 64; t++)
    w[t] = w[t - 16] + w[t - 7] +
           (ROTATE(w[t - 15], 7) ^ ROTATE(w[t - 15], 18) ^ w[t - 15] >> 3) +
           (ROTATE(w[t - 2], 17) ^ ROTATE(w[t - 2], 19) ^ w[t - 2] >> 10);
  for (u32 j = 0; j < 8; j++)
    s[j] = h[j];
  for (u32 t = 0; t < 64; t++) {
    u32 e = s[4], a = s[0];
    u32 t1 = s[7] + (ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25)) +
             ((e & s[5]) ^ (~e & s[6])) + k_sha[t] + w[t];
    u32 t2 = (ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22)) +
             ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    for (u32 j = 7; j; j--)
      s[j] = s[j - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (u32 j = 0; j < 8; j++)
    out[8 * i + j] = h[j] + s[j];
}

//| launch("siphash", [inp("u64", 128 * 4, "bits"), out("u64", 128), val("QQ", 3, 4, alignment=8)], block=128)
typedef struct {
  u64 low, high;
} siphash_key;
KERNEL(siphash, (GLOBAL const u64 *, in), (GLOBAL u64 *, out),
       (siphash_key, key)) {
  u32 i = global_linear();
  u64 v0 = key.low ^ 0x736f6d6570736575, v1 = key.high ^ 0x646f72616e646f6d,
      v2 = key.low ^ 0x6c7967656e657261, v3 = key.high ^ 0x7465646279746573;
#define ROUND                                                                  \
  do {                                                                         \
    v0 += v1, v2 += v3;                                                        \
    v1 = __builtin_rotateleft64(v1, 13) ^ v0;                                  \
    v3 = __builtin_rotateleft64(v3, 16) ^ v2;                                  \
    v0 = __builtin_rotateleft64(v0, 32);                                       \
    v2 += v1, v0 += v3;                                                        \
    v1 = __builtin_rotateleft64(v1, 17) ^ v2;                                  \
    v3 = __builtin_rotateleft64(v3, 21) ^ v0;                                  \
    v2 = __builtin_rotateleft64(v2, 32);                                       \
  } while (0)
  for (u32 j = 0; j < 4; j++) {
    v3 ^= in[4 * i + j];
    ROUND;
    ROUND;
    v0 ^= in[4 * i + j];
  }
  v2 ^= 0xff;
  for (u32 j = 0; j < 4; j++)
    ROUND;
  out[i] = v0 ^ v1 ^ v2 ^ v3;
}
