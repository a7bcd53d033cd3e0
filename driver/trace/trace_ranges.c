// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace_ranges.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/// The longest instruction.
enum { INSN_BYTES = 8 };

/// Takes a pc, decimal or in 0x form, and the character after it, which is one
/// of `ends`; "" is the end of the text. Returns that character, or -1.
static int take_pc(const char **text, const char *ends, uint64_t *out) {
  const char *from = *text;
  const bool hex = from[0] == '0' && (from[1] == 'x' || from[1] == 'X');
  if (!isdigit((unsigned char)from[0]))
    return -1;
  char *end;
  errno = 0;
  *out = strtoull(from, &end, hex ? 16 : 10);
  if (errno || (*end ? !strchr(ends, *end) : ends[0] == ':'))
    return -1;
  *text = *end ? end + 1 : end;
  return *end;
}

/// Takes LO:HI and the character after it.
static bool take_span(const char *flag, const char **text, trace_pc_span *out,
                      char *out_after, char error[ERROR_BYTES]) {
  const char *from = *text;
  int after = take_pc(text, ":", &out->from);
  if (after >= 0)
    after = take_pc(text, "+,", &out->to);
  if (after < 0)
    return ERROR_SET(error,
                     "%s: expected [NAME=]LO:HI[+LO:HI...][,...], pcs from the "
                     "kernel's entry, found '%.60s'",
                     flag, from);
  *out_after = (char)after;
  return out->from < out->to ||
         ERROR_SET(error,
                   "%s: expected a range whose end lies behind its beginning, "
                   "found the empty 0x%" PRIx64 ":0x%" PRIx64
                   "; the instruction at the end does not belong to it",
                   flag, out->from, out->to);
}

/// Takes NAME=, if it is there.
static bool take_name(const char *flag, const char **text, trace_range *out,
                      char error[ERROR_BYTES]) {
  const size_t bytes = strcspn(*text, "=,");
  if ((*text)[bytes] != '=')
    return true;
  if (!bytes || bytes >= sizeof out->name)
    return ERROR_SET(error,
                     "%s: expected a name of 1 to %d bytes before '=', found "
                     "'%.60s'",
                     flag, TRACE_RANGE_NAME_BYTES - 1, *text);
  memcpy(out->name, *text, bytes);
  *text += bytes + 1;
  return true;
}

bool trace_ranges_parse(const char *flag, const char *text, trace_ranges *out,
                        char error[ERROR_BYTES]) {
  *out = (trace_ranges){.flag = flag};
  for (char after = text ? ',' : '\0'; after;) {
    if (out->count == TRACE_RANGES)
      return ERROR_SET(error, "%s: expected at most %d ranges, found more",
                       flag, TRACE_RANGES);
    trace_range *range = &out->list[out->count++];
    if (!take_name(flag, &text, range, error))
      return false;
    do {
      if (range->span_count == TRACE_RANGE_SPANS)
        return ERROR_SET(error,
                         "%s: expected at most %d parts of a range, found more",
                         flag, TRACE_RANGE_SPANS);
      if (!take_span(flag, &text, &range->spans[range->span_count++], &after,
                     error))
        return false;
    } while (after == '+');
  }
  return true;
}

/// Instructions whose pc is below `pc`.
static size_t below(const uint64_t *pcs, size_t count, uint64_t pc) {
  size_t n = 0;
  while (n < count && pcs[n] < pc)
    ++n;
  return n;
}

bool trace_ranges_check(const trace_ranges *r, const char *kernel,
                        const uint64_t *pcs, size_t count,
                        char error[ERROR_BYTES]) {
  const uint64_t last = count ? pcs[count - 1] : 0;
  for (size_t i = 0; i < r->count; ++i)
    for (size_t k = 0; k < r->list[i].span_count; ++k) {
      const trace_pc_span *s = &r->list[i].spans[k];
      if (s->from > last || s->to > last + INSN_BYTES)
        return ERROR_SET(error,
                         "%s: expected a range inside of kernel %.100s, whose "
                         "instructions begin at 0x%" PRIx64 " to 0x%" PRIx64
                         ", found 0x%" PRIx64 ":0x%" PRIx64
                         "; pcs count from the kernel's entry, as `fmhac "
                         "inspect` and the timeline show them",
                         r->flag, kernel, count ? pcs[0] : 0, last, s->from,
                         s->to);
      if (below(pcs, count, s->from) == below(pcs, count, s->to))
        return ERROR_SET(error,
                         "%s: expected a range with an instruction of kernel "
                         "%.100s, found none that begins in 0x%" PRIx64
                         ":0x%" PRIx64
                         "; `fmhac inspect` and the timeline show "
                         "where instructions lie",
                         r->flag, kernel, s->from, s->to);
    }
  return true;
}

bool trace_range_has(const trace_range *range, uint64_t pc) {
  for (size_t i = 0; i < range->span_count; ++i)
    if (range->spans[i].from <= pc && pc < range->spans[i].to)
      return true;
  return false;
}
