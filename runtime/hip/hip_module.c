// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects on a "hip" device, and their launches. All that a launch needs
// is looked up when the code object is loaded, so that it neither allocates nor
// waits.
#include <elf.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac_abi.h"
#include "hip_device.h"
#include "object.h"
#include "work_items.h"

typedef struct hip_kernel {
  char *name;
  void *function;         ///< hipFunction_t
  uint32_t kernarg_bytes; ///< of its segment
  uint32_t lds_bytes;     ///< fixed
  uint32_t most_threads;  ///< of a workgroup
} hip_kernel;

struct hip_module {
  hip_module *next;
  void *handle; ///< hipModule_t
  void *code;   ///< HIP makes no copy of it
  hip_kernel *kernels;
  size_t kernel_count;
};

// Arguments up to this size lie on the stack during a launch.
enum { STACK_KERNARG_BYTES = 1024, MOST_KERNARG_BYTES = 1 << 20 };
_Static_assert(sizeof(fmhac_kernel_args) <= STACK_KERNARG_BYTES,
               "launches of fmhac's own kernels must not allocate");

static void free_module(hip_device *d, hip_module *m) {
  if (m->handle)
    d->api.ModuleUnload(m->handle);
  for (size_t i = 0; i < m->kernel_count; i++)
    free(m->kernels[i].name);
  free(m->kernels);
  free(m->code);
  free(m);
}

/// Reads names and sizes of the kernels. hipModuleLoadData() takes no length
/// and reads past the end of a truncated code object. It gets only code objects
/// that our reader accepts.
static fmhac_status read_kernels(hip_device *d, const void *code, size_t bytes,
                                 hip_module *m) {
  char text[1024] = "";
  isa_object object;
  fmhac_status status =
      isa_object_load(code, bytes, text, sizeof text, &object);
  if (status == FMHAC_OK) {
    m->kernels = calloc(object.kernel_count, sizeof *m->kernels);
    status = m->kernels ? FMHAC_OK : FMHAC_OUT_OF_MEMORY;
    for (size_t i = 0; status == FMHAC_OK && i < object.kernel_count; i++) {
      const isa_kernel *found = &object.kernels[i];
      if (!found->has_descriptor)
        continue;
      hip_kernel *kernel = &m->kernels[m->kernel_count];
      kernel->kernarg_bytes = found->kernarg_bytes;
      kernel->lds_bytes = found->descriptor.lds_bytes;
      kernel->most_threads = found->max_threads ? found->max_threads : 1024;
      kernel->name = strdup(found->name);
      m->kernel_count += kernel->name != NULL;
      status = kernel->name ? FMHAC_OK : FMHAC_OUT_OF_MEMORY;
    }
    if (status != FMHAC_OK)
      snprintf(text, sizeof text, "loading the code object: out of memory");
    isa_object_deinit(&object);
  }
  return status == FMHAC_OK ? status
                            : fmhac_rt_fail(&d->base, status, "%s", text);
}

/// "HIP 7.0.51831 (PATH)", or a text that the version is unknown. HIP_VERSION
/// is major * 10^7 + minor * 10^5 + patch (HIP's hip_version.h).
static void describe_runtime(const hip_device *d, char *text,
                             size_t text_bytes) {
  int version = 0;
  if (d->api.RuntimeGetVersion && !d->api.RuntimeGetVersion(&version) &&
      version > 0)
    snprintf(text, text_bytes, "HIP %d.%d.%d (%s)", version / 10000000,
             version / 100000 % 100, version % 100000, d->api.path);
  else
    snprintf(text, text_bytes, "%s, which does not tell its version",
             d->api.path);
}

/// A runtime that refuses the code object is most often too old for it. gfx950
/// came with ROCm 7.0; code object version 6 with ROCm 6.3, before which it is
/// an invalid code object (ROCm/ROCR-Runtime issue 321, openxla/xla issue
/// 24513).
static fmhac_status refused_code(hip_device *d, const unsigned char *code,
                                 int error) {
  fmhac_status status =
      hip_check(d, error, "loading the code object: hipModuleLoadData");
  // EI_ABIVERSION is 1 for version 3 (LLVM, User Guide for AMDGPU, "Header").
  int version = code[EI_ABIVERSION] + 2;
  char runtime[384], text[640];
  describe_runtime(d, runtime, sizeof runtime);
  snprintf(text, sizeof text, "%s", fmhac_rt_last_error(&d->base));
  return fmhac_rt_fail(
      &d->base, status,
      "%s; the code object is for gfx950, which needs ROCm 7.0 or later, and "
      "of code object version %d%s; the runtime is %s; if it is older, put the "
      "folder of a newer libamdhip64 on LD_LIBRARY_PATH or use --device=emu",
      text, version, version >= 6 ? ", which needs ROCm 6.3 or later" : "",
      runtime);
}

