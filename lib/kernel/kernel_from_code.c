// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel from the bytes of a code object alone. Every value of its note is
// compared with the descriptor and the metadata, which the hardware obeys.
#include <inttypes.h>
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "arg_groups.h"
#include "artefact.h"
#include "context.h"
#include "descriptor.h"
#include "fmhac_abi.h"
#include "kernel.h"
#include "object.h"
#include "package.h"
#include "require.h"
#include "whole_msgpack.h"

enum { WAVE_LANES = 64, MOST_THREADS = 1024, TEXT_BYTES = 512 };

#define DOING "taking a kernel from a code object: "

/// The part of the note that a kernel needs; borrowed from the code.
typedef struct note {
  fmhac_span versions, config, digest, from;
  uint64_t abi_version;
  uint64_t groups; ///< whose fields it lists, bits FMHAC_ARGS_*_BIT
  fmhac_entry entries[FMHAC_MOST_ENTRIES];
  size_t entry_count;
  bool is_from_text; ///< of the rung `from`
  size_t end;        ///< of the description, bytes into the code object
} note;

//===- Reading the note ---------------------------------------------------===//

/// A text without a byte 0, as names become strings of C.
static bool get_text(const msgpack_object *map, const char *key,
                     fmhac_span *out) {
  const msgpack_object *value = fmhac_msgpack_find(map, key);
  if (!value || value->type != MSGPACK_OBJECT_STR ||
      memchr(value->via.str.ptr, 0, value->via.str.size))
    return false;
  *out = (fmhac_span){value->via.str.ptr, value->via.str.size};
  return true;
}

static bool get_number(const msgpack_object *map, const char *key,
                       uint64_t *out) {
  const msgpack_object *value = fmhac_msgpack_find(map, key);
  if (!value || value->type != MSGPACK_OBJECT_POSITIVE_INTEGER)
    return false;
  *out = value->via.u64;
  return true;
}

static fmhac_status lacks(fmhac_context *context, const note *n,
                          const char *key) {
  return fmhac_fail(context, FMHAC_UNSUPPORTED,
                    DOING "its note, of %.*s, does not say '%s' as this "
                          "library (%s) needs it: compile it anew",
                    (int)n->versions.bytes, n->versions.text, key,
                    fmhac_version_text());
}

static fmhac_status read_entries(fmhac_context *context,
                                 const msgpack_object *map, note *out) {
  const msgpack_object *list = fmhac_msgpack_find(map, "entries");
  if (!list || list->type != MSGPACK_OBJECT_ARRAY || !list->via.array.size ||
      list->via.array.size > FMHAC_MOST_ENTRIES)
    return lacks(context, out, "entries");
  const char *key;
  out->entry_count = list->via.array.size;
  for (size_t i = 0; i < out->entry_count; ++i)
    if (!fmhac_entry_read(&list->via.array.ptr[i], &out->entries[i], &key))
      return lacks(context, out, key);
  return FMHAC_OK;
}

static fmhac_status read_map(fmhac_context *context, const msgpack_object *map,
                             note *out) {
  if (map->type != MSGPACK_OBJECT_MAP ||
      !get_text(map, "versions", &out->versions) ||
      !get_number(map, "abi_version", &out->abi_version))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      DOING "expected its note to say by which version of "
                            "fmhac it was compiled, found none");
  if (out->abi_version != FMHAC_ABI_VERSION)
    return fmhac_fail(
        context, FMHAC_UNSUPPORTED,
        DOING "it takes kernel arguments of version %" PRIu64
              ", and this library (%s) fills in version %u; it was compiled by "
              "%.*s: compile it anew",
        out->abi_version, fmhac_version_text(), FMHAC_ABI_VERSION,
        (int)out->versions.bytes, out->versions.text);
  out->is_from_text = get_text(map, "from", &out->from);
  if (!get_text(map, "config", &out->config))
    return lacks(context, out, "config");
  if (!get_text(map, "digest", &out->digest))
    return lacks(context, out, "digest");
  const msgpack_object *groups = fmhac_msgpack_find(map, FMHAC_ARG_GROUPS_KEY);
  return groups && groups->type == MSGPACK_OBJECT_MAP
             ? read_entries(context, map, out)
             : lacks(context, out, FMHAC_ARG_GROUPS_KEY);
}

/// Where the note lies.
static fmhac_status find_note(fmhac_context *context, const void *code,
                              size_t code_bytes, fmhac_note_place *out_place) {
  char text[TEXT_BYTES];
  isa_object object;
  fmhac_status status =
      isa_object_read(code, code_bytes, text, sizeof text, &object);
  if (status != FMHAC_OK)
    return fmhac_fail(context, status, DOING "%s", text);
  *out_place =
      (fmhac_note_place){(size_t)object.note.offset, (size_t)object.note.bytes};
  isa_object_deinit(&object);
  if (!out_place->bytes)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      DOING "expected fmhac's note in it, found none: "
                            "stripped, or compiled by something else");
  return FMHAC_OK;
}

