// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Devices: open one, give it memory, load a code object, launch a kernel. The
/// same calls serve the embedded gfx950 emulator ("emu") and an AMD GPU through
/// the HIP runtime ("hip", "hip:1"). Functions of the emulator alone (checks,
/// schedules, buffers at chosen addresses) are in fmhac_emu.h.
///
/// Rules: `create/open` own, `get` borrows, out-parameters come last and are
/// empty until success. No function prints, exits or keeps global state.
/// Several threads may use one device: the emulator serves one call after the
/// other; on hip the calls are concurrent, which the HIP runtime supports.
/// Closing must be the last call on a device. Destroy a module or a stream only
/// when no other thread uses it.
///
/// A null pointer where an object, a struct or an out-parameter is expected is
/// INVALID_INPUT, with a text in the device if a device is given; functions
/// that return no status return 0, NULL, "" or do nothing. `close`, `destroy`
/// and `unload` of NULL do nothing. An object of another device is
/// INVALID_INPUT. This holds for fmhac_emu.h, fmhac_timing.h and
/// fmhac_disasm.h, too.
///
/// Transfers wait for all earlier launches and transfers of the device, on
/// every stream, and are complete when they return. The form with `_async` is
/// put on a stream (NULL: the default stream): it runs after the earlier work
/// of this stream, and waits for no other work. Until it is complete the host's
/// memory must not change; from memory that is not pinned (hipHostMalloc), HIP
/// may copy before the call returns. On the emulator both forms are complete
/// when the call returns, on every stream. A transfer of 0 bytes moves nothing
/// and checks no address.
///
/// A struct begins with its `size`, which the caller sets. A caller that was
/// built with an earlier header passes a smaller size: members that its header
/// does not have count as 0. Members of a later header that this library does
/// not know must be 0, else the result is UNSUPPORTED; in a struct that the
/// library fills in they become 0.
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
/// the value of the pointer from hipMalloc().
typedef uint64_t fmhac_device_ptr;
/// The address of a pointer of the HIP runtime.
#define FMHAC_DEVICE_PTR(pointer) ((fmhac_device_ptr)(uintptr_t)(pointer))

/// An open device.
typedef struct fmhac_rt_device fmhac_rt_device;
/// A code object on a device.
typedef struct fmhac_rt_module fmhac_rt_module;
/// A point in the work of a stream. On hip it is a hipEvent_t.
typedef struct fmhac_rt_event fmhac_rt_event;

/// Opens the device that `uri` names: "emu" or "hip[:N]". For the reason of a
/// failure use fmhac_rt_device_open_with_text().
/// Errors: INVALID_INPUT (unknown uri), DEVICE_UNAVAILABLE, OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_device_open(const char *uri, fmhac_rt_device **out_device);

/// As fmhac_rt_device_open(). On failure it writes its attempts and their
/// results into `text` (at most `text_bytes`, always terminated; may be NULL).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_device_open_with_text(const char *uri, char *text, size_t text_bytes,
                               fmhac_rt_device **out_device);

/// Releases the device, its memory and its modules. NULL is allowed.
FMHAC_API void fmhac_rt_device_close(fmhac_rt_device *device);

/// The reason why the calling thread's last call on this device failed, or ""
/// if it succeeded. Borrowed, valid until that thread's next call on the
/// device. Calls that only read results of a launch (findings, listing, stats,
/// times) keep the text of the launch unless they fail themselves.
FMHAC_API const char *fmhac_rt_last_error(const fmhac_rt_device *device);

/// Facts about a device. The first release ended with
/// `lds_bytes_per_workgroup`.
typedef struct fmhac_rt_device_info {
  size_t size;            ///< sizeof(fmhac_rt_device_info), set by the caller
  char kind[8];           ///< "emu" or "hip"
  char architecture[64];  ///< "gfx950"
  char name[128];         ///< of the part, for display
  uint32_t compute_units; ///< 0: the driver does not say
  uint32_t lds_bytes_per_workgroup;
  char driver[256]; ///< file of the HIP runtime; "" on the emulator
  /// All memory of the device, in use or not; 0: the driver does not say. The
  /// emulator has that of an MI355X, 288 GiB.
  uint64_t memory_bytes;
} fmhac_rt_device_info;

