// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From tensors to a launch. Preconditions are plan_check.c's.
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "plan_check.h"

/// A module of the kernel on one device.
typedef struct loaded_module {
  fmhac_rt_device *device; ///< borrowed
  fmhac_rt_module *module;
  struct loaded_module *next;
} loaded_module;

/// The modules of a plan. Entries come in front and stay: launching walks the
/// list without a lock, which only loading takes.
typedef struct loaded_modules {
  _Atomic(loaded_module *) first;
  pthread_mutex_t loading;
} loaded_modules;

struct fmhac_plan {
  const fmhac_kernel *kernel; ///< borrowed: the kernel outlives the plan
  fmhac_problem max_problem;
  // Behind a pointer, so that launching a const plan may load a module.
  loaded_modules *modules; ///< owned
};

fmhac_strides fmhac_strides_bshd(uint32_t heads, uint32_t seqlen,
                                 uint32_t head_dim, uint32_t element_bytes) {
  uint64_t head = (uint64_t)head_dim * element_bytes;
  uint64_t row = head * heads;
  return (fmhac_strides){
      .batch_bytes = row * seqlen, .head_bytes = head, .row_bytes = row};
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
  if (kernel->required_args_mask & ~FMHAC_KNOWN_GROUPS)
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "plan: the kernel needs argument groups 0x%" PRIx64
                      ", a launch fills in only 0x%" PRIx64,
                      kernel->required_args_mask, FMHAC_KNOWN_GROUPS);
  if (!kernel->tile_m || !kernel->row_rounding || !kernel->block_threads)
    return fmhac_fail(context, FMHAC_INTERNAL,
                      "plan: kernel %s carries no launch geometry",
                      fmhac_kernel_get_name(kernel));
  fmhac_status status = fmhac_check_max_problem(kernel, max_problem);
  if (status != FMHAC_OK)
    return status;

  fmhac_plan *plan = calloc(1, sizeof *plan);
  loaded_modules *modules = calloc(1, sizeof *modules);
  if (!plan || !modules) {
    free(plan);
    free(modules);
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY, "plan: no memory for it");
  }
  plan->kernel = kernel;
  plan->max_problem = *max_problem;
  pthread_mutex_init(&modules->loading, NULL);
  plan->modules = modules;
  *out_plan = plan;
  return FMHAC_OK;
}

void fmhac_plan_destroy(fmhac_plan *plan) {
  if (!plan)
    return;
  for (loaded_module *entry = plan->modules->first; entry;) {
    loaded_module *next = entry->next;
    fmhac_rt_module_unload(entry->device, entry->module);
    free(entry);
    entry = next;
  }
  pthread_mutex_destroy(&plan->modules->loading);
  free(plan->modules);
  free(plan);
}

size_t fmhac_plan_workspace_bytes(const fmhac_plan *plan) {
  // No kernel of this build needs scratch memory.
  (void)plan;
  return 0;
}

/// Rows past the end of O are dropped because they lie past the extent: one row
/// needs a stride that puts the next there.
static uint64_t o_row_stride(const fmhac_kernel *kernel,
                             const fmhac_tensors *tensors) {
  bool packed = fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_Q));
  if (tensors->problem.seqlen_q > 1 || (packed && tensors->problem.batch > 1))
    return tensors->o_strides.row_bytes;
  return fmhac_round_up(fmhac_o_row_bytes(kernel), FMHAC_ALIGNMENT_BYTES);
}