/// That the bytes are those that were sealed.
static fmhac_status check_digest(fmhac_context *context, const void *code,
                                 size_t code_bytes, const note *n) {
  char digits[FMHAC_DIGEST_DIGITS];
  if (n->digest.bytes != sizeof digits ||
      n->digest.text + sizeof digits != (const char *)code + n->end)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      DOING "expected a digest of %d digits at the end of its "
                            "note, found another: damaged",
                      FMHAC_DIGEST_DIGITS);
  if (!fmhac_package_digest(code, code_bytes, n->end, digits))
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      DOING "no memory for its digest");
  if (memcmp(digits, n->digest.text, sizeof digits) != 0)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      DOING "expected the digest %.*s that it carries, found "
                            "%.*s: damaged, or changed after the compile",
                      FMHAC_DIGEST_DIGITS, n->digest.text, FMHAC_DIGEST_DIGITS,
                      digits);
  return FMHAC_OK;
}

/// Fills `out`, which borrows from `code`. Bytes are compared with the digest
/// before groups are: damage is told as damage.
static fmhac_status read_note(fmhac_context *context, const void *code,
                              size_t code_bytes, note *out) {
  fmhac_note_place place = {0};
  fmhac_status status = find_note(context, code, code_bytes, &place);
  if (status != FMHAC_OK)
    return status;
  out->end = place.offset + place.bytes;
  msgpack_unpacked unpacked;
  // Texts stay where they are: only the map takes memory.
  if (!fmhac_unpack_whole((const char *)code + place.offset, place.bytes,
                          &unpacked))
    status = fmhac_fail(context, FMHAC_INVALID_INPUT,
                        DOING "expected fmhac's note to be one MessagePack "
                              "value, found something else: damaged");
  if (status == FMHAC_OK)
    status = read_map(context, &unpacked.data, out);
  if (status == FMHAC_OK)
    status = check_digest(context, code, code_bytes, out);
  if (status == FMHAC_OK)
    status = fmhac_arg_groups_check(
        context, fmhac_msgpack_find(&unpacked.data, FMHAC_ARG_GROUPS_KEY),
        DOING, out->versions.text, out->versions.bytes, &out->groups);
  msgpack_unpacked_destroy(&unpacked);
  return status;
}

//===- Holding it against the code ----------------------------------------===//

/// That the expressions of a launch can be evaluated.
static fmhac_status check_launch(fmhac_context *context,
                                 const fmhac_entry *entry) {
  enum { SIDES = 3 };
  fmhac_launch_expr expr;
  size_t offset;
  for (int i = 0; i < SIDES; ++i)
    if (!fmhac_launch_expr_parse(entry->grid[i], false, &expr, &offset))
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        DOING "expected grid of entry %s in its note to be an "
                              "expression like ceil(Sq / 256), found '%s'",
                        entry->kernel, entry->grid[i]);
  if (entry->when[0] &&
      !fmhac_launch_expr_parse(entry->when, true, &expr, &offset))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      DOING "expected when of entry %s in its note to be a "
                            "condition like Sk <= 256, found '%s'",
                      entry->kernel, entry->when);
  return FMHAC_OK;
}

/// That workgroup and arguments are those of the code.
static fmhac_status check_geometry(fmhac_context *context, const note *n,
                                   uint64_t groups, const fmhac_entry *entry,
                                   const fmhac_descriptor *d) {
  const struct {
    const char *key;
    uint64_t found;
    const char *source;
    uint64_t expected;
  } equal[] = {
      {"block_threads", entry->block_threads, "metadata", d->max_threads},
      {"required_args", entry->required_args & ~n->groups, FMHAC_ARG_GROUPS_KEY,
       0},
      {"required_args",
       entry->required_args & ~(groups | fmhac_schedule_groups(entry->role)),
       "configuration", 0}};
  for (size_t i = 0; i < sizeof equal / sizeof equal[0]; ++i)
    if (equal[i].found != equal[i].expected)
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        DOING "expected %s = %" PRIu64
                              " of entry %s in its note, as its %s has it, "
                              "found %" PRIu64,
                        equal[i].key, equal[i].expected, entry->kernel,
                        equal[i].source, equal[i].found);
  const struct {
    const char *key;
    uint64_t found, least, most, multiple;
  } bounds[] = {
      {"tile_m", entry->tile_m, 1, UINT32_MAX, 1},
      {"row_rounding", entry->row_rounding, entry->tile_m, UINT32_MAX, 1},
      {"block_threads", entry->block_threads, WAVE_LANES, MOST_THREADS,
       WAVE_LANES}};
  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; ++i)
    if (bounds[i].found < bounds[i].least || bounds[i].found > bounds[i].most ||
        bounds[i].found % bounds[i].multiple)
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        DOING "expected %s of entry %s in its note to be a "
                              "multiple of %" PRIu64 " from %" PRIu64
                              " to %" PRIu64 ", found %" PRIu64,
                        bounds[i].key, entry->kernel, bounds[i].multiple,
                        bounds[i].least, bounds[i].most, bounds[i].found);
  return check_launch(context, entry);
}

