// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// For readers of code object notes in compiler, command and emulator.
#ifndef FMHAC_WHOLE_MSGPACK_H
#define FMHAC_WHOLE_MSGPACK_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Whether `bytes` begin with one complete value. msgpack-c allocates as many
/// elements as a header announces before it reads the first. For a complete
/// value that memory is in proportion to `size`. Source: MessagePack
/// specification, "Formats".
static inline bool fmhac_is_whole_value(const uint8_t *bytes, size_t size) {
  // Tags 0xc0 to 0xdf: bytes of the length that follows, bytes besides it, and
  // for arrays and maps how many values the length counts for each.
  static const struct {
    uint8_t length_bytes, fixed_bytes, values;
  } forms[32] = {
      [0x04] = {1, 0, 0}, [0x05] = {2, 0, 0},  [0x06] = {4, 0, 0}, // bin
      [0x07] = {1, 1, 0}, [0x08] = {2, 1, 0},  [0x09] = {4, 1, 0}, // ext
      [0x0a] = {0, 4, 0}, [0x0b] = {0, 8, 0},                      // float
      [0x0c] = {0, 1, 0}, [0x0d] = {0, 2, 0},  [0x0e] = {0, 4, 0},
      [0x0f] = {0, 8, 0}, [0x10] = {0, 1, 0},  [0x11] = {0, 2, 0},
      [0x12] = {0, 4, 0}, [0x13] = {0, 8, 0}, // uint, int
      [0x14] = {0, 2, 0}, [0x15] = {0, 3, 0},  [0x16] = {0, 5, 0},
      [0x17] = {0, 9, 0}, [0x18] = {0, 17, 0},                     // fixext
      [0x19] = {1, 0, 0}, [0x1a] = {2, 0, 0},  [0x1b] = {4, 0, 0}, // str
      [0x1c] = {2, 0, 1}, [0x1d] = {4, 0, 1},                      // array
      [0x1e] = {2, 0, 2}, [0x1f] = {4, 0, 2}};                     // map
  size_t at = 0;
  for (uint64_t expected = 1; expected; --expected) {
    if (expected > size - at) // every value takes a byte at least
      return false;
    uint8_t tag = bytes[at++];
    uint64_t payload = 0;
    if (tag >= 0x80 && tag < 0xa0) {
      expected += (uint64_t)(tag & 15) * (tag < 0x90 ? 2 : 1);
    } else if (tag >= 0xa0 && tag < 0xc0) {
      payload = tag & 31;
    } else if (tag >= 0xc0 && tag < 0xe0) {
      uint64_t length = 0;
      if (forms[tag & 31].length_bytes > size - at)
        return false;
      for (int i = 0; i < forms[tag & 31].length_bytes; ++i)
        length = length << 8 | bytes[at++];
      expected += length * forms[tag & 31].values;
      payload = forms[tag & 31].fixed_bytes;
      payload += forms[tag & 31].values ? 0 : length;
    }
    if (payload > size - at)
      return false;
    at += (size_t)payload;
  }
  return true;
}

/// Reads `bytes` if they are one complete value and nothing else. The caller
/// destroys `out_unpacked` in either case.
static inline bool fmhac_unpack_whole(const char *bytes, size_t size,
                                      msgpack_unpacked *out_unpacked) {
  size_t end = 0;
  msgpack_unpacked_init(out_unpacked);
  return fmhac_is_whole_value((const uint8_t *)bytes, size) &&
         msgpack_unpack_next(out_unpacked, bytes, size, &end) ==
             MSGPACK_UNPACK_SUCCESS &&
         end == size;
}

/// The value of a key of a map, the first; NULL: it has none, or is no map.
static inline const msgpack_object *
fmhac_msgpack_find(const msgpack_object *map, const char *key) {
  const size_t bytes = strlen(key);
  for (uint32_t i = 0; map->type == MSGPACK_OBJECT_MAP && i < map->via.map.size;
       ++i) {
    const msgpack_object_kv *pair = &map->via.map.ptr[i];
    if (pair->key.type == MSGPACK_OBJECT_STR &&
        pair->key.via.str.size == bytes &&
        memcmp(pair->key.via.str.ptr, key, bytes) == 0)
      return &pair->val;
  }
  return NULL;
}

#endif // FMHAC_WHOLE_MSGPACK_H
