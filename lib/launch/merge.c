// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_merge.h: a kernel with the role merge, and its launches.
#include "fmhac_merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check_tensor.h"
#include "context.h"
#include "modules.h"
#include "plan_check.h"
#include "require.h"

struct fmhac_merge {
  const fmhac_kernel *kernel; ///< borrowed: the kernel outlives the merge
  fmhac_kernel *owned;        ///< the same, if the merge has a reference
  fmhac_launcher launcher;
  // Reached by a pointer, so that launching a const merge may load a module.
  fmhac_modules *modules; ///< owned
};

//===- Creating -----------------------------------------------------------===//

fmhac_status fmhac_merge_create(const fmhac_kernel *kernel,
                                fmhac_merge **out_merge) {
  FMHAC_CLEAR(out_merge);
  fmhac_context *context = kernel ? kernel->context : NULL;
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(kernel), FMHAC_GIVEN(out_merge));
  // Its entry is for all sizes.
  const fmhac_problem any = {sizeof any, 1, 1, 1, 1, 1, 0, 0};
  fmhac_launcher launcher;
  if (status == FMHAC_OK)
    status = fmhac_launcher_find(kernel, FMHAC_ROLE_MERGE, &any, &launcher);
  if (status != FMHAC_OK)
    return status;
  const fmhac_allocator a = fmhac_allocator_of(context);
  fmhac_merge *merge = fmhac_allocate(a, sizeof *merge);
  fmhac_modules *modules = fmhac_modules_create(context);
  if (!merge || !modules) {
    fmhac_release(a, merge);
    fmhac_modules_destroy(context, modules);
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY, "merge: no memory for it");
  }
  merge->kernel = kernel;
  merge->launcher = launcher;
  merge->modules = modules;
  *out_merge = merge;
  return FMHAC_OK;
}

/// The keys of a configuration that its merge depends on, as JSON, which the
/// caller frees; NULL when memory is exhausted.
static char *json_of(const fmhac_config_values *values) {
  fmhac_config_values merge;
  fmhac_config_values_init(&merge);
  merge.role = FMHAC_ROLE_MERGE;
  merge.lse = true;
  merge.head_dim_v = values->head_dim_v;
  // O has one type, however it came about.
  merge.dtype =
      values->dtype == FMHAC_DTYPE_F16 ? FMHAC_DTYPE_F16 : FMHAC_DTYPE_BF16;
  if (values->out_dtype == FMHAC_OUT_DTYPE_BF16)
    merge.dtype = FMHAC_DTYPE_BF16;
  else if (values->out_dtype == FMHAC_OUT_DTYPE_F16)
    merge.dtype = FMHAC_DTYPE_F16;
  else if (values->out_dtype != FMHAC_OUT_DTYPE_SAME) {
    merge.dtype = values->out_dtype == FMHAC_OUT_DTYPE_FP8 ? FMHAC_DTYPE_FP8
                                                           : FMHAC_DTYPE_BF16;
    merge.out_dtype = values->out_dtype;
  }
  merge.cu_seqlens_q = values->cu_seqlens_q;
  merge.seqlens_q = values->seqlens_q;
  return fmhac_config_values_print(&merge);
}

fmhac_status fmhac_merge_create_json(fmhac_context *context, const char *json,
                                     fmhac_merge **out_merge) {
  FMHAC_CLEAR(out_merge);
  fmhac_config *given = NULL, *config = NULL;
  fmhac_kernel *kernel = NULL;
  char *text = NULL;
  fmhac_status status = FMHAC_REQUIRE(
      context, FMHAC_GIVEN(context), FMHAC_GIVEN(json), FMHAC_GIVEN(out_merge));
  if (status == FMHAC_OK)
    status = fmhac_config_create_json(context, json, &given);
  if (status == FMHAC_OK && !(text = json_of(&given->values)))
    status = fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                        "merge: no memory for its configuration");
  if (status == FMHAC_OK)
    status = fmhac_config_create_json(context, text, &config);
  if (status == FMHAC_OK)
    status = fmhac_compile(context, config, &kernel);
  if (status == FMHAC_OK)
    status = fmhac_merge_create(kernel, out_merge);
  if (status == FMHAC_OK)
    (*out_merge)->owned = kernel;
  else
    fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  fmhac_config_destroy(given);
  free(text);
  return status;
}

void fmhac_merge_destroy(fmhac_merge *merge) {
  if (!merge)
    return;
  fmhac_context *context = merge->kernel->context;
  fmhac_kernel *owned = merge->owned;
  fmhac_modules_destroy(context, merge->modules);
  fmhac_release(fmhac_allocator_of(context), merge);
  fmhac_kernel_destroy(owned);
}

