// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The format: "\x93NUMPY", version (2 bytes), length of the header (2 bytes, 4
// from version 2 on, little-endian), the header: a Python literal
// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, padded with
// blanks so that the data starts at a multiple of 64.
#include "npy.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

static const struct {
  const char *descr;
  element_type type;
} dtypes[] = {{"|u1", ELEMENT_FP8}, // what a reader takes it for
              {"|u1", ELEMENT_BF8}, {"<u2", ELEMENT_BF16}, {"<f2", ELEMENT_F16},
              {"<f4", ELEMENT_F32}, {"<i4", ELEMENT_I32}};

__attribute__((format(printf, 3, 4))) static bool
fail(char error[ERROR_BYTES], const char *name, const char *format, ...) {
  int used = snprintf(error, ERROR_BYTES, "%.200s: ", name);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error + used, (size_t)(ERROR_BYTES - used), format, arguments);
  va_end(arguments);
  return false;
}

//===- Header -------------------------------------------------------------===//

typedef struct header {
  char descr[16];
  bool fortran_order;
  size_t rank;
  uint64_t shape[NPY_MAX_RANK];
  bool has_descr, has_order, has_shape;
} header;

static void skip_blanks(const char **at) { *at += strspn(*at, " \t\n"); }

static bool take(const char **at, char c) {
  skip_blanks(at);
  if (**at != c)
    return false;
  ++*at;
  return true;
}

static bool take_word(const char **at, const char *word) {
  size_t length = strlen(word);
  if (strncmp(*at, word, length) != 0)
    return false;
  *at += length;
  return true;
}

/// A quoted word without escapes.
static bool take_string(const char **at, char *text, size_t bytes) {
  skip_blanks(at);
  char quote = **at;
  if (quote != '\'' && quote != '"')
    return false;
  const char *start = ++*at;
  while (**at && **at != quote)
    ++*at;
  size_t length = (size_t)(*at - start);
  if (**at != quote || length >= bytes)
    return false;
  ++*at;
  memcpy(text, start, length);
  text[length] = '\0';
  return true;
}

static bool take_shape(const char **at, header *h) {
  if (!take(at, '('))
    return false;
  h->rank = 0;
  while (!take(at, ')')) {
    skip_blanks(at);
    if (h->rank == NPY_MAX_RANK || **at < '0' || **at > '9')
      return false;
    char *end;
    h->shape[h->rank++] = strtoull(*at, &end, 10);
    *at = end;
    take_word(at, "L"); // written by Python 2
    if (!take(at, ',')) {
      skip_blanks(at);
      if (**at != ')')
        return false;
    }
  }
  return true;
}

static bool take_entry(const char **at, header *h) {
  char key[24];
  if (!take_string(at, key, sizeof key) || !take(at, ':'))
    return false;
  skip_blanks(at);
  if (strcmp(key, "descr") == 0)
    return h->has_descr = take_string(at, h->descr, sizeof h->descr);
  if (strcmp(key, "shape") == 0)
    return h->has_shape = take_shape(at, h);
  if (strcmp(key, "fortran_order") == 0) {
    h->fortran_order = take_word(at, "True");
    return h->has_order = h->fortran_order || take_word(at, "False");
  }
  return false;
}

static bool parse_header(const char *text, header *h) {
  if (!take(&text, '{'))
    return false;
  while (!take(&text, '}')) {
    if (!take_entry(&text, h))
      return false;
    skip_blanks(&text);
    if (!take(&text, ',') && *text != '}')
      return false;
  }
  skip_blanks(&text);
  return !*text && h->has_descr && h->has_order && h->has_shape;
}

static bool find_type(const char *descr, element_type *out_type) {
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; ++i)
    if (strcmp(descr, dtypes[i].descr) == 0) {
      *out_type = dtypes[i].type;
      return true;
    }
  return false;
}

/// Names the beginning of the header, if it is printable.
static bool fail_header(char error[ERROR_BYTES], const char *name,
                        const char *text, size_t length) {
  size_t shown = 0;
  while (length > 0 && strchr(" \n", text[length - 1]))
    --length;
  while (shown < length && shown < 80 && text[shown] >= 0x20 &&
         text[shown] < 0x7f)
    ++shown;
  return fail(error, name,
              "expected a header {'descr': '<f2', 'fortran_order': False, "
              "'shape': (1, 2)}, found %.*s%s",
              (int)shown, text, shown < length ? " ..." : "");
}

//===- Reading ------------------------------------------------------------===//

/// Where the header's text lies; false if the file is none or ends early.
static bool find_header(const char *name, const uint8_t *bytes, size_t size,
                        size_t *out_start, size_t *out_length,
                        char error[ERROR_BYTES]) {
  if (size < 10 || memcmp(bytes, magic, sizeof magic) != 0)
    return fail(error, name, "expected a .npy file, found %s",
                size ? "no .npy signature" : "an empty file");
  int version = bytes[6];
  if (version < 1 || version > 3)
    return fail(error, name, "expected .npy version 1, 2 or 3, found %d.%d",
                version, bytes[7]);
  size_t prefix = version == 1 ? 10 : 12;
  if (size < prefix)
    return fail(error, name, "truncated: the file ends inside its header");
  uint64_t length = bytes[8] | (uint64_t)bytes[9] << 8;
  if (version > 1)
    length |= (uint64_t)bytes[10] << 16 | (uint64_t)bytes[11] << 24;
  if (length > size - prefix)
    return fail(error, name,
                "truncated: a header of %" PRIu64 " bytes, found %zu", length,
                size - prefix);
  *out_start = prefix;
  *out_length = (size_t)length;
  return true;
}

