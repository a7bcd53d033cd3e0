// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a gfx950 code object says about itself: metadata note, kernel
/// descriptors and, if fmhac made it, its own note. Reads the file format only;
/// nothing here depends on how a code object was compiled.
#ifndef FMHAC_DRIVER_CODE_OBJECT_H
#define FMHAC_DRIVER_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "files.h"

enum { CODE_LDS_BYTES = 163840 /**< of a compute unit of gfx950 */ };

/// One kernel: registers are counts a wave, memory is bytes.
typedef struct code_kernel {
  const char *name;         ///< borrowed from the metadata
  uint32_t vgprs;           ///< architectural
  uint32_t agprs;           ///< accumulation
  uint32_t allocated_vgprs; ///< of both files, granule included
  uint32_t sgprs;
  uint32_t vgpr_spills, sgpr_spills;
  uint32_t scratch_bytes; ///< a lane
  uint32_t lds_bytes;     ///< a workgroup, static
  /// Metadata or symbols say that a launch adds to it. That they do not says
  /// little: what has static LDS too shows it in its arguments only.
  bool dynamic_lds;
  uint32_t dynamic_lds_bytes; ///< what it adds: 0 unless the caller sets it
  uint32_t kernarg_bytes;
  uint32_t max_threads;   ///< of a workgroup
  const cJSON *arguments; ///< array of the metadata; NULL if it has none
} code_kernel;

typedef struct code_object {
  cJSON *metadata;      ///< NT_AMDGPU_METADATA; owned
  cJSON *note;          ///< fmhac's own; owned; NULL if it has none
  const char *target;   ///< "amdgcn-amd-amdhsa--gfx950"
  code_kernel *kernels; ///< owned
  size_t kernel_count;
} code_object;

/// False with a text if the bytes are no gfx950 code object.
bool code_object_read(const void *bytes, size_t size, code_object *out_object,
                      char error[ERROR_BYTES]);
void code_object_deinit(code_object *object);

/// How many fit on a compute unit of gfx950.
typedef struct occupancy {
  uint32_t waves_per_simd;    ///< resident, all limits taken together
  uint32_t workgroups_per_cu; ///< resident
  const char *limit;          ///< "registers", "lds" or "waves"
  /// Workgroups by each limit alone; LDS: 0 if the kernel has none.
  uint32_t by_registers, by_lds, by_waves;
  uint32_t waves; ///< of a workgroup
} occupancy;

/// `threads` work-items a workgroup.
occupancy occupancy_of(const code_kernel *kernel, uint32_t threads);

#endif // FMHAC_DRIVER_CODE_OBJECT_H
