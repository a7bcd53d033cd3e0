// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prototypes and numbers of runtime/hip/hip_loader.h against HIP's own
// headers, and those of the libamdhip64 of the tests against both. Only
// compiled: once as it is, with HIP's headers, and once with OF_THE_TESTS.
#include <stddef.h>

#define SAME(a, b) __builtin_types_compatible_p(a, b)

// 1. What the loader calls is what is written in prototypes.def, with an int
// for each of HIP's enumerations and a void * for each of its objects.
#define ERROR int
#define DEVICE int
#define COPY int
#define ATTRIBUTE int
#define CAPTURE int
#define STREAM void *
#define EVENT void *
#define MODULE void *
#define FUNCTION void *

#ifdef OF_THE_TESTS
#include "hip_test.h"

#define ENTRY(name, result, arguments)                                         \
  _Static_assert(SAME(__typeof__(&hip##name), result(*) arguments),            \
                 "hip" #name " of the tests");
#include "prototypes.def"
#undef ENTRY

#else
#include "hip_loader.h"

#define ENTRY(name, result, arguments)                                         \
  _Static_assert(SAME(__typeof__(((hip_api *)0)->name), result(*) arguments),  \
                 "hip_api." #name);
#include "prototypes.def"
#undef ENTRY

enum {
#define ENTRY(name, result, arguments) ROW_##name,
#include "prototypes.def"
#undef ENTRY
  ROWS
};
_Static_assert(sizeof(hip_api) ==
                   offsetof(hip_api, Init) + ROWS * sizeof(void (*)(void)),
               "each entry point of hip_api has a row in prototypes.def");

#undef ERROR
#undef DEVICE
#undef COPY
#undef ATTRIBUTE
#undef CAPTURE
#undef STREAM
#undef EVENT
#undef MODULE
#undef FUNCTION

// 2. The same rows are what HIP declares, with its types.
#include <hip/hip_runtime_api.h>

#define ERROR hipError_t
#define DEVICE hipDevice_t
#define COPY hipMemcpyKind
#define ATTRIBUTE hipDeviceAttribute_t
#define CAPTURE hipStreamCaptureStatus
#define STREAM hipStream_t
#define EVENT hipEvent_t
#define MODULE hipModule_t
#define FUNCTION hipFunction_t

#define ENTRY(name, result, arguments)                                         \
  _Static_assert(SAME(__typeof__(&hip##name), result(*) arguments),            \
                 "hip" #name " of HIP");
#include "prototypes.def"
#undef ENTRY

// 3. HIP's types travel as those that stand for them: enumerations as int,
// objects as pointers.
enum { POINTER = __builtin_classify_type((void *)0) };
#define LIKE_INT(type) _Static_assert(sizeof(type) == sizeof(int), #type)
#define LIKE_POINTER(type)                                                     \
  _Static_assert(__builtin_classify_type((type)0) == (int)POINTER, #type)
LIKE_INT(hipError_t);
LIKE_INT(hipMemcpyKind);
LIKE_INT(hipDeviceAttribute_t);
LIKE_INT(hipStreamCaptureStatus);
_Static_assert(SAME(hipDevice_t, int), "hipDevice_t");
LIKE_POINTER(hipStream_t);
LIKE_POINTER(hipEvent_t);
LIKE_POINTER(hipModule_t);
LIKE_POINTER(hipFunction_t);

// 4. Numbers.
#define IS(ours, theirs) _Static_assert((int)ours == (int)theirs, #theirs)
IS(HIP_COPY_HOST_TO_DEVICE, hipMemcpyHostToDevice);
IS(HIP_COPY_DEVICE_TO_HOST, hipMemcpyDeviceToHost);
IS(HIP_COPY_DEVICE_TO_DEVICE, hipMemcpyDeviceToDevice);
IS(HIP_STREAM_NON_BLOCKING, hipStreamNonBlocking);
IS(HIP_EVENT_DEFAULT, hipEventDefault);
IS(HIP_ATTRIBUTE_COMPUTE_UNITS, hipDeviceAttributeMultiprocessorCount);
IS(HIP_CAPTURE_NONE, hipStreamCaptureStatusNone);
IS(HIP_INVALID_VALUE, hipErrorInvalidValue);
IS(HIP_OUT_OF_MEMORY, hipErrorOutOfMemory);
IS(HIP_INVALID_CONFIGURATION, hipErrorInvalidConfiguration);
IS(HIP_INVALID_DEVICE_POINTER, hipErrorInvalidDevicePointer);
IS(HIP_NO_DEVICE, hipErrorNoDevice);
IS(HIP_INVALID_DEVICE, hipErrorInvalidDevice);
IS(HIP_INVALID_IMAGE, hipErrorInvalidImage);
IS(HIP_NO_BINARY_FOR_GPU, hipErrorNoBinaryForGpu);
IS(HIP_INVALID_KERNEL_FILE, hipErrorInvalidKernelFile);
IS(HIP_INVALID_HANDLE, hipErrorInvalidHandle);
IS(HIP_NOT_FOUND, hipErrorNotFound);
IS(HIP_CONTEXT_IS_DESTROYED, hipErrorContextIsDestroyed);
IS(HIP_CAPTURE_UNSUPPORTED, hipErrorStreamCaptureUnsupported);
IS(HIP_CAPTURE_WRONG_THREAD, hipErrorStreamCaptureWrongThread);
// Of a launch's `extra` (hip_module.c).
_Static_assert(HIP_LAUNCH_PARAM_BUFFER_POINTER == (void *)1 &&
                   HIP_LAUNCH_PARAM_BUFFER_SIZE == (void *)2 &&
                   HIP_LAUNCH_PARAM_END == (void *)3,
               "HIP_LAUNCH_PARAM_*");
// Those that the libamdhip64 of the tests answers.
#define X(name, number, text) IS(number, hip##name);
#include "errors.def"
#undef X
#endif