/// Loads what read_kernels() found whole. ROCm's runtime keeps the address it
/// is given for as long as the module lives: FatBinaryInfo::AddDevProgram() in
/// hipamd/src/hip_fatbin.cpp (ROCm/clr f9f995c) asks for no copy.
static fmhac_status load(hip_device *d, const void *code, size_t bytes,
                         hip_module *m) {
  hip_turn turn;
  m->code = malloc(bytes);
  if (!m->code)
    return fmhac_rt_fail(&d->base, FMHAC_OUT_OF_MEMORY,
                         "loading the code object: out of memory");
  memcpy(m->code, code, bytes);
  fmhac_status status = hip_begin(d, &turn);
  if (status != FMHAC_OK)
    return status;
  int error = d->api.ModuleLoadData(&m->handle, m->code);
  status =
      error == HIP_INVALID_IMAGE || error == HIP_NO_BINARY_FOR_GPU ||
              error == HIP_INVALID_KERNEL_FILE
          ? refused_code(d, m->code, error)
          : hip_check(d, error, "loading the code object: hipModuleLoadData");
  for (size_t i = 0; status == FMHAC_OK && i < m->kernel_count; i++) {
    hip_kernel *kernel = &m->kernels[i];
    char what[640];
    snprintf(what, sizeof what,
             "loading the code object: hipModuleGetFunction of %.512s",
             kernel->name);
    status = hip_check(
        d, d->api.ModuleGetFunction(&kernel->function, m->handle, kernel->name),
        what);
  }
  if (status != FMHAC_OK && m->handle) { // while this device is the current one
    d->api.ModuleUnload(m->handle);
    m->handle = NULL;
  }
  return hip_end(d, &turn, status);
}

fmhac_status hip_module_load(fmhac_rt_device *device, const void *code,
                             size_t bytes, fmhac_rt_module **out_module) {
  hip_device *d = hip_self(device);
  hip_module *m = calloc(1, sizeof *m);
  if (!m)
    return fmhac_rt_fail(device, FMHAC_OUT_OF_MEMORY,
                         "loading the code object: out of memory");
  fmhac_status status = read_kernels(d, code, bytes, m);
  if (status == FMHAC_OK)
    status = load(d, code, bytes, m);
  if (status != FMHAC_OK) {
    free_module(d, m);
    return status;
  }
  pthread_rwlock_wrlock(&d->module_lock);
  m->next = d->modules;
  d->modules = m;
  pthread_rwlock_unlock(&d->module_lock);
  *out_module = (fmhac_rt_module *)(void *)m;
  return FMHAC_OK;
}

void hip_module_unload(fmhac_rt_device *device, fmhac_rt_module *module) {
  hip_device *d = hip_self(device);
  hip_module *found = NULL;
  pthread_rwlock_wrlock(&d->module_lock);
  for (hip_module **at = &d->modules; *at && !found; at = &(*at)->next)
    if (*at == (hip_module *)(void *)module) {
      found = *at;
      *at = found->next;
      break;
    }
  pthread_rwlock_unlock(&d->module_lock);
  hip_turn turn;
  if (!found)
    return;
  bool ours = hip_begin(d, &turn) == FMHAC_OK;
  free_module(d, found);
  if (ours)
    (void)hip_end(d, &turn, FMHAC_OK);
}

void hip_module_unload_all(hip_device *d) {
  while (d->modules) {
    hip_module *m = d->modules;
    d->modules = m->next;
    free_module(d, m);
  }
}

/// The module of a caller's pointer. The pointer is not followed before it is
/// found in the list of this device; else NULL with a text.
static const hip_module *find_module(hip_device *d,
                                     const fmhac_rt_module *module) {
  pthread_rwlock_rdlock(&d->module_lock);
  const hip_module *m = d->modules;
  while (m && (const void *)m != (const void *)module)
    m = m->next;
  pthread_rwlock_unlock(&d->module_lock);
  if (!m)
    fmhac_rt_fail(
        &d->base, FMHAC_INVALID_INPUT,
        "launch: %p is not a module of this device (hip:%d); load the "
        "code object on the device that launches it",
        (const void *)module, d->ordinal);
  return m;
}

static const hip_kernel *choose(hip_device *d, const hip_module *m,
                                const char *name) {
  if (!name && m->kernel_count == 1)
    return &m->kernels[0];
  for (size_t i = 0; name && i < m->kernel_count; i++)
    if (strcmp(m->kernels[i].name, name) == 0)
      return &m->kernels[i];
  char list[1024] = "";
  size_t n = 0;
  for (size_t i = 0; i < m->kernel_count && n < sizeof list; i++)
    n += (size_t)snprintf(list + n, sizeof list - n, " %s", m->kernels[i].name);
  if (name)
    fmhac_rt_fail(&d->base, FMHAC_INVALID_INPUT,
                  "launch: no kernel \"%s\" in the code object; it has:%s",
                  name, list);
  else
    fmhac_rt_fail(&d->base, FMHAC_INVALID_INPUT,
                  "launch: no kernel named, and the code object has several:%s",
                  list);
  return NULL;
}

