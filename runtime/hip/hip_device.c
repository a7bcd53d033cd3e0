// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The "hip" device: an AMD GPU through the HIP runtime. Not run on hardware
// yet.
#include <gelf.h>
#include <libelf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "hip_loader.h"

typedef struct hip_module {
  struct hip_module *next;
  void *handle;
  char *only_kernel; ///< name if the code object has exactly one
} hip_module;

typedef struct hip_device {
  fmhac_rt_device base;
  hip_api api;
  int ordinal;
  char name[128];
  hip_module *modules;
} hip_device;

static hip_device *self(fmhac_rt_device *device) {
  return (hip_device *)(void *)device;
}

// Turns an error of the runtime into status and text.
static fmhac_status check(hip_device *d, int error, fmhac_status status,
                          const char *what) {
  if (!error)
    return FMHAC_OK;
  const char *text = d->api.GetErrorString(error);
  return fmhac_rt_fail(&d->base, status, "%s failed: HIP error %d (%s)", what,
                       error, text ? text : "unknown");
}

static fmhac_status current(hip_device *d) {
  return check(d, d->api.SetDevice(d->ordinal), FMHAC_LAUNCH_FAILED,
               "hipSetDevice");
}

static void free_module(hip_device *d, hip_module *m) {
  d->api.ModuleUnload(m->handle);
  free(m->only_kernel);
  free(m);
}

static void hip_close(fmhac_rt_device *device) {
  hip_device *d = self(device);
  while (d->modules) {
    hip_module *m = d->modules;
    d->modules = m->next;
    free_module(d, m);
  }
  hip_api_unload(&d->api);
  fmhac_rt_device_deinit(device);
  free(d);
}

static fmhac_status hip_get_info(fmhac_rt_device *device,
                                 fmhac_rt_device_info *info) {
  hip_device *d = self(device);
  snprintf(info->kind, sizeof info->kind, "hip");
  snprintf(info->architecture, sizeof info->architecture, "gfx950");
  snprintf(info->name, sizeof info->name, "%s", d->name);
  info->compute_units = 0; // not asked: hipDeviceProp_t is avoided
  info->lds_bytes_per_workgroup = 163840;
  return FMHAC_OK;
}

static fmhac_status hip_alloc(fmhac_rt_device *device, size_t bytes,
                              uint64_t *out_address) {
  hip_device *d = self(device);
  void *p = NULL;
  fmhac_status status = current(d);
  if (status == FMHAC_OK)
    status = check(d, d->api.Malloc(&p, bytes ? bytes : 1), FMHAC_OUT_OF_MEMORY,
                   "hipMalloc");
  *out_address = (uint64_t)(uintptr_t)p;
  return status;
}

static fmhac_status hip_release(fmhac_rt_device *device, uint64_t address) {
  hip_device *d = self(device);
  fmhac_status status = current(d);
  if (status != FMHAC_OK)
    return status;
  return check(d, d->api.Free((void *)(uintptr_t)address), FMHAC_INVALID_INPUT,
               "hipFree");
}

static fmhac_status hip_copy_in(fmhac_rt_device *device, uint64_t address,
                                const void *from, size_t bytes) {
  hip_device *d = self(device);
  fmhac_status status = current(d);
  if (status != FMHAC_OK || !bytes)
    return status;
  return check(d,
               d->api.Memcpy((void *)(uintptr_t)address, from, bytes,
                             HIP_COPY_HOST_TO_DEVICE),
               FMHAC_LAUNCH_FAILED, "hipMemcpy to the device");
}

static fmhac_status hip_copy_out(fmhac_rt_device *device, uint64_t address,
                                 void *to, size_t bytes) {
  hip_device *d = self(device);
  fmhac_status status = current(d);
  // Launches may be on streams that hipMemcpy does not wait for.
  if (status == FMHAC_OK)
    status = check(d, d->api.DeviceSynchronize(), FMHAC_LAUNCH_FAILED,
                   "hipDeviceSynchronize");
  if (status != FMHAC_OK || !bytes)
    return status;
  return check(d,
               d->api.Memcpy(to, (const void *)(uintptr_t)address, bytes,
                             HIP_COPY_DEVICE_TO_HOST),
               FMHAC_LAUNCH_FAILED, "hipMemcpy from the device");
}

