// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From tensors to a launch: every precondition of a kernel is checked here,
// with the number that breaks it, before anything is written. Kernels rely on
// it and check nothing.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "fmhac_abi.h"
#include "kernel.h"

enum {
  ALIGNMENT_BYTES = 16, ///< of bases and strides: the width of a vector load
  MAX_HEADS = 65535,    ///< kv_head_reciprocal is exact up to here
  MAX_GRID_YZ = 65535   ///< the least that HIP guarantees
};

/// Every byte offset inside one (batch, head) slice stays below this.
#define OFFSET_BOUND (UINT64_C(1) << 32)
/// Work-items of a grid dimension stay below this.
#define GRID_BOUND (UINT64_C(1) << 31)

#define GROUP(name) (UINT64_C(1) << FMHAC_ARGS_##name##_BIT)

/// A module of the kernel on one device.
typedef struct loaded_module {
  fmhac_rt_device *device; ///< borrowed
  fmhac_rt_module *module;
  struct loaded_module *next;
} loaded_module;

struct fmhac_plan {
  const fmhac_kernel *kernel; ///< borrowed: the kernel outlives the plan
  fmhac_problem max_problem;
  // Behind a pointer, so that launching a const plan may load a module.
  loaded_module **modules; ///< owned list
};

/// One tensor of a launch, for checks that are the same for all.
typedef struct tensor_view {
  const char *name;
  uint64_t address;
  fmhac_strides strides;
  uint32_t rows;
  uint64_t row_bytes; ///< of the elements of one row
} tensor_view;

enum { TENSOR_COUNT = 4 };

static uint64_t round_up(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

static uint64_t ceil_divide(uint64_t value, uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}

fmhac_strides fmhac_strides_bshd(uint32_t heads, uint32_t seqlen,
                                 uint32_t head_dim, uint32_t element_bytes) {
  uint64_t head = (uint64_t)head_dim * element_bytes;
  uint64_t row = head * heads;
  return (fmhac_strides){
      .batch_bytes = row * seqlen, .head_bytes = head, .row_bytes = row};
}

static uint64_t qk_row_bytes(const fmhac_kernel *kernel) {
  return (uint64_t)kernel->config.head_dim_qk *
         fmhac_dtype_bytes(kernel->config.dtype);
}

static uint64_t v_row_bytes(const fmhac_kernel *kernel) {
  return (uint64_t)kernel->config.head_dim_v *
         fmhac_dtype_bytes(kernel->config.dtype);
}

static uint64_t o_row_bytes(const fmhac_kernel *kernel) {
  return (uint64_t)kernel->config.head_dim_v *
         fmhac_config_values_out_bytes(&kernel->config);
}

/// Q, K, V and O of a launch, in this order.
static void view_tensors(const fmhac_kernel *kernel,
                         const fmhac_tensors *tensors,
                         tensor_view views[TENSOR_COUNT]) {
  const fmhac_problem *problem = &tensors->problem;
  views[0] = (tensor_view){"q", tensors->q, tensors->q_strides,
                           problem->seqlen_q, qk_row_bytes(kernel)};
  views[1] = (tensor_view){"k", tensors->k, tensors->k_strides,
                           problem->seqlen_kv, qk_row_bytes(kernel)};
  views[2] = (tensor_view){"v", tensors->v, tensors->v_strides,
                           problem->seqlen_kv, v_row_bytes(kernel)};
  views[3] = (tensor_view){"o", tensors->o, tensors->o_strides,
                           problem->seqlen_q, o_row_bytes(kernel)};
}

//===- Checks -------------------------------------------------------------===//

static fmhac_status check_problem(fmhac_context *context,
                                  const fmhac_problem *problem) {
  const struct {
    const char *name;
    uint32_t value;
  } sizes[] = {{"batch", problem->batch},
               {"heads", problem->heads_q},
               {"kv_heads", problem->heads_kv},
               {"seqlen_q", problem->seqlen_q},
               {"seqlen_kv", problem->seqlen_kv}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    if (sizes[i].value == 0)
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "problem: %s is 0, expected at least 1", sizes[i].name);
  if (problem->heads_q % problem->heads_kv)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "problem: heads %u is no multiple of kv_heads %u; each "
                      "K/V head serves heads/kv_heads heads of Q",
                      problem->heads_q, problem->heads_kv);
  if (problem->heads_q > MAX_HEADS)
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "problem: heads %u, a kernel takes at most %d",
                      problem->heads_q, MAX_HEADS);
  if (problem->batch > MAX_GRID_YZ)
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "problem: batch %u, a grid takes at most %d",
                      problem->batch, MAX_GRID_YZ);
  return FMHAC_OK;
}

