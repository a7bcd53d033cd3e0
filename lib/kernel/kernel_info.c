// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resources and launch of an entry, as a struct.
#include "descriptor.h"
#include "fmhac_inspect.h"
#include "kernel.h"
#include "require.h"

size_t fmhac_kernel_entry_count(const fmhac_kernel *kernel) {
  return kernel ? kernel->entry_count : 0;
}

fmhac_status fmhac_kernel_get_info(const fmhac_kernel *kernel, size_t entry,
                                   fmhac_kernel_info *out_info) {
  fmhac_context *context = kernel ? kernel->context : NULL;
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(kernel), FMHAC_GIVEN(out_info));
  if (status == FMHAC_OK)
    status = FMHAC_REQUIRE_SIZE(context, out_info, fmhac_kernel_info, when);
  if (status != FMHAC_OK)
    return status;
  if (entry >= fmhac_kernel_entry_count(kernel))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "facts of a kernel: expected an entry below %zu, found "
                      "%zu",
                      fmhac_kernel_entry_count(kernel), entry);
  const fmhac_entry *e = &kernel->entries[entry];
  fmhac_descriptor d;
  status = fmhac_descriptor_read(context, kernel->code, kernel->code_bytes,
                                 e->kernel, &d);
  if (status != FMHAC_OK)
    return status;
  const fmhac_config_values *c = &kernel->config;
  fmhac_kernel_info info = {
      .size = sizeof info,
      .name = e->kernel,
      .schedule = e->schedule,
      .vgprs = d.vgprs,
      .spills = d.spills,
      .scratch_bytes = d.scratch_bytes,
      .lds_bytes = d.lds_bytes,
      .block_threads = e->block_threads,
      .tile_rows = e->tile_m,
      .head_dim_qk = (uint32_t)c->head_dim_qk,
      .head_dim_v = (uint32_t)c->head_dim_v,
      .q_dtype = fmhac_dtype_name(c->dtype),
      .k_dtype = fmhac_operand_dtype_name(c->k_dtype, c->dtype),
      .v_dtype = fmhac_operand_dtype_name(c->v_dtype, c->dtype),
      .o_dtype = fmhac_config_values_out_name(c),
      .args_mask = e->required_args,
      .grid = {e->grid[0], e->grid[1], e->grid[2]},
      .when = e->when,
      .role = fmhac_role_name(e->role)};
  return FMHAC_REQUIRE_OUT(context, out_info, fmhac_kernel_info, when, &info);
}
