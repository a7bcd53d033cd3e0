// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arg_groups.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fmhac.h"
#include "fmhac_abi.h"

typedef struct arg_field {
  const char *type, *name, *group;
  int bit; ///< of the group
  size_t offset, bytes;
} arg_field;

static const arg_field fields[] = {
#define FMHAC_ARG(type, name, group, doc)                                      \
  {#type,                                                                      \
   #name,                                                                      \
   #group,                                                                     \
   FMHAC_ARGS_##group##_BIT,                                                   \
   offsetof(fmhac_kernel_args, name),                                          \
   sizeof(fmhac_abi_##type)},
#include "fmhac_abi.def"
};
enum { FIELDS = sizeof fields / sizeof fields[0], MOST_BIT = 63 };

/// Room for the text of a group: that of all fields.
enum {
  OFFSET_DIGITS = 10,
  GROUP_BYTES = 1
#define FMHAC_ARG(type, name, group, doc)                                      \
  +sizeof #type " " #name "@, " + OFFSET_DIGITS
#include "fmhac_abi.def"
};

/// Writes the fields of a group; returns the length.
static size_t print_group(int bit, char out_text[GROUP_BYTES]) {
  size_t length = 0;
  for (size_t i = 0; i < FIELDS; ++i)
    if (fields[i].bit == bit)
      length += (size_t)snprintf(
          out_text + length, GROUP_BYTES - length, "%s%s %s@%zu",
          length ? ", " : "", fields[i].type, fields[i].name, fields[i].offset);
  return length;
}

/// A field of a group, which has its name; NULL: no field has this bit.
static const arg_field *first_of(int bit) {
  for (size_t i = 0; i < FIELDS; ++i)
    if (fields[i].bit == bit)
      return &fields[i];
  return NULL;
}

void fmhac_arg_groups_pack(msgpack_packer *packer, uint64_t required) {
  uint32_t count = 0;
  for (int bit = 0; bit <= MOST_BIT; ++bit)
    count += (required >> bit & 1) && first_of(bit);
  msgpack_pack_map(packer, count);
  for (int bit = 0; bit <= MOST_BIT; ++bit) {
    const arg_field *field = required >> bit & 1 ? first_of(bit) : NULL;
    if (!field)
      continue;
    char text[GROUP_BYTES];
    const size_t length = print_group(bit, text);
    msgpack_pack_str_with_body(packer, field->group, strlen(field->group));
    msgpack_pack_str_with_body(packer, text, length);
  }
}

size_t fmhac_arg_groups_end(uint64_t groups) {
  size_t end = 0;
  for (size_t i = 0; i < FIELDS; ++i)
    if (groups >> fields[i].bit & 1 && fields[i].offset + fields[i].bytes > end)
      end = fields[i].offset + fields[i].bytes;
  return end;
}

//===- Comparing ----------------------------------------------------------===//

/// A part of a note; borrowed.
typedef struct part {
  const char *text;
  int bytes; ///< as printf() takes it
} part;

/// A field as a note has it.
typedef struct noted_field {
  part whole, type, name, offset;
} noted_field;

static bool is(part p, const char *text) {
  return (size_t)p.bytes == strlen(text) &&
         memcmp(p.text, text, (size_t)p.bytes) == 0;
}

/// Takes the text before `end`, or all that is left, off the front of `rest`.
static part take_before(part *rest, const char *end) {
  const int end_bytes = (int)strlen(end);
  part taken = {rest->text, 0};
  while (taken.bytes < rest->bytes &&
         (rest->bytes - taken.bytes < end_bytes ||
          memcmp(rest->text + taken.bytes, end, (size_t)end_bytes) != 0))
    ++taken.bytes;
  const int gone =
      taken.bytes < rest->bytes ? taken.bytes + end_bytes : taken.bytes;
  rest->text += gone;
  rest->bytes -= gone;
  return taken;
}

static noted_field take_field(part *rest) {
  noted_field f = {.whole = take_before(rest, ", ")};
  part inside = f.whole;
  f.type = take_before(&inside, " ");
  f.name = take_before(&inside, "@");
  f.offset = inside;
  return f;
}

/// The difference between the fields of a note and those of a group here. Says
/// one of them, the first in this order: of a field that this library fills in,
/// of one that it does not know, of the list.
static void explain(int bit, part noted, char *out_text, size_t bytes) {
  enum { SHOWN = 48 };
  for (size_t i = 0; i < FIELDS; ++i) {
    const arg_field *f = &fields[i];
    if (f->bit != bit)
      continue;
    char offset[OFFSET_DIGITS + 1];
    snprintf(offset, sizeof offset, "%zu", f->offset);
    noted_field n = {.name = {"", 0}};
    for (part rest = noted; rest.bytes && !is(n.name, f->name);)
      n = take_field(&rest);
    if (!is(n.name, f->name)) {
      snprintf(out_text, bytes, "it has no %s, expected %s %s at byte %s",
               f->name, f->type, f->name, offset);
      return;
    }
    const bool moved = !is(n.offset, offset);
    if (moved || !is(n.type, f->type)) {
      const part found = moved ? n.offset : n.type;
      snprintf(out_text, bytes, "it has %s %s %.*s, expected %s", f->name,
               moved ? "at byte" : "as",
               found.bytes < SHOWN ? found.bytes : SHOWN, found.text,
               moved ? offset : f->type);
      return;
    }
  }
  while (noted.bytes) {
    const noted_field n = take_field(&noted);
    size_t i = 0;
    while (i < FIELDS && !(fields[i].bit == bit && is(n.name, fields[i].name)))
      ++i;
    if (i == FIELDS) {
      snprintf(out_text, bytes, "it has '%.*s', expected no such field",
               n.whole.bytes < SHOWN ? n.whole.bytes : SHOWN, n.whole.text);
      return;
    }
  }
  snprintf(out_text, bytes, "its fields are not in the order of memory");
}

/// A text without a byte 0, which a message can show.
static bool get_part(const msgpack_object *value, part *out) {
  if (value->type != MSGPACK_OBJECT_STR || value->via.str.size > INT32_MAX ||
      memchr(value->via.str.ptr, 0, value->via.str.size))
    return false;
  *out = (part){value->via.str.ptr, (int)value->via.str.size};
  return true;
}

fmhac_status fmhac_arg_groups_check(fmhac_context *context,
                                    const msgpack_object *value,
                                    const char *doing, const char *by,
                                    size_t by_bytes, uint64_t *out_required) {
  enum { SHOWN = 48, DIFFERENCE_BYTES = 256 };
  *out_required = 0;
  const uint32_t count =
      value->type == MSGPACK_OBJECT_MAP ? value->via.map.size : 0;
  for (uint32_t i = 0; i < count; ++i) {
    part name, noted;
    if (!get_part(&value->via.map.ptr[i].key, &name) ||
        !get_part(&value->via.map.ptr[i].val, &noted))
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "%sexpected names of argument groups and their fields "
                        "in '" FMHAC_ARG_GROUPS_KEY "' of its note, found "
                        "something else",
                        doing);
    size_t first = 0;
    while (first < FIELDS && !is(name, fields[first].group))
      ++first;
    if (first == FIELDS)
      return fmhac_fail(
          context, FMHAC_UNSUPPORTED,
          "%sit requires the argument group %.*s, which this library (%s) does "
          "not know; it was compiled by %.*s: compile it anew",
          doing, name.bytes < SHOWN ? name.bytes : SHOWN, name.text,
          fmhac_version_text(), (int)by_bytes, by);
    const int bit = fields[first].bit;
    char text[GROUP_BYTES], difference[DIFFERENCE_BYTES];
    print_group(bit, text);
    if (!is(noted, text)) {
      explain(bit, noted, difference, sizeof difference);
      return fmhac_fail(
          context, FMHAC_UNSUPPORTED,
          "%sthe argument group %s that it requires is another than that of "
          "this library (%s): %s; it was compiled by %.*s: compile it anew",
          doing, fields[first].group, fmhac_version_text(), difference,
          (int)by_bytes, by);
    }
    *out_required |= UINT64_C(1) << bit;
  }
  return FMHAC_OK;
}