static uint64_t grid_x(const fmhac_kernel *kernel,
                       const fmhac_problem *problem) {
  return ceil_divide(problem->seqlen_q, kernel->tile_m);
}

static fmhac_status check_grid(const fmhac_kernel *kernel,
                               const fmhac_problem *problem) {
  uint64_t threads = grid_x(kernel, problem) * kernel->block_threads;
  if (threads < GRID_BOUND)
    return FMHAC_OK;
  uint64_t most_rows =
      (GRID_BOUND - 1) / kernel->block_threads * kernel->tile_m;
  return fmhac_fail(kernel->context, FMHAC_UNSUPPORTED,
                    "problem: seqlen_q %u needs %" PRIu64 " work-items in x, "
                    "a grid holds fewer than %" PRIu64 ": at most %" PRIu64
                    " rows",
                    problem->seqlen_q, threads, GRID_BOUND, most_rows);
}

/// Proves that offsets of the slice stay below 2^32: a kernel forms offsets of
/// rows up to the next multiple of its tile and of the bytes of a row.
static fmhac_status check_offsets(const fmhac_kernel *kernel, const char *name,
                                  uint32_t rows, uint64_t row_stride,
                                  uint64_t row_bytes) {
  fmhac_context *context = kernel->context;
  uint64_t tile = kernel->row_rounding;
  uint64_t rounded = round_up(rows, tile);
  uint64_t room = OFFSET_BOUND - 1 - row_bytes;
  if (row_stride == 0 || rounded <= room / row_stride)
    return FMHAC_OK;
  uint64_t most_rows = room / row_stride / tile * tile;
  if (most_rows == 0)
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "tensor %s: row stride %" PRIu64 " bytes; %" PRIu64
                      " rows of it "
                      "must stay below %" PRIu64 " bytes (32-bit offsets): at "
                      "most %" PRIu64 " bytes",
                      name, row_stride, tile, OFFSET_BOUND,
                      room / tile / ALIGNMENT_BYTES * ALIGNMENT_BYTES);
  return fmhac_fail(context, FMHAC_UNSUPPORTED,
                    "tensor %s: %u rows of stride %" PRIu64 " bytes pass the "
                    "bound of %" PRIu64 " bytes (32-bit offsets): at most "
                    "%" PRIu64 " rows fit",
                    name, rows, row_stride, OFFSET_BOUND, most_rows);
}

static fmhac_status check_multiple(fmhac_context *context, const char *name,
                                   const char *what, uint64_t value) {
  if (value % ALIGNMENT_BYTES == 0)
    return FMHAC_OK;
  return fmhac_fail(context, FMHAC_UNSUPPORTED,
                    "tensor %s: %s is %" PRIu64 " (0x%" PRIx64 "), expected a "
                    "multiple of %d bytes; it is %" PRIu64 " past one",
                    name, what, value, value, ALIGNMENT_BYTES,
                    value % ALIGNMENT_BYTES);
}

static fmhac_status check_tensor(const fmhac_kernel *kernel,
                                 const tensor_view *view) {
  fmhac_context *context = kernel->context;
  if (!view->address)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "tensor %s: the address is null", view->name);
  const struct {
    const char *what;
    uint64_t value;
  } multiples[] = {{"the address", view->address},
                   {"the batch stride", view->strides.batch_bytes},
                   {"the head stride", view->strides.head_bytes},
                   {"the row stride", view->strides.row_bytes}};
  for (size_t i = 0; i < sizeof multiples / sizeof multiples[0]; ++i) {
    fmhac_status status = check_multiple(context, view->name, multiples[i].what,
                                         multiples[i].value);
    if (status != FMHAC_OK)
      return status;
  }
  return check_offsets(kernel, view->name, view->rows, view->strides.row_bytes,
                       view->row_bytes);
}

