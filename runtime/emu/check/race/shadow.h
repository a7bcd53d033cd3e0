// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The last accesses to a part of memory. Each cell (a dword, or a byte where
/// dwords are shared) has records of its last writer, of two readers and of two
/// atomic updaters; the two are different waves. Two readers are enough: a wave
/// that writes differs from at least one of them.
///
/// A key is an epoch and a wave. An epoch begins at a barrier, which all waves
/// of a workgroup reach. So two accesses of one workgroup are ordered iff they
/// are in different epochs or of one wave. Epochs are not reused, so nothing is
/// cleared between workgroups.
#ifndef FMHAC_EMU_SHADOW_H
#define FMHAC_EMU_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"

enum {
  EMU_KEY_WAVE_BITS = 8,
  /// Keys stay below 2^31: hosts compare signed numbers faster.
  EMU_KEY_EPOCHS = 1 << (31 - EMU_KEY_WAVE_BITS),
};
static inline uint32_t emu_key(uint32_t epoch, uint32_t wave) {
  return epoch << EMU_KEY_WAVE_BITS | wave;
}
/// Another wave in the same epoch.
static inline bool emu_key_conflicts(uint32_t a, uint32_t b) {
  uint32_t x = a ^ b;
  return x - 1 < (1u << EMU_KEY_WAVE_BITS) - 1;
}
static inline bool emu_key_same_epoch(uint32_t a, uint32_t b) {
  return (a ^ b) >> EMU_KEY_WAVE_BITS == 0;
}

/// A site, beside each key: the instruction, as an index into the program.
enum {
  /// The access was still outstanding when this epoch began.
  EMU_SITE_HELD = 1u << 31,
  /// Of memory: other workgroups know of it.
  EMU_SITE_SETTLED = 1u << 30,
};

/// The planes of a shadow.
enum {
  EMU_SHADOW_WRITE,
  EMU_SHADOW_READ,
  EMU_SHADOW_READ2,
  EMU_SHADOW_ATOMIC,
  EMU_SHADOW_ATOMIC2,
  EMU_SHADOW_PLANES
};

/// `cells` records per plane. Keys and sites are separate arrays, because most
/// checks read keys only.
typedef struct emu_shadow {
  uint32_t *key[EMU_SHADOW_PLANES];
  uint32_t *site[EMU_SHADOW_PLANES];
} emu_shadow;

/// The first conflict of an access: the cell, and the conflicting record.
typedef struct emu_conflict {
  bool found;
  uint32_t key, site;
  emu_access_kind kind;
  size_t cell;
} emu_conflict;

/// Divides `memory` of emu_shadow_bytes(cells), zeroed, among the planes.
static inline size_t emu_shadow_bytes(size_t cells) {
  return cells * 2 * EMU_SHADOW_PLANES * sizeof(uint32_t);
}
static inline emu_shadow emu_shadow_at(void *memory, size_t cells) {
  emu_shadow s;
  uint32_t *at = memory;
  for (int i = 0; i < EMU_SHADOW_PLANES; i++) {
    s.key[i] = at + (size_t)i * cells;
    s.site[i] = at + (size_t)(EMU_SHADOW_PLANES + i) * cells;
  }
  return s;
}

static inline void emu_shadow_set(const emu_shadow *s, int plane, size_t cell,
                                  uint32_t key, uint32_t site) {
  s->key[plane][cell] = key;
  s->site[plane][cell] = site;
}

// Adds a record to the first of two planes, or to the second if the first holds
// another wave of this epoch.
static inline void emu_shadow_add(const emu_shadow *s, int plane, size_t cell,
                                  uint32_t key, uint32_t site) {
  uint32_t first = s->key[plane][cell];
  if (first != key)
    emu_shadow_set(s, plane + emu_key_same_epoch(first, key), cell, key, site);
  else if (s->site[plane][cell] & EMU_SITE_SETTLED)
    s->site[plane][cell] = site;
}

static inline void emu_shadow_test(const emu_shadow *s, int plane, size_t cell,
                                   uint32_t key, emu_access_kind kind,
                                   emu_conflict *out) {
  uint32_t other = s->key[plane][cell];
  if (__builtin_expect(emu_key_conflicts(other, key), 0) && !out->found)
    *out = (emu_conflict){true, other, s->site[plane][cell], kind, cell};
}

/// Records an access to a cell. `out`, empty at first, gets a conflict with a
/// record of the cell. `atomics`: an atomic was recorded in this epoch.
static inline void emu_shadow_touch(const emu_shadow *s, size_t cell,
                                    uint32_t key, uint32_t site,
                                    emu_access_kind kind, bool atomics,
                                    emu_conflict *out) {
  emu_shadow_test(s, EMU_SHADOW_WRITE, cell, key, EMU_ACCESS_WRITE, out);
  if (kind == EMU_ACCESS_WRITE) {
    emu_shadow_test(s, EMU_SHADOW_READ, cell, key, EMU_ACCESS_READ, out);
    emu_shadow_test(s, EMU_SHADOW_READ2, cell, key, EMU_ACCESS_READ, out);
  }
  if (atomics && kind == EMU_ACCESS_WRITE) {
    emu_shadow_test(s, EMU_SHADOW_ATOMIC, cell, key, EMU_ACCESS_ATOMIC, out);
    emu_shadow_test(s, EMU_SHADOW_ATOMIC2, cell, key, EMU_ACCESS_ATOMIC, out);
  }
  if (kind == EMU_ACCESS_WRITE)
    emu_shadow_set(s, EMU_SHADOW_WRITE, cell, key, site);
  else
    emu_shadow_add(
        s, kind == EMU_ACCESS_READ ? EMU_SHADOW_READ : EMU_SHADOW_ATOMIC, cell,
        key, site);
}

#endif // FMHAC_EMU_SHADOW_H
