// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The interface of a kind of device to rt.c: one table of functions. A device
/// object begins with struct fmhac_rt_device, so that rt.c can dispatch without
/// knowing the rest; modules are opaque to rt.c.
#ifndef FMHAC_RUNTIME_DEVICE_H
#define FMHAC_RUNTIME_DEVICE_H

#include "fmhac_rt.h"
#include "thread_text.h"

/// Maximum size of the emulator's error texts.
enum { FMHAC_RT_TEXT_BYTES = 16384 };

/// Kinds of transfers. `to` is a device address except in a copy out; `from` is
/// a device address in a copy out and in a copy on the device. Otherwise they
/// are host addresses.
typedef enum fmhac_rt_transfer_kind {
  FMHAC_RT_COPY_IN,
  FMHAC_RT_COPY_OUT,
  FMHAC_RT_COPY,
  FMHAC_RT_FILL
} fmhac_rt_transfer_kind;

/// One transfer of fmhac_rt.h. The ranges do not overlap; host memory is not
/// NULL unless the transfer has 0 bytes.
typedef struct fmhac_rt_transfer {
  fmhac_rt_transfer_kind kind;
  void *to;
  const void *from; ///< unused by a fill
  size_t bytes;
  uint8_t value; ///< of a fill
  bool is_async;
  void *stream; ///< of an asynchronous one
} fmhac_rt_transfer;

typedef struct fmhac_rt_vtable {
  const char *kind;   ///< "emu", "hip"
  bool one_at_a_time; ///< serial: calls on the device wait for each other
  void (*close)(fmhac_rt_device *);
  fmhac_status (*get_info)(fmhac_rt_device *, fmhac_rt_device_info *);
  fmhac_status (*alloc)(fmhac_rt_device *, size_t, fmhac_device_ptr *);
  fmhac_status (*release)(fmhac_rt_device *, fmhac_device_ptr);
  fmhac_status (*transfer)(fmhac_rt_device *, const fmhac_rt_transfer *);
  fmhac_status (*module_load)(fmhac_rt_device *, const void *, size_t,
                              fmhac_rt_module **);
  void (*module_unload)(fmhac_rt_device *, fmhac_rt_module *);
  fmhac_status (*launch)(fmhac_rt_device *, fmhac_rt_module *,
                         const fmhac_rt_launch *);
  fmhac_status (*synchronize)(fmhac_rt_device *);
  fmhac_status (*stream_create)(fmhac_rt_device *, void **);
  fmhac_status (*stream_destroy)(fmhac_rt_device *, void *);
  fmhac_status (*stream_synchronize)(fmhac_rt_device *, void *);
  /// NULL: never.
  fmhac_status (*stream_is_capturing)(fmhac_rt_device *, void *, bool *);
  fmhac_status (*event_create)(fmhac_rt_device *, fmhac_rt_event **);
  fmhac_status (*event_destroy)(fmhac_rt_device *, fmhac_rt_event *);
  fmhac_status (*event_record)(fmhac_rt_device *, fmhac_rt_event *, void *);
  fmhac_status (*stream_wait_event)(fmhac_rt_device *, void *,
                                    fmhac_rt_event *);
  fmhac_status (*event_synchronize)(fmhac_rt_device *, fmhac_rt_event *);
  fmhac_status (*event_elapsed)(fmhac_rt_device *, fmhac_rt_event *,
                                fmhac_rt_event *, double *);
} fmhac_rt_vtable;

struct fmhac_rt_device {
  const fmhac_rt_vtable *vtable;
  pthread_mutex_t turn;
  fmhac_thread_texts texts; ///< of each thread's last failure
};

/// Initialises the common part of a device.
void fmhac_rt_device_init(fmhac_rt_device *device,
                          const fmhac_rt_vtable *vtable);
void fmhac_rt_device_deinit(fmhac_rt_device *device);

/// Checks that `pointer`, the argument `argument` of `call`, is not NULL: else
/// INVALID_INPUT, with a text if `device` is not NULL.
fmhac_status fmhac_rt_need(const fmhac_rt_device *device, const char *call,
                           const char *argument, const void *pointer);

/// fmhac_struct_in() and fmhac_struct_out() (sized_struct.h) for an argument of
/// `call`. The text of a failure goes to the device.
fmhac_status fmhac_rt_struct_in(const fmhac_rt_device *device, const char *call,
                                void *to, size_t known_bytes,
                                size_t least_bytes, const void *from,
                                const char *name);
fmhac_status fmhac_rt_struct_out(const fmhac_rt_device *device,
                                 const char *call, void *to, const void *from,
                                 size_t known_bytes, size_t least_bytes,
                                 const char *name);
/// Copies `from`, a `type` as this library knows it, to the caller's `to`. The
/// first release of the struct ended with `last`.
#define FMHAC_RT_STRUCT_OUT(device, call, to, from, type, last)                \
  fmhac_rt_struct_out((device), (call), (to), (from), sizeof(type),            \
                      FMHAC_SIZE_THROUGH(type, last), #type)

/// Clears the calling thread's error text, at the start of every call.
void fmhac_rt_clear_error(fmhac_rt_device *device);
/// Locks a device that serves one call at a time.
void fmhac_rt_lock_if_serial(fmhac_rt_device *device);
/// Unlocks such a device; returns `status`.
fmhac_status fmhac_rt_unlock_if_serial(fmhac_rt_device *device,
                                       fmhac_status status);

/// Sets the error text and returns `status`, so that a failing function can end
/// with `return fmhac_rt_fail(...)`.
fmhac_status fmhac_rt_fail(fmhac_rt_device *device, fmhac_status status,
                           const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Opens the emulator. Errors: OUT_OF_MEMORY.
fmhac_status fmhac_emu_device_create(char *text, size_t text_bytes,
                                     fmhac_rt_device **out_device);

/// Opens GPU `ordinal` through the HIP runtime found at run time.
/// Errors: DEVICE_UNAVAILABLE (the text lists what was tried), OUT_OF_MEMORY.
fmhac_status fmhac_hip_device_create(int ordinal, char *text, size_t text_bytes,
                                     fmhac_rt_device **out_device);

#endif // FMHAC_RUNTIME_DEVICE_H
