// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Devices: open one, give it memory, load a code object, launch a kernel. The
/// same calls serve the embedded gfx950 emulator ("emu") and an AMD GPU through
/// the HIP runtime ("hip", "hip:1"). What only the emulator can do (checks,
/// schedules, buffers at chosen addresses) is in fmhac_emu.h.
///
/// Rules: `create/open` own, `get` borrows, out-parameters come last and are
/// empty until success. Nothing prints, exits or keeps global state. Several
/// threads may use one device: the emulator serves them one after the other, on
/// hip they meet in the HIP runtime, which is made for it. Closing is the last
/// call; a module or a stream goes when no other thread uses it.
///
/// A null pointer where an object, a struct or an out-parameter is expected is
/// INVALID_INPUT, with a text in the device if one is given; functions that
/// return no status answer 0, NULL, "" or do nothing. `close`, `destroy` and
/// `unload` of NULL do nothing. An object of another device is INVALID_INPUT.
/// This holds for fmhac_emu.h, fmhac_timing.h and fmhac_disasm.h, too.
///
/// Transfers wait for all earlier launches and transfers of the device, on
/// every stream, and are done when they return. Their form with `_async` is put
/// on a stream (NULL: the default stream): it is done after what the stream was
/// given before, and waits for nothing else. Until then the host's memory must
/// stay as it is; HIP may copy before it returns from memory that is not
/// pinned (hipHostMalloc). The emulator is done with either when the call
/// returns, whatever the stream. Of 0 bytes nothing is moved and no address is
/// looked at.
///
/// A struct begins with its `size`, which the caller sets. A caller that was
/// built with an earlier header passes a smaller one: what its header does not
/// have counts as 0. What a later header has besides must be 0, else the answer
/// is UNSUPPORTED; in a struct that is filled in it becomes 0.
#ifndef FMHAC_RT_H
#define FMHAC_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fmhac_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An address in a device's memory, as kernels see it; 0 is none. On hip it is
/// the number of the pointer that hipMalloc() gives.
typedef uint64_t fmhac_device_ptr;
/// The address of a pointer of the HIP runtime.
#define FMHAC_DEVICE_PTR(pointer) ((fmhac_device_ptr)(uintptr_t)(pointer))

/// An open device.
typedef struct fmhac_rt_device fmhac_rt_device;
/// A code object on a device.
typedef struct fmhac_rt_module fmhac_rt_module;
/// A point in what a stream does. On hip it is a hipEvent_t.
typedef struct fmhac_rt_event fmhac_rt_event;

/// Opens the device that `uri` names: "emu" or "hip[:N]". On failure the reason
/// is lost; use fmhac_rt_device_open_with_text() to keep it.
/// Errors: INVALID_INPUT (unknown uri), DEVICE_UNAVAILABLE, OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_device_open(const char *uri, fmhac_rt_device **out_device);

/// As fmhac_rt_device_open(); on failure writes what was tried and what was
/// found into `text` (at most `text_bytes`, always terminated; may be NULL).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_device_open_with_text(const char *uri, char *text, size_t text_bytes,
                               fmhac_rt_device **out_device);

/// Releases the device, its memory and its modules. NULL is allowed.
FMHAC_API void fmhac_rt_device_close(fmhac_rt_device *device);

/// Why the calling thread's last call on this device failed, "" if it did not;
/// borrowed, valid until that thread's next call on the device. Calls that only
/// read what a launch left (findings, listing, stats, times) keep the text of
/// the launch unless they fail themselves.
FMHAC_API const char *fmhac_rt_last_error(const fmhac_rt_device *device);

