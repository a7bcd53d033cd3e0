// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resources and launch of a kernel, as a struct.
#include <stdio.h>

#include "descriptor.h"
#include "fmhac_inspect.h"
#include "kernel.h"
#include "require.h"

size_t fmhac_kernel_entry_count(const fmhac_kernel *kernel) {
  // A code object of this build holds one kernel.
  return kernel ? 1 : 0;
}

fmhac_status fmhac_kernel_get_info(const fmhac_kernel *kernel, size_t entry,
                                   fmhac_kernel_info *out_info) {
  fmhac_context *context = kernel ? kernel->context : NULL;
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(kernel), FMHAC_GIVEN(out_info));
  if (status == FMHAC_OK)
    status = FMHAC_REQUIRE_SIZE(context, out_info, fmhac_kernel_info, grid);
  if (status != FMHAC_OK)
    return status;
  if (entry >= fmhac_kernel_entry_count(kernel))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "facts of a kernel: expected an entry below %zu, found "
                      "%zu",
                      fmhac_kernel_entry_count(kernel), entry);
  fmhac_descriptor d;
  status = fmhac_descriptor_read(context, kernel->code, kernel->code_bytes,
                                 kernel->name, &d);
  if (status != FMHAC_OK)
    return status;
  const fmhac_config_values *c = &kernel->config;
  const char *dtype = fmhac_dtype_name(c->dtype);
  fmhac_kernel_info info = {.size = sizeof info,
                            .name = kernel->name,
                            .schedule = kernel->schedule,
                            .vgprs = d.vgprs,
                            .spills = d.spills,
                            .scratch_bytes = d.scratch_bytes,
                            .lds_bytes = d.lds_bytes,
                            .block_threads = kernel->block_threads,
                            .tile_rows = kernel->tile_m,
                            .head_dim_qk = (uint32_t)c->head_dim_qk,
                            .head_dim_v = (uint32_t)c->head_dim_v,
                            .q_dtype = dtype,
                            .k_dtype = dtype,
                            .v_dtype = dtype,
                            .o_dtype = fmhac_config_values_out_name(c),
                            .args_mask = kernel->required_args_mask};
  snprintf(info.grid[0], sizeof info.grid[0], "ceil(Sq / %u)", kernel->tile_m);
  snprintf(info.grid[1], sizeof info.grid[1], "Hq");
  snprintf(info.grid[2], sizeof info.grid[2], "B");
  return FMHAC_REQUIRE_OUT(context, out_info, fmhac_kernel_info, grid, &info);
}