/// Fills in the facts about the device. Errors: INVALID_INPUT (`size`),
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

/// Unloads a module. Does nothing for NULL and for pointers that are not a
/// module of this device.
FMHAC_API void fmhac_rt_module_unload(fmhac_rt_device *device,
                                      fmhac_rt_module *module);

/// Makes a stream. Launches on one stream run in their order; launches on two
/// streams run in any order. On hip it is a hipStream_t that does not wait for
/// the default stream. On the emulator a launch is complete when the call
/// returns, on every stream. The caller destroys the stream; closing the device
/// does, too. Errors: OUT_OF_MEMORY, LAUNCH_FAILED (an error of the HIP
/// runtime).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_stream_create(fmhac_rt_device *device, void **out_stream);

/// Destroys a stream of fmhac_rt_stream_create(). Launches on it still run to
/// their ends. NULL is allowed. Errors: INVALID_INPUT (no such stream of
/// this device), LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_stream_destroy(fmhac_rt_device *device, void *stream);

/// Waits for all launches on the stream; NULL is the default stream. Errors:
/// INVALID_INPUT (no such stream), LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_stream_synchronize(fmhac_rt_device *device, void *stream);

/// Whether launches on the stream are currently recorded (hipGraph) instead of
/// run; always false on the emulator. Errors: INVALID_INPUT (on hip: no such
/// stream), LAUNCH_FAILED.
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

/// Puts the event after the work that the stream (NULL: the default stream) has
/// so far. An event may be recorded again; the last time counts. Errors:
/// INVALID_INPUT (no such event of this device; on hip also: no such stream),
/// LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_rt_event_record(
    fmhac_rt_device *device, fmhac_rt_event *event, void *stream);

/// Makes later work on a stream (NULL: the default stream) wait for the event;
/// the caller does not wait. Nothing waits for an event that was never
/// recorded. Errors: as fmhac_rt_event_record().
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_rt_stream_wait_event(
    fmhac_rt_device *device, void *stream, fmhac_rt_event *event);

/// Waits until the device has reached the event. Returns at once if the event
/// was never recorded. Errors: INVALID_INPUT (no such event of this device),
/// LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_event_synchronize(fmhac_rt_device *device, fmhac_rt_event *event);

/// Waits for both events, which must have been recorded, and returns the
/// seconds of device time between them. On hip it is the GPU's own clock
/// (hipEventElapsedTime). On the emulator it is the sum of
/// fmhac_timing_grid.seconds of the launches in between. This is time of the
/// cycle model, in which transfers take no time; the host's clock would say
/// nothing about a GPU. Negative if `end` was recorded first. Errors:
/// INVALID_INPUT (no
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
  uint32_t block[3];  ///< work-items per workgroup
  uint32_t dynamic_lds_bytes;
  const void *kernarg;  ///< bytes of the kernarg segment
  size_t kernarg_bytes; ///< may be less than the segment: the rest is zero
  void *stream;         ///< hipStream_t on hip; on emu, for its race check
} fmhac_rt_launch;

/// Launches a kernel. On hip the call returns when the launch is queued, or
/// recorded by a stream that is being captured; it allocates nothing for kernel
/// arguments up to 1024 bytes and waits for nothing. On the emulator the launch
/// is complete when the call returns.
/// Errors: INVALID_INPUT (also: no module of this device), UNSUPPORTED (more
/// than 2^32 work-items in all; on the emulator also what it cannot execute),
/// LAUNCH_FAILED, CHECK_FAILED (on the emulator).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_launch_kernel(fmhac_rt_device *device, fmhac_rt_module *module,
                       const fmhac_rt_launch *launch);

/// Waits for all launches on the device. Errors: LAUNCH_FAILED (on hip: a
/// launch that it waits for failed).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_rt_synchronize(fmhac_rt_device *device);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_RT_H