// Name of the only kernel: the only dynamic symbol that ends in ".kd".
static char *only_kernel(const void *code, size_t bytes) {
  char *found = NULL;
  unsigned count = 0;
  char *copy = malloc(bytes);
  if (!copy || elf_version(EV_CURRENT) == EV_NONE) {
    free(copy);
    return NULL;
  }
  memcpy(copy, code, bytes);
  Elf *elf = elf_memory(copy, bytes);
  for (Elf_Scn *s = NULL; elf && (s = elf_nextscn(elf, s));) {
    GElf_Shdr sh;
    if (!gelf_getshdr(s, &sh) || sh.sh_type != SHT_DYNSYM || !sh.sh_entsize)
      continue;
    Elf_Data *data = elf_getdata(s, NULL);
    for (size_t i = 0; data && i < sh.sh_size / sh.sh_entsize; i++) {
      GElf_Sym sym;
      const char *name = gelf_getsym(data, (int)i, &sym)
                             ? elf_strptr(elf, sh.sh_link, sym.st_name)
                             : NULL;
      size_t n = name ? strlen(name) : 0;
      if (n > 3 && strcmp(name + n - 3, ".kd") == 0 && ++count == 1)
        found = strndup(name, n - 3);
    }
  }
  if (elf)
    elf_end(elf);
  free(copy);
  if (count != 1) {
    free(found);
    return NULL;
  }
  return found;
}

static fmhac_status hip_load(fmhac_rt_device *device, const void *code,
                             size_t bytes, fmhac_rt_module **out_module) {
  hip_device *d = self(device);
  fmhac_status status = current(d);
  if (status != FMHAC_OK)
    return status;
  hip_module *m = calloc(1, sizeof *m);
  if (!m)
    return fmhac_rt_fail(device, FMHAC_OUT_OF_MEMORY,
                         "loading a code object: out of memory");
  status = check(d, d->api.ModuleLoadData(&m->handle, code),
                 FMHAC_INVALID_INPUT, "hipModuleLoadData");
  if (status != FMHAC_OK) {
    free(m);
    return status;
  }
  m->only_kernel = bytes ? only_kernel(code, bytes) : NULL;
  m->next = d->modules;
  d->modules = m;
  *out_module = (fmhac_rt_module *)(void *)m;
  return FMHAC_OK;
}

static void hip_unload(fmhac_rt_device *device, fmhac_rt_module *module) {
  hip_device *d = self(device);
  for (hip_module **at = &d->modules; *at; at = &(*at)->next)
    if (*at == (hip_module *)(void *)module) {
      hip_module *m = *at;
      *at = m->next;
      free_module(d, m);
      return;
    }
}

static fmhac_status hip_launch(fmhac_rt_device *device, fmhac_rt_module *module,
                               const fmhac_rt_launch *l) {
  hip_device *d = self(device);
  hip_module *m = (hip_module *)(void *)module;
  const char *name = l->kernel ? l->kernel : m->only_kernel;
  if (!name)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "launch: no kernel named, and the code object does "
                         "not have exactly one");
  void *function = NULL;
  fmhac_status status = current(d);
  if (status == FMHAC_OK)
    status = check(d, d->api.ModuleGetFunction(&function, m->handle, name),
                   FMHAC_INVALID_INPUT, "hipModuleGetFunction");
  if (status != FMHAC_OK)
    return status;
  // The arguments go as one buffer: HIP_LAUNCH_PARAM_BUFFER_POINTER (1),
  // HIP_LAUNCH_PARAM_BUFFER_SIZE (2), HIP_LAUNCH_PARAM_END (3). The runtime
  // takes pointers to mutable memory: it gets a copy.
  size_t bytes = l->kernarg_bytes;
  void *kernarg = malloc(bytes ? bytes : 1);
  if (!kernarg)
    return fmhac_rt_fail(device, FMHAC_OUT_OF_MEMORY, "launch: out of memory");
  if (bytes)
    memcpy(kernarg, l->kernarg, bytes);
  void *extra[] = {(void *)(uintptr_t)1, kernarg, (void *)(uintptr_t)2, &bytes,
                   (void *)(uintptr_t)3};
  status = check(d,
                 d->api.ModuleLaunchKernel(function, l->grid[0], l->grid[1],
                                           l->grid[2], l->block[0], l->block[1],
                                           l->block[2], l->dynamic_lds_bytes,
                                           l->stream, NULL, extra),
                 FMHAC_LAUNCH_FAILED, "hipModuleLaunchKernel");
  free(kernarg);
  return status;
}

