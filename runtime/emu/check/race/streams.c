// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last work that wrote, and the last that read, each dword of a buffer.
#include "streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "grow.h"
#include "tensor.h"

enum { MOST_FINDINGS = 20, NO_PC = -1 };

/// Work on a stream: a launch or a copy.
typedef struct a_work {
  uint32_t stream, number;
  char name[64];
} a_work;

typedef struct a_stream {
  const void *address;
  bool gone;
  emu_stream_clock before; ///< its next work
} a_stream;

/// Accesses to a buffer. `pc` is from the kernel's entry.
typedef struct buffer {
  uint64_t base;
  uint8_t *memory;
  size_t memory_bytes;
  uint32_t *work[2]; ///< of each dword, by whether it writes
  int32_t *pc[2];
} buffer;

struct emu_streams {
  a_stream *list;
  size_t count, capacity;
  a_work *works;
  size_t work_count, work_capacity;
  buffer *buffers;
  size_t buffer_count, buffer_capacity;
  emu_stream_clock host;   ///< what the host has waited for
  emu_stream_clock before; ///< what is over before the present work
};

static uint32_t done_of(const emu_stream_clock *c, size_t stream) {
  return stream < c->count ? c->done[stream] : 0;
}

static void raise(emu_stream_clock *c, size_t number, uint32_t done) {
  while (c->count <= number) {
    if (!FMHAC_GROW(c->done, c->count, c->capacity))
      return;
    c->done[c->count++] = 0;
  }
  if (c->done[number] < done)
    c->done[number] = done;
}

static void join(emu_stream_clock *to, const emu_stream_clock *from) {
  for (size_t i = 0; i < from->count; i++)
    raise(to, i, from->done[i]);
}

emu_streams *emu_streams_create(void) { return calloc(1, sizeof(emu_streams)); }

static void unmap(buffer *b) {
  if (b->memory)
    munmap(b->memory, b->memory_bytes);
  *b = (buffer){0};
}

void emu_streams_destroy(emu_streams *s) {
  if (!s)
    return;
  for (size_t i = 0; i < s->count; i++)
    free(s->list[i].before.done);
  for (size_t i = 0; i < s->buffer_count; i++)
    unmap(&s->buffers[i]);
  free(s->list);
  free(s->works);
  free(s->buffers);
  free(s->host.done);
  free(s->before.done);
  free(s);
}

/// The number of a stream, which it gets at its first use; `count`: out of
/// memory.
static size_t number_of(emu_streams *s, const void *address) {
  for (size_t i = 0; i < s->count; i++)
    if (s->list[i].address == address && !s->list[i].gone)
      return i;
  if (!FMHAC_GROW(s->list, s->count, s->capacity))
    return s->count;
  s->list[s->count] = (a_stream){.address = address};
  return s->count++;
}

void emu_streams_end(emu_streams *s, const void *address) {
  for (size_t i = 0; s && i < s->count; i++)
    s->list[i].gone |= s->list[i].address == address;
}

uint32_t emu_streams_begin(emu_streams *s, const void *address,
                           const char *name) {
  if (!s || !FMHAC_GROW(s->works, s->work_count, s->work_capacity))
    return 0;
  const size_t n = number_of(s, address);
  if (n == s->count)
    return 0;
  a_stream *on = &s->list[n];
  join(&on->before, &s->host);
  s->before.count = 0;
  join(&s->before, &on->before);
  a_work *w = &s->works[s->work_count++];
  *w = (a_work){.stream = (uint32_t)n, .number = done_of(&on->before, n) + 1};
  snprintf(w->name, sizeof w->name, "%s", name);
  raise(&on->before, n, w->number);
  return (uint32_t)s->work_count;
}

void emu_streams_record(emu_streams *s, const void *address,
                        emu_stream_clock *out) {
  out->count = 0;
  const size_t n = s ? number_of(s, address) : 0;
  if (s && n < s->count) {
    join(out, &s->list[n].before);
    join(out, &s->host);
  }
}

void emu_streams_wait(emu_streams *s, const void *address,
                      const emu_stream_clock *event) {
  const size_t n = s ? number_of(s, address) : 0;
  if (s && n < s->count)
    join(&s->list[n].before, event);
}

void emu_streams_host_wait(emu_streams *s, const emu_stream_clock *event) {
  if (s)
    join(&s->host, event);
}

void emu_streams_host_wait_stream(emu_streams *s, const void *address) {
  const size_t n = s ? number_of(s, address) : 0;
  if (s && n < s->count)
    join(&s->host, &s->list[n].before);
}

void emu_streams_host_wait_all(emu_streams *s) {
  for (size_t i = 0; s && i < s->count; i++)
    join(&s->host, &s->list[i].before);
}

//===-- Accesses ----------------------------------------------------------===//