const fmhac_kernel *fmhac_merge_get_kernel(const fmhac_merge *merge) {
  return merge ? merge->kernel : NULL;
}

fmhac_status fmhac_merge_load(const fmhac_merge *merge,
                              fmhac_rt_device *device) {
  fmhac_status status = FMHAC_REQUIRE(merge ? merge->kernel->context : NULL,
                                      FMHAC_GIVEN(merge), FMHAC_GIVEN(device));
  return status == FMHAC_OK ? fmhac_modules_load(merge->modules, merge->kernel,
                                                 merge->launcher.entry, device)
                            : status;
}

//===- Launching ----------------------------------------------------------===//

static fmhac_status check_sizes(fmhac_context *context,
                                const fmhac_merge_tensors *t) {
  enum { MOST = 65535 }; // as of attention: heads, and workgroups in y
  const struct {
    const char *name;
    uint32_t value, most;
  } sizes[] = {{"batch", t->batch, MOST},
               {"heads_q", t->heads_q, MOST},
               {"seqlen_q", t->seqlen_q, INT32_MAX}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    if (!sizes[i].value)
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "merge: %s is 0, expected at least 1", sizes[i].name);
    if (sizes[i].value > sizes[i].most)
      return fmhac_fail(context, FMHAC_UNSUPPORTED,
                        "merge: %s %u, a kernel takes at most %u",
                        sizes[i].name, sizes[i].value, sizes[i].most);
  }
  // Rows of all heads are counted in 32 bits.
  if ((uint64_t)t->seqlen_q * t->heads_q > INT32_MAX)
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "merge: seqlen_q %u of heads_q %u, a kernel takes at "
                      "most %d rows of all heads: at most %d rows",
                      t->seqlen_q, t->heads_q, INT32_MAX,
                      (int)(INT32_MAX / t->heads_q));
  return FMHAC_OK;
}

static fmhac_status check_o(const fmhac_kernel *kernel, const char *name,
                            fmhac_device_ptr address,
                            const fmhac_strides *strides) {
  const bool packed = fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_Q));
  const struct {
    const char *what;
    uint64_t value;
  } multiples[] = {{"the batch stride", packed ? 0 : strides->batch_bytes},
                   {"the head stride", strides->head_bytes},
                   {"the row stride", strides->row_bytes}};
  fmhac_status status =
      fmhac_check_wanted(kernel, name, true, address, FMHAC_ALIGNMENT_BYTES);
  for (size_t i = 0;
       i < sizeof multiples / sizeof multiples[0] && status == FMHAC_OK; ++i)
    status = fmhac_check_multiple(kernel->context, name, multiples[i].what,
                                  multiples[i].value, FMHAC_ALIGNMENT_BYTES);
  return status;
}

static fmhac_status check_lse(const fmhac_kernel *kernel, const char *name,
                              fmhac_device_ptr address, uint64_t batch_bytes,
                              uint64_t head_bytes) {
  const bool packed = fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_Q));
  const fmhac_strides strides = {.batch_bytes = packed ? 0 : batch_bytes,
                                 .head_bytes = head_bytes};
  fmhac_status status =
      fmhac_check_wanted(kernel, name, true, address, sizeof(float));
  return status == FMHAC_OK
             ? fmhac_check_f32_strides(kernel->context, name, &strides)
             : status;
}

/// That no two workgroups write the same bytes.
static fmhac_status check_outputs(const fmhac_kernel *kernel,
                                  const fmhac_merge_tensors *t) {
  fmhac_context *context = kernel->context;
  const bool packed = fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_Q));
  const uint64_t row = fmhac_kernel_row_bytes(kernel).o;
  const uint64_t lse = (uint64_t)t->seqlen_q * sizeof(float);
  // Packed sequences of one row each are rows of one tensor too.
  const uint64_t rows =
      packed && t->batch > t->seqlen_q ? t->batch : t->seqlen_q;
  const uint64_t batches = packed ? 1 : t->batch;
  const struct {
    const char *name, *what;
    uint64_t count, stride_bytes, least_bytes;
  } kinds[] = {{"o", "rows", rows, t->o_strides.row_bytes, row},
               {"o", "heads", t->heads_q, t->o_strides.head_bytes, row},
               {"o", "batches", batches, t->o_strides.batch_bytes, row},
               {"lse", "heads", t->heads_q, t->lse_head_stride_bytes, lse},
               {"lse", "batches", batches, t->lse_batch_stride_bytes, lse}};
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && status == FMHAC_OK;
       ++i)
    status = fmhac_check_overlap(context, kinds[i].name, kinds[i].what,
                                 kinds[i].count, kinds[i].stride_bytes,
                                 kinds[i].least_bytes);
  return status;
}