/// What the device is. The first release ended with `lds_bytes_per_workgroup`.
typedef struct fmhac_rt_device_info {
  size_t size;            ///< sizeof(fmhac_rt_device_info), set by the caller
  char kind[8];           ///< "emu" or "hip"
  char architecture[64];  ///< "gfx950"
  char name[128];         ///< of the part, for people
  uint32_t compute_units; ///< 0: the driver does not say
  uint32_t lds_bytes_per_workgroup;
  char driver[256]; ///< file of the HIP runtime; "" on the emulator
  /// All memory of the device, in use or not; 0: the driver does not say. The
  /// emulator has that of an MI355X, 288 GiB.
  uint64_t memory_bytes;
} fmhac_rt_device_info;

/// Fills in what the device is. Errors: INVALID_INPUT (`size`),
/// DEVICE_UNAVAILABLE.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_rt_device_get_info(
    fmhac_rt_device *device, fmhac_rt_device_info *out_info);

/// Reserves `bytes` of device memory; contents are uninitialised.
/// Errors: OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_rt_alloc(
    fmhac_rt_device *device, size_t bytes, fmhac_device_ptr *out_address);

/// Frees memory of fmhac_rt_alloc() on this device; on hip this waits for the
/// device. Errors: INVALID_INPUT (unknown address), LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_rt_free(fmhac_rt_device *device,
                                                    fmhac_device_ptr address);

/// Copies host memory to [address, address + bytes). Errors: INVALID_INPUT (not
/// inside one allocation; on hip also: no such stream), LAUNCH_FAILED (on hip:
/// also of a launch that is waited for).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_rt_copy_in(fmhac_rt_device *device,
                                                       fmhac_device_ptr address,
                                                       const void *host,
                                                       size_t bytes);
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_copy_in_async(fmhac_rt_device *device, fmhac_device_ptr address,
                       const void *host, size_t bytes, void *stream);

/// Copies [address, address + bytes) to host memory. Errors: as
/// fmhac_rt_copy_in().
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_copy_out(fmhac_rt_device *device, fmhac_device_ptr address, void *host,
                  size_t bytes);
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_copy_out_async(fmhac_rt_device *device, fmhac_device_ptr address,
                        void *host, size_t bytes, void *stream);

/// Copies [from, from + bytes) to [to, to + bytes), both on the device.
/// Errors: as fmhac_rt_copy_in(); INVALID_INPUT (the two overlap).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_rt_copy(fmhac_rt_device *device,
                                                    fmhac_device_ptr to,
                                                    fmhac_device_ptr from,
                                                    size_t bytes);
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_copy_async(fmhac_rt_device *device, fmhac_device_ptr to,
                    fmhac_device_ptr from, size_t bytes, void *stream);

/// Sets each byte of [address, address + bytes) to `value`. Errors: as
/// fmhac_rt_copy_in().
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_rt_fill(fmhac_rt_device *device,
                                                    fmhac_device_ptr address,
                                                    uint8_t value,
                                                    size_t bytes);
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_fill_async(fmhac_rt_device *device, fmhac_device_ptr address,
                    uint8_t value, size_t bytes, void *stream);

/// Loads a code object; copies the bytes.
/// Errors: INVALID_INPUT (truncated, not ELF, another chip), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_module_load(fmhac_rt_device *device, const void *code, size_t bytes,
                     fmhac_rt_module **out_module);

/// Unloads a module. NULL, and what is no module of this device, does nothing.
FMHAC_API void fmhac_rt_module_unload(fmhac_rt_device *device,
                                      fmhac_rt_module *module);

/// Makes a stream: launches on one stream run in their order, launches on two
/// in any. On hip it is a hipStream_t that does not wait for the default
/// stream; the emulator is done with a launch when the call returns, on every
/// stream. The caller destroys it; closing the device does, too. Errors:
/// OUT_OF_MEMORY, LAUNCH_FAILED (an error of the HIP runtime).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_stream_create(fmhac_rt_device *device, void **out_stream);

/// Destroys a stream of fmhac_rt_stream_create(); what was launched on it still
/// runs to its end. NULL is allowed. Errors: INVALID_INPUT (no such stream of
/// this device), LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_stream_destroy(fmhac_rt_device *device, void *stream);

