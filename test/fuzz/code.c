// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: the whole bytes of a code object, as a kernel that a program carries.
// The digest of a note is made true, as few inputs would pass it; and the same
// bytes as they came.
#include <stdlib.h>
#include <string.h>

#include "descriptor.h"
#include "fuzz.h"
#include "kernel.h"
#include "package.h"

static void check(fmhac_context *context, const uint8_t *code, size_t bytes) {
  fmhac_kernel *kernel = NULL;
  fmhac_status status =
      fmhac_kernel_create_from_code(context, code, bytes, &kernel);
  FUZZ_CHECK((status == FMHAC_OK) == (kernel != NULL), "status %d", status);
  if (!kernel) {
    FUZZ_CHECK(status == FMHAC_INVALID_INPUT || status == FMHAC_UNSUPPORTED,
               "status %d", status);
    FUZZ_CHECK(fmhac_last_error(context)[0], "no reason is given");
    return;
  }
  uint64_t required = 0;
  FUZZ_CHECK(kernel->entry_count >= 1 &&
                 kernel->entry_count <= FMHAC_MOST_ENTRIES,
             "%zu entries", kernel->entry_count);
  for (size_t i = 0; i < kernel->entry_count; ++i) {
    const fmhac_entry *e = &kernel->entries[i];
    fmhac_descriptor d;
    fmhac_launch_expr expr;
    size_t offset;
    FUZZ_CHECK(fmhac_descriptor_read(context, code, bytes, e->kernel, &d) ==
                   FMHAC_OK,
               "a kernel without a descriptor");
    FUZZ_CHECK(e->block_threads == d.max_threads &&
                   e->lds_bytes == d.lds_bytes && e->tile_m &&
                   e->row_rounding >= e->tile_m,
               "geometry that the code contradicts");
    for (int side = 0; side < 3; ++side)
      FUZZ_CHECK(fmhac_launch_expr_parse(e->grid[side], false, &expr, &offset),
                 "a side '%s'", e->grid[side]);
    FUZZ_CHECK(!e->when[0] ||
                   fmhac_launch_expr_parse(e->when, true, &expr, &offset),
               "a condition '%s'", e->when);
    required |= e->required_args;
  }
  FUZZ_CHECK(required == kernel->required_args_mask &&
                 required == fmhac_kernel_groups(&kernel->config),
             "groups that the configuration contradicts");
  FUZZ_CHECK(kernel->code_bytes == bytes &&
                 memcmp(kernel->code, code, bytes) == 0,
             "other bytes");
  fmhac_kernel_destroy(kernel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fmhac_context *context;
  // From the heap, and at its end, so that a byte too far is seen.
  uint8_t *code = malloc(size ? size : 1);
  if (!code || fmhac_context_create(NULL, &context) != FMHAC_OK)
    abort();
  if (size)
    memcpy(code, data, size);
  check(context, code, size);
  fmhac_note_place place;
  if (fmhac_package_find_note(code, size, &place) &&
      place.bytes >= FMHAC_DIGEST_DIGITS) {
    char digits[FMHAC_DIGEST_DIGITS];
    size_t end = place.offset + place.bytes;
    if (!fmhac_package_digest(code, size, end, digits))
      abort();
    memcpy(code + end - sizeof digits, digits, sizeof digits);
    check(context, code, size);
  }
  fmhac_context_destroy(context);
  free(code);
  return 0;
}
