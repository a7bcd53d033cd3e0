// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .npy: files written out by hand, as NumPy's format document has them.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "npy.h"

enum { FILE_BYTES = 512 };

/// A file of the version with this header text (no padding) and data.
static size_t make_file(uint8_t *bytes, int version, const char *header,
                        const void *data, size_t data_bytes) {
  size_t length = strlen(header), prefix = version == 1 ? 10 : 12;
  memcpy(bytes, "\x93NUMPY", 6);
  bytes[6] = (uint8_t)version;
  bytes[7] = 0;
  bytes[8] = (uint8_t)length;
  bytes[9] = (uint8_t)(length >> 8);
  bytes[10] = bytes[11] = 0;
  memcpy(bytes + prefix, header, length);
  memcpy(bytes + prefix + length, data, data_bytes);
  return prefix + length + data_bytes;
}

static const uint16_t six[6] = {1, 2, 3, 4, 5, 0xffff};
#define HEADER(descr, order, shape)                                            \
  "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }  " \
  "\n"

static void test_versions(void **state) {
  (void)state;
  for (int version = 1; version <= 3; ++version) {
    uint8_t bytes[FILE_BYTES];
    char error[ERROR_BYTES];
    npy_array a;
    size_t size = make_file(bytes, version, HEADER("<u2", "False", "(2, 3)"),
                            six, sizeof six);
    assert_true(npy_parse("f", bytes, size, &a, error));
    assert_int_equal(a.type, ELEMENT_BF16);
    assert_int_equal(a.rank, 2);
    assert_int_equal(a.shape[0], 2);
    assert_int_equal(a.shape[1], 3);
    assert_int_equal(a.count, 6);
    assert_memory_equal(a.data, six, sizeof six);
    npy_deinit(&a);
  }
}

static void test_headers(void **state) {
  (void)state;
  static const struct {
    const char *header;
    element_type type;
    size_t rank, count;
  } table[] = {
      {HEADER("<f2", "False", "(6,)"), ELEMENT_F16, 1, 6},
      {HEADER("<f4", "False", "(3,)"), ELEMENT_F32, 1, 3},
      {HEADER("<i4", "False", "(3,)"), ELEMENT_I32, 1, 3},
      {HEADER("<u2", "False", "(1, 1, 6, 1)"), ELEMENT_BF16, 4, 6},
      {HEADER("<u2", "False", "(2L, 3L)"), ELEMENT_BF16, 2, 6},
      {"{\"shape\":(6,),\"fortran_order\":False,\"descr\":\"<u2\"}",
       ELEMENT_BF16, 1, 6},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    uint8_t bytes[FILE_BYTES];
    char error[ERROR_BYTES];
    npy_array a;
    size_t size = make_file(bytes, 1, table[i].header, six, sizeof six);
    if (!npy_parse("f", bytes, size, &a, error))
      fail_msg("%s: %s", table[i].header, error);
    assert_int_equal(a.type, table[i].type);
    assert_int_equal(a.rank, table[i].rank);
    assert_int_equal(a.count, table[i].count);
    npy_deinit(&a);
  }
}

static void test_scalar(void **state) {
  (void)state;
  uint8_t bytes[FILE_BYTES];
  char error[ERROR_BYTES];
  npy_array a;
  size_t size = make_file(bytes, 1, HEADER("<u2", "False", "()"), six, 2);
  assert_true(npy_parse("f", bytes, size, &a, error));
  assert_int_equal(a.rank, 0);
  assert_int_equal(a.count, 1);
  npy_deinit(&a);
}

static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *header;
    size_t data_bytes;
    const char *part;
  } table[] = {
      {HEADER("<u2", "True", "(2, 3)"), 12, "Fortran"},
      {HEADER("<i2", "False", "(2, 3)"), 12, "found '<i2'"},
      {HEADER(">u2", "False", "(2, 3)"), 12, "found '>u2'"},
      {HEADER("<f8", "False", "(1,)"), 8, "found '<f8'"},
      {HEADER("<u2", "False", "(2, 3)"), 11, "truncated"},
      {HEADER("<u2", "False", "(2, 3)"), 0, "needs 12 bytes"},
      {HEADER("<u2", "False", "(2, 2)"), 12, "bytes after the data"},
      {HEADER("<u2", "False", "(-1,)"), 12, "header"},
      {HEADER("<u2", "False", "(4294967296, 4294967296)"), 12, "memory"},
      {HEADER("<u2", "False", "(99999999999999999999999,)"), 12, ""},
      {HEADER("<u2", "False", "(1,1,1,1,1,1,1,1,1)"), 2, "header"},
      {"{'descr': '<u2', 'shape': (6,)}", 12, "header"},
      {"{'descr': [('a', '<u2')], 'fortran_order': False, 'shape': (6,)}", 12,
       "header"},
      {"", 12, "header"},
      {"{'descr': '<u2', 'fortran_order': False, 'shape': (6,)} x", 12,
       "header"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    uint8_t bytes[FILE_BYTES];
    char error[ERROR_BYTES] = "";
    npy_array a;
    size_t size =
        make_file(bytes, 1, table[i].header, six, table[i].data_bytes);
    if (npy_parse("name", bytes, size, &a, error))
      fail_msg("accepted: %s", table[i].header);
    assert_null(a.data);
    assert_non_null(strstr(error, "name: "));
    if (!strstr(error, table[i].part))
      fail_msg("expected \"%s\" in \"%s\"", table[i].part, error);
  }
}

