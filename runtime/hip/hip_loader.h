// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The HIP runtime, found at run time. Own prototypes for the few entry points
/// used (HIP API reference, "Module Management", "Memory Management", "Stream
/// Management", "Event Management"), held to HIP's headers by
/// test/hip/prototypes.c; never hipDeviceProp_t, whose layout changed between
/// ROCm releases.
#ifndef FMHAC_HIP_LOADER_H
#define FMHAC_HIP_LOADER_H

#include <stdbool.h>
#include <stddef.h>

/// hipMemcpyKind.
enum {
  HIP_COPY_HOST_TO_DEVICE = 1,
  HIP_COPY_DEVICE_TO_HOST = 2,
  HIP_COPY_DEVICE_TO_DEVICE = 3
};

/// hipStreamNonBlocking: no implicit order with the default stream.
enum { HIP_STREAM_NON_BLOCKING = 1 };

/// hipEventDefault: an event that has a time.
enum { HIP_EVENT_DEFAULT = 0 };

/// hipDeviceAttributeMultiprocessorCount. hipDeviceAttribute_t keeps the
/// numbers of removed members ("hipDeviceAttributeUnused1", ...): it is 63 in
/// the headers of HIP 5.2.3 (Debian), 6.3 (ROCm/HIP c5e11fc) and of
/// ROCm/rocm-systems 003a5d1 (ROCm 7).
enum { HIP_ATTRIBUTE_COMPUTE_UNITS = 63 };

/// hipStreamCaptureStatus.
enum { HIP_CAPTURE_NONE = 0 };

/// Values of hipError_t that are distinguished here; the numbers are part of
/// HIP's interface (hip_runtime_api.h, hipError_t).
enum {
  HIP_INVALID_VALUE = 1,
  HIP_OUT_OF_MEMORY = 2,
  HIP_INVALID_CONFIGURATION = 9,
  HIP_INVALID_DEVICE_POINTER = 17,
  HIP_NO_DEVICE = 100,
  HIP_INVALID_DEVICE = 101,
  HIP_INVALID_IMAGE = 200,
  HIP_NO_BINARY_FOR_GPU = 209,
  HIP_INVALID_KERNEL_FILE = 218,
  HIP_INVALID_HANDLE = 400,
  HIP_NOT_FOUND = 500,
  HIP_CONTEXT_IS_DESTROYED = 709, ///< also: no such stream
  HIP_CAPTURE_UNSUPPORTED = 900,  ///< not while a stream is captured
  HIP_CAPTURE_WRONG_THREAD = 908  ///< the last of those about captures
};

/// Entry points; hipError_t is int, 0 is success.
typedef struct hip_api {
  void *library;  ///< of dlopen()
  char path[256]; ///< of its file
  int (*Init)(unsigned flags);
  int (*GetDeviceCount)(int *count);
  int (*GetDevice)(int *device); ///< of the calling thread, as SetDevice
  int (*SetDevice)(int device);
  int (*DeviceGetName)(char *name, int bytes, int device);
  int (*DeviceComputeCapability)(int *major, int *minor, int device);
  int (*Malloc)(void **address, size_t bytes);
  int (*Free)(void *address);
  int (*Memcpy)(void *to, const void *from, size_t bytes, int kind);
  int (*MemcpyAsync)(void *to, const void *from, size_t bytes, int kind,
                     void *stream);
  int (*MemsetAsync)(void *to, int value, size_t bytes, void *stream);
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
  int (*StreamWaitEvent)(void *stream, void *event, unsigned flags);
  int (*EventCreateWithFlags)(void **event, unsigned flags);
  int (*EventDestroy)(void *event);
  int (*EventRecord)(void *event, void *stream);
  int (*EventSynchronize)(void *event);
  int (*EventElapsedTime)(float *milliseconds, void *start, void *end);
  const char *(*GetErrorString)(int error);
  // Optional: NULL where the library has none.
  int (*DeviceGetAttribute)(int *value, int attribute, int device);
  int (*DeviceTotalMem)(size_t *bytes, int device);
  int (*StreamIsCapturing)(void *stream, int *status);
  int (*RuntimeGetVersion)(int *version); ///< 70051831 is HIP 7.0.51831
} hip_api;

/// ROCm's folder.
#define HIP_ROCM_FOLDER "/opt/rocm"

/// Finds a HIP runtime and resolves its entry points. A runtime that the
/// process has loaded already is used, whatever its version; else the newest
/// one in the search path or the folder `rocm`. On failure returns false;
/// `text` then lists each library that was tried, and the reason.
bool hip_api_load(hip_api *api, const char *rocm, char *text,
                  size_t text_bytes);
void hip_api_unload(hip_api *api);

#endif // FMHAC_HIP_LOADER_H