static void fill_arguments(const fmhac_kernel *kernel,
                           const fmhac_tensors *tensors, uint64_t workspace,
                           fmhac_kernel_args *args) {
  const fmhac_problem *problem = &tensors->problem;
  uint32_t group = problem->heads_q / problem->heads_kv;
  bool q_packed = fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_Q));
  bool kv_packed = fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_KV));
  // What the kernel does not take is zero: the checks made sure of the
  // addresses, and a stride without its tensor means nothing.
  bool lse = tensors->lse, alibi = tensors->alibi_slopes, bias = tensors->bias;
  *args = (fmhac_kernel_args){
      .field_mask = kernel->required_args_mask | FMHAC_GROUP(CORE) |
                    (workspace ? FMHAC_GROUP(WORKSPACE) : 0),
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
      .kv_head_reciprocal = fmhac_ceil_divide(UINT64_C(1) << 32, group),
      .q_batch_stride = q_packed ? 0 : tensors->q_strides.batch_bytes,
      .q_head_stride = tensors->q_strides.head_bytes,
      .q_row_stride = tensors->q_strides.row_bytes,
      .k_batch_stride = kv_packed ? 0 : tensors->k_strides.batch_bytes,
      .k_head_stride = tensors->k_strides.head_bytes,
      .k_row_stride = tensors->k_strides.row_bytes,
      .v_batch_stride = kv_packed ? 0 : tensors->v_strides.batch_bytes,
      .v_head_stride = tensors->v_strides.head_bytes,
      .v_row_stride = tensors->v_strides.row_bytes,
      .o_batch_stride = q_packed ? 0 : tensors->o_strides.batch_bytes,
      .o_head_stride = tensors->o_strides.head_bytes,
      .o_row_stride = o_row_stride(kernel, tensors),
      .lse = tensors->lse,
      .lse_batch_stride =
          lse && !q_packed ? tensors->lse_batch_stride_bytes : 0,
      .lse_head_stride = lse ? tensors->lse_head_stride_bytes : 0,
      .cu_seqlens_q = tensors->cu_seqlens_q,
      .cu_seqlens_kv = tensors->cu_seqlens_kv,
      .seqlens_q = tensors->seqlens_q,
      .seqlens_kv = tensors->seqlens_kv,
      .sink = tensors->sink,
      .alibi_slopes = tensors->alibi_slopes,
      .alibi_batch_stride = alibi ? tensors->alibi_batch_stride_bytes : 0,
      .bias = tensors->bias,
      .bias_batch_stride = bias ? tensors->bias_strides.batch_bytes : 0,
      .bias_head_stride = bias ? tensors->bias_strides.head_bytes : 0,
      .bias_row_stride = bias ? tensors->bias_strides.row_bytes : 0,
      .workspace = workspace,
  };
}

/// The caller's tensors as this library knows them: fields that the caller's
/// header did not have yet are 0.
static fmhac_status read_tensors(fmhac_context *context,
                                 const fmhac_tensors *tensors,
                                 fmhac_tensors *out_tensors) {
  // The first release ended with `scale`.
  const size_t least = offsetof(fmhac_tensors, cu_seqlens_q);
  *out_tensors = (fmhac_tensors){0};
  if (tensors->size < least)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "launch: fmhac_tensors.size is %zu, expected %zu; set it "
                      "to sizeof(fmhac_tensors)",
                      tensors->size, sizeof *tensors);
  size_t known =
      tensors->size < sizeof *tensors ? tensors->size : sizeof *tensors;
  memcpy(out_tensors, tensors, known);
  // A caller of a later release may ask for what this one cannot do.
  const char *bytes = (const char *)tensors;
  for (size_t i = sizeof *tensors; i < tensors->size; ++i)
    if (bytes[i])
      return fmhac_fail(context, FMHAC_UNSUPPORTED,
                        "launch: byte %zu of fmhac_tensors is set, this "
                        "library knows %zu bytes: it is older than its caller",
                        i, sizeof *tensors);
  if (tensors->problem.size < sizeof tensors->problem)
    return fmhac_fail(
        context, FMHAC_INVALID_INPUT,
        "launch: fmhac_tensors.problem.size is %zu, expected %zu; "
        "set it to sizeof(fmhac_problem)",
        tensors->problem.size, sizeof tensors->problem);
  return FMHAC_OK;
}

fmhac_status fmhac_plan_pack(const fmhac_plan *plan,
                             const fmhac_tensors *tensors, uint64_t workspace,
                             void *kernarg, size_t kernarg_capacity,
                             fmhac_rt_launch *out_launch) {
  const fmhac_kernel *kernel = plan->kernel;
  *out_launch = (fmhac_rt_launch){.size = sizeof *out_launch};
  fmhac_tensors known;
  fmhac_status status = read_tensors(kernel->context, tensors, &known);
  if (status != FMHAC_OK)
    return status;
  if (kernarg_capacity < sizeof(fmhac_kernel_args))
    return fmhac_fail(
        kernel->context, FMHAC_INVALID_INPUT,
        "launch: room for %zu bytes of kernel arguments, expected "
        "at least sizeof(fmhac_kernel_args) = %zu",
        kernarg_capacity, sizeof(fmhac_kernel_args));
  status = fmhac_check_launch(kernel, &plan->max_problem, &known);
  if (status != FMHAC_OK)
    return status;
  fmhac_kernel_args args;
  fill_arguments(kernel, &known, workspace, &args);
  memcpy(kernarg, &args, sizeof args);
  out_launch->kernel = fmhac_kernel_get_name(kernel);
  out_launch->grid[0] = (uint32_t)fmhac_grid_x(kernel, &known.problem);
  out_launch->grid[1] = known.problem.heads_q;
  out_launch->grid[2] = known.problem.batch;
  out_launch->block[0] = kernel->block_threads;
  out_launch->block[1] = out_launch->block[2] = 1;
  out_launch->kernarg = kernarg;
  out_launch->kernarg_bytes = sizeof args;
  return FMHAC_OK;
}

