// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// LAUNCH.json: kernels in order and the memory for their launches (described
/// by `fmhac emu
/// --help`). Parsing only; emulation.c executes. Paths in the result are
/// already relative to the current directory.
#ifndef FMHAC_DRIVER_LAUNCH_JSON_H
#define FMHAC_DRIVER_LAUNCH_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launch_tensors.h"

typedef struct launch_buffer {
  char *name;
  uint64_t bytes; ///< 0 with a file and no "bytes": the file's size
  bool has_bytes;
  uint64_t base; ///< 0: the emulator places it
  bool has_fill;
  uint8_t fill;
  char *file; ///< starting contents, or NULL
  char *out;  ///< where to write the final contents, or NULL
} launch_buffer;

typedef enum launch_value {
  LAUNCH_BUFFER, ///< address of buffer `index`, plus `bits`
  LAUNCH_BITS    ///< `bits`, `bytes` of them
} launch_value;

typedef struct launch_argument {
  launch_value kind;
  uint32_t offset, bytes;
  size_t index;
  uint64_t bits;
} launch_argument;

/// The start of one kernel.
typedef struct launch_start {
  char *kernel; ///< NULL: the only one
  uint32_t grid[3], block[3];
  uint32_t dynamic_lds;
  launch_argument *arguments;
  size_t argument_count;
  char *kernarg_file; ///< instead of arguments, or NULL
  bool has_kernarg_bytes;
  uint32_t kernarg_bytes;
  uint32_t (*workgroups)[3]; ///< those to run; NULL: all
  size_t workgroup_count;
} launch_start;

typedef struct launch_description {
  char *code_object;
  launch_buffer *buffers;
  size_t buffer_count;
  launch_tensor *tensors;
  size_t tensor_count;
  launch_start *starts; ///< in order; at least one
  size_t start_count;
  bool has_list; ///< they were given as "launches"
} launch_description;

/// Parses `text` (`text_bytes` of it, and a zero after it), found at `path`. On
/// failure returns false and writes one message, without newline, into `error`.
/// The result is valid for launch_description_free() either way.
bool launch_description_parse(const char *path, const char *text,
                              size_t text_bytes, launch_description *out,
                              char *error, size_t error_bytes);
void launch_description_free(launch_description *launch);

#endif // FMHAC_DRIVER_LAUNCH_JSON_H
