// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads the fields of a JSON file that a user wrote. Messages about a field
/// that is missing, out of range or of another type name its place in the file.
/// Functions that return bool have written the reason when they return false.
#ifndef FMHAC_DRIVER_JSON_FIELDS_H
#define FMHAC_DRIVER_JSON_FIELDS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report.h"

/// The file, and the buffer for the message about its first fault.
typedef struct json_fields {
  const char *path; ///< paths in the file are relative to it
  char *error;
  size_t error_bytes;
} json_fields;

/// Writes the error in one line; false, always.
bool json_fail(const json_fields *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// The one value of a file, with nothing after it; free with cJSON_Delete().
/// NULL with line and column of malformed text. A zero stands after `bytes`.
cJSON *json_parse(const json_fields *p, const char *text, size_t bytes);

/// "a string", …
const char *json_type_name(const cJSON *item);

enum { JSON_WHERE_BYTES = 160 };
/// "WHERE.KEY" in `out`, which is returned; KEY of the whole file's object,
/// whose place is "".
const char *json_key_of(const char *where, const char *key,
                        char out[JSON_WHERE_BYTES]);

/// True if every key is one of `known` (ends with NULL) and stands once.
bool json_check_keys(const json_fields *p, const cJSON *object,
                     const char *where, const char *const *known);
/// True if `item` is an object with such keys.
bool json_object(const json_fields *p, const cJSON *item, const char *where,
                 const char *const *known);

/// True if `list` is of `type`, cJSON_Object or cJSON_Array, and short enough
/// to be compared pair by pair; the names of an object stand once.
bool json_check_list(const json_fields *p, const cJSON *list, const char *where,
                     int type);

/// A whole number up to `limit`: a JSON number up to 2^53, or a string in
/// decimal or 0x form.
bool json_integer(const json_fields *p, const cJSON *item, const char *where,
                  uint64_t limit, uint64_t *out);
/// That of the member `key`. Without one `out` stays as it is, and `out_has`,
/// which may be NULL, says so.
bool json_member_integer(const json_fields *p, const cJSON *object,
                         const char *where, const char *key, uint64_t limit,
                         uint64_t *out, bool *out_has);
/// The same in two's complement, of so many bits.
bool json_signed_integer(const json_fields *p, const cJSON *item,
                         const char *where, unsigned bits, uint64_t *out);
/// Also "inf", "nan" and hexadecimal numbers as strings.
bool json_number(const json_fields *p, const cJSON *item, const char *where,
                 double *out);
/// [x,y,z], each at least `minimum`.
bool json_triple(const json_fields *p, const cJSON *item, const char *where,
                 uint32_t minimum, uint32_t out[3]);

/// A string that is not empty; the caller frees it.
bool json_string(const json_fields *p, const cJSON *item, const char *where,
                 char **out);
/// The path, relative to the JSON file, that the member `key` is; the caller
/// frees it. Without one `out` stays as it is.
bool json_member_file_path(const json_fields *p, const cJSON *object,
                           const char *where, const char *key, char **out);

#endif // FMHAC_DRIVER_JSON_FIELDS_H
