// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect prints a schedule on one line; here it gets its lines. What is in
// brackets stays on a line if it fits there and has no table. Else each item in
// it that has brackets has a line of its own, and the others share lines. Rows
// of a table stand one below the other; a single item stays beside its bracket.
#include "schedule_print.h"

#include <string.h>

#include "session.h"

enum { WIDTH = 96, STEP = 2 };

/// A text on its way to its lines.
typedef struct layout {
  fmhac_str *out; ///< borrowed
  size_t column;
} layout;

static void put(layout *l, const char *text, size_t length) {
  fmhac_str_append_bytes(l->out, text, length);
  l->column += length;
}

static void new_line(layout *l, size_t indent) {
  fmhac_str_appendf(l->out, "\n%*s", (int)indent, "");
  l->column = indent;
}

static bool is_open(char c) { return c == '<' || c == '['; }
static bool is_close(char c) { return c == '>' || c == ']'; }

/// Bytes of the brackets that `text` begins with, and of what is in them.
static size_t bracket_length(const char *text, size_t length) {
  size_t depth = 0;
  for (size_t i = 0; i < length; ++i) {
    depth += is_open(text[i]);
    if (is_close(text[i]) && --depth == 0)
      return i + 1;
  }
  return length;
}

/// Bytes up to a comma that is in no brackets, or to the end.
static size_t item_length(const char *text, size_t length) {
  size_t i = 0;
  while (i < length && text[i] != ',')
    i += is_open(text[i]) ? bracket_length(text + i, length - i) : 1;
  return i;
}

static bool has_brackets(const char *text, size_t length) {
  for (size_t i = 0; i < length; ++i)
    if (is_open(text[i]))
      return true;
  return false;
}

/// A class and its counts in more columns than are read at a glance.
static bool is_row(const char *item, size_t length) {
  enum { GLANCE = 3 };
  size_t counts = 0;
  for (size_t i = 0; i < length; ++i)
    counts += item[i] == ' ';
  return counts > GLANCE && !has_brackets(item, length);
}

/// Whether what is in brackets has rows to be compared.
static bool is_table(const char *text, size_t length) {
  size_t rows = 0;
  for (size_t at = 0; at < length;) {
    const size_t item = item_length(text + at, length - at);
    if (has_brackets(text + at, item))
      return false;
    rows += is_row(text + at, item);
    at += item + (at + item < length);
    at += strspn(text + at, " ");
  }
  return rows > 1;
}

static bool has_table(const char *text, size_t length) {
  for (size_t i = 0; i < length; ++i)
    if (is_open(text[i])) {
      const size_t group = bracket_length(text + i, length - i);
      if (group >= 2 && is_table(text + i + 1, group - 2))
        return true;
    }
  return false;
}

// Brackets hold brackets; the depth is the schedule's, a handful.
static void put_item(layout *l, const char *text, size_t length, size_t indent);

/// What is in brackets, an item after the other.
static void put_items(layout *l, const char *text, size_t length,
                      size_t indent) {
  const bool table = is_table(text, length);
  bool is_alone = true; // nothing follows on this line
  if (table)
    indent = l->column; // below the first row
  for (size_t at = 0; at < length;) {
    const size_t item = item_length(text + at, length - at);
    const bool is_last = at + item == length;
    const bool own = table || has_brackets(text + at, item);
    // With its comma or the closing bracket.
    const bool is_all = at == 0 && is_last;
    if (is_all || (table && at == 0))
      ; // beside its bracket
    else if (is_alone || own || l->column + 1 + item + 1 > WIDTH)
      new_line(l, indent);
    else
      put(l, " ", 1);
    put_item(l, text + at, item, is_all ? indent - STEP : indent);
    if (!is_last)
      put(l, ",", 1);
    is_alone = own;
    at += item + !is_last;
    at += strspn(text + at, " ");
  }
}

static void put_item(layout *l, const char *text, size_t length,
                     size_t indent) {
  for (size_t i = 0; i < length;) {
    if (!is_open(text[i])) {
      put(l, text + i, 1);
      ++i;
      continue;
    }
    const size_t group = bracket_length(text + i, length - i);
    const bool flat = !has_table(text + i, group);
    // What follows up to the next brackets, and a comma.
    size_t after = 1;
    while (i + group + after < length && !is_open(text[i + group + after]))
      ++after;
    const bool fits = flat && l->column + group + after <= WIDTH;
    // On a line of its own, instead of the blank before it.
    const bool moves = flat && !fits && indent + STEP + group + 1 <= WIDTH &&
                       i && text[i - 1] == ' ' && !l->out->failed;
    if (moves) {
      l->out->text[--l->out->length] = '\0';
      new_line(l, indent + STEP);
    }
    if (fits || moves) {
      put(l, text + i, group);
    } else {
      put(l, text + i, 1);
      put_items(l, text + i + 1, group - 2, indent + STEP);
      put(l, text + i + group - 1, 1);
    }
    i += group;
  }
}

void fmhac_schedule_print(MlirAttribute schedule, MlirStringRef name,
                          MlirStringRef recipe, fmhac_str *out) {
  fmhac_str printed = {0};
  fmhaSchedulePrint(schedule, name, recipe, fmhac_append_string_ref, &printed);
  for (const char *at = printed.text; at && *at && !out->failed;) {
    const size_t length = strcspn(at, "\n");
    layout l = {.out = out};
    put_item(&l, at, length, 0);
    fmhac_str_append(out, "\n");
    at += length + (at[length] == '\n');
  }
  out->failed |= printed.failed;
  fmhac_str_deinit(&printed);
}
