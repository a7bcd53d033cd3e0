// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test --define=BUFFER=0 --define=SCOPE=0 %s
// RUN: %emu_test --define=BUFFER=0 --define=SCOPE=1 %s
// RUN: %emu_test --define=BUFFER=1 --define=SCOPE=0 %s
// RUN: %emu_test --define=BUFFER=1 --define=SCOPE=1 %s
//
// The integer atomics of 64 bits, global and through a descriptor, with the old value and
// without, of a compute unit's scope and of the system's (sc1, which changes no value).
// Source: CDNA4 ISA pseudocode GLOBAL_ATOMIC_*_X2, BUFFER_ATOMIC_*_X2; LLVM AMDGPUUsage, "Memory
// Model gfx942" (sc1).

//| BUFFER = globals().get("BUFFER", 0)
//| SCOPE = globals().get("SCOPE", 0)
//| a, b = pairs_u32(64, 44)
//| c, d = pairs_u32(64, 45)
//| inputs(a=a, b=b, c=c, d=d)
//| u = lambda lane: a[lane] | b[lane] << 32
//| v = lambda lane: c[lane] | d[lane] << 32
//| s64 = lambda x: x - (1 << 64) if x >> 63 else x
//| buffer("memory", bytes=64 * 8 * 32, fill=0)
//| kernarg(offset=16, buffer="memory")
//| OPS = {"add": lambda o, x: o + x, "sub": lambda o, x: o - x,
//|        "smin": lambda o, x: min(s64(o), s64(x)), "umin": min,
//|        "smax": lambda o, x: max(s64(o), s64(x)), "umax": max,
//|        "and": lambda o, x: o & x, "or": lambda o, x: o | x, "xor": lambda o, x: o ^ x,
//|        "swap": lambda o, x: x, "inc": lambda o, x: 0 if o >= x else o + 1,
//|        "dec": lambda o, x: x if o == 0 or o > x else o - 1}
//| for name, f in OPS.items():
//|     new = [f(u(l), v(l)) & U64 for l in LANE]
//|     expect64(name + " old", [u(l) for l in LANE])
//|     expect64(name + " new", new)
//|     expect64(name + " new, without the old value", new)
//| expect64("cmpswap old", [u(l) for l in LANE])
//| expect64("cmpswap new", [u(l) if l & 1 else v(l) for l in LANE])
//| matrix()
.ifndef BUFFER
.set BUFFER, 0
.endif
.ifndef SCOPE
.set SCOPE, 0
.endif
.include "prologue.inc"
.macro ATOMIC op, old, data, at, flags
.if BUFFER
  .if SCOPE
  buffer_atomic_\op\()_x2 \data, \at, s[8:11], 0 offen \flags sc1
  .else
  buffer_atomic_\op\()_x2 \data, \at, s[8:11], 0 offen \flags
  .endif
.else
  .ifb \old
    .if SCOPE
  global_atomic_\op\()_x2 \at, \data, s[8:9] sc1
    .else
  global_atomic_\op\()_x2 \at, \data, s[8:9]
    .endif
  .else
    .if SCOPE
  global_atomic_\op\()_x2 \old, \at, \data, s[8:9] sc0 sc1
    .else
  global_atomic_\op\()_x2 \old, \at, \data, s[8:9] sc0
    .endif
  .endif
.endif
.endm
// v[2:3] the old value, v[4:5] the operand, v6 the address of the lane
.macro STEP op
  global_store_dwordx2 v6, v[2:3], s[8:9]
  v_mov_b32_e32 v20, v4
  v_mov_b32_e32 v21, v5
  s_waitcnt vmcnt(0)
.if BUFFER
  ATOMIC \op, , v[20:21], v6, sc0
.else
  ATOMIC \op, v[20:21], v[4:5], v6
.endif
  s_waitcnt vmcnt(0)
  OUTPUT64 v20, v21
  global_load_dwordx2 v[22:23], v6, s[8:9]
  s_waitcnt vmcnt(0)
  OUTPUT64 v22, v23
  global_store_dwordx2 v6, v[2:3], s[8:9]
  s_waitcnt vmcnt(0)
  ATOMIC \op, , v[4:5], v6
  s_waitcnt vmcnt(0)
  global_load_dwordx2 v[22:23], v6, s[8:9]
  s_waitcnt vmcnt(0)
  OUTPUT64 v22, v23
.endm
KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 16
  INPUTS 2, 4, 0
  v_lshlrev_b32_e32 v6, 3, v0
  s_movk_i32 s10, 512
  s_mov_b32 s11, 0x00020000
  s_waitcnt vmcnt(0) lgkmcnt(0)
  STEP add
  STEP sub
  STEP smin
  STEP umin
  STEP smax
  STEP umax
  STEP and
  STEP or
  STEP xor
  STEP swap
  STEP inc
  STEP dec
  // v[24:25] new, v[26:27] compared: even lanes compare equal
  v_mov_b32_e32 v24, v4
  v_mov_b32_e32 v25, v5
  v_mov_b32_e32 v26, v2
  v_and_b32_e32 v27, 1, v0
  v_xor_b32_e32 v27, v27, v3
  global_store_dwordx2 v6, v[2:3], s[8:9]
  s_waitcnt vmcnt(0)
.if BUFFER
  ATOMIC cmpswap, , v[24:27], v6, sc0
  s_waitcnt vmcnt(0)
  OUTPUT64 v24, v25
.else
  ATOMIC cmpswap, v[20:21], v[24:27], v6
  s_waitcnt vmcnt(0)
  OUTPUT64 v20, v21
.endif
  global_load_dwordx2 v[22:23], v6, s[8:9]
  s_waitcnt vmcnt(0)
  OUTPUT64 v22, v23
END_KERNEL