/// Workgroups write O without looking at each other: no two of its rows, heads
/// or batches may share a byte. With one of a kind its stride does not matter.
static fmhac_status check_output(fmhac_context *context,
                                 const tensor_view *view,
                                 const fmhac_problem *problem) {
  const struct {
    const char *what;
    uint32_t count;
    uint64_t stride_bytes;
  } dims[] = {{"rows", view->rows, view->strides.row_bytes},
              {"heads", problem->heads_q, view->strides.head_bytes},
              {"batches", problem->batch, view->strides.batch_bytes}};
  enum { DIMS = sizeof dims / sizeof dims[0] };
  for (int i = 0; i < DIMS; ++i)
    if (dims[i].count > 1 && dims[i].stride_bytes < view->row_bytes)
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "tensor %s: %s lie %" PRIu64
                        " bytes apart, expected at "
                        "least the %" PRIu64 " bytes of a row: its %s overlap",
                        view->name, dims[i].what, dims[i].stride_bytes,
                        view->row_bytes, dims[i].what);
  return FMHAC_OK;
}

static fmhac_status check_within(const fmhac_plan *plan,
                                 const fmhac_problem *problem) {
  const fmhac_problem *most = &plan->max_problem;
  const struct {
    const char *name;
    uint32_t value, most;
  } sizes[] = {{"batch", problem->batch, most->batch},
               {"heads", problem->heads_q, most->heads_q},
               {"kv_heads", problem->heads_kv, most->heads_kv},
               {"seqlen_q", problem->seqlen_q, most->seqlen_q},
               {"seqlen_kv", problem->seqlen_kv, most->seqlen_kv}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    if (sizes[i].value > sizes[i].most)
      return fmhac_fail(plan->kernel->context, FMHAC_INVALID_INPUT,
                        "launch: %s is %u, the plan was made for at most %u",
                        sizes[i].name, sizes[i].value, sizes[i].most);
  return FMHAC_OK;
}

/// LSE is there exactly if the kernel writes it.
static fmhac_status check_lse(const fmhac_kernel *kernel,
                              const fmhac_tensors *tensors) {
  bool wanted = kernel->required_args_mask & GROUP(LSE);
  if (wanted && !tensors->lse)
    return fmhac_fail(
        kernel->context, FMHAC_INVALID_INPUT,
        "tensor lse: the address is null, the kernel was compiled "
        "with lse");
  if (!wanted && tensors->lse)
    return fmhac_fail(
        kernel->context, FMHAC_INVALID_INPUT,
        "tensor lse: an address is given, the kernel was compiled "
        "without lse and would not write it");
  if (!wanted)
    return FMHAC_OK;
  fmhac_status status =
      check_multiple(kernel->context, "lse", "the address", tensors->lse);
  if (status == FMHAC_OK)
    status = check_multiple(kernel->context, "lse", "the batch stride",
                            tensors->lse_batch_stride_bytes);
  if (status == FMHAC_OK && tensors->lse_head_stride_bytes % sizeof(float))
    status = fmhac_fail(kernel->context, FMHAC_UNSUPPORTED,
                        "tensor lse: the head stride is %" PRIu64
                        ", expected a multiple of %zu bytes",
                        tensors->lse_head_stride_bytes, sizeof(float));
  return status;
}

static fmhac_status check_launch(const fmhac_plan *plan,
                                 const fmhac_tensors *tensors) {
  const fmhac_kernel *kernel = plan->kernel;
  fmhac_context *context = kernel->context;
  fmhac_status status = check_problem(context, &tensors->problem);
  if (status == FMHAC_OK)
    status = check_within(plan, &tensors->problem);
  if (status == FMHAC_OK)
    status = check_grid(kernel, &tensors->problem);
  if (status != FMHAC_OK)
    return status;
  if (!isfinite(tensors->scale))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "launch: scale is %g, expected a finite number",
                      (double)tensors->scale);
  tensor_view views[TENSOR_COUNT];
  view_tensors(kernel, tensors, views);
  for (int i = 0; i < TENSOR_COUNT && status == FMHAC_OK; ++i)
    status = check_tensor(kernel, &views[i]);
  if (status == FMHAC_OK)
    status = check_output(context, &views[3], &tensors->problem);
  if (status == FMHAC_OK)
    status = check_lse(kernel, tensors);
  return status;
}

//===- Plan ---------------------------------------------------------------===//

