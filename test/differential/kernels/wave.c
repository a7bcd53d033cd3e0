// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between the lanes of a wave. Sizes that leave the last wave partial
// show what lanes that do not exist contribute.
#include "kernel.h"

//| for size in 64, 100, 256:
//|     launch("ballots", [inp("u32", size), out("u64", 8 * size)], block=size)
KERNEL(ballots, (GLOBAL const u32 *, in), (GLOBAL u64 *, out)) {
  u32 i = local_id(0), n = local_size(0), x = in[i];
  u64 odd = wave_ballot(x & 1), big = wave_ballot(x > 0x80000000u);
  out[i] = odd;
  out[n + i] = big & ~odd;
  out[2 * n + i] = wave_count_below(odd);
  out[3 * n + i] =
      (u64)__builtin_popcountl(odd) << 32 | __builtin_popcountl(big);
  out[4 * n + i] = wave_ballot(1);
  out[5 * n + i] = WAVE_BALLOT_IN_BRANCH(x & 4, x & 1);
  out[6 * n + i] = WAVE_BALLOT_IN_BRANCH(i % 3 == 0, 1);
  u64 all = 0;
  for (u32 bit = 0; bit < 5; bit++) {
    u64 m = wave_ballot(x >> bit & 1);
    all = all * 3 + (x >> bit & 1 ? m : ~m);
  }
  out[7 * n + i] = all;
}

//| for size in 64, 192:
//|     launch("shuffles", [inp("u32", size), out("u32", 7 * size)], block=size)
KERNEL(shuffles, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  u32 i = local_id(0), n = local_size(0), x = in[i], lane = lane_id();
  out[i] = wave_shuffle(x, lane ^ 1);
  out[n + i] = wave_shuffle(x, 63 - lane);
  out[2 * n + i] = wave_shuffle(x, x % 64);
  out[3 * n + i] = wave_shuffle(x, (lane * 5 + 9) % 64);
  out[4 * n + i] = wave_send(x, (lane * 3 + 1) % 64);
  u32 sum = x;
  for (u32 step = 1; step < 64; step *= 2)
    sum += wave_shuffle(sum, lane ^ step);
  out[5 * n + i] = sum;
  u32 scan = x;
  for (u32 step = 1; step < 64; step *= 2) {
    u32 t = wave_shuffle(scan, lane - step);
    scan += lane >= step ? t : 0;
  }
  out[6 * n + i] = scan;
}

//| for size in 64, 90, 128:
//|     launch("lanes", [inp("u32", size), out("u32", 5 * size), val("I", 37)], block=size)
KERNEL(lanes, (GLOBAL const u32 *, in), (GLOBAL u32 *, out), (u32, chosen)) {
  u32 i = local_id(0), n = local_size(0), x = in[i], r = 0;
  out[i] = wave_first(x);
  out[n + i] = wave_read(x, 5);
  out[2 * n + i] = wave_read(x, chosen % wave_lanes());
  for (u32 l = 0; l < wave_lanes(); l += 7)
    r = r * 3 + wave_read(x, l);
  out[3 * n + i] = r;
  out[4 * n + i] = wave_first(x) / (wave_first(x >> 5) | 1) + i;
}

