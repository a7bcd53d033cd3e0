// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A code object as one JSON object. `inspect --json` prints it; the text of
/// inspect and `--diff` are made from it.
#ifndef FMHAC_DRIVER_INSPECT_REPORT_H
#define FMHAC_DRIVER_INSPECT_REPORT_H

#include <stdint.h>

#include <cjson/cJSON.h>

#include "files.h"

/// {file, bytes, target, note, kernels: [{name, vgprs, agprs, allocated_vgprs,
/// sgprs, vgpr_spills, sgpr_spills, scratch_bytes, lds_bytes, lds_is_dynamic,
/// dynamic_lds_bytes, kernarg_bytes, max_threads, occupancy: {waves_per_simd,
/// workgroups_per_cu, limit, workgroups_by: {registers, lds, waves}},
/// arguments: [{name, offset, size, kind}], mix, loops: [{first_pc, last_pc,
/// header_pc, back_edges, depth, ranges: [[first_pc, last_pc]], mix,
/// mix_always, budget, in_flight}], remarks: [TEXT]}]}, where mix is
/// {instructions, CLASS: count, …} of the classes that occur and budget is that
/// of budget_json(); where it is null, the kernel has budget_error.
/// `dynamic_lds`: bytes that a launch adds to the static LDS; -1: not given,
/// and the occupancy of kernels that need some is null. NULL with a text on
/// failure; the caller deletes.
cJSON *inspect_report(const char *path, int64_t dynamic_lds,
                      char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_INSPECT_REPORT_H
