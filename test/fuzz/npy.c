// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: the bytes of a .npy file. What is read is written, read again, and
// must be the same.
#include "npy.h"

#include <string.h>

#include "fuzz.h"

static void check_written(const npy_array *a) {
  char error[ERROR_BYTES] = "";
  bool ok = npy_write("out.npy", a->type, a->rank, a->shape, a->data, error);
  FUZZ_CHECK(ok, "%s", error);
  size_t size;
  const uint8_t *bytes = fuzz_files_written(&size);
  npy_array again;
  ok = npy_parse("out.npy", bytes, size, &again, error);
  FUZZ_CHECK(ok, "%s", error);
  FUZZ_CHECK(again.type == a->type && again.rank == a->rank &&
                 again.count == a->count &&
                 memcmp(again.shape, a->shape, sizeof a->shape) == 0,
             "another array comes back");
  FUZZ_CHECK(memcmp(again.data, a->data, a->count * element_bytes(a->type)) ==
                 0,
             "other elements come back");
  npy_deinit(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char error[ERROR_BYTES] = "";
  npy_array array;
  bool ok = npy_parse("in.npy", data, size, &array, error);
  FUZZ_CHECK(ok == (array.data != NULL), "data without an array");
  FUZZ_CHECK(ok || error[0], "no reason is given");
  if (ok) {
    FUZZ_CHECK(array.rank <= NPY_MAX_RANK, "rank %zu", array.rank);
    // Every element can be had.
    double sum = 0;
    for (size_t i = 0; i < array.count; ++i)
      sum += element_load(array.type, array.data, i);
    (void)sum;
    check_written(&array);
  }
  npy_deinit(&array);
  // And what a run asks for: four extents of one type.
  static const uint64_t shape[4] = {1, 2, 1, 8};
  fuzz_files_set(data, size);
  if (npy_read_expected(FUZZ_FILE, ELEMENT_BF16, 4, shape, &array, error))
    FUZZ_CHECK(array.count == 16, "%zu elements", array.count);
  npy_deinit(&array);
  fuzz_files_reset();
  return 0;
}
