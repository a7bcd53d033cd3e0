// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects and launches.
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "module.h"

/// HIP is told no length: it believes the header.
static size_t elf_bytes(const void *image) {
  Elf64_Ehdr header;
  memcpy(&header, image, sizeof header);
  return header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
}

static void free_module(fake_module *m) {
  if (m->loaded)
    fmhac_rt_module_unload(m->device->emulator, m->loaded);
  for (size_t i = 0; i < m->function_count; i++)
    free(m->functions[i].name);
  free(m->functions);
  free(m->copy);
  free(m);
}

static int load(fake_module *m, const void *image) {
  Elf64_Ehdr header;
  memcpy(&header, image, sizeof header);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return hipErrorInvalidImage;
  // EF_AMDGPU_MACH of gfx950; the emulator is no other.
  if ((header.e_flags & 0xff) != 0x4f ||
      strcmp(m->device->architecture, "gfx950") != 0)
    return hipErrorNoBinaryForGpu;
  m->image = image;
  m->bytes = elf_bytes(image);
  m->copy = malloc(m->bytes);
  if (!m->copy)
    return hipErrorOutOfMemory;
  memcpy(m->copy, image, m->bytes);
  if (fmhac_rt_module_load(m->device->emulator, image, m->bytes, &m->loaded) !=
      FMHAC_OK)
    return hipErrorInvalidImage;
  const emu_module *loaded = (const emu_module *)(const void *)m->loaded;
  m->functions = calloc(loaded->kernel_count, sizeof *m->functions);
  if (!m->functions)
    return hipErrorOutOfMemory;
  for (; m->function_count < loaded->kernel_count; m->function_count++) {
    const emu_kernel *kernel = &loaded->kernels[m->function_count];
    fake_function *f = &m->functions[m->function_count];
    f->module = m;
    f->kernarg_bytes = kernel->kernarg_bytes;
    f->most_threads = kernel->max_block ? kernel->max_block : 1024;
    f->name = strdup(kernel->name);
    if (!f->name)
      return hipErrorOutOfMemory;
  }
  return hipSuccess;
}

int hipModuleLoadData(void **out, const void *image) {
  int error = fake_enter("hipModuleLoadData");
  if (!error && (!out || !image))
    error = hipErrorInvalidValue;
  if (error)
    return fake_leave(error);
  fake_module *m = calloc(1, sizeof *m);
  if (!m)
    return fake_leave(hipErrorOutOfMemory);
  m->device = fake_current();
  error = load(m, image);
  if (error) {
    free_module(m);
    return fake_leave(error);
  }
  m->next = fake.modules;
  fake.modules = m;
  *out = m;
  return fake_leave(hipSuccess);
}

int hipModuleUnload(void *handle) {
  int error = fake_enter("hipModuleUnload");
  if (!error && !handle)
    error = hipErrorInvalidHandle;
  fake_module **at = &fake.modules;
  while (*at && *at != handle)
    at = &(*at)->next;
  if (!error && !*at)
    error = hipErrorNotFound;
  if (!error) {
    fake_module *m = *at;
    *at = m->next;
    fake_wait_device(m->device);
    free_module(m);
  }
  return fake_leave(error);
}

int hipModuleGetFunction(void **out, void *handle, const char *name) {
  int error = fake_enter("hipModuleGetFunction");
  if (!error && (!out || !name || !*name))
    error = hipErrorInvalidValue;
  if (!error && !handle)
    error = hipErrorInvalidHandle;
  if (error)
    return fake_leave(error);
  fake_module *m = fake.modules;
  while (m && m != handle)
    m = m->next;
  for (size_t i = 0; m && i < m->function_count; i++)
    if (strcmp(m->functions[i].name, name) == 0) {
      *out = &m->functions[i];
      return fake_leave(hipSuccess);
    }
  return fake_leave(hipErrorNotFound);
}

static const fake_function *find_function(const void *handle) {
  for (fake_module *m = fake.modules; m; m = m->next)
    for (size_t i = 0; i < m->function_count; i++)
      if (handle == &m->functions[i])
        return handle;
  return NULL;
}