#define ROW(control) PUT(WAVE_DPP(0x1000 + i, x, control, 0xf, 0xf, 0))
#define ZERO(control) PUT(WAVE_DPP(0x1000 + i, x, control, 0xf, 0xf, 1))
#define MASKED(control) PUT(WAVE_DPP(0x1000 + i, x, control, 0xa, 0x6, 0))
#define PUT(v) (out[n * k++ + i] = (v))
//| for size in 64, 128, 83:
//|     launch("dpp", [inp("u32", size), out("u32", 40 * size)], block=size)
KERNEL(dpp, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  u32 i = local_id(0), n = local_size(0), x = in[i], k = 0;
  ROW(0x1b);  // quad_perm 3,2,1,0
  ROW(0xb1);  // quad_perm 1,0,3,2
  ROW(0x00);  // quad_perm 0,0,0,0
  ROW(0x101); // row_shl
  ROW(0x104);
  ROW(0x10f);
  ROW(0x111); // row_shr
  ROW(0x118);
  ROW(0x121); // row_ror
  ROW(0x12d);
  ROW(0x130); // wave_shl
  ROW(0x134); // wave_rol
  ROW(0x138); // wave_shr
  ROW(0x13c); // wave_ror
  ROW(0x140); // row_mirror
  ROW(0x141); // row_half_mirror
  ROW(0x142); // row_bcast:15
  ROW(0x143); // row_bcast:31
  ROW(0x150); // row_newbcast
  ROW(0x15b);
  ZERO(0x102);
  ZERO(0x113);
  ZERO(0x126);
  ZERO(0x130);
  ZERO(0x138);
  ZERO(0x4e);
  MASKED(0x4e);
  MASKED(0x112);
  MASKED(0x140);
  MASKED(0x15c);
  // Forms that the compiler folds into the arithmetic.
  PUT(x + WAVE_DPP(0, x, 0x111, 0xf, 0xf, 1));
  PUT((x & 0xffff) * (WAVE_DPP(0, x, 0xb1, 0xf, 0xf, 1) & 0xff));
  PUT(x ^ WAVE_DPP(0, x, 0x141, 0xf, 0xf, 1));
  f32 f = (f32)(s32)(x >> 8);
  PUT((u32)(s32)(f + BITCAST(f32, WAVE_DPP(0, BITCAST(u32, f), 0x128, 0xf, 0xf,
                                           1))));
  u32 other = WAVE_DPP(x, x, 0x4e, 0xf, 0xf, 0);
  PUT(x > other ? x : other);
  PUT(x - WAVE_DPP(0, x, 0x121, 0xf, 0xf, 1));
  // The sum of the wave, as compilers reduce it.
  u32 s = x;
  s += WAVE_DPP(0, s, 0x111, 0xf, 0xf, 1);
  s += WAVE_DPP(0, s, 0x112, 0xf, 0xf, 1);
  s += WAVE_DPP(0, s, 0x114, 0xf, 0xf, 1);
  s += WAVE_DPP(0, s, 0x118, 0xf, 0xf, 1);
  PUT(s);
  s += WAVE_DPP(0, s, 0x142, 0xa, 0xf, 0);
  s += WAVE_DPP(0, s, 0x143, 0xc, 0xf, 0);
  PUT(s);
  PUT(wave_read(s, wave_lanes() - 1));
  PUT(WAVE_DPP(x, x + 1, 0xe4, 0x5, 0x9, 0));
}
#undef PUT

//| for size in 64, 120:
//|     launch("swizzles", [inp("u32", size), out("u32", 8 * size)], block=size)
KERNEL(swizzles, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  u32 i = local_id(0), n = local_size(0), x = in[i], k = 0;
#define PUT(v) (out[n * k++ + i] = (v))
  PUT(WAVE_SWIZZLE(x, 0x041f)); // xor 1
  PUT(WAVE_SWIZZLE(x, 0x401f)); // xor 16
  PUT(WAVE_SWIZZLE(x, 0x7c1f)); // reverse
  PUT(WAVE_SWIZZLE(x, 0x0018)); // broadcast within 8
  PUT(WAVE_SWIZZLE(x, 0x00bc)); // and 28, or 5
  PUT(WAVE_SWIZZLE(x, 0x801b)); // quad_perm 3,2,1,0
  PUT(WAVE_SWIZZLE(x, 0x80b1));
  PUT(WAVE_SWIZZLE(x, 0x0c1c)); // and 28, xor 3
#undef PUT
}

// Stream compaction: what a wave keeps moves together.
//| launch("compaction", [inp("u32", 512), out("u32", 512), out("u32", 2)], block=256, grid=2)
KERNEL(compaction, (GLOBAL const u32 *, in), (GLOBAL u32 *, out),
       (GLOBAL u32 *, kept)) {
  SHARED u32 counts[4];
  u32 l = local_id(0), x = in[global_linear()], wave = l / WAVE;
  _Bool keep = x % 3 != 0;
  u64 mask = wave_ballot(keep);
  if (l % WAVE == 0)
    counts[wave] = (u32)__builtin_popcountl(mask);
  barrier();
  u32 before = wave_count_below(mask);
  for (u32 w = 0; w < wave; w++)
    before += counts[w];
  u32 total = counts[0] + counts[1] + counts[2] + counts[3];
  u32 to = keep ? before : total + l - before;
  out[group_id(0) * 256 + to] = x;
  if (!l)
    kept[group_id(0)] = total;
}

// Lanes leave a loop at different turns; those left still exchange.
//| launch("leader_loop", [inp("u32", 128, "below:9"), out("u32", 128)], block=128)
KERNEL(leader_loop, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  u32 i = local_id(0), x = in[i], r = 0;
  u64 left = ~0ul;
  _Bool waiting = 1;
  // Group equal values: one turn for each distinct value of the wave.
  for (u32 turn = 0; left; turn++) {
    u32 leader = (u32)__builtin_ctzl(left);
    u32 value = wave_shuffle(x, leader);
    _Bool mine = waiting && value == x;
    u64 group = wave_ballot(mine);
    if (mine) {
      r = turn * 1000 + (u32)__builtin_popcountl(group) * 10 +
          (wave_count_below(group) & 7);
      waiting = 0;
    }
    left &= ~group;
  }
  out[i] = r;
}
