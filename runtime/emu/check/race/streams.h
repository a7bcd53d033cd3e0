// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Races between launches of a device. Work on one stream is in order; work on
/// two streams is only if one waits for an event of the other, or the host
/// waits in between. The emulator does one thing after the other, so such a
/// race never changes a result here.
#ifndef FMHAC_EMU_RACE_STREAMS_H
#define FMHAC_EMU_RACE_STREAMS_H

#include "findings.h"
#include "race.h"

/// The order of a device's work.
typedef struct emu_streams emu_streams;

/// For each stream, by number, how much of its work is over before something.
typedef struct emu_stream_clock {
  uint32_t *done; ///< owned
  size_t count, capacity;
} emu_stream_clock;

/// NULL: out of memory.
emu_streams *emu_streams_create(void);
/// NULL is allowed, as in all functions below; then there is one stream only.
void emu_streams_destroy(emu_streams *streams);

/// Puts work on a stream (NULL: the default stream). Returns its number; 0: out
/// of memory, or there is one stream only.
uint32_t emu_streams_begin(emu_streams *streams, const void *stream,
                           const char *name);
/// A stream is gone; another one may get its address.
void emu_streams_end(emu_streams *streams, const void *stream);
/// An event is recorded on a stream: what it waits for.
void emu_streams_record(emu_streams *streams, const void *stream,
                        emu_stream_clock *out);
/// The stream, or the host, waits for an event.
void emu_streams_wait(emu_streams *streams, const void *stream,
                      const emu_stream_clock *event);
void emu_streams_host_wait(emu_streams *streams, const emu_stream_clock *event);
/// The host waits for all work of a stream, or of all streams.
void emu_streams_host_wait_stream(emu_streams *streams, const void *stream);
void emu_streams_host_wait_all(emu_streams *streams);
/// The buffer at this address is gone.
void emu_streams_forget(emu_streams *streams, uint64_t base);

/// The work reads or writes a part of a buffer, as a whole.
void emu_streams_copy(emu_streams *streams, uint32_t work,
                      const emu_segment *segment, uint64_t offset,
                      uint64_t bytes, bool write);
/// The work is a launch that is over: its accesses are compared with those of
/// work before. Dwords that it accessed in parts are left out.
void emu_streams_compare(emu_streams *streams, uint32_t work,
                         const emu_launch *launch, emu_findings *findings);

#endif // FMHAC_EMU_RACE_STREAMS_H
