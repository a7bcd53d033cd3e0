// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An entry: one kernel of a code object, and what launches need to know of it.
/// The note of the code object, the kept artefact and fmhac_kernel have it in
/// this form.
#ifndef FMHAC_LIB_ENTRY_H
#define FMHAC_LIB_ENTRY_H

#include <msgpack.h>
#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/// Bytes of a kernel's symbol, its terminator included.
#define FMHAC_KERNEL_NAME_BYTES 128
/// Bytes of the name of a schedule, its terminator included.
#define FMHAC_SCHEDULE_NAME_BYTES 128

typedef struct fmhac_entry {
  char kernel[FMHAC_KERNEL_NAME_BYTES]; ///< symbol without ".kd"
  /// Its name; "" of a role that has no schedule.
  char schedule[FMHAC_SCHEDULE_NAME_BYTES];
  fmhac_role role;
  /// Workgroups in x, y and z, and the sizes for which it is the kernel; ""
  /// for `when`: all. In the words of launch_expr.h.
  char grid[3][FMHAC_LAUNCH_TEXT_BYTES], when[FMHAC_LAUNCH_TEXT_BYTES];
  uint32_t block_threads; ///< work-items of a workgroup, all in x
  uint32_t tile_m;        ///< rows of Q of a workgroup; 1 of other roles
  uint32_t tile_n; ///< keys of K and V of a step over them; 0 of other roles
  /// Tile rows of Q or keys, the larger: offsets of rows up to this multiple
  /// are formed, of V up to the next.
  uint32_t row_rounding;
  /// Static LDS of a workgroup, as in the descriptor; not in the map below,
  /// because the note is written before code is generated.
  uint32_t lds_bytes;
  /// FLOP of a workgroup's matrix instructions in a step over keys, with heads
  /// as wide as these instructions take them.
  uint64_t matrix_flops;
  uint64_t required_args; ///< bits FMHAC_ARGS_*_BIT of the groups that it reads
  /// The schedule's words for where the scale is applied, and for which
  /// workgroup takes which rows.
  char scale[16], order[16];
} fmhac_entry;

/// Whether tiles have rows of a group of heads.
bool fmhac_entry_packs_heads(const fmhac_entry *entry);

/// Pairs of the map below, without those of the caller.
enum { FMHAC_ENTRY_PAIRS = 13 };

/// Packs a map of all fields but `lds_bytes`, open for one pair of the
/// caller's.
void fmhac_entry_pack(msgpack_packer *packer, const fmhac_entry *entry);

/// Reads a map that has every such field, and perhaps others; without a role it
/// is one of attention, as all were once. False: it lacks
/// the field `out_key`, or has another kind of value there. Whether the values
/// fit each other is not checked.
bool fmhac_entry_read(const msgpack_object *map, fmhac_entry *out,
                      const char **out_key);

#endif // FMHAC_LIB_ENTRY_H
