// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule_list.h"

#include <string.h>

#include "context.h"

/// A part of a text.
typedef struct piece {
  const char *start, *end;
} piece;

static piece trimmed(piece p) {
  size_t length = (size_t)(p.end - p.start);
  fmhac_trim(&p.start, &length);
  return (piece){p.start, p.start + length};
}

static bool copy(piece p, char *out, size_t bytes) {
  const size_t length = (size_t)(p.end - p.start);
  if (length >= bytes)
    return false;
  memcpy(out, p.start, length);
  out[length] = '\0';
  return true;
}

static bool fail(fmhac_str *error, const char *expected, piece found) {
  fmhac_str_appendf(error, "expected %s, found '%.*s'", expected,
                    (int)(found.end - found.start), found.start);
  return false;
}

/// The last " if " of a piece; its end if it has none, or if the piece is a
/// path that ends in .mlir.
static const char *find_condition(piece p) {
  static const char word[] = " if ";
  const ptrdiff_t length = sizeof word - 1;
  if (p.end - p.start >= 5 && memcmp(p.end - 5, ".mlir", 5) == 0)
    return p.end;
  if (p.end - p.start > length)
    for (const char *at = p.end - length; at > p.start; --at)
      if (memcmp(at, word, (size_t)length) == 0)
        return at;
  return p.end;
}

static bool read_item(piece p, fmhac_schedule_item *out, fmhac_str *error) {
  const char *at = find_condition(p);
  const piece name = trimmed((piece){p.start, at});
  fmhac_launch_expr expr;
  size_t offset;
  out->when[0] = '\0';
  if (name.start == name.end || !copy(name, out->name, sizeof out->name))
    return fail(error, "a schedule", p);
  if (at == p.end)
    return true;
  const piece when = trimmed((piece){at + 4, p.end});
  if (copy(when, out->when, sizeof out->when) &&
      fmhac_launch_expr_parse(out->when, true, &expr, &offset))
    return true;
  return fail(error,
              "a condition such as Sk <= 256, of Sq, Sk, B, Hq, Hk, CUs and "
              "splits, after 'if'",
              when);
}

bool fmhac_schedule_list_read(const char *value, fmhac_schedule_list *out,
                              fmhac_str *error) {
  out->count = 0;
  for (const char *at = value; at;) {
    const char *end = strchr(at, ';');
    const piece p = trimmed((piece){at, end ? end : at + strlen(at)});
    if (out->count == FMHAC_MOST_ENTRIES) {
      fmhac_str_appendf(error, "expected at most %d schedules, found more",
                        FMHAC_MOST_ENTRIES);
      return false;
    }
    fmhac_schedule_item *item = &out->items[out->count++];
    if (!read_item(p, item, error))
      return false;
    if (fmhac_schedule_is_auto(item->name) && (item->when[0] || end))
      return fail(error, "auto without a condition and as the last", p);
    if (!item->when[0] && end)
      return fail(error, "a condition of each but the last", p);
    at = end ? end + 1 : NULL;
  }
  return true;
}

fmhac_status fmhac_schedule_list_get(fmhac_context *context, const char *value,
                                     fmhac_schedule_list *out) {
  fmhac_str error = {0};
  fmhac_status status = FMHAC_OK;
  if (!fmhac_schedule_list_read(value, out, &error))
    status = fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "configuration: key \"schedule\": %s",
                        error.text ? error.text : "out of memory");
  fmhac_str_deinit(&error);
  return status;
}

void fmhac_schedule_list_append(const char *name, const char *when,
                                fmhac_str *list) {
  fmhac_str_appendf(list, "%s%s%s%s", list->length ? "; " : "", name,
                    when[0] ? " if " : "", when);
}