static fmhac_status check_tensors(const fmhac_kernel *kernel,
                                  const fmhac_merge_tensors *t) {
  fmhac_context *context = kernel->context;
  fmhac_status status = check_o(kernel, "o", t->o, &t->o_strides);
  if (status == FMHAC_OK)
    status = check_o(kernel, "other_o", t->other_o, &t->other_o_strides);
  if (status == FMHAC_OK)
    status = check_lse(kernel, "lse", t->lse, t->lse_batch_stride_bytes,
                       t->lse_head_stride_bytes);
  if (status == FMHAC_OK)
    status = check_lse(kernel, "other_lse", t->other_lse,
                       t->other_lse_batch_stride_bytes,
                       t->other_lse_head_stride_bytes);
  if (status == FMHAC_OK)
    status = fmhac_check_presence(kernel, "cu_seqlens_q", FMHAC_GROUP(VARLEN_Q),
                                  t->cu_seqlens_q, sizeof(int32_t));
  if (status == FMHAC_OK)
    status = fmhac_check_presence(kernel, "seqlens_q", FMHAC_GROUP(LENGTHS_Q),
                                  t->seqlens_q, sizeof(int32_t));
  if (status == FMHAC_OK)
    status = check_outputs(kernel, t);
  if (status == FMHAC_OK && (t->o == t->other_o || t->lse == t->other_lse))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "merge: expected two results, found the same address for "
                      "%s and other_%s",
                      t->o == t->other_o ? "o" : "lse",
                      t->o == t->other_o ? "o" : "lse");
  return status;
}

static void fill_arguments(const fmhac_kernel *kernel, const fmhac_entry *entry,
                           const fmhac_merge_tensors *t,
                           fmhac_kernel_args *args) {
  const bool packed = fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_Q));
  *args = (fmhac_kernel_args){
      .field_mask = entry->required_args,
      .o = t->o,
      .batch = t->batch,
      .heads_q = t->heads_q,
      .seqlen_q = t->seqlen_q,
      .o_batch_stride = packed ? 0 : t->o_strides.batch_bytes,
      .o_head_stride = t->o_strides.head_bytes,
      .o_row_stride = t->o_strides.row_bytes,
      .lse = t->lse,
      .lse_batch_stride = packed ? 0 : t->lse_batch_stride_bytes,
      .lse_head_stride = t->lse_head_stride_bytes,
      .cu_seqlens_q = t->cu_seqlens_q,
      .seqlens_q = t->seqlens_q,
      .other_o = t->other_o,
      .other_lse = t->other_lse,
      .other_o_batch_stride = packed ? 0 : t->other_o_strides.batch_bytes,
      .other_o_head_stride = t->other_o_strides.head_bytes,
      .other_o_row_stride = t->other_o_strides.row_bytes,
      .other_lse_batch_stride = packed ? 0 : t->other_lse_batch_stride_bytes,
      .other_lse_head_stride = t->other_lse_head_stride_bytes};
}

fmhac_status fmhac_merge_launch(const fmhac_merge *merge,
                                fmhac_rt_device *device,
                                const fmhac_merge_tensors *tensors,
                                void *stream) {
  fmhac_context *context = merge ? merge->kernel->context : NULL;
  fmhac_merge_tensors t;
  fmhac_status status = FMHAC_REQUIRE(
      context, FMHAC_GIVEN(merge), FMHAC_GIVEN(device), FMHAC_GIVEN(tensors));
  if (status == FMHAC_OK)
    status =
        FMHAC_REQUIRE_IN(context, &t, fmhac_merge_tensors, seqlens_q, tensors);
  if (status == FMHAC_OK)
    status = check_sizes(context, &t);
  if (status == FMHAC_OK)
    status = check_tensors(merge->kernel, &t);
  const fmhac_entry *entry = status == FMHAC_OK ? merge->launcher.entry : NULL;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch,
                            .kernarg = &args,
                            .kernarg_bytes = sizeof args,
                            .stream = stream};
  const fmhac_problem problem = {
      sizeof problem, t.batch,    t.heads_q, t.heads_q,
      t.seqlen_q,     t.seqlen_q, 0,         0};
  if (status == FMHAC_OK)
    status =
        fmhac_launcher_grid(context, &merge->launcher, &problem, launch.grid);
  if (status != FMHAC_OK)
    return status;
  fill_arguments(merge->kernel, entry, &t, &args);
  launch.kernel = entry->kernel;
  launch.block[0] = entry->block_threads;
  launch.block[1] = launch.block[2] = 1;
  return fmhac_modules_launch(merge->modules, merge->kernel, entry, device,
                              &launch);
}