static fmhac_status read_config(fmhac_context *context, const note *n,
                                fmhac_config_values *out_values) {
  char *json = fmhac_span_copy(n->config);
  if (!json)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      DOING "no memory for its configuration");
  fmhac_status status = fmhac_config_values_parse(context, json, out_values);
  if (status != FMHAC_OK)
    status = fmhac_fail(
        context, status, DOING "the configuration in its note, of %.*s: %s",
        (int)n->versions.bytes, n->versions.text, fmhac_last_error(context));
  free(json);
  return status;
}

/// Holds each entry against its code, which also gives it its LDS.
static fmhac_status check_entries(fmhac_context *context, note *n,
                                  const fmhac_kernel *kernel) {
  const uint64_t groups = fmhac_kernel_groups(&kernel->config);
  uint64_t required = 0, of_schedules = 0;
  const fmhac_entry *before = NULL; // of attention
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < n->entry_count && status == FMHAC_OK; ++i) {
    fmhac_entry *entry = &n->entries[i];
    fmhac_descriptor descriptor;
    // A fault that would be the compiler's elsewhere is in the caller's input
    // here.
    if (fmhac_descriptor_read(context, kernel->code, kernel->code_bytes,
                              entry->kernel, &descriptor) != FMHAC_OK)
      return fmhac_fail(context, FMHAC_INVALID_INPUT, "%s",
                        fmhac_last_error(context));
    entry->lds_bytes = descriptor.lds_bytes;
    required |= entry->required_args;
    of_schedules |= entry->required_args & fmhac_schedule_groups(entry->role);
    status = check_geometry(context, n, groups, entry, &descriptor);
    const bool attends = entry->role == FMHAC_ROLE_ATTENTION;
    if (status == FMHAC_OK && attends && before && !before->when[0])
      status = fmhac_fail(context, FMHAC_INVALID_INPUT,
                          DOING "expected when of entry %s in its note to be a "
                                "condition, as of each but the last, found ''",
                          before->kernel);
    before = attends ? entry : before;
  }
  const bool is_listed = required == n->groups;
  if (status == FMHAC_OK && (!is_listed || required != (groups | of_schedules)))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      DOING "expected required_args = %" PRIu64
                            " of its entries, as its %s has it, found %" PRIu64,
                      is_listed ? groups | of_schedules : n->groups,
                      is_listed ? "configuration" : FMHAC_ARG_GROUPS_KEY,
                      required);
  return status;
}

static fmhac_status fill(fmhac_context *context, const void *code,
                         size_t code_bytes, fmhac_kernel *kernel) {
  note n = {.entry_count = 0};
  fmhac_status status = read_note(context, code, code_bytes, &n);
  if (status == FMHAC_OK)
    status = read_config(context, &n, &kernel->config);
  if (status != FMHAC_OK)
    return status;
  const fmhac_allocator a = fmhac_allocator_of(context);
  kernel->code = fmhac_duplicate(a, code, code_bytes);
  if (!kernel->code)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      DOING "no memory for its %zu bytes", code_bytes);
  kernel->code_bytes = code_bytes;
  kernel->is_from_text = n.is_from_text;
  status = check_entries(context, &n, kernel);
  fmhac_kernel_set_entries(kernel, n.entries, n.entry_count);
  return status;
}

fmhac_status fmhac_kernel_create_from_code(fmhac_context *context,
                                           const void *bytes, size_t size_bytes,
                                           fmhac_kernel **out_kernel) {
  FMHAC_CLEAR(out_kernel);
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(context), FMHAC_GIVEN(bytes),
                    FMHAC_GIVEN(out_kernel));
  if (status != FMHAC_OK)
    return status;
  fmhac_kernel *kernel = fmhac_kernel_create(context);
  if (!kernel)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      DOING "no memory for a kernel");
  status = fill(context, bytes, size_bytes, kernel);
  if (status != FMHAC_OK) {
    fmhac_kernel_destroy(kernel);
    return status;
  }
  *out_kernel = kernel;
  return FMHAC_OK;
}