fmhac_status fmhac_plan_create(const fmhac_kernel *kernel,
                               const fmhac_problem *max_problem,
                               fmhac_plan **out_plan) {
  *out_plan = NULL;
  fmhac_context *context = kernel->context;
  if (max_problem->size < sizeof *max_problem)
    return fmhac_fail(
        context, FMHAC_INVALID_INPUT,
        "plan: fmhac_problem.size is %zu, expected %zu; set it to "
        "sizeof(fmhac_problem)",
        max_problem->size, sizeof *max_problem);
  if (kernel->required_args_mask & ~(GROUP(CORE) | GROUP(LSE)))
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "plan: the kernel needs argument groups 0x%" PRIx64
                      ", a launch fills in only 0x%" PRIx64,
                      kernel->required_args_mask, GROUP(CORE) | GROUP(LSE));
  if (!kernel->tile_m || !kernel->row_rounding || !kernel->block_threads)
    return fmhac_fail(context, FMHAC_INTERNAL,
                      "plan: kernel %s carries no launch geometry",
                      fmhac_kernel_get_name(kernel));
  fmhac_status status = check_problem(context, max_problem);
  if (status == FMHAC_OK)
    status = check_grid(kernel, max_problem);
  // The densest layout that there is: what does not fit then, never fits.
  const struct {
    const char *name;
    uint32_t rows;
    uint64_t row_bytes;
  } densest[] = {{"q", max_problem->seqlen_q, qk_row_bytes(kernel)},
                 {"k", max_problem->seqlen_kv, qk_row_bytes(kernel)},
                 {"v", max_problem->seqlen_kv, v_row_bytes(kernel)},
                 {"o", max_problem->seqlen_q, o_row_bytes(kernel)}};
  for (size_t i = 0;
       i < sizeof densest / sizeof densest[0] && status == FMHAC_OK; ++i)
    status = check_offsets(kernel, densest[i].name, densest[i].rows,
                           densest[i].row_bytes, densest[i].row_bytes);
  if (status != FMHAC_OK)
    return status;

  fmhac_plan *plan = calloc(1, sizeof *plan);
  loaded_module **modules = calloc(1, sizeof *modules);
  if (!plan || !modules) {
    free(plan);
    free(modules);
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY, "plan: no memory for it");
  }
  plan->kernel = kernel;
  plan->max_problem = *max_problem;
  plan->modules = modules;
  *out_plan = plan;
  return FMHAC_OK;
}

void fmhac_plan_destroy(fmhac_plan *plan) {
  if (!plan)
    return;
  for (loaded_module *entry = *plan->modules; entry;) {
    loaded_module *next = entry->next;
    fmhac_rt_module_unload(entry->device, entry->module);
    free(entry);
    entry = next;
  }
  free(plan->modules);
  free(plan);
}

size_t fmhac_plan_workspace_bytes(const fmhac_plan *plan) {
  // No kernel of this build needs scratch memory.
  (void)plan;
  return 0;
}

static void fill_arguments(const fmhac_kernel *kernel,
                           const fmhac_tensors *tensors, uint64_t workspace,
                           fmhac_kernel_args *args) {
  const fmhac_problem *problem = &tensors->problem;
  uint32_t group = problem->heads_q / problem->heads_kv;
  *args = (fmhac_kernel_args){
      .field_mask = GROUP(CORE),
      .q = tensors->q,
      .k = tensors->k,
      .v = tensors->v,
      .o = tensors->o,
      .batch = problem->batch,
      .heads_q = problem->heads_q,
      .heads_kv = problem->heads_kv,
      .seqlen_q = problem->seqlen_q,
      .seqlen_kv = problem->seqlen_kv,
      .scale = tensors->scale,
      .kv_head_reciprocal = ceil_divide(UINT64_C(1) << 32, group),
      .q_batch_stride = tensors->q_strides.batch_bytes,
      .q_head_stride = tensors->q_strides.head_bytes,
      .q_row_stride = tensors->q_strides.row_bytes,
      .k_batch_stride = tensors->k_strides.batch_bytes,
      .k_head_stride = tensors->k_strides.head_bytes,
      .k_row_stride = tensors->k_strides.row_bytes,
      .v_batch_stride = tensors->v_strides.batch_bytes,
      .v_head_stride = tensors->v_strides.head_bytes,
      .v_row_stride = tensors->v_strides.row_bytes,
      .o_batch_stride = tensors->o_strides.batch_bytes,
      .o_head_stride = tensors->o_strides.head_bytes,
      // Rows past the end are dropped because they lie past the extent: one row
      // needs a stride that puts the next there.
      .o_row_stride = problem->seqlen_q > 1
                          ? tensors->o_strides.row_bytes
                          : round_up(o_row_bytes(kernel), ALIGNMENT_BYTES),
      .workspace = workspace,
  };
  if (workspace)
    args->field_mask |= GROUP(WORKSPACE);
  if (kernel->required_args_mask & GROUP(LSE)) {
    args->field_mask |= GROUP(LSE);
    args->lse = tensors->lse;
    args->lse_batch_stride = tensors->lse_batch_stride_bytes;
    args->lse_head_stride = tensors->lse_head_stride_bytes;
  }
}

