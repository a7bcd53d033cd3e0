// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The memory of the device: disjoint segments at device addresses, each backed
/// by host memory.
#ifndef FMHAC_EMU_SPACE_H
#define FMHAC_EMU_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fmhac_emu.h"

/// Memory of the device. "AMD GPU specifications" (rocm.docs.amd.com,
/// reference/gpu-specs): MI355X, VRAM 288 GiB. All mapped bytes count.
#define EMU_MEMORY_BYTES (UINT64_C(288) << 30)

/// A tensor that a caller declared (tensor.h).
enum {
  EMU_TENSOR_NAME = 32, ///< bytes of a name, with its end
  EMU_AXIS_NAME = 16,
  /// Bytes of an element's text.
  EMU_ELEMENT_TEXT =
      EMU_TENSOR_NAME + FMHAC_EMU_TENSOR_AXES * (EMU_AXIS_NAME + 24),
};

typedef struct emu_tensor {
  char name[EMU_TENSOR_NAME];
  char axis[FMHAC_EMU_TENSOR_AXES][EMU_AXIS_NAME];
  uint32_t axes;
  uint64_t shape[FMHAC_EMU_TENSOR_AXES];
  uint64_t stride[FMHAC_EMU_TENSOR_AXES]; ///< bytes
  /// The axes with more than one element, by falling stride.
  uint32_t order[FMHAC_EMU_TENSOR_AXES], ordered;
  uint64_t offset; ///< of the first element, bytes from the segment's beginning
  uint32_t element_bytes;
  bool is_output;
  fmhac_emu_ragged ragged;
  uint32_t ragged_axis;
  uint64_t *ragged_rows; ///< owned
  uint64_t ragged_count;
} emu_tensor;

typedef struct emu_segment {
  uint64_t base, bytes;
  uint8_t *host;
  char *name;
  bool owned; ///< mapped by us (munmap)
  /// For each dword one bit per byte: it has been written. NULL if all bytes
  /// count as written.
  uint8_t *init;
  /// The same for bytes that this launch has written, in a segment that holds
  /// outputs; else NULL.
  uint8_t *written;
  emu_tensor *tensors; ///< declared in it
  size_t tensor_count;
  size_t mapped;
} emu_segment;

/// Sorted by base, disjoint.
typedef struct emu_space {
  emu_segment *segments;
  size_t count, capacity;
  uint64_t bytes; ///< of all segments
  /// Launches from the next on that fill in outputs together; 0: it does alone.
  uint32_t joined_launches;
  bool joined_partly; ///< a part of a grid was among them
  bool joined_begun;  ///< one of them has run
} emu_space;

/// The segment that contains [address, address + bytes), or NULL.
const emu_segment *emu_space_find(const emu_space *space, uint64_t address,
                                  uint64_t bytes);
/// Maps `bytes` at `base` (0: chosen, with guard gaps). `name` is copied.
/// Errors, with `text`: INVALID_INPUT, OUT_OF_MEMORY (of the device, of the
/// host).
fmhac_status emu_space_map(emu_space *space, const char *name, uint64_t base,
                           uint64_t bytes, char *text, size_t text_bytes,
                           uint64_t *out_base);
/// Starts to record which bytes of a fresh segment are written: none so far.
/// Errors: OUT_OF_MEMORY.
fmhac_status emu_space_track(emu_space *space, uint64_t base);
/// Every byte of every segment counts as written from here on.
void emu_space_forget(emu_space *space);
/// Starts to record which bytes are written in segments that hold outputs.
/// Errors: OUT_OF_MEMORY.
fmhac_status emu_space_watch_outputs(emu_space *space);
/// Stops it.
void emu_space_unwatch_outputs(emu_space *space);
/// Fills a fresh segment with one byte. A large segment takes host memory only
/// for the parts that are written later.
void emu_space_fill(emu_space *space, uint64_t base, uint8_t byte);
/// Unmaps the segment that starts at `base`; false if there is none.
bool emu_space_unmap(emu_space *space, uint64_t base);
void emu_space_free(emu_space *space);
/// Host address of [address, address + bytes), or NULL.
uint8_t *emu_space_host(const emu_space *space, uint64_t address,
                        uint64_t bytes);
/// The segment that contains a host address, or NULL: LDS and private memory
/// are not in a segment.
const emu_segment *emu_space_of_host(const emu_space *space,
                                     const uint8_t *host);
/// Number of bytes, at most `bytes`, mapped without a gap from `address` on.
uint64_t emu_space_mapped(const emu_space *space, uint64_t address,
                          uint64_t bytes);
/// A free address for `bytes` bytes, with guard gaps, such that a multiple of
/// 2^32 lies inside the buffer. A buffer of at most 512 bytes ends below that
/// multiple. Every other multiple of 2^32 stays unused. 0: no address is free.
uint64_t emu_space_place_across(const emu_space *space, uint64_t bytes);
#endif // FMHAC_EMU_SPACE_H
