// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The HIP runtime, found at run time. Own prototypes for the few entry points
/// used (HIP API reference, "Module Management", "Memory Management"); never
/// hipDeviceProp_t, whose layout changed between ROCm releases.
#ifndef FMHAC_HIP_LOADER_H
#define FMHAC_HIP_LOADER_H

#include <stdbool.h>
#include <stddef.h>

/// hipMemcpyKind.
enum { HIP_COPY_HOST_TO_DEVICE = 1, HIP_COPY_DEVICE_TO_HOST = 2 };

/// hipStreamNonBlocking: no implicit order with the default stream.
enum { HIP_STREAM_NON_BLOCKING = 1 };

/// Entry points; hipError_t is int, 0 is success.
typedef struct hip_api {
  void *library; ///< of dlopen()
  int (*Init)(unsigned flags);
  int (*GetDeviceCount)(int *count);
  int (*SetDevice)(int device);
  int (*DeviceGetName)(char *name, int bytes, int device);
  int (*Malloc)(void **address, size_t bytes);
  int (*Free)(void *address);
  int (*Memcpy)(void *to, const void *from, size_t bytes, int kind);
  int (*ModuleLoadData)(void **module, const void *image);
  int (*ModuleUnload)(void *module);
  int (*ModuleGetFunction)(void **function, void *module, const char *name);
  int (*ModuleLaunchKernel)(void *function, unsigned grid_x, unsigned grid_y,
                            unsigned grid_z, unsigned block_x, unsigned block_y,
                            unsigned block_z, unsigned lds_bytes, void *stream,
                            void **parameters, void **extra);
  int (*DeviceSynchronize)(void);
  int (*StreamCreateWithFlags)(void **stream, unsigned flags);
  int (*StreamDestroy)(void *stream);
  int (*StreamSynchronize)(void *stream);
  const char *(*GetErrorString)(int error);
} hip_api;

/// Loads the newest HIP runtime there is and resolves every entry point. On
/// failure returns false; `text` then lists each library tried and why it did
/// not serve.
bool hip_api_load(hip_api *api, char *text, size_t text_bytes);
void hip_api_unload(hip_api *api);

#endif // FMHAC_HIP_LOADER_H