/// The arguments of `extra`: five values, the second and the fourth of which
/// are address and size.
static int read_extra(void **extra, const fake_function *f,
                      fmhac_rt_launch *launch) {
  if (!extra)
    return f->kernarg_bytes ? hipErrorInvalidValue : hipSuccess;
  if ((uintptr_t)extra[0] != 1 || (uintptr_t)extra[2] != 2 ||
      (uintptr_t)extra[4] != 3)
    return hipErrorInvalidValue;
  launch->kernarg = extra[1];
  launch->kernarg_bytes = *(const size_t *)extra[3];
  // A GPU's runtime would read what lies behind.
  return launch->kernarg_bytes < f->kernarg_bytes ? hipErrorInvalidValue
                                                  : hipSuccess;
}

/// The limits of ihipLaunchKernel_validate() and hipModuleLaunchKernel().
static int check_launch(const fake_function *f, const fmhac_rt_launch *l) {
  uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
  if (l->grid[0] > INT32_MAX || l->grid[1] > 65536 || l->grid[2] > 65536)
    return hipErrorInvalidValue;
  if ((uint64_t)l->grid[0] * l->block[0] > UINT32_MAX)
    return hipErrorInvalidConfiguration;
  if (!l->grid[0] || !l->grid[1] || !l->grid[2])
    return hipErrorInvalidValue;
  if (!threads)
    return hipErrorInvalidConfiguration;
  if (l->dynamic_lds_bytes > 163840 || threads > 1024)
    return hipErrorInvalidValue;
  return threads > f->most_threads ? hipErrorLaunchFailure : hipSuccess;
}

int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y,
                          unsigned grid_z, unsigned block_x, unsigned block_y,
                          unsigned block_z, unsigned lds_bytes, void *handle,
                          void **parameters, void **extra) {
  if (fake.is_null_launch)
    return hipSuccess;
  int error = fake_enter("hipModuleLaunchKernel");
  const fake_function *f = find_function(function);
  fake_stream *stream = fake_find_stream(handle);
  if (!error && !stream)
    error = hipErrorInvalidValue;
  if (!error && !f)
    error = hipErrorInvalidHandle;
  if (!error && parameters) // one by one they would need the argument table
    error = extra ? hipErrorInvalidValue : hipErrorNotSupported;
  if (!error && f->module->device != stream->device)
    error = hipErrorInvalidDevice;
  if (error)
    return fake_leave(error);
  fake_op op = {.kind = OP_KERNEL,
                .module = f->module->loaded,
                .launch = {.size = sizeof op.launch,
                           .kernel = f->name,
                           .grid = {grid_x, grid_y, grid_z},
                           .block = {block_x, block_y, block_z},
                           .dynamic_lds_bytes = lds_bytes}};
  // The image must still be there: ROCm's runtime makes no copy of it.
  if (memcmp(f->module->image, f->module->copy, f->module->bytes) != 0)
    return fake_leave(hipErrorInvalidImage);
  error = read_extra(extra, f, &op.launch);
  if (!error)
    error = check_launch(f, &op.launch);
  if (!error) {
    snprintf(fake.launched, sizeof fake.launched, "%s", f->name);
    memcpy(fake.launched_grid, op.launch.grid, sizeof fake.launched_grid);
    memcpy(fake.launched_block, op.launch.block, sizeof fake.launched_block);
  }
  if (!error && !fake_captures(stream, &op, &error))
    fake_queue(stream, fake_op_copy(&op));
  return fake_leave(error);
}

const char *hipTestLaunched(unsigned out_grid[3], unsigned out_block[3]) {
  pthread_mutex_lock(&fake.lock);
  memcpy(out_grid, fake.launched_grid, sizeof fake.launched_grid);
  memcpy(out_block, fake.launched_block, sizeof fake.launched_block);
  pthread_mutex_unlock(&fake.lock);
  return fake.launched;
}