static fmhac_status launch_with(hip_device *d, const hip_kernel *kernel,
                                const fmhac_rt_launch *l, void *kernarg,
                                size_t bytes) {
  if (l->kernarg_bytes)
    memcpy(kernarg, l->kernarg, l->kernarg_bytes);
  memset((char *)kernarg + l->kernarg_bytes, 0, bytes - l->kernarg_bytes);
  hip_turn turn;
  fmhac_status status = hip_begin(d, &turn);
  if (status != FMHAC_OK)
    return status;
  // The arguments go as one buffer, which the runtime copies:
  // HIP_LAUNCH_PARAM_BUFFER_POINTER (1), HIP_LAUNCH_PARAM_BUFFER_SIZE (2),
  // HIP_LAUNCH_PARAM_END (3).
  void *extra[] = {(void *)(uintptr_t)1, kernarg, (void *)(uintptr_t)2, &bytes,
                   (void *)(uintptr_t)3};
  status =
      hip_check(d,
                d->api.ModuleLaunchKernel(
                    kernel->function, l->grid[0], l->grid[1], l->grid[2],
                    l->block[0], l->block[1], l->block[2], l->dynamic_lds_bytes,
                    l->stream, NULL, bytes ? extra : NULL),
                "launch: hipModuleLaunchKernel");
  return hip_end(d, &turn, status);
}

/// Launches to which runtimes answer with an unspecified failure, or not at
/// all.
static fmhac_status check_shape(hip_device *d, const hip_kernel *kernel,
                                const fmhac_rt_launch *l) {
  uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
  if (l->block[0] > 1024 || l->block[1] > 1024 || l->block[2] > 1024 ||
      threads > kernel->most_threads)
    return fmhac_rt_fail(&d->base, FMHAC_INVALID_INPUT,
                         "launch of %s: block [%u,%u,%u] has %llu work-items, "
                         "at most %u are allowed",
                         kernel->name, l->block[0], l->block[1], l->block[2],
                         (unsigned long long)threads, kernel->most_threads);
  uint64_t all = threads;
  for (int i = 0; i < 3; i++)
    all = l->grid[i] && all > UINT64_MAX / l->grid[i] ? UINT64_MAX
                                                      : all * l->grid[i];
  if (all > FMHAC_MOST_WORK_ITEMS)
    return fmhac_rt_fail(
        &d->base, FMHAC_UNSUPPORTED,
        "launch of %s: grid [%u,%u,%u] of blocks [%u,%u,%u] has %s%" PRIu64
        " work-items, at most %" PRIu64 " are known to run right: launch "
        "parts of the grid",
        kernel->name, l->grid[0], l->grid[1], l->grid[2], l->block[0],
        l->block[1], l->block[2], all == UINT64_MAX ? "at least " : "", all,
        FMHAC_MOST_WORK_ITEMS);
  uint64_t lds = (uint64_t)kernel->lds_bytes + l->dynamic_lds_bytes;
  if (lds > HIP_LDS_BYTES)
    return fmhac_rt_fail(&d->base, FMHAC_INVALID_INPUT,
                         "launch of %s: needs %llu bytes of LDS (%u fixed, %u "
                         "dynamic), a workgroup of gfx950 has %d",
                         kernel->name, (unsigned long long)lds,
                         kernel->lds_bytes, l->dynamic_lds_bytes,
                         HIP_LDS_BYTES);
  return FMHAC_OK;
}

fmhac_status hip_launch(fmhac_rt_device *device, fmhac_rt_module *module,
                        const fmhac_rt_launch *l) {
  hip_device *d = hip_self(device);
  const hip_module *m = find_module(d, module);
  const hip_kernel *kernel = m ? choose(d, m, l->kernel) : NULL;
  if (!kernel)
    return FMHAC_INVALID_INPUT;
  fmhac_status status = check_shape(d, kernel, l);
  if (status != FMHAC_OK)
    return status;
  // The runtime reads the whole segment, whatever size it gets.
  size_t bytes = l->kernarg_bytes > kernel->kernarg_bytes
                     ? l->kernarg_bytes
                     : kernel->kernarg_bytes;
  if (bytes > MOST_KERNARG_BYTES)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "launch of %s: %zu bytes of kernel arguments are too "
                         "many",
                         kernel->name, bytes);
  if (bytes <= STACK_KERNARG_BYTES) {
    _Alignas(16) unsigned char room[STACK_KERNARG_BYTES];
    return launch_with(d, kernel, l, room, bytes);
  }
  void *room = malloc(bytes);
  if (!room)
    return fmhac_rt_fail(device, FMHAC_OUT_OF_MEMORY,
                         "launch of %s: out of memory for %zu bytes of "
                         "arguments",
                         kernel->name, bytes);
  status = launch_with(d, kernel, l, room, bytes);
  free(room);
  return status;
}
