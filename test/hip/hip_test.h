// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A libamdhip64 made of the emulator, for tests: own prototypes of the HIP
/// entry points that it has, and what tests may ask of it besides (hipTest...).
///
/// Streams run on threads of their own. Unless FMHAC_TEST_HIP_ORDER=eager, what
/// is queued begins only when somebody waits for it or asks whether it is done,
/// so that a missing wait shows every time. Errors are HIP's own numbers, and
/// what may be called during a capture is what ROCm's runtime allows
/// (ROCm/clr f9f995c, hipamd/src/hip_internal.hpp: CHECK_STREAM_CAPTURE_*,
/// CHECK_SUPPORTED_DURING_CAPTURE, STREAM_CAPTURE).
///
/// Where it differs from a GPU: a fault of a kernel does not end the process,
/// the next call that waits returns it (700 a check's finding, 719 the emulator
/// could not go on); kernel parameters are taken as one buffer (`extra`) only,
/// of the segment's size at least; a capture has one stream.
///
/// Read when the first entry point is called:
///   FMHAC_TEST_HIP_DEVICES  how many devices there are (1)
///   FMHAC_TEST_HIP_ARCH     theirs, "gfx950" or "gfx942,gfx950" (gfx950)
///   FMHAC_TEST_HIP_FAIL     calls that fail, as hipTestFail() takes them
///   FMHAC_TEST_HIP_ORDER    late or eager (late)
///   FMHAC_TEST_HIP_NULL_LAUNCH  1: hipModuleLaunchKernel() and hipGetDevice()
///                           do nothing, and are not counted: to time callers
///   FMHAC_TEST_HIP_VERBOSE  1: faults of kernels are told on stderr
#ifndef FMHAC_TEST_HIP_TEST_H
#define FMHAC_TEST_HIP_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

int hipInit(unsigned flags);
int hipRuntimeGetVersion(int *version);
int hipGetDeviceCount(int *count);
int hipGetDevice(int *device);
int hipSetDevice(int device);
int hipDeviceGetName(char *name, int bytes, int device);
int hipDeviceComputeCapability(int *major, int *minor, int device);
int hipDeviceGetAttribute(int *value, int attribute, int device);
int hipDeviceTotalMem(size_t *bytes, int device);
int hipDeviceSynchronize(void);
int hipMalloc(void **address, size_t bytes);
int hipFree(void *address);
int hipMemcpy(void *to, const void *from, size_t bytes, int kind);
int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                   void *stream);
int hipMemsetAsync(void *to, int value, size_t bytes, void *stream);
int hipModuleLoadData(void **module, const void *image);
int hipModuleUnload(void *module);
int hipModuleGetFunction(void **function, void *module, const char *name);
int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y,
                          unsigned grid_z, unsigned block_x, unsigned block_y,
                          unsigned block_z, unsigned lds_bytes, void *stream,
                          void **parameters, void **extra);
int hipStreamCreate(void **stream);
int hipStreamCreateWithFlags(void **stream, unsigned flags);
int hipStreamDestroy(void *stream);
int hipStreamSynchronize(void *stream);
int hipStreamQuery(void *stream);
int hipStreamWaitEvent(void *stream, void *event, unsigned flags);
int hipStreamBeginCapture(void *stream, int mode);
int hipStreamEndCapture(void *stream, void **graph);
int hipStreamIsCapturing(void *stream, int *status);
int hipThreadExchangeStreamCaptureMode(int *mode);
int hipGraphInstantiate(void **exec, void *graph, void **error_node, char *log,
                        size_t log_bytes);
int hipGraphLaunch(void *exec, void *stream);
int hipGraphExecDestroy(void *exec);
int hipGraphDestroy(void *graph);
int hipEventCreate(void **event);
int hipEventCreateWithFlags(void **event, unsigned flags);
int hipEventRecord(void *event, void *stream);
int hipEventQuery(void *event);
int hipEventSynchronize(void *event);
int hipEventElapsedTime(float *milliseconds, void *start, void *stop);
int hipEventDestroy(void *event);
int hipGetLastError(void);
int hipPeekAtLastError(void);
const char *hipGetErrorName(int error);
const char *hipGetErrorString(int error);

/// Calls of an entry point so far, failed ones included; of all for NULL.
uint64_t hipTestCalls(const char *name);
/// The device that was the caller's current one at the last call of an entry
/// point; -1: there was none.
int hipTestDevice(const char *name);
/// The kernel of the last launch that was taken, "" before the first; how many
/// workgroups it has and how large they are. The name is valid until the next.
const char *hipTestLaunched(unsigned out_grid[3], unsigned out_block[3]);
/// Which calls fail: "hipMalloc=2,hipMemcpy=719@3" fails each hipMalloc with 2
/// and the third hipMemcpy from now on with 719. NULL or "": none. False: not
/// understood.
bool hipTestFail(const char *spec);
/// Whether the calling thread is inside an entry point.
bool hipTestInside(void);
/// What the emulator said of the last fault of a kernel.
const char *hipTestFault(void);
/// What is still held: memory, modules, streams of hipStreamCreate, events,
/// graphs (captured or instantiated).
int hipTestHeld(void);

#pragma GCC visibility pop

#endif // FMHAC_TEST_HIP_TEST_H
