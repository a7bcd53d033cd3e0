// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory and copies.
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "fmhac_emu.h"

fake_memory *fake_find_memory(const void *address, size_t bytes) {
  uint64_t at = (uintptr_t)address;
  for (fake_memory *m = fake.memory; m; m = m->next)
    if (at >= m->address && at - m->address <= m->bytes &&
        bytes <= m->bytes - (at - m->address))
      return m;
  return NULL;
}

int hipMalloc(void **out, size_t bytes) {
  int error = fake_enter("hipMalloc");
  if (!error)
    error = fake_forbid_unsafe();
  if (!error && !out)
    error = hipErrorInvalidValue;
  if (error)
    return fake_leave(error);
  *out = NULL;
  if (!bytes)
    return fake_leave(hipSuccess);
  if (bytes > FAKE_MEMORY_BYTES)
    return fake_leave(hipErrorOutOfMemory);
  fake_device *d = fake_current();
  fake_memory *memory = calloc(1, sizeof *memory);
  if (!memory)
    return fake_leave(hipErrorOutOfMemory);
  const fmhac_emu_buffer buffer = {.size = sizeof buffer,
                                   .name = "hipMalloc",
                                   .bytes = bytes,
                                   .base = d->next_address};
  if (fmhac_emu_map(d->emulator, &buffer, &memory->address) != FMHAC_OK) {
    free(memory);
    return fake_leave(hipErrorOutOfMemory);
  }
  // Whoever runs off a buffer meets nothing.
  d->next_address += (bytes + (3u << 16) - 1) & ~(uint64_t)0xffff;
  memory->bytes = bytes;
  memory->device = d;
  memory->next = fake.memory;
  fake.memory = memory;
  *out = (void *)(uintptr_t)memory->address;
  return fake_leave(hipSuccess);
}

int hipFree(void *address) {
  int error = fake_enter("hipFree");
  if (!error)
    error = fake_forbid_unsafe();
  if (error || !address)
    return fake_leave(error);
  fake_memory **at = &fake.memory;
  while (*at && (*at)->address != (uintptr_t)address)
    at = &(*at)->next;
  fake_memory *memory = *at;
  if (!memory)
    return fake_leave(hipErrorInvalidValue);
  *at = memory->next;
  fake_wait_device(memory->device);
  if (fmhac_rt_free(memory->device->emulator, memory->address) != FMHAC_OK)
    abort();
  free(memory);
  return fake_leave(hipSuccess);
}

int fake_check_copy(const void *to, const void *from, size_t bytes, int kind) {
  if (!to || !from)
    return hipErrorInvalidValue;
  if (kind < COPY_TO_DEVICE || kind > COPY_IN_DEVICE)
    return hipErrorInvalidMemcpyDirection;
  if (kind != COPY_TO_HOST && !fake_find_memory(to, bytes))
    return hipErrorInvalidValue;
  if (kind != COPY_TO_DEVICE && !fake_find_memory(from, bytes))
    return hipErrorInvalidValue;
  return hipSuccess;
}

int fake_copy(void *to, const void *from, size_t bytes, int kind) {
  const void *there = kind == COPY_TO_HOST ? from : to;
  uint64_t address = (uintptr_t)there;
  // Devices are 2^40 apart.
  fake_device *d =
      &fake.devices[(address - UINT64_C(0x200000000000)) >> 40 & 15];
  fmhac_status status = FMHAC_OK;
  void *staging = kind == COPY_IN_DEVICE ? malloc(bytes) : NULL;
  if (kind == COPY_TO_DEVICE)
    status = fmhac_rt_copy_in(d->emulator, address, from, bytes);
  else if (kind == COPY_TO_HOST)
    status = fmhac_rt_copy_out(d->emulator, address, to, bytes);
  else if (!staging)
    status = FMHAC_OUT_OF_MEMORY;
  else if (fake_copy(staging, from, bytes, COPY_TO_HOST) ||
           fake_copy(to, staging, bytes, COPY_TO_DEVICE))
    status = FMHAC_INVALID_INPUT;
  free(staging);
  return status == FMHAC_OK ? hipSuccess : hipErrorInvalidValue;
}

/// Of a copy on the device HIP does not wait for the end.
int hipMemcpy(void *to, const void *from, size_t bytes, int kind) {
  int error = fake_enter("hipMemcpy");
  if (!error)
    error = fake_forbid_while(hipErrorStreamCaptureImplicit);
  if (error || !bytes)
    return fake_leave(error);
  error = fake_check_copy(to, from, bytes, kind);
  if (!error && kind == COPY_IN_DEVICE) {
    fake_op op = {.kind = OP_COPY,
                  .to = to,
                  .from = from,
                  .bytes = bytes,
                  .copy_kind = kind};
    fake_queue(fake_current()->null_stream, fake_op_copy(&op));
    return fake_leave(hipSuccess);
  }
  if (!error) {
    fake_wait_blocking(fake_current());
    error = fake_take_fault(fake_current());
  }
  return fake_leave(error ? error : fake_copy(to, from, bytes, kind));
}

int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                   void *handle) {
  int error = fake_enter("hipMemcpyAsync");
  fake_stream *stream = fake_find_stream(handle);
  if (!error && !stream)
    error = hipErrorContextIsDestroyed;
  if (!error && bytes)
    error = fake_check_copy(to, from, bytes, kind);
  if (error || !bytes)
    return fake_leave(error);
  fake_op op = {.kind = OP_COPY,
                .to = to,
                .from = from,
                .bytes = bytes,
                .copy_kind = kind};
  if (!fake_captures(stream, &op, &error))
    fake_queue(stream, fake_op_copy(&op));
  return fake_leave(error);
}

int hipMemsetAsync(void *to, int value, size_t bytes, void *handle) {
  int error = fake_enter("hipMemsetAsync");
  fake_stream *stream = fake_find_stream(handle);
  if (!error && !stream)
    error = hipErrorContextIsDestroyed;
  if (!error && bytes && (!to || !fake_find_memory(to, bytes)))
    error = hipErrorInvalidValue;
  if (error || !bytes)
    return fake_leave(error);
  fake_op op = {.kind = OP_FILL, .to = to, .value = value, .bytes = bytes};
  if (!fake_captures(stream, &op, &error))
    fake_queue(stream, fake_op_copy(&op));
  return fake_leave(error);
}
