// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Facts about the schedule from the note of a code object: the KV tile, the
/// work for one, and the file of the schedule.
#ifndef FMHAC_DRIVER_SCHEDULE_FACTS_H
#define FMHAC_DRIVER_SCHEDULE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

/// The entry of a kernel in the note of a code object (code_object.note, may be
/// NULL); `kernel` NULL: the first. NULL: there is none. What follows takes
/// both so.
const cJSON *note_entry(const cJSON *note, const char *kernel);

/// Whether the kernel rounds Q times the scale to Q's type: its schedule has
/// scale = q or start, and no function takes each score times the scale
/// (docs/compiler.md, Scale). False if the note does not say.
bool schedule_rounds_q(const cJSON *note, const char *kernel);

/// The tile of a workgroup: rows of Q, keys of K and V.
typedef struct kernel_tile {
  int64_t rows, keys; ///< 0: not known
  /// Of a workgroup for one tile, heads padded to the matrix instructions'
  /// sizes; 0: not known.
  double matrix_flops;
  /// Rows are those of the heads of Q that share one of K and V, in turn.
  bool packs_heads;
} kernel_tile;

/// Whether the kernel gives workgroup (x, y, z) tile x of head y of batch z, or
/// of head y of K and V if its tiles have rows of a group of heads:
/// its schedule has no order of the grid, or one that the mask leaves as it is
/// (docs/compiler.md, Grid).
bool schedule_keeps_places(const cJSON *note, const char *kernel);

kernel_tile kernel_tile_of(const cJSON *note, const char *kernel);

/// The file that the schedule was read from, malloc'ed; NULL if it is a
/// built-in one, whatever a file may call itself.
char *schedule_file_of(const cJSON *note, const char *kernel);

/// Adds "schedule_file"; `file` may be NULL and is null then.
void schedule_file_json(cJSON *object, const char *file);

/// An array of {schedule, when, schedule_file}, of the entries of a note, or of
/// a list such as "generic if Sk <= 256; dualwave" of what became of a
/// configuration. The caller deletes.
cJSON *schedule_entries_of_note(const cJSON *note);
cJSON *schedule_entries_of_list(const char *list, const cJSON *config);

/// Adds "schedule", such a list, "schedule_file", the file if there is one
/// entry, else null, and "entries", the array, which it takes.
void schedule_entries_json(cJSON *object, cJSON *entries);

/// "generic", or "generic (FILE)", of an object with "schedule" and, if it is
/// from a file, "schedule_file"; "generic (FILE) if Sk <= 256; dualwave" if it
/// has "entries". malloc'ed; NULL when memory is exhausted.
char *schedule_label(const cJSON *object);

#endif // FMHAC_DRIVER_SCHEDULE_FACTS_H