void emu_streams_forget(emu_streams *s, uint64_t base) {
  for (size_t i = 0; s && i < s->buffer_count; i++)
    if (s->buffers[i].base == base) {
      unmap(&s->buffers[i]);
      s->buffers[i] = s->buffers[--s->buffer_count];
      return;
    }
}

/// NULL: out of memory.
static buffer *buffer_of(emu_streams *s, const emu_segment *segment) {
  const size_t words = (size_t)(segment->bytes + 3) / 4,
               bytes = 4 * words * sizeof(uint32_t);
  for (size_t i = 0; i < s->buffer_count; i++)
    if (s->buffers[i].base == segment->base) {
      if (s->buffers[i].memory_bytes == bytes)
        return &s->buffers[i];
      emu_streams_forget(s, segment->base); // another one has its place
      break;
    }
  if (!FMHAC_GROW(s->buffers, s->buffer_count, s->buffer_capacity))
    return NULL;
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  buffer *b = &s->buffers[s->buffer_count++];
  uint32_t *at = p;
  *b = (buffer){
      .base = segment->base,
      .memory = p,
      .memory_bytes = bytes,
      .work = {at, at + words},
      .pc = {(int32_t *)(at + 2 * words), (int32_t *)(at + 3 * words)}};
  return b;
}

static bool is_over(const emu_streams *s, uint32_t number) {
  const a_work *w = &s->works[number - 1];
  return done_of(&s->before, w->stream) >= w->number;
}

void emu_streams_copy(emu_streams *s, uint32_t number,
                      const emu_segment *segment, uint64_t offset,
                      uint64_t bytes, bool write) {
  buffer *b = s && number ? buffer_of(s, segment) : NULL;
  for (uint64_t i = (offset + 3) / 4; b && i < (offset + bytes) / 4; i++) {
    b->work[write][i] = number;
    b->pc[write][i] = NO_PC;
  }
}

/// A comparison that is going on.
typedef struct comparison {
  emu_streams *s;
  uint32_t number;
  const emu_launch *launch;
  emu_findings *findings;
  bool records; ///< it has compared, and this work is now the last
  const emu_segment *segment;
  buffer *b;
  struct {
    const isa_insn *insn;
    uint32_t work;
    int32_t pc;
  } found[MOST_FINDINGS];
  size_t count;
} comparison;

static void report(comparison *c, size_t word, const isa_insn *in, bool write,
                   bool other_write) {
  const emu_launch *l = c->launch;
  const uint32_t other = c->b->work[other_write][word];
  const int32_t pc = c->b->pc[other_write][word];
  for (size_t i = 0; i < c->count; i++)
    if (c->found[i].insn == in && c->found[i].work == other &&
        c->found[i].pc == pc)
      return;
  if (c->count == MOST_FINDINGS)
    return;
  c->found[c->count].insn = in;
  c->found[c->count].work = other;
  c->found[c->count++].pc = pc;
  char place[EMU_ADDRESS_TEXT], where[48] = "";
  emu_segment_describe(c->segment, 4 * word, place, sizeof place);
  if (pc != NO_PC)
    snprintf(where, sizeof where, " at pc 0x%x", (unsigned)pc);
  emu_report_launch(l, c->findings, FMHAC_EMU_CHECK_RACE,
                    "`%.120s` at pc %s %s %s, which %s, put on another stream "
                    "before, %s%s; no event orders the two, and the host has "
                    "not waited in between",
                    isa_program_text(l->kernel->program, in),
                    emu_pc_text(l, in, (char[ISA_PC_TEXT_BYTES]){0}),
                    write ? "writes" : "reads", place,
                    c->s->works[other - 1].name,
                    other_write ? "writes" : "reads", where);
}

static void compare(void *user, const emu_segment *segment, size_t word,
                    bool write, const isa_insn *in) {
  comparison *c = user;
  if (c->segment != segment) {
    c->segment = segment;
    c->b = buffer_of(c->s, segment);
  }
  if (!c->b)
    return;
  if (c->records) {
    c->b->work[write][word] = c->number;
    c->b->pc[write][word] = (int32_t)(in->pc - c->launch->kernel->entry_text);
    return;
  }
  for (int other = 0; other < 2; other++) {
    const uint32_t number = c->b->work[other][word];
    if ((write || other) && number && !is_over(c->s, number))
      report(c, word, in, write, other);
  }
}

void emu_streams_compare(emu_streams *s, uint32_t number,
                         const emu_launch *launch, emu_findings *findings) {
  if (!s || !number || !launch->race)
    return;
  comparison c = {
      .s = s, .number = number, .launch = launch, .findings = findings};
  for (int pass = 0; pass < 2; pass++) {
    c.records = pass;
    c.segment = NULL;
    emu_race_launch_visit(launch->race, launch, compare, &c);
  }
}