static fmhac_status hip_synchronize(fmhac_rt_device *device) {
  hip_device *d = self(device);
  fmhac_status status = current(d);
  if (status != FMHAC_OK)
    return status;
  return check(d, d->api.DeviceSynchronize(), FMHAC_LAUNCH_FAILED,
               "hipDeviceSynchronize");
}

static fmhac_status hip_stream_create(fmhac_rt_device *device,
                                      void **out_stream) {
  hip_device *d = self(device);
  fmhac_status status = current(d);
  if (status != FMHAC_OK)
    return status;
  return check(
      d, d->api.StreamCreateWithFlags(out_stream, HIP_STREAM_NON_BLOCKING),
      FMHAC_LAUNCH_FAILED, "hipStreamCreateWithFlags");
}

static fmhac_status hip_stream_destroy(fmhac_rt_device *device, void *stream) {
  hip_device *d = self(device);
  fmhac_status status = current(d);
  if (status != FMHAC_OK)
    return status;
  return check(d, d->api.StreamDestroy(stream), FMHAC_LAUNCH_FAILED,
               "hipStreamDestroy");
}

static fmhac_status hip_stream_synchronize(fmhac_rt_device *device,
                                           void *stream) {
  hip_device *d = self(device);
  fmhac_status status = current(d);
  if (status != FMHAC_OK)
    return status;
  return check(d, d->api.StreamSynchronize(stream), FMHAC_LAUNCH_FAILED,
               "hipStreamSynchronize");
}

static const fmhac_rt_vtable k_vtable = {
    .kind = "hip",
    .close = hip_close,
    .get_info = hip_get_info,
    .alloc = hip_alloc,
    .release = hip_release,
    .copy_in = hip_copy_in,
    .copy_out = hip_copy_out,
    .module_load = hip_load,
    .module_unload = hip_unload,
    .launch = hip_launch,
    .synchronize = hip_synchronize,
    .stream_create = hip_stream_create,
    .stream_destroy = hip_stream_destroy,
    .stream_synchronize = hip_stream_synchronize,
};

fmhac_status fmhac_hip_device_create(int ordinal, char *text, size_t text_bytes,
                                     fmhac_rt_device **out_device) {
  *out_device = NULL;
  hip_device *d = calloc(1, sizeof *d);
  if (!d) {
    snprintf(text, text_bytes, "opening hip:%d: out of memory", ordinal);
    return FMHAC_OUT_OF_MEMORY;
  }
  char loaded[4096];
  int count = 0, error;
  if (!hip_api_load(&d->api, loaded, sizeof loaded)) {
    snprintf(text, text_bytes, "opening hip:%d: %s", ordinal, loaded);
    free(d);
    return FMHAC_DEVICE_UNAVAILABLE;
  }
  error = d->api.Init(0);
  if (!error)
    error = d->api.GetDeviceCount(&count);
  if (error || ordinal >= count) {
    if (error)
      snprintf(text, text_bytes,
               "opening hip:%d: %s finds no GPU: HIP error %d "
               "(%s); is the amdgpu driver loaded?",
               ordinal, loaded, error, d->api.GetErrorString(error));
    else
      snprintf(text, text_bytes, "opening hip:%d: %s finds %d GPUs", ordinal,
               loaded, count);
    hip_api_unload(&d->api);
    free(d);
    return FMHAC_DEVICE_UNAVAILABLE;
  }
  fmhac_rt_device_init(&d->base, &k_vtable);
  d->ordinal = ordinal;
  if (d->api.DeviceGetName(d->name, sizeof d->name, ordinal))
    snprintf(d->name, sizeof d->name, "unnamed GPU");
  *out_device = &d->base;
  return FMHAC_OK;
}
