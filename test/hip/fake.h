// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The inside of the emulator-backed libamdhip64; see hip_test.h. One lock
/// guards everything: fake_enter() takes it, fake_leave() gives it back.
#ifndef FMHAC_TEST_HIP_FAKE_H
#define FMHAC_TEST_HIP_FAKE_H

#include <pthread.h>

#include "fmhac_rt.h"
#include "hip_test.h"

/// hipError_t.
enum {
#define X(name, number, text) hip##name = number,
#include "errors.def"
#undef X
};

enum { FAKE_DEVICES = 16 };
/// HBM of an MI355X.
#define FAKE_MEMORY_BYTES ((size_t)288 << 30)
enum { COPY_TO_DEVICE = 1, COPY_TO_HOST = 2, COPY_IN_DEVICE = 3 };
enum { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED };
enum { MODE_GLOBAL, MODE_THREAD_LOCAL, MODE_RELAXED };

typedef struct fake_stream fake_stream;
typedef struct fake_event fake_event;

/// Something that a stream does.
typedef struct fake_op {
  struct fake_op *next;
  enum { OP_KERNEL, OP_COPY, OP_FILL, OP_EVENT, OP_WAIT } kind;
  uint64_t ticket; ///< place in its stream, from 1
  struct fake_wait {
    fake_stream *stream;
    uint64_t ticket;
  } * waits; ///< for what on other streams; owned
  size_t wait_count;
  // OP_KERNEL
  fmhac_rt_module *module;
  fmhac_rt_launch launch; ///< its kernarg is owned
  // OP_COPY, OP_FILL
  void *to;
  const void *from;
  size_t bytes;
  int copy_kind, value;
  // OP_EVENT
  fake_event *event;
} fake_op;

/// A stream; those that were destroyed stay, as others may wait for them.
struct fake_stream {
  fake_stream *next;
  struct fake_device *device;
  bool alive, is_null, is_blocking;
  fake_op *first, *last;
  uint64_t queued, begun_until, done; ///< tickets
  bool has_thread;
  int capture, mode;
  pthread_t capturer;
  fake_op *captured; ///< newest last
};

typedef struct fake_device {
  fmhac_rt_device *emulator;
  int ordinal;
  char architecture[16];
  fake_stream *null_stream;
  int fault; ///< of a kernel, for the next call that waits
  uint64_t next_address;
} fake_device;

typedef struct fake_memory {
  struct fake_memory *next;
  uint64_t address;
  size_t bytes;
  fake_device *device;
} fake_memory;

typedef struct fake_function {
  struct fake_module *module;
  char *name;
  uint32_t kernarg_bytes, most_threads;
} fake_function;

typedef struct fake_module {
  struct fake_module *next;
  fake_device *device;
  fmhac_rt_module *loaded;
  const void *image; ///< the caller's, which HIP goes on to use
  void *copy;        ///< what it was when it was loaded
  size_t bytes;
  fake_function *functions;
  size_t function_count;
} fake_module;

struct fake_event {
  fake_event *next;
  fake_stream *stream; ///< NULL: not recorded yet
  uint64_t ticket;
  bool is_timed;
  double milliseconds; ///< when it was reached
};

/// A captured graph, or an instantiated one.
typedef struct fake_graph {
  struct fake_graph *next;
  bool is_exec;
  fake_op *ops;
} fake_graph;

typedef struct fake_state {
  pthread_mutex_t lock;
  pthread_cond_t changed; ///< a stream has more to do, or has done more
  int device_count;
  bool is_eager, is_null_launch, is_verbose;
  fake_device devices[FAKE_DEVICES];
  fake_stream *streams;
  fake_memory *memory;
  fake_module *modules;
  fake_event *events;
  fake_graph *graphs;
  char fault[2048];
  /// The last launch that was taken.
  char launched[256];
  unsigned launched_grid[3], launched_block[3];
} fake_state;
extern fake_state fake;

/// Begins an entry point: counts the call, and returns the error that it shall
/// fail with, if it shall.
int fake_enter(const char *name);
/// As fake_enter(), for what HIP answers even without a device.
int fake_enter_without_device(const char *name);
int fake_leave(int error);

fake_device *fake_current(void);
/// Memory that holds [address, address + bytes), or NULL.
fake_memory *fake_find_memory(const void *address, size_t bytes);

/// The stream of a handle; NULL is the current device's default stream, and a
/// NULL answer an unknown handle.
fake_stream *fake_find_stream(void *handle);
/// Queues `op`, and owns it from now on.
void fake_queue(fake_stream *stream, fake_op *op);
/// Lets it begin what is queued up to now, and waits for that.
void fake_wait(fake_stream *stream, uint64_t ticket);
void fake_wait_device(fake_device *device);
/// Default stream and those that wait for it.
void fake_wait_blocking(fake_device *device);
/// The device's fault, once.
int fake_take_fault(fake_device *device);
fake_op *fake_op_copy(const fake_op *op);
void fake_op_free(fake_op *op);
/// The copy itself.
int fake_copy(void *to, const void *from, size_t bytes, int kind);
int fake_check_copy(const void *to, const void *from, size_t bytes, int kind);

/// What ROCm's runtime does at the start of calls that a capture forbids:
/// invalidates the captures and returns the error; 0 where there are none.
int fake_forbid_unsafe(void);      ///< hipMalloc, hipFree
int fake_forbid_while(int error);  ///< hipMemcpy, hipDeviceSynchronize
int fake_forbid_on(fake_stream *); ///< hipStreamSynchronize
/// Takes `op` into the stream's capture, if there is one: true, and `out_error`
/// is the call's answer.
bool fake_captures(fake_stream *stream, fake_op *op, int *out_error);

#endif // FMHAC_TEST_HIP_FAKE_H