/// Every prefix of a good file is refused, and nothing is read beyond it.
static void test_every_truncation(void **state) {
  (void)state;
  uint8_t bytes[FILE_BYTES];
  char error[ERROR_BYTES];
  npy_array a;
  size_t size =
      make_file(bytes, 2, HEADER("<u2", "False", "(2, 3)"), six, sizeof six);
  for (size_t cut = 0; cut < size; ++cut) {
    uint8_t *copy = malloc(cut ? cut : 1);
    memcpy(copy, bytes, cut);
    assert_false(npy_parse("f", copy, cut, &a, error));
    free(copy);
  }
  bytes[6] = 4;
  assert_false(npy_parse("f", bytes, size, &a, error));
  assert_non_null(strstr(error, "found 4.0"));
}

static void test_write_and_read(void **state) {
  (void)state;
  char directory[] = "npy-test-XXXXXX";
  assert_non_null(mkdtemp(directory));
  char *path = path_join(directory, "a.npy");
  char error[ERROR_BYTES];
  const uint64_t shape[] = {1, 3, 2, 1}, other[] = {1, 2, 3, 1};
  assert_true(npy_write(path, ELEMENT_BF16, 4, shape, six, error));

  // The bytes, as numpy.save() writes them.
  void *bytes;
  size_t size;
  assert_true(file_read(path, &bytes, &size, error));
  static const char header[] = "{'descr': '<u2', 'fortran_order': False, "
                               "'shape': (1, 3, 2, 1), }";
  assert_int_equal(size, 128 + sizeof six);
  assert_memory_equal(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
  assert_memory_equal((char *)bytes + 10, header, sizeof header - 1);
  for (size_t i = 10 + sizeof header - 1; i < 127; ++i)
    assert_int_equal(((char *)bytes)[i], ' ');
  assert_int_equal(((char *)bytes)[127], '\n');
  assert_memory_equal((char *)bytes + 128, six, sizeof six);
  free(bytes);

  npy_array a;
  assert_true(npy_read_expected(path, ELEMENT_BF16, 4, shape, &a, error));
  assert_memory_equal(a.data, six, sizeof six);
  npy_deinit(&a);
  assert_false(npy_read_expected(path, ELEMENT_F16, 4, shape, &a, error));
  assert_non_null(strstr(error, "'<f2' (f16), found '<u2' (bf16)"));
  assert_false(npy_read_expected(path, ELEMENT_BF16, 4, other, &a, error));
  assert_non_null(
      strstr(error, "expected shape [1, 2, 3, 1], found [1, 3, 2, 1]"));
  assert_false(npy_read_expected(path, ELEMENT_BF16, 3, shape, &a, error));
  assert_null(a.data);

  const uint64_t one[] = {6};
  assert_true(npy_write(path, ELEMENT_F16, 1, one, six, error));
  assert_true(npy_read(path, &a, error));
  assert_int_equal(a.rank, 1);
  npy_deinit(&a);
  unlink(path);
  rmdir(directory);
  free(path);
  assert_false(npy_read("npy-test-none/a.npy", &a, error));
  assert_non_null(strstr(error, "cannot read"));
}

/// A file that cannot be written leaves what was there.
static void test_failed_write(void **state) {
  (void)state;
  char error[ERROR_BYTES];
  assert_false(file_write("npy-test-none/x", "a", 1, error));
  assert_non_null(strstr(error, "npy-test-none/x"));
  assert_false(file_write("/", "a", 1, error));
  assert_non_null(strstr(error, "directory"));
  assert_true(file_write("/dev/null", "a", 1, error));
  assert_int_not_equal(access("/dev/null", W_OK), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_versions),
      cmocka_unit_test(test_headers),
      cmocka_unit_test(test_scalar),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_every_truncation),
      cmocka_unit_test(test_write_and_read),
      cmocka_unit_test(test_failed_write),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
