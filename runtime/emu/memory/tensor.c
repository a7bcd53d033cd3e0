// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===-- Declaring ---------------------------------------------------------===//

typedef struct refusal {
  const fmhac_emu_tensor *from;
  char *text;
  size_t text_bytes;
} refusal;

static bool refuse(const refusal *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool refuse(const refusal *r, const char *format, ...) {
  int n = snprintf(r->text, r->text_bytes, "tensor \"%.60s\": ", r->from->name);
  va_list args;
  va_start(args, format);
  if (n >= 0 && (size_t)n < r->text_bytes)
    vsnprintf(r->text + n, r->text_bytes - (size_t)n, format, args);
  va_end(args);
  return false;
}

static bool copy_axes(const refusal *r, emu_tensor *t) {
  const fmhac_emu_tensor *from = r->from;
  for (uint32_t i = 0; i < from->axes; i++) {
    const char *name = from->axis[i];
    if (!name || !name[0] || strlen(name) >= EMU_AXIS_NAME)
      return refuse(r, "axis %u: expected a name of 1 to %d bytes, found %s%s",
                    i, EMU_AXIS_NAME - 1, name && name[0] ? "more: " : "none",
                    name ? name : "");
    for (uint32_t k = 0; k < i; k++)
      if (strcmp(name, from->axis[k]) == 0)
        return refuse(r, "axes %u and %u are both named \"%s\"", k, i, name);
    strcpy(t->axis[i], name);
    t->shape[i] = from->shape[i];
    t->stride[i] = from->strides_bytes[i];
  }
  return true;
}

/// Bytes from the first element to the end of the last; false if that is more
/// than 2^64. A tensor without elements has 0 bytes.
static bool extent(const emu_tensor *t, uint64_t *out_bytes) {
  uint64_t end = t->element_bytes;
  for (uint32_t i = 0; i < t->axes; i++) {
    uint64_t last;
    if (t->shape[i] == 0) {
      *out_bytes = 0;
      return true;
    }
    if (__builtin_mul_overflow(t->shape[i] - 1, t->stride[i], &last) ||
        __builtin_add_overflow(end, last, &end))
      return false;
  }
  *out_bytes = end;
  return true;
}

/// True if the elements have more bytes than the span from the first to the
/// last one.
static bool overlaps(const emu_tensor *t, uint64_t extent_bytes) {
  uint64_t bytes = t->element_bytes;
  for (uint32_t i = 0; i < t->axes; i++)
    if (__builtin_mul_overflow(bytes, t->shape[i], &bytes))
      return true;
  return bytes > extent_bytes;
}

static void sort_axes(emu_tensor *t) {
  for (uint32_t i = 0; i < t->axes; i++) {
    if (t->shape[i] == 1)
      continue;
    uint32_t k = t->ordered++;
    for (; k && t->stride[t->order[k - 1]] < t->stride[i]; k--)
      t->order[k] = t->order[k - 1];
    t->order[k] = i;
  }
}

static bool check_ragged(const refusal *r, const emu_tensor *t) {
  const fmhac_emu_tensor *from = r->from;
  bool starts = from->ragged == FMHAC_EMU_RAGGED_STARTS;
  uint64_t rows = 0;
  if (from->ragged_axis >= t->axes || !from->ragged_rows)
    return refuse(r,
                  "ragged axis %u: expected one of the %u axes, and the rows "
                  "of its sequences",
                  from->ragged_axis, t->axes);
  if (!starts && (from->ragged_axis == 0 || from->ragged_count != t->shape[0]))
    return refuse(r,
                  "lengths: expected one for each of the %llu \"%s\", along "
                  "another axis, found %llu along \"%s\"",
                  (unsigned long long)t->shape[0], t->axis[0],
                  (unsigned long long)from->ragged_count,
                  t->axis[from->ragged_axis]);
  if (starts && from->ragged_count < 1)
    return refuse(r, "starts: expected at least one, found none");
  for (uint64_t i = 0; i < from->ragged_count; i++) {
    uint64_t row = from->ragged_rows[i];
    if (row > t->shape[from->ragged_axis] || (starts && row < rows))
      return refuse(r,
                    "%s[%llu]: expected a number from %llu to %llu, found %llu",
                    starts ? "starts" : "lengths", (unsigned long long)i,
                    (unsigned long long)(starts ? rows : 0),
                    (unsigned long long)t->shape[from->ragged_axis],
                    (unsigned long long)row);
    rows = row;
  }
  return true;
}

static bool check(const refusal *r, emu_tensor *t, const emu_space *space,
                  const emu_segment **out_segment) {
  const fmhac_emu_tensor *from = r->from;
  uint64_t bytes;
  if (!from->name[0] || strlen(from->name) >= EMU_TENSOR_NAME)
    return refuse(r, "expected a name of 1 to %d bytes, found %zu",
                  EMU_TENSOR_NAME - 1, strlen(from->name));
  if (from->axes < 1 || from->axes > FMHAC_EMU_TENSOR_AXES ||
      !from->element_bytes || from->element_bytes > 16)
    return refuse(r,
                  "expected 1 to %d axes and elements of 1 to 16 bytes, found "
                  "%u and %u",
                  FMHAC_EMU_TENSOR_AXES, from->axes, from->element_bytes);
  strcpy(t->name, from->name);
  t->axes = from->axes;
  t->element_bytes = from->element_bytes;
  t->is_output = from->is_output != 0;
  t->ragged = from->ragged;
  t->ragged_axis = from->ragged_axis;
  t->ragged_count = from->ragged_count;
  if (!copy_axes(r, t))
    return false;
  if ((unsigned)from->ragged > FMHAC_EMU_RAGGED_STARTS)
    return refuse(r, "ragged: no such kind, %d", (int)from->ragged);
  if (from->ragged != FMHAC_EMU_RAGGED_NONE && !check_ragged(r, t))
    return false;
  if (!extent(t, &bytes))
    return refuse(r, "its strides reach past 2^64 bytes");
  if (t->is_output && bytes && overlaps(t, bytes))
    return refuse(r, "an output of which elements overlap: its strides are too "
                     "small for its extents");
  const emu_segment *s = emu_space_find(space, from->base, bytes);
  if (!s && bytes) {
    char where[EMU_ADDRESS_TEXT];
    emu_space_describe(space, from->base, where, sizeof where);
    return refuse(r,
                  "expected all %llu bytes of it in one buffer; its first byte "
                  "is %s",
                  (unsigned long long)bytes, where);
  }
  *out_segment = bytes ? s : NULL;
  t->offset = bytes ? from->base - s->base : 0;
  sort_axes(t);
  return true;
}

fmhac_status emu_tensor_declare(emu_space *space, const fmhac_emu_tensor *from,
                                char *text, size_t text_bytes) {
  const refusal r = {from, text, text_bytes};
  const emu_segment *found = NULL;
  emu_tensor t = {.axes = 0};
  if (!check(&r, &t, space, &found))
    return FMHAC_INVALID_INPUT;
  if (!found)
    return FMHAC_OK; // without elements
  emu_segment *s = &space->segments[found - space->segments];
  if (t.ragged != FMHAC_EMU_RAGGED_NONE) {
    t.ragged_rows = malloc((t.ragged_count + 1) * sizeof *t.ragged_rows);
    if (!t.ragged_rows)
      goto memory;
    memcpy(t.ragged_rows, from->ragged_rows,
           t.ragged_count * sizeof *t.ragged_rows);
  }
  emu_tensor *list = realloc(s->tensors, (s->tensor_count + 1) * sizeof *list);
  if (!list)
    goto memory;
  s->tensors = list;
  list[s->tensor_count++] = t;
  return FMHAC_OK;
memory:
  free(t.ragged_rows);
  refuse(&r, "out of memory");
  return FMHAC_OUT_OF_MEMORY;
}

//===-- Naming ------------------------------------------------------------===//

/// The element that holds a byte, if strides nest, as in all usual layouts: the
/// largest stride is divided out first. Past the end the axis of the largest
/// stride continues.
static bool locate(const emu_tensor *t, uint64_t offset, bool beyond,
                   uint64_t at[FMHAC_EMU_TENSOR_AXES]) {
  bool endless = !t->ordered || !t->stride[t->order[0]];
  if (offset < t->offset || (beyond && endless))
    return false;
  offset -= t->offset;
  for (uint32_t i = 0; i < t->axes; i++) {
    at[i] = 0;
    if (t->shape[i] == 0)
      return false;
  }
  for (uint32_t k = 0; k < t->ordered; k++) {
    uint32_t i = t->order[k];
    if (!t->stride[i])
      break; // all further axes have one element
    at[i] = offset / t->stride[i];
    if (beyond && k == 0 ? at[i] < t->shape[i] : at[i] >= t->shape[i])
      return false;
    offset -= at[i] * t->stride[i];
  }
  return offset < t->element_bytes;
}

/// The packed sequence that holds row `row`, or ragged_count if none does.
static uint64_t sequence_of(const emu_tensor *t, uint64_t row) {
  uint64_t i = 0;
  while (i + 1 < t->ragged_count &&
         !(row >= t->ragged_rows[i] && row < t->ragged_rows[i + 1]))
    i++;
  return i + 1 < t->ragged_count ? i : t->ragged_count;
}

void emu_tensor_element(const emu_tensor *t,
                        const uint64_t at[FMHAC_EMU_TENSOR_AXES], char *text,
                        size_t text_bytes) {
  size_t n = (size_t)snprintf(text, text_bytes, "%s[", t->name);
  for (uint32_t i = 0; i < t->axes && n < text_bytes; i++) {
    uint64_t row = at[i], sequence = t->ragged_count;
    if (t->ragged == FMHAC_EMU_RAGGED_STARTS && i == t->ragged_axis)
      sequence = sequence_of(t, row);
    const char *comma = i ? "," : "";
    if (sequence < t->ragged_count)
      n += (size_t)snprintf(
          text + n, text_bytes - n, "%sb=%llu,%s=%llu", comma,
          (unsigned long long)sequence, t->axis[i],
          (unsigned long long)(row - t->ragged_rows[sequence]));
    else
      n += (size_t)snprintf(text + n, text_bytes - n, "%s%s=%llu", comma,
                            t->axis[i], (unsigned long long)row);
  }
  if (n < text_bytes)
    snprintf(text + n, text_bytes - n, "]");
}

static void name(const emu_segment *s, uint64_t offset, bool beyond, char *text,
                 size_t text_bytes) {
  char element[EMU_ELEMENT_TEXT];
  uint64_t at[FMHAC_EMU_TENSOR_AXES];
  text[0] = '\0';
  for (size_t i = 0; i < s->tensor_count; i++) {
    if (!locate(&s->tensors[i], offset, beyond, at))
      continue;
    emu_tensor_element(&s->tensors[i], at, element, sizeof element);
    snprintf(text, text_bytes, beyond ? ", where %s would be" : ", %s",
             element);
    return;
  }
}

void emu_tensors_name(const emu_segment *s, uint64_t offset, char *text,
                      size_t text_bytes) {
  name(s, offset, false, text, text_bytes);
}

void emu_tensors_name_beyond(const emu_segment *s, uint64_t offset, char *text,
                             size_t text_bytes) {
  name(s, offset, true, text, text_bytes);
}

//===-- Stepping ----------------------------------------------------------===//

/// Rows of `axis` in use where the first axis is at `at[0]`: [*out_first, end).
static uint64_t rows_end(const emu_tensor *t, uint32_t axis,
                         const uint64_t at[FMHAC_EMU_TENSOR_AXES],
                         uint64_t *out_first) {
  *out_first = 0;
  if (axis == t->ragged_axis && t->ragged == FMHAC_EMU_RAGGED_LENGTHS)
    return t->ragged_rows[at[0]];
  if (axis == t->ragged_axis && t->ragged == FMHAC_EMU_RAGGED_STARTS) {
    *out_first = t->ragged_rows[0];
    return t->ragged_rows[t->ragged_count - 1];
  }
  return t->shape[axis];
}

/// Sets the axes from `axis` on to their first rows. If an axis has no rows,
/// advances the axes before it; false if no element is left.
static bool settle(const emu_tensor *t, uint32_t axis,
                   uint64_t at[FMHAC_EMU_TENSOR_AXES]) {
  uint64_t first;
  while (axis < t->axes) {
    if (rows_end(t, axis, at, &first) > first) {
      at[axis++] = first;
      continue;
    }
    do {
      if (axis-- == 0)
        return false;
    } while (++at[axis] >= rows_end(t, axis, at, &first));
    axis++;
  }
  return true;
}

bool emu_tensor_step(const emu_tensor *t, bool first,
                     uint64_t at[FMHAC_EMU_TENSOR_AXES], uint64_t *out_offset,
                     uint64_t *out_run) {
  uint32_t last = t->axes - 1;
  bool dense = t->stride[last] == t->element_bytes;
  uint64_t unused, end;
  if (first) {
    if (!settle(t, 0, at))
      return false;
  } else {
    uint32_t axis = last;
    at[axis] = dense ? rows_end(t, axis, at, &unused) : at[axis] + 1;
    while (at[axis] >= rows_end(t, axis, at, &unused)) {
      if (axis-- == 0)
        return false;
      at[axis]++;
    }
    if (!settle(t, axis + 1, at))
      return false;
  }
  end = rows_end(t, last, at, &unused);
  *out_run = dense ? end - at[last] : 1;
  *out_offset = t->offset;
  for (uint32_t i = 0; i < t->axes; i++)
    *out_offset += at[i] * t->stride[i];
  return true;
}

//===-- Texts of addresses ------------------------------------------------===//

void emu_space_describe(const emu_space *space, uint64_t address, char *text,
                        size_t text_bytes) {
  const emu_segment *best = NULL;
  uint64_t best_distance = 0;
  bool best_after = false;
  for (size_t i = 0; i < space->count; i++) {
    const emu_segment *s = &space->segments[i];
    bool after = address >= s->base;
    uint64_t distance = after ? address - s->base : s->base - address;
    if (after && distance >= s->bytes)
      distance -= s->bytes;
    else if (after)
      distance = 0;
    if (!best || distance < best_distance) {
      best = s;
      best_distance = distance;
      best_after = after;
    }
  }
  if (!best) {
    snprintf(text, text_bytes, "no buffer is mapped");
    return;
  }
  const char *where = best_after ? "past the end of" : "before the start of";
  char tensor[EMU_ELEMENT_TEXT + 32] = "";
  if (best_after && address - best->base < best->bytes)
    emu_tensors_name(best, address - best->base, tensor, sizeof tensor);
  else if (best_after)
    emu_tensors_name_beyond(best, address - best->base, tensor, sizeof tensor);
  if (best_after && address - best->base < best->bytes)
    snprintf(text, text_bytes,
             "%llu bytes before the end of buffer \"%s\" [0x%llx, +%llu "
             "bytes)%s",
             (unsigned long long)(best->base + best->bytes - address),
             best->name, (unsigned long long)best->base,
             (unsigned long long)best->bytes, tensor);
  else
    snprintf(text, text_bytes,
             "%llu bytes %s buffer \"%s\" [0x%llx, +%llu bytes)%s",
             (unsigned long long)best_distance, where, best->name,
             (unsigned long long)best->base, (unsigned long long)best->bytes,
             tensor);
}

void emu_segment_describe(const emu_segment *s, uint64_t offset, char *text,
                          size_t text_bytes) {
  char tensor[EMU_ELEMENT_TEXT + 32];
  emu_tensors_name(s, offset, tensor, sizeof tensor);
  snprintf(text, text_bytes, "byte %llu of buffer \"%.64s\" (0x%llx)%s",
           (unsigned long long)offset, s->name,
           (unsigned long long)(s->base + offset), tensor);
}