static bool count_elements(const header *h, size_t *out_count) {
  size_t count = 1;
  for (size_t i = 0; i < h->rank; ++i)
    if (__builtin_mul_overflow(count, h->shape[i], &count))
      return false;
  *out_count = count;
  return count <= SIZE_MAX / 8;
}

bool npy_parse(const char *name, const void *bytes, size_t size,
               npy_array *out_array, char error[ERROR_BYTES]) {
  *out_array = (npy_array){0};
  size_t start = 0, length = 0;
  if (!find_header(name, bytes, size, &start, &length, error))
    return false;
  header h = {0};
  char *text = strndup((const char *)bytes + start, length);
  bool ok = text && parse_header(text, &h);
  free(text);
  if (!ok)
    return fail_header(error, name, (const char *)bytes + start, length);
  if (h.fortran_order)
    return fail(error, name,
                "expected C order, found Fortran order; save "
                "numpy.ascontiguousarray() of it");
  npy_array array = {.rank = h.rank};
  memcpy(array.shape, h.shape, sizeof array.shape);
  if (!find_type(h.descr, &array.type))
    return fail(error, name,
                "expected element type '|u1' (fp8 or bf8 codes), '<u2' (bf16 "
                "bits), '<f2', '<f4' or '<i4', found '%s'",
                h.descr);
  if (!count_elements(&h, &array.count))
    return fail(error, name, "the shape has more elements than memory");
  size_t data_bytes = array.count * element_bytes(array.type);
  size_t found = size - start - length;
  if (found != data_bytes)
    return fail(error, name, "%s: the shape needs %zu bytes of data, found %zu",
                found < data_bytes ? "truncated" : "bytes after the data",
                data_bytes, found);
  array.data = malloc(data_bytes ? data_bytes : 1);
  if (!array.data)
    return fail(error, name, "no memory for %zu bytes", data_bytes);
  memcpy(array.data, (const char *)bytes + start + length, data_bytes);
  *out_array = array;
  return true;
}

bool npy_read(const char *path, npy_array *out_array, char error[ERROR_BYTES]) {
  *out_array = (npy_array){0};
  void *bytes;
  size_t size;
  if (!file_read(path, &bytes, &size, error))
    return false;
  bool ok = npy_parse(path, bytes, size, out_array, error);
  free(bytes);
  return ok;
}

void npy_shape_text(size_t rank, const uint64_t *shape,
                    char text[NPY_SHAPE_BYTES]) {
  const size_t bytes = NPY_SHAPE_BYTES;
  size_t used = (size_t)snprintf(text, bytes, "[");
  for (size_t i = 0; i < rank && used < bytes; ++i)
    used += (size_t)snprintf(text + used, bytes - used, "%s%" PRIu64,
                             i ? ", " : "", shape[i]);
  if (used < bytes)
    snprintf(text + used, bytes - used, "]");
}

const char *npy_descr(element_type type) {
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; ++i)
    if (dtypes[i].type == type)
      return dtypes[i].descr;
  return "?";
}

bool npy_check_shape(const char *path, const npy_array *array, size_t rank,
                     const uint64_t *shape, char error[ERROR_BYTES]) {
  if (array->rank == rank &&
      memcmp(array->shape, shape, rank * sizeof *shape) == 0)
    return true;
  char expected[NPY_SHAPE_BYTES], found[NPY_SHAPE_BYTES];
  npy_shape_text(rank, shape, expected);
  npy_shape_text(array->rank, array->shape, found);
  return fail(error, path, "expected shape %s, found %s", expected, found);
}

bool npy_read_expected(const char *path, element_type type, size_t rank,
                       const uint64_t *shape, npy_array *out_array,
                       char error[ERROR_BYTES]) {
  if (!npy_read(path, out_array, error))
    return false;
  bool ok =
      strcmp(npy_descr(out_array->type), npy_descr(type)) == 0
          ? npy_check_shape(path, out_array, rank, shape, error)
          : fail(error, path, "expected elements '%s' (%s), found '%s' (%s)",
                 npy_descr(type), element_name(type),
                 npy_descr(out_array->type), element_name(out_array->type));
  if (!ok)
    npy_deinit(out_array);
  return ok;
}

void npy_deinit(npy_array *array) {
  free(array->data);
  *array = (npy_array){0};
}

//===- Writing ------------------------------------------------------------===//

bool npy_write(const char *path, element_type type, size_t rank,
               const uint64_t *shape, const void *data,
               char error[ERROR_BYTES]) {
  enum { ALIGNMENT = 64, PREFIX = 10 };
  char text[400];
  size_t used = (size_t)snprintf(
      text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
      npy_descr(type));
  size_t count = 1;
  for (size_t i = 0; i < rank && i < NPY_MAX_RANK; ++i) {
    // A tuple of one needs its comma.
    used += (size_t)snprintf(text + used, sizeof text - used, "%" PRIu64 "%s",
                             shape[i],
                             rank == 1      ? ","
                             : i + 1 < rank ? ", "
                                            : "");
    count *= shape[i];
  }
  used += (size_t)snprintf(text + used, sizeof text - used, "), }");
  size_t total = (PREFIX + used + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  size_t length = total - PREFIX, data_bytes = count * element_bytes(type);
  uint8_t *bytes = malloc(total + data_bytes);
  if (!bytes)
    return fail(error, path, "no memory for %zu bytes", total + data_bytes);
  memcpy(bytes, magic, sizeof magic);
  bytes[6] = 1;
  bytes[7] = 0;
  bytes[8] = (uint8_t)length;
  bytes[9] = (uint8_t)(length >> 8);
  memset(bytes + PREFIX, ' ', length);
  memcpy(bytes + PREFIX, text, used);
  bytes[total - 1] = '\n';
  memcpy(bytes + total, data, data_bytes);
  bool ok = file_write(path, bytes, total + data_bytes, error);
  free(bytes);
  return ok;
}