/// Waits for everything that was launched on the stream; NULL is the default
/// stream. Errors: INVALID_INPUT (no such stream), LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_stream_synchronize(fmhac_rt_device *device, void *stream);

/// Whether launches on the stream are at present recorded (hipGraph) and not
/// run; the emulator records none, whatever the stream. Errors: INVALID_INPUT
/// (on hip: no such stream), LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_rt_stream_is_capturing(
    fmhac_rt_device *device, void *stream, bool *out_capturing);

/// Makes an event. The caller destroys it; closing the device does, too.
/// Errors: OUT_OF_MEMORY, LAUNCH_FAILED (an error of the HIP runtime).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_event_create(fmhac_rt_device *device, fmhac_rt_event **out_event);

/// Destroys an event of fmhac_rt_event_create(). NULL is allowed. Errors:
/// INVALID_INPUT (no such event of this device), LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_event_destroy(fmhac_rt_device *device, fmhac_rt_event *event);

/// Puts the event after what the stream (NULL: the default stream) was given so
/// far. An event may be recorded again: the last time counts. Errors:
/// INVALID_INPUT (no such event of this device; on hip also: no such stream),
/// LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_rt_event_record(
    fmhac_rt_device *device, fmhac_rt_event *event, void *stream);

/// Lets what a stream (NULL: the default stream) is given from now on wait for
/// the event; the caller does not wait. An event that was never recorded is
/// nothing to wait for. Errors: as fmhac_rt_event_record().
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_rt_stream_wait_event(
    fmhac_rt_device *device, void *stream, fmhac_rt_event *event);

/// Waits until the device has come to the event; at once if it was never
/// recorded. Errors: INVALID_INPUT (no such event of this device),
/// LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_event_synchronize(fmhac_rt_device *device, fmhac_rt_event *event);

/// Waits for both events, which must have been recorded, and says how many
/// seconds of the device lie between them. On hip it is the GPU's own clock
/// (hipEventElapsedTime). On the emulator it is the sum of
/// fmhac_timing_grid.seconds of the launches in between: time of the cycle
/// model, in which transfers take none; the host's clock would say nothing
/// about a GPU. Negative if `end` was recorded first. Errors: INVALID_INPUT (no
/// such event of this device, or not recorded yet), UNSUPPORTED (on the
/// emulator: a launch in between was not timed, see
/// fmhac_emu_options.timing), LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_event_elapsed(fmhac_rt_device *device, fmhac_rt_event *start,
                       fmhac_rt_event *end, double *out_seconds);

/// One kernel launch. The first release ended with `stream`.
typedef struct fmhac_rt_launch {
  size_t size;        ///< sizeof(fmhac_rt_launch), set by the caller
  const char *kernel; ///< name; NULL takes the module's only kernel
  uint32_t grid[3];   ///< workgroups
  uint32_t block[3];  ///< work-items a workgroup
  uint32_t dynamic_lds_bytes;
  const void *kernarg;  ///< bytes of the kernarg segment
  size_t kernarg_bytes; ///< may be less than the segment: the rest is zero
  void *stream;         ///< hipStream_t on hip; ignored on emu, whatever it is
} fmhac_rt_launch;

/// Launches. On hip it returns when the launch is queued, or recorded by a
/// stream that is being captured; it allocates nothing for kernel arguments up
/// to 1024 bytes and waits for nothing. The emulator has run it.
/// Errors: INVALID_INPUT (also: no module of this device), UNSUPPORTED (more
/// than 2^32 work-items in all; on the emulator also what it cannot execute),
/// LAUNCH_FAILED, CHECK_FAILED (on the emulator).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_launch_kernel(fmhac_rt_device *device, fmhac_rt_module *module,
                       const fmhac_rt_launch *launch);

/// Waits for everything that was launched on the device. Errors: LAUNCH_FAILED
/// (on hip: of a launch that it waits for).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_synchronize(fmhac_rt_device *device);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_RT_H