fmhac_status fmhac_plan_pack(const fmhac_plan *plan,
                             const fmhac_tensors *tensors, uint64_t workspace,
                             void *kernarg, size_t kernarg_capacity,
                             fmhac_rt_launch *out_launch) {
  const fmhac_kernel *kernel = plan->kernel;
  *out_launch = (fmhac_rt_launch){.size = sizeof *out_launch};
  if (tensors->size < sizeof *tensors)
    return fmhac_fail(kernel->context, FMHAC_INVALID_INPUT,
                      "launch: fmhac_tensors.size is %zu, expected %zu; set it "
                      "to sizeof(fmhac_tensors)",
                      tensors->size, sizeof *tensors);
  if (tensors->problem.size < sizeof tensors->problem)
    return fmhac_fail(
        kernel->context, FMHAC_INVALID_INPUT,
        "launch: fmhac_tensors.problem.size is %zu, expected %zu; "
        "set it to sizeof(fmhac_problem)",
        tensors->problem.size, sizeof tensors->problem);
  if (kernarg_capacity < sizeof(fmhac_kernel_args))
    return fmhac_fail(
        kernel->context, FMHAC_INVALID_INPUT,
        "launch: room for %zu bytes of kernel arguments, expected "
        "at least sizeof(fmhac_kernel_args) = %zu",
        kernarg_capacity, sizeof(fmhac_kernel_args));
  fmhac_status status = check_launch(plan, tensors);
  if (status != FMHAC_OK)
    return status;
  fmhac_kernel_args args;
  fill_arguments(kernel, tensors, workspace, &args);
  memcpy(kernarg, &args, sizeof args);
  out_launch->kernel = fmhac_kernel_get_name(kernel);
  out_launch->grid[0] = (uint32_t)grid_x(kernel, &tensors->problem);
  out_launch->grid[1] = tensors->problem.heads_q;
  out_launch->grid[2] = tensors->problem.batch;
  out_launch->block[0] = kernel->block_threads;
  out_launch->block[1] = out_launch->block[2] = 1;
  out_launch->kernarg = kernarg;
  out_launch->kernarg_bytes = sizeof args;
  return FMHAC_OK;
}

/// The kernel's module on the device, loaded on first use.
static fmhac_status get_module(const fmhac_plan *plan, fmhac_rt_device *device,
                               fmhac_rt_module **out_module) {
  *out_module = NULL;
  for (loaded_module *entry = *plan->modules; entry; entry = entry->next)
    if (entry->device == device) {
      *out_module = entry->module;
      return FMHAC_OK;
    }
  const fmhac_kernel *kernel = plan->kernel;
  loaded_module *entry = calloc(1, sizeof *entry);
  if (!entry)
    return fmhac_fail(kernel->context, FMHAC_OUT_OF_MEMORY,
                      "launch: no memory to remember the module of %s",
                      fmhac_kernel_get_name(kernel));
  entry->device = device;
  fmhac_status status = fmhac_rt_module_load(
      device, kernel->code, kernel->code_bytes, &entry->module);
  if (status != FMHAC_OK) {
    free(entry);
    return fmhac_fail(kernel->context, status, "launch: loading %s: %s",
                      fmhac_kernel_get_name(kernel),
                      fmhac_rt_last_error(device));
  }
  entry->next = *plan->modules;
  *plan->modules = entry;
  *out_module = entry->module;
  return FMHAC_OK;
}

fmhac_status fmhac_launch(const fmhac_plan *plan, fmhac_rt_device *device,
                          const fmhac_tensors *tensors, void *workspace,
                          void *stream) {
  fmhac_kernel_args args;
  fmhac_rt_launch launch;
  fmhac_rt_module *module;
  // Device addresses of the runtime are numbers; callers of HIP hold pointers.
  fmhac_status status = fmhac_plan_pack(plan, tensors, (uintptr_t)workspace,
                                        &args, sizeof args, &launch);
  if (status != FMHAC_OK)
    return status;
  status = get_module(plan, device, &module);
  if (status != FMHAC_OK)
    return status;
  launch.stream = stream;
  status = fmhac_rt_launch_kernel(device, module, &launch);
  if (status != FMHAC_OK)
    return fmhac_fail(plan->kernel->context, status, "launch: %s: %s",
                      launch.kernel, fmhac_rt_last_error(device));
  return FMHAC_OK;
}
