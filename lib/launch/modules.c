// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "modules.h"

#include <pthread.h>
#include <stdatomic.h>

#include "context.h"

/// A module of the kernel on one device.
typedef struct loaded_module {
  fmhac_rt_device *device; ///< borrowed
  fmhac_rt_module *module;
  struct loaded_module *next;
} loaded_module;

struct fmhac_modules {
  _Atomic(loaded_module *) first;
  pthread_mutex_t loading;
};

fmhac_modules *fmhac_modules_create(fmhac_context *context) {
  fmhac_modules *modules =
      fmhac_allocate(fmhac_allocator_of(context), sizeof *modules);
  if (modules)
    pthread_mutex_init(&modules->loading, NULL);
  return modules;
}

void fmhac_modules_destroy(fmhac_context *context, fmhac_modules *modules) {
  if (!modules)
    return;
  const fmhac_allocator a = fmhac_allocator_of(context);
  for (loaded_module *entry = modules->first; entry;) {
    loaded_module *next = entry->next;
    fmhac_rt_module_unload(entry->device, entry->module);
    fmhac_release(a, entry);
    entry = next;
  }
  pthread_mutex_destroy(&modules->loading);
  fmhac_release(a, modules);
}

/// The kernel's module on the device, or NULL if it is not loaded.
static fmhac_rt_module *find(fmhac_modules *modules,
                             const fmhac_rt_device *device) {
  loaded_module *entry =
      atomic_load_explicit(&modules->first, memory_order_acquire);
  while (entry && entry->device != device)
    entry = entry->next;
  return entry ? entry->module : NULL;
}

/// Loads it; to be called under the lock, where it is not loaded.
static fmhac_status load(fmhac_modules *modules, const fmhac_kernel *kernel,
                         const fmhac_entry *entry, fmhac_rt_device *device) {
  const fmhac_allocator a = fmhac_allocator_of(kernel->context);
  loaded_module *loaded = fmhac_allocate(a, sizeof *loaded);
  if (!loaded)
    return fmhac_fail(kernel->context, FMHAC_OUT_OF_MEMORY,
                      "loading %s: no memory to remember its module",
                      entry->kernel);
  loaded->device = device;
  fmhac_status status = fmhac_rt_module_load(
      device, kernel->code, kernel->code_bytes, &loaded->module);
  if (status != FMHAC_OK) {
    fmhac_release(a, loaded);
    return fmhac_fail(kernel->context, status, "loading %s: %s", entry->kernel,
                      fmhac_rt_last_error(device));
  }
  loaded->next = modules->first;
  atomic_store_explicit(&modules->first, loaded, memory_order_release);
  return FMHAC_OK;
}

fmhac_status fmhac_modules_load(fmhac_modules *modules,
                                const fmhac_kernel *kernel,
                                const fmhac_entry *entry,
                                fmhac_rt_device *device) {
  pthread_mutex_lock(&modules->loading);
  fmhac_status status =
      find(modules, device) ? FMHAC_OK : load(modules, kernel, entry, device);
  pthread_mutex_unlock(&modules->loading);
  return status;
}

/// Loads the module for a launch on `stream`. While a stream is captured
/// nothing may wait or allocate, so a module that is not loaded comes too late.
static fmhac_status load_for_launch(fmhac_modules *modules,
                                    const fmhac_kernel *kernel,
                                    const fmhac_entry *entry,
                                    fmhac_rt_device *device, void *stream) {
  bool capturing;
  fmhac_status status =
      fmhac_rt_stream_is_capturing(device, stream, &capturing);
  if (status != FMHAC_OK)
    return fmhac_fail(kernel->context, status, "launch: %s: %s", entry->kernel,
                      fmhac_rt_last_error(device));
  if (capturing)
    return fmhac_fail(kernel->context, FMHAC_INVALID_INPUT,
                      "launch: %s is not loaded on the device, and the stream "
                      "is being captured; call %s before the capture begins",
                      entry->kernel,
                      entry->role == FMHAC_ROLE_MERGE ? "fmhac_merge_load()"
                                                      : "fmhac_plan_load()");
  return fmhac_modules_load(modules, kernel, entry, device);
}

fmhac_status fmhac_modules_launch(fmhac_modules *modules,
                                  const fmhac_kernel *kernel,
                                  const fmhac_entry *entry,
                                  fmhac_rt_device *device,
                                  const fmhac_rt_launch *launch) {
  fmhac_rt_module *module = find(modules, device);
  if (!module) {
    fmhac_status status =
        load_for_launch(modules, kernel, entry, device, launch->stream);
    if (status != FMHAC_OK)
      return status;
    module = find(modules, device);
  }
  fmhac_status status = fmhac_rt_launch_kernel(device, module, launch);
  if (status != FMHAC_OK)
    return fmhac_fail(kernel->context, status, "launch: %s: %s", launch->kernel,
                      fmhac_rt_last_error(device));
  return FMHAC_OK;
}