/// The kernel's module on the device, or NULL if it is not loaded.
static fmhac_rt_module *find_module(const fmhac_plan *plan,
                                    const fmhac_rt_device *device) {
  loaded_module *entry =
      atomic_load_explicit(&plan->modules->first, memory_order_acquire);
  while (entry && entry->device != device)
    entry = entry->next;
  return entry ? entry->module : NULL;
}

/// Loads it; to be called under the lock, where it is not loaded.
static fmhac_status load_module(const fmhac_plan *plan,
                                fmhac_rt_device *device) {
  const fmhac_kernel *kernel = plan->kernel;
  loaded_module *entry = calloc(1, sizeof *entry);
  if (!entry)
    return fmhac_fail(kernel->context, FMHAC_OUT_OF_MEMORY,
                      "loading %s: no memory to remember its module",
                      fmhac_kernel_get_name(kernel));
  entry->device = device;
  fmhac_status status = fmhac_rt_module_load(
      device, kernel->code, kernel->code_bytes, &entry->module);
  if (status != FMHAC_OK) {
    free(entry);
    return fmhac_fail(kernel->context, status, "loading %s: %s",
                      fmhac_kernel_get_name(kernel),
                      fmhac_rt_last_error(device));
  }
  entry->next = plan->modules->first;
  atomic_store_explicit(&plan->modules->first, entry, memory_order_release);
  return FMHAC_OK;
}

fmhac_status fmhac_plan_load(const fmhac_plan *plan, fmhac_rt_device *device) {
  pthread_mutex_lock(&plan->modules->loading);
  fmhac_status status =
      find_module(plan, device) ? FMHAC_OK : load_module(plan, device);
  pthread_mutex_unlock(&plan->modules->loading);
  return status;
}

/// Loads the module for a launch on `stream`. Recording waits for nothing and
/// allocates nothing: what has to be loaded comes too late then.
static fmhac_status load_for_launch(const fmhac_plan *plan,
                                    fmhac_rt_device *device, void *stream) {
  const fmhac_kernel *kernel = plan->kernel;
  bool capturing;
  fmhac_status status =
      fmhac_rt_stream_is_capturing(device, stream, &capturing);
  if (status != FMHAC_OK)
    return fmhac_fail(kernel->context, status, "launch: %s: %s",
                      fmhac_kernel_get_name(kernel),
                      fmhac_rt_last_error(device));
  if (capturing)
    return fmhac_fail(kernel->context, FMHAC_INVALID_INPUT,
                      "launch: %s is not loaded on the device, and the stream "
                      "is being captured; call fmhac_plan_load() before the "
                      "capture begins",
                      fmhac_kernel_get_name(kernel));
  return fmhac_plan_load(plan, device);
}

fmhac_status fmhac_launch(const fmhac_plan *plan, fmhac_rt_device *device,
                          const fmhac_tensors *tensors, void *workspace,
                          void *stream) {
  fmhac_kernel_args args;
  fmhac_rt_launch launch;
  // Device addresses of the runtime are numbers; callers of HIP hold pointers.
  fmhac_status status = fmhac_plan_pack(plan, tensors, (uintptr_t)workspace,
                                        &args, sizeof args, &launch);
  if (status != FMHAC_OK)
    return status;
  fmhac_rt_module *module = find_module(plan, device);
  if (!module) {
    status = load_for_launch(plan, device, stream);
    if (status != FMHAC_OK)
      return status;
    module = find_module(plan, device);
  }
  launch.stream = stream;
  status = fmhac_rt_launch_kernel(device, module, &launch);
  if (status != FMHAC_OK)
    return fmhac_fail(plan->kernel->context, status, "launch: %s: %s",
                      launch.kernel, fmhac_rt_last_error(device));
  return FMHAC_OK;
}
